"""Typing on while something is shown or written, from outside."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.server.test_server import URI, Server, opened, session, shown

GREW = "kireji/suggestionGrew"
GROWING = {"experimental": {"kirejiGrowth": True}}
BLOCK = "if x:\n        a()\n    b()\n    c()"


async def stats(server: Server) -> dict[str, Any]:
    return dict(await server.client.request("workspace/executeCommand", {"command": "kireji.stats"}))


def typed(server: Server, line: int, column: int, text: str) -> None:
    at = {"line": line, "character": column}
    server.client.change(URI, {"range": {"start": at, "end": at}, "text": text})


def test_what_is_shown_is_typed_along_without_asking_the_engine(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "value + 1"})
        server.client.open(URI, "x = \n")
        assert await shown(server) == ["value + 1"]
        for column, letter in enumerate("value", 4):
            typed(server, 0, column, letter)
            assert await shown(server, 0, column + 1) == ["value + 1"[column - 3 :]]
        assert len(server.events("open")) == 1
        assert (await stats(server))["remembered"] == 5
        typed(server, 0, 9, "X")
        await shown(server, 0, 10)
        assert len(server.events("open")) == 2

    session(tmp_path, use)


def test_an_answer_under_way_goes_on_while_what_is_typed_agrees(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "value + 1", "gap_ms": 60, "piece": 1})
        server.client.open(URI, "x = \n")
        _, first = server.client.start_inline(URI, 0, 4)
        await opened(server, 1)
        typed(server, 0, 4, "v")
        assert await shown(server, 0, 5) == ["alue + 1"]
        assert (await first)["items"] == []
        assert len(server.events("open")) == 1

    session(tmp_path, use)


def test_one_that_disagrees_is_closed_at_once(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "value" * 100, "gap_ms": 30, "piece": 1}, {"text": "1"})
        server.client.open(URI, "x = \n")
        server.client.start_inline(URI, 0, 4)
        await opened(server, 1)
        await asyncio.sleep(0.3)
        typed(server, 0, 4, "q")
        async with asyncio.timeout(5):
            while not server.events("close"):
                await asyncio.sleep(0.01)
        assert server.events("close")[0]["written"] < 100

    session(tmp_path, use)


def test_the_first_word_is_shown_and_the_rest_grows(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": BLOCK + "\n", "gap_ms": 40, "piece": 4})
        server.client.open(URI, "def f(x):\n    \n")
        assert await shown(server, 1, 4) == ["if x"]
        grown = await server.client.notification(GREW, lambda params: params["text"] == BLOCK)
        assert grown["position"] == {"line": 1, "character": 4}
        assert grown["version"] == 1
        texts = [params["text"] for params in server.client.notifications(GREW)]
        assert texts == sorted(texts, key=len)
        assert all(later.startswith(earlier) for earlier, later in zip(["if x", *texts], texts, strict=False))
        assert "if x:" in texts

    session(tmp_path, use, capabilities=GROWING, allow=(GREW, "window/logMessage"))


def test_who_accepts_the_first_line_finds_the_next_ready(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": BLOCK + "\n", "gap_ms": 20, "piece": 4})
        server.client.open(URI, "def f(x):\n    \n")
        assert await shown(server, 1, 4) == ["if x"]
        await server.client.notification(GREW, lambda params: params["text"] == BLOCK)
        typed(server, 1, 4, "if x:")
        assert await shown(server, 1, 9) == [BLOCK.removeprefix("if x:")]
        assert len(server.events("open")) == 1

    session(tmp_path, use, capabilities=GROWING, allow=(GREW, "window/logMessage"))


def test_a_client_that_can_t_show_growth_gets_the_whole_if_it_comes_soon(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": BLOCK + "\n", "gap_ms": 1, "piece": 8})
        server.client.open(URI, "def f(x):\n    \n")
        assert await shown(server, 1, 4) == [BLOCK]
        assert server.client.notifications(GREW) == []

    session(tmp_path, use)


def test_while_a_suggestion_is_looked_at_what_follows_it_is_answered(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"when": r"return $", "text": "x + 1"}, {"text": "return "})
        server.client.open(URI, "def f(x):\n    \n")
        assert await shown(server, 1, 4) == ["return"]
        await opened(server, 2)
        typed(server, 1, 4, "return")
        async with asyncio.timeout(5):
            while not (await shown(server, 1, 10)):
                await asyncio.sleep(0.05)

    session(tmp_path, use, options={"speculate": True})


def test_opening_a_file_loads_the_model(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        await opened(server, 1)
        assert await shown(server) == ["1"]

    session(tmp_path, use, options={"warmUp": True})


@pytest.mark.parametrize("command", ["kireji.forget"])
def test_what_is_remembered_can_be_forgotten(tmp_path: Path, command: str) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        await shown(server)
        await server.client.request("workspace/executeCommand", {"command": command})
        await shown(server)
        assert len(server.events("open")) == 2

    session(tmp_path, use)


def test_the_next_session_has_the_answers_of_the_last(tmp_path: Path) -> None:
    async def first(server: Server) -> None:
        server.client.open(URI, "x = \n")
        assert await shown(server) == ["1"]

    async def second(server: Server) -> None:
        server.play({"text": "2"})
        server.client.open(URI, "a = \nx = \n")
        assert await shown(server) == ["2"]  # which model answers is known from here on
        server.client.change(URI, {"text": "x = \n"})
        assert await shown(server) == ["1"]
        await server.client.request("workspace/executeCommand", {"command": "kireji.forget"})
        assert await shown(server) == ["2"]

    home = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    session(tmp_path, first, options={"remember": True}, environment=home)
    session(tmp_path, second, options={"remember": True}, environment=home)


def test_that_the_model_is_loading_is_told(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "1", "delay_ms": 600})
        server.client.open(URI, "x = \n")
        assert await server.client.notification("kireji/status") == {
            "state": "loading",
            "reason": "the model is loading",
        }
        await server.client.notification("kireji/status", lambda params: params["state"] == "ready")
        assert await shown(server) == ["1"]

    status = {"experimental": {"kirejiStatus": True}}
    allowed = ("kireji/status", "window/logMessage")
    session(tmp_path, use, options={"warmUp": True}, capabilities=status, allow=allowed)


def test_what_came_of_an_answer_that_broke_off_is_void(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "if x:\n        a()\n", "error": "garbled"})
        server.client.open(URI, "def f(x):\n    \n")
        assert await shown(server, 1, 4) == []
        server.play({"text": "return x"})
        async with asyncio.timeout(10):
            while not (found := await shown(server, 1, 4)):  # an engine that failed is left alone for a moment
                await asyncio.sleep(0.1)
        assert found == ["return x"]

    session(tmp_path, use)


def test_an_answer_from_memory_says_nothing_about_another_document_s(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client, other = server.client, "file:///w/b.py"
        endless = {"when": r"    $", "text": "if x:\n" + "        a()\n        b()\n" * 200, "gap_ms": 20, "piece": 12}
        server.play(endless, {"text": "1"})
        client.open(URI, "def f(x):\n    \n")
        client.open(other, "x = \n")
        assert [item["insertText"] for item in await client.inline(other, 0, 4)] == ["1"]
        asked, _ = client.start_inline(URI, 1, 4)
        await opened(server, 2)
        await asyncio.sleep(0.2)
        assert [item["insertText"] for item in await client.inline(other, 0, 4)] == ["1"]
        client.cancel(asked)
        async with asyncio.timeout(3):
            while len(server.events("close")) < 2:
                await asyncio.sleep(0.02)

    session(tmp_path, use)
