"""The methods of the protocol: translate in, call the core, translate out."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any, TypeVar

import psutil
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from server.app import App
from server.commands.doctor import report
from server.completion import Completion
from server.documents import Documents
from server.engines.selection import engine_of, installed_models
from server.items import ACCEPTED, inline_item, popup_item
from server.positions import Encoding, offset_at, units
from server.protocol import KirejiServer
from server.settings import Settings
from server.where import Where

log = logging.getLogger(__name__)

T = TypeVar("T")
PARENT_SECONDS = 5.0
"""How often the server looks whether the editor that started it still lives."""
TRIGGERS = [".", "(", " ", "=", ":", ">", "[", "{", ","]
STATUS, GREW = "kireji/status", "kireji/suggestionGrew"
MOVED, FOCUS, QUIET = "kireji/cursorMoved", "kireji/focus", "kireji/quiet"


def build_server(settings: Settings) -> KirejiServer:
    documents = Documents()
    server = KirejiServer(version("kireji"), documents)

    def tell(message: str) -> None:
        log.warning("%s", message)
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, f"Kireji: {message}"))

    def turned(state: str, reason: str) -> None:
        if wants(server, "kirejiStatus"):
            server.protocol.notify(STATUS, {"state": state, "reason": reason})

    app = App(documents, server.notebooks, settings, engine_of(settings), tell, turned)

    def grew(where: Where, completion: Completion) -> None:
        if not wants(server, "kirejiGrowth"):
            return
        line, character = where.position(where.offset)
        server.protocol.notify(
            GREW,
            {
                "uri": where.uri,
                "version": where.version,
                "position": {"line": line, "character": character},
                "text": completion.text,
                "covers": units(where.line[1][: completion.covers], where.encoding),
            },
        )

    app.asking.grew = grew
    add_life_cycle(server, app)
    add_completions(server, app)
    add_hints(server, app)
    add_commands(server, app)
    return server


def wants(server: KirejiServer, name: str) -> bool:
    """Whether the client said that it knows one of our own notifications."""
    experimental = server.client_capabilities.experimental
    return bool(experimental.get(name) if isinstance(experimental, dict) else False)


def add_life_cycle(server: KirejiServer, app: App) -> None:
    @server.feature(lsp.INITIALIZE)
    async def initialize(params: lsp.InitializeParams) -> None:
        app.documents.encoding = Encoding(server.workspace.position_encoding or Encoding.UTF16)
        await app.use(params.initialization_options)

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        if server.process_id is not None:
            app.watching = asyncio.create_task(leave_with(server.process_id))
        app.start()
        await pull_settings(server, app)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: lsp.DidChangeConfigurationParams) -> None:
        if params.settings:
            await app.use(params.settings)
        else:
            await pull_settings(server, app)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE, lsp.SaveOptions(include_text=True))
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        app.documents.saved(params.text_document.uri, params.text)

    @server.feature(lsp.SHUTDOWN)
    async def shut_down(params: None) -> None:
        await app.close()


async def pull_settings(server: KirejiServer, app: App) -> None:
    """Ask a client that can be asked."""
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    asked = lsp.ConfigurationParams([lsp.ConfigurationItem(section="kireji")])
    try:
        values = await asyncio.shield(server.workspace_configuration_async(asked))
    except (JsonRpcException, asyncio.InvalidStateError) as error:  # completing goes on without
        log.warning("the client gave no settings: %s", error)
        return
    await app.use(values[0] if values else None)


async def leave_with(parent: int) -> None:
    """An editor that was killed closes nothing: end when it is gone."""
    while psutil.pid_exists(parent):  # noqa: ASYNC110 - another process sets no event of ours
        await asyncio.sleep(PARENT_SECONDS)
    log.warning("process %s, which started this server, is gone", parent)
    os._exit(0)


def add_completions(server: KirejiServer, app: App) -> None:
    # without options pygls announces nothing, and no editor asks
    @server.feature(lsp.TEXT_DOCUMENT_INLINE_COMPLETION, lsp.InlineCompletionOptions())
    async def inline_completion(params: lsp.InlineCompletionParams) -> lsp.InlineCompletionList:
        async def answer() -> lsp.InlineCompletionList:
            where = cursor(app, params.text_document.uri, params.position)
            invoked = params.context.trigger_kind is lsp.InlineCompletionTriggerKind.Invoked
            selected = params.context.selected_completion_info
            # beside a popup one line is shown, which must go on from the entry when it comes
            grows = wants(server, "kirejiGrowth") and not invoked and selected is None
            completion = await completion_at(app, where, invoked, grows)
            if where is None or completion is None:
                return lsp.InlineCompletionList([])
            found = [completion]
            if invoked:
                found = [await app.asking.whole(where, completion)]
                found += await app.others(where, found[0])
            items = [inline_item(one, where, next(app.numbers), selected) for one in found]
            return lsp.InlineCompletionList([item for item in items if item])

        return await bounded(server, answer, lsp.InlineCompletionList([]))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=TRIGGERS))
    async def completion(params: lsp.CompletionParams) -> lsp.CompletionList:
        async def answer() -> lsp.CompletionList:
            where = cursor(app, params.text_document.uri, params.position) if app.settings.popup else None
            completion = await completion_at(app, where)
            if where is None or completion is None:
                return lsp.CompletionList(is_incomplete=True, items=[])
            item = popup_item(completion, where, next(app.numbers))
            return lsp.CompletionList(is_incomplete=True, items=[item] if item else [])

        return await bounded(server, answer, lsp.CompletionList(is_incomplete=True, items=[]))


async def bounded(server: KirejiServer, answer: Callable[[], Awaitable[T]], empty: T) -> T:
    """The request boundary: whatever goes wrong, the editor gets an empty list and the log the rest."""
    try:
        return await answer()
    except Exception:
        log.exception("request %s", server.protocol.msg_id)
        return empty


def cursor(app: App, uri: str, position: lsp.Position) -> Where | None:
    encoding = app.documents.encoding
    snapshot = app.documents.snapshot(uri)
    if snapshot is not None:
        return Where(snapshot, offset_at(snapshot.text, position.line, position.character, encoding), encoding)
    if (where := app.notebooks.cursor(uri, position.line, position.character)) is None:
        log.info("%s is not open, or has no code", uri)
    return where


async def completion_at(app: App, where: Where | None, invoked: bool = False, grows: bool = False) -> Completion | None:
    """What is to be shown there, or None for nothing."""
    completion = await app.completion(where, invoked, grows) if where is not None else None
    return completion if completion is not None and completion.text else None


def add_hints(server: KirejiServer, app: App) -> None:
    """What an editor may tell beside the protocol, so that idle time is spent well."""

    @server.feature(MOVED)
    def moved(params: Any) -> None:
        try:
            uri, line, column = str(params.textDocument.uri), int(params.position.line), int(params.position.character)
        except (AttributeError, TypeError, ValueError):
            log.warning("%s without a place: %s", MOVED, params)
            return
        if (where := cursor(app, uri, lsp.Position(line, column))) is not None:
            app.idle.moved(where)

    @server.feature(FOCUS)
    def focused(params: Any) -> None:
        app.scheduler.focus(getattr(params, "focused", True) is not False)

    @server.feature(QUIET)
    def quiet(params: Any) -> None:
        app.asking.quiet()


def add_commands(server: KirejiServer, app: App) -> None:
    @server.command(ACCEPTED)
    def accepted(number: int = 0) -> None:
        app.stats.accepted += 1
        app.asking.showing.used()
        log.info("accepted %s", number)

    @server.command("kireji.status")
    def status() -> dict[str, object]:
        return app.state()

    @server.command("kireji.forget")
    async def forget() -> None:
        await app.forget()

    @server.command("kireji.doctor")
    async def doctor() -> str:
        return await report(app.settings)

    @server.command("kireji.models")
    async def models() -> dict[str, object]:
        """That could be set, those of Ollama."""
        return {"engine": "ollama", "models": await installed_models(app.settings)}

    @server.command("kireji.stats")
    def stats(watch: bool = False) -> dict[str, object]:
        """`watch`: tell from now on for how long the event loop was held."""
        if watch:
            app.watch.start()
        return app.stats.as_dict() | ({"loop": app.watch.as_dict()} if app.watch.running else {})

    if os.environ.get("KIREJI_TEST") == "1":

        @server.command("kireji.text")
        def text(uri: str) -> str | None:
            snapshot = app.documents.snapshot(uri)
            return None if snapshot is None else snapshot.text.data.decode()
