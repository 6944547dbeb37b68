from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.account import REMEMBERED, Account, common


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_the_common_beginning(one: str, other: str) -> None:
    found = common(one, other)
    assert one[:found] == other[:found]
    assert one[: found + 1] != other[: found + 1] or found == min(len(one), len(other))


def test_the_best_of_the_prompts_that_are_known_counts() -> None:
    account = Account()
    account.sent("abcdef")
    account.sent("xyz")
    assert account.cached("abcxyz") == 3
    assert account.cached("xyz1") == 3
    assert account.cached("q") == 0


def test_a_prompt_takes_the_place_of_those_that_it_continues() -> None:
    account = Account()
    for length in range(1, 20):
        account.sent("a" * length)
    assert account.known == ["a" * 19]


def test_only_a_few_are_known_the_oldest_go_first() -> None:
    account = Account()
    for letter in "abcdefghij":
        account.sent(letter)
    assert account.known == list("efghij")[-REMEMBERED:]


def test_an_engine_that_read_far_more_than_expected_has_forgotten_the_rest() -> None:
    account = Account()
    account.sent("abc")
    account.sent("xyz")
    account.correct(expected=3, evaluated=20)
    assert len(account.known) == 2
    account.correct(expected=3, evaluated=None)
    assert len(account.known) == 2
    account.correct(expected=3, evaluated=600)
    assert account.known == ["xyz"]
