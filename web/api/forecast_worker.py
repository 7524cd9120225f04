"""A worker process that runs copies of twins ahead and tells what comes."""

from __future__ import annotations

import orjson

from twin.running import RunningTwin

from .wire import Ended, Wire


def work(wire: Wire) -> None:
    """Answer each checkpoint with the forecast from it, as JSON, until the server is gone."""
    try:
        while (message := wire.receive(None)) is not None:
            _, ask, checkpoint, horizon_s = message
            forecast = RunningTwin.at(checkpoint).forecast(horizon_s)
            wire.send(("said", ask, orjson.dumps(forecast)))
    except Ended:
        return
