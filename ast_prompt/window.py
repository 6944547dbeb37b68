"""Which stretch of the file goes into the prompt: it begins at a line that begins a piece of code, and stays there
while one types.

What stands at the prompt's beginning must not move, or the engine reads everything again. So the places where a
window may begin are fixed in the file: one in each stretch of some size, chosen by what stands there alone, not by
the tree, which is broken round the cursor and changes its mind about the rest at every key.
"""

from __future__ import annotations

from collections.abc import Iterator

from ast_prompt.focus import Focus
from ast_prompt.place import columns
from ast_prompt.text import Text

STEPS = 4
"""A window is this many stretches long: its beginning moves by a quarter of it at a time."""
BEGINS_NOTHING = b")]}>\"'`,;.|&+-*/?:="
"""First bytes of lines that go on with the one above."""
BEGINS_NOTHING_OR_BLANK = BEGINS_NOTHING + b"\r\n"
DEEPEST = 120
"""Bytes of a line in which its code begins."""


def window_starts(focus: Focus, size: int) -> Iterator[int]:
    """Offsets where a window of at most `size` bytes before the cursor may begin, the largest window first.

    The last one is always near the cursor, however long its line is.
    """
    yield from starts_above(focus.text, focus.offset, size, STEPS)
    yield whole_character(focus.text.data, max(focus.offset - size // STEPS // 2, 0))


def starts_above(text: Text, end: int, size: int, steps: int) -> Iterator[int]:
    """Of the file's fixed places, of which there are `steps` in a stretch of `size` bytes, those that are at most so
    far above `end`, the furthest first."""
    step = max(size // steps, 1)
    if end <= size:
        yield 0
    least = max(end - size, 1)
    for stretch in range(-(-least // step), end // step + 1):
        yield start_in(text, stretch * step, min((stretch + 1) * step, end))


def start_in(text: Text, begin: int, end: int) -> int:
    """The line between two offsets that stands furthest out and begins a piece of code: there a statement or a
    definition starts. In a stretch without a line start, its first whole character."""
    first = text.line_at(begin)
    if text.start(first) < begin:
        first += 1
    best, least = -1, -1
    for line in text.starts[first : text.line_at(max(end - 1, 0)) + 1].tolist():
        found = text.data[line : line + DEEPEST]
        code = found.lstrip(b" \t\f\v")
        if code and code[0] not in BEGINS_NOTHING_OR_BLANK:
            depth = columns(found[: len(found) - len(code)].decode())
            if least < 0 or depth < least:
                best, least = line, depth
    return best if best >= 0 else whole_character(text.data, begin)


def window_below(focus: Focus, size: int) -> int:
    """Offset where a window of at most `size` bytes below the cursor's line ends: behind a line, where one fits.

    What is written in the cursor's line, or closed there by the editor, does not move it.
    """
    text = focus.text
    begin = text.end(text.line_at(focus.offset))
    most = begin + size
    if most >= len(text.data):
        return len(text.data)
    end = text.start(text.line_at(most))
    return end if end > begin else whole_character(text.data, most)


def whole_character(data: bytes, offset: int) -> int:
    while offset < len(data) and data[offset] & 0xC0 == 0x80:
        offset += 1
    return offset
