"""The stand-in for Ollama itself, asked over HTTP."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx
import pytest

from tests.fake_ollama import FakeOllama, answer, tiny_vocabulary


def generate(fake: FakeOllama, **body: Any) -> list[dict[str, Any]]:
    """The lines of the answer."""
    asked = {"model": "fake:1b", "prompt": "def f():", "options": {"num_predict": 40}, **body}
    with httpx.stream("POST", f"http://{fake.host}/api/generate", json=asked, trust_env=False) as response:
        return [json.loads(line) for line in response.iter_lines() if line.strip()]


def show(fake: FakeOllama, **body: Any) -> httpx.Response:
    return httpx.post(f"http://{fake.host}/api/show", json={"model": "fake:1b", **body}, trust_env=False)


def text(lines: list[dict[str, Any]]) -> str:
    return "".join(line["response"] for line in lines)


def test_answers_come_in_order_and_the_last_one_stays() -> None:
    with FakeOllama({"generate": [answer("a"), answer("b")]}) as fake:
        assert [text(generate(fake)) for _ in range(3)] == ["a", "b", "b"]
        assert len(fake.generates()) == 3


def test_a_rule_goes_first() -> None:
    rules = [{"has": "suffix", **answer("filled")}, {"when": r"class \w+", **answer("a class")}]
    with FakeOllama({"rules": rules, "generate": [answer("else")]}) as fake:
        assert text(generate(fake, suffix="x")) == "filled"
        assert text(generate(fake, prompt="class A")) == "a class"
        assert text(generate(fake)) == "else"


def test_a_warm_up_takes_no_answer() -> None:
    with FakeOllama({"generate": [answer("a"), answer("b")]}) as fake:
        assert text(generate(fake, options={"num_predict": 1})) == ""
        assert text(generate(fake)) == "a"
        assert (len(fake.warmups()), len(fake.generates())) == (1, 1)


def test_bytes_may_come_one_by_one() -> None:
    with FakeOllama({"generate": [answer("漢字🙂", split_bytes=True)]}) as fake:
        assert text(generate(fake)) == "漢字🙂"


def test_the_last_line_has_counters() -> None:
    with FakeOllama({"generate": [answer("a", final={"done_reason": "length"})]}) as fake:
        first, second = (generate(fake, prompt="x" * 40)[-1] for _ in range(2))
    assert (first["prompt_eval_count"], first["prompt_eval_cached_count"]) == (11, 0)
    assert (second["prompt_eval_cached_count"], second["done_reason"]) == (10, "length")


def test_logprobs_come_when_asked_for() -> None:
    with FakeOllama({"generate": [answer("é")]}) as fake:
        assert "logprobs" not in generate(fake)[0]
        assert generate(fake, logprobs=True)[0]["logprobs"][0]["bytes"] == [0xC3, 0xA9]


def test_an_answer_may_break_off() -> None:
    with FakeOllama({"generate": [answer("a", end="drop")]}) as fake, pytest.raises(httpx.RemoteProtocolError):
        generate(fake)


@pytest.mark.parametrize("end", ["hang", "forever"])
def test_a_client_that_leaves_is_noted(end: str) -> None:
    with FakeOllama({"generate": [answer("a", end=end, gap_ms=5)]}) as fake:
        with httpx.stream(
            "POST", f"http://{fake.host}/api/generate", json={"prompt": "x"}, trust_env=False
        ) as response:
            next(response.iter_lines())
        deadline = time.monotonic() + 2
        while not fake.closed() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert fake.closed() == [1]
        assert (fake.open, fake.max_open) == (0, 1)


def test_it_can_be_down_and_come_back() -> None:
    with FakeOllama({"generate": [answer("a")]}) as fake:
        fake.down()
        with pytest.raises(httpx.ConnectError):
            generate(fake)
        fake.up()
        assert text(generate(fake)) == "a"


def test_it_can_be_down_for_a_time() -> None:
    with FakeOllama({"down_ms": 300, "generate": [answer("a")]}) as fake:
        with pytest.raises(httpx.ConnectError):
            generate(fake)
        time.sleep(0.6)
        assert text(generate(fake)) == "a"


def test_it_can_break_every_connection() -> None:
    with FakeOllama() as fake:
        fake.resetting = True
        with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
            generate(fake)
        assert [event["event"] for event in fake.events] == ["reset"]


def test_errors_are_told_as_scripted() -> None:
    script = {"show": {"status": 404, "text": "404 page not found"}, "require_header": ["Authorization", "Bearer x"]}
    with FakeOllama(script) as fake:
        assert show(fake).status_code == 401
        fake.script.pop("require_header")
        refused = show(fake)
        assert (refused.status_code, refused.text) == (404, "404 page not found")


def test_the_vocabulary_is_shown_on_demand() -> None:
    with FakeOllama({"show": {"model_info": tiny_vocabulary(["<|fim_prefix|>"])}}) as fake:
        assert show(fake).json()["model_info"]["tokenizer.ggml.tokens"] is None
        tokens = show(fake, verbose=True).json()["model_info"]["tokenizer.ggml.tokens"]
    assert len(set(tokens)) == 258
    assert tokens[ord("a")] == "a"
    assert tokens[ord(" ")] == "Ġ"
