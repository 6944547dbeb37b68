"""What the server takes of the machine: no more memory after many files and many keys, and nothing while it is idle."""

from __future__ import annotations

import asyncio
from typing import Any

import psutil
import pytest

from tests.cases.data import case
from tests.fake_ollama import answer
from tests.server.desk import Desk, at_a_desk

CASE = case("memory_and_idle_cpu")
FUNCTIONS = 600
"""Of a file: 40 KB."""
SETTINGS = {"warmUp": True, "speculate": True, "remember": True, "backOff": False}
"""Everything that works while nobody waits; a suggestion that is put off would only take time."""


def code_of(number: int) -> str:
    functions = (
        f"def fn_{number}_{one}(a, b):\n    total = a * {one} + b\n    return total - {number}\n\n\n"
        for one in range(FUNCTIONS)
    )
    return "".join(functions) + "x = \n"


async def visit(desk: Desk, number: int, edits: int) -> None:
    """Open, edit, complete and close one file."""
    uri, line = f"file:///w/m_{number}.py", FUNCTIONS * 5
    desk.client.open(uri, code_of(number))
    for edit in range(edits):
        at = {"line": edit * 7, "character": 0}
        desk.client.change(uri, {"range": {"start": at, "end": at}, "text": "#"})
    assert await desk.client.inline(uri, line, len("x = "))
    desk.client.close(uri)
    closed = await desk.client.request("workspace/executeCommand", {"command": "kireji.text", "arguments": [uri]})
    assert closed is None


async def edit_one(desk: Desk, edits: int) -> None:
    """One file, in which a word is written and taken back again and again."""
    uri, line, begin = "file:///w/one.py", FUNCTIONS * 5, len("x = ")
    desk.client.open(uri, code_of(0))
    for edit in range(edits):
        at, behind = ({"line": line, "character": begin + edit % 2 * back} for back in (0, 1))
        desk.client.change(uri, {"range": {"start": at, "end": behind}, "text": "" if edit % 2 else "a"})
        if edit % 50 == 49:
            await desk.client.inline(uri, line, begin)
    assert desk.client.texts[uri] == await desk.client.text_of(uri)


@pytest.mark.parametrize(
    ("size", "share"),
    [("quick", 0.25), pytest.param("whole", 1.0, marks=[pytest.mark.soak, pytest.mark.timeout(900)])],
)
def test_memory_does_not_grow_with_files_and_keys(size: str, share: float) -> None:
    amounts: dict[str, Any] = CASE[size]
    most = CASE["limits"]["megabytes"] * share

    async def use(desk: Desk) -> None:
        process = psutil.Process(desk.client.process.pid)

        def megabytes() -> float:
            return float(process.memory_info().rss / 1e6)

        for number in range(amounts["files_before"]):
            await visit(desk, number, amounts["edits"])
        before = megabytes()
        for number in range(amounts["files_before"], amounts["files_before"] + amounts["files"]):
            await visit(desk, number, amounts["edits"])
        assert megabytes() - before < most
        await edit_one(desk, 50)
        before = megabytes()
        await edit_one(desk, amounts["edits_of_one"])
        assert megabytes() - before < most

    at_a_desk({"generate": [answer(CASE["model_output"])]}, use, options=SETTINGS)


@pytest.mark.parametrize("size", ["quick", pytest.param("whole", marks=[pytest.mark.soak, pytest.mark.timeout(120)])])
def test_idle_means_idle(size: str) -> None:
    """Behind what it reads ahead, and, on a busy machine later, guesses ahead."""
    seconds, options = CASE[size]["idle_seconds"], SETTINGS | {"speculate": size == "whole"}

    async def use(desk: Desk) -> None:
        process = psutil.Process(desk.client.process.pid)

        def used() -> float:
            times = process.cpu_times()
            return float(times.user + times.system)

        for number in range(2):
            desk.client.open(f"file:///w/{number}.py", code_of(number))
            assert await desk.client.inline(f"file:///w/{number}.py", FUNCTIONS * 5, len("x = "))
        await asyncio.sleep(CASE[size]["settles_seconds"])  # it reads ahead; on a busy machine it guesses later
        before, requests = used(), len(desk.fake.requests())
        await asyncio.sleep(seconds)
        assert len(desk.fake.requests()) == requests
        assert used() - before < CASE["limits"]["idle_cpu_seconds"] * max(seconds / 30, 0.4)

    at_a_desk({"generate": [answer(CASE["model_output"])]}, use, options=options)
