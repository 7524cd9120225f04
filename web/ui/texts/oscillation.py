"""The words of the oscillation page."""

OSCILLATION = {
    "title": "Steady, swinging, collapsing",
    "lead": (
        "It seems clever to finish a request on the relay when its transfer would take long. But "
        "then main decode never gets that part of the session: its cache falls behind, the next "
        "turn must send more, and is finished on the relay as well. Press a case, turn a control."
    ),
    "presets": "Start from",
    "p_rld": "P-RLD allowed",
    "p_rld_about": "A request whose transfer is estimated to take longer than the threshold is "
    "finished on the relay. The published system excludes this pipeline (claim C18).",
    "gate": "Load gate",
    "gate_about": "While the relay is full, requests that would be finished there go to main "
    "decode; open again when it is nearly empty. Assumed: the obvious remedy.",
    "aligned": "Hold caches aligned",
    "aligned_about": "A thought experiment: main decode always holds what prefill holds, so that "
    "finishing locally has no consequence for the next turn.",
    "scaling": "RLD count by itself",
    "scaling_about": "Off in every published figure. Once a minute an instance is added above the "
    "threshold, and one is dropped when those that stay keep below it.",
    "threshold": "P-RLD above",
    "gate_high": "Gate closes at",
    "gate_low": "Gate opens at",
    "clients": "Clients",
    "bandwidth": "Bandwidth",
    "relays": "RLD instances",
    "scaling_at": "RLD threshold",
    "seed": "Seed",
    "seed_about": "Both sides are run on the draws of this seed.",
    "assumed": "assumed",
}

PRESETS = {
    "healthy": "Healthy",
    "collapse": "P-RLD collapse",
    "swing": "Relay swing with gate",
    "thin": "Thin line",
}

PRESETS_ABOUT = {
    "healthy": "The published rules: P-MD and P-RLD-MD alone, both end in main decode.",
    "collapse": "P-RLD above an estimate of 2 s, no gate.",
    "swing": "P-RLD above 1 s, with a gate on the relay's load.",
    "thin": "The published rules on a line of 6.5 Gbps under 170 clients: KV comes too late.",
}

STATES = {
    "steady": ("Steady", "green", ":material/check_circle:"),
    "swinging": ("Swinging", "orange", ":material/swap_vert:"),
    "collapsing": ("Collapsing", "red", ":material/trending_down:"),
}
"""Word, colour and sign of each verdict."""

VERDICT = {
    "title": "Verdict",
    "about": "Swinging: RLD's batch falls at least 3 times from its upper mark (10 requests or "
    "more) to below a quarter of it, while the flows on the line move against it (correlation "
    "below −0.2). Collapsing: MD's hit rate lags P's by more than 5 points at the end.",
    "source": "The first 20 % of the two simulated hours are left out. {basis}",
    "sla": "Within SLA",
    "sla_about": "Share of requests whose last token came within {total:g} s.",
    "against": "{with_it} beside it",
    "falls": "Falls of RLD's batch",
    "falls_about": "How often the batch fell from its upper mark, what one sample in twenty "
    "exceeds, to below a quarter of it. 3 are needed for a swing.",
    "falls_note": "from {upper} to below {low}",
    "correlation": "Batch against line",
    "correlation_about": "Correlation of RLD's batch with the flows on the line, over all samples. "
    "Below −0.2 they are in anti-phase: when one is full the other runs dry.",
    "lag": "MD lags P",
    "lag_about": "P's hit rate minus MD's, over the last quarter of the window. Above 5 points "
    "main decode has lost what prefill holds.",
    "lag_note": "{early} early on",
    "local": "Finished locally",
    "local_about": "Share of requests that end on the relay, over the last quarter.",
    "points": "points",
}

SIDES = {
    "now": "As set",
    "with": "Beside it: {way}",
    "title": "With and without, on the same seed",
    "about": "Left the deployment as it is set, right the same with one change; the "
    "requests that arrive are drawn from the same seed, and the axes are the same.",
    "same": "“{way}” is what is set already: both sides are the same.",
}

COURSES = {
    "batch": "RLD batch",
    "flows": "Line flows",
    "p_hit": "P hit",
    "md_hit": "MD hit",
    "count": "RLD instances",
    "x": "minutes",
    "hover_batch": "%{y:.0f} requests on RLD after %{x:.0f} min<extra></extra>",
    "hover_flows": "%{y:.0f} KV caches on the line after %{x:.0f} min<extra></extra>",
    "hover_hit": "{name} %{{y:.1%}}, the four minutes until %{{x:.0f}} min<extra></extra>",
    "hover_count": "%{y} RLD instances from %{x:.0f} min<extra></extra>",
    "alt": "Courses over two hours. RLD's batch between {low} and {high} requests, correlation "
    "with the line {correlation}; MD's hit rate lags P's by {lag} points at the end.",
}

