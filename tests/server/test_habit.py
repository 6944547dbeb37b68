from __future__ import annotations

from server.habit import FOLLOWS, Habit


def test_what_was_asked_about_will_be_asked_about_again() -> None:
    habit = Habit()
    assert not habit.will_ask("a")
    habit.asked("a")
    assert habit.will_ask("a")
    assert not habit.will_ask("b")


def test_an_editor_that_leaves_changes_unasked_does_not_ask_by_itself() -> None:
    habit = Habit()
    habit.asked("a")
    assert [habit.will_ask("a") for _ in range(FOLLOWS + 1)] == [True] * FOLLOWS + [False]
    habit.asked("a")
    assert habit.will_ask("a")


def test_what_may_have_been_turned_off_is_not_asked_about() -> None:
    habit = Habit()
    habit.asked("a")
    habit.forget()
    assert not habit.will_ask("a")
