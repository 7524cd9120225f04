"""The words on settings and failures; what a setting means is in the settings table."""

PANEL = {
    "label": "Settings of the running twin",
    "chips": "Chip mix",
    "policy": "Policy",
    "break": "Break it",
    "prices": "Prices",
}

HISTOGRAM = {
    "title": "Hit rate of later turns, %",
    "start_from": "start from …",
    "bar": "Later turns with a hit rate of {name} %",
    "mean_title": "Mean hit rate",
    "mean_help": "The mean share of a prompt that is found in the cache, over requests. First "
    "turns of a conversation have little in the cache: the dashed outlines show the shares with "
    "them, the bars without.",
    "mean": "Mean hit {all} with first turns (outlined), {later} without",
}

CHIPS = {
    "help": "How many instances each pool has, and of which chips. Drag the end of a row. An "
    "instance that is taken away is emptied first: until then it is dashed.",
    "cost_title": "Cost",
    "cost_help": "All chips and the line at their prices, in chips A, against the cost of the "
    "baseline. The bar shows its parts: P, RLD, MD and the line.",
    "instances": "Instances of {pool}",
    "detail": "{count} × {each} {chip}",
    "spoken": "{count} instances of {each} chips {chip}, cost {cost}",
    "line": "Line",
    "cost": "Cost {cost} chips A",
    "cost_against": "Cost {cost} chips A, {off} against {usual}",
}

SETTINGS = {
    "workload_hit_shares": "Hit rate of later turns",
    "workload_clients": "Clients",
    "workload_rate_rps": "Requests",
    "workload_output_tokens_mean": "Answer length",
    "line_bandwidth_gbps": "Bandwidth",
    "line_rtt_ms": "Round trip",
    "policy_relay_threshold_s": "Relay above (theta)",
    "policy_selective_threshold_tokens": "Prefill in A above",
    "policy_handoff_mode": "Handoff",
    "caches_drc_enabled": "MD cache (DRC)",
    "policy_singular_filter": "Singular filter",
    "policy_p_rld": "P-RLD allowed",
    "policy_load_gate": "Load gate",
    "policy_in_flight_deduplication": "In-flight dedup",
    "policy_cancel_finished_transfer": "Cancel when finished",
    "policy_drc_held_aligned": "Hold caches aligned",
    "policy_selective_prefill": "Selective prefill",
    "policy_layerwise_transfer": "Layer-wise transfer",
    "prices_chip": "Price of a chip {name}",
    "prices_line": "Price of the line",
    "slo_total_s": "SLA: total time within",
}

SETTINGS_HELP = {
    "workload_hit_shares": "Drag a bar up or down: the others share the rest in proportion.",
    "policy_p_rld": "The published system excludes it: try it, and compare P and MD hits.",
    "prices_line": "In chips A: the price of one chip A is the unit of all cost.",
}

HANDOFF = {"auto": "Auto", "one_shot": "One-shot", "catch_up": "Catch-up"}

HANDOFF_HELP = {
    "auto": "One-shot where few tokens were relayed, catch-up where many were.",
    "one_shot": "All token ids that the relay has made go to main decode at once.",
    "catch_up": "Token ids go over in several shrinking batches, while the relay streams on.",
}

FAILURES = {
    "line": "Line",
    "line_cut": "Cut the line",
    "line_back": "Bring it back",
    "line_help": "Transfers stop where they are, and go on when it is back.",
    "instances": "{pool}",
    "lose": "Lose {name}",
    "bring_back": "Bring {name} back",
    "state_up": "It works. Press to lose it.",
    "state_draining": "It is being emptied: it takes no new requests, and goes when its last is "
    "done.",
    "state_lost": "It is lost: its requests went back to the queue. Press to bring it back.",
    "hint": "Press an instance to lose it, again to bring it back. No request is lost.",
}

PRICES = {
    "below": "Cost {cost} chips A, {off} below the baseline's {usual}.",
    "above": "Cost {cost} chips A, {off} above the baseline's {usual}.",
    "even": "At {price} for a chip {name} both cost the same.",
}

ASSUMED = {
    "mark": "assumed",
    "plain": "Assumed: no published source.",
    "because": "Assumed: {why}",
    "source": "Source: {source}",
}
