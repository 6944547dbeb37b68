"""The server from outside: life cycle, exactly one answer each, the newest wins, bad messages."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.client import SERVER, Client, ResponseError
from tests.protocol.wire import frame

URI = "file:///w/a.py"
MESSAGE = "window/showMessage"
INVALID_PARAMS, CANCELLED = -32602, -32800


class Server:
    """A client and the script of its server's engine."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.script, self.log = folder / "script.json", folder / "engine.log"
        self.play({"text": "1"})
        self.client = Client(
            options={"engine": "scripted", "warmUp": False, "speculate": False, "remember": False}
            | options.pop("options", {}),
            environment={"KIREJI_TEST": "1", "KIREJI_SCRIPT": str(self.script)} | options.pop("environment", {}),
            **options,
        )

    def play(self, *answers: dict[str, Any]) -> None:
        whole = json.dumps({"answers": list(answers), "log": str(self.log)})
        self.script.with_suffix(".new").write_text(whole)
        self.script.with_suffix(".new").replace(self.script)

    def events(self, kind: str) -> list[dict[str, Any]]:
        if not self.log.exists():
            return []
        return [event for line in self.log.read_text().splitlines() if (event := json.loads(line))["event"] == kind]


def session(folder: Path, use: Callable[[Server], Awaitable[None]], **options: Any) -> None:
    async def run() -> None:
        server = Server(folder, **options)
        async with server.client:
            await use(server)

    asyncio.run(run())


async def shown(server: Server, line: int = 0, character: int = 4) -> list[str]:
    return [item["insertText"] for item in await server.client.inline(URI, line, character)]


async def told(server: Server, count: int) -> list[str]:
    async with asyncio.timeout(10):
        while len(server.client.notifications(MESSAGE)) < count:
            await asyncio.sleep(0.01)
    return [message["message"] for message in server.client.notifications(MESSAGE)]


