"""What an editor may tell beside the protocol."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.completing import QWEN
from tests.fake_ollama import FakeOllama, answer, tiny_vocabulary
from tests.protocol.client import Client
from tests.server.test_server import URI, Server, session, shown

MOVED, FOCUS = "kireji/cursorMoved", "kireji/focus"
LONG = "".join(f"def area_{number}(width, height):\n    return width * height\n\n\n" for number in range(40))
SCRIPT = {"show": {"model_info": tiny_vocabulary(sorted(QWEN.marks))}, "generate": [answer("1")]}
PLACE = {"textDocument": {"uri": URI}, "position": {"line": 81, "character": 4}}


def reading_ahead(fake: FakeOllama, **more: Any) -> Client:
    options = {"engine": "ollama", "host": fake.host, "model": "fake:1b", "speculate": False, "remember": False}
    return Client(options=options, environment={"KIREJI_TEST": "1"}, **more)


def read(fake: FakeOllama) -> list[str]:
    """Prompts of which one token was asked, and with more than what only loads the model."""
    return [body["prompt"] for body in fake.warmups() if "area_" in body["prompt"]]


async def some_read(fake: FakeOllama) -> None:
    async with asyncio.timeout(10):
        while not read(fake):
            await asyncio.sleep(0.05)


def test_where_the_cursor_rests_is_read_ahead_though_nothing_is_asked() -> None:
    async def use(fake: FakeOllama) -> None:
        async with reading_ahead(fake) as client:
            client.open(URI, LONG)
            client.notify(MOVED, PLACE)
            await some_read(fake)

    with FakeOllama(SCRIPT) as fake:
        asyncio.run(use(fake))


def test_without_the_focus_nothing_is_read_ahead() -> None:
    async def use(fake: FakeOllama) -> None:
        async with reading_ahead(fake) as client:
            client.notify(FOCUS, {"focused": False})
            client.open(URI, LONG)
            client.notify(MOVED, PLACE)
            await asyncio.sleep(1.0)
            assert not read(fake)
            client.notify(FOCUS, {"focused": True})
            await some_read(fake)

    with FakeOllama(SCRIPT) as fake:
        asyncio.run(use(fake))


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"textDocument": {"uri": URI}},
        {"textDocument": {"uri": URI}, "position": {"line": "x", "character": 1}},
        {"textDocument": {"uri": "file:///not/open.py"}, "position": {"line": 0, "character": 0}},
        {"textDocument": {"uri": URI}, "position": {"line": 10**9, "character": 10**9}},
    ],
)
def test_a_hint_that_says_nothing_is_no_harm(tmp_path: Path, params: object) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "1"})
        server.client.open(URI, "x = \n")
        server.client.notify(MOVED, params)
        server.client.notify(FOCUS, params)
        assert await shown(server) == ["1"]

    session(tmp_path, use)
