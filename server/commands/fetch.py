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
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from server.engines import EngineError
from server.engines.model_file import DEFAULT, fetch
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
    row = bars.add_task("the embedded engine's model")

    def show(what: str, done: int, of: int) -> None:
        bars.update(row, description=what.replace(DEFAULT.name, "model"), completed=done, total=of or None)

    with bars:
        return fetch(show)
