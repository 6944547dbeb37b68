from __future__ import annotations

import gzip
import json
import random
import re
import sys
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from textwrap import dedent

import pytest
from inline_snapshot import snapshot

from ast_prompt.grammars import grammar_of
from ast_prompt.languages import language_of
from tests.quality import build
from tests.quality.build import PER_FILE, Hole, Release, choose, is_cut, parse, row_of, sample
from tests.quality.fetch import Source, pinned_hashes, pinned_sources
from tests.quality.holes import NODE_TYPES, cuts, is_worth_asking
from tests.quality.tasks import TASKS

KINDS = {"import", "arguments", "value", "condition", "return", "line_tail", "block", "body"}
SHOP = Source("shop", "shop", "wheel", "MIT", "python", "small", "2.0", "1.0", ["shop/**"])
YOUNG = replace(SHOP, since="")


def holes_of(code: str, language: str) -> dict[str, list[str]]:
    """What is cut out of some code, by kind."""
    data, found = code.encode(), dict[str, list[str]]()
    for cut in cuts(parse(data, language), data, NODE_TYPES[language]):
        middle = data[cut.start : cut.end].decode()
        if is_worth_asking(cut.kind, middle):
            found.setdefault(cut.kind, []).append(middle)
    return found


def outline(code: str, language: str) -> dict[str, list[str]]:
    """The same, of several lines the first and the last."""
    found = holes_of(dedent(code), language)
    return {kind: [re.sub(r"\n(.*\n)* *", " … ", middle) for middle in middles] for kind, middles in found.items()}


def test_python_is_cut_in_all_kinds() -> None:
    assert outline(PYTHON, "python") == snapshot(
        {
            "import": ["Decimal, getcontext"],
            "block": ["def total(self, rate): … return found * rate", "found += self.items.price  # a comment"],
            "body": ["found = Decimal(initial) … return found * rate"],
            "value": ["Decimal(initial)"],
            "arguments": ["initial"],
            "condition": ["rate > limit"],
            "line_tail": ["price  # a comment", "items.price  # a comment"],
            "return": ["found * rate"],
        }
    )


PYTHON = '''
    from decimal import Decimal, getcontext
    class Cart(Collection):
        def total(self, rate):
            """The docstring stays."""
            found = Decimal(initial)
            if rate > limit:
                found += self.items.price  # a comment
            return found * rate
    '''


def test_typescript_is_cut_in_all_kinds() -> None:
    assert outline(TYPESCRIPT, "typescript") == snapshot(
        {
            "import": ['{ Decimal } from "decimal.js";'],
            "body": ["const found = new Decimal(start); … return found.times(rate);"],
            "value": ["new Decimal(start)"],
            "condition": ["(rate > limit)"],
            "block": ["found.add(this.items.price);"],
            "line_tail": ["add(this.items.price);", "price);", "items.price);", "times(rate);"],
            "arguments": ["this.items.price"],
            "return": ["found.times(rate)"],
        }
    )


TYPESCRIPT = """
    import { Decimal } from "decimal.js";
    class Cart extends Base {
      total(rate: number): number {
        const found = new Decimal(start);
        if (rate > limit) {
          found.add(this.items.price);
        }
        return found.times(rate);
      }
    }
    """

BRACES = {
    "go": """
        package shop
        import "example.com/decimal"
        func (cart Cart) Total(rate float64) float64 {
            found := decimal.New(start)
            if rate > limit {
                found.Add(cart.price)
            }
            return found.Times(rate)
        }
        """,
    "rust": """
        use decimal::Decimal;
        fn total(cart: &Cart, rate: f64) -> f64 {
            let found = Decimal::new(start);
            if rate > limit {
                found.add(cart.items.price);
            }
            return found.times(rate);
        }
        """,
    "java": """
        import org.example.Decimal;
        class Cart {
            double total(double rate) {
                Decimal found = new Decimal(start);
                if (rate > limit) {
                    found.add(this.items.price());
                }
                return found.times(rate);
            }
        }
        """,
    "c": """
        #include <decimal.h>
        double total(struct cart *cart, double rate) {
            double found = decimal_new(start);
            if (rate > limit) {
                found = decimal_add(found, cart->items->price);
            }
            return found * rate;
        }
        """,
}


@pytest.mark.parametrize("language", BRACES)
def test_the_other_languages_are_cut_in_all_kinds(language: str) -> None:
    assert set(outline(BRACES[language], language)) == KINDS


