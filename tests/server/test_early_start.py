"""The engine begins when the text changes, before the editor asks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from server.documents import cursor_behind
from tests.server.test_server import URI, Server, opened, session, shown


def put(server: Server, column: int, text: str, line: int = 0) -> None:
    at = {"line": line, "character": column}
    server.client.change(URI, {"range": {"start": at, "end": at}, "text": text})


def test_the_engine_begins_with_the_change_and_the_question_takes_what_is_under_way(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        await shown(server)
        server.play({"text": "2", "delay_ms": 200})
        put(server, 4, "y")
        await opened(server, 2)
        assert await shown(server, 0, 5) == ["2"]
        assert len(server.events("open")) == 2

    session(tmp_path, use)


def test_nothing_begins_for_an_editor_that_does_not_ask_by_itself(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        for column in range(4, 12):
            put(server, column, "y")
        await asyncio.sleep(0.3)
        assert not server.events("open")
        await shown(server, 0, 12)
        for column in range(12, 24):
            put(server, column, "y")
        await asyncio.sleep(0.3)
        before = len(server.events("open"))
        put(server, 24, "y")
        await asyncio.sleep(0.3)
        assert len(server.events("open")) == before

    session(tmp_path, use)


def test_an_answer_begun_for_another_place_is_not_shown_at_this_one(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"when": "y = $", "text": "two"}, {"text": "1 + one", "delay_ms": 300})
        server.client.open(URI, "x = \ny = \n")
        _, first = server.client.start_inline(URI, 0, 4)
        await opened(server, 1)
        assert await shown(server, 1, 4) == ["two"]
        assert (await first)["items"] == []

    session(tmp_path, use)


def test_what_nobody_asks_for_lets_go_of_the_engine(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        await shown(server)
        server.play({"text": "2" * 500, "gap_ms": 50, "piece": 1})
        put(server, 4, "y")
        async with asyncio.timeout(10):
            while not server.events("close")[1:]:
                await asyncio.sleep(0.05)

    session(tmp_path, use)


@pytest.mark.parametrize(
    ("typed", "behind"),
    [
        ("a", 8), ("é", 9), ("🙂", 11), ("()", 8), ('""', 8), ("foo", 10), ("\n    ", 12), ("\n    \n", None), ("", None),
    ],
)  # fmt: skip
def test_where_the_cursor_stands_behind_what_was_typed(typed: str, behind: int | None) -> None:
    assert cursor_behind(7, typed) == behind


@pytest.mark.parametrize("how", ["new settings", "it is told"])
def test_nothing_begins_where_the_user_may_want_nothing_any_more(tmp_path: Path, how: str) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        await shown(server)
        if how == "new settings":
            server.client.notify("workspace/didChangeConfiguration", {"settings": {"kireji": {"enable": False}}})
        else:
            server.client.notify("kireji/quiet", {})
        put(server, 4, "y")
        await asyncio.sleep(0.3)
        assert len(server.events("open")) == 1
        assert await shown(server, 0, 5) == ["1"]  # it was asked again
        put(server, 5, "z")
        await opened(server, 3)

    session(tmp_path, use)


def test_nothing_begins_in_a_document_about_which_nothing_was_asked(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        other, at = "file:///w/other.py", {"line": 0, "character": 4}
        server.client.open(other, "z = \n")
        server.client.open(URI, "x = \n")
        await shown(server)
        server.client.change(other, {"range": {"start": at, "end": at}, "text": "y"})
        await asyncio.sleep(0.3)
        assert len(server.events("open")) == 1

    session(tmp_path, use)
