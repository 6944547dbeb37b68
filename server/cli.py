"""`kireji`: the command line's parser; each command is a file in `commands/`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version

from server.commands import bench, complete, doctor, explain, fetch, serve
from server.commands.source import STDIN
from server.settings import NAMES, Settings, with_values

SHOWN, NOTHING, BAD = 0, 1, 2
"""Exit codes: a completion was shown; there is nothing to show; bad input, or no engine."""


def main(arguments: Sequence[str] | None = None) -> int:
    given_arguments = sys.argv[1:] if arguments is None else arguments
    # `-:3:7` begins like an option
    parsed = parser().parse_args([STDIN + one[1:] if one.startswith("-:") else one for one in given_arguments])
    settings, problems = with_values(Settings(), given(parsed))
    for problem in problems:
        print(f"kireji: {problem}", file=sys.stderr)
    if problems:
        return BAD
    try:
        return int(parsed.run(parsed, settings))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return BAD


def given(parsed: argparse.Namespace) -> dict[str, object]:
    return {name: getattr(parsed, name) for name in NAMES if getattr(parsed, name, None) is not None}


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser("kireji", description="Code completion by a small model on your own machine.")
    whole.add_argument("--version", action="version", version=f"kireji {version('kireji')}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")

    one = commands.add_parser("complete", help="complete code at a place in a file")
    add_place(one)
    one.set_defaults(run=complete.run)

    why = commands.add_parser("explain", help="say why a completion is what it is, step by step")
    add_place(why)
    why.set_defaults(run=explain.run)

    server = commands.add_parser("serve", help="run the language server")
    server.add_argument("--stdio", action="store_true", help="speak over standard input and output (the only way)")
    server.add_argument("--log", metavar="FILE", help="the log's file, instead of the one in the user's log folder")
    add_settings(server)
    server.set_defaults(run=serve.run)

    check = commands.add_parser("doctor", help="say which engine answers, and what to do about what is wrong")
    add_settings(check)
    check.set_defaults(run=doctor.run)

    model = commands.add_parser("fetch", help="download the embedded engine's model (491 MB)")
    model.set_defaults(run=fetch.run)

    measure = commands.add_parser("bench", help="measure a language server as one who types sees it")
    typing = bench.add_arguments(measure)
    add_settings(typing)
    typing.set_defaults(run=bench.run)
    return whole


def add_place(command: argparse.ArgumentParser) -> None:
    command.add_argument("place", metavar="FILE:LINE:COL", help="1-based, COL in characters; FILE - reads stdin")
    command.add_argument("--language", help="the language, where the file's name does not tell it")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    add_settings(command)


def add_settings(command: argparse.ArgumentParser) -> None:
    for name, kind, says in (
        ("engine", str, "auto, ollama or embedded"),
        ("model", str, "the model's name, or a .gguf file for the embedded engine"),
        ("host", str, "Ollama's address, instead of OLLAMA_HOST"),
        ("promptTokens", int, "tokens of the prompt at most"),
        ("maxTokens", int, "tokens of an answer at most"),
        ("timeout", float, "seconds that an answer may take"),
    ):
        flag = "--" + "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)
        command.add_argument(flag, dest=name, type=kind, help=says, metavar=name.upper())


if __name__ == "__main__":
    sys.exit(main())
