"""The words of the comparison page."""

COMPARE = {
    "title": "Deployments on the same requests",
    "lead": (
        "Two to four deployments serve the very same requests. The first one is the baseline: "
        "it brings the traffic and the SLA, and the others are measured against it."
    ),
    "load": "Equal",
    "load_about": (
        "Equal clients: each deployment serves as many clients, and a faster one finishes more. "
        "Equal rate: each gets as many clients as it takes to finish as many requests a second "
        "as the baseline does."
    ),
    "clients": "Clients",
    "seeds": "Seeds",
    "seeds_about": "Runs of each deployment, each on other draws; the spread is between them.",
    "traffic": "Hit rates of later turns",
    "traffic_about": "How much of a prompt is cached already: a part that scenarios can name.",
    "own": "as in the baseline",
    "deployment": "Deployment {number}",
    "baseline": "Baseline",
    "none": "none",
    "settings": "Settings",
    "bandwidth": "Bandwidth",
    "instances": "Instances of {pool}",
    "bad": "This scenario cannot be read: {why}",
    "figures": "Side by side",
    "offer": "Find the capacities",
}

LOADS = {"clients": "clients", "rate": "rate"}

METRICS = {
    "load": ("Clients", "", "Clients that ask, wait for the answer, think, and ask again."),
    "ttft_p50": ("TTFT P50", "s", "Half of the requests have their first token within this time."),
    "ttft_p90": ("TTFT P90", "s", "Nine in ten requests have their first token within this time."),
    "ttft_p99": ("TTFT P99", "s", "99 in 100 requests have their first token within this time."),
    "itl_p50": ("ITL P50", "ms", "Time between two tokens of an answer, median over tokens."),
    "total_p50": ("Total P50", "s", "From the question to the last token, median."),
    "sla": ("Within SLA", "%", "Share of requests whose last token came in time."),
    "throughput": ("Throughput", "requests/s", "Requests that finished, per simulated second."),
    "rld_tokens": ("RLD tokens", "%", "Share of output tokens that relay decode made."),
    "relayed": ("Relayed", "%", "Share of requests that went P-RLD-MD."),
    "p_hit": ("P hit", "%", "Share of prompt tokens found in prefill's cache."),
    "md_hit": ("MD hit", "%", "Share of prompt tokens found in main decode's cache."),
    "line": ("Line", "Gbps", "KV cache sent over the line, per second of simulated time."),
    "cost": ("Cost", "chips A", "Chips and line, in units of one chip A."),
}
"""Name, unit and meaning of each figure."""
