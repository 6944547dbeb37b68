"""Kireji in a real Neovim, set up as the README says, with an engine that answers what a script says."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.editors.nvim.driver import Neovim

pytestmark = [pytest.mark.editor, pytest.mark.timeout(60)]


def says(text: str, when: str = "", **more: Any) -> dict[str, Any]:
    """The engine's answer where the text before the cursor matches `when`."""
    return {"when": when, "text": text, **more}


def test_ghost_text_is_shown_and_accepted(tmp_path: Path) -> None:
    with Neovim(tmp_path, "def area(r):\n    return \n", answers=[says("math.pi * r ** 2")]) as nvim:
        nvim.end_of_line(2)
        ghost = nvim.await_ghost("math.pi * r ** 2")
        assert (ghost.row, ghost.column) == (1, 11)
        nvim.keys("<Tab>")
        nvim.await_text("def area(r):\n    return math.pi * r ** 2\n")
        assert nvim.cursor() == (2, 27)


def test_several_lines_are_shown_and_accepted_as_they_are(tmp_path: Path) -> None:
    body = 'if n % 3 == 0:\n        return "Fizz"\n    return str(n)'
    with Neovim(tmp_path, "def fizz(n):\n    \n", answers=[says(body)]) as nvim:
        nvim.end_of_line(2)
        nvim.await_ghost(body)
        nvim.keys("<Tab>")
        nvim.await_text(f"def fizz(n):\n    {body}\n")
        nvim.keys("<Esc>u")
        nvim.await_text("def fizz(n):\n    \n")


@pytest.mark.parametrize(
    "line", ['s = "漢字🙂é👩‍👩‍👧" + ', "𝒜1 = 3; row = 𝒜1 * ", "total = "], ids=["wide", "astral", "plain"]
)
def test_positions_are_right_behind_any_character(tmp_path: Path, line: str) -> None:
    above = 'LABELS = {"😀": "joy", "μm": "µ", "漢字": 1}\n'
    with Neovim(tmp_path, above + line + "\n", answers=[says("value")]) as nvim:
        nvim.end_of_line(2)
        ghost = nvim.await_ghost("value")
        assert (ghost.row, ghost.column) == (1, len(line.encode()))
        nvim.keys("<Tab>")
        nvim.await_text(f"{above}{line}value\n")
        nvim.await_same_text()


def test_typing_along_keeps_the_text_right(tmp_path: Path) -> None:
    with Neovim(tmp_path, "x = 1\n\n", answers=[says("print(x)", when=r"\n$")]) as nvim:
        nvim.end_of_line(2)
        nvim.await_ghost("print(x)")
        nvim.type("pri", gap=0)
        nvim.await_ghost("nt(x)")
        nvim.keys("<Tab>")
        nvim.await_text("x = 1\nprint(x)\n")


def test_typing_along_a_replacement_keeps_the_text_right(tmp_path: Path) -> None:
    with Neovim(tmp_path, "x = 1\nprint()\n", answers=[says("x)", when=r"\($")]) as nvim:
        nvim.keys("<Esc>2G$i")
        nvim.wait(nvim.ghost, "ghost text")
        nvim.type("x", gap=0)
        nvim.keys("<Tab>")
        nvim.wait(lambda: nvim.text() != "x = 1\nprint()\n", "typed text")
        assert nvim.text().replace("\t", "") == "x = 1\nprint(x)\n"


def test_typing_something_else_hides_the_ghost_text(tmp_path: Path) -> None:
    answers = [says("print(x)", when=r"\n$"), says("late", when="zz$", delay_ms=20_000)]
    with Neovim(tmp_path, "x = 1\n\n", answers=answers, limit=10) as nvim:
        nvim.lua("vim.o.expandtab = true; vim.o.shiftwidth = 4; vim.o.softtabstop = 4")
        nvim.end_of_line(2)
        nvim.await_ghost("print(x)")
        nvim.type("zz", gap=0)
        nvim.await_no_ghost()  # before the next answer
        nvim.keys("<Tab>")
        nvim.await_text("x = 1\nzz  \n")
        assert nvim.ghost() is None


def test_a_word_can_be_accepted_and_then_the_rest(tmp_path: Path) -> None:
    with Neovim(tmp_path, "total = \n", answers=[says("price * count", when="= $")]) as nvim:
        nvim.end_of_line(1)
        nvim.await_ghost("price * count")
        nvim.keys("<M-w>")
        nvim.await_text("total = price\n")
        nvim.await_ghost(" * count")
        nvim.keys("<Tab>")
        nvim.await_text("total = price * count\n")


def test_an_empty_answer_clears(tmp_path: Path) -> None:
    with Neovim(tmp_path, "x = \ny = \n", answers=[says("1", when="x = $")]) as nvim:
        nvim.end_of_line(1)
        nvim.await_ghost("1")
        nvim.keys("<Down><End>")
        nvim.await_no_ghost()
        assert nvim.lua("return vim.lsp.inline_completion.get()") is False


