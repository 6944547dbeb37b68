from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from ast_prompt.prompt import Prompt
from server.completion import complete
from server.engines import Counters, Limits, Model
from server.governor import SMALLEST_SLICE
from server.lane import WARM_TOKENS, Lane
from server.settings import Settings
from tests.completing import QWEN, snapshot_of
from tests.picture import picture

LONG = "".join(f"line {number:04}\n" for number in range(200))
"""2,000 characters, 500 tokens."""


def prompt(text: str) -> Prompt:
    return Prompt(text, None, "", (), len(text) // 4, text, "")


@dataclass
class Slow:
    """An engine that reads as many tokens as were not in its last prompts, and writes what it is told."""

    says: tuple[str, ...] = ("a",)
    name: str = "slow"
    asked: list[tuple[str, int]] = field(default_factory=list)
    open: int = 0
    most_open: int = 0
    gate: asyncio.Event | None = None
    """Where set, answers wait for it."""

    async def model(self) -> Model:
        return Model("slow", 8192, QWEN, None)

    @asynccontextmanager
    async def stream(self, wanted: Prompt, limits: Limits) -> AsyncIterator[Said]:
        self.asked.append((wanted.text, limits.max_tokens))
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            yield Said(self)
        finally:
            self.open -= 1

    async def close(self) -> None:
        pass


@dataclass
class Said:
    engine: Slow
    counters: Counters = field(default_factory=lambda: Counters(requests=1))

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        if self.engine.gate is not None:
            await self.engine.gate.wait()
        self.counters.evaluated, self.counters.prefill_ms = 100, 1000
        for piece in self.engine.says:
            self.counters.generated += 1
            yield piece


async def read_all(lane: Lane, wanted: Prompt) -> int:
    slices = 0
    while not lane.is_warm(wanted):
        await lane.read(wanted, 9)
        slices += 1
        assert slices < 100
    return slices


def test_a_long_prompt_is_read_in_growing_slices_that_end_with_a_line() -> None:
    engine = Slow()
    lane = Lane(lambda: engine)
    assert asyncio.run(read_all(lane, prompt(LONG))) > 2
    texts = [text for text, _ in engine.asked]
    assert all(later.startswith(earlier) and len(later) > len(earlier) for earlier, later in itertools.pairwise(texts))
    assert all(text.endswith("\n") for text in texts)
    assert {tokens for _, tokens in engine.asked} == {1}
    assert texts[-1] == LONG
    assert all((len(later) - len(earlier)) // 4 >= SMALLEST_SLICE // 2 for earlier, later in itertools.pairwise(texts))


def test_what_is_read_once_is_not_read_again_nor_is_what_is_typed() -> None:
    engine = Slow()
    lane = Lane(lambda: engine)

    async def run() -> tuple[int, int]:
        await read_all(lane, prompt(LONG))
        return await read_all(lane, prompt(LONG)), await read_all(lane, prompt(LONG + "x = 1"))

    assert asyncio.run(run()) == (0, 0)
    assert lane.uncached(prompt(LONG + "x" * 8)) == 2
    assert WARM_TOKENS > 2


def test_who_stops_waiting_leaves_the_slice_to_end_by_itself() -> None:
    engine = Slow()
    lane = Lane(lambda: engine)

    async def run() -> None:
        engine.gate = asyncio.Event()
        reading = asyncio.create_task(lane.read(prompt(LONG), 9))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert engine.open == 1
        engine.gate.set()
        await asyncio.gather(*lane.slices)
        assert engine.open == 0

    asyncio.run(run())
    assert lane.account.cached(LONG) > 0


def test_only_one_request_at_a_time() -> None:
    engine = Slow(("a", "b"))
    lane = Lane(lambda: engine)

    async def answer(text: str) -> None:
        async with lane.stream(prompt(text), Limits(9, 9)) as pieces:
            async for _ in pieces:
                await asyncio.sleep(0)

    async def run() -> None:
        await asyncio.gather(*(answer(f"text {number}") for number in range(5)), lane.read(prompt(LONG), 9))

    asyncio.run(run())
    assert engine.most_open == 1


def test_an_answer_that_was_closed_before_it_was_read_is_not_in_the_account() -> None:
    engine = Slow()
    lane = Lane(lambda: engine)

    async def run() -> None:
        async with lane.stream(prompt(LONG), Limits(9, 9)):
            pass  # nothing was read yet

    asyncio.run(run())
    assert lane.account.cached(LONG) == 0


def test_each_request_s_figures_are_told_and_learnt_from() -> None:
    engine = Slow()
    told: list[Counters] = []
    lane = Lane(lambda: engine, told.append)
    asyncio.run(lane.read(prompt(LONG), 9))
    assert [counters.evaluated for counters in told] == [100]
    assert lane.governor.prefill.value == 100


def test_a_model_that_was_loaded_anew_has_an_empty_cache() -> None:
    engine = Slow()
    lane = Lane(lambda: engine)
    lane.account.sent(LONG)
    lane.learn(prompt("x"), 1, Counters(evaluated=1, load_ms=1200))
    assert lane.account.cached(LONG) == 0


def test_the_model_is_loaded_once() -> None:
    engine = Slow()
    lane = Lane(lambda: engine)

    async def run() -> None:
        await lane.load(9)
        await lane.load(9)

    asyncio.run(run())
    assert [tokens for _, tokens in engine.asked] == [1]


def test_a_slice_that_hangs_gives_the_lane_back() -> None:
    engine = Slow()
    lane = Lane(lambda: engine)

    async def run() -> None:
        engine.gate = asyncio.Event()
        with pytest.raises(TimeoutError):
            await lane.read(prompt(LONG), 0.01)
        assert not lane.free.locked()

    asyncio.run(run())


def test_what_nobody_waits_for_does_not_decide_which_prompt_serves_next() -> None:
    above = "".join(f"value_{number} = {number}\n" for number in range(400))
    snapshot, offset = snapshot_of(picture(f"{above}x = █\n"))
    for idle in (True, False):
        lane = Lane(lambda: Slow(says=("1",)))
        asyncio.run(complete(snapshot, offset, lane, Settings(), idle=idle))
        assert (lane.size == 0) is idle


@dataclass
class Untold(Said):
    """An answer whose figures come with its end only."""

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        for piece in self.engine.says:
            self.counters.generated += 1
            yield piece
        self.counters.prompt, self.counters.evaluated = 500, 500


class Teller(Slow):
    @asynccontextmanager
    async def stream(self, wanted: Prompt, limits: Limits) -> AsyncIterator[Said]:
        yield Untold(self)


def test_what_an_answer_cost_that_was_closed_early_is_reckoned() -> None:
    async def use() -> list[Counters]:
        lane, told = Lane(lambda: Teller(("a", "b", "c"))), list[Counters]()
        lane.note = told.append
        lane.account.sent(LONG[:1900])
        for most in (1, 3):
            async with lane.stream(prompt(LONG), Limits(9, 9)) as answer:
                pieces = aiter(answer)
                for _ in range(most):
                    await anext(pieces)
                if most == 3:
                    assert [piece async for piece in pieces] == []
        return told

    early, whole = asyncio.run(use())
    assert (early.prompt, early.evaluated, early.reckoned) == (500, 25, True)
    assert (whole.prompt, whole.evaluated, whole.reckoned) == (500, 500, False)
