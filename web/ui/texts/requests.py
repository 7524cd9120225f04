"""The words of the request microscope."""

REQUESTS = {
    "title": "One request under the microscope",
    "lead": (
        "Every request of a simulated run is a point. Press one, or take one of the worst, and see "
        "where its time went: queue, prefill, RDMA, line, relay decode, handoff, main decode, and "
        "the gap between each token and the next."
    ),
    "deployment": "Deployment",
    "seed": "Seed",
    "seed_about": "Another seed is another run: other prompts, hit rates and answers.",
    "bandwidth": "Bandwidth",
    "number": "Request",
    "number_about": "Its number in order of arrival in this run; under other settings requests "
    "arrive in another order. Empty: the worst.",
    "number_worst": "the worst",
    "beside": "The same request in",
    "beside_about": "Another deployment on the same requests: the same turn of the same client.",
    "none": "no other",
}

POINTS = {
    "title": "All requests",
    "about": "Each point is a request. Uncached tokens are those that prefill has to compute. "
    "Press a point to open it. Shown is what arrived after the warm-up.",
    "x": "uncached tokens",
    "y": "TTFT, s",
    "hover": "request %{customdata}<br>%{x:,.0f} uncached tokens<br>TTFT %{y:.2f} s",
    "chosen": "shown below",
    "alt": "TTFT against uncached tokens of {count} requests by pipeline; request {number} is "
    "marked.",
    "shown": "{shown} of {count} requests are drawn, with all of the worst.",
}

PIPELINES = {
    "P-MD": ("md", "circle", "Over the line to main decode, without a relay."),
    "P-RLD-MD": ("rld", "diamond", "Relay decode streams while the KV cache crosses the line."),
    "P-RLD": ("red", "x", "Finished on relay decode by policy."),
    "P-RLD filtered": ("amber", "square", "A one-off request, kept on relay decode."),
    "P-D": ("accent", "circle", "Prefill and decode at one site."),
    "PB-MD": ("accent", "square", "Prefilled in B, beside main decode: its KV cache stays there."),
}
"""Colour role, mark and meaning of each pipeline."""

WORST = {
    "title": "The worst",
    "about": "The ten requests with the longest TTFT, the longest stall, or the longest time to "
    "the last token. Press one to open it.",
    "by": "By",
    "columns": {
        "number": ("Request", "", "Number in order of arrival."),
        "pipeline": ("Pipeline", "", "The way it took."),
        "uncached_tokens": ("Uncached", "tokens", "Prompt tokens that prefill had to compute."),
        "ttft_s": ("TTFT", "s", "From the question to the first token."),
        "gap_s": (
            "Stall",
            "s",
            "Time without a token at the handoff; without one, the mean time between tokens.",
        ),
        "total_s": ("Total", "s", "From the question to the last token."),
    },
}

BY = {"ttft_s": "TTFT", "gap_s": "stall", "total_s": "total"}

FIGURES = {
    "pipeline": ("Pipeline", "The way that the policy chose for it."),
    "ttft": ("TTFT", "From the question to the first token."),
    "total": ("Total", "From the question to the last token."),
    "prompt": ("Prompt", "Tokens of the prompt; below, how many were found in prefill's cache."),
    "output": ("Answer", "Tokens of the answer; below, how many relay decode made."),
    "kv": ("Over the line", "Bytes of KV cache that were sent to main decode."),
    "line_time": ("On the line", "From the first byte sent until the last has arrived."),
    "gap": ("Longest gap", "The longest time between two tokens, and after which one it was."),
}

NOTES = {
    "hit": "{share} % cached",
    "relayed": "{count} by RLD",
    "after": "after token {number}",
    "no_line": "nothing crosses it",
    "not_done": "not finished",
    "arrival": "request {number}, asked at {time} s",
    "estimate": "{seconds} s were expected",
}

GANTT = {
    "title": "Where its time goes",
    "about": "Bars are what happens to the request, by place; faded ones are waits. Several at a "
    "time are real: relay decode streams while the KV cache is on the line.",
    "x": "s since the question",
    "first": "first token",
    "last": "last token",
    "hover": "{what}<br>from {start} s to {end} s: {length}<extra>{lane}</extra>",
    "named": "{name}: request {number}",
    "alt": "Request {number} in {name}: {told}.",
    "view": "Show",
}

VIEWS = {"all": "all of it", "first": "to the first token", "handoff": "the handoff"}

GAPS = {
    "title": "Gaps between tokens",
    "about": "Time from each token to the next, as the user sees it. A hiccup stands out.",
    "x": "token",
    "y": "gap, ms",
    "hover": "before token %{x}: %{y:.1f} ms<extra></extra>",
    "relay": "handoff",
    "alt": "Gaps between {count} tokens; the longest is {longest} ms, after token {at}.",
    "none": "It has fewer than two tokens.",
}

INTERVALS = {
    "title": "The same in numbers",
    "about": "Each bar of the picture. Times that run at once do not add up to the total.",
    "columns": {
        "lane": ("Where", "", "Lane of the picture."),
        "what": ("What", "", "What happens there."),
        "from_s": ("From", "s", "Seconds since the question."),
        "to_s": ("To", "s", "Seconds since the question."),
        "seconds": ("Takes", "s", "Its length."),
    },
}
