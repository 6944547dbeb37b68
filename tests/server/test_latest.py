from __future__ import annotations

import asyncio

import pytest

from server.latest import Latest


class Engine:
    def __init__(self) -> None:
        self.asked: list[str] = []
        self.closed: list[str] = []
        self.go = asyncio.Event()

    async def answer(self, name: str) -> str:
        self.asked.append(name)
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.closed.append(name)
            raise
        return name


def test_the_newest_question_wins_in_whatever_document() -> None:
    async def run() -> None:
        engine, latest = Engine(), Latest[str]()
        older = asyncio.create_task(latest.ask("a", 1, lambda: engine.answer("older")))
        await asyncio.sleep(0)
        newer = asyncio.create_task(latest.ask("b", 1, lambda: engine.answer("newer")))
        await asyncio.sleep(0)
        engine.go.set()
        assert await newer == "newer"
        with pytest.raises(asyncio.CancelledError):
            await older
        assert engine.closed == ["older"]

    asyncio.run(run())


def test_equal_questions_share_one_answer_until_nobody_waits() -> None:
    async def run() -> None:
        engine, latest = Engine(), Latest[str]()
        first = asyncio.create_task(latest.ask("a", 1, lambda: engine.answer("once")))
        second = asyncio.create_task(latest.ask("a", 1, lambda: engine.answer("twice")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert engine.closed == []
        engine.go.set()
        assert await second == "once"
        assert engine.asked == ["once"]

    asyncio.run(run())


def test_when_the_last_one_leaves_the_stream_is_closed() -> None:
    async def run() -> None:
        engine, latest = Engine(), Latest[str]()
        only = asyncio.create_task(latest.ask("a", 1, lambda: engine.answer("only")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        only.cancel()
        for _ in range(3):
            await asyncio.sleep(0)
        assert engine.closed == ["only"]
        assert latest.running is None

    asyncio.run(run())
