"""A stand-in for Ollama in a process of its own, as a real one is: prints when each `/api/generate` arrives.

    python -m tests.speed.arrivals MODEL_FILE

The first line on standard output is its port, each further one a time on the machine's monotonic clock, in seconds.
Connections are kept, as Ollama keeps them.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from server.engines.gguf import metadata

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
LINES = b'{"response":"x","done":false}\n{"response":"","done":true,"prompt_eval_count":1,"eval_count":1}\n'


async def main(model: Path) -> None:
    about = json.dumps({"model_info": metadata(model)}).encode()
    loaded = json.dumps({"models": [{"name": "fake:1b", "context_length": 8192}]}).encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readline():
            arrived = time.monotonic()
            length = 0
            while (line := await reader.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            await reader.readexactly(length)
            path = head.split()[1]
            if path == b"/api/generate":
                print(arrived, flush=True)
                writer.write(CHUNKED % (len(LINES), LINES))
            else:
                body = about if path == b"/api/show" else loaded
                writer.write(WHOLE % (len(body), body))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
