"""The words of the feasibility page."""

FEASIBILITY = {
    "title": "Two questions before anything else",
    "lead": (
        "Does the line carry the KV cache, and does the latency hold? Both are arithmetic: drag "
        "anything, the answer follows. Queues and bursts come on top; the other pages simulate "
        "them."
    ),
    "model": "Model",
    "model_about": "Its KV cache per token, from the catalogue of models, or your own.",
    "own": "own KV per token …",
    "claim_c11": "4.39 KB per token (claim C11)",
    "kv": "KV per token",
    "context": "Context",
    "hit": "Hit rate",
    "hit_unit": "of the prompt",
    "requests": "Requests",
    "within": "within",
    "drc": "MD cache (DRC)",
    "drc_about": "Main decode keeps the KV of earlier turns: what it holds is not sent again. "
    "Off: every request sends its whole KV cache.",
    "bandwidth": "Bandwidth",
    "rtt": "Round trip",
    "output": "Answer",
    "flows": "Flows beside it",
    "main_batch": "MD batch",
    "relay_batch": "RLD batch",
    "sla": "SLA: total within",
    "context_about": "Prompt of a request in tokens, with its cached part.",
    "hit_about": "Share of the prompt that is cached, at prefill as at main decode.",
    "requests_about": "Requests whose KV caches cross within the time beside it.",
    "within_about": "The time within which they cross; 1 s makes the requests a rate per second.",
    "output_about": "Tokens of the answer.",
    "flows_about": "Other KV caches on the line meanwhile; they share it equally.",
    "main_batch_about": "Requests in main decode's batch, this one among them.",
    "relay_batch_about": "Requests in the relay's batch, this one among them.",
    "kv_about": "Bytes of KV cache of one token, all layers (K = 1000).",
    "c09": "64K tokens, 90 % hit, 1K answer: claim C09",
    "assumed": "assumed",
    "assumed_rate": "assumed: about what the published deployment finishes under 170 clients",
}

PRESETS = {
    "published": "Published deployment",
    "burst": "80 requests in one second",
    "spread": "… over 1.02 s",
}

PRESETS_ABOUT = {
    "published": "64K of context at 90 % hit rate, a line of 10 Gbps, DRC on.",
    "burst": "80 requests of 64K (65,536) tokens at 4.39 KB per token: 23.0 GB in one second, "
    "184.1 Gbps (claim C11).",
    "spread": "The same 23.0 GB over 1.02 s: 180.5 Gbps (claim C11).",
}

LINE = {
    "title": "1. Does the line carry the KV cache?",
    "about": "Requests per second × bytes that must cross, against what the line carries of it: "
    "its bandwidth times its goodput share.",
    "carries": ("It carries it", "green", ":material/check_circle:"),
    "tight": ("Tight: it queues", "orange", ":material/warning:"),
    "does not carry": ("It does not carry it", "red", ":material/block:"),
    "needed": "Needed",
    "needed_about": "Payload that must cross: {rps} requests/s × {sent} each.",
    "needed_note": "{raw} Gbps raw at {share:.0f} % goodput",
    "capacity": "The line carries",
    "capacity_about": "Bandwidth × goodput share: what is left for KV after protocol and gaps.",
    "capacity_source": "Goodput share: {source}.",
    "load": "Use",
    "load_about": "Needed over carried. Above 80 % transfers queue (assumed mark), above 100 % "
    "they pile up without end.",
    "saved": "Saved by DRC",
    "saved_about": "Bytes of whole KV caches over bytes sent: 1 / (1 − hit rate), less where the "
    "model has a state that does not grow.",
    "saved_off": "DRC is off",
    "each": "KV of a request",
    "each_about": "KV per token × context: {per_token} a token{fixed}.",
    "each_fixed": ", and {size} of state that does not grow",
    "each_note": "sent: {sent}",
    "drain": "All of it crosses in",
    "drain_about": "Bytes of the {requests} requests over what the line carries.",
    "source_kv": "KV per token: {source}.",
    "whole": "whole KV",
    "with_drc": "with DRC",
    "most": "the most P makes",
    "most_about": "New KV with every prefill instance of the published deployment busy, over its "
    "prompts and hit rates: a line should carry that, for a queue at prefill empties at full rate.",
    "mark": "line carries {gbps} Gbps",
    "x": "Gbps of payload",
    "hover": "{name}: %{{x:.2f}} Gbps<br>{about}<extra></extra>",
    "whole_about": "without a cache at main decode",
    "with_about": "what main decode holds is not sent again",
    "alt": "Gbps of payload against the line's {capacity}: whole KV {whole}, with DRC {sent}.",
}

MODELS = {
    "title": "The same requests with other models",
    "about": "Context, hit rate and rate as above, for each model of the catalogue.",
    "model": "Model",
    "kv": ("KV per token", "KB", "Bytes of KV cache of one token, all layers, as served."),
    "whole": ("Whole KV", "Gbps", "Needed without DRC."),
    "sent": ("Needed", "Gbps", "Needed as set above."),
    "saved": ("Saved", "×", "Bytes of whole KV caches over bytes sent with DRC."),
    "load": ("Use of the line", "%", "Needed over what the line carries."),
    "verdict": "Verdict",
    "verdict_about": "Whether the line carries it.",
}

LATENCY = {
    "title": "2. Does the latency hold?",
    "about": "One request on the published deployment without queues, stage by stage, on each "
    "pipeline; the rules choose the one that is marked.",
    "holds": ("It holds", "green", ":material/check_circle:"),
    "fails": ("It does not hold", "red", ":material/block:"),
    "until": "Until",
    "first": "first token",
    "last": "last token",
    "no_model": "Stages are those of the published model: {why}",
    "ttft": "TTFT",
    "ttft_about": "From the question to the first token, on the pipeline that the rules choose.",
    "total": "Total",
    "total_about": "From the question to the last token.",
    "total_note": "SLA {sla:g} s (claim C24: 30)",
    "transfer": "On the line",
    "transfer_about": "Until the KV cache has landed in B: KV to send / rate of the flow + RTT / 2 "
    "+ slow start + jitter. The rules compare their estimate, {estimate}, with theta.",
    "hidden": "Hidden by the relay",
    "hidden_about": "Time on the line during which the relay streams: the user does not wait it.",
    "gap": "Gap at the handoff",
    "gap_about": "The wait that the handoff causes among the tokens.",
    "relay": "RLD tokens",
    "relay_about": "Tokens of the answer that the relay makes.",
    "relay_note": "of {output}",
    "source": "By formula from the scenario {name}, whose chips and efficiencies carry their "
    "sources there; batches and flows as set.",
    "none": "none",
    "chosen": "→ {name}",
    "sla": "SLA {sla:g} s",
    "x_first": "seconds until the first token",
    "x_last": "seconds until the last token",
    "hover": "{name}: %{{x:.2f}} s<br>{how}<extra>%{{y}}</extra>",
    "alt": "Stages by pipeline: {told}. The rules choose {chosen}.",
    "stages": "Stages of {pipeline}",
    "stage": "Stage",
    "seconds": "Takes",
    "seconds_about": "Seconds of this stage, without queues.",
    "share": "Share",
    "share_about": "Of the total time.",
    "how": "How it comes about",
    "how_about": "The formula of the stage.",
}

STAGES = {
    "prefill": "prefill",
    "transfer": "KV on its way",
    "first_step": "first step",
    "output_overhead": "output overhead",
    "relay": "relay decode",
    "handoff": "handoff",
    "main": "main decode",
}
