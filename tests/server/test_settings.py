from __future__ import annotations

import pytest

from server.settings import Settings, with_values


def test_values_may_be_nested_or_not() -> None:
    for values in ({"model": "m"}, {"kireji": {"model": "m"}}):
        assert with_values(Settings(), values) == (Settings(model="m"), [])


def test_unknown_names_and_nulls_change_nothing() -> None:
    assert with_values(Settings(), {"colour": "red", "model": None}) == (Settings(), [])


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"maxTokens": "many"}, "kireji.maxTokens is 'many', not a whole number; 96 stays."),
        ({"maxTokens": 0}, "kireji.maxTokens is 0, not between 1 and 1024; 96 stays."),
        ({"maxTokens": True}, "kireji.maxTokens is True, not a whole number; 96 stays."),
        ({"comments": "yes"}, "kireji.comments is 'yes', not true or false; False stays."),
        ({"timeout": "1"}, "kireji.timeout is '1', not a number; 30.0 stays."),
        ({"model": 7}, "kireji.model is 7, not text; '' stays."),
        (
            {"engine": "magic"},
            "kireji.engine is 'magic', which is none of auto, ollama, embedded, scripted; 'auto' stays.",
        ),
        ([1], "Kireji's settings are a list, not an object; they were left out."),
    ],
)
def test_a_wrong_value_keeps_the_old_one_and_says_so(values: object, problem: str) -> None:
    assert with_values(Settings(), values) == (Settings(), [problem])


def test_a_whole_number_is_a_number() -> None:
    settings, problems = with_values(Settings(), {"timeout": 5})
    assert (settings.timeout, problems) == (5.0, [])
