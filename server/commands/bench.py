"""`kireji bench typing`: code is typed into a language server as a person types it; what was seen is measured."""

from __future__ import annotations

import argparse
import json
import os.path
import shlex
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import server
from server.bench.client import ServerFault
from server.bench.drawing import draw
from server.bench.holes import with_holes
from server.bench.replay import Plan, Report, as_json, replay
from server.bench.script import Script, script_of
from server.commands.source import BadInput, read
from server.settings import Settings

MEASURED, WANTING, BAD = 0, 1, 2
"""Exit codes: measured; measured, but requests stayed unanswered or no text ever came; nothing to measure."""
OWN_COMMAND = (sys.executable, "-P", "-m", "server", "serve", "--stdio")
"""-P: a folder `server` of the user's is not this program."""
TASKS = 20


def add_arguments(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser of `bench typing`."""
    kinds = command.add_subparsers(required=True, metavar="WHAT")
    typing = kinds.add_parser("typing", help="type code into the language server, key by key")
    typing.add_argument("files", nargs="*", metavar="FILE", help="what is typed; none: this program's own modules")
    typing.add_argument("--tasks", type=int, default=TASKS, metavar="N", help="holes that are typed, at most")
    add_replay_arguments(typing)
    typing.add_argument("--json", action="store_true", help="print one JSON object")
    return typing


def add_replay_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seed", type=int, default=1, metavar="N", help="another seed: other keys")
    command.add_argument("--server", metavar="CMD", help="another language server that speaks over standard streams")
    command.add_argument("--options", metavar="JSON", help="initializationOptions of the server")
    command.add_argument("--debounce", type=float, default=50, metavar="MS", help="before asking, at most")
    command.add_argument("--accept", type=float, default=0, metavar="P", help="probability of accepting what is right")
    command.add_argument("--no-growth", action="store_true", help="an editor in which suggestions can't grow")
    command.add_argument("--forget", action="store_true", help="have the server forget its answers before each key")
    command.add_argument("--seconds", type=float, metavar="S", help="after which no more is typed")
    command.add_argument("--out", metavar="FILE", help="write the figures as JSON, those of each key too")


def run(parsed: argparse.Namespace, settings: Settings) -> int:
    try:
        plan = plan_of(parsed, settings)
        report = watched(script_in(files(parsed.files), parsed.tasks, parsed.seed), plan)
        if parsed.out:
            write(report, Path(parsed.out), keys=True)
    except (BadInput, ServerFault) as error:
        print(f"kireji: {error}", file=sys.stderr)
        return BAD
    if parsed.json:
        print(json.dumps(as_json(report, keys=False), ensure_ascii=False))
    else:
        draw(report, Console(highlight=False))
    return judged(report)


def script_in(named: Sequence[tuple[str, str]], count: int, seed: int) -> Script:
    """Raises BadInput."""
    sources = with_holes(named, count, seed)
    if not sources:
        raise BadInput("there is no place to type at: the files are too short, or --tasks is 0")
    return script_of(sources, seed)


def judged(report: Report) -> int:
    return WANTING if report.figures.unanswered or not report.figures.shown else MEASURED


def plan_of(parsed: argparse.Namespace, settings: Settings) -> Plan:
    """Raises BadInput."""
    options = options_of(parsed.options)
    if parsed.server is None:
        options = {"remember": False} | given(settings) | (options or {})
    try:
        command = OWN_COMMAND if parsed.server is None else shlex.split(parsed.server)
    except ValueError as error:
        raise BadInput(f"--server can't be read: {error}") from error
    if not command:
        raise BadInput("--server is empty")
    return Plan(
        command,
        options,
        max(parsed.debounce, 0) / 1000,
        parsed.accept,
        parsed.seconds,
        parsed.seed,
        not parsed.no_growth,
        parsed.forget,
    )


def options_of(argument: str | None) -> dict[str, Any] | None:
    if argument is None:
        return None
    try:
        found = json.loads(argument)
    except ValueError as error:
        raise BadInput(f"--options is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadInput("--options is not an object of JSON")
    return found


def given(settings: Settings) -> dict[str, Any]:
    """The settings that are not the defaults."""
    plain = Settings()
    names = [entry.name for entry in fields(settings)]
    return {name: getattr(settings, name) for name in names if getattr(settings, name) != getattr(plain, name)}


def files(names: Sequence[str]) -> list[tuple[str, str]]:
    """The path below their common folder, and the text, of each file. Raises BadInput."""
    paths = [Path(name) for name in names] or sorted(Path(server.__file__).parent.rglob("*.py"))
    places = [path.resolve() for path in paths]
    folder = os.path.commonpath([place.parent for place in places])
    return [
        (place.relative_to(folder).as_posix(), decoded(path))
        for place, path in dict(zip(places, paths, strict=True)).items()
    ]


def decoded(path: Path) -> str:
    try:
        return read(str(path)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 (byte {error.start})") from error


def watched(script: Script, plan: Plan) -> Report:
    """With a bar on a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("typing"), BarColumn(), TextColumn("{task.completed}/{task.total} keys"))
    bar = Progress(
        *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal, refresh_per_second=2
    )
    with bar:
        row = bar.add_task("", total=len(script.keys))
        return replay(script, plan, lambda done: bar.update(row, completed=done))


def write(report: Report, path: Path, *, keys: bool) -> None:
    """One line a task and a key, so that a diff shows which one turned. Raises BadInput."""
    found = as_json(report, keys=keys)
    lists = {name: found.pop(name) for name in ("by_task", "by_key") if name in found}
    whole = json.dumps(found, indent=1, ensure_ascii=False).removesuffix("\n}")
    for name, entries in lists.items():
        assert isinstance(entries, list)
        lines = ",\n".join(f"  {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
        whole += f',\n "{name}": [\n{lines}\n ]'
    try:
        path.write_text(whole + "\n}\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} can't be written: {error.strerror}") from error
