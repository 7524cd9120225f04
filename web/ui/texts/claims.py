"""The words of the claims page."""

CLAIMS = {
    "title": "Every published claim, and what the twin makes of it",
    "lead": (
        "What is public about PDD, beside what one program with one set of physical constants "
        "computes. A claim that set a parameter is marked fit: it proves nothing. Press a row to "
        "see what it stands on, and to compute it anew."
    ),
    "table": "Published claims and ours",
    "stored": "Stored by version {version}: seeds {seeds}, mean ± spread between seeds.",
    "seed": "seed {first}",
    "seeds": "seeds {first} to {last}",
    "no_seed": "no random number is in it",
    "now": "now, {seeds}",
}

COUNTS = {
    "in": ("In their band", "Claims of which every figure lies in its band."),
    "out": ("Out of it", "Claims of which a figure has left its band; the tests fail on any."),
    "refused": ("Refused", "Claims that do not follow from the rest, as arithmetic shows."),
    "given": ("Given", "Put in as published, so that nothing is left to judge."),
    "predicted": ("Predicted", "Claims that had to come out: no parameter was set by them."),
    "fitted": ("Fitted", "Claims that set a parameter nobody has published."),
}
"""Label and meaning of the counts at the top."""

COLUMNS = {
    "claim": ("", "The number of a claim."),
    "about": ("Claim", "What it is about."),
    "public": ("Public", "The figure as it was published."),
    "ours": ("Ours", "Mean over the seeds, and the standard deviation between them."),
    "bar": ("", "The band (wide), our value (mark) and its spread (line)."),
    "band": ("Band", "Where the mean over six seeds must lie; without one a figure is only told."),
    "kind": ("Kind", "How a figure comes about: fitted, predicted, arithmetic and so on."),
    "state": ("", "Whether the figure lies in its band."),
}

BAND = {
    "below": "below {high}", "above": "above {low}", "exactly": "exactly {value}",
    "between": "{low} to {high}", "told": "told, not judged",
}  # fmt: skip

STATES = {"in": "in", "out": "OUT", "refused": "refused", "given": "given", "unknown": "unknown"}

ONE = {
    "ask": "{claim}: {about}",
    "kind": "{kind}: {words}.",
    "fitted_by": "It sets: {names}.",
    "load": "Load: {load}.",
    "sla": "SLA: {sla}.",
    "note": "Note: {note}.",
    "seeds_of": "Stored figures: {seeds}.",
    "refuse": "Refused. Published is {public}. The arithmetic:",
    "refuse_figure": "{label}: {value}",
    "verdict": "{name}: {words}.",
    "seeds": "Seeds",
    "seeds_about": "Runs of each deployment. The bands speak of the mean over six seeds, so one "
    "seed alone may lie outside.",
    "offer": "Compute {claim} now",
    "took": "All six seeds took {seconds} s of one core when they were stored.",
    "at_once": "It takes less than a second.",
    "figure": "Figure",
    "figure_about": "What is judged, or only told.",
    "before": "Stored",
    "before_about": "As it was stored: mean over six seeds, and the spread between them.",
    "after": "Now",
    "after_about": "Computed now, on the seeds chosen here.",
    "each": "Of each seed: {values}.",
    "figures": "Figures of {claim}",
    "deployments": "Deployments",
    "deployment_about": "The scenario, and its first twelve digits of identity.",
    "changes": "Changes",
    "changes_about": "What is other than in the shipped scenario.",
    "as_shipped": "as shipped",
    "traffic": "own requests: {traffic}",
}

OVERRIDES = {
    "title": "What differs between the claims",
    "about": "Everything in which the deployments behind the claims differ from {reference}, taken "
    "from the scenarios themselves. All else is the same everywhere.",
    "columns": (
        ("Setting", "The setting of a scenario, by its path."),
        ("Value", "In the deployments named."),
        ("Reference", "In the reference deployment."),
        ("Claims", "The claims that are computed on these deployments."),
        ("Why", "The reason, or the source."),
        ("Deployments", "Where it is so."),
    ),
}

CONSTANTS = {
    "title": "One set of physical constants",
    "about": "The chips, the model and the physics of line, RDMA and handoff are the same under "
    "all claims; a test compares them.",
    "conflict": "Not the same everywhere: {what}.",
    "same": "The same in all {count} deployments behind the claims.",
    "columns": (
        ("Constant", "Its path in a scenario; of a chip by the chip's name."),
        ("Value", "The value under all claims."),
        ("Source", "Where it comes from; assumed where nobody has published it."),
    ),
}

TENSIONS = {
    "title": "What does not go together",
    "about": "Published figures that no single choice satisfies, and what was chosen.",
    "chosen": "Chosen: {chosen}",
}

OTHER = {
    "title": "The other architecture: Prefill-as-a-Service",
    "about": "Long requests prefill in A and send their KV cache over the line, all others prefill "
    "in B beside decode (arXiv 2604.15039). Its three published deployments under the same engine, "
    "so that the two architectures can be compared on equal terms.",
    "basis": "Throughput and egress of a saturated deployment, TTFT of a nearly empty one: the "
    "source states no load. The profiles of H20 are not published, they are fitted to two of the "
    "rates. Computed over {seeds} by version {version}.",
    "compare": "Compare the three deployments",
    "unpublished": "not published",
}

OTHER_COLUMNS = (
    ("Deployment", "32 H200 and 64 H20 with selection by length; 96 H20; all prefill on H200."),
    ("Figure", "What was measured."),
    ("Public", "The figure as it was published."),
    ("Ours", "Mean over the seeds, and the standard deviation between them."),
    ("", "The band (wide), our value (mark) and its spread (line)."),
    ("Band", "10 % around the public figure, 15 % for the egress, which has two digits."),
    ("Kind", "Fitted, or a prediction: no parameter was set by it."),
    ("", "Whether the figure lies in its band."),
)
