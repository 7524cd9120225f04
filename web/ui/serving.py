"""How the component's own files are served: whoever has an old one asks whether it still holds."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles


class Assets(StaticFiles):
    """Static files that a browser keeps but asks about: modules of one version go together."""

    def file_response(self, *args: Any, **more: Any) -> Response:
        response = super().file_response(*args, **more)
        response.headers["Cache-Control"] = "no-cache"
        return response
