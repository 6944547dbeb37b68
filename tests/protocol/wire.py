"""Messages on a stream: a header with the length, then JSON."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any


class ProtocolFault(AssertionError):
    """The server broke the protocol, or did what the test has not allowed."""


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


async def read_message(stream: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next message, or None at the end of the stream."""
    length: int | None = None
    while True:
        try:
            line = await stream.readline()
        except ValueError:
            raise ProtocolFault("a line without end on stdout, where a header should stand") from None
        if line == b"" and length is None:
            return None
        if line == b"\r\n" and length is not None:
            break
        if found := re.fullmatch(rb"Content-Length: (\d+)\r\n", line):
            length = int(found[1])
        elif not re.fullmatch(rb"Content-Type: [^\r\n]+\r\n", line):
            raise ProtocolFault(f"not a header on stdout: {line!r}")
    try:
        message = json.loads(await stream.readexactly(length))
    except (ValueError, asyncio.IncompleteReadError) as error:
        raise ProtocolFault(f"not a message on stdout: {error}") from error
    if not isinstance(message, dict):
        raise ProtocolFault(f"not a message on stdout: {message!r}")
    return message