@pytest.mark.parametrize("language", NODE_TYPES)
def test_the_grammar_knows_every_name_of_the_table(language: str) -> None:
    types, grammar = NODE_TYPES[language], grammar_of(language_of(language, None))
    assert grammar is not None
    pairs = types.values | types.members | types.conditions
    names = {*types.imports, types.arguments, types.returns, *types.functions, *types.blocks, *types.definitions}
    assert [name for name in names | set(pairs) if grammar.id_for_node_kind(name, True) is None] == []
    assert [name for name in pairs.values() if grammar.field_id_for_name(name) is None] == []


def test_broken_syntax_is_not_cut() -> None:
    assert "value" in holes_of("total = price_of(cart)", "python")
    assert holes_of("total = price_of(cart item)", "python") == {}


def test_the_last_line_needs_no_end() -> None:
    assert holes_of("print(cart).total_of", "python") == {"line_tail": ["total_of"]}


def test_what_is_worth_asking() -> None:
    lines = ["rate + 1", "rates", "12345 + 678", "rate" * 40, "rate" * 41, "f(rate,\n\n\nsum)", "# rate of it"]
    assert [line for line in lines if is_worth_asking("value", line)] == ["rate + 1", "rate" * 40]
    long, line = "return the_rate_of(cart)", "rate = the_rate()\n"
    blocks = [long, "return the_rate()", line * 12, line * 13, long * 26]
    assert [block for block in blocks if is_worth_asking("block", block)] == [long, line * 12]
    assert [block for block in blocks if is_worth_asking("body", block)] == [line * 12]


def test_which_files_are_cut() -> None:
    cut = ["shop/cart.py", "shop/latest/cart.py"]
    others = ["other/cart.py", "shop/cart.ts", "shop/tests/cart.py", "shop/vendor/cart.py", "shop/a/testdata/b/cart.py"]
    assert [path for path in cut + others if is_cut(path, SHOP)] == cut
    rust = replace(SHOP, language="rust")
    assert [path for path in ("shop/cart.rs", "shop/generated.rs") if is_cut(path, rust)] == ["shop/cart.rs"]


def built(new: str, old: str, folder: Path, source: Source = SHOP) -> list[dict[str, object]]:
    """The tasks from two drawn releases."""
    for name, drawing in (("new", new), ("old", old)):
        _, *rest = re.split(r"^-- (\S+) --\n", dedent(drawing).removeprefix("\n"), flags=re.MULTILINE)
        for path, text in zip(rest[::2], rest[1::2], strict=True):
            file = folder / name / source.name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    return build.build([source], folder / "new", folder / "old")


NEW = """
    -- shop/cart.py --
    def total(cart):
        discount = discount_for(cart)
        subtotal = sum_of(cart)
        shipping = cost_of(cart,
                           cart.weight)
        x = fee(it)
        return subtotal - discount
    """
OLD = """
    -- shop/long_ago.py --
    def old(cart):
            subtotal = sum_of(cart)
            print(cart,
                  cart.weight)
            x = fee(it)
    """


def test_only_new_lines_are_cut_wherever_the_old_ones_stood_and_short_ones(tmp_path: Path) -> None:
    rows = built(NEW, OLD, tmp_path)
    assert sorted(str(row["middle"]) for row in rows) == ["discount_for(cart)", "fee(it)", "subtotal - discount"]
    assert {row["kind"] for row in rows} == {"value", "return"}


def test_a_package_without_an_old_release_is_new_as_a_whole(tmp_path: Path) -> None:
    rows = built(NEW, OLD, tmp_path, YOUNG)
    assert {row["kind"] for row in rows} == {"value", "return", "body", "arguments", "line_tail"}


def test_a_file_with_hardly_a_new_line_is_not_cut(tmp_path: Path) -> None:
    assert built("-- shop/cart.py --\nimport something_new\n", OLD, tmp_path) == []


def test_a_file_too_large_is_not_cut(tmp_path: Path) -> None:
    size = build.LARGEST_FILE - len("total = sum_of(cart)\n")
    for blanks, count in ((size, 1), (size + 1, 0)):
        assert len(built("-- shop/cart.py --\ntotal = sum_of(cart)\n" + "\n" * blanks, OLD, tmp_path)) == count


def test_gold_names_the_few_files_that_define_what_only_the_hole_mentions(tmp_path: Path) -> None:
    text = """
        -- shop/cart.py --
        total = rebate(prices) + surcharge(known) + everywhere(local)
        def local(): known()
        if known:
            def helper_of_cart(): ...
        -- shop/rates.py --
        def rebate(): ...
        def known(): local()
        def everywhere(): ...
        class Rates:
            def surcharge(self): ...
        -- shop/more.py --
        def rebate(): ...
        def everywhere(): ...
        -- shop/a.py --
        def rebate(): ...
        def everywhere(): ...
        -- shop/b.py --
        def everywhere(): ...
        """
    cart = [row for row in built(text, "", tmp_path, YOUNG) if row["path"] == "shop/cart.py"]
    assert {row["middle"]: row["gold"] for row in cart} == snapshot(
        {
            "prices": {},
            "def helper_of_cart(): ...": {},
            "rebate(prices) + surcharge(known) + everywhere(local)": {
                "rebate": ["shop/a.py", "shop/more.py", "shop/rates.py"],
                "surcharge": ["shop/rates.py"],
            },
        }
    )


