"""Text: immutable UTF-8 bytes with their line starts, and the text after an edit.

Lines end at `\\n`, `\\r\\n` and `\\r`, and nowhere else, as the language server protocol has it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A document's bytes. Offsets are byte offsets everywhere."""

    data: bytes
    starts: NDArray[np.int64] = field(repr=False)
    """Offset of each line's first byte; the first is 0, and a text that ends in a line end has an empty last line."""

    @property
    def line_count(self) -> int:
        return len(self.starts)

    def line_at(self, offset: int) -> int:
        """The line that holds `offset`; an offset at a line's start belongs to that line."""
        return int(self.starts.searchsorted(offset, side="right")) - 1

    def start(self, line: int) -> int:
        """Offset of the line's first byte; past the last line, the end of the text."""
        return int(self.starts[line]) if line < len(self.starts) else len(self.data)

    def end(self, line: int) -> int:
        """Offset behind the line's last byte, its line end left out."""
        begin, end = self.start(line), self.start(line + 1)
        return begin + len(self.data[begin:end].rstrip(b"\r\n"))

    def decoded(self, begin: int, end: int) -> str:
        """The characters between two offsets; a character that an offset cuts is left out."""
        return self.data[max(begin, 0) : end].decode("utf-8", "ignore")

    def edited(self, begin: int, end: int, inserted: bytes) -> Text:
        """This text with `inserted` in place of the bytes from `begin` to `end`."""
        data = self.data[:begin] + inserted + self.data[end:]
        grown = len(inserted) - (end - begin)
        # A \r and a \n that an edit brings together or parts are one line end or two, so one line more
        # on either side is read again.
        first = max(self.line_at(begin) - 1, 0)
        last = self.line_at(end) + 2
        region = data[self.start(first) : self.start(last) + grown]
        ends = line_ends(region) + self.start(first)
        if last >= len(self.starts):
            starts = np.concatenate((self.starts[: first + 1], ends))
        else:
            starts = np.concatenate((self.starts[: first + 1], ends[:-1], self.starts[last:] + grown))
        return Text(data, starts)


def text_of(source: str | bytes) -> Text:
    """The text of a string, or of bytes that are UTF-8 already.

    Half of a surrogate pair, which JSON can spell but no file can hold, becomes U+FFFD: as long in UTF-16.
    """
    data = source if isinstance(source, bytes) else encoded(source)
    return Text(data, np.concatenate((np.zeros(1, np.int64), line_ends(data))))


def encoded(source: str) -> bytes:
    try:
        return source.encode()
    except UnicodeEncodeError:
        return source.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def plain_lines(text: str) -> str:
    """Every line end as `\\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line_ends(data: bytes) -> NDArray[np.int64]:
    """Offsets behind each line end."""
    codes = np.frombuffer(data, np.uint8)
    if b"\r" not in data:
        return np.flatnonzero(codes == 10).astype(np.int64) + 1
    feeds, returns = codes == 10, codes == 13
    alone = returns.copy()
    alone[:-1] &= ~feeds[1:]
    return np.flatnonzero(feeds | alone).astype(np.int64) + 1
