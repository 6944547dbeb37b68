"""The test client itself: what it lets pass, and what it does not."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.client import Client, ResponseError
from tests.protocol.text import apply_edit, apply_item, lines_of, offset_of, position_of
from tests.protocol.wire import ProtocolFault

RUDE = str(Path(__file__).with_name("rude_server.py"))


def client(manner: str, **how: Any) -> Client:
    return Client((sys.executable, RUDE, manner), **how)


def ask(manner: str, **how: Any) -> Any:
    """The answer to one request of a server that behaves in this manner."""

    async def run() -> Any:
        async with client(manner, **how) as asked:
            return await asked.request("test", {})

    return asyncio.run(run())


def test_a_polite_server_is_answered() -> None:
    assert ask("polite") == "yes"


@pytest.mark.parametrize(
    ("manner", "complaint"),
    [
        ("answers twice", "second answer"),
        ("answers a stranger", "never made"),
        ("answers both ways", "one of the two"),
        ("notifies", "not allowed"),
        ("asks", "not allowed"),
        ("prints", "not a header"),
        ("writes nonsense", "not a message"),
        ("falls", "owes answers"),
        ("raises on stderr", "traceback"),
        ("ends badly", "exit code 1"),
    ],
)
def test_rudeness_fails(manner: str, complaint: str) -> None:
    with pytest.raises(ProtocolFault, match=complaint):
        ask(manner, limit=3)


def test_silence_fails() -> None:
    with pytest.raises(ProtocolFault, match=r"no answer to test within 0\.3 s"):
        ask("is silent", limit=0.3)


def test_a_request_that_nobody_waits_for_must_be_answered_too() -> None:
    async def run() -> None:
        async with client("is silent", limit=0.3) as asked:
            asked.start_request("test", {})

    with pytest.raises(ProtocolFault, match="no answer to test"):
        asyncio.run(run())


def test_a_server_that_does_not_end_fails() -> None:
    async def run() -> None:
        async with client("lingers", limit=0.5):
            pass

    with pytest.raises(ProtocolFault, match="still runs"):
        asyncio.run(run())


def test_the_last_words_on_stderr_are_reported() -> None:
    with pytest.raises(ProtocolFault) as caught:
        ask("falls")
    assert "oops" in "".join(caught.value.__notes__)


def test_an_error_is_raised_with_its_code() -> None:
    with pytest.raises(ResponseError, match="no") as caught:
        ask("refuses")
    assert caught.value.code == -32603


def test_an_allowed_notification_is_kept() -> None:
    async def run() -> list[Any]:
        async with client("notifies", allow=["window/showMessage"]) as asked:
            await asked.request("test", {})
            return asked.notifications("window/showMessage")

    assert asyncio.run(run()) == [{"type": 3, "message": "hello"}]


def test_a_notification_can_be_awaited() -> None:
    async def run() -> Any:
        async with client("notifies") as asked:
            asked.allowed.add("window/showMessage")
            asked.start_request("test", {})
            return await asked.notification("window/showMessage", lambda params: params["type"] == 3)

    assert asyncio.run(run())["message"] == "hello"


def test_a_request_of_the_server_gets_the_answer_of_its_handler() -> None:
    assert (
        ask(
            "asks",
            handlers={"workspace/configuration": lambda params: len(params["items"])},
        )
        == 1
    )


LINE = 's = "漢字🙂é👩‍👩‍👧" + foo'


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 42), ("utf-16", 25), ("utf-32", 21)])
def test_columns_count_units_of_the_encoding(encoding: str, column: int) -> None:
    assert position_of("x\n" + LINE, encoding) == {"line": 1, "character": column}
    assert offset_of("x\n" + LINE + "\ny", {"line": 1, "character": column}, encoding) == len("x\n" + LINE)


def test_lines_end_at_three_marks_only() -> None:
    assert lines_of("a\r\nb\rc\n\x0cd\u2028e") == [
        "a\r\n",
        "b\r",
        "c\n",
        "\x0cd\u2028e",
    ]
    assert lines_of("a\n") == ["a\n", ""]
    assert lines_of("") == [""]


def test_an_edit_and_an_item_are_applied() -> None:
    here = {"line": 0, "character": 3}
    assert apply_edit("🙂b\n", {"range": {"start": here, "end": here}, "text": "c"}, "utf-16") == "🙂bc\n"
    item = {"range": {"start": here, "end": here}, "insertText": "c"}
    assert apply_item("🙂b\n", item, "utf-16", "█") == "🙂bc█\n"
