"""The first words of an answer are shown before its first line is finished, to a client that can show how it grows."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any

from tests.server.test_server import URI, Server, session
from tests.server.test_typing_along import typed

GREW = "kireji/suggestionGrew"
GROWING = {"capabilities": {"experimental": {"kirejiGrowth": True}}, "allow": (GREW,)}
SLOW = {"gap_ms": 60, "piece": 2}


async def shown(server: Server, line: int = 0, character: int = 4) -> str:
    found = await server.client.inline(URI, line, character)
    return str(found[0]["insertText"]) if found else ""


async def grown(server: Server) -> list[dict[str, Any]]:
    """All that was told, once nothing more comes."""
    before = -1
    while before < len(server.client.notifications(GREW)):
        before = len(server.client.notifications(GREW))
        await asyncio.sleep(0.5)
    return server.client.notifications(GREW)


def test_the_first_words_come_first_and_what_follows_only_adds_to_them(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "first(second) + third"} | SLOW)
        server.client.open(URI, "x = \n")
        texts = [await shown(server)]
        assert texts[0]
        assert "first".startswith(texts[0])
        texts += [told["text"] for told in await grown(server)]
        assert texts[-1] == "first(second) + third"
        assert all(longer.startswith(shorter) for shorter, longer in itertools.pairwise(texts))
        assert all(text[-1].isalnum() for text in texts)

    session(tmp_path, use, **GROWING)


def test_who_types_along_with_them_keeps_what_is_left(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "first + second"} | SLOW)
        server.client.open(URI, "x = \n")
        assert await shown(server)
        typed(server, 0, 4, "f")
        assert (await shown(server, 0, 5)).startswith("i")
        assert (await grown(server))[-1]["text"] == "irst + second"
        assert len(server.events("open")) == 1

    session(tmp_path, use, **GROWING)


def test_what_the_end_of_the_answer_covers_is_told(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "one, two):"} | SLOW)
        server.client.open(URI, "def add()\n")
        assert await shown(server, 0, 8)
        last = (await grown(server))[-1]
        assert (last["text"], last["covers"]) == ("one, two):", 1)

    session(tmp_path, use, **GROWING)


def test_what_may_only_repeat_the_next_line_is_not_shown_before_it_is_known(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "return total\n"} | SLOW)
        server.client.open(URI, "def f(total):\n    \n    return total\n")
        assert await shown(server, 1, 4) == ""
        assert await grown(server) == []

    session(tmp_path, use, **GROWING)


def test_what_came_of_a_line_that_was_typed_otherwise_is_forgotten(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "first + second"} | SLOW)
        server.client.open(URI, "x = \n")
        assert await shown(server)
        typed(server, 0, 4, "9")
        await server.client.inline(URI, 0, 5)
        server.play({"text": "third"})
        server.client.change(URI, {"text": "x = \n"})
        assert "third".startswith(await shown(server))

    session(tmp_path, use, **GROWING)


def test_what_came_of_an_answer_that_broke_off_is_asked_for_again(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "first + second", "error": "garbled"} | SLOW)
        server.client.open(URI, "x = \n")
        assert "first".startswith(await shown(server))
        await grown(server)
        server.play({"text": "third"})
        assert "third".startswith(await shown(server))

    session(tmp_path, use, **GROWING)


def test_a_client_that_can_t_show_growth_waits_for_the_line(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "first + second"} | SLOW)
        server.client.open(URI, "x = \n")
        assert await shown(server) == "first + second"

    session(tmp_path, use)
