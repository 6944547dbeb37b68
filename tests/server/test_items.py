from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from server.completion import Completion
from server.items import inline_item, popup_item
from server.positions import Encoding
from server.trigger import Reason
from server.where import Where
from tests.completing import snapshot_of
from tests.picture import picture


def where(drawing: str, path: str = "main.py", encoding: Encoding = Encoding.UTF16) -> Where:
    snapshot, offset = snapshot_of(picture(drawing, path))
    return Where(snapshot, offset, encoding)


def popup(drawing: str, text: str, path: str = "main.py") -> lsp.CompletionItem | None:
    return popup_item(Completion(Reason.SHOWN, text), where(drawing, path), 1)


@pytest.mark.parametrize("encoding", Encoding)
def test_a_selected_entry_is_found_behind_characters_of_any_width(encoding: Encoding) -> None:
    at = where("𝒳grö = cart.it█\n", encoding=encoding)
    end = lsp.Position(*at.position(at.offset))
    begin = lsp.Position(end.line, end.character - 2)
    selected = lsp.SelectedCompletionInfo(lsp.Range(begin, end), "items")
    item = inline_item(Completion(Reason.SHOWN, "ems.push(x)"), at, 1, selected)
    assert item is not None
    assert item.insert_text == "items.push(x)"
    assert item.range == lsp.Range(begin, end)


@pytest.mark.parametrize("encoding", Encoding)
def test_an_item_covers_what_it_replaces_and_no_more(encoding: Encoding) -> None:
    at = where("𝒳 = f(é█)\n", encoding=encoding)
    item = inline_item(Completion(Reason.SHOWN, "a)", covers=1), at, 1, None)
    assert item is not None
    assert item.range is not None
    assert item.range.end.character - item.range.start.character == 1


def test_in_css_a_word_holds_hyphens() -> None:
    item = popup("a {\n  background-col█\n}\n", "or: red;", "main.css")
    assert item is not None
    assert item.filter_text == "background-color"
    assert item.insert_text == "background-color: red;"


def test_an_answer_that_begins_below_has_its_first_line_for_a_label() -> None:
    item = popup("def f():█\n", "\n    return 1")
    assert item is not None
    assert item.label == "return 1"
    assert item.insert_text == "\n    return 1"


def test_a_snippet_is_escaped_and_relative_to_its_line() -> None:
    item = popup("class A:\n    █\n", "def f(self):\n        return '$x}'")
    assert item is not None
    assert item.insert_text == "def f(self):\n    return '\\$x\\}'"
    assert item.insert_text_format is lsp.InsertTextFormat.Snippet


def test_what_stands_further_out_than_its_line_goes_out_as_it_is() -> None:
    item = popup("def f():\n    for x in a:\n        █\n", "g(x)\n    return 1")
    assert item is not None
    assert item.insert_text == "g(x)\n    return 1"
    assert item.insert_text_format is lsp.InsertTextFormat.PlainText
