"""The words on a deployment as it is drawn."""

DRAWING = {
    "label": "Deployment {name}: {chips}",
    "site": "Datacenter {name}",
    "pool": "{instances} instances of {each} chips {chip}: {chips} chips.",
    "line": "The line",
    "line_lines": "{raw} raw, of which {share:.0f} % carry KV cache; round trip {rtt:g} ms.",
    "unlimited": "unlimited",
}

POOLS = {
    "prefill": ("P", "Prefill"),
    "relay_decode": ("RLD", "Relay decode: streams while the KV cache is still on the line"),
    "main_decode": ("MD", "Main decode"),
    "decode": ("D", "Decode"),
    "prefill_b": ("P in B", "Prefill in B, beside main decode: for requests with few new tokens"),
}
"""Short and long name of each pool; decode at the same site is no main decode."""
