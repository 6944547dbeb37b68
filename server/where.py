"""The cursor of a request."""

from __future__ import annotations

from dataclasses import dataclass

from server.documents import Snapshot
from server.positions import Encoding, position_at


@dataclass(frozen=True, slots=True)
class Where:
    snapshot: Snapshot
    offset: int
    encoding: Encoding

    def is_at(self, other: Where) -> bool:
        """Whether both are one place of one text."""
        return self.offset == other.offset and self.snapshot.text is other.snapshot.text

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, in the protocol's units."""
        return position_at(self.snapshot.text, offset, self.encoding)

    @property
    def line(self) -> tuple[str, str]:
        """The cursor's line, left and right of it."""
        text = self.snapshot.text
        number = text.line_at(self.offset)
        return text.decoded(text.start(number), self.offset), text.decoded(self.offset, text.end(number))
