from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from ast_prompt.dialect import PLAIN
from ast_prompt.prompt import Prompt
from server.engines import Counters, EngineError, Garbled, Limits, Model, Refused, Unreachable
from server.engines.ollama import BELIEVED, Ollama
from server.engines.ollama_client import OllamaClient
from server.engines.ollama_models import full_name, in_order
from server.settings import Settings
from tests.completing import QWEN
from tests.fake_ollama import MODEL, FakeOllama, answer, tiny_vocabulary

T = TypeVar("T")
RAW = Prompt("<|fim_prefix|>x =", None, "", ("<|endoftext|>",), 5, "x =", "")
LIMITS = Limits(16, 5.0)
QWEN_SHOW = {"model_info": tiny_vocabulary(sorted(QWEN.marks), context=32_768)}


def with_ollama(fake: FakeOllama, use: Callable[[Ollama], Awaitable[T]], **settings: Any) -> T:
    async def run() -> T:
        ollama = Ollama(Settings(host=fake.host, **settings))
        try:
            return await use(ollama)
        finally:
            await ollama.close()

    return asyncio.run(run())


async def whole(ollama: Ollama, prompt: Prompt = RAW, limits: Limits = LIMITS) -> tuple[str, Counters]:
    await ollama.model()
    async with ollama.stream(prompt, limits) as streamed:
        return "".join([piece async for piece in streamed]), streamed.counters


def probe(*tokens: tuple[str, float]) -> dict[str, Any]:
    top = [{"token": token, "logprob": logprob, "bytes": list(token.encode())} for token, logprob in tokens]
    return {"stream": [{"response": tokens[0][0], "logprobs": [top[0] | {"top_logprobs": top}]}]}


def test_the_dialect_and_the_tokenizer_are_read_off_the_vocabulary() -> None:
    with FakeOllama({"show": QWEN_SHOW}) as fake:
        model = with_ollama(fake, lambda ollama: ollama.model())
    assert model.dialect is QWEN
    assert model.vocabulary is not None
    assert model.vocabulary.exact
    assert model.vocabulary.count("four") == 4


def test_without_a_vocabulary_the_model_s_template_decides() -> None:
    with FakeOllama() as fake:
        assert with_ollama(fake, lambda ollama: ollama.model()).dialect.template
    with FakeOllama({"show": {"capabilities": ["completion"]}}) as fake:
        assert with_ollama(fake, lambda ollama: ollama.model()).dialect is PLAIN


def test_the_loaded_context_is_adopted_and_no_option_loads_the_model_again() -> None:
    with FakeOllama({"show": QWEN_SHOW, "generate": [answer("1")]}) as fake:
        for loaded in (2048, 16_384):
            fake.script["ps"] = {"models": [{"name": MODEL, "model": MODEL, "context_length": loaded}]}
            with_ollama(fake, whole)
            body = fake.generates()[-1]
            assert body["options"]["num_ctx"] == loaded
            assert set(body["options"]) == {"num_ctx", "num_predict", "temperature", "stop"}
            assert body["truncate"] is False
            assert body["raw"] is True
            assert body["keep_alive"] == "30m"
        fake.script["ps"] = {"models": []}
        with_ollama(fake, whole, contextLength=4096)
        assert fake.generates()[-1]["options"]["num_ctx"] == 4096


def test_a_context_that_changes_between_two_requests_is_adopted_too() -> None:
    async def use(ollama: Ollama) -> None:
        await whole(ollama)
        fake.script["ps"] = {"models": [{"name": MODEL, "model": MODEL, "context_length": 2048}]}
        ollama.looked_at -= BELIEVED
        await whole(ollama)

    with FakeOllama({"show": QWEN_SHOW, "generate": [answer("1")]}) as fake:
        with_ollama(fake, use)
        assert [body["options"]["num_ctx"] for body in fake.generates()] == [8192, 2048]


HALF = replace(RAW, text="<|fim_prefix|>x =", forced=" va")


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        pytest.param([probe((" value", -0.1)), answer("(1)")], "lue(1)", id="the likeliest agrees"),
        pytest.param([probe((" other", -0.1), (" val", -3.0)), answer("ue")], "lue", id="another one agrees"),
        pytest.param([probe((" ", -0.1)), probe(("valid", -1.0)), answer("()")], "lid()", id="in two tokens"),
        pytest.param([probe((" other", -0.1)), answer("lue")], "lue", id="none agrees: asked as it stands"),
        pytest.param([answer(" value"), answer("(1)")], "lue(1)", id="an Ollama that gives no alternatives"),
    ],
)
def test_a_half_typed_word_is_healed(answers: list[dict[str, Any]], text: str) -> None:
    with FakeOllama({"show": QWEN_SHOW, "generate": answers}) as fake:
        written, counters = with_ollama(fake, lambda ollama: whole(ollama, HALF))
        assert written == text
        assert counters.requests == len(answers)


