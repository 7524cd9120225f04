"""The words of the page of chips and models."""

HARDWARE = {
    "title": "Chips and models, and what one does with the other",
    "lead": (
        "Type in a chip with four numbers, or start from one of the catalogue, and see at once how "
        "fast it prefills and decodes a model. Below: how well the same equations meet public "
        "measurements, and every figure of the catalogue with its source."
    ),
    "from": "Start from",
    "from_about": "A chip of the catalogue; its figures stand in the four fields until you change "
    "them.",
    "model": "Model",
    "basis": "Efficiencies",
    "basis_about": "Shares of the peak that are reached. Measured: the pooled fit below, with the "
    "range of two thirds of the groups. Claims: those of chip A, fitted to the published figures "
    "on PDD, without a range.",
    "own": "Your chip",
    "own_about": "Each figure is per chip; the peak is the dense one in the precision of the "
    "weights.",
    "needed": "needed",
    "lacks": "{name} lacks {what}: {why}. Give it above, and it runs.",
    "model_lacks": "{name} lacks {what}: {why}.",
    "no_fit": "{name} tells no layers, so that only the efficiencies of the claims apply.",
    "chips": "Chips per instance",
    "chips_about": "Chips that serve the model together.",
    "prompt": "Prompt",
    "prompt_about": "Uncached tokens of the prompt.",
    "batch": "Batch",
    "batch_about": "Requests that decode together on one instance.",
    "context": "Context",
    "context_about": "Tokens that each of them holds; the slots provide for as many.",
    "compare": "Compare a deployment with it",
    "compare_about": "Opens the comparison with this chip in one pool of the published deployment.",
    "role": "as",
    "does_not_fit": "The weights, {weights} GB, do not fit into {memory} GB: give it more chips.",
}

BASES = {"measured": "measured", "claims": "claims"}
POOLS = {"prefill": "prefill", "main_decode": "main decode"}

FIELDS = {
    "peak_tflops": ("Peak compute", "TFLOP/s", "Dense peak of one chip."),
    "memory_gb": ("Memory", "GB", "Memory of one chip."),
    "memory_tbytes_per_s": ("Memory bandwidth", "TB/s", "Of one chip."),
    "interconnect_gbytes_per_s": (
        "Interconnect", "GB/s", "What one chip sends to the others of its instance, one way.",
    ),
}  # fmt: skip

FIGURES = {
    "prefill": (
        "Prefill", "Time of the prompt on an idle instance: fixed time, and FLOP over the compute "
        "that is reached.",
    ),
    "step": (
        "Decode step", "The larger of memory and compute, plus the exchange between chips, plus a "
        "fixed time.",
    ),
    "rate": ("Output", "Tokens that one instance decodes in a second at this batch."),
    "slots": (
        "Slots", "Requests of this context whose KV cache fits beside the weights; 92 % of the "
        "memory are used.",
    ),
    "kv": ("KV cache", "Of one request of this context, with its fixed state."),
    "weights": ("Weights", "Of the model, and the share of the instance's memory they take."),
}  # fmt: skip

NOTES = {
    "range": "{low} to {high}", "per_chip": "{value} per chip", "share": "{value} % of memory",
    "per_token": "{value} B per token", "over": "the batch does not fit",
}  # fmt: skip

TABLE = {
    "title": "The same model on every chip",
    "about": "Every complete chip of the catalogue, with as many chips per instance and the same "
    "load; yours is marked. Press one to start from it.",
    "yours": "yours",
    "does_not_fit": "The weights do not fit into the memory of so many chips.",
    "columns": {
        "chip": ("Chip", "", "Of the catalogue."),
        "prefill": ("Prefill", "s", "Of the prompt above."),
        "step": ("Step", "ms", "Of one decode step at the batch above."),
        "rate": ("Output", "tokens/s", "Of one instance."),
        "slots": ("Slots", "", "Requests whose KV cache fits."),
    },
}

