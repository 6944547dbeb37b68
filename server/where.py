"""The cursor of a request."""

from __future__ import annotations

from dataclasses import dataclass

from server.documents import Snapshot
from server.positions import Encoding, offset_at, position_at


@dataclass(frozen=True, slots=True)
class Part:
    """What an editor knows as a document of its own: a cell of a notebook."""

    uri: str
    version: int
    first_line: int


@dataclass(frozen=True, slots=True)
class Where:
    snapshot: Snapshot
    offset: int
    encoding: Encoding
    part: Part | None = None

    @property
    def uri(self) -> str:
        """The editor's."""
        return self.part.uri if self.part is not None else self.snapshot.uri

    @property
    def version(self) -> int:
        return self.part.version if self.part is not None else self.snapshot.version

    @property
    def first_line(self) -> int:
        return self.part.first_line if self.part is not None else 0

    def is_at(self, other: Where) -> bool:
        """Whether both are one place of one text."""
        return self.offset == other.offset and self.snapshot.text is other.snapshot.text

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, in the protocol's units."""
        line, column = position_at(self.snapshot.text, offset, self.encoding)
        return line - self.first_line, column

    def offset_of(self, line: int, column: int) -> int:
        return offset_at(self.snapshot.text, line + self.first_line, column, self.encoding)

    @property
    def line(self) -> tuple[str, str]:
        """The cursor's line, left and right of it."""
        text = self.snapshot.text
        number = text.line_at(self.offset)
        return text.decoded(text.start(number), self.offset), text.decoded(self.offset, text.end(number))
