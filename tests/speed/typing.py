"""The tasks of `tests/quality`, typed into the server as `kireji bench typing` types files.

    python -m tests.speed.typing [--tasks 60] [--out tests/speed/typing.json]

One file a task, opened with the task's hole left empty; every fourth has a second hole elsewhere, so that one jumps
about in it. The other options are those of `kireji bench typing`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from server.bench.client import ServerFault
from server.bench.drawing import draw
from server.bench.holes import Hole, Source, with_another
from server.bench.script import script_of
from server.cli import add_settings, given
from server.commands.bench import BAD, add_replay_arguments, judged, plan_of, watched, write
from server.commands.source import BadInput
from server.settings import Settings, with_values
from tests.quality.tasks import tasks

LONGEST = 240
"""Characters of a hole that is typed."""
WITH_ANOTHER = 4
"""One source in so many has a second hole."""


def sources(count: int, seed: int) -> list[Source]:
    """One a file: else one task's file would hold another's answer."""
    found: dict[str, Source] = {}
    for task in tasks("border"):
        if len(found) == count:
            break
        if task.path in found or len(task.truth) > LONGEST:
            continue
        hole = Hole(len(task.before), len(task.before) + len(task.truth))
        source = Source(task.path, task.before + task.truth + task.after, (hole,))
        found[task.path] = with_another(source, seed) if len(found) % WITH_ANOTHER == 0 else source
    return list(found.values())


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.speed.typing", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=60, metavar="N")
    add_replay_arguments(parser)
    add_settings(parser)
    parsed = parser.parse_args()
    settings, problems = with_values(Settings(), given(parsed))
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        return BAD
    try:
        plan = plan_of(parsed, settings)
        report = watched(script_of(sources(parsed.tasks, parsed.seed), parsed.seed), plan)
        if parsed.out:
            write(report, Path(parsed.out), keys=False)
    except (BadInput, ServerFault) as error:
        print(error, file=sys.stderr)
        return BAD
    draw(report, Console(highlight=False))
    return judged(report)


if __name__ == "__main__":
    sys.exit(main())
