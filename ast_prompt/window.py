"""Which stretch of the file goes into the prompt: it begins at a syntax node, and stays while one types."""

from __future__ import annotations

from ast_prompt.focus import Focus
from ast_prompt.scopes import statements_between
from ast_prompt.text import Text

STEPS = 4
"""The window's start moves by a quarter of its size at a time, not at every key: what stands at the prompt's
beginning must stay there, or the engine reads everything again."""


def window_before(focus: Focus, size: int) -> int:
    """Offset where a window of at most `size` bytes before the cursor begins."""
    if focus.offset <= size:
        return 0
    step = max(size // STEPS, 1)
    least = -(-(focus.offset - size) // step) * step
    if focus.tree is not None:
        for begin, _ in statements_between(focus.tree, focus.language, least, focus.offset):
            line = focus.text.line_at(begin)
            if focus.text.start(line) >= least and is_blank(focus.text, focus.text.start(line), begin):
                return focus.text.start(line)
    return next_line_start(focus.text, least, focus.offset)


def window_after(focus: Focus, size: int) -> int:
    """Offset where a window of at most `size` bytes after the cursor ends: behind a line, where one fits."""
    text, most = focus.text, focus.offset + size
    if most >= len(text.data):
        return len(text.data)
    line = text.line_at(most)
    end = text.start(line)
    return end if end > focus.offset else whole_character(text.data, most)


def next_line_start(text: Text, least: int, most: int) -> int:
    """The first line start from `least` on; within one long line, the first whole character."""
    line = text.line_at(least)
    if text.start(line) == least:
        return least
    start = text.start(line + 1)
    return start if start <= most else whole_character(text.data, least)


def whole_character(data: bytes, offset: int) -> int:
    while offset < len(data) and data[offset] & 0xC0 == 0x80:
        offset += 1
    return offset


def is_blank(text: Text, begin: int, end: int) -> bool:
    return not text.data[begin:end].strip(b" \t")
