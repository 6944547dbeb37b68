"""Notebooks: the cells of one language are one document, as they run one behind the other; all else in it is comment.

So a cell is completed with what the cells above it define, and the positions that an editor speaks of stay those of
the cell. A cell of text has no document: nothing is completed there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ast_prompt.languages import Language, language_of
from ast_prompt.text import Text, encoded, plain_lines, text_of
from server.documents import Document, Documents, Edit
from server.positions import offset_at, path_of, uri_key
from server.where import Part, Where


@dataclass(slots=True)
class Cell:
    uri: str
    is_code: bool
    language: Language
    version: int
    text: Text

    def as_part_of(self, language: Language) -> str:
        """With as many lines as the cell has: its own text, or that as comments."""
        text = self.text.data.decode("utf-8", "replace")
        if self.is_code and self.language == language:
            return text
        begin, end = language.comment
        if not begin:
            return "\n" * (self.text.line_count - 1)
        lines = plain_lines(text).split("\n")
        return "\n".join(f"{begin} {line} {end}".rstrip() if line.strip() else "" for line in lines)


@dataclass(slots=True, eq=False)
class Notebook:
    uri: str
    documents: Documents
    cells: list[Cell] = field(default_factory=list)
    parts: dict[Language, Document] = field(default_factory=dict)
    """The document of each language that a cell is written in."""

    def cell(self, uri: str) -> Cell | None:
        return next((cell for cell in self.cells if cell.uri == uri), None)

    def document_of(self, cell: Cell) -> Document | None:
        return self.parts.get(cell.language) if cell.is_code else None

    def first_line(self, cell: Cell) -> int:
        return sum(other.text.line_count for other in self.cells[: self.cells.index(cell)])

    def arrange(self, start: int, count: int, cells: Iterable[Cell]) -> None:
        """Put cells in place of so many others."""
        self.cells[start : start + count] = cells
        self.rebuild()

    def rebuild(self, but: Document | None = None) -> None:
        """Write the documents anew, one of them left as it is."""
        languages = {cell.language for cell in self.cells if cell.is_code}
        for language in [language for language in self.parts if language not in languages]:
            self.documents.remove(self.parts.pop(language))
        for language in languages:
            document = self.parts.get(language)
            if document is None:
                document = Document(f"{self.uri}#{language.name}", language, 0, text_of(self.text(language)))
                document.path = path_of(self.uri)
                self.parts[language] = document
                self.documents.add(document)
            elif document is not but:
                whole = Edit(None, self.text(language))
                document.change(document.version + 1, (whole,), self.documents.encoding)
                self.documents.changed(uri_key(document.uri))

    def text(self, language: Language) -> str:
        """All cells, as the document of one language has them."""
        return "\n".join(cell.as_part_of(language) for cell in self.cells)

    def change(self, cell: Cell, version: int, edits: Sequence[Edit]) -> None:
        """Edits of one cell: in its document they are the same edits, further down."""
        own = self.document_of(cell)
        first = own.text.start(self.first_line(cell)) if own is not None else 0
        cell.version = version
        for edit in edits:
            begin, end = edit.span(cell.text, self.documents.encoding)
            cell.text = cell.text.edited(begin, end, encoded(edit.text))
            if own is not None:
                own.replace(first + begin, first + end, edit.text)
        if own is not None:
            own.changed(own.version + 1, len(edits))
            self.documents.changed(uri_key(own.uri))
        self.rebuild(but=own)

    def close(self) -> None:
        for document in self.parts.values():
            self.documents.remove(document)


class Notebooks:
    """The open ones, by URI."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.notebooks: dict[str, Notebook] = {}

    def open(self, uri: str, cells: Iterable[Cell]) -> None:
        self.close(uri)
        self.notebooks[uri] = Notebook(uri, self.documents)
        self.notebooks[uri].arrange(0, 0, cells)

    def close(self, uri: str) -> None:
        if (notebook := self.notebooks.pop(uri, None)) is not None:
            notebook.close()

    def find(self, uri: str) -> tuple[Notebook, Cell] | None:
        """A cell, by its own URI."""
        for notebook in self.notebooks.values():
            if (cell := notebook.cell(uri)) is not None:
                return notebook, cell
        return None

    def cursor(self, uri: str, line: int, column: int) -> Where | None:
        """A place in a cell of code; None elsewhere."""
        notebook, cell = self.find(uri) or (None, None)
        if notebook is None or cell is None or (document := notebook.document_of(cell)) is None:
            return None
        first, encoding = notebook.first_line(cell), self.documents.encoding
        offset = document.text.start(first) + offset_at(cell.text, line, column, encoding)
        return Where(document.snapshot(), offset, encoding, Part(cell.uri, cell.version, first))


def cell_of(uri: str, language_id: str, version: int, text: str) -> Cell:
    return Cell(uri, True, language_of(language_id, None), version, text_of(text))