PLANE = {
    "title": "Phase portrait",
    "about": "Each dot is one moment of the run. A steady deployment stays in one cloud; a swing "
    "goes round between full relay and full line; a collapse walks away and does not return.",
    "against": "RLD batch against",
    "flows": "line flows",
    "lag": "hit lag",
    "x": "RLD batch (requests)",
    "y_flows": "line flows (KV caches under way)",
    "y_lag": "P hit minus MD hit (points)",
    "hover": "{name}: %{{x:.0f}} requests on RLD, %{{y:.1f}} {unit}<extra></extra>",
    "unit_flows": "flows",
    "unit_lag": "points of lag",
    "alt": "RLD's batch against {what}: {moments} moments of the deployment as it is set, from "
    "{x_low} to {x_high} requests, and as many with the way back, from {o_low} to {o_high}.",
}

GAIN = {
    "title": "Loop gain",
    "about": "Of 100 sessions that fall behind in a turn, so many more are behind in the next "
    "because of it. G = (1 − e)(p_st − p_al). Since p_st is at most 1, G is at most 1 − e.",
    "parts": "What the gain is made of",
    "g": "Loop gain G",
    "g_about": "G = (1 − e)(p_st − p_al), counted over the requests of the run. It never exceeds "
    "1 − e, so the loop never runs away; but near it, being behind hardly heals.",
    "formula": "G by the formulas",
    "formula_about": "The same from prompt lengths, hit rates and the estimate of an empty line, "
    "without gate and queues; it follows the controls while they are dragged.",
    "p_st": "p_st",
    "p_st_about": "Share of turns finished locally among those where main decode holds less of the "
    "prefix than prefill (stale). {count} such turns.",
    "p_al": "p_al",
    "p_al_about": "Share of turns finished locally among those where both hold the same (aligned). "
    "{count} such turns.",
    "e": "e",
    "e_about": "Share of requests that end their session: one in {turns:g} turns. What is behind "
    "then no longer matters.",
    "e_source": "From turns_per_session of the scenario: {source}.",
    "stale": "Stale turns",
    "stale_about": "Share of turns at which main decode holds less than prefill. The formula says "
    "x = (1 − e) p_al / (1 − G).",
    "stale_note": "formula: {expected}",
    "few": "Fewer than 20 turns of this kind: their share is not told.",
    "none": "not told",
    "limit": "1 − e = {limit:.2f}: never more",
    "measured": "measured {gain}",
    "by_formula": "by formula {gain}",
    "alt": "Gauge of the loop gain from 0 to 1: measured {gain}, by the formulas {formula}, limit "
    "{limit}.",
}

BACK = {
    "title": "What brings it back",
    "about": "Every way back is run on the same seed: what helps is found out, not asserted.",
    "none": "It is steady: nothing has to be brought back. What each change would do:",
    "named": "The twin's own advice, from the verdict: {advice}.",
    "way": "Way back",
    "state": "Verdict",
    "sla": "Within SLA",
    "sla_about": "Share of requests whose last token came in time.",
    "lag": "MD lags P",
    "lag_about": "P's hit rate minus MD's in the last quarter of the run.",
    "gain": "G",
    "gain_about": "Loop gain, counted over the run; a dash: too few stale turns to say.",
    "apply": "Apply",
    "apply_column": "",
    "is_set": "is set",
    "as_set": "as set",
    "as_set_about": "The deployment as the controls have it now.",
    "against": "Right side shows",
}

WAYS = {
    "published": "P-RLD off",
    "aligned": "Hold caches aligned",
    "wider": "Wider line (100 Gbps)",
    "relay": "Another RLD",
}

ALLOWED = "P-RLD on"
"""The change that a healthy deployment is compared with."""

WAYS_ABOUT = {
    "published": "Both pipelines end in main decode, as in the published system: its cache then "
    "stays aligned with prefill's.",
    "aligned": "A thought experiment: main decode always holds what prefill holds.",
    "wider": "It makes single transfers shorter, and cures a line that is too thin. It does not "
    "cure P-RLD: a session that is behind must send all it lacks, which takes long on any line.",
    "relay": "It gives room for what is finished locally. The gate then hardly closes, and more is "
    "finished locally than before.",
}

SCALING = {
    "title": "The number of RLD instances, by itself",
    "about": "A rule that looks at the present load alone flaps: two instances below the limit, "
    "one is dropped, the other takes all of it, the limit is broken, and it is taken back.",
    "rule": "One may go only if those that stay keep below the threshold: load × n / (n − 1) < "
    "threshold.",
    "work": "Work, never changing",
    "work_about": "Work of the relay in full instances: 1.2 fills one and a fifth of another.",
    "advice": "with the advice",
    "hasty": "present load alone",
    "changes": "Changes in an hour",
    "changes_about": "Changes of the number of instances over 60 looks, one a minute, under work "
    "that never changes. Present load alone: drops one whenever the load is below the threshold.",
    "changes_note": "present load alone: {hasty}",
    "drop": "May one go?",
    "drop_about": "The advice at the number of instances that the rule has settled at: {words}.",
    "yes": "yes",
    "no": "no",
    "drop_note": "load {load}, without one {after}",
    "seen": "Changes in this run",
    "seen_about": "Changes of the number of RLD instances in the simulated two hours. Here the "
    "load does change; the switch “RLD count by itself” turns the rule on.",
    "seen_off": "the switch is off",
    "x": "looks, one a minute",
    "y": "instances",
    "hover": "{name}: %{{y}} instances after %{{x}} looks<extra></extra>",
    "alt": "Instances over 60 looks under constant work: with the advice {advice} changes, by the "
    "present load alone {hasty}.",
}
