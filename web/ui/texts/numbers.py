"""The words on the numbers and courses of a twin, and how each is computed."""

TILES = {
    "label": "How the deployment does",
    "assumed": "Rests on assumed inputs: {names}.",
    "coming": "forecast for the next ten simulated minutes",
    "before_mark": "before the change",
    "before_short": "before",
    "before": "Of {n} before the change: too few have come since to tell.",
    "since": "Of {n} that arrived in the {length} since the last change.",
    "window": "Of {n} that arrived in the last {length} of simulated time.",
    "forecast_help": "After the arrow: the forecast, by a copy that ran ahead from {from} to {to}.",
    "ttft": {
        "title": "TTFT",
        "help": "Time to first token: queue and prefill, the way of the KV cache or of the relay, "
        "the wait for a slot and the first decode step. Half, nine in ten and 99 in 100 requests "
        "have theirs within these times.",
    },
    "goodput": {
        "title": "Goodput",
        "help": "Requests that finished within the SLA, per second of simulated time.",
        "sla": "SLA: the last token within {total} s of the question; {share} of requests keep it.",
    },
    "rld": {
        "title": "RLD tokens",
        "help": "Share of all output tokens that relay decode made in A, before main decode in B "
        "took over.",
    },
    "hits": {
        "title": "Cache hits",
        "help": "Share of prompt tokens found in prefill's cache (P), and in main decode's cache "
        "(MD). What is missing at MD crosses the line. When MD falls behind P, trouble begins.",
    },
    "line": {
        "title": "Line use",
        "help": "Bytes that crossed the line, as a share of what it could have carried. Above 90 % "
        "transfers begin to wait for each other.",
    },
    "bcr": {
        "title": "BCR",
        "help": "Benefit per cost: goodput per cost of this deployment, divided by that of the "
        "baseline, on the very same requests. Above 1 it pays. Published figures take capacity "
        "instead of goodput; at one load the ratio of goodputs can lie above or below it.",
        "prices": "Against {baseline}, goodput {goodput} /s. Cost {cost} chips A, with {chips} for "
        "a chip and {line} for the line.",
    },
    "binds": {
        "title": "What binds",
        "help": "The resource with the highest use: it decides what one more request would wait "
        "for. MD's cache, which is always full in the end, binds only while it evicts what is "
        "still wanted: MD's hit rate is then more than 2 points below P's.",
    },
}

BINDS = {
    "prefill": "prefill",
    "prefill_b": "prefill in B",
    "relay": "relay decode",
    "main": "main decode",
    "line": "the line",
    "memory": "MD's cache memory",
    "prefill_short": "P",
    "prefill_b_short": "P in B",
    "relay_short": "RLD",
    "main_short": "MD",
    "line_short": "Line",
    "memory_short": "Mem",
    "use": "{name}: {use}",
}

COURSES = {
    "relay_batch": "batch",
    "relay_queue": "queue",
    "line_gbps": "Gbps",
    "line_flows": "transfers",
    "p_hit": "P",
    "md_hit": "MD",
    "main_batch": "batch",
    "main_queue": "queue",
    "prefill_backlog_s": "seconds of work",
    "prefill_b_backlog_s": "in B",
    "throughput_rps": "requests/s",
    "baseline": "baseline",
    "assumed": "Rests on assumed inputs: {names}.",
    "coming": "{name}, forecast",
}

COURSES_UNITS = {
    "relay_batch": "requests",
    "relay_queue": "requests",
    "line_gbps": "Gbps",
    "line_flows": "KV transfers",
    "p_hit": "share of prompt tokens",
    "md_hit": "share of prompt tokens",
    "main_batch": "requests",
    "main_queue": "requests",
    "prefill_backlog_s": "seconds of work",
    "prefill_b_backlog_s": "seconds of work",
    "throughput_rps": "requests/s",
}

CHARTS = {
    "label": "Courses",
    "follow": "Follow the present",
    "forecast": "forecast",
    "time_axis": "simulated time, h:mm",
    "subtitle": "{scenario}{twin}, seed {seed}, {entries} changes; state at {at} of simulated time",
    "save": "Save as PNG",
    "save_one": "Save the chart {title} as PNG",
    "relay": "Relay decode",
    "line": "Line",
    "hits": "Cache hits",
    "main": "Main decode",
    "backlog": "Prefill backlog",
    "throughput": "Throughput",
}
