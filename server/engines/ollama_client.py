"""The package `ollama`'s client with what it lacks: `truncate`, `verbose`, cached tokens, blank lines in a stream.

Its host parsing, headers and connection stay; its request and response models drop fields that they do not
know, so ours extend them.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import httpx
from ollama import AsyncClient
from ollama._client import _parse_host
from ollama._types import GenerateRequest, GenerateResponse

LOOPBACK = ("127.", "localhost", "[::1]")


class Request(GenerateRequest):
    truncate: bool | None = None
    """False: a prompt that is too long is refused, instead of being cut in silence."""


class Response(GenerateResponse):
    prompt_eval_cached_count: int | None = None
    """Tokens of the prompt that came from the cache; from Ollama 0.34.0."""
    error: str | None = None


class OllamaClient(AsyncClient):
    """Foreign errors leave it as they are: httpx.HTTPError, ValueError."""

    def __init__(self, host: str | None, connect_seconds: float) -> None:
        address = _parse_host(host or os.getenv("OLLAMA_HOST"))
        loopback = httpx.URL(address).host.startswith(LOOPBACK)
        super().__init__(
            address,
            timeout=httpx.Timeout(None, connect=connect_seconds),
            # a proxy from the environment must not catch what stays on this machine
            trust_env=not loopback,
            # without TLS no certificates: reading them holds the event loop for 0.1 s
            verify=address.startswith("https:"),
            follow_redirects=False,
        )
        self.address = address

    async def get(self, path: str) -> dict[str, Any]:
        return json_object(await self._client.get(path))

    async def show(self, model: str) -> bytes:  # type: ignore[override]
        """All about a model, its vocabulary included: 4 MB of JSON, not yet read."""
        response = await self._client.post("/api/show", json={"model": model, "verbose": True})
        response.raise_for_status()
        content: bytes = response.content
        return content

    @asynccontextmanager
    async def generating(self, request: Request) -> AsyncIterator[AsyncIterator[Response]]:
        """The lines of an answer as they come; leaving closes the connection."""
        body = request.model_dump(exclude_none=True)
        async with self._client.stream("POST", "/api/generate", json=body) as response:
            if response.is_error:
                await response.aread()
                response.raise_for_status()
            async with aclosing(responses(response)) as lines:
                yield lines

    async def close(self) -> None:
        await self._client.aclose()


async def responses(response: httpx.Response) -> AsyncGenerator[Response, None]:
    async for line in response.aiter_lines():
        if line.strip():
            yield Response(**json.loads(line))


def json_object(response: httpx.Response) -> dict[str, Any]:
    response.raise_for_status()
    found = response.json()
    if not isinstance(found, dict):
        raise ValueError(f"{response.url} answered {type(found).__name__}, not an object")  # noqa: TRY004 - foreign data
    return found
