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


def window_starts(focus: Focus, size: int) -> Iterator[int]:
    """Offsets where a window of at most `size` bytes before the cursor may begin, the largest window first.

    The last one is always near the cursor, however long its line is.
    """
    step = max(size // STEPS, 1)
    if focus.offset <= size:
        yield 0
    least = max(focus.offset - size, 1)
    for stretch in range(-(-least // step), focus.offset // step + 1):
        yield start_in(focus.text, stretch * step, min((stretch + 1) * step, focus.offset))
    yield whole_character(focus.text.data, max(focus.offset - step // 2, 0))


def start_in(text: Text, begin: int, end: int) -> int:
    """The line between two offsets that stands furthest out and begins a piece of code: there a statement or a
    definition starts. In a stretch without a line start, its first whole character."""
    line = text.line_at(begin)
    if text.start(line) < begin:
        line += 1
    best, least = -1, -1
    while line < text.line_count and text.start(line) < end:
        found = text.data[text.start(line) : text.end(line)]
        if found.strip() and found.lstrip()[0] not in BEGINS_NOTHING:
            depth = columns(found.decode("utf-8", "replace"))
            if least < 0 or depth < least:
                best, least = text.start(line), depth
        line += 1
    return best if best >= 0 else whole_character(text.data, begin)


def window_after(focus: Focus, size: int) -> int:
    """Offset where a window of at most `size` bytes after the cursor ends: behind a line, where one fits."""
    text, most = focus.text, focus.offset + size
    if most >= len(text.data):
        return len(text.data)
    line = text.line_at(most)
    end = text.start(line)
    return end if end > focus.offset else whole_character(text.data, most)


def whole_character(data: bytes, offset: int) -> int:
    while offset < len(data) and data[offset] & 0xC0 == 0x80:
        offset += 1
    return offset
