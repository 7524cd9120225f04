"""Where the bytes of traces lie: uploaded ones in a folder, the sample beside the scenarios."""

from __future__ import annotations

from pathlib import Path

from twin.scenario_file import shipped_folder

SAMPLE = "agents_small"
SAMPLE_FILE = "agents_small.mooncake.jsonl"


class TraceFiles:
    """The files of traces by the ids of these."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, trace_id: str) -> Path:
        """The file of a trace."""
        if trace_id == SAMPLE:
            return shipped_folder() / "traces" / SAMPLE_FILE
        return self.folder / f"{trace_id}.trace"
