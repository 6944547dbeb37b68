"""FILE:LINE:COL, and the file behind it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from ast_prompt.languages import Language, language_of
from ast_prompt.text import Text, text_of
from server.positions import Encoding, offset_at

LARGEST = 64_000_000
"""Bytes: no source file is larger, and a prompt needs a small part of it."""


STDIN = "<stdin>"
"""What the command line's `-` becomes."""


class BadInput(Exception):
    """The message says what is wrong with what the user gave, and what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    path: str | None
    """None: standard input."""
    text: Text
    language: Language
    offset: int


def place_of(argument: str, language_id: str | None) -> Place:
    """Raises BadInput."""
    name, line, column = split(argument)
    data = read(name)
    if b"\0" in data:
        raise BadInput(f"{shown(name)} is binary: it holds a zero byte")
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{shown(name)} is not UTF-8 (byte {error.start}): convert it, e.g. `iconv -f latin1 -t utf-8`"
        ) from error
    text = text_of(source)
    if line > text.line_count:
        raise BadInput(f"line {line} is past the end: {shown(name)} has {text.line_count} lines")
    length = len(text.decoded(text.start(line - 1), text.end(line - 1)))
    if column > length + 1:
        raise BadInput(f"column {column} is past the end: line {line} of {shown(name)} has {length} characters")
    path = None if name == STDIN else name
    offset = offset_at(text, line - 1, column - 1, Encoding.UTF32)
    return Place(path, text, language_of(language_id, path), offset)


def split(argument: str) -> tuple[str, int, int]:
    name, *numbers = argument.rsplit(":", 2)
    if not name or len(numbers) != 2 or not all(number.isascii() and number.isdigit() for number in numbers):
        raise BadInput(f"{argument!r} is not FILE:LINE:COL, as in app.py:12:5")
    line, column = map(int, numbers)
    if line < 1 or column < 1:
        raise BadInput("line and column begin at 1")
    return name, line, column


def read(name: str) -> bytes:
    if name == STDIN:
        return sys.stdin.buffer.read(LARGEST)
    path = Path(name)
    try:
        if path.is_dir():
            raise BadInput(f"{name} is a folder: name a file in it")
        if path.stat().st_size > LARGEST:
            raise BadInput(f"{name} is over {LARGEST // 1_000_000} MB: no source file is so large")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {name}") from error
    except (OSError, ValueError) as error:
        raise BadInput(f"{name} can't be read: {getattr(error, 'strerror', None) or error}") from error


def shown(name: str) -> str:
    return "standard input" if name == STDIN else name
