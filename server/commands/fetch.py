"""`kireji fetch`: the embedded engine's model, with a progress bar."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from server.engines import EngineError
from server.engines.model_file import fetch
from server.settings import Settings


def run(parsed: argparse.Namespace, settings: Settings) -> int:
    try:
        print(fetched())
    except EngineError as error:
        print(f"kireji: {error}", file=sys.stderr)
        return 2
    return 0


def fetched() -> Path:
    """The model's file, downloaded where it is not there yet. Raises EngineError."""
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    rows: dict[str, TaskID] = {}

    def show(what: str, done: int, of: int) -> None:
        if what not in rows:
            rows[what] = bars.add_task(what, total=of or None)
        bars.update(rows[what], completed=done, total=of or None)

    with bars:
        return fetch(show)
