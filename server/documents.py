"""The open documents, each as an immutable snapshot; parsed as they change, in slices of 5 ms."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from tree_sitter import Tree

from ast_prompt.grammars import prepare
from ast_prompt.languages import Language, language_of
from ast_prompt.text import Text, encoded, text_of
from ast_prompt.tree import Expired, Parsing, edited_tree, parse_in_slices
from server.positions import Encoding, offset_at, path_of, uri_key

log = logging.getLogger(__name__)

SLICE_SECONDS = 0.005
PAIRS = frozenset({"()", "[]", "{}", "<>", '""', "''", "``"})
"""What an editor puts in at once where only the first of the two was typed."""
PATIENCE_SECONDS = 0.1
"""How long a request waits for a parse before it does without the tree."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a request sees of a document: never changes."""

    uri: str
    path: str | None
    version: int
    language: Language
    text: Text
    tree: Tree | None


@dataclass(frozen=True, slots=True)
class Edit:
    """Range in the protocol's units; None: `text` is the whole document."""

    range: tuple[int, int, int, int] | None
    """First line and column, last line and column."""
    text: str

    def span(self, text: Text, encoding: Encoding) -> tuple[int, int]:
        """The bytes of a text that it replaces."""
        if self.range is None:
            return 0, len(text.data)
        first_line, first_column, last_line, last_column = self.range
        begin = offset_at(text, first_line, first_column, encoding)
        return begin, max(offset_at(text, last_line, last_column, encoding), begin)


class Document:
    prepared: ClassVar[set[Language]] = set()
    """Languages whose grammar and queries are loaded."""

    def __init__(self, uri: str, language: Language, version: int, text: Text) -> None:
        self.uri, self.path, self.language, self.version, self.text = uri, path_of(uri), language, version, text
        self.tree: Tree | None = None
        """Of `text`; None while it is being parsed, or where it is plain."""
        self.stale: Tree | None = None
        """The newest whole tree, told of every edit since."""
        self.parsing: asyncio.Task[None] | None = None
        self.cursor: int | None = None
        """Where it stands by the last change, if that was typing."""
        self.parse()

    def snapshot(self) -> Snapshot:
        return Snapshot(self.uri, self.path, self.version, self.language, self.text, self.tree)

    def change(self, version: int, edits: Iterable[Edit], encoding: Encoding) -> None:
        whole = list(edits)
        for edit in whole:
            self.apply(edit, encoding)
        self.changed(version, len(whole))

    def changed(self, version: int, edits: int) -> None:
        """So many edits were made."""
        if edits != 1:  # several cursors, or more than typing
            self.cursor = None
        self.version = version
        self.parse()

    def apply(self, edit: Edit, encoding: Encoding) -> None:
        if edit.range is None:
            self.text, self.stale, self.cursor = text_of(edit.text), None, None
        else:
            self.replace(*edit.span(self.text, encoding), edit.text)

    def replace(self, begin: int, end: int, text: str) -> None:
        """Put a text in place of the bytes from `begin` to `end`; `changed` is to follow."""
        inserted = encoded(text)
        after = self.text.edited(begin, end, inserted)
        if self.stale is not None:
            self.stale = edited_tree(self.stale, self.text, after, begin, end, len(inserted))
        self.text, self.cursor = after, cursor_behind(begin, text)

    def parse(self) -> None:
        """One slice at once, which is enough for most edits; the rest between the loop's other work."""
        self.stop_parsing()
        self.tree = None
        slices = parse_in_slices(self.text, self.language, self.stale, slice_clock)
        if self.language not in self.prepared or not self.advance(slices):
            self.parsing = asyncio.get_running_loop().create_task(self.parse_on(slices))

    def advance(self, slices: Parsing) -> bool:
        """One slice; True when it was the last."""
        try:
            next(slices)
        except StopIteration as end:
            self.tree = self.stale = end.value
            return True
        return False

    async def parse_on(self, slices: Parsing) -> None:
        if self.language not in self.prepared:
            await asyncio.to_thread(prepare, self.language)
            self.prepared.add(self.language)
        while not self.advance(slices):  # noqa: ASYNC110 - lets the loop's other work in between slices
            await asyncio.sleep(0)

    def stop_parsing(self) -> None:
        if self.parsing is not None:
            self.parsing.cancel()
            self.parsing = None


def cursor_behind(begin: int, typed: str) -> int | None:
    """Where the cursor most likely stands behind what was put in at an offset; None where that can't be told."""
    if not typed or typed.count("\n") > 1:  # Enter between two brackets leaves the cursor on the line between
        return None
    return begin + (1 if typed in PAIRS else len(encoded(typed)))


def slice_clock() -> Expired:
    begin = time.thread_time()
    return lambda: time.thread_time() - begin > SLICE_SECONDS


class Documents:
    """By URI; all spellings of a file's URI are one document."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.encoding = Encoding.UTF16
        self.opened: Callable[[str], None] = lambda key: None
        self.changed: Callable[[str], None] = lambda key: None
        self.closed: Callable[[str], None] = lambda key: None
        """These are told the document's key."""

    def open(self, uri: str, language_id: str, version: int, text: str) -> None:
        self.close(uri)
        self.add(Document(uri, language_of(language_id, path_of(uri)), version, text_of(text)))

    def add(self, document: Document) -> None:
        key = uri_key(document.uri)
        self.documents[key] = document
        self.opened(key)

    def change(self, uri: str, version: int, edits: Iterable[Edit]) -> None:
        document = self.documents.get(uri_key(uri))
        if document is None:
            log.warning("a change of %s, which is not open, was left out", uri)
            return
        document.change(version, edits, self.encoding)
        self.changed(uri_key(uri))

    def saved(self, uri: str, text: str | None) -> None:
        """A client that says what it saved, says what the text is: editors have sent wrong edits before."""
        document = self.documents.get(uri_key(uri))
        if document is not None and text is not None and encoded(text) != document.text.data:
            log.warning("%s differed from what was saved, and is read anew", uri)
            document.change(document.version, (Edit(None, text),), self.encoding)
            self.changed(uri_key(uri))

    def close(self, uri: str) -> None:
        document = self.documents.get(uri_key(uri))
        if document is not None:
            self.remove(document)

    def remove(self, document: Document) -> None:
        document.stop_parsing()
        del self.documents[uri_key(document.uri)]
        self.closed(uri_key(document.uri))

    def snapshot(self, uri: str) -> Snapshot | None:
        document = self.documents.get(uri_key(uri))
        return None if document is None else document.snapshot()

    async def settled(self, asked: Snapshot) -> Snapshot:
        """The same text with its tree, once it is parsed; as it is where that takes too long or the text changed."""
        document = self.documents.get(uri_key(asked.uri))
        if document is None or document.parsing is None or document.text is not asked.text:
            return asked
        await asyncio.wait((document.parsing,), timeout=PATIENCE_SECONDS)
        return document.snapshot() if document.text is asked.text else asked