def test_a_probe_s_token_is_part_of_the_next_prompt() -> None:
    with FakeOllama({"show": QWEN_SHOW, "generate": [probe((" value", -0.1)), answer("")]}) as fake:
        with_ollama(fake, lambda ollama: whole(ollama, HALF))
        first, second = fake.generates()
    assert first["prompt"] == "<|fim_prefix|>x ="
    assert first["options"]["num_predict"] == 1
    assert second["prompt"] == "<|fim_prefix|>x = value"


def test_where_the_likeliest_tokens_are_known_healing_takes_no_request() -> None:
    async def use(ollama: Ollama) -> None:
        await whole(ollama, HALF)
        await whole(ollama, replace(HALF, forced=" valu"))  # the same word, typed on
        # another word behind what was written
        await whole(ollama, replace(HALF, text=HALF.text + " value", forced="["))

    top = [{"token": token, "logprob": -1.0, "bytes": list(token.encode())} for token in ("(", "[0")]
    written = {"stream": [{"response": "(", "logprobs": [top[0] | {"top_logprobs": top}]}]}
    with FakeOllama({"show": QWEN_SHOW, "generate": [probe((" value", -0.1)), written]}) as fake:
        with_ollama(fake, use)
        assert [body["prompt"].removeprefix(HALF.text) for body in fake.generates()] == [
            "",
            " value",
            " value",
            " value[0",
        ]


def test_a_candidate_that_would_spell_a_mark_is_passed_over() -> None:
    split = replace(RAW, text="A = '<|endoftext", forced="|>")
    with FakeOllama({"show": QWEN_SHOW, "generate": [probe(("|>", -0.1)), answer("")]}) as fake:
        with_ollama(fake, lambda ollama: whole(ollama, split))
        assert next(body["prompt"] for body in fake.generates()) == "A = '<|endoftext"
        assert len(fake.generates()) == 2


def test_leaving_the_stream_closes_the_connection() -> None:
    async def use(ollama: Ollama) -> int:
        async with ollama.stream(RAW, LIMITS) as streamed, aclosing(aiter(streamed)) as pieces:
            async for _ in pieces:
                break
        async with asyncio.timeout(2):
            while not fake.closed():
                await asyncio.sleep(0.01)
        return streamed.counters.generated

    with FakeOllama({"generate": [answer("1", end="hang")]}) as fake:
        assert with_ollama(fake, use) == 1
        assert fake.open == 0


@pytest.mark.parametrize(
    ("script", "kind", "says"),
    [
        (
            {"generate": [{"status": 404, "body": {"error": "model 'a:b' not found"}}]},
            Refused,
            ["Ollama says: model 'a:b' not found", "`ollama pull a:b`"],
        ),
        ({"generate": [{"status": 404, "text": "404 page not found"}]}, Refused, ["/api/generate", "kireji.host"]),
        ({"generate": [{"status": 502, "text": "<html>" + "x" * 9000}]}, Refused, ["answered 502"]),
        (
            {"generate": [{"status": 400, "body": {"error": '{"code":400,"n_prompt_tokens":9,"n_ctx":8,"exceed":1}'}}]},
            Garbled,
            ["kireji.promptTokens"],
        ),
        ({"generate": [{"status": 503, "body": {"error": "server busy"}}]}, Garbled, ["server busy"]),
        ({"tags": {"models": []}, "ps": {"models": []}}, Refused, ["`ollama pull qwen2.5-coder:0.5b`"]),
        ({"require_header": ["authorization", "Bearer x"]}, Refused, ["OLLAMA_API_KEY"]),
        ({"generate": [answer("1", end="drop")]}, Garbled, ["broke"]),
        ({"generate": [{"stream": ["not json"]}]}, Garbled, ["can't be read"]),
        (
            {"generate": [{"stream": [{"response": "1"}, {"error": "out of memory"}]}]},
            Garbled,
            ["out of memory"],
        ),
        ({"show": {"body": [1, 2]}}, Garbled, ["nothing readable"]),
    ],
)
def test_what_goes_wrong_is_said_in_one_line_with_what_to_do(
    script: dict[str, Any], kind: type[EngineError], says: list[str]
) -> None:
    with FakeOllama(script) as fake, pytest.raises(kind) as caught:
        with_ollama(fake, whole)
    message = str(caught.value)
    assert all(part in message for part in says), message
    assert len(message) <= 300
    assert "\n" not in message


