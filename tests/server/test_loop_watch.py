from __future__ import annotations

import asyncio
import time

from server.loop_watch import BORDERS, LoopWatch


def test_work_that_holds_the_loop_is_told_from_a_thread_that_got_no_turn() -> None:
    watch = LoopWatch()
    watch.note(late=0.030, worked=0.025)
    watch.note(late=0.030, worked=0.0)
    assert watch.late[BORDERS.index(50)] == 2
    assert watch.held[BORDERS.index(50)] == 1
    assert watch.held[0] == 1
    assert watch.longest == 25


def test_a_loop_that_is_held_is_seen() -> None:
    async def held() -> LoopWatch:
        watch = LoopWatch()
        watch.start()
        watch.start()  # once is enough
        await asyncio.sleep(0.01)
        until = time.thread_time() + 0.03
        while time.thread_time() < until:
            pass
        await asyncio.sleep(0.01)
        watch.close()
        return watch

    watch = asyncio.run(held())
    assert watch.longest >= 20
    assert sum(watch.held[BORDERS.index(20) :]) == 1
    assert sum(watch.held) == sum(watch.late)


def test_more_than_the_last_border_is_counted_too() -> None:
    watch = LoopWatch()
    watch.note(late=2.0, worked=2.0)
    assert watch.held[-1] == 1
    assert sum(watch.as_dict()["held"]) == 1  # type: ignore[call-overload]
