"""Edits and positions count in UTF-16; an older version's place is found again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.bench.document import KEPT, Document, offset_at, position_at
from tests.protocol.text import apply_edit

TEXTS = st.text(alphabet="ab\n\r🙂é", max_size=30)


def document(text: str) -> Document:
    return Document("file:///w/a.py", "python", text)


def test_a_character_outside_the_basic_plane_counts_twice() -> None:
    text = "x = 1\r\ns = '🙂é' + "
    assert position_at(text, len(text)) == {"line": 1, "character": 12}
    assert offset_at(text, {"line": 1, "character": 7}) == 13


def test_a_position_past_the_end_is_the_end() -> None:
    assert offset_at("ab\ncd", {"line": 0, "character": 9}) == 2
    assert offset_at("ab\ncd", {"line": 9, "character": 0}) == 5


@given(TEXTS, TEXTS, st.data())
def test_what_is_sent_does_the_same_elsewhere(text: str, inserted: str, data: st.DataObject) -> None:
    borders = [at for at in range(len(text) + 1) if text[max(at - 1, 0) : at + 1] != "\r\n"]
    at = data.draw(st.sampled_from(borders))
    end = data.draw(st.sampled_from([border for border in borders if border >= at]))
    changed = document(text)
    change = changed.edit(at, end - at, inserted)
    assert apply_edit(text, change, "utf-16") == changed.text
    assert (changed.text, changed.version) == (text[:at] + inserted + text[end:], 2)


@given(TEXTS, st.data())
def test_a_position_is_the_offset_that_it_was_made_of(text: str, data: st.DataObject) -> None:
    borders = [at for at in range(len(text) + 1) if text[max(at - 1, 0) : at + 1] != "\r\n"]
    at = data.draw(st.sampled_from(borders))
    assert offset_at(text, position_at(text, at)) == at


def test_what_was_typed_since_a_version() -> None:
    changed = document("ab")
    for at, letter in enumerate("xyz", start=1):
        changed.edit(at, 0, letter)
    assert changed.text == "axyzb"
    assert changed.typed_since(1, 1, 4) == "xyz"
    assert changed.typed_since(3, 3, 4) == "z"
    assert changed.typed_since(4, 4, 4) == ""


def test_a_letter_that_was_taken_back_was_not_typed() -> None:
    changed = document("ab")
    changed.edit(1, 0, "x")
    changed.edit(1, 1, "")
    assert changed.typed_since(1, 1, 1) == ""


@pytest.mark.parametrize(("at", "removed", "inserted"), [(0, 0, "x"), (2, 0, "x"), (0, 1, ""), (0, 2, "cd")])
def test_what_changed_elsewhere_is_no_typing(at: int, removed: int, inserted: str) -> None:
    changed = document("ab")
    changed.edit(at, removed, inserted)
    assert changed.typed_since(1, 1, 1) is None


def test_old_versions_are_forgotten() -> None:
    changed = document("")
    for at in range(KEPT):
        changed.edit(at, 0, "x")
    assert changed.typed_since(1, 0, KEPT) is None
    assert changed.typed_since(2, 1, KEPT) == "x" * (KEPT - 1)