FIT = {
    "title": "Fitted to public measurements",
    "about": "Eight efficiencies for each pair of chip and model, held near one pooled default. "
    "Left out: the whole group is predicted from its siblings, of the same chip or model.",
    "in_sample": ("In sample", "Median error of {count} rows of aggregated serving."),
    "left_out": (
        "Left out",
        "Median error of the same rows, each group predicted without its own data.",
    ),
    "default": ("One default", "Median error with one set of efficiencies for all groups."),
    "mean": "mean {mean} %, P90 {p90} %",
    "chart": "Measured and modelled",
    "chart_about": "Published points: filled as fitted, open with their whole group left out. On "
    "the line they agree; dotted: a fifth more or less.",
    "x": "measured, ms",
    "y": "modelled, ms",
    "hover": "{id}: {model} on {chip}<br>{what}<br>measured %{{x:.3g}}, modelled %{{y:.3g}} ms",
    "fitted": "in sample",
    "out": "left out",
    "alt": "{count} published points: modelled against measured; the largest error in sample is "
    "{worst} %.",
    "points": "Published points",
    "point_columns": {
        "id": ("Point", "", "Its number in the catalogue."),
        "what": ("What", "", "Model, chip and kind."),
        "measured": ("Measured", "", "As published."),
        "modelled": ("Modelled", "", "With the fit of its group."),
        "left_out": ("Left out", "", "Predicted without its group."),
    },
    "groups": "Errors by chip and model",
    "group_columns": {
        "group": ("Model and chip", "", "A group is left out whole."),
        "rows": ("Rows", "", "Rows of aggregated serving; beside them published values."),
        "in_sample": ("In sample", "%", "Median error; below, the mean."),
        "left_out": ("Left out", "%", "Median error without its data; below, the mean."),
        "siblings": ("Siblings", "", "Groups of the same chip or model."),
    },
    "efficiencies": "Efficiencies",
    "efficiencies_about": "The pooled default, for whatever was not measured, and the range that "
    "holds two thirds of the groups.",
    "efficiency_columns": {
        "about": ("Efficiency", "", "What it is."),
        "value": ("Default", "", "Fitted to all measurements."),
        "range": ("Range", "", "Two thirds of the groups lie in it."),
        "fitted": ("", "", "Whether the data determine it."),
    },
    "determined": "determined by data",
    "hardly": "hardly determined: near what was assumed",
    "points_of": "and {count} published",
}

KINDS = {
    "prefill rate": "prefill, tokens/s of a chip", "decode": "decode, tokens/s of a chip",
    "first token": "first token", "tpot": "time per output token",
}  # fmt: skip

CATALOGUE = {
    "title": "The catalogue",
    "tabs": ("Chips and prices", "Models", "KV bytes by layout"),
    "chips": "The chips of the catalogue",
    "chips_about": "Hover a figure for its source. What is missing is named; such a chip runs once "
    "you give it.",
    "lacks": "Missing",
    "prices": "Prices",
    "prices_about": "Rent, cost of ownership and purchase are kinds that are never mixed.",
    "name": "Chip",
    "missing": "missing: {why}",
    "no_price": "none published",
    "unknown": "not told",
    "models": "The models of the catalogue",
    "models_about": "Sizes and KV cache. A field without a source is named.",
    "model_columns": {
        "name": ("Model", "", "Of the catalogue."),
        "attention": ("Attention", "", "Layers by kind."),
        "total_params_b": ("Parameters", "1e9", "All of them."),
        "active_params_b": ("Active", "1e9", "For one token."),
        "weights_gb": ("Weights", "GB", "All weights in memory."),
        "kv_bytes_per_token": ("KV", "B/token", "Over all layers."),
        "fixed_state_mb": ("Fixed state", "MB", "What a request holds whatever its length."),
    },
    "kv": "KV bytes by layout",
    "kv_about": "Computed from the layers of each model, beside what the catalogue prints.",
    "kv_columns": {
        "model": ("Model", "", "Of the catalogue."),
        "layout": ("Layout", "", "Precision and scales in memory."),
        "computed": ("Computed", "B/token", "From heads, latents, indexer, compression, windows."),
        "printed": ("Printed", "B/token", "In the catalogue, where it prints any."),
        "agrees": ("", "", "At the printed precision."),
        "state": ("Fixed state", "MB", "Full windows and linear attention."),
    },
    "agrees": "agrees", "differs": "DIFFERS", "inferred": "inferred",
    "kv_basis": "Computed from {attention}.",
}  # fmt: skip
