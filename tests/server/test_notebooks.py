"""A notebook: its cells of code are completed as the one text that they are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.completing import QWEN
from tests.fake_ollama import FakeOllama, answer, tiny_vocabulary
from tests.protocol.client import Client
from tests.server.desk import OPTIONS

NOTEBOOK = "file:///w/nb.ipynb"
SHOW = {"model_info": tiny_vocabulary(sorted(QWEN.marks))}
CODE, MARKUP = 2, 1
Cells = list[tuple[str, int, str, str]]
"""Name, kind, language, text."""
CELLS: Cells = [
    ("a", CODE, "python", "alpha_71 = 1\nbeta_72 = 2"),
    ("b", MARKUP, "markdown", "## Output\n\nof all"),
    ("c", CODE, "python", "# print both\nprint()\n"),
    ("d", CODE, "python", "gamma_73 = 3"),
]


def cell_uri(name: str) -> str:
    return f"vscode-notebook-cell:/w/nb.ipynb#{name}"


def cells(given: Cells) -> list[dict[str, Any]]:
    return [{"kind": kind, "document": cell_uri(name)} for name, kind, _, _ in given]


def texts(given: Cells) -> list[dict[str, Any]]:
    return [
        {"uri": cell_uri(name), "languageId": language, "version": 1, "text": text} for name, _, language, text in given
    ]


def open_notebook(client: Client, given: Cells = CELLS) -> None:
    client.notify(
        "notebookDocument/didOpen",
        {
            "notebookDocument": {
                "uri": NOTEBOOK,
                "notebookType": "jupyter-notebook",
                "version": 1,
                "cells": cells(given),
            },
            "cellTextDocuments": texts(given),
        },
    )


def change_cells(client: Client, change: dict[str, Any]) -> None:
    notebook = {"uri": NOTEBOOK, "version": 2}
    client.notify("notebookDocument/didChange", {"notebookDocument": notebook, "change": {"cells": change}})


def put_in(client: Client, start: int, count: int, new: Cells, opened: Cells | None = None) -> None:
    array = {"start": start, "deleteCount": count, "cells": cells(new)}
    structure = {"array": array, "didOpen": texts(new if opened is None else opened), "didClose": []}
    change_cells(client, {"structure": structure})


def type_in(client: Client, name: str, version: int, line: int, character: int, text: str) -> None:
    at = {"line": line, "character": character}
    document = {"uri": cell_uri(name), "version": version}
    changes = [{"range": {"start": at, "end": at}, "text": text}]
    change_cells(client, {"textContent": [{"document": document, "changes": changes}]})


def with_server(use: Callable[[Client, FakeOllama], Awaitable[None]], grows: bool = False, **more: Any) -> None:
    async def run(fake: FakeOllama) -> None:
        known = {"notebookDocument": {"synchronization": {}}, "experimental": {"kirejiGrowth": grows}}
        async with Client(options=OPTIONS | {"host": fake.host}, capabilities=known, **more) as client:
            await use(client, fake)

    with FakeOllama({"show": SHOW}) as fake:
        asyncio.run(run(fake))


def prompt_of(fake: FakeOllama) -> tuple[list[str], list[str]]:
    """The lines before the cursor and those behind it, of the newest request."""
    _, suffix, middle = QWEN.fim
    head, _, before = fake.generates()[-1]["prompt"].rpartition(middle)
    return before.split("\n"), head.rpartition(suffix)[2].split("\n")


def test_a_notebook_is_announced() -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        sync = client.initialize_result["capabilities"]["notebookDocumentSync"]
        assert sync["notebookSelector"] == [{"notebook": "*", "cells": [{"language": "*"}]}]

    with_server(use)


def test_the_cells_around_a_cell_are_around_its_cursor() -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        fake.play(answer("alpha_71, beta_72"), show=SHOW)
        open_notebook(client)
        (item,) = await client.inline(cell_uri("c"), 1, 6)
        assert item["insertText"].startswith("alpha_71, beta_72")
        assert item["range"]["start"] == {"line": 1, "character": 6}
        before, behind = prompt_of(fake)
        assert "alpha_71 = 1" in before
        assert before.index("alpha_71 = 1") < before.index("beta_72 = 2") < before.index("# print both")
        assert "gamma_73 = 3" in behind
        assert all(line.startswith("#") for line in [*before, *behind] if "Output" in line or "of all" in line)

    with_server(use)


def test_what_is_typed_in_a_cell_stands_there() -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        open_notebook(client)
        type_in(client, "c", 2, 1, 6, "x")
        type_in(client, "a", 2, 0, 12, "0\nzeta = 9")
        fake.play(answer("yz"), show=SHOW)
        (item,) = await client.inline(cell_uri("c"), 1, 7)
        assert item["range"]["start"] == {"line": 1, "character": 7}
        before, _ = prompt_of(fake)
        assert before[-1].startswith("print(")
        assert before.index("alpha_71 = 10") + 1 == before.index("zeta = 9")

    with_server(use)


def test_cells_come_go_and_move() -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        open_notebook(client)
        put_in(client, 0, 1, [("e", CODE, "python", "eta = 7\n\n")])  # in place of the first
        put_in(client, 0, 3, [CELLS[2], ("e", CODE, "python", ""), CELLS[1]], opened=[])  # moved
        fake.play(answer("1"), show=SHOW)
        (item,) = await client.inline(cell_uri("e"), 2, 0)
        assert item["range"]["start"] == {"line": 2, "character": 0}
        before, behind = prompt_of(fake)
        assert "alpha_71 = 1" not in [*before, *behind]
        assert before.index("print()") < before.index("eta = 7")
        assert "gamma_73 = 3" in behind

    with_server(use)


def test_a_cell_that_becomes_text_is_a_comment_and_is_not_completed() -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        open_notebook(client)
        change_cells(client, {"data": [{"kind": MARKUP, "document": cell_uri("a")}]})
        assert await client.inline(cell_uri("a"), 0, 3) == []
        assert await client.inline(cell_uri("b"), 0, 3) == []
        assert not fake.generates()
        fake.play(answer("1"), show=SHOW)
        assert await client.inline(cell_uri("c"), 1, 6)
        before, _ = prompt_of(fake)
        assert "# alpha_71 = 1" in before

    with_server(use)


@pytest.mark.parametrize(("language", "comment"), [("julia", "#"), ("sql", "--")])
def test_a_cell_in_another_language_is_a_comment_to_the_others(language: str, comment: str) -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        open_notebook(client, [CELLS[0], ("s", CODE, language, "first\nlast = ")])
        fake.play(answer("1"), show=SHOW)
        (item,) = await client.inline(cell_uri("s"), 1, 7)
        assert item["range"]["start"] == {"line": 1, "character": 7}
        before, _ = prompt_of(fake)
        assert before[-2] == "first"
        assert f"{comment} alpha_71 = 1" in before

    with_server(use)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_are_those_of_the_cell(encoding: str) -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        open_notebook(client, [("a", CODE, "python", "s = '😀😀'"), ("b", CODE, "python", "t = '😀' + ")])
        fake.play(answer("s"), show=SHOW)
        column = {"utf-8": 13, "utf-16": 11, "utf-32": 10}[encoding]
        (item,) = await client.inline(cell_uri("b"), 0, column)
        assert item["range"]["start"] == {"line": 0, "character": column}
        assert prompt_of(fake)[0][-1].startswith("t = '😀'")

    with_server(use, encodings=(encoding,))


def test_a_position_behind_a_cells_end_is_its_end() -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        open_notebook(client, [("a", CODE, "python", "one = "), ("b", CODE, "python", "two = 2")])
        type_in(client, "a", 2, 9, 99, "3 + ")
        fake.play(answer("4"), show=SHOW)
        await client.inline(cell_uri("a"), 9, 99)
        before, behind = prompt_of(fake)
        assert before[-1].startswith("one = 3 +")
        assert "two = 2" in behind

    with_server(use)


def test_a_closed_notebook_is_forgotten_and_one_that_was_never_opened_harms_nothing() -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        type_in(client, "c", 2, 1, 6, "x")
        open_notebook(client)
        client.notify("notebookDocument/didClose", {"notebookDocument": {"uri": NOTEBOOK}, "cellTextDocuments": []})
        assert await client.inline(cell_uri("c"), 1, 6) == []
        put_in(client, 0, 1, CELLS)
        assert await client.inline(cell_uri("c"), 1, 6) == []
        assert not fake.generates()

    with_server(use)


def test_what_grows_is_told_with_the_place_in_the_cell() -> None:
    async def use(client: Client, fake: FakeOllama) -> None:
        lines = ["if alpha_71:\n", "    one()\n", "    two()\n"]
        fake.play({"stream": [{"response": line} for line in lines], "gap_ms": 150}, show=SHOW)
        open_notebook(client, [CELLS[0], ("f", CODE, "python", "\n")])
        await client.inline(cell_uri("f"), 0, 0)
        grown = await client.notification("kireji/suggestionGrew", lambda told: "two" in told["text"])
        assert (grown["uri"], grown["version"]) == (cell_uri("f"), 1)
        assert grown["position"] == {"line": 0, "character": 0}

    with_server(use, grows=True, allow=("kireji/suggestionGrew",))
