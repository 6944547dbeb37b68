from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ast_prompt.text import text_of
from server.positions import Encoding, offset_at, path_of, position_at, uri_key, uri_of

TEXTS = st.lists(st.sampled_from(["a", "é", "漢", "🙂", "\n", "\r\n", "\r", "\f", "\u2028"]), max_size=20).map("".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(Encoding), st.floats(0, 1))
def test_a_position_leads_back_to_its_offset(source: str, encoding: Encoding, share: float) -> None:
    text = text_of(source)
    at = int(share * len(source))
    if source[:at].endswith("\r") and source[at : at + 1] == "\n":
        return  # inside a line end there is no position
    offset = len(source[:at].encode())
    assert offset_at(text, *position_at(text, offset, encoding), encoding) == offset


@pytest.mark.parametrize(
    ("encoding", "column", "characters"),
    [
        (Encoding.UTF8, 4, 1),
        (Encoding.UTF8, 2, 0),
        (Encoding.UTF16, 2, 1),
        (Encoding.UTF16, 1, 0),
        (Encoding.UTF32, 1, 1),
        (Encoding.UTF16, 99, 2),
    ],
)
def test_a_column_inside_a_character_is_its_beginning(encoding: Encoding, column: int, characters: int) -> None:
    text = text_of("🙂x\ny")
    assert offset_at(text, 0, column, encoding) == len("🙂x"[:characters].encode())


def test_a_line_past_the_end_is_the_end() -> None:
    assert offset_at(text_of("ab\n"), 7, 3, Encoding.UTF16) == 3


@pytest.mark.parametrize("path", ["/w/my project/a.py", "/w/[slug]/b#c&d?e.py", "/w/100%/é.py"])
def test_a_path_survives_its_uri(path: str) -> None:
    assert path_of(uri_of(path, "linux"), "linux") == path


def test_what_is_no_file_has_no_path_and_is_its_own_key() -> None:
    for uri in ("untitled:Untitled-1", "vscode-notebook-cell:/w/nb.ipynb#W0sZmlsZQ%3D%3D", "ssh://host/a.py"):
        assert path_of(uri) is None
        assert uri_key(uri) == uri
