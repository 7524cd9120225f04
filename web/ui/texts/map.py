"""The words on the map: places, pipelines, and what a pointed thing is."""

MAP = {
    "label": "Map of the deployment: requests on their way",
    "connecting": "Connecting to the running twin …",
    "site": "Datacenter {name}",
    "site_short": "DC {name}",
    "does_a": "prefills",
    "does_b": "decodes",
    "prefill": "prefill",
    "relay": "relay decode",
    "main": "main decode",
    "decode": "decode",
    "decode_short": "D",
    "chips": "{instances} × {each} {chip}",
    "waiting": "{count} waiting",
    "idle": "idle",
    "lost": "lost",
    "full": "full",
    "drains": "drains",
    "of_slots": "of {slots}",
    "held": "{used} of {slots}",
    "unlimited": "unlimited",
    "cut": "cut",
    "cut_short": "cut",
    "line_use": "{use} used, last minute",
    "line_full": "▲ {use} used, last minute",
    "line_mean": "The use beside it is the mean of about the last simulated minute.",
    "flow": "{count} KV transfer now",
    "flows": "{count} KV transfers now",
    "rtt": "RTT {rtt} ms",
    "ids": "token ids",
    "drc": "DRC, MD's prefix cache",
    "drc_short": "DRC",
    "drc_held": "{used} of {size} TB",
    "drc_full": "▲ {held}",
    "drc_about": "A hit here is not sent over the line again.",
    "evictions": "Entries evicted so far: {count}",
    "request": "request",
    "requests": "requests",
    "rate": "{rate} requests/s finish",
    "summary": (
        "{requests} in flight: {waiting} wait for prefill, {prefill} in prefill, {moving} on the "
        "way to decode, {queued} wait for a slot there, {relay} on the relay, {main} in main "
        "decode. The line is used to {line}."
    ),
    "summary_same_site": (
        "{requests} in flight: {waiting} wait for prefill, {prefill} in prefill, {moving} on the "
        "way to decode, {queued} wait for a slot there, {main} in decode."
    ),
    "pool_prefill": "P, prefill",
    "pool_prefill_help": "Reads prompts and makes their KV cache. Each row is an instance, before "
    "it its queue, after it the seconds of work that it holds.",
    "prefill_b_short": "P in B",
    "pool_prefill_b": "P in B, prefill beside main decode",
    "pool_prefill_b_help": "Prefills requests with few uncached tokens: their KV cache need not "
    "cross the line. Each row is an instance, before it its queue.",
    "pool_relay": "RLD, relay decode",
    "pool_relay_help": "Decodes the first tokens in A while the KV cache is still on the line.",
    "pool_main": "MD, main decode",
    "pool_main_help": "Decodes the answers, each from the moment its KV cache has come.",
    "pool_chips": "{instances} instances of {each} chips {chip}: {all} in all.",
    "slot_help": "A slot is the memory for the KV cache of one request.",
    "request_title": "Request {number}",
    "instance_title": "{pool} {n}",
    "instance_chips": "{each} chips {chip}",
    "p_busy": "Prefilling; its queue is worth {backlog} of work.",
    "p_idle": "Idle.",
    "state_lost": "Lost: its requests went back to the queue.",
    "state_draining": "Draining: it takes no new requests.",
    "slots": "{batch} in the batch, {used} of {slots} memory slots held.",
    "step": "One token of each every {itl} ms.",
    "line_title": "The line",
    "line_now": "{gbps} of {capacity} Gbps carry KV at this moment.",
    "line_raw": "{raw} Gbps raw, of which {share} carry KV.",
}

PLACES = {
    "p_queue": "Waiting for P {n}",
    "p": "In prefill on P {n}",
    "rdma": "Its KV cache goes to the decode side by RDMA",
    "line": "Its KV cache crosses the line",
    "rld_queue": "Waiting for a slot on RLD",
    "rld": "Decoding on RLD {n}",
    "ids": "Its token ids go to MD {n}, which recomputes their KV",
    "md_queue": "Waiting for a slot on MD",
    "md": "Decoding on MD {n}",
    "pb_queue": "Waiting for P {n} in B",
    "pb": "In prefill on P {n} in B",
    "rdma_b": "Its KV cache goes to main decode by RDMA",
    "kv": "Its KV cache crosses the line",
}

DONE = {
    "p_queue": "{share} of its wait is over",
    "p": "{share} of its prefill is done",
    "rdma": "{share} of the way",
    "line": "{share} of the bytes sent",
    "rld_queue": "Queue of relay decode",
    "rld": "{share} of its answer is streamed",
    "ids": "{share} of the handover is done",
    "md_queue": "Queue of main decode",
    "md": "{share} of its answer is streamed",
    "pb_queue": "{share} of its wait is over",
    "pb": "{share} of its prefill is done",
    "rdma_b": "{share} of the way",
}

PIPELINES = {
    "unrouted": "Not routed yet: that is decided when prefill ends",
    "p_md": "P-MD: straight to main decode",
    "p_rld_md": "P-RLD-MD: relayed, then handed over",
    "p_rld": "P-RLD: finished on the relay",
    "filtered": "Kept on the relay by the singular filter",
    "p_d": "P-D: same datacenter",
    "pb_md": "PB-MD: prefilled in B, beside main decode",
    "orphan": "Its request has finished already; nobody waits for this KV cache",
}

LEGEND = {
    "label": "What the particles are",
    "unrouted": "before routing",
    "p_md": "P-MD direct",
    "p_d": "P-D same site",
    "pb_md": "PB-MD prefilled in B",
    "p_rld_md": "P-RLD-MD relayed",
    "p_rld": "P-RLD finished on relay",
    "filtered": "kept by the filter",
    "kv": "its KV cache",
    "kv_early": "KV cache while it is made",
    "orphan": "KV too late",
}

LEGEND_HELP = {
    "unrouted": "A request that waits for prefill or is in it. Its way is decided when prefill "
    "ends.",
    "p_md": "A request whose KV cache goes over the line at once; main decode streams all its "
    "tokens.",
    "p_d": "A request that is prefilled and decoded in one datacenter.",
    "pb_md": "A request with few uncached tokens: prefilled in B, where its KV cache stays.",
    "p_rld_md": "A request whose first tokens relay decode streams in A; main decode takes over "
    "when the KV cache has come.",
    "p_rld": "A request that relay decode finishes in A.",
    "filtered": "A request with a short answer, which the singular filter finishes on the relay: "
    "its KV cache would come too late.",
    "kv": "The KV cache of a relayed request on the line, while the request decodes in A.",
    "kv_early": "The KV cache of a request that is still in prefill: it crosses the line layer by "
    "layer, while it is computed.",
    "orphan": "The KV cache of a request that has finished meanwhile: nobody waits for it.",
}