def test_a_model_that_was_removed_is_looked_up_anew() -> None:
    async def use(ollama: Ollama) -> str:
        await whole(ollama)
        fake.script["tags"] = {"models": [{"name": "other:1b"}]}
        fake.script["ps"] = {"models": []}
        fake.script["generate"] = [{"status": 404, "body": {"error": "model 'fake:1b' not found"}}]
        with pytest.raises(Refused):
            await whole(ollama)
        return (await ollama.model()).name

    with FakeOllama({"show": QWEN_SHOW, "generate": [answer("1")]}) as fake:
        assert with_ollama(fake, use) == "other:1b"


@pytest.mark.parametrize("host", ["http://[bad", "localhost:99999"])
def test_a_host_that_is_no_address_is_unreachable(host: str) -> None:
    async def run() -> None:
        ollama = Ollama(Settings(host=host))
        try:
            with pytest.raises(Unreachable, match=r"kireji\.host"):
                await ollama.model()
        finally:
            await ollama.close()

    asyncio.run(run())


def test_of_one_family_the_loaded_and_then_the_smallest_goes_first() -> None:
    sizes = {"qwen2.5-coder:32b": 20, "qwen2.5-coder:1.5b": 1, "chat:1b": 1}
    assert in_order([], sizes) == ["qwen2.5-coder:1.5b", "qwen2.5-coder:32b", "chat:1b"]
    assert in_order(["qwen2.5-coder:32b"], sizes)[0] == "qwen2.5-coder:32b"


def test_nobody_there_is_unreachable() -> None:
    with FakeOllama() as fake:
        fake.down()
        with pytest.raises(Unreachable, match="`ollama serve`"):
            with_ollama(fake, whole)


def test_a_failed_look_up_is_tried_again() -> None:
    async def use(ollama: Ollama) -> Model:
        with pytest.raises(Refused):
            await ollama.model()
        fake.script["show"] = QWEN_SHOW
        return await ollama.model()

    with FakeOllama({"show": {"status": 404, "body": {"error": "model 'x' not found"}}}) as fake:
        assert with_ollama(fake, use).dialect is QWEN


def test_blank_lines_and_split_characters_are_no_trouble() -> None:
    stream = ["", {"response": '"é'}, "", {"response": '漢"'}]
    with FakeOllama({"generate": [{"stream": stream, "split_bytes": True}]}) as fake:
        assert with_ollama(fake, whole)[0] == '"é漢"'


@pytest.mark.parametrize(
    ("name", "full"),
    [("qwen", "qwen:latest"), ("qwen:1b", "qwen:1b"), ("host:5000/me/qwen", "host:5000/me/qwen:latest")],
)
def test_a_name_without_a_tag_means_the_latest(name: str, full: str) -> None:
    assert full_name(name) == full


def test_the_environment_names_the_host_as_for_ollama_s_own_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "0.0.0.0:1234")
    assert Ollama(Settings()).address == "http://0.0.0.0:1234"
    monkeypatch.setenv("OLLAMA_HOST", "https://box")
    assert Ollama(Settings()).address == "https://box:443"
    assert Ollama(Settings(host="10.0.0.7")).address == "http://10.0.0.7:11434"


def test_of_several_models_one_that_knows_fill_in_the_middle_is_taken() -> None:
    names = ["nomic-embed:latest", "chat:7b", "mine:1b"]
    plain = {"model_info": tiny_vocabulary(["<|im_end|>"])}
    shown = {
        "nomic-embed:latest": plain | {"capabilities": ["embedding"]},
        "chat:7b": plain | {"capabilities": ["completion"]},
        "mine:1b": QWEN_SHOW | {"capabilities": ["completion"]},
    }
    with FakeOllama({"tags": {"models": [{"name": name} for name in names]}, "ps": {"models": []}}) as fake:
        fake.script["shows"] = shown
        assert with_ollama(fake, lambda ollama: ollama.model()).name == "mine:1b"
        del shown["mine:1b"]
        fake.script["tags"]["models"].pop()
        assert with_ollama(fake, lambda ollama: ollama.model()).name == "chat:7b"
        fake.script["tags"]["models"].pop()
        with pytest.raises(Refused, match="no model that completes"):
            with_ollama(fake, lambda ollama: ollama.model())


@pytest.mark.parametrize(
    ("host", "reads"), [("127.0.0.1:1", False), ("http://example.org:1", False), ("https://example.org", True)]
)
def test_certificates_are_read_where_they_are_needed_alone(
    monkeypatch: pytest.MonkeyPatch, host: str, reads: bool
) -> None:
    read: list[object] = []
    make = ssl.create_default_context

    def noted(*given: Any, **named: Any) -> ssl.SSLContext:
        read.append(given)
        return make(*given, **named)

    monkeypatch.setattr(ssl, "create_default_context", noted)
    OllamaClient(host, 1.0)
    assert bool(read) is reads
