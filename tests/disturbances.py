"""What can befall a running deployment, by name: each a list of steps (seconds after, what)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twin.engine.simulation import Simulation

Step = tuple[float, Callable[[Simulation], None]]


def turn(setting: str, value: object) -> Callable[[Simulation], None]:
    """A setting turned."""
    return lambda sim: sim.turn(setting, value)


def happen(what: str, pool: str | None = None, instance: int = 0) -> Callable[[Simulation], None]:
    """A failure or a repair."""
    return lambda sim: sim.happen(what, pool, instance)


DISTURBANCES: dict[str, list[Step]] = {
    "8 chips drained from MD": [(0, turn("main_decode.instances", 3))],
    "MD drained to one instance and back": [
        (0, turn("main_decode.instances", 1)), (90, turn("main_decode.instances", 4)),
    ],
    "RLD instance lost and back": [
        (0, happen("instance_lost", "relay_decode")), (40, happen("instance_back", "relay_decode")),
    ],
    "line cut for 60 s": [(0, happen("line_cut")), (60, happen("line_back"))],
    "line cut for 60 s, RLD lost meanwhile": [
        (0, happen("line_cut")), (10, happen("instance_lost", "relay_decode")),
        (30, happen("instance_back", "relay_decode")), (60, happen("line_back")),
    ],
    "P instance lost and back": [
        (0, happen("instance_lost", "prefill", 2)), (60, happen("instance_back", "prefill", 2)),
    ],
    "all P instances lost and back": [
        *((0.0, happen("instance_lost", "prefill", n)) for n in range(5)),
        *((20.0 + n, happen("instance_back", "prefill", n)) for n in range(5)),
    ],
    "MD instance lost and back": [
        (0, happen("instance_lost", "main_decode", 1)),
        (60, happen("instance_back", "main_decode", 1)),
    ],
    "all MD instances lost and back": [
        *((5.0 * n, happen("instance_lost", "main_decode", n)) for n in range(4)),
        *((40.0 + n, happen("instance_back", "main_decode", n)) for n in range(4)),
    ],
    "RLD and MD lost together": [
        (0, happen("instance_lost", "relay_decode")), (0, happen("instance_lost", "main_decode")),
        (20, happen("instance_back", "main_decode")),
        (25, happen("instance_back", "relay_decode")),
    ],
    "load down and up": [(0, turn("workload.clients", 20)), (100, turn("workload.clients", 200))],
    "DRC off and on": [
        (0, turn("caches.drc_enabled", False)), (60, turn("caches.drc_enabled", True)),
    ],
    "DRC resized": [(0, turn("caches.drc_tb", 0.05)), (60, turn("caches.drc_tb", 2.0))],
    "bandwidth to a tenth and back": [
        (0, turn("line.bandwidth_gbps", 1.0)), (60, turn("line.bandwidth_gbps", 10.0)),
    ],
    "P-RLD allowed and excluded": [
        (0, turn("policy.p_rld", True)), (90, turn("policy.p_rld", False)),
    ],
}  # fmt: skip
"""For the published PDD deployment: 5 P, 1 RLD and 4 MD instances."""


def disturbed(
    sim: Simulation, steps: list[Step], before_s: float, after_s: float, every_s: float
) -> Iterator[Simulation]:
    """`sim` every `every_s` seconds and right after each step, which begin at `before_s`."""
    waiting = list(steps)
    while sim.now < before_s + after_s:
        due = before_s + waiting[0][0] if waiting else float("inf")
        sim.advance(min(due, sim.now + every_s))
        while waiting and sim.now >= before_s + waiting[0][0]:
            waiting.pop(0)[1](sim)
        yield sim
