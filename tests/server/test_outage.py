from __future__ import annotations

from server.completion import Completion
from server.outage import LONGEST_PAUSE, REFUSED_PAUSE, Outage
from server.trigger import Reason


class Bench:
    def __init__(self) -> None:
        self.time = 0.0
        self.messages: list[str] = []
        self.states: list[str] = []
        self.outage = Outage(lambda: self.time, self.messages.append, lambda state, reason: self.states.append(state))

    def tries(self, seconds: float, reason: Reason) -> int:
        """How many of ten requests a second reach the engine."""
        tried = 0
        for _ in range(int(seconds * 10)):
            if self.outage.pause() is None:
                tried += 1
                self.outage.note(Completion(reason, detail="no Ollama"))
            self.time += 0.1
        return tried


SHOWN = Completion(Reason.SHOWN, "x", engine="ollama", model="m")


def test_an_outage_is_told_once_and_tried_ever_less_often() -> None:
    bench = Bench()
    assert bench.tries(5, Reason.DOWN) <= 5
    assert bench.tries(60, Reason.DOWN) <= 60 / LONGEST_PAUSE + 1
    assert bench.messages == ["no Ollama"]
    assert bench.states == ["down"]


def test_it_recovers_by_itself_and_a_second_outage_is_told_again() -> None:
    bench = Bench()
    bench.tries(5, Reason.DOWN)
    bench.time += LONGEST_PAUSE
    assert bench.outage.pause() is None
    bench.outage.note(SHOWN)
    assert bench.states == ["down", "ready"]
    bench.tries(5, Reason.DOWN)
    assert bench.messages == ["no Ollama", "no Ollama"]


def test_a_refusal_is_not_tried_at_every_key() -> None:
    bench = Bench()
    assert bench.tries(REFUSED_PAUSE - 1, Reason.REFUSED) == 1


def test_one_answer_that_breaks_off_is_no_outage() -> None:
    bench = Bench()
    bench.outage.note(Completion(Reason.BROKEN, detail="it broke"))
    assert bench.messages == []
    bench.outage.note(SHOWN)
    assert bench.outage.pause() is None
    for _ in range(3):
        bench.outage.note(Completion(Reason.BROKEN, detail="it broke"))
    assert bench.messages == ["it broke"]


def test_only_a_second_answer_in_a_row_that_breaks_off_makes_a_pause() -> None:
    bench = Bench()
    assert bench.tries(0.2, Reason.BROKEN) == 2
    assert bench.tries(0.3, Reason.BROKEN) == 0
    assert bench.tries(60, Reason.BROKEN) <= 60 / LONGEST_PAUSE + 4


def test_an_outage_may_last_for_days() -> None:
    bench = Bench()
    for _ in range(3000):
        bench.outage.note(Completion(Reason.DOWN, detail="no Ollama"))
        assert bench.outage.pause() is not None
        bench.time += LONGEST_PAUSE
    assert bench.messages == ["no Ollama"]
