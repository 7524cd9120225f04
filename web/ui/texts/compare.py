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
    "clients_about": "Clients that ask, wait for the answer, think, and ask again; at equal rate "
    "those of the baseline.",
    "at_a_rate": "Equal rate: the baseline's requests come whether others are served or not.",
    "rate": "Requests",
    "rate_about": "Requests of the baseline that come in a second, to every deployment the same.",
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

PRESETS = {"pdd": "PDD as published", "prefill_service": "Prefill-as-a-Service"}

PRESETS_ABOUT = {
    "pdd": "88 chips on one site, the same on two sites, and 43 A + 32 B with a relay.",
    "prefill_service": "96 H20 alike, then 32 H200 across the line and 64 H20: all prefill remote, "
    "and prefill of long prompts only (arXiv 2604.15039).",
}

LOADS = {"clients": "clients", "rate": "rate"}

METRICS = {
    "clients": ("Clients", "", "Clients that ask, wait for the answer, think, and ask again."),
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

CURVES = {
    "title": "Time to first token",
    "about": "The share of requests that have their first token within a time; dots are P50, P90 "
    "and P99. Further left is better.",
    "x": "TTFT",
    "hover": "%{{y:.1%}} of requests of {name} within %{{x:.2f}} s<extra></extra>",
    "sla_ttft": "SLA: TTFT within {limit:g} s",
    "sla_total": "SLA: last token within {limit:g} s",
    "alt": "Cumulative curves of TTFT. Medians: {medians}.",
}

STAGES = {
    "title": "Where the time goes",
    "about": "Mean seconds of each stage over all requests, over those whose TTFT is around the "
    "median (P45 to P55), or over the slowest tenth; the stages sum to the whole.",
    "first": "to the first token",
    "last": "to the last token",
    "until": "Until",
    "band": "Which requests",
    "all": "all",
    "median": "around the median",
    "tail": "the slowest tenth",
    "x_first": "mean TTFT of these",
    "x_last": "mean total time of these",
    "hover": "{name}: %{{x:.2f}} s<br>{about}<extra>%{{y}}</extra>",
    "alt": "Mean stages of a request. {told}.",
    "alt_one": "{name}: {total}, most of it {stage} with {most}",
}

STAGE_NAMES = {
    "queue_p": ("wait for prefill", "The queue in front of prefill."),
    "prefill": ("prefill", "The prompt's uncached part is computed."),
    "transfer": ("KV on its way", "By RDMA to relay decode, or over the line to main decode."),
    "queue_slot": ("wait for a slot", "The queue in front of decode."),
    "first_step": ("first step", "The rest of the running decode step, and one of its own."),
    "output_overhead": ("output overhead", "Time until the first token is seen outside."),
    "relay": ("relay decode", "Tokens that relay decode streams."),
    "handoff": ("handoff", "From relay decode to main decode."),
    "main": ("main decode", "Tokens that main decode makes."),
}

MONEY = {
    "title": "What it costs",
    "about": "Hardware in units of one chip A, from the baseline to the deployment, item by item. "
    "Prices are those of the scenarios.",
    "unit": "chips A",
    "alt": "Cost from {before} chips A for {first} to {after} chips A for {last}.",
    "high": "{name} costs {high} chips A at the upper end of its prices.",
}

CAPACITY = {
    "title": "How much each can serve",
    "about": "The load is searched at which just the required share of requests keeps the SLA.",
    "offer": "Find the capacities",
    "capacity": "Capacity of {name}",
    "capacity_about": "Throughput at the load at which just the required share is within the SLA.",
    "aim": "{share:.0f} % of requests have their last token within {total:g} s.",
    "load": "at {load} clients",
    "bcr": "BCR of {name}",
    "bcr_about": "Benefit per cost: capacity per cost, over that of {first}. Above 1 it pays.",
    "interval": "over its range of prices",
}

WORDS = {
    "title": "In words",
    "against": "{name} against {first}",
}
