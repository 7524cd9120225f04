"""The words of the toolbar: pace, past, presets, panes, sharing, traces."""

PRESETS = {
    "label": "Presets",
    "pdd_43a_32b": "Published",
    "p_rld_collapse": "P-RLD collapse",
    "relay_swing": "Relay swing",
    "one_shot_hiccup": "One-shot hiccup",
    "singular_flood": "Singular flood",
    "thin_line": "Thin line",
}

PRESETS_WATCH = {
    "p_rld_collapse": "P and MD hits part while the relay fills. It takes an hour or two: 300×.",
    "relay_swing": "Watch: the relay's batch and the line's transfers, against each other.",
    "singular_flood": "Try: turn the singular filter on.",
    "thin_line": "Try: drag the bandwidth up to 8.8 Gbps.",
}

TRANSPORT = {
    "pause": "Pause",
    "play": "Go on",
    "step": "Go {s} simulated seconds, then pause",
    "pace": "Pace",
    "pace_help": "Simulated seconds per second of yours.",
    "clock": "Simulated time",
    "clock_help": "Hours, minutes and seconds since the first question.",
}

STATE = {
    "connecting": "connecting",
    "reconnecting": "reconnecting",
    "gone": "gone",
    "refused": "refused",
    "live": "live",
    "shared": "live, shared",
    "own": "live, yours",
    "paused": "paused",
    "asleep": "waking up",
    "slow": "runs at {pace}×",
}

STATE_SHORT = {"shared": "shared", "own": "yours"}

SCRUBBER = {
    "label": "The past",
    "help": "Drag back and let go to rewind to that moment. Arrow keys move, Enter rewinds.",
    "entry": "{at}  {what}",
    "turned": "{setting} to {value}",
    "line_cut": "the line was cut",
    "line_back": "the line came back",
    "instance_lost": "{name} was lost",
    "instance_back": "{name} came back",
}

TOOLBAR = {
    "label": "The twin",
    "undo": "Undo (Ctrl Z)",
    "undo_help": "Turns the last changed settings back, from now on. What has happened since "
    "stays: Rewind takes back the past.",
    "redo": "Do again (Ctrl Shift Z)",
    "rewind": "Rewind ten minutes",
    "rewind_help": "Ten simulated minutes back; what was changed since is taken back with them.",
    "fork": "Fork",
    "fork_help": "Run a copy from this moment beside it, and turn only one of the two (F).",
    "trace": "Replay a trace",
    "trace_help": "Upload a request trace of your own and run it on this deployment.",
    "help": "Keys and reading aid (?)",
}

PANES = {
    "turning": "Turning",
    "A": "this",
    "B": "fork",
    "close": "Close the fork",
    "difference": "fork to this",
    "windows_same": "{words} Solid lines are this twin, dashed ones the fork.",
    "windows": "This: {a} Fork: {b} Solid lines are this twin, dashed ones the fork.",
    "fork_title": "Forked at {at}",
    "preparing": "Preparing a twin with an hour behind it …",
}

SHARE = {
    "label": "Share and export",
    "copy": "Copy link to this state",
    "compare": "Compare with the published",
    "csv": "Courses as CSV",
    "yaml": "Scenario as YAML",
    "copied": "The link is copied. It opens a twin of its own with these settings.",
    "copied_plain": "The link is copied. It opens the twin that everybody sees first.",
    "not_carried": "What is broken now, a cut line or a lost instance, is not in it: break it "
    "there again.",
    "not_copied": "The browser did not let the link be copied: {link}",
}

TOKEN = {
    "title": "A token is needed",
    "about": "Whoever changes something here must know the token of this service.",
    "give": "Use it",
}

TRACE = {
    "title": "Replay a request trace",
    "about": "Requests of yours instead of the generated ones, on the deployment as it is set now.",
    "drop": "Drop a file here, or choose one",
    "formats": "Mooncake JSONL (also .gz), Azure CSV, or agent sessions in JSON; up to 64 MiB",
    "known": "Here already",
    "sending": "Sending {name} …",
    "reading": "Reading {name} …",
    "refused": "The trace cannot be used. Nothing of it was kept.",
    "found": "({found}) ",
    "more": "and {count} more",
    "alike": "and {count} more like it",
    "requests": "Requests",
    "mean_hit": "Mean hit",
    "token_hit": "Hit by tokens",
    "above": "Hit of 95 % or more",
    "input": "Input tokens",
    "output": "Output tokens",
    "buckets": "Shares of requests by hit rate",
    "no_blocks": "It names no blocks of prompts: its hit rates cannot be told, and it is replayed "
    "without hits.",
    "replay": "Replay it on this deployment",
    "starting": "Starting the run …",
    "running": "Running: {share}",
    "cancel": "Stop the run",
    "stopped": "The run was stopped before it ended.",
    "result": "{name}: {requests} requests finished",
    "ttft": "TTFT",
    "itl": "ITL",
    "total": "Total time",
    "within": "Within the SLA",
    "throughput": "Throughput",
    "rld": "RLD tokens",
    "p_hit": "P hit",
    "md_hit": "MD hit",
    "line": "Line",
}
