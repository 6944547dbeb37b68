"""Known faults, from outside: a server process, a scripted stand-in for Ollama, and the text that accepting gives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from server.positions import path_of, uri_key
from tests.cases.data import Row, case, rows
from tests.fake_ollama import FakeOllama, Json, answer, tiny_vocabulary
from tests.picture import CURSOR
from tests.protocol.client import Client
from tests.protocol.text import Position, apply_item, apply_popup, position_of

ENCODINGS = ("utf-8", "utf-16", "utf-32")
SHAPED_BY_ENCODING = ("multibyte_columns", "form_feed_and_u2028")
COMMON = (
    *SHAPED_BY_ENCODING,
    "crlf_file",
    "indent_doubled",
    "control_tokens",
    "code_fences",
    "block_start_and_blank_answers",
    "auto_closed_pairs",
    "repeats_next_lines",
    "rest_of_line_again",
    "over_trimmed_answer",
    "tabs_and_spaces",
    "cursor_left_of_block",
    "mid_line_stays_on_one_line",
    "comments_and_strings",
)
CAPABILITIES = {
    "textDocument": {
        "inlineCompletion": {"dynamicRegistration": False},
        "completion": {"completionItem": {"snippetSupport": True}},
    }
}
ALLOWED = ("window/logMessage",)
MESSAGE = "window/showMessage"


def client_of(fake: FakeOllama, encoding: str = "utf-16", model: str = "fake:1b") -> Client:
    return Client(
        options={
            "engine": "ollama",
            "host": fake.host,
            "model": model,
            "warmUp": False,
            "speculate": False,
            "remember": False,
        },
        capabilities=CAPABILITIES,
        encodings=[encoding],
        environment={"KIREJI_TEST": "1"},
        allow=ALLOWED,
    )


class Session:
    """A server that several tests use one after the other, with its stand-in for Ollama."""

    def __init__(self, encoding: str) -> None:
        with ExitStack() as opened:
            self.runner = opened.enter_context(asyncio.Runner())
            self.fake = opened.enter_context(FakeOllama())
            self.client = client_of(self.fake, encoding)
            self.runner.run(self.client.__aenter__())
            self._opened = opened.pop_all()

    def close(self) -> None:
        with self._opened:
            self.runner.run(self.client.__aexit__(None, None, None))

    def accepted(self, row: Row) -> str | None:
        return self.runner.run(accept(self.client, self.fake, row))


@pytest.fixture(scope="module")
def sessions() -> Iterator[dict[str, Session]]:
    """The running sessions by encoding."""
    running: dict[str, Session] = {}
    yield running
    for session in running.values():
        session.close()


def session_of(sessions: dict[str, Session], encoding: str) -> Session:
    if encoding not in sessions:
        sessions[encoding] = Session(encoding)
    return sessions[encoding]


@pytest.fixture
def session(sessions: dict[str, Session]) -> Iterator[Session]:
    """The one that most tests share; after a fault the next test gets a new one."""
    yield session_of(sessions, "utf-16")
    if sessions["utf-16"].client.fault:
        with pytest.raises(AssertionError):
            sessions.pop("utf-16").close()


async def accept(client: Client, fake: FakeOllama, row: Row, uri: str | None = None) -> str | None:
    """The document after accepting what is offered at the cursor, or None; checks the item and the request."""
    uri = uri or row.uri
    await client.request("workspace/executeCommand", {"command": "kireji.forget"})  # other rows have the same text
    fake.play(answer(row.model_output))
    asked = len(fake.generates())
    client.open(uri, row.text, row.language)
    cursor = position_of(row.prefix, client.encoding)
    items = await client.inline(uri, **cursor)
    for body in fake.generates()[asked:]:
        check_request(row, body)
    client.close(uri)
    if not items:
        return None
    check_item(items[0], cursor)
    return apply_item(row.text, items[0], client.encoding, CURSOR)


def check_item(item: Json, cursor: Position) -> None:
    start, end = item["range"]["start"], item["range"]["end"]
    assert start["line"] == end["line"] == cursor["line"]
    assert start["character"] <= cursor["character"] <= end["character"]
    assert item["insertText"].strip() != ""
    assert "\r" not in item["insertText"]


def check_request(row: Row, body: Json) -> None:
    prompt, suffix = body["prompt"], body.get("suffix", "")
    assert prompt.endswith(row.request.get("prompt_ends_with", ""))
    assert suffix.startswith(row.request.get("suffix_starts_with", ""))
    if unwanted := row.request.get("without"):
        assert unwanted not in prompt + suffix


@pytest.mark.parametrize("row", [row for name in COMMON for row in rows(name)], ids=lambda row: row.name)
def test_what_accepting_gives(session: Session, row: Row) -> None:
    got = session.accepted(row)
    assert row.is_right(got), f"{got!r}, not {row.expected}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-32"])
def test_columns_in_other_encodings(sessions: dict[str, Session], encoding: str) -> None:
    other = session_of(sessions, encoding)
    assert other.client.encoding == encoding
    wrong = [
        (row.name, got)
        for name in SHAPED_BY_ENCODING
        for row in rows(name)
        if not row.is_right(got := other.accepted(row))
    ]
    assert wrong == []


def test_the_first_encoding_that_the_client_names_is_taken() -> None:
    async def run() -> str:
        async with Client(
            options={"engine": "scripted"}, capabilities=CAPABILITIES, encodings=ENCODINGS, allow=ALLOWED
        ) as client:
            return client.encoding

    assert asyncio.run(run()) == "utf-8"


@pytest.mark.parametrize("name", SHAPED_BY_ENCODING)
def test_an_edit_lands_where_the_editor_put_it(session: Session, name: str) -> None:
    edit, uri = case(name)["edit"], f"file:///w/{name}.py"

    async def run() -> str:
        session.client.open(uri, edit["text"])
        session.client.change(uri, *edit["changes"])
        return await session.client.text_of(uri)

    assert session.runner.run(run()) == edit["becomes"] == session.client.texts[uri]


def test_a_column_inside_a_character_is_survived(session: Session) -> None:
    async def run() -> None:
        session.fake.play(answer("2"))
        session.client.open("file:///w/pair.py", '"😀"; x = 1\n')
        for item in await session.client.inline("file:///w/pair.py", 0, 2):
            check_item(item, item["range"]["start"])

    session.runner.run(run())


def test_the_stop_list_names_the_tokens_of_the_model() -> None:
    special = ["<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|file_sep|>", "<|repo_name|>", "<|endoftext|>"]
    show = {"show": {"model_info": tiny_vocabulary(special), "template": "{{ .Prompt }}"}}
    row = rows("control_tokens")[0]

    async def run(fake: FakeOllama) -> str | None:
        fake.script = show | {"generate": [answer("n * 2")]}
        async with client_of(fake) as client:
            client.open(row.uri, row.text)
            items = await client.inline(row.uri, **position_of(row.prefix, client.encoding))
            return str(items[0]["insertText"]) if items else None

    with FakeOllama(show) as fake:
        assert asyncio.run(run(fake)) == "n * 2"
        body = fake.generates()[-1]
    assert body["raw"] is True
    assert "<|fim_prefix|>" in body["prompt"]
    assert "<|file_sep|>" in body["options"]["stop"]


# an engine that is not there


def test_an_outage_gives_one_message_and_ends_by_itself() -> None:
    down = rows("ollama_not_running")[0]

    async def run(fake: FakeOllama) -> None:
        async with client_of(fake) as client:
            client.allowed.add(MESSAGE)
            client.open(down.uri, down.text)
            await keep_asking(client, down, times=50)
            assert len(client.notifications(MESSAGE)) == 1
            fake.up()
            assert await asked_until_offered(client, down)
            assert len(client.notifications(MESSAGE)) <= 2  # that it is back may be told
            assert len(client.stderr) <= 10

    with FakeOllama({"down_ms": 3_600_000, "generate": [answer("1")]}) as fake:
        asyncio.run(run(fake))


def test_a_second_outage_is_told_again() -> None:
    down = rows("ollama_not_running")[0]

    async def run(fake: FakeOllama) -> list[Any]:
        async with client_of(fake) as client:
            client.allowed.add(MESSAGE)
            client.open(down.uri, down.text)
            assert await asked_until_offered(client, down)
            for _ in range(2):
                fake.down()
                await keep_asking(client, down, times=10)
                fake.up()
                assert await asked_until_offered(client, down)
            return [shown for shown in client.notifications(MESSAGE) if shown["type"] <= 2]

    with FakeOllama({"generate": [answer("1")]}) as fake:
        assert len(asyncio.run(run(fake))) == 2


def test_an_outage_is_not_hammered() -> None:
    down = rows("ollama_not_running")[0]

    async def run(fake: FakeOllama) -> None:
        async with client_of(fake) as client:
            client.allowed.add(MESSAGE)
            client.open(down.uri, down.text)
            await keep_asking(client, down, times=50)

    with FakeOllama() as fake:
        fake.resetting = True
        asyncio.run(run(fake))
        assert 1 <= len(fake.events) <= 10


async def keep_asking(client: Client, row: Row, times: int) -> None:
    """Ask at different texts, as one who types; each request gets its empty answer soon."""
    await client.request("workspace/executeCommand", {"command": "kireji.forget"})
    for number in range(times):
        retype(client, row, f"y{number} = ")
        started = time.monotonic()
        assert await client.inline(row.uri, line=0, character=len(f"y{number} = ")) == []
        assert time.monotonic() - started < 1
        await asyncio.sleep(0.02)


async def asked_until_offered(client: Client, row: Row, seconds: float = 10) -> bool:
    """Ask twice a second until something is offered."""
    await client.request("workspace/executeCommand", {"command": "kireji.forget"})
    for number in range(int(seconds * 2)):
        retype(client, row, f"z{number} = ")
        if await client.inline(row.uri, line=0, character=len(f"z{number} = ")):
            return True
        await asyncio.sleep(0.5)
    return False


def retype(client: Client, row: Row, line: str) -> None:
    client.change(row.uri, {"text": line + "\n"})


ABSENT = "absent:1b"


@pytest.mark.parametrize("told_at_once", [True, False])
def test_a_missing_model_is_told_once_with_what_to_do(told_at_once: bool) -> None:
    missing = case("model_not_pulled")["answer"]
    script = {"generate": [missing]} | ({"show": missing} if told_at_once else {})
    message, generates = ask_a_refusing_engine(script)
    assert ABSENT in message
    assert f"ollama pull {ABSENT}" in message
    assert generates <= 3


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("variant", [0, 1], ids=["plain", "HTML"])
def test_a_wrong_address_is_told_with_the_address(variant: int, everywhere: bool) -> None:
    wrong = case("model_not_pulled")["variants"][variant]["answer"]
    script = {"generate": [wrong]} | (dict.fromkeys(("show", "ps", "tags", "version"), wrong) if everywhere else {})
    message, generates = ask_a_refusing_engine(script)
    assert "127.0.0.1:" in message
    assert "ollama pull" not in message
    assert "\n" not in message
    assert len(message) <= 300
    assert generates <= 3


def ask_a_refusing_engine(script: Json) -> tuple[str, int]:
    """The one message of ten requests, and the number of times that the engine was asked for text."""
    row = rows("model_not_pulled")[0]

    async def run(fake: FakeOllama) -> str:
        async with client_of(fake, model=ABSENT) as client:
            client.allowed.add(MESSAGE)
            client.open(row.uri, row.text)
            await keep_asking(client, row, times=10)
            (shown,) = client.notifications(MESSAGE)
            return str(shown["message"])

    with FakeOllama(script) as fake:
        return asyncio.run(run(fake)), len(fake.generates())


# names of files

URIS = case("uri_forms")["rows"]


@pytest.mark.parametrize("uri", [row["uri"] for row in URIS])
def test_every_form_of_uri_completes(session: Session, uri: str) -> None:
    (row,) = rows("uri_forms")
    assert row.is_right(session.runner.run(accept(session.client, session.fake, row, uri)))


def test_two_forms_of_one_uri_are_one_document(session: Session) -> None:
    (row,) = rows("uri_forms")
    one, other = URIS[1]["uri"], URIS[2]["uri"]

    async def run() -> str:
        session.client.open(one, row.text)
        try:
            return await session.client.text_of(other)
        finally:
            session.client.close(one)

    assert session.runner.run(run()) == row.text


@pytest.mark.parametrize("named", URIS, ids=lambda named: named["uri"])
def test_the_path_of_a_uri(named: dict[str, str]) -> None:
    assert path_of(named["uri"], named["platform"]) == named["path"]


@pytest.mark.parametrize("pair", case("uri_forms")["same"])
def test_equal_files_give_equal_keys(pair: list[int]) -> None:
    one, other = (URIS[number] for number in pair)
    assert uri_key(one["uri"], one["platform"]) == uri_key(other["uri"], other["platform"])


# what editors can read


def test_inline_completion_is_announced(session: Session) -> None:
    assert session.client.initialize_result["capabilities"]["inlineCompletionProvider"] is not None


def test_items_have_the_shape_that_editors_insert_whole(session: Session) -> None:
    (row,) = rows("shape_of_items")
    cursor = position_of(row.prefix, "utf-16")

    async def run() -> list[Any]:
        session.fake.play(answer(row.model_output))
        session.client.open(row.uri, row.text)
        try:
            return await session.client.complete(row.uri, **cursor)
        finally:
            session.client.close(row.uri)

    assert row.is_right(session.accepted(row))
    items = session.runner.run(run())
    assert items
    for item in items:
        check_popup_item(item)
    texts = [apply_popup(row.text, cursor, item, "utf-16") for item in items]
    assert str(row.expected["after"]).replace(CURSOR, "") in texts


def leaves_its_block(inserted: str) -> bool:
    """Further lines with less indentation than the first have no relative form: they go out verbatim."""
    return any(line[:1].strip() == "" and len(line) - len(line.lstrip()) < 8 for line in inserted.split("\n")[1:])


def check_popup_item(item: Json) -> None:
    assert item["label"].strip() != ""
    assert "\n" not in item["label"]
    assert "insertTextMode" not in item
    inserted = item.get("textEdit", {}).get("newText", item.get("insertText", item["label"]))
    assert "\r" not in inserted
    if "\n" in inserted and not leaves_its_block(inserted):
        assert item["insertTextFormat"] == 2
    if "textEdit" in item:
        assert not any(blank in inserted for blank in " \t\n")
