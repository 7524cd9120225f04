"""The words of the pages around what moves: names, the start page, how to read it all."""

PAGES = {
    "product": "PDD twin",
    "start": "Start",
    "twin_lab": "Twin",
    "claims": "Claims",
    "compare": "Compare",
    "oscillation": "Oscillation",
    "handoff": "Handoff lab",
    "requests": "Request microscope",
    "feasibility": "Feasibility",
    "hardware": "Chips and models",
    "economics": "Economics",
    "map": "BCR map",
}

SECTIONS = {"": "", "inside": "Look inside", "plan": "Plan"}

START = {
    "title": "One model, two datacenters, a thin line between",
    "lead": (
        "Datacenter A prefills, datacenter B decodes. Each particle below is a request on its way; "
        "while its KV cache crosses the line, A already streams the first tokens."
    ),
    "help": "How to read it",
    "bcr_ratio": "The ratio of the goodputs of the last half hour, at this load, per cost. It is "
    "not a ratio of capacities: the command compare gives that. The prices behind it are "
    "assumed.",
    "window": "{scenario}.",
    "ways": "Where to go from here",
    "ttft": {"name": "TTFT, median", "note": "from question to first token"},
    "goodput": {"name": "Goodput", "note": "requests served within the SLA"},
    "rld": {"name": "Tokens by the relay", "note": "streamed from A before the KV arrives"},
    "bcr": {"name": "Benefit per cost", "note": "against 88 chips in one datacenter"},
    "traffic_title": "Drag the traffic",
    "traffic_text": "Change how much of a prompt is cached, and see which way requests take.",
    "break_title": "Break it",
    "break_text": "Allow a clever shortcut, and watch the caches drift apart until all is late.",
    "prices_title": "Price my case",
    "prices_text": "Set your prices and your SLA, and see what the deployment is worth.",
}

HELP = {
    "title": "Keys and reading aid",
    "space": "pause, and go on",
    "arrows": "turn the focused control by a step",
    "shift": "by five steps",
    "page": "by ten",
    "ends": "to its least or most",
    "undo": "undo the last change",
    "redo": "do it again",
    "fork": "fork: a copy beside it",
    "help": "this page",
    "escape": "close what is open",
    "reading": "How to read it",
    "terms": "Terms",
    "particles_text": "A particle is one request of the engine, drawn where it is.",
    "window_text": "Numbers speak of the last half hour, or of the time since your last change.",
    "forecast_text": "Dotted lines, and values after an arrow, are the forecast from this moment.",
    "assumed_text": "A value with ≈ has no published source: it is assumed.",
    "baseline_text": "The baseline gets the very same requests, in one datacenter.",
    "goodput_text": "BCR here compares goodput at this load; published figures compare capacity.",
}

TERMS = {
    "prefill": "Prefill: the model reads the whole prompt and makes its KV cache.",
    "decode": "Decode: the model makes the answer, one token after the other.",
    "kv": "KV cache: what the model keeps of a prompt while it answers. It grows with the prompt, "
    "up to gigabytes, and must be where the answer is decoded.",
    "token": "Token: a piece of a word. Prompts and answers are counted in them.",
    "ttft": "TTFT: time to first token, what one waits before an answer begins.",
    "sla": "SLA: what was promised, here the time within which an answer must be complete.",
    "bcr": "BCR: benefit per cost against the baseline. Above 1 the deployment pays.",
}

BANNER = {"close": "Close", "retry": "Try again", "reload": "Reload"}

ERRORS = {
    "unreachable": "The twin's server does not answer.",
    "unreadable": "The server gave an answer that cannot be read.",
    "offline": "There is no connection at the moment; nothing was changed.",
    "reconnecting": "The connection is lost; it will come back by itself.",
    "failed": "This twin cannot go on. Start another one, or open the page anew.",
    "gone": "This twin is no more; a fresh one takes its place.",
    "version": "The server runs version {server}, this page is of {page}.",
    "charts": "The charts could not be loaded; all else works.",
    "unknown_settings": "The link has settings that this version does not know: {names}.",
}

SPOKEN = (
    "TTFT median {ttft}. RLD at {rld}, the line at {line}, {relayed} of tokens relayed. "
    "What binds: {binds}."
)
