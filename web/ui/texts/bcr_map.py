"""The words of the map of BCR over bandwidth and hit rate."""

BCR_MAP = {
    "title": "Where the deployment pays",
    "lead": (
        "BCR of 43 A + 32 B + line against 88 A over the line's bandwidth and the mean hit rate. "
        "Each cell is a search for the capacity of both on the same requests."
    ),
    "b": "Chip B",
    "b_about": "Price of one chip B in chips A; published is 1.2 to 1.3 (claim C07).",
    "b_source": "published: the lower end of 1.2 to 1.3 A (claim C07)",
    "line": "The line",
    "line_about": "Price of the line at the bandwidth of the present deployment, in chips A.",
    "line_source": "computed: with .35 A the published saving comes out exactly",
    "per_gbps": "Each further Gbps",
    "per_gbps_about": "What each Gbps above that of the present deployment costs, or saves below "
    "it; the line never costs less than nothing.",
    "total": "SLA, last token within",
    "total_about": "The longest total time of a good request. When it is changed, the capacities "
    "are searched for anew.",
    "total_source": "claim C24",
    "share": "for a share of",
    "share_about": "The share of requests that must be good at capacity.",
    "own": "your own",
    "requests": "Requests a run",
    "requests_about": "More make a smoother map and take longer: at 4,000 the BCR of a cell has a "
    "deviation of about a tenth.",
    "seeds": "Seeds",
    "seeds_about": "Searches of each cell, each on other draws; a cell is their mean.",
    "fine": "Find all 49 cells (some two minutes of one core)",
    "map": "BCR over bandwidth and hit rate",
    "map_about": "BCR is capacity per cost over that of the baseline. Green pays, red does not; "
    "the line is where BCR is 1, hatched cells keep the SLA at no load. Prices act at once, for "
    "they change no run. Click a cell to look at it.",
    "x": "bandwidth of the line, Gbps",
    "y": "mean hit rate",
    "one": "BCR = 1",
    "present": "present deployment",
    "infeasible": "SLA kept at no load",
    "hover": "%{customdata}<extra></extra>",
    "cell": "{gbps} Gbps, mean hit rate {hit}<br>BCR {bcr}<br>capacity {mine} requests/s, baseline "
    "{theirs}<br>cost {cost} chips A, baseline {base}<br>SLA: {sla}",
    "cell_none": "{gbps} Gbps, mean hit rate {hit}<br>{why}<br>SLA: {sla}",
    "alt": "Map of BCR with {count} cells from {low} to {high}; BCR is 1 at {line}.",
    "cpu": "{cells} cells took {cpu} s of one core.",
    "chosen": "{gbps} Gbps, hit rate {hit}",
    "chosen_about": "The cell that was clicked; at first that nearest to the present deployment.",
    "bcr": "BCR",
    "bcr_about": "Capacity per cost of the deployment, over that of the baseline, at these prices. "
    "Above 1 it pays.",
    "capacity": "Capacity",
    "capacity_about": "Requests/s at the load at which just the required share keeps the SLA.",
    "baseline": "Baseline's capacity",
    "baseline_about": "The same of 88 A on the same requests, which need no line.",
    "cost": "Cost",
    "cost_about": "Chips, and the line at this bandwidth, in chips A; the baseline costs {base}.",
    "pays": "Pays from",
    "pays_about": "The bandwidth at which BCR passes 1 at this hit rate, read between the cells.",
    "pays_all": "everywhere on the map",
    "pays_none": "nowhere on the map",
    "sla": "last token within {total:g} s for {share:.0%}",
    "open": "Open it in the twin",
    "open_about": "The running twin with this bandwidth and these hit rates.",
    "layer": "Second layer: revenue against hit rate",
    "show": "Show it",
    "layer_about": "The bathtub of input revenue per chip-second of prefill, with the hit rate of "
    "the chosen cell: a cell that pays can still lie in the valley.",
    "cached": "Cached input",
    "merged": "Tails merged",
}
