"""Prices of a million tokens at which a deployment breaks even, cached input billed apart."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import Problem, RunError, shown

SECONDS_PER_HOUR = 3600.0
MILLION = 1e6


@dataclass(frozen=True)
class Billing:
    """How prices hang together: of cached input and of output, in prices of uncached input.

    Cached input is billed at .10 to .25 (claim C21). The price of output is assumed.
    """

    cached_ratio: float = 0.10
    output_ratio: float = 4.0

    def __post_init__(self) -> None:
        if self.cached_ratio < 0 or self.output_ratio < 0:
            raise RunError(Problem("billing", shown(self), "ratios of prices are not negative"))


@dataclass(frozen=True)
class Traffic:
    """What is served: requests/s, mean tokens of prompt (with its cached part) and of output.

    `hit_share` is the token-weighted share of prompts that is billed as cached.
    """

    rps: float
    prompt_tokens: float
    hit_share: float
    output_tokens: float


@dataclass(frozen=True)
class TokenPrices:
    """Prices per million tokens, in the currency of the hourly cost.

    `blended` is the cost over all tokens of prompts and outputs; `output_alone` that of output
    tokens if input were free, and `cost_per_request` what one request costs.
    """

    uncached_input: float
    cached_input: float
    output: float
    blended: float
    output_alone: float
    cost_per_request: float


def token_prices(
    cost_per_hour: float, traffic: Traffic, billing: Billing | None = None, margin: float = 0.0
) -> TokenPrices:
    """The prices that bring in the hourly cost and a margin (a share of the cost) on top.

    `cost_per_hour` is that of the whole deployment. Raises RunError when nothing is billed.
    """
    billing = billing or Billing()
    per_request = cost_per_hour * (1 + margin) / (_positive("rps", traffic.rps) * SECONDS_PER_HOUR)
    cached = traffic.prompt_tokens * traffic.hit_share
    weighted = (
        traffic.prompt_tokens - cached
        + billing.cached_ratio * cached
        + billing.output_ratio * traffic.output_tokens
    )  # fmt: skip
    uncached = MILLION * per_request / _positive("billed tokens", weighted)
    return TokenPrices(
        uncached_input=uncached,
        cached_input=billing.cached_ratio * uncached,
        output=billing.output_ratio * uncached,
        blended=MILLION * per_request / (traffic.prompt_tokens + traffic.output_tokens),
        output_alone=MILLION * per_request / _positive("output tokens", traffic.output_tokens),
        cost_per_request=per_request,
    )


def _positive(name: str, value: float) -> float:
    if not value > 0:
        raise RunError(Problem(name, shown(value), "prices need something that is sold: above 0"))
    return value
