"""pygls with its edges filed off: our documents instead of its own, an answer to each request, no message boxes.

Its text document splits lines where the protocol does not and copies the file at every key; a request with
malformed parameters, or one behind `shutdown`, gets no answer from it; and it shows each error to the user.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from server.documents import Documents, Edit
from server.notebooks import Cell, Notebooks, cell_of

log = logging.getLogger(__name__)

EMPTY: Mapping[str, Cell] = MappingProxyType({})
NOT_INITIALIZED, INVALID_REQUEST = -32002, -32600
ALL_NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    [lsp.NotebookDocumentFilterWithNotebook("*", cells=[lsp.NotebookCellLanguage("*")])]
)


class KirejiServer(LanguageServer):
    protocol: Protocol

    def __init__(self, version: str, documents: Documents) -> None:
        self.documents, self.notebooks = documents, Notebooks(documents)
        super().__init__(
            "kireji",
            version,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            notebook_document_sync=ALL_NOTEBOOKS,
            protocol_cls=Protocol,
        )

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        log.error("%s: %s", getattr(source, "__name__", source), error)


class Protocol(LanguageServerProtocol):
    """What changes state is finished before the next message is read."""

    _server: KirejiServer
    left_early = False
    """Whether the client left without shutting the server down."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        if "method" in data and self.get_message_type(data["method"]) is None:
            data = {"params": None, **data}  # without them a method that we do not know would be an error of ours
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            log.warning("malformed: %s", data.get("method", "an answer"))
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def _handle_request(self, msg_id: int | str, method_name: str, params: Any) -> None:
        if self._workspace is None and method_name != lsp.INITIALIZE:
            self.refuse(msg_id, NOT_INITIALIZED, "the server is not initialized yet")
            return
        super()._handle_request(msg_id, method_name, params)

    def handle_message(self, message: Any) -> None:
        if self._shutdown and hasattr(message, "id") and hasattr(message, "method"):
            self.refuse(message.id, INVALID_REQUEST, "the server is shutting down")
            return
        super().handle_message(message)

    def refuse(self, msg_id: int | str, code: int, says: str) -> None:
        self._send_response(msg_id, error=lsp.ResponseError(code, says))

    @lsp_method(lsp.EXIT)
    def lsp_exit(self, *args: Any) -> Any:
        self.left_early = not self._shutdown
        yield from super().lsp_exit(*args)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        self._server.documents.open(document.uri, document.language_id, document.version, document.text)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        self._server.documents.change(document.uri, document.version, map(edit_of, params.content_changes))

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        self._server.documents.close(params.text_document.uri)

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: lsp.DidOpenNotebookDocumentParams) -> None:
        notebook = params.notebook_document
        self._server.notebooks.open(notebook.uri, cells_of(notebook.cells, params.cell_text_documents))

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: lsp.DidChangeNotebookDocumentParams) -> None:
        notebook = self._server.notebooks.notebooks.get(params.notebook_document.uri)
        if notebook is None or params.change.cells is None:
            return
        cells = params.change.cells
        if cells.structure is not None:
            array = cells.structure.array
            # a cell that moves is not opened again
            known = {cell.uri: cell for cell in notebook.cells}
            new = cells_of(array.cells or (), cells.structure.did_open or (), known)
            notebook.arrange(array.start, array.delete_count, new)
        for data in cells.data or ():
            if (cell := notebook.cell(data.document)) is not None:
                cell.is_code = data.kind is lsp.NotebookCellKind.Code
        for content in cells.text_content or ():
            if (cell := notebook.cell(content.document.uri)) is not None:
                notebook.change(cell, content.document.version, [edit_of(change) for change in content.changes])
        if cells.data:
            notebook.rebuild()

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: lsp.DidCloseNotebookDocumentParams) -> None:
        self._server.notebooks.close(params.notebook_document.uri)


def cells_of(
    cells: Iterable[lsp.NotebookCell], texts: Iterable[lsp.TextDocumentItem], known: Mapping[str, Cell] = EMPTY
) -> list[Cell]:
    """Cells with what their documents hold; one of which nothing is known is an empty text."""
    found = dict(known)
    for text in texts:
        found[text.uri] = cell_of(text.uri, text.language_id, text.version, text.text)
    whole = []
    for cell in cells:
        one = found.get(cell.document) or cell_of(cell.document, "", 0, "")
        one.is_code = cell.document in found and cell.kind is lsp.NotebookCellKind.Code
        whole.append(one)
    return whole


def edit_of(change: lsp.TextDocumentContentChangeEvent) -> Edit:
    if isinstance(change, lsp.TextDocumentContentChangePartial):
        first, last = change.range.start, change.range.end
        return Edit((first.line, first.character, last.line, last.character), change.text)
    return Edit(None, change.text)
