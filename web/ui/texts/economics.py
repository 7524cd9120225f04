"""The words of the economics page."""

ECONOMICS = {
    "title": "What it costs, and what it must bring in",
    "lead": (
        "88 chips A in one datacenter against 43 A + 32 B and a line. Drag any price: costs, BCR, "
        "break-even prices, token prices and revenue follow."
    ),
}

MONEY = {
    "before": "88 A",
    "after": "43 A + 32 B + line",
    "unit": "chips A",
    "own": "your own price",
    "no_year": "year not given",
    "b_low": "Chip B, lower price",
    "b_high": "Chip B, upper price",
    "b_about": "Price of one chip B in units of one chip A. Published is a range, 1.2 to 1.3: all "
    "that follows is told at both ends.",
    "b_source": "published: 1.2 to 1.3 A by claim C07",
    "line": "The line",
    "line_about": "Price of the line in units of one chip A, over the same time as the chips.",
    "line_source": "computed: with .35 A the published saving comes out exactly",
    "gain": "Capacity gain",
    "gain_about": "How much more requests/s the deployment serves within the SLA than the baseline "
    "does. By default claim C06 as it was last computed.",
    "gain_basis": "simulated: claim C06, seeds {first}–{last}, {load}; published is {public}",
    "title": "Cost, item by item",
    "about": "From the cost of the baseline to that of the deployment: columns at the lower price "
    "of B, diamonds at the upper one.",
    "table": "Price list of both, in chips A",
    "table_about": "Items, how many of each, their price and what they cost; in units of one "
    "chip A.",
    "item": "Item",
    "price": "Price of one",
    "total": "Total",
    "range": "{low} to {high}",
    "alt": "Cost from {before} chips A to {low} to {high} chips A.",
    "hover": "%{x}: %{customdata} chips A<extra></extra>",
    "hover_high": "%{x}: reaches %{y:.2f} chips A at the upper price of B<extra></extra>",
    "upper": "at the upper price of B",
    "cell": "{count} × {price} chips A; {source}.",
    "sum": "The sum of the items above.",
    "cost": "Cost of {name}",
    "cost_about": "Chips × price, and the line; in units of one chip A.",
    "saving": "Saving",
    "saving_about": "By how much the deployment costs less than the baseline, at the lower and the "
    "upper price of B. Published is 7.1 to 3.5 % (claim C07).",
    "bcr": "BCR",
    "bcr_about": "Benefit per cost: the capacity ratio divided by the cost ratio, at the upper and "
    "the lower price of B. Above 1 the deployment pays.",
    "bcr_note": "SLA: {sla}",
    "line_even": "Line breaks even",
    "line_even_about": "The highest price of the line at which the deployment still costs no more "
    "than the baseline, at the upper and the lower price of B; its gain in capacity left aside.",
    "line_bcr": "Line at BCR 1",
    "line_bcr_about": "The highest price of the line at which BCR is still 1, with the gain in "
    "capacity counted; at the upper and the lower price of B.",
    "b_even": "B breaks even",
    "b_even_about": "The highest price of one chip B at which the deployment still costs no more "
    "than the baseline; its gain in capacity left aside.",
    "b_bcr": "B at BCR 1",
    "b_bcr_about": "The highest price of one chip B at which BCR is still 1, with the gain in "
    "capacity counted.",
    "none": "not even a price of 0 would do",
}

KINDS_OF_PRICE = {
    "rent": "Rent",
    "ownership": "Cost of ownership",
    "purchase": "Purchase",
    "per": {
        "rent": "chip-hour", "cost of ownership": "chip-hour", "purchase": "chip", "fee": "month",
    },
}  # fmt: skip

CATALOGUE = {
    "title": "Catalogue prices",
    "about": "Published prices of chips that can be bought or rented. A rent, a cost of ownership "
    "and a purchase are different things: two prices have a ratio only when both are of one kind "
    "and one currency.",
    "kind": "Kind of price",
    "kind_about": "Rent: what a provider asks for an hour. Cost of ownership: purchase, power and "
    "space spread over the hours. Purchase: paid once.",
    "a": "Chip A stands for",
    "a_about": "Which chip A is has not been published: the one chosen here is assumed.",
    "b": "Chip B stands for",
    "b_about": "By default the published price of B. Another choice takes the ratio of two "
    "catalogue prices, where they can be compared.",
    "b_published": "the published 1.2 to 1.3 A",
    "take": "Take {low} to {high} A for B",
    "ratio": "{b} costs {low} to {high} of {a}.",
    "chip": "Chip",
    "price": "Price",
    "currency": "Currency",
    "in_a": "In chips A",
    "in_a_about": "The price over that of the chip that stands for A: lowest to highest.",
    "year": "Year",
    "what": "What it is",
    "chips": "All chip prices of this kind",
    "lines": "Does the saving survive a real line?",
    "lines_about": "Published fees of lines, told in chips A by the price of the chip that stands "
    "for A, beside the .35 A that the published saving needs. Saving: at the upper and the lower "
    "end of all prices. Take it puts the fee, at its upper end, into the prices above.",
    "summary": "Of {count} published fees in USD the saving survives {all} at all prices, "
    "{some} at some of them, {none} at none. The line breaks even at {even} chips A.",
    "fee": "Fee",
    "per_month": "per month",
    "gbps": "Line",
    "gbit": "Gbps",
    "saving": "Saving",
    "verdict": "Saving survives",
    "survives": {"all": "yes", "some": "partly", "none": "no"},
    "claim_row": "published saving",
    "claim_what": "needed by claim C07",
    "refused": "no verdict",
    "press": "Take it",
    "none": "–",
    "purchase": "A line is paid by the month, and a purchase says nothing of months: choose rent "
    "or cost of ownership to set a line beside chips.",
}

