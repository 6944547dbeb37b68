"""A text as the parser reads it, piece by piece.

The parser's binding takes a buffer of each piece that it is given and never releases it (py-tree-sitter 0.26.1), so
that every key would cost the memory of the whole file. Here what it keeps of them is taken back. It needs no piece
after it has returned: where it goes on later, it asks for the text again.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tree_sitter import Point

READ_AHEAD = 65_536
"""Bytes that the parser is given at a time; smaller pieces cost up to 5 % more."""


class Pieces:
    def __init__(self, data: bytes) -> None:
        self.data = memoryview(data)
        self.given: list[bytes] | None = None
        """Since the parser began; None while it does not run: a tree may look its text up here."""

    def __call__(self, offset: int, point: Point) -> bytes:
        piece = bytes(self.data[offset : offset + READ_AHEAD])
        if self.given is not None and len(piece) > 1:  # Python keeps shorter ones itself
            self.given.append(piece)
        return piece

    @contextmanager
    def lent(self) -> Iterator[None]:
        """While the parser runs."""
        self.given = []
        try:
            yield
        finally:
            given, self.given = self.given, None
            take_back(given)


def take_back(pieces: list[bytes]) -> None:
    """Drop the references that somebody keeps of these beside the list; none where the binding keeps none."""
    (usual,) = references([bytes(2)])  # of one that was never lent
    for piece, found in zip(pieces, references(pieces), strict=True):
        for _ in range(found - usual):
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(piece))


def references(pieces: list[bytes]) -> list[int]:
    return [sys.getrefcount(piece) for piece in pieces]
