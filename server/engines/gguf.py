"""The metadata at the head of a GGUF file: the model's name, context length and vocabulary, without its tensors.

Not the package `gguf`: it describes every tensor and keeps every string as an array of numpy, which takes 7.6 s for
a vocabulary of 151,936 tokens where this takes 0.3 s, and it brings requests, PyYAML and tqdm. The format is
written down in ggml's `docs/gguf.md`.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"GGUF"
VERSIONS = (2, 3)
LARGEST_HEADER = 64 << 20
"""Bytes. The largest vocabularies in use, of 262,144 tokens, have heads of 15 MB."""
MOST_ELEMENTS = 4 << 20
"""In all lists together, so that a damaged count asks for no more memory than a large vocabulary."""
MOST_KEYS = 4_096

STRING, LIST = 8, 9
NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
"""Value types and how `struct` spells them; all are little-endian."""


class DamagedModel(ValueError):
    """The file is not GGUF, or broken off, or of a version that is not known. The message says which and where."""


def metadata(path: Path) -> dict[str, object]:
    """All keys and values before the tensors; strings, numbers, bools, and lists of those.

    Raises DamagedModel, and OSError for a file that can't be opened.
    """
    with path.open("rb") as stream:
        if stream.read(4) != MAGIC:
            raise DamagedModel(f"{path} is not a GGUF file")
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as head:
            return Reader(path, head, len(MAGIC), min(len(head), LARGEST_HEADER)).everything()


@dataclass(slots=True)
class Reader:
    path: Path
    head: mmap.mmap
    at: int
    """Byte that is read next."""
    end: int
    elements: int = 0

    def everything(self) -> dict[str, object]:
        version = self.integer("<I", 4)
        if version not in VERSIONS:
            raise DamagedModel(f"{self.path} is GGUF of version {version}, of which only 2 and 3 are known")
        self.integer("<Q", 8)  # the number of tensors
        keys = self.integer("<Q", 8)
        if keys > MOST_KEYS:
            raise self.damage(f"it claims to have {keys} keys")
        return {self.string(): self.value(self.integer("<I", 4)) for _ in range(keys)}

    def value(self, kind: int) -> object:
        if kind == LIST:
            return self.several(self.integer("<I", 4), self.integer("<Q", 8))
        if kind == STRING:
            return self.string()
        return self.numbers(kind, 1)[0]

    def several(self, kind: int, count: int) -> list[object]:
        self.elements += count
        if self.elements > MOST_ELEMENTS:
            raise self.damage(f"it claims to have a list of {count} elements")
        if kind == STRING:
            return [self.string() for _ in range(count)]
        return self.numbers(kind, count)

    def numbers(self, kind: int, count: int) -> list[object]:
        if kind not in NUMBERS:
            raise self.damage(f"there is no type {kind}")
        form = struct.Struct(f"<{count}{NUMBERS[kind]}")
        return list(form.unpack(self.take(form.size)))

    def string(self) -> str:
        # a token may be a part of a character
        return self.take(self.integer("<Q", 8)).decode("utf-8", "replace")

    def integer(self, form: str, size: int) -> int:
        number: int = struct.unpack(form, self.take(size))[0]
        return number

    def take(self, size: int) -> bytes:
        start, self.at = self.at, self.at + size
        if self.at > self.end:
            raise self.damage("it is cut off")
        return self.head[start : self.at]

    def damage(self, what: str) -> DamagedModel:
        return DamagedModel(f"{self.path} is damaged near byte {self.at}: {what}")