def test_a_slow_answer_for_an_older_text_is_not_shown(tmp_path: Path) -> None:
    slow, fast = says("slow", when="a = $", delay_ms=900), says("or fast", when="a = b $")
    with Neovim(tmp_path, "a = \n", answers=[slow, fast]) as nvim:
        nvim.end_of_line(1)
        nvim.wait(nvim.requests, "a request")
        nvim.type("b ")
        nvim.await_ghost("or fast")
        nvim.lua("vim.wait(1200)")
        assert nvim.await_ghost("or fast")


def popup_on(nvim: Neovim) -> None:
    """Neovim's own popup, as its manual switches it on."""
    nvim.lua(
        """
        vim.o.completeopt = 'menuone,noselect'
        local client = vim.lsp.get_clients({ bufnr = 0, name = 'kireji' })[1]
        vim.lsp.completion.enable(true, client.id, 0, { autotrigger = true })
        """
    )


def accept_from_popup(nvim: Neovim) -> None:
    """Ask, choose the first item, accept it."""
    nvim.lua("vim.lsp.completion.get()")
    nvim.wait(nvim.popup, "popup", nvim.text)
    nvim.keys("<C-n><C-y>")


def test_the_popup_inserts_one_line(tmp_path: Path) -> None:
    with Neovim(tmp_path, "def area(r):\n    return \n", answers=[says("math.pi * r ** 2")]) as nvim:
        popup_on(nvim)
        nvim.end_of_line(2)
        accept_from_popup(nvim)
        nvim.await_text("def area(r):\n    return math.pi * r ** 2\n")


def test_the_popup_inserts_several_lines_with_their_indentation(tmp_path: Path) -> None:
    before = "def label(row):\n    for cell in row:\n        \n"
    body = 'if cell:\n            return f"${cell}\\t" + "}"\n        log(cell)'
    with Neovim(tmp_path, before, answers=[says(body)]) as nvim:
        popup_on(nvim)
        nvim.end_of_line(3)
        accept_from_popup(nvim)
        nvim.await_text(f"def label(row):\n    for cell in row:\n        {body}\n")


def test_the_popup_completes_a_word_that_was_begun(tmp_path: Path) -> None:
    with Neovim(tmp_path, "name = 1\nprint(na\n", answers=[says("me)", when=r"\(na$")]) as nvim:
        popup_on(nvim)
        nvim.end_of_line(2)
        accept_from_popup(nvim)
        nvim.await_text("name = 1\nprint(name)\n")


@pytest.mark.parametrize("seed", range(3))
def test_the_server_keeps_the_text_through_any_edits(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    text = 'α = "😀"\n\x0c\ndef f(x):\n    return x\n\u2028 = 1\nlast = "漢字"\n'
    with Neovim(tmp_path, text) as nvim:
        for _ in range(25):
            for command in chance.choices(EDITS, k=chance.randint(1, 4)):
                nvim.keys(command)
            nvim.await_same_text()


EDITS = (
    "<Esc>ggOtop = '🙂'<Esc>",
    "<Esc>3GA # 漢字é<Esc>",
    "<Esc>2Gdd",
    "<Esc>Goend = 1\x0c<Esc>",
    "<Esc>2GJ",
    "<Esc>jyyP",
    "<Esc>gg>>",
    "<Esc>:%s/x/𝒜x/ge<CR>",
    "<Esc>ggxp",
    "<Esc>kddp",
    "<Esc>2GI👩‍👩‍👧<Esc>",
    "<Esc>u",
    "<Esc>u",
    "<Esc><C-r>",
    "<Esc>3G0D",
    "<Esc>ggVjd",
)


def test_a_person_writes_a_small_file(tmp_path: Path) -> None:
    answers = [
        says("name: str) -> str:", when=r"def greet\($"),
        says('return f"Hello, {name}!"', when=r"-> str:\n +$"),
        says('greet("you")', when=r"print\($"),
    ]
    with Neovim(tmp_path, "", answers=answers) as nvim:
        nvim.lua("vim.o.expandtab = true; vim.o.shiftwidth = 4")
        nvim.keys("i")
        nvim.type("def greet(")
        nvim.await_ghost("name: str) -> str:")
        nvim.keys("<Tab>")
        nvim.await_text("def greet(name: str) -> str:\n")
        nvim.keys("<CR>")
        nvim.await_ghost('return f"Hello, {name}!"')
        nvim.keys("<Tab>")
        nvim.await_text('def greet(name: str) -> str:\n    return f"Hello, {name}!"\n')
        nvim.keys("<CR><CR><C-u>")
        nvim.type("print(")
        ghost = nvim.wait(nvim.ghost, "ghost text")
        assert ghost.text.startswith('greet("you")')
        nvim.keys("<Tab>")
        nvim.wait(lambda: 'print(greet("you")' in nvim.text(), "the accepted call", nvim.text)
        nvim.keys("<Esc>:w<CR>")
        nvim.wait(lambda: nvim.file.read_text().startswith("def greet"), "the written file")
        nvim.await_same_text()
        assert "ERROR" not in nvim.log_tail()
