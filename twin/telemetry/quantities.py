"""The canonical quantities: what a running deployment says, each with its unit and its meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Merge = Literal["sum", "mean", "histogram", "ratio"]


@dataclass(frozen=True)
class Quantity:
    """One quantity. `merge`: how replicas of a role (pods, DP ranks) come to one value.

    `sum` adds them, `mean` averages them, `histogram` adds sums, counts and buckets, `ratio`
    divides the summed parts. Ranks of one replica (TP, PP, EP) count once in all four.
    """

    name: str
    unit: str
    merge: Merge
    about: str

    @property
    def is_share(self) -> bool:
        """Whether it lies between 0 and 1."""
        return self.unit == ""


QUANTITIES = {
    one.name: one
    for one in (
        Quantity("request_rate", "1/s", "sum", "Requests that finish, or start at a frontend."),
        Quantity("ttft", "s", "histogram", "Time to first token."),
        Quantity("itl", "s", "histogram", "Inter-token latency."),
        Quantity("tpot", "s", "histogram", "Time per output token, of whole requests."),
        Quantity("e2e", "s", "histogram", "From the question to the last token."),
        Quantity("queue_time", "s", "histogram", "Wait of a request before it is served."),
        Quantity("prefill_time", "s", "histogram", "Prefill of a request."),
        Quantity("decode_time", "s", "histogram", "Decode of a request."),
        Quantity("running", "requests", "sum", "Requests that are served now."),
        Quantity("waiting", "requests", "sum", "Requests that wait now."),
        Quantity("prompt_rate", "tokens/s", "sum", "Prompt tokens taken in."),
        Quantity("output_rate", "tokens/s", "sum", "Tokens made."),
        Quantity("input_tokens", "tokens", "histogram", "Prompt tokens of a request."),
        Quantity("output_tokens", "tokens", "histogram", "Output tokens of a request."),
        Quantity("prefix_hit", "", "ratio", "Share of prompt tokens found in the prefix cache."),
        Quantity("drc_hit", "", "ratio", "Share of prompt tokens that main decode held already."),
        Quantity("kv_rate", "bytes/s", "sum", "KV cache that crosses to decode."),
        Quantity("kv_transfer_time", "s", "histogram", "Time of one KV transfer."),
        Quantity("kv_bytes_per_token", "bytes", "ratio", "KV bytes of a token that crosses."),
        Quantity("transfers_waiting", "requests", "sum", "Requests whose KV has not come yet."),
        Quantity("failed_transfer_rate", "1/s", "sum", "KV transfers that fail."),
        Quantity("failure_rate", "1/s", "sum", "Requests aborted or failed; handed over ones too."),
        Quantity("kv_use", "", "mean", "Share of the KV pool in use, mean over replicas."),
        Quantity("spec_acceptance", "", "ratio", "Share of drafted tokens that are accepted."),
        Quantity("nic_rate", "bytes/s", "sum", "Bytes that leave a network card."),
        Quantity("nic_receive_rate", "bytes/s", "sum", "Bytes that come in at a network card."),
        Quantity("nic_speed", "bytes/s", "sum", "What a network card can carry."),
        Quantity("gpu_busy", "", "mean", "Share of time in which a GPU computes."),
    )
}
"""All quantities by name, in the order in which they are shown."""
