"""The sources file: where samples come from, and which targets play which role.

`read_config` tells every problem of the file at once. Secrets stand in the environment or in files
of their own; the file names only where.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from twin import plain_yaml
from twin.errors import Problem, TwinError, shown
from twin.plain_yaml import Document

from .fetch import Credentials

Role = Literal["prefill", "relay_decode", "main_decode", "frontend", "line"]
KINDS = ("prometheus", "scrape", "remote_write")
ROLES: tuple[Role, ...] = ("prefill", "relay_decode", "main_decode", "frontend", "line")


class ConfigError(TwinError):
    """The sources file is wrong; carries every problem."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Basic(_Part):
    """Basic authentication; the password is in an environment variable."""

    user: str
    password_env: str


class Auth(_Part):
    """How a source is told who we are: basic, or a bearer token from the environment."""

    basic: Basic | None = None
    bearer_env: str | None = None


class _Source(_Part):
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")
    every_s: float = Field(5.0, ge=0.2, le=3600)


class PrometheusSource(_Source):
    """Pulls from the HTTP API of Prometheus or of a server like it."""

    kind: Literal["prometheus"]
    url: str
    auth: Auth = Auth()
    ca_file: str = ""
    select: str = ""
    """A series selector; empty: every name that the vocabulary knows, and `up`."""
    backfill_s: float = Field(3600.0, ge=0, le=7 * 86_400)
    """How far back the first pull reaches."""


class Target(_Part):
    """One page, and the labels its samples get beside `job` and `instance`."""

    url: str
    labels: Mapping[str, str] = {}


class ScrapeSource(_Source):
    """Scrapes pages itself."""

    kind: Literal["scrape"]
    targets: tuple[Target, ...] = Field(min_length=1, max_length=1000)
    timeout_s: float = Field(2.0, ge=0.05, le=60)
    auth: Auth = Auth()
    ca_file: str = ""
    most_series: int = Field(20_000, ge=1, le=1_000_000)
    most_mib: float = Field(8.0, gt=0, le=32)


class RemoteWriteSource(_Source):
    """Takes what others push; its name is the last part of the address they push to."""

    kind: Literal["remote_write"]
    token_env: str | None = None


Source = Annotated[PrometheusSource | ScrapeSource | RemoteWriteSource, Field(discriminator="kind")]


class RoleMap(_Part):
    """The series of a role: all labels of `match` fit; `~` begins a regular expression."""

    dc: str | None = None
    match: Mapping[str, str] = Field(min_length=1)
    device: str | None = None


class Config(_Part):
    """The whole file."""

    sources: tuple[Source, ...] = ()
    roles: Mapping[Role, RoleMap] = {}
    allow: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    """Networks and names that may be asked."""
    retention_days: float = Field(default=15.0, gt=0, le=3650)


def read_config(text: str, place: str = "sources.yaml") -> Config:
    """The configuration in a text; ConfigError with every problem of it, each with its line."""
    return _config(plain_yaml.read(text, place))


def load_config(path: Path) -> Config:
    """The configuration of a file; where there is none there are no sources."""
    return _config(plain_yaml.read_file(path)) if path.exists() else Config()


def _config(document: Document) -> Config:
    if document.problems:
        raise ConfigError(document.problems)
    try:
        config = Config.model_validate({} if document.data is None else document.data)
    except ValidationError as error:
        for one in error.errors(include_url=False):
            _tell(document, one)
        raise ConfigError(document.problems) from None
    seen: set[str] = set()
    for index, source in enumerate(config.sources):
        if source.name in seen:
            document.wrong(
                f"sources[{index}].name", shown(source.name), "each source needs a name of its own"
            )
        seen.add(source.name)
    if document.problems:
        raise ConfigError(document.problems)
    return config


def credentials(
    auth: Auth, ca_file: str, environment: Mapping[str, str], place: str
) -> Credentials:
    """The secrets of a source, from the environment; ConfigError names an absent variable."""

    def secret(variable: str) -> str:
        if not environment.get(variable):
            raise ConfigError(Problem(place, f"in need of {variable}", "set this variable"))
        return environment[variable]

    basic = auth.basic
    return Credentials(
        user=basic.user if basic else "",
        password=secret(basic.password_env) if basic else "",
        bearer=secret(auth.bearer_env) if auth.bearer_env else "",
        ca_file=ca_file,
    )


def _tell(document: Document, error: Any) -> None:
    path = ""
    for part in error["loc"]:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part not in KINDS:  # pydantic also names the member of a union
            path += f".{part}" if path else part
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(error["loc"][-1]), sorted(_known_names()), n=1)
        document.wrong(path, "unknown", f"did you mean {near[0]}?" if near else "leave it out")
    elif error["type"] == "missing":
        document.wrong(path, "absent", "give it")
    elif error["type"].startswith("union_tag"):
        document.wrong(f"{path}.kind", "absent or unknown", f"give {', '.join(KINDS)}")
    else:
        said = str(error["msg"]).removeprefix("Input ")
        document.wrong(path, shown(error["input"]), said[0].lower() + said[1:])


def _known_names() -> set[str]:
    models: tuple[type[BaseModel], ...] = (
        Config, PrometheusSource, ScrapeSource, RemoteWriteSource, Target, RoleMap, Auth, Basic,
    )  # fmt: skip
    return {name for model in models for name in model.model_fields}
