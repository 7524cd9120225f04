"""The words on studies: how one stands, and on what its result rests."""

STUDY = {
    "offered": "Not computed yet.",
    "outdated": "Shown is the result before the last change.",
    "running": "Computing …",
    "queued": "Waiting for its turn …",
    "held": "Let go to compute it.",
    "stopped": "Stopped before it ended.",
    "failed": "It could not be computed.",
    "locked": "Whoever has something computed here must know the token of this service.",
    "token": "Token of this service",
    "cancel": "Cancel",
    "again": "Try again",
    "computed": "Computed by formula: nothing random is in it.",
    "simulated": "Simulated: seeds {seeds}, mean ± spread",
    "simulated_one": "Simulated: seed {seeds}, so no spread is known",
    "requests": "{count} requests each",
}

KINDS = {
    "fit": "A parameter was fitted to this figure: it is no prediction.",
    "predict": "Predicted: nothing was fitted to it.",
    "arith": "Arithmetic from published figures.",
    "shape": "The shape is compared, not the figure.",
    "input": "An input of the model, taken as published.",
    "refuse": "Cannot be said from what is public.",
    "published": "Published.",
    "assumed": "Assumed: no published source.",
    "simulated": "Comes out of a simulation with the settings shown.",
    "computed": "Computed by formula from the settings shown.",
}

CONTROLS = {
    "broken": "This page cannot show what its address or its controls ask for: a value may lie "
    "outside of what is possible.",
    "afresh": "Start afresh",
    "undo": "Undo",
    "reset": "Reset",
    "reset_help": "All controls as published; this can be undone.",
    "unknown": "The link has names that mean nothing here: {names}.",
    "table": "Table as CSV",
}