def test_a_hole_crosses_files_where_its_names_are_defined_but_not_in_the_rest_of_its_file() -> None:
    text = "total = rebate(1) + known\nother = known + unheard_of\n"
    release = Release(SHOP, {"shop/cart.py": text}, {"rebate": ["shop/rates.py"], "known": ["shop/rates.py"]})
    crossing = [hole for hole in build.holes_in(release, "shop/cart.py", set()) if hole.crosses_files]
    assert [text[hole.start : hole.end] for hole in crossing] == ["rebate(1) + known"]


def many(source: str, files: int, each: int, kind: str = "value", crosses: bool = False) -> list[Hole]:
    places = product(range(files), range(each))
    return [Hole(kind, "python", source, f"{file}.py", at, at + 9, crosses) for file, at in places]


def test_the_same_holes_in_any_order_give_the_same_sample() -> None:
    holes = many("big", 20, 20) + many("big", 20, 20, "block") + many("small", 3, 2)
    mixed = random.Random(7).sample(holes, len(holes))
    assert sample(mixed, 12) == sample(holes, 12) == sample(holes, 30)[:12]
    assert [(hole.kind, hole.path, hole.start) for hole in sample(holes, 4)] == snapshot(
        [("value", "9.py", 9), ("value", "0.py", 1), ("block", "11.py", 11), ("value", "0.py", 0)]
    )


def test_no_file_gives_more_than_its_share() -> None:
    assert len(sample(many("one", 1, 50), 12)) == PER_FILE
    assert Counter(hole.path for hole in sample(many("few", 2, 50), 12)) == {"0.py": PER_FILE, "1.py": PER_FILE}


def test_sources_take_turns() -> None:
    chosen = sample(many("big", 50, 9) + many("small", 2, 1) + many("tiny", 1, 1), 8)
    assert [hole.source for hole in chosen] == ["big", "small", "tiny", "big", "small", "big", "big", "big"]


def test_each_kind_has_its_number_then_those_that_need_other_files() -> None:
    across = many("big", 100, 1, "block", crosses=True) + many("far", 100, 1, "import", crosses=True)
    chosen = choose(many("big", 100, 1) + across)
    assert len(set(chosen)) == len(chosen)
    of_each = [kind for kind in ("block", "import", "value") for _ in range(build.PER_KIND_AND_LANGUAGE)]
    assert [hole.kind for hole in chosen] == of_each + ["block"] * build.ACROSS_FILES


def test_the_command_is_stable_and_wants_every_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, out = built(NEW, OLD, tmp_path), tmp_path / "tasks.jsonl.gz"
    monkeypatch.setattr(build, "pinned_sources", lambda: [SHOP])
    monkeypatch.setattr(sys, "argv", ["build", str(tmp_path / "new"), str(tmp_path / "old"), str(out)])
    assert build.main() == 0
    first = out.read_bytes()
    assert [json.loads(line) for line in gzip.decompress(first).decode().splitlines()] == rows
    assert first[4:8] == bytes(4), "the archive holds the time"
    assert build.main() == 0
    assert out.read_bytes() == first
    (tmp_path / "old" / "shop").rename(tmp_path / "old" / "elsewhere")
    with pytest.raises(SystemExit, match=r"not fetched: .*old.shop$"):
        build.main()


def test_the_committed_tasks_are_what_is_cut_from_their_files() -> None:
    sources = {source.name: source for source in pinned_sources()}
    with gzip.open(TASKS, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    for row in rows:
        start, size = (len(row[part].encode()) for part in ("prefix", "middle"))
        hole = Hole(row["kind"], row["language"], row["source"], row["path"], start, start + size, crosses_files=False)
        files = {row["path"]: row["prefix"] + row["middle"] + row["suffix"]}
        assert row_of(Release(sources[row["source"]], files, row["gold"]), hole) == row
    seen = {(row["language"], row["kind"]): row for row in rows}
    for row in seen.values():
        found = holes_of(row["prefix"] + row["middle"] + row["suffix"], row["language"])
        assert row["middle"] in found[row["kind"]], row["id"]


def test_every_release_is_pinned() -> None:
    sources = pinned_sources()
    assert {source.language for source in sources} == set(NODE_TYPES)
    assert len(pinned_hashes()) == sum(1 + bool(source.since) for source in sources)