TOKENS = {
    "title": "Price of a million tokens",
    "about": "Prices that bring in the hourly cost of a deployment at its capacity, plus a margin; "
    "cached input is billed at a share of the price of uncached input, output at a multiple.",
    "offer": "Find the capacity",
    "hour": "Chip A for an hour",
    "hour_about": "What one chip A costs for an hour; by default the middle of the catalogue price "
    "above.",
    "cached": "Cached input",
    "cached_about": "Price of a cached input token as a share of that of an uncached one.",
    "cached_source": "published: 10 to 25 % (claim C21)",
    "output": "Output",
    "output_about": "Price of an output token as a multiple of that of an uncached input token.",
    "margin": "Margin",
    "margin_about": "What is earned on top, as a share of the cost.",
    "hit": "Hit rate",
    "hit_about": "Share of prompt tokens that are found in the cache and billed so; here and "
    "in the bathtub below.",
    "hit_source": "assumed: the published mean over requests (claim C17), taken over tokens",
    "refused": "A purchase is paid once: without years of use it says nothing of an hour, so no "
    "price of tokens follows. Choose rent or cost of ownership above.",
    "deployment": "Deployment",
    "cost": "Cost",
    "cost_about": "Chips and line in chips A, times the price of chip A for an hour.",
    "rps": "Capacity",
    "rps_about": "Requests per second within the SLA; of the baseline simulated, of the deployment "
    "that times the capacity gain above.",
    "uncached": "Uncached input",
    "cached_price": "Cached input",
    "output_price": "Output",
    "blended": "Blended",
    "blended_about": "Cost over all tokens of prompts and outputs.",
    "request": "A request",
    "request_about": "What one request costs.",
    "per_million": "USD per million tokens, at prompts of {prompt:,} tokens and outputs of "
    "{output:,} (claim C09).",
    "change": "{name}: a token costs {low} to {high} % less than with {first}.",
    "change_more": "{name}: a token costs up to {high} % less than with {first}, and {low} % more "
    "at the upper price of B.",
    "change_worse": "{name}: a token costs {high} to {low} % more than with {first}.",
    "sla": "SLA: {sla}.",
}

TUB = {
    "title": "Revenue against hit rate",
    "about": "What input tokens bring in per chip-second of prefill, over the hit rate. Cached "
    "tokens are billed cheaper than they are to serve, so a middling hit rate earns less than "
    "none; dips come where a hit just fails to save a chunk.",
    "merged": "Tails merged",
    "merged_about": "Share of last, short chunks that are filled up with other requests (beta). A "
    "tail of its own costs nearly as much as a whole chunk.",
    "tub_merged": "Tails merged, other",
    "tub_about": "The same for the second course: the shallower tub.",
    "chunk": "Longest chunk",
    "chunk_about": "Prompts are prefilled in chunks of at most so many tokens.",
    "larger": "A larger cache hits",
    "larger_about": "The hit rate that a larger cache would bring.",
    "x": "hit rate",
    "y": "revenue, without hits = 1",
    "now": "as it is",
    "other": "shallower tub",
    "dips": "dips",
    "valley": "valley: earns less than without hits",
    "here": "here",
    "there": "larger cache",
    "hover": "%{x:.1%}: %{y:.3f} of the revenue without hits<extra></extra>",
    "hover_dip": "dip at %{x:.1%}: %{y:.3f}<extra></extra>",
    "alt": "Revenue over hit rate, without hits 1: {here} at a hit rate of {hit}; dips at {dips}.",
    "no_dips": "none",
    "away": "Stay away from the valley.",
    "here_number": "Revenue here",
    "here_about": "Revenue per chip-second at the hit rate chosen, over that without any hits.",
    "valley_number": "Valley",
    "valley_about": "Hit rates from the first to the last that earn less than none at all.",
    "valley_none": "none",
    "deepest": "Deepest dip",
    "deepest_about": "The hit rate of the inner minimum with the lowest revenue, and that revenue "
    "over the one without hits. A dip counts from a prominence of 1 %.",
    "cache": "Larger cache",
    "cache_about": "Change of revenue when the hit rate rises to that of the larger cache.",
    "tub": "Shallower tub",
    "tub_about_number": "Change of revenue when tails are merged as in the second course.",
    "end": "R(97 %) / R(0)",
    "end_about": "Revenue at a hit rate of 97 % over that without hits: with cached input at 10 % "
    "it is just above 1, at 25 % it is 2.3 (claim C20).",
    "source": "One prefill instance of 88 A, prompts of {prompt:,} tokens, pages of 64, {t0} s of "
    "overhead a chunk, 6 chip-seconds for the rest: assumed, those of claim C20.",
    "number": "{count} dips",
}
