"""Who asks by a key gets several answers to choose among."""

from __future__ import annotations

from pathlib import Path

from tests.server.test_server import URI, Server, session

INVOKED, AUTOMATIC = 1, 2


async def offered(server: Server, kind: int) -> list[str]:
    params = {
        "textDocument": {"uri": URI},
        "position": {"line": 0, "character": 4},
        "context": {"triggerKind": kind},
    }
    found = await server.client.request("textDocument/inlineCompletion", params)
    return [item["insertText"] for item in found["items"]]


def test_who_asks_by_a_key_gets_those_that_differ(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "first", "others": ["second", "first"]})
        server.client.open(URI, "x = \n")
        assert await offered(server, AUTOMATIC) == ["first"]
        assert await offered(server, INVOKED) == ["first", "second"]

    session(tmp_path, use)


def test_where_there_is_no_first_there_are_no_others(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "", "others": ["second"]})
        server.client.open(URI, "x = \n")
        assert await offered(server, INVOKED) == []
        assert len(server.events("open")) == 1

    session(tmp_path, use)


def test_an_answer_that_fails_is_left_out(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "first", "others": ["", "third"]})
        server.client.open(URI, "x = \n")
        assert await offered(server, INVOKED) == ["first", "third"]

    session(tmp_path, use)
