"""The words of the handoff lab."""

HANDOFF = {
    "title": "Handing over without being noticed",
    "lead": (
        "The relay has streamed some tokens while the KV cache was on its way. Now main decode "
        "takes over: it needs the KV of those tokens too. Send it over the line, or send their ids "
        "and compute it again? At once, or in rounds while the relay decodes on?"
    ),
    "threshold": "Auto: one-shot up to",
    "ids": "Ids per MD step",
    "rtt": "Round trip",
    "jitter": "Jitter",
    "jitter_unit": "of RTT",
    "timeouts": "Timeouts",
    "timeouts_unit": "of transfers",
    "batch": "MD batch",
    "batch_about": "Requests in main decode's batch, each with 64K of context (claim C15: 10).",
    "seed": "Seed",
    "seed_about": "All three modes are run on the draws of this seed.",
    "rtt_more": "Ids cross in half of it.",
    "assumed": "assumed",
    "claim_c15": "claim C15",
    "timeouts_source": "assumed: .3 % of transfers; with none, the longest transfer of claim C14 "
    "cannot come about",
}

BENCH = {
    "title": "By KV or by ids: the microbenchmark",
    "about": "12,000 handoffs each (6 seeds), over a line with jitter. By KV: its bytes cross the "
    "line. By ids: 15 B a token cross, and main decode computes their KV again, some ids in each "
    "of its steps.",
    "tokens": "Tokens handed over",
    "tokens_about": "Tokens that the relay has made; 100 in the published microbenchmark.",
    "kv": "by KV",
    "ids": "by ids",
    "mean": "{way}, mean",
    "mean_about_kv": "Until the last byte of {size} is there: bytes / rate of the flow, RTT / 2, "
    "slow start, jitter, now and then a retransmission timeout. The copy beside main decode, "
    "{copy:.1f} ms, comes on top.",
    "mean_about_ids": "Until main decode has computed the last of them: RTT / 2, the rest of its "
    "running step, and tokens / (ids per step) steps of {step:.1f} ms.",
    "sd": "{way}, spread",
    "sd_about": "Standard deviation of a handoff, mean over the seeds.",
    "max": "{way}, longest",
    "max_about": "The longest of all 12,000. One user in thousands waits so long.",
    "published": "published {mean} {unit}",
    "published_source": "Published: {said} ({claim}). The line's RTT and the ids per step are "
    "fitted to it.",
    "said_kv": "mean 185 ms, longest 512.6 ms",
    "said_ids": "mean 305 ms, spread 4.8 ms, longest 321.4 ms",
    "other": "The controls are not as published: nothing to compare with.",
    "bytes": "Bytes saved",
    "bytes_about": "KV of the tokens over their ids: {kv} against {ids} (claim C22).",
    "x": "time of one handoff (ms)",
    "y": "handoffs",
    "hover": "{way}: %{{y:,}} of 12,000 handoffs take about %{{x:.0f}} ms<extra></extra>",
    "longest": "longest {value:.0f} ms",
    "alt": "Histograms of the time of a handoff of {tokens} tokens: by KV mean {kv_mean:.0f} and "
    "longest {kv_max:.0f} ms, by ids mean {ids_mean:.0f} and longest {ids_max:.0f} ms.",
}

PUBLISHED = {"kv": {"mean": 185.0, "max": 512.6}, "ids": {"mean": 305.0, "sd": 4.8, "max": 321.4}}
"""In ms, claims C14 and C15."""

CLAIMS = {"kv": "claim C14", "ids": "claim C15"}

MODES = {"one_shot": "One-shot", "catch_up": "Catch-up", "auto": "Auto"}

MODES_ABOUT = {
    "one_shot": "All ids at once; the relay is free at once, and the user waits until main decode "
    "has computed all of them.",
    "catch_up": "Round by round: the relay decodes on while main decode computes, each round is "
    "shorter than the one before, and only the last one is a gap.",
    "auto": "One-shot up to the threshold of tokens, catch-up above it.",
}

