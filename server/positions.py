"""Protocol positions and URIs on one side, byte offsets and paths on the other: the only place that converts.

Clamps as the protocol asks: past a line's end is its end, past the last line is the text's end, and a column
inside a character is that character's beginning.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from enum import StrEnum
from pathlib import PurePosixPath, PureWindowsPath
from urllib.parse import quote, unquote, urlsplit

from ast_prompt.text import Text


class Encoding(StrEnum):
    """What a column counts."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


def offset_at(text: Text, line: int, column: int, encoding: Encoding) -> int:
    """The byte offset of a position; line and column from 0."""
    if line >= text.line_count:
        return len(text.data)
    begin, end = text.start(line), text.end(line)
    return begin + bytes_of(text.data[begin:end], column, encoding)


def position_at(text: Text, offset: int, encoding: Encoding) -> tuple[int, int]:
    """Line and column, from 0, of a byte offset."""
    line = text.line_at(offset)
    return line, units(text.decoded(text.start(line), offset), encoding)


def units(text: str, encoding: Encoding) -> int:
    if encoding is Encoding.UTF32 or text.isascii():
        return len(text)
    if encoding is Encoding.UTF8:
        return len(text.encode())
    return len(text.encode("utf-16-le")) // 2


def bytes_of(line: bytes, column: int, encoding: Encoding) -> int:
    """How many bytes the first `column` units of a line are; whole characters only."""
    if line.isascii():
        return min(column, len(line))
    return characters(line, column, encoding)


def characters(line: bytes, column: int, encoding: Encoding) -> int:
    match encoding:
        case Encoding.UTF8:
            kept = line[:column].decode("utf-8", "ignore")
        case Encoding.UTF16:
            kept = line.decode("utf-8", "replace").encode("utf-16-le")[: 2 * column].decode("utf-16-le", "ignore")
        case Encoding.UTF32:
            kept = line.decode("utf-8", "replace")[:column]
    return len(kept.encode())


def path_of(uri: str, platform: str = sys.platform) -> str | None:
    """The file's path, or None for a document that is no file (untitled, a notebook's cell, remote)."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    path = unquote(uri_path(uri))
    if platform != "win32":
        return path
    if parts.netloc:
        return "\\\\" + unquote(parts.netloc) + path.replace("/", "\\")
    drive = re.match(r"/([A-Za-z]):", path)
    if drive:
        path = drive[1].lower() + path[2:]
    return path.replace("/", "\\")


def uri_path(uri: str) -> str:
    """All behind the authority. A raw `?` or `#` belongs to a path: editors escape them, or mean the file's name."""
    rest = uri.partition("://")[2]
    return "/" + rest.partition("/")[2]


def uri_key(uri: str, platform: str = sys.platform) -> str:
    """One key for all spellings of a document's URI."""
    path = path_of(uri, platform)
    if path is None:
        return uri
    if platform == "darwin":
        return unicodedata.normalize("NFC", path)
    return path


def uri_of(path: str, platform: str = sys.platform) -> str:
    if platform == "win32":
        return PureWindowsPath(path).as_uri()
    return "file://" + quote(str(PurePosixPath(path)))
