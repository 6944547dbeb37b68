"""What goes wrong with Ollama, as one of our four errors, in one line with what to do about it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import httpx

from server.engines import EngineError, Garbled, Refused, TimedOut, Unreachable


class Asked(Protocol):
    """An Ollama, as far as its errors go."""

    @property
    def address(self) -> str: ...

    def forget(self) -> None:
        """Look the model up anew."""
        ...


@asynccontextmanager
async def mapped(engine: Asked, model: str) -> AsyncIterator[None]:
    """The only place where foreign errors become ours."""
    try:
        yield
    except httpx.HTTPStatusError as error:
        raise refusal(engine, model, error.response) from error
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
        raise Unreachable(
            f"no Ollama at {engine.address}: start it with `ollama serve`, or set kireji.host or OLLAMA_HOST"
        ) from error
    except httpx.TimeoutException as error:
        raise TimedOut(f"Ollama at {engine.address} went silent") from error
    except httpx.TransportError as error:
        raise Garbled(one_line(f"the connection to Ollama at {engine.address} broke: {error}")) from error
    except (ValueError, TypeError) as error:
        what = str(error).partition("\n")[0]  # the further lines may hold what was written
        raise Garbled(one_line(f"Ollama at {engine.address} answered what can't be read: {what}")) from error


def refusal(engine: Asked, model: str, response: httpx.Response) -> EngineError:
    """What Ollama says is wrong, and what to do about it. What may pass by itself is no refusal."""
    said, status = reason_given(response), response.status_code
    if said is None:
        found = f"{response.url} answered {status}, not as Ollama does: check kireji.host"
        return Refused(one_line(f"{found}. {response.text}"))
    if status == httpx.codes.NOT_FOUND and "not found" in said:
        engine.forget()  # it may have been removed while we ran
        return Refused(one_line(f"Ollama says: {said}. Get it with `ollama pull {model_in(said) or model}`"))
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return Refused(one_line(f"Ollama at {engine.address} says: {said}. Check OLLAMA_API_KEY and kireji.host"))
    if status == httpx.codes.BAD_REQUEST and "n_ctx" in said:
        return Garbled(one_line(f"the prompt is too long: lower kireji.promptTokens. Ollama says: {said}"))
    return Garbled(one_line(f"Ollama says: {said}"))


def reason_given(response: httpx.Response) -> str | None:
    try:
        found = response.json()
    except ValueError:
        return None
    return str(found["error"]) if isinstance(found, dict) and "error" in found else None


def model_in(said: str) -> str:
    parts = said.split("'")
    return parts[1] if len(parts) > 2 else ""


def one_line(text: str, most: int = 290) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