STORY = {
    "title": "One handoff, batch by batch",
    "about": "From the moment at which the KV cache of the prompt has landed. Top: when main "
    "decode has computed each batch of ids. Below: how long the relay streams on, and each "
    "token as the user sees it.",
    "eager": "Tokens already streamed",
    "eager_about": "Tokens that the relay made while the KV cache was on the line.",
    "mode": "Mode",
    "gap": "Gap",
    "gap_about": "The wait of the user that the handoff causes: from the last batch leaving the "
    "relay to main decode having computed it.",
    "gap_note": "{times}× an ITL of main decode",
    "relay": "RLD stays busy",
    "relay_about": "How long the relay streams on with this request after its KV has landed. It "
    "occupies a slot meanwhile.",
    "relay_note": "{made} more tokens",
    "steps": "MD steps with ids",
    "steps_about": "Steps of main decode in which ids of this request are computed.",
    "steps_note": "in {rounds} batches",
    "step": "Such a step",
    "step_about": "A step in which one of the batch has {ids} tokens computed at once. Weights and "
    "KV are read once all the same: while memory binds, the others are not held up.",
    "step_note": "plain step {plain} ms",
    "batch": "batch {n}",
    "on_relay": "RLD streams",
    "main": "MD computes",
    "user": "user sees",
    "ids": "{ids} ids",
    "hover_batch": "batch {n}: {ids} ids, {start:.0f} to {end:.0f} ms<extra></extra>",
    "hover_token": "token at %{x:.0f} ms<extra></extra>",
    "hover_relay": "RLD streams until {end:.0f} ms<extra></extra>",
    "gap_mark": "gap {gap:.0f} ms",
    "x": "ms since the KV of the prompt has landed",
    "alt": "A handoff of {eager} tokens by {mode} in {rounds} batches: the relay streams for "
    "{relay:.0f} ms, then the user waits {gap:.0f} ms.",
}

CURVE = {
    "title": "The gap against the tokens streamed",
    "about": "Catch-up keeps the gap short whatever was streamed; one-shot lets it grow. Auto is "
    "one-shot up to the threshold.",
    "x": "tokens already streamed",
    "y": "gap (ms)",
    "hover": "{mode}: %{{y:.0f}} ms after %{{x}} tokens<extra></extra>",
    "threshold": "threshold {tokens}",
    "alt": "The gap against the tokens streamed, up to {most}: one-shot {one_shot:.0f} ms, "
    "catch-up {catch_up:.0f} ms, auto {auto:.0f} ms there.",
}

RUN = {
    "title": "In traffic: the three modes on the same requests",
    "about": "Whole runs of the published deployment with the rule, the line and the seed set "
    "above: what users and pools see of it.",
    "mode": "Mode",
    "handoffs": ("Handoffs", "", "Handoffs in the measured window."),
    "gap_p50": ("Gap P50", "ms", "Half of the handoffs are no longer."),
    "gap_p99": ("Gap P99", "ms", "99 in 100 handoffs are no longer (claim C16: catch-up below a "
                "tenth of one-shot)."),
    "gap_max": ("Gap max", "ms", "The longest of all."),
    "relay": ("RLD time", "s", "Mean time that the relay streams one relayed request."),
    "slots": ("RLD slots", "%", "Share of the relay's slots in use."),
    "tokens": ("RLD tokens", "%", "Share of output tokens that the relay made."),
    "itl_p50": ("ITL P50", "ms", "Time between tokens on both pools, median over tokens: an MD "
                "step, where it is not the relay's."),
    "itl_p99": ("ITL P99", "ms", "Time between tokens on both pools, P99 over tokens."),
    "sla": ("Within SLA", "%", "Share of requests whose last token came in time."),
    "x": "gap that the user sees (ms)",
    "y": "share of handoffs",
    "hover": "{mode}: %{{y:.0%}} of handoffs within %{{x:.0f}} ms<extra></extra>",
    "alt": "Cumulative curves of the gap. P99: {told}.",
}  # fmt: skip
