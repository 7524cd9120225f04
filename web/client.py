"""The API seen from Python: one method for each thing that can be asked, and a live connection."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import orjson
from websockets.sync.client import ClientConnection, connect

Said = dict[str, Any]
Scenario = str | Mapping[str, Any]
"""A scenario by its name, or with all its values."""

TIMEOUT_S = 60.0


class ClientError(Exception):
    """An answer that is an error: its code, its sentence, its problems, its HTTP status."""

    def __init__(self, error: Said, status: int | None = None) -> None:
        super().__init__(error["message"])
        self.code: str = error["code"]
        self.message: str = error["message"]
        self.problems: list[Said] = error["problems"]
        self.status = status


class Client:
    """Asks a running service at `address`, such as http://127.0.0.1:8501."""

    def __init__(
        self, address: str, token: str | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        self.address = address.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(
            base_url=f"{self.address}/api", headers=self.headers, timeout=timeout_s
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of all connections."""
        self.http.close()

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Any request; ClientError when the answer is an error."""
        answer = self.http.request(method, path, **more)
        if answer.is_error:
            raise ClientError(answer.json()["error"], answer.status_code)
        return answer

    def _said(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.ask(method, path, **({} if body is None else {"json": body}))
        return answer.json() if answer.content else None

    # --- about

    def health(self) -> Said:
        """Whether it works, for how long, and with what."""
        return self._said("GET", "/health")

    def settings(self) -> list[Said]:
        """Every setting of a scenario."""
        return self._said("GET", "/settings")

    # --- scenarios

    def scenarios(self) -> list[Said]:
        """All scenarios."""
        return self._said("GET", "/scenarios")

    def scenario(self, name: str) -> Said:
        """A scenario with all its values."""
        return self._said("GET", f"/scenarios/{name}")

    def check_scenario(self, yaml: str) -> list[Said]:
        """Every problem of a text in YAML."""
        return self._said("POST", "/scenarios/check", {"yaml": yaml})["problems"]

    def save_scenario(self, scenario: Scenario, name: str | None = None) -> Said:
        """Save a text in YAML, or values, as the next version of its name."""
        kind = "yaml" if isinstance(scenario, str) else "scenario"
        return self._said("POST", "/scenarios", {kind: scenario, "name": name})

    def delete_scenario(self, name: str) -> None:
        """Take a saved scenario off the list."""
        self._said("DELETE", f"/scenarios/{name}")

    # --- traces

    def traces(self) -> list[Said]:
        """All traces."""
        return self._said("GET", "/traces")

    def trace(self, trace_id: str) -> Said:
        """One trace."""
        return self._said("GET", f"/traces/{trace_id}")

    def upload_trace(self, trace: Path | bytes, name: str | None = None) -> Said:
        """Upload a trace, from a file or as bytes."""
        called = name or (trace.name if isinstance(trace, Path) else "trace")
        content = trace.read_bytes() if isinstance(trace, Path) else trace
        return self.ask("POST", "/traces", content=content, params={"name": called}).json()

    def delete_trace(self, trace_id: str) -> None:
        """Delete a trace."""
        self._said("DELETE", f"/traces/{trace_id}")

    # --- runs

    def ask_run(self, scenario: Scenario, kind: str = "run", **more: Any) -> str:
        """Ask for a run (seed, set, trace, baseline); its id."""
        return self._said("POST", "/runs", {"scenario": scenario, "kind": kind, **more})["id"]

    def runs(self) -> list[Said]:
        """The newest runs."""
        return self._said("GET", "/runs")

    def run(self, run_id: str) -> Said:
        """A run, with its result when it is done."""
        return self._said("GET", f"/runs/{run_id}")

    def cancel_run(self, run_id: str) -> None:
        """Cancel a run."""
        self._said("DELETE", f"/runs/{run_id}")

    def run_events(self, run_id: str) -> Iterator[Said]:
        """How a run stands, until it has ended."""
        no_end = httpx.Timeout(TIMEOUT_S, read=None)  # a long run may say nothing for a while
        with self.http.stream("GET", f"/runs/{run_id}/events", timeout=no_end) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    yield orjson.loads(line.removeprefix("data: "))

    # --- studies: once asked for, each is a run

    def studies(self) -> list[Said]:
        """All studies: name, sentence, schema of the arguments."""
        return self._said("GET", "/studies")

    def ask_study(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Ask for a study; the id of its run."""
        return self._said("POST", f"/studies/{name}", dict(arguments))["id"]

    # --- running twins

    def make_twin(self, scenario: Scenario, baseline: Scenario | None = None, **more: Any) -> Said:
        """Make a running twin (seed, pace, warm_s, set, title)."""
        return self._said("POST", "/twins", {"scenario": scenario, "baseline": baseline, **more})

    def twins(self) -> list[Said]:
        """All running twins."""
        return self._said("GET", "/twins")

    def twin(self, twin: str) -> Said:
        """One running twin."""
        return self._said("GET", f"/twins/{twin}")

    def change_twin(self, twin: str, **changes: Any) -> Said:
        """Pace, pause or name a twin."""
        return self._said("PATCH", f"/twins/{twin}", changes)

    def turn(self, twin: str, setting: str, value: Any) -> Said:
        """Turn a setting; the entry of the log."""
        return self._said("POST", f"/twins/{twin}/turns", {"setting": setting, "value": value})

    def happen(self, twin: str, what: str, **where: Any) -> Said:
        """Let a failure or a repair happen (pool, instance); the entry of the log."""
        return self._said("POST", f"/twins/{twin}/happen", {"what": what, **where})

    def rewind(self, twin: str, to_s: float) -> Said:
        """Go back to a moment."""
        return self._said("POST", f"/twins/{twin}/rewind", {"to_s": to_s})

    def fork(self, twin: str, at_s: float | None = None, **more: Any) -> Said:
        """Copy a twin as it is, or was (set: values that are other in the copy)."""
        return self._said("POST", f"/twins/{twin}/fork", {"at_s": at_s, **more})

    def forecast(self, twin: str, horizon_s: float = 600.0) -> Said:
        """What comes in the next simulated seconds."""
        return self._said("POST", f"/twins/{twin}/forecast", {"horizon_s": horizon_s})

    def log(self, twin: str, after: int = 0) -> list[Said]:
        """The knob log."""
        return self._said("GET", f"/twins/{twin}/log?after={after}")

    def digest(self, twin: str) -> Said:
        """What names the whole state, and the simulated time it is of."""
        return self._said("GET", f"/twins/{twin}/digest")

    def frame(self, twin: str) -> Said:
        """One frame of now."""
        return self._said("GET", f"/twins/{twin}/frame")

    def scenario_yaml(self, twin: str) -> str:
        """The scenario as it is turned now, in YAML."""
        return self.ask("GET", f"/twins/{twin}/scenario.yaml").text

    def courses_csv(self, twin: str) -> str:
        """The courses that are remembered, as a table."""
        return self.ask("GET", f"/twins/{twin}/courses.csv").text

    def delete_twin(self, twin: str) -> None:
        """Delete a twin."""
        self._said("DELETE", f"/twins/{twin}")

    def live(self, twin: str = "default") -> Live:
        """A live connection to a twin; it is open within a `with`."""
        address = self.address.replace("http", "ws", 1)
        return Live(f"{address}/api/twins/{twin}/live", self.headers)


class Live:
    """A live connection: what is asked gets a number, by which its answer is found."""

    def __init__(self, address: str, headers: Mapping[str, str]) -> None:
        self._opening = connect(
            address, additional_headers=headers, max_size=None, compression=None
        )
        self.number = 0
        self.latest: dict[str, Said] = {}
        """The latest message of each type that has been received."""

    def __enter__(self) -> Self:
        self.socket: ClientConnection = self._opening.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._opening.__exit__(kind, error, where)

    def send(self, do: str, **more: Any) -> int:
        """Ask for something; its number."""
        self.number += 1
        self.socket.send(json.dumps({"do": do, "id": self.number, **more}))
        return self.number

    def receive(self, timeout_s: float = TIMEOUT_S) -> Said:
        """The next message; TimeoutError when none comes."""
        said = orjson.loads(self.socket.recv(timeout_s))
        self.latest[said["type"]] = said
        return said

    def until(self, *types: str, timeout_s: float = TIMEOUT_S, **like: Any) -> Said:
        """The next message of one of these types, with these fields; the others are passed by."""
        end = time.monotonic() + timeout_s
        while True:
            said = self.receive(max(0.0, end - time.monotonic()))
            if said["type"] in types and all(said.get(k) == v for k, v in like.items()):
                return said

    def do(self, do: str, answer: str, **more: Any) -> Said:
        """Ask for something and wait for its answer; ClientError when it is refused."""
        number = self.send(do, **more)
        said = self.until(answer, "refused", id=number)
        if said["type"] == "refused":
            raise ClientError(said["error"])
        return said

    def turn(self, setting: str, value: Any) -> Said:
        """Turn a setting; the message `turned`."""
        return self.do("turn", "turned", setting=setting, value=value)