def test_what_it_can_do_is_announced(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        able = server.client.initialize_result["capabilities"]
        assert able["inlineCompletionProvider"] == {}
        assert able["textDocumentSync"]["change"] == 2
        assert "." in able["completionProvider"]["triggerCharacters"]
        assert {"kireji.accepted", "kireji.status"} <= set(able["executeCommandProvider"]["commands"])

    session(tmp_path, use)


def test_edits_of_all_kinds_reach_the_model(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        client.open(URI, "a = 1\n\fb = '🙂'\n")
        at = {"line": 1, "character": 8}
        client.change(URI, {"range": {"start": at, "end": at}, "text": "é"})
        assert await client.text_of(URI) == "a = 1\n\fb = '🙂é'\n"
        past = {"line": 0, "character": 99}
        client.change(URI, {"text": "x = "}, {"range": {"start": past, "end": past}, "text": "1 + "})
        assert await client.text_of(URI) == "x = 1 + "
        assert await shown(server, 0, 8) == ["1"]
        assert server.events("open")[-1]["before"] == "x = 1 + "

    session(tmp_path, use)


def test_a_save_sets_right_what_the_edits_did_not(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        assert client.initialize_result["capabilities"]["textDocumentSync"]["save"] == {"includeText": True}
        client.open(URI, "x = \n")
        client.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
        assert await client.text_of(URI) == "x = \n"
        client.notify("textDocument/didSave", {"textDocument": {"uri": URI}, "text": "x = "})
        assert await client.text_of(URI) == "x = "
        assert await shown(server) == ["1"]

    session(tmp_path, use)


def test_the_newest_request_wins_and_each_gets_one_answer(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        server.play({"text": "1", "delay_ms": 400})
        client.open(URI, "x = \n")
        asked = []
        for column in range(4, 9):
            at = {"line": 0, "character": column}
            client.change(URI, {"range": {"start": at, "end": at}, "text": " "})
            asked.append(client.start_inline(URI, 0, column + 1))
        *older, newest = asked
        for _, answer in older:
            assert (await answer)["items"] == []
        result = await newest[1]
        assert [item["insertText"] for item in result["items"]] == ["1"]

    session(tmp_path, use)


def test_a_cancelled_request_closes_the_engine_s_stream(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        server.play({"text": "1" * 1000, "gap_ms": 20, "piece": 1})
        client.open(URI, "x = \n")
        id_, _ = client.start_inline(URI, 0, 4)
        async with asyncio.timeout(5):
            while not server.events("open"):
                await asyncio.sleep(0.01)
        client.cancel(id_)
        with pytest.raises(ResponseError) as caught:
            await client.answer(id_)
        assert caught.value.code == CANCELLED
        async with asyncio.timeout(5):
            while not server.events("close"):
                await asyncio.sleep(0.01)
        assert server.events("close")[0]["written"] < 1000

    session(tmp_path, use)


def test_ghost_text_and_popup_for_one_place_are_one_request(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        server.play({"text": "lue", "delay_ms": 200})
        client.open(URI, "va\n")
        _, ghost = client.start_inline(URI, 0, 2)
        items = await client.complete(URI, 0, 2)
        result = await ghost
        assert [item["insertText"] for item in result["items"]] == ["lue"]
        (item,) = items
        assert item["textEdit"]["newText"] == "value"
        assert item["textEdit"]["range"]["start"] == {"line": 0, "character": 0}
        assert item["filterText"] == "value"
        assert len(server.events("open")) == 1

    session(tmp_path, use)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/inlineCompletion", {"textDocument": {"uri": URI}}),
        ("textDocument/inlineCompletion", {"textDocument": {"uri": URI}, "position": {"line": "x", "character": 0}}),
        ("textDocument/completion", {"position": {"line": 0, "character": 0}}),
        ("textDocument/completion", None),
        ("workspace/executeCommand", {"command": 7}),
    ],
)
def test_malformed_parameters_get_an_error_answer(tmp_path: Path, method: str, params: Any) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        with pytest.raises(ResponseError):
            await server.client.request(method, params)
        assert await shown(server) == ["1"]

    session(tmp_path, use)


def test_positions_that_make_no_sense_are_answered(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        for line, character in ((99, 0), (0, 999_999), (0, 0)):
            await server.client.inline(URI, line, character)
        assert await server.client.inline("file:///not/open.py", 0, 0) == []

    session(tmp_path, use)


def test_the_log_holds_no_code(tmp_path: Path) -> None:
    log = tmp_path / "kireji.log"

    async def use(server: Server) -> None:
        client = server.client
        client.open(URI, "secret = \n")
        await shown(server, 0, 9)
        client.notify("textDocument/didOpen", {"textDocument": {"uri": URI, "text": "secret"}})
        client.notify("textDocument/didChange", {"textDocument": {"uri": 7}, "contentChanges": ["secret"]})
        with pytest.raises(ResponseError):
            await client.request("textDocument/inlineCompletion", {"textDocument": {"uri": URI}, "x": "secret"})
        with pytest.raises(ResponseError):
            await client.request("workspace/executeCommand", {"command": "kireji.text", "arguments": ["secret", 1, 2]})

    session(tmp_path, use, command=[*SERVER, "--log", str(log)])
    assert "shown" in log.read_text()
    assert "secret" not in log.read_text()


def test_notifications_that_make_no_sense_change_nothing(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        server.client.notify("textDocument/didChange", {"textDocument": {"uri": URI}})
        unknown = {"uri": "file:///not/open.py", "version": 2}
        server.client.notify("textDocument/didChange", {"textDocument": unknown, "contentChanges": [{"text": "y"}]})
        server.client.notify("kireji/unheardOf", {"a": [1]})
        assert await server.client.text_of(URI) == "x = \n"
        assert await shown(server) == ["1"]

    session(tmp_path, use)


def test_settings_take_effect_at_once_and_wrong_ones_are_said_once(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        client.open(URI, "# a\n")
        assert await shown(server, 0, 3) == []
        for _ in range(2):
            client.notify(
                "workspace/didChangeConfiguration", {"settings": {"kireji": {"comments": True, "maxTokens": "many"}}}
            )
            assert await shown(server, 0, 3) == ["1"]
        assert await told(server, 1) == ["Kireji: kireji.maxTokens is 'many', not a whole number; 96 stays."]
        client.notify("workspace/didChangeConfiguration", {"settings": {"kireji": {"popup": False}}})
        assert await client.complete(URI, 0, 3) == []

    session(tmp_path, use, allow=[MESSAGE])


def test_a_client_that_can_be_asked_is_asked_for_settings(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "# a\n")
        async with asyncio.timeout(5):
            while await shown(server, 0, 3) != ["1"]:
                await asyncio.sleep(0.02)

    session(
        tmp_path,
        use,
        capabilities={"workspace": {"configuration": True}},
        handlers={"workspace/configuration": lambda params: [{"comments": True}]},
    )


def test_a_wrong_option_at_the_start_does_not_keep_it_from_starting(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        assert await shown(server) == ["1"]
        assert len(await told(server, 1)) == 1

    session(tmp_path, use, options={"timeout": "soon", "unknown": 1}, allow=[MESSAGE])


def test_accepting_is_counted_and_the_state_is_told(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        client.open(URI, "x = \n")
        (item,) = await client.inline(URI, 0, 4)
        await client.request("workspace/executeCommand", {k: item["command"][k] for k in ("command", "arguments")})
        state = await client.request("workspace/executeCommand", {"command": "kireji.status", "arguments": []})
        assert state == {
            "state": "ready",
            "reason": "",
            "engine": "scripted",
            "model": "scripted",
            "last": "shown",
            "accepted": 1,
        }

    session(tmp_path, use)


def test_a_client_that_knows_our_notification_hears_of_an_outage(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        client.open(URI, "x = \n")
        server.play({"error": "unreachable"})
        assert await shown(server) == []
        assert (await client.notification("kireji/status"))["state"] == "down"
        assert len(await told(server, 1)) == 1
        server.play({"text": "1"})
        async with asyncio.timeout(10):
            while await shown(server) != ["1"]:
                await asyncio.sleep(0.05)
        assert (await client.notification("kireji/status", lambda state: state["state"] == "ready"))["reason"] == ""

    session(tmp_path, use, allow=[MESSAGE, "kireji/status"], capabilities={"experimental": {"kirejiStatus": True}})


def test_a_selected_popup_entry_is_gone_along_with(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        client.open(URI, "cart.it\n")
        server.play({"text": "ems.push(x);\n}"})
        selected = {
            "range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 7}},
            "text": "items",
        }
        params = {
            "textDocument": {"uri": URI},
            "position": {"line": 0, "character": 7},
            "context": {"triggerKind": 2, "selectedCompletionInfo": selected},
        }
        (item,) = (await client.request("textDocument/inlineCompletion", params))["items"]
        assert item["insertText"] == "items.push(x);"
        assert item["range"] == selected["range"]
        selected["text"] = "iterate"
        assert (await client.request("textDocument/inlineCompletion", params))["items"] == []

    session(tmp_path, use)


def test_shutting_down_in_mid_stream_leaves_nothing_open(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        server.play({"text": "1" * 1000, "gap_ms": 50, "piece": 1})
        server.client.open(URI, "x = \n")
        id_, _future = server.client.start_inline(URI, 0, 4)
        async with asyncio.timeout(5):
            while not server.events("open"):
                await asyncio.sleep(0.01)
        server.client.cancel(id_)
        with pytest.raises(ResponseError):
            await server.client.answer(id_)

    session(tmp_path, use)


def test_large_and_odd_documents_are_completed_as_plain_text(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client = server.client
        for text in ("x = 1\n" * 300_000, "x" * 30_000 + "\n", "\x00\x01\n"):
            client.open(URI, text)
            assert await client.inline(URI, 0, 1) is not None
            client.close(URI)
        client.open("untitled:Untitled-1", "x = ", "python")
        assert [item["insertText"] for item in await client.inline("untitled:Untitled-1", 0, 4)] == ["1"]

    session(tmp_path, use)


@pytest.mark.parametrize("engine", ["ollama", "auto"])
def test_a_host_that_is_no_address_is_said_and_does_no_harm(tmp_path: Path, engine: str) -> None:
    async def use(server: Server) -> None:
        server.client.open(URI, "x = \n")
        assert await shown(server) == []
        (message,) = await told(server, 1)
        assert "'http://[bad'" in message
        assert "kireji.host" in message

    session(tmp_path, use, options={"engine": engine, "host": "http://[bad"}, allow=[MESSAGE])


def test_one_request_at_a_time_in_whatever_document_and_none_for_a_closed_one(tmp_path: Path) -> None:
    async def use(server: Server) -> None:
        client, other = server.client, "file:///w/b.py"
        server.play({"text": "1" * 1000, "gap_ms": 20, "piece": 1})
        for uri in (URI, other):
            client.open(uri, "x = \n")
        _, first = client.start_inline(URI, 0, 4)
        await opened(server, 1)
        _, second = client.start_inline(other, 0, 4)
        assert (await first)["items"] == []
        await opened(server, 2)
        assert len(server.events("close")) == 1
        client.close(other)
        assert (await second)["items"] == []
        async with asyncio.timeout(5):
            while len(server.events("close")) < 2:
                await asyncio.sleep(0.01)

    session(tmp_path, use)


async def opened(server: Server, count: int) -> None:
    async with asyncio.timeout(5):
        while len(server.events("open")) < count:
            await asyncio.sleep(0.01)


def test_requests_out_of_time_are_refused(tmp_path: Path) -> None:
    """Before initialize and behind shutdown; and one whose method nobody knows."""

    async def use(server: Server) -> None:
        with pytest.raises(ResponseError) as caught:
            await server.client.request("$/unheardOf", {})
        assert caught.value.code == -32601

    session(tmp_path, use)
    requests: list[tuple[str, Any]] = [
        ("workspace/executeCommand", {"command": "kireji.status"}),
        ("initialize", {"capabilities": {}, "processId": None, "rootUri": None}),
        ("shutdown", None),
        ("workspace/executeCommand", {"command": "kireji.status"}),
    ]
    messages = [{"id": number, "method": name, "params": params} for number, (name, params) in enumerate(requests)]
    process = subprocess.run(
        SERVER,
        input=b"".join(map(frame, [*messages, {"method": "exit"}])),
        capture_output=True,
        timeout=30,
        check=False,
    )
    bodies = re.findall(rb"\r\n\r\n(\{.*?\})(?=Content-Length|\Z)", process.stdout, re.DOTALL)
    codes = {found["id"]: found.get("error", {}).get("code") for found in map(json.loads, bodies)}
    assert codes == {0: -32002, 1: None, 2: None, 3: -32600}
    assert process.returncode == 0


def test_an_exit_without_shutdown_is_a_failure() -> None:
    process = subprocess.run(SERVER, input=frame({"method": "exit"}), capture_output=True, timeout=30, check=False)
    assert process.returncode == 1
