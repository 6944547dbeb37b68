"""The native HTTP API of llama.cpp's server: streamed completions, and tokens for tests.

The API is described in llama.cpp's `tools/server/README.md`.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from ast_prompt.prompt import Prompt
from ast_prompt.vocabulary import readable
from server.engines import VARIED, Counters, EngineError, Garbled, Limits, Refused, TimedOut, Unreachable

CONNECT_SECONDS = 5
DATA, ERROR = b"data: ", b"error: "


class LlamaServer:
    """One server. Raises only EngineError."""

    def __init__(self, address: str, key: str) -> None:
        self.address = address
        # not by way of a proxy that the environment names; an empty context, since certificates take 20 ms to read
        self.client = httpx.AsyncClient(
            base_url=address,
            headers={"Authorization": f"Bearer {key}"},
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            trust_env=False,
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        )

    @asynccontextmanager
    async def stream(self, prompt: Prompt, limits: Limits, deadline: float) -> AsyncIterator[ServerAnswer]:
        """The limit counts the tokens of the whole answer, `prompt.forced` included; `deadline` is the event loop's."""
        request = self.client.build_request("POST", path_of(prompt), json=body_of(prompt, limits))
        with mapped(self.address):
            async with asyncio.timeout_at(deadline):
                response = await self.client.send(request, stream=True)
        try:
            if response.status_code != httpx.codes.OK:
                with mapped(self.address):
                    raise refusal(await response.aread())
            yield ServerAnswer(self.address, response, beginning_of(prompt), deadline)
        finally:
            await response.aclose()

    async def tokenize(self, text: str) -> list[int]:
        found = await self.post("/tokenize", {"content": text})
        return [int(token) for token in found["tokens"]]

    async def detokenize(self, tokens: list[int]) -> str:
        return str((await self.post("/detokenize", {"tokens": tokens}))["content"])

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        with mapped(self.address):
            response = await self.client.post(path, json=body)
            if response.status_code != httpx.codes.OK:
                raise refusal(response.content)
            found: dict[str, Any] = response.json()
            return found

    async def close(self) -> None:
        await self.client.aclose()


@dataclass(slots=True)
class ServerAnswer:
    address: str
    response: httpx.Response
    forced: str
    """What the answer begins with and is not given on."""
    deadline: float
    counters: Counters = field(default_factory=lambda: Counters(requests=1))

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        missing = self.forced
        async with aclosing(self.events()) as events:
            async for event in events:
                self.count(event)
                text = str(event.get("content", ""))
                known = min(len(missing), len(text))
                if text[:known] != missing[:known]:
                    raise Garbled(f"the model wrote {text[:known]!r} where {missing[:known]!r} was forced")
                missing = missing[known:]
                if len(text) > known:
                    yield text[known:]
                if event.get("stop"):
                    return
        raise Garbled("the answer broke off before its end")

    def count(self, event: dict[str, Any]) -> None:
        """Every event has the figures so far: an answer that is left early has them too."""
        with mapped(self.address):
            timings = event["timings"]
            self.counters.evaluated = int(timings["prompt_n"])
            self.counters.prompt = int(timings["prompt_n"]) + int(timings["cache_n"])
            self.counters.generated = int(timings["predicted_n"])
            self.counters.prefill_ms = float(timings["prompt_ms"])
            self.counters.cut = event.get("stop_type") == "limit"
            self.counters.decode_ms = float(timings["predicted_ms"])

    async def events(self) -> AsyncGenerator[dict[str, Any], None]:
        """Whole events. Lines end at line feeds only: other line ends may stand inside of JSON's strings."""
        rest = b""
        chunks = self.response.aiter_bytes()
        while True:
            with mapped(self.address):
                async with asyncio.timeout_at(self.deadline):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    return
                *lines, rest = (rest + chunk).split(b"\n")
                found = [event for line in lines if (event := event_of(line)) is not None]
            for event in found:
                yield event


def event_of(line: bytes) -> dict[str, Any] | None:
    """None for blank lines and comments. Raises Garbled for an error, which voids what came before it."""
    if not line.startswith((DATA, ERROR)):
        return None
    event = json.loads(line.partition(b": ")[2])
    if not isinstance(event, dict):
        raise Garbled(f"the server sent {event!r} in place of an event")
    if line.startswith(ERROR) or "error" in event:
        raise Garbled(f"the server broke off: {message_of(event)}")
    return event


def path_of(prompt: Prompt) -> str:
    return "/completion" if prompt.suffix is None else "/infill"


def body_of(prompt: Prompt, limits: Limits) -> dict[str, Any]:
    text, forced = readable(prompt.text), beginning_of(prompt)
    body: dict[str, Any] = {
        "stream": True,
        "cache_prompt": True,
        "timings_per_token": True,
        "temperature": VARIED if limits.seed else 0,
        "n_predict": limits.max_tokens,
        "stop": [*prompt.stop, *limits.stop],
    }
    if limits.seed:
        body["seed"] = limits.seed
    # a NUL can't be forced, so it is part of the prompt
    if prompt.forced and not forced:
        text += readable(prompt.forced)
    if forced:
        body["grammar"] = grammar_of(forced)
    if prompt.suffix is None:
        return body | {"prompt": text}
    return body | {"prompt": "", "input_prefix": text, "input_suffix": readable(prompt.suffix)}


def beginning_of(prompt: Prompt) -> str:
    """What the grammar forces: nothing where a NUL is in it, which llama.cpp's grammars can't say."""
    forced = readable(prompt.forced)
    return "" if "\0" in forced else forced


def grammar_of(forced: str) -> str:
    """GBNF for exactly these characters and then anything, the end included.

    Every character is spelled by its number, so that none can mean something to the grammar.
    """
    spelled = "".join(f"\\U{ord(character):08X}" for character in forced)
    return f'root ::= "{spelled}" rest\nrest ::= [^\\x00]*\n'


def refusal(body: bytes) -> EngineError:
    said = message_of(json.loads(body))
    if "context" in said:
        return Refused(f"the prompt is too long: {said}")
    if "loading" in said.lower():
        return Unreachable("the model is still being loaded")
    return Refused(f"llama.cpp's server says: {said}")


def message_of(event: Any) -> str:
    error = event.get("error", event) if isinstance(event, dict) else event
    said = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(said).split())[:300]


@contextmanager
def mapped(address: str) -> Iterator[None]:
    """The only place where foreign errors become ours."""
    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise Unreachable(f"no server answers at {address}: it is started again at the next request") from error
    except (TimeoutError, httpx.TimeoutException) as error:
        raise TimedOut("the answer took too long: raise kireji.timeout, or lower kireji.promptTokens") from error
    except httpx.HTTPError as error:
        raise Garbled(f"the connection to {address} broke: {error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Garbled(f"the server at {address} answered what can't be read: {error}") from error
