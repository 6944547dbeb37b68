from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from ast_prompt.scope import folded_above
from ast_prompt.vocabulary import estimate
from tests.completing import focus_in


def folded(drawing: str, path: str = "main.py", tokens: int = 1000) -> str:
    """What stands above the cursor's line, folded."""
    focus = focus_in(drawing, path)
    return folded_above(focus, focus.text.start(focus.text.line_at(focus.offset)), tokens, estimate)


CART = '''
    """A cart.

    It holds items.
    """
    import os

    class Cart:
        size: int = 0

        def __init__(self, items):
            self.items = items
            self.size = len(items)

        @property
        def total(self) -> float:
            found = 0.0
            for item in self.items:
                found += item.price
            return found

        def clear(self):
            self.items = []

    def main():
        cart = Cart([])
        print(cart.total)

    x = █
    '''


def test_bodies_are_folded_fields_and_short_bodies_stay() -> None:
    assert folded(CART) == snapshot('''\
"""A cart.

It holds items.
"""
import os

class Cart:
    size: int = 0

    def __init__(self, items):
        self.items = items
        self.size = len(items)

    @property
    def total(self) -> float:
        ...

    def clear(self):
        self.items = []

def main():
    ...

''')


def test_brackets_and_end_words_stay() -> None:
    assert folded(
        """
        /* A licence
         * of
         * many
         * lines */
        import { a } from "b";

        export function one(x: number): number {
          const y = x + 1;
          return y;
        }

        const two = (x: number) => {
          one(x);
          one(x);
        };

        let z = █
        """,
        "main.ts",
    ) == snapshot("""\
import { a } from "b";

export function one(x: number): number {
  ...
}

const two = (x: number) => {
  ...
};

""")
    assert folded(
        """
        class A
          def one(x)
            y = x
            y + 1
          end
        end

        z = █
        """,
        "main.rb",
    ) == snapshot("""\
class A
  def one(x)
    ...
  end
end

""")


def test_what_does_not_fit_goes_from_the_top_but_the_imports_stay() -> None:
    functions = "".join(f"def f{number}(a):\n    b = a\n    return b\n\n" for number in range(50))
    text = folded(f"import os\nimport sys\n\n{functions}x = █\n", tokens=150)
    assert text.startswith("import os\nimport sys\ndef f")
    assert text.rstrip().endswith("def f49(a):\n    ...")
    assert estimate(text) <= 150


@pytest.mark.parametrize("tokens", [0, 1, 5, 40])
def test_it_keeps_to_its_budget(tokens: int) -> None:
    assert estimate(folded(CART, tokens=tokens)) <= tokens


def test_a_function_that_goes_on_below_is_not_folded() -> None:
    assert folded("def f():\n    a = 1\n    b = 2\n    x = █\n    return x\n") == "def f():\n    a = 1\n    b = 2\n"


def test_plain_text_has_nothing_to_fold() -> None:
    assert folded("a\nb\nc █\n", "notes.txt") == ""
