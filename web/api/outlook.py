"""The forecast that stands beside a running twin: one is made at a time, from the latest state."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from .errors import ApiError

LOG = logging.getLogger("pdd_twin")


class Outlook:
    """Makes forecasts one after the other as long as one is `wanted` and somebody would see it."""

    def __init__(
        self,
        name: str,
        forecast: Callable[[], Awaitable[bytes]],
        looked_at: Callable[[], bool],
        tell: Callable[[bytes], None],
    ) -> None:
        self.latest: bytes | None = None
        self.under_way = False
        self._name = name
        self._forecast = forecast
        self._looked_at = looked_at
        self._tell = tell
        self._wanted = False
        self._course = 0

    def want(self) -> bool:
        """Another forecast is wanted; whether `make` has to be started for it."""
        self._wanted = True
        start = not self.under_way
        self.under_way = True
        return start

    def forget(self) -> None:
        """The twin takes another course: no forecast begun before is told."""
        self.latest = None
        self._course += 1

    async def make(self) -> None:
        """Make and tell what is wanted."""
        try:
            while self._wanted and self._looked_at():
                self._wanted = False
                course = self._course
                forecast = await self._forecast()
                if course == self._course:
                    self.latest = forecast
                    self._tell(forecast)
        except ApiError as error:
            LOG.info("no forecast of twin %s: %s", self._name, error.message)
        finally:
            self.under_way = False
