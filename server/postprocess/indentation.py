"""Blanks at the beginnings of lines: written once, as deep as the block, and of the file's own kind."""

from __future__ import annotations

from ast_prompt.brackets import lexis_of, read
from ast_prompt.growth import is_moved, unit_of, wanted_columns
from ast_prompt.place import BLANKS, TAB, columns
from server.postprocess.draft import Draft

WIDTHS = (4, 2, 8, 3)
"""Spaces that a model may mean by one step, the likeliest first."""


def written_indentation(draft: Draft) -> Draft:
    """On a blank line the blanks left of the cursor count as written: take as many off the first line.

    Where the model was made to write them first, what follows is its own.
    """
    before = draft.focus.before
    if before.strip(BLANKS) or draft.forced.strip(BLANKS) or draft.forced == before:
        return draft
    written = len(before) - len(draft.forced)
    leading = len(draft.text) - len(draft.text.lstrip(BLANKS))
    return draft.saying(draft.text[min(written, leading) :])


def missing_indentation(draft: Draft) -> Draft:
    """Where the cursor stands left of its block and the answer begins there, move the answer in: its first line, and
    the others where the second stands left of the block, too."""
    wanted = wanted_columns(draft.focus)
    missing = wanted - columns(draft.focus.before + draft.text)
    first, *others = draft.text.split("\n")
    if missing <= 0 or not first.strip() or draft.text[0] in "#\n":
        return draft
    unit = unit_of(draft.focus)
    second = next((columns(line) for line in others if line.strip()), 0)
    if is_moved(first, second, wanted):
        others = [
            blanks(columns(line) + missing, unit) + line.lstrip(BLANKS) if line.strip() else line for line in others
        ]
    own = draft.focus.before.count("\t") == len(draft.focus.before)
    return draft.saying("\n".join([blanks(missing, unit if own else " ") + first, *others]))


def blanks(width: int, unit: str) -> str:
    """Indentation of that many columns."""
    return "\t" * (width // TAB) + " " * (width % TAB) if unit == "\t" else " " * width


def own_unit(draft: Draft) -> Draft:
    """Blanks of the other kind at the beginnings of further lines become the file's own, as deep as they were;
    those of a string that has several lines are its own."""
    lines = draft.text.split("\n")
    unit = unit_of(draft.focus, unknown="") if len(lines) > 1 else ""
    if not unit:
        return draft
    lexis = lexis_of(draft.focus.language)
    code = [number for number in range(1, len(lines)) if not read("\n".join(lines[:number]) + "\n", lexis).literal]
    wrong = [number for number in code if lines[number].strip() and is_foreign(lines[number], unit)]
    width = step_of([columns_of_spaces(lines[number]) for number in wrong], columns(draft.focus.before) // TAB)
    for number in wrong:
        lines[number] = converted(lines[number], unit, width)
    return draft.saying("\n".join(lines))


def own_width(draft: Draft) -> Draft:
    """Spaces: where a block in the answer is indented by another width than the file's, all of it is.

    Only where every line is a whole number of such steps from the first; else some of them align.
    """
    lines = draft.text.split("\n")
    if len(lines) == 1:
        return draft
    unit = unit_of(draft.focus, unknown="")
    base = columns(draft.focus.before + lines[0]) if not draft.focus.before.strip() else columns(draft.focus.before)
    depths = [columns(line) - base for line in lines[1:] if line.strip()]
    step = next((depth for depth in depths if depth), 0)
    opened = lines[0].rstrip().endswith((":", "{")) and depths[:1] == [step]
    if unit in ("", "\t") or not opened or step in (0, len(unit)) or any(depth % step for depth in depths):
        return draft
    if min(depths) < 0 or "\t" in draft.text or has_literal(draft):
        return draft
    scaled = [" " * (base + (columns(line) - base) // step * len(unit)) + line.lstrip(" ") for line in lines[1:]]
    return draft.saying("\n".join([lines[0], *(line if line.strip() else "" for line in scaled)]))


def has_literal(draft: Draft) -> bool:
    """Whether a string or a comment of the answer has several lines."""
    lexis, text = lexis_of(draft.focus.language), draft.text
    return any(read(text[: at + 1], lexis).literal for at, character in enumerate(text) if character == "\n")


def is_foreign(line: str, unit: str) -> bool:
    """Spaces where the file has tabs, or a tab where it has spaces; spaces behind tabs align."""
    indent = line[: len(line) - len(line.lstrip(BLANKS))]
    return indent.startswith(" ") if unit == "\t" else "\t" in indent


def columns_of_spaces(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def step_of(indents: list[int], level: int) -> int:
    """The spaces of one step, where the cursor is `level` steps in."""
    for width in WIDTHS:
        if indents and all(indent % width == 0 for indent in indents) and min(indents) // width in (level, level + 1):
            return width
    return TAB


def converted(line: str, unit: str, width: int) -> str:
    indent = line[: len(line) - len(line.lstrip(BLANKS))]
    if unit != "\t":
        return indent.replace("\t", unit) + line[len(indent) :]
    spaces = len(indent.expandtabs(width))
    return "\t" * (spaces // width) + " " * (spaces % width) + line[len(indent) :]


def line_of_the_brace(draft: Draft) -> Draft:
    """Where a `}` stands right of the cursor on a line that is blank so far, the block's last line ends before it."""
    before, after = draft.focus.before, draft.focus.after
    if before.strip() or not after.lstrip().startswith("}") or draft.covers or not draft.text.strip():
        return draft
    unit = unit_of(draft.focus)
    return draft.saying(draft.text + "\n" + ("" if after[0] in BLANKS else before.removesuffix(unit)))
