"""Settings of the service: environment variables in, one frozen Settings out, or every problem.

The sentence under each field is its documentation; `page` writes them as docs/settings.md.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from twin.errors import Problem, TwinError, shown

PREFIX = "PDD_TWIN_"
SHORTEST_TOKEN = 16
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
MIB = 2**20


class SettingsError(TwinError):
    """The environment does not give usable settings."""


def _set(default: Any, doc: str, told: str | None = None, **bounds: Any) -> Any:
    """A setting; `told` is its default in words where the value itself says little."""
    shown_default = str(default) if told is None else told
    return Field(default, description=doc, json_schema_extra={"told": shown_default}, **bounds)


class Settings(BaseModel):
    """All settings of the service."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    host: str = _set("127.0.0.1", "Address to listen on; beyond loopback a token is required.")
    port: int = _set(8501, "Port of the page and of the API.", ge=1, le=65535)
    token: SecretStr | None = _set(
        None, "Secret that whoever changes something must know; at least 16 characters.",
        "none, which is allowed on loopback only", min_length=SHORTEST_TOKEN,
    )  # fmt: skip
    hosts: str = _set(
        "", "Names under which the service may be asked, with commas between them.",
        "on loopback localhost, 127.0.0.1 and [::1]; else any",
    )  # fmt: skip
    data: Path = _set(
        None, "Folder of the database and of uploaded traces.",
        "`var` in a checkout, else the user's data folder", validate_default=False,
    )  # fmt: skip
    database: str = _set(
        "", "Address of the database as SQLAlchemy has it; SQLite and PostgreSQL are known.",
        "`twin.sqlite3` in the data folder", repr=False,
    )  # fmt: skip
    most_twins: int = _set(
        12, "Twins that run at the same time; over it the longest unwatched one is put to sleep.",
        ge=1, le=1000,
    )  # fmt: skip
    sleep_after_s: float = _set(
        600.0, "Seconds after which a twin that nobody watches falls asleep.", gt=0, le=1e7
    )
    forget_days: float = _set(
        30.0, "Days after which a fork that nobody named or watched is forgotten; 0 for never.",
        ge=0, le=1e5,
    )  # fmt: skip
    spares: int = _set(
        2, "Worker processes kept ready, so that a new twin need not wait for one.", ge=0, le=64
    )
    forecasters: int = _set(2, "Processes that compute forecasts.", ge=1, le=64)
    run_workers: int = _set(1, "Runs that are carried out at the same time.", ge=1, le=64)
    run_limit_s: float = _set(1800.0, "Longest time a run may take, in seconds.", gt=0, le=1e7)
    upload_mib: float = _set(64.0, "Largest trace that can be uploaded, in MiB.", gt=0, le=4096)

    @property
    def on_loopback(self) -> bool:
        """Only this machine can reach the service."""
        return is_loopback(self.host)

    @property
    def database_address(self) -> str:
        """Where the database is."""
        return self.database or f"sqlite:///{self.data / 'twin.sqlite3'}"

    @property
    def allowed_hosts(self) -> tuple[str, ...]:
        """Names a request may ask for, without ports; empty when any may."""
        named = tuple(name.strip().lower() for name in self.hosts.split(",") if name.strip())
        if named or self.on_loopback:
            return (*LOOPBACK_NAMES, *named)
        return ()

    @property
    def address(self) -> str:
        """Where a browser on this machine finds the page."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read(environment: Mapping[str, str]) -> Settings:
    """The settings that an environment gives; SettingsError names every variable that is wrong."""
    given = {name: value for name, value in environment.items() if name.startswith(PREFIX)}
    problems = [_unknown(name) for name in given if _field(name) not in Settings.model_fields]
    values = {_field(name): value for name, value in given.items() if value != ""}
    values = {name: value for name, value in values.items() if name in Settings.model_fields}
    values.setdefault("data", str(default_data(environment)))
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        problems += [_wrong(found, values) for found in error.errors(include_url=False)]
        raise SettingsError(problems) from None
    if not settings.on_loopback and settings.token is None:
        remedy = (
            f"is reached from other machines, so set {PREFIX}TOKEN to a secret of at least "
            f"{SHORTEST_TOKEN} characters"
        )
        problems.append(Problem(f"{PREFIX}HOST={settings.host}", "", remedy))
    if problems:
        raise SettingsError(problems)
    return settings


def _field(variable: str) -> str:
    return variable.removeprefix(PREFIX).lower()


def _unknown(variable: str) -> Problem:
    near = difflib.get_close_matches(_field(variable), Settings.model_fields, n=1)
    known = [f"{PREFIX}{name.upper()}" for name in near or Settings.model_fields]
    meant = f"did you mean {known[0]}?" if near else f"known are {', '.join(known)}"
    return Problem(variable, "unknown", meant)


def _wrong(found: Any, values: Mapping[str, str]) -> Problem:
    name = str(found["loc"][0])
    if name == "token":
        remedy = f"give at least {SHORTEST_TOKEN} characters"
        return Problem(f"{PREFIX}TOKEN", "too short", remedy)
    return Problem(f"{PREFIX}{name.upper()}", shown(values.get(name)), f"give {_expects(name)}")


def _expects(name: str) -> str:
    field = Settings.model_fields[name]
    words = {int: "a whole number", float: "a number"}.get(field.annotation, "a text")  # type: ignore[arg-type]
    for rule in field.metadata:
        for key, word in (("ge", "at least"), ("gt", "above"), ("le", "at most")):
            bound = getattr(rule, key, None)
            if bound is not None:
                words += f" {word} {bound:,}"
    return words


def default_data(environment: Mapping[str, str]) -> Path:
    """`var` beside the packages in a checkout, else the folder where the system wants data."""
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / "pyproject.toml").exists():
        return checkout / "var"
    if os.name == "nt":
        return Path(environment.get("LOCALAPPDATA") or Path.home()) / "pdd-twin"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "pdd-twin"
    named = environment.get("XDG_DATA_HOME")
    return (Path(named) if named else Path.home() / ".local" / "share") / "pdd-twin"


def page() -> str:
    """All settings as a page."""
    rows = []
    for name, field in Settings.model_fields.items():
        extra = field.json_schema_extra
        told = extra["told"] if isinstance(extra, dict) else ""
        rows.append(f"| `{PREFIX}{name.upper()}` | {told} | {field.description} |")
    return "\n".join(
        [
            "# Settings of the service",
            "",
            "Environment variables, read once at start. A wrong or unknown one is told, and then",
            "nothing is started.",
            "",
            "| variable | default | what it sets |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )
