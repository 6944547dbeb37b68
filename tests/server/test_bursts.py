"""Many keys, or many requests, in a short time: the engine gets few of them, one after the other, and is let go."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases.data import case, variants
from tests.fake_ollama import FakeOllama, answer
from tests.server.desk import Desk, Typist, at_a_desk, result, until

URI = "file:///w/burst.py"
GAP = 0.05
"""Seconds between two keys."""
SLOW = case("burst_of_keys")["answer"]
MOST = case("burst_of_keys")["most_requests"]


async def burst(typist: Typist, keys: str) -> list[asyncio.Future[Any]]:
    asked = []
    for key in keys:
        typist.press(key)
        asked.append(typist.ask())
        await asyncio.sleep(GAP)
    return asked


def check_load(fake: FakeOllama, most: int = MOST) -> None:
    assert fake.max_open <= 1
    assert 1 <= len(fake.generates()) <= most


@pytest.mark.parametrize(
    "given", [given for given in variants("burst_of_keys") if "keys" in given], ids=lambda given: given["name"]
)
def test_a_burst_of_keys_costs_the_engine_few_requests(given: dict[str, Any]) -> None:
    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, given["before"])
        assert len(given["keys"]) == 20
        asked = await burst(typist, given["keys"])
        *older, newest = [await result(one) for one in asked]
        assert newest is not None
        assert not any(older)
        check_load(desk.fake)

    at_a_desk({"generate": [SLOW]}, use)


def test_the_last_key_of_a_burst_is_answered_with_what_fits() -> None:
    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, "def mean(values):\n    return su█\n")
        await burst(typist, "pp\b\b" * 5)
        assert await typist.offered() == "def mean(values):\n    return sum(values)█\n"
        check_load(desk.fake)

    at_a_desk({"generate": [SLOW | {"delay_ms": 800}]}, use)


def test_a_shutdown_in_the_middle_of_a_burst_closes_every_stream() -> None:
    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, "def mean(values):\n    return sum(values)█\n")
        asked = await burst(typist, "\b" * 8)
        assert desk.fake.open <= 1
        await desk.client.shut_down()
        await until(lambda: not desk.fake.open, 1)
        for one in asked:
            assert not await asyncio.wait_for(result(one), 1)
        requests = len(desk.fake.requests())
        await asyncio.sleep(0.5)
        assert len(desk.fake.requests()) == requests

    at_a_desk({"generate": [SLOW | {"delay_ms": 60_000}]}, use)


def test_a_cursor_that_runs_through_the_lines_costs_the_engine_few_requests() -> None:
    """As with a key that is held down: the text stays as it is."""

    async def use(desk: Desk) -> None:
        lines = [f"name_{number} = " for number in range(20)]
        typist = desk.typist(URI, "█" + "\n".join(lines) + "\n")
        asked = []
        for number in range(20):
            typist.go("\n".join(lines[: number + 1]))
            asked.append(typist.ask())
            await asyncio.sleep(GAP)
        *older, newest = [await result(one) for one in asked]
        assert not any(older)
        assert newest is not None
        assert [item["insertText"] for item in newest] == ["m(values)"]
        assert desk.fake.generates()[-1]["prompt"].endswith("name_19 = ")
        check_load(desk.fake)

    at_a_desk({"generate": [SLOW | {"delay_ms": 500}]}, use)


def test_slower_keys_do_not_pile_up_either() -> None:
    """Each comes late enough to have its own request, and long before the engine says anything."""

    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, "def mean(values):\n    return sum(values) / len█\n")
        for _ in range(10):
            typist.press("\b")
            asked = typist.ask()
            await asyncio.sleep(0.2)
        check_load(desk.fake, most=10)
        typist.leave()
        assert await result(asked) is None

    at_a_desk({"generate": [SLOW | {"delay_ms": 60_000}]}, use)


def test_who_takes_one_key_back_is_asked_about_at_once_where_the_engine_had_spoken() -> None:
    """Only an engine that was stopped before it said a word is given a moment."""

    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, "x = a█\n")
        for number in range(6):
            typist.press("ab"[number % 2])
            assert await typist.items()
        assert len(desk.fake.generates()) == 6

    at_a_desk({"generate": [answer("+ 1")]}, use)


@pytest.mark.parametrize("documents", [2, 5])
def test_documents_that_are_typed_in_by_turns_share_the_engine(documents: int) -> None:
    """As where a name is changed everywhere, or by several cursors: one request at a time, and few in all."""

    async def use(desk: Desk) -> None:
        typists = [desk.typist(f"file:///w/{name}.py", "total = su█\n") for name in range(documents)]
        asked = []
        for number in range(20):
            typist = typists[number % documents]
            typist.press("m")
            asked.append(typist.ask())
            await asyncio.sleep(GAP)
        *older, newest = [await result(one) for one in asked]
        assert newest is not None
        assert not any(older)
        check_load(desk.fake)
        await desk.answers_still()

    at_a_desk({"generate": [SLOW | {"delay_ms": 500}]}, use)


@pytest.mark.parametrize("types_between", [False, True])
@pytest.mark.parametrize("method", ["textDocument/inlineCompletion", "textDocument/completion"])
@pytest.mark.parametrize("by_hand", [False, True])
def test_requests_that_are_cancelled_at_once_cost_no_call_of_the_model(
    types_between: bool, method: str, by_hand: bool
) -> None:
    given = case("cancelled_requests_still_run")

    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, given["before"])
        asked = []
        for _ in range(10):
            if types_between:
                typist.press("1")
            context = {"triggerKind": 1 if by_hand else 2}
            at = {"textDocument": {"uri": URI}, "position": typist.cursor, "context": context}
            id_, future = desk.client.start_request(method, at)
            desk.client.cancel(id_)
            asked.append(future)
        async with asyncio.timeout(2):
            await desk.client.request("workspace/executeCommand", {"command": "kireji.status"})
        assert all(not found for found in [await result(one) for one in asked])
        await asyncio.sleep(0.3)
        assert len(desk.fake.generates()) <= given["most_requests"]
        assert len(desk.client.stderr) <= 2

    at_a_desk({"generate": [given["answer"]]}, use)
