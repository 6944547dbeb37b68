"""The prompts that are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ast_prompt.budget import Budget
from ast_prompt.dialect import Order, stops
from ast_prompt.focus import Focus
from ast_prompt.prompt import Prompt, build_prompt, neutral
from ast_prompt.text import plain_lines
from server.engines import Model


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    order: Order
    healed: bool = True
    head: int = 0
    lines: bool = False
    """A plain window of whole lines, as other clients send."""

    def prompt(self, focus: Focus, model: Model, budget: int) -> Prompt:
        if self.lines:
            return line_window(focus, model, budget)
        found = build_prompt(
            focus,
            replace(model.dialect, order=self.order),
            model.vocabulary,
            Budget(budget, head=self.head),
        )
        if self.healed or not found.forced:
            return found
        text = found.text
        if self.order is Order.PREFIX_FIRST:  # what was taken back stands in the middle of the text
            mark = model.dialect.fim[1]
            head, _, tail = text.rpartition(mark)
            return replace(found, text=head + found.forced + mark + tail, forced="")
        return replace(found, text=text + found.forced, forced="")


def line_window(focus: Focus, model: Model, budget: int) -> Prompt:
    """As many whole lines as fit on either side, prefix first, nothing healed."""
    assert model.vocabulary is not None
    text, special = focus.text, model.dialect.marks | model.vocabulary.special
    room = budget - 3
    begin, end = text.line_at(focus.offset), text.line_at(focus.offset)
    after_room = int(room * Budget(budget).after)

    def before_from(line: int) -> str:
        return neutral(plain_lines(text.decoded(text.start(line), focus.offset)), special)

    def after_to(line: int) -> str:
        return neutral(plain_lines(text.decoded(focus.offset, text.start(line + 1))), special)

    while end + 1 < text.line_count and model.vocabulary.count(after_to(end + 1)) <= after_room:
        end += 1
    after = after_to(end)
    room -= model.vocabulary.count(after)
    while begin > 0 and model.vocabulary.count(before_from(begin - 1)) <= room:
        begin -= 1
    before = before_from(begin)
    prefix, suffix, middle = model.dialect.fim
    whole = f"{prefix}{before}{suffix}{after}{middle}"
    stop = stops(model.dialect, model.vocabulary.special)
    return Prompt(whole, None, "", stop, model.vocabulary.count(whole), before, after)


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("line-window", Order.PREFIX_FIRST, healed=False, lines=True),
        Variant("prefix-first-unhealed", Order.PREFIX_FIRST, healed=False),
        Variant("prefix-first", Order.PREFIX_FIRST),
        Variant("suffix-first-unhealed", Order.SUFFIX_FIRST, healed=False),
        Variant("suffix-first", Order.SUFFIX_FIRST),
        Variant("anchored-line-unhealed", Order.ANCHORED_AT_LINE, healed=False),
        Variant("anchored-line", Order.ANCHORED_AT_LINE),
        Variant("anchored-node-unhealed", Order.ANCHORED_AT_NODE, healed=False),
        Variant("anchored-node", Order.ANCHORED_AT_NODE),
        Variant("head-700", Order.SUFFIX_FIRST, head=724),
        Variant("head-2000", Order.SUFFIX_FIRST, head=2000),
    )
}
