"""The script is the same for the same seed, and types exactly the text."""

from __future__ import annotations

import statistics
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.bench.holes import Hole, Source
from server.bench.script import Act, Key, Script, script_of

TEXT = "def area(width, height):\n    result = width * height\n    return result or some_other_value\n\n"
SOURCES = [Source(f"{name}.py", TEXT * 8, (Hole(29, 51), Hole(110, 180), Hole(300, 340))) for name in "abcdef"]


def texts_of(script: Script) -> list[str]:
    """The files when every key is pressed."""
    texts = [source.opened for source in script.sources]
    for key in script.keys:
        text = texts[key.source]
        assert 0 <= key.at <= key.at + key.removed <= len(text)
        texts[key.source] = text[: key.at] + key.inserted + text[key.at + key.removed :]
    return texts


def keys(act: Act, seeds: int = 20) -> list[Key]:
    return [key for seed in range(seeds) for key in script_of(SOURCES, seed).keys if key.act is act]


def test_the_same_seed_is_the_same_script() -> None:
    assert script_of(SOURCES, 7) == script_of(SOURCES, 7)
    assert script_of(SOURCES, 7) != script_of(SOURCES, 8)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_typed_is_the_text(seed: int) -> None:
    script = script_of(SOURCES, seed)
    assert texts_of(script) == [source.text for source in SOURCES]
    assert script.tasks == 18


@given(st.text(alphabet="ab _(\n\r\t🙂é", min_size=1, max_size=60), st.data(), st.integers(0, 99))
def test_any_text_with_any_holes(text: str, data: st.DataObject, seed: int) -> None:
    borders = sorted(data.draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=6)))
    holes = [Hole(begin, end) for begin, end in pairwise(borders)][::2]
    script = script_of([Source("a.txt", text, tuple(holes))], seed)
    assert texts_of(script) == [text]


def test_each_key_says_what_is_still_to_come() -> None:
    for seed in range(9):
        for key in script_of(SOURCES, seed).keys:
            truth = SOURCES[key.source].truth(key.hole)
            assert truth.endswith(key.rest)
            assert key.done is None or key.done == len(truth) - len(key.rest)


def test_enter_brings_the_indentation() -> None:
    source = Source("a.py", "if a:\n\n    b\r\n\tc\n", (Hole(0, 18),))
    lines = [key.inserted for key in script_of([source], 1).keys if key.inserted[:1] in ("\r", "\n")]
    assert [line for line in lines if line] == ["\n", "\n    ", "\r\n\t", "\n"]


def test_three_letters_in_a_hundred_are_mistyped_and_taken_back() -> None:
    typed, wrong, back = len(keys(Act.TYPE)), len(keys(Act.WRONG)), len(keys(Act.BACK))
    assert wrong == back
    assert 0.03 < wrong / typed < 0.09  # one to three keys each, blanks are never mistyped


def test_gaps_are_those_of_a_typist() -> None:
    def median(*acts: Act, line: bool = False) -> float:
        found = [key for act in acts for key in keys(act) if (key.inserted[:1] == "\n") == line]
        return statistics.median(key.pause for key in found)

    assert median(Act.TYPE, Act.WRONG) == pytest.approx(0.13, rel=0.1)
    assert median(Act.TYPE, line=True) == pytest.approx(0.6, rel=0.15)
    assert median(Act.OPEN, Act.JUMP) == pytest.approx(1.0, rel=0.15)


def test_each_file_is_opened_once_and_one_thing_is_pasted() -> None:
    script = script_of(SOURCES, 3)
    acts = [key.act for key in script.keys]
    assert acts.count(Act.OPEN) == len(SOURCES)
    assert acts.count(Act.PASTE) == 1
    assert acts.count(Act.JUMP) >= 12  # the other holes, and those that were left half done


def test_now_and_then_a_word_is_undone() -> None:
    undone = keys(Act.UNDO)
    assert undone
    assert all(key.removed >= 3 and not key.inserted for key in undone)


def test_a_hole_is_left_half_done_for_another_and_finished() -> None:
    places = [(key.source, key.hole) for seed in range(5) for key in script_of(SOURCES, seed).keys]
    visits = [place for place, after in pairwise([*places, (-1, -1)]) if place != after]
    assert len(visits) > 5 * 18
