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
    "mean": "Mean hit {all} with first turns (outlined), {later} without",
}

CHIPS = {
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
    "workload_output_tokens_mean": "Answer length",
    "line_bandwidth_gbps": "Bandwidth",
    "line_rtt_ms": "Round trip",
    "policy_relay_threshold_s": "Relay above (theta)",
    "policy_handoff_mode": "Handoff",
    "caches_drc_enabled": "MD cache (DRC)",
    "policy_singular_filter": "Singular filter",
    "policy_p_rld": "P-RLD allowed",
    "policy_load_gate": "Load gate",
    "policy_in_flight_deduplication": "In-flight dedup",
    "policy_cancel_finished_transfer": "Cancel when finished",
    "policy_drc_held_aligned": "Hold caches aligned",
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

FAILURES = {
    "line": "Line",
    "line_cut": "Cut the line",
    "line_back": "Bring it back",
    "line_help": "Transfers stop where they are, and go on when it is back.",
    "instances": "{pool}",
    "lose": "Lose {name}",
    "bring_back": "Bring {name} back",
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
