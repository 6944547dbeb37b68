"""Answers that break, or never end: nothing wrong is offered, the engine is let go, and the next request works."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases.data import Row, case, variants
from tests.protocol.client import SERVER
from tests.server.desk import Desk, at_a_desk, until

SECONDS = 2
"""For an answer; the setting."""


@pytest.mark.parametrize("given", variants("runaway_generation"), ids=lambda given: given["name"])
def test_an_answer_without_an_end_is_left(given: dict[str, Any]) -> None:
    async def use(desk: Desk) -> None:
        row = Row.of(given)
        typist = desk.typist(row.uri, row.before)
        items = await typist.items()
        if row.expected["after"] is not None:
            assert row.is_right(typist.accepted(items[0]))
        assert all("\n" not in item["insertText"] for item in items)
        await until(lambda: desk.fake.open == 0, SECONDS)
        (body,) = desk.fake.generates()
        assert body["stream"] is True
        assert 1 <= body["options"]["num_predict"] <= 1024
        await desk.answers_still()

    at_a_desk({"generate": [given["answer"]]}, use, options={"timeout": SECONDS})


def test_what_a_model_wrote_that_does_not_keep_to_its_limit_is_offered() -> None:
    """It is cut off there, long before the time is up."""

    async def use(desk: Desk) -> None:
        typist = desk.typist("file:///w/a.py", case("runaway_generation")["before"])
        (item,) = await typist.items()
        assert item["insertText"].startswith("1, 1, 1")
        assert len(item["insertText"]) <= len("1, ") * 9

    at_a_desk({"generate": [case("runaway_generation")["answer"]]}, use, options={"timeout": 60, "maxTokens": 8})


@pytest.mark.parametrize("given", variants("error_in_mid_stream"), ids=lambda given: given["name"])
def test_an_answer_that_breaks_is_void_and_the_next_request_works(tmp_path: Path, given: dict[str, Any]) -> None:
    log = tmp_path / "server.log"

    async def use(desk: Desk) -> None:
        row = Row.of(given)
        typist = desk.typist(row.uri, row.before)
        got = await typist.offered()
        assert row.is_right(got), got
        told = [line for line in log.read_text().splitlines() if given.get("logged", "-") in line]
        assert len(told) == (1 if given.get("logged") else len(told))
        desk.fake.play({"stream": [{"response": "1"}]})
        if got is None:
            assert await typist.items()  # at the same place, and at once
        await desk.answers_still()

    at_a_desk({"generate": [given["answer"]]}, use, command=[*SERVER, "--log", str(log)])


def test_an_engine_that_breaks_off_again_and_again_is_left_alone_for_a_while() -> None:
    async def use(desk: Desk) -> None:
        typist = desk.typist("file:///w/a.py", "x = █\n")
        for number in range(20):
            typist.press(str(number % 10))
            assert await typist.items() == []
        assert len(desk.fake.generates()) <= 4

    broken = case("error_in_mid_stream")["answer"]
    at_a_desk({"generate": [broken]}, use)
