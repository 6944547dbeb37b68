"""The prompts that are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ast_prompt.budget import Budget
from ast_prompt.dialect import Order
from ast_prompt.focus import Focus
from ast_prompt.prompt import Prompt, build_prompt
from server.engines import Model


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    order: Order
    healed: bool = True
    head: int = 0
    after: float = 0.3

    def prompt(self, focus: Focus, model: Model, budget: int) -> Prompt:
        found = build_prompt(
            focus,
            replace(model.dialect, order=self.order),
            model.vocabulary,
            Budget(budget, self.after, self.head),
        )
        if self.healed or not found.forced:
            return found
        text = found.text
        if self.order is Order.PREFIX_FIRST:  # what was taken back stands in the middle of the text
            mark = model.dialect.fim[1]
            head, _, tail = text.rpartition(mark)
            return replace(found, text=head + found.forced + mark + tail, forced="")
        return replace(found, text=text + found.forced, forced="")


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("prefix-first-unhealed", Order.PREFIX_FIRST, healed=False),
        Variant("prefix-first", Order.PREFIX_FIRST),
        Variant("suffix-first-unhealed", Order.SUFFIX_FIRST, healed=False),
        Variant("suffix-first", Order.SUFFIX_FIRST),
        Variant("anchored-line", Order.ANCHORED_AT_LINE),
        Variant("anchored-node", Order.ANCHORED_AT_NODE),
        Variant("head-700", Order.ANCHORED_AT_WINDOW, head=724),
        Variant("head-3000", Order.ANCHORED_AT_WINDOW, head=3000),
    )
}
