"""The scripted engine: answers what a file says, for tests of all that is not the model.

KIREJI_SCRIPT names a JSON file, read again at every request:
`{"answers": [{"when": REGEX, "text": ..., "delay_ms": 0, "gap_ms": 0, "piece": 3, "error": ..., "others": []}],
"log": PATH}`, `others` being the answers to further seeds. The first answer whose `when` is found in the text before
the cursor is given; none: an empty one.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ast_prompt.dialect import TEMPLATE
from ast_prompt.prompt import Prompt
from server.engines import Counters, Garbled, Limits, Model, Refused, TimedOut, Unreachable

SCRIPT = "KIREJI_SCRIPT"
ERRORS = {error.__name__.lower(): error for error in (Unreachable, Refused, TimedOut, Garbled)}


class Scripted:
    name = "scripted"

    async def model(self) -> Model:
        return Model("scripted", 8192, TEMPLATE, None)

    @asynccontextmanager
    async def stream(self, prompt: Prompt, limits: Limits) -> AsyncIterator[ScriptedAnswer]:
        script = await asyncio.to_thread(read_script)
        found = matching(script, prompt.text)
        if limits.seed:
            found = {"text": "".join(found.get("others", [])[limits.seed - 1 : limits.seed])}
        answer = ScriptedAnswer(found)
        await asyncio.to_thread(note, script, {"event": "open", "before": prompt.text, "after": prompt.suffix})
        try:
            yield answer
        finally:
            await asyncio.to_thread(note, script, {"event": "close", "written": answer.counters.generated})

    async def close(self) -> None:
        pass


@dataclass(slots=True)
class ScriptedAnswer:
    script: dict[str, Any]
    counters: Counters = field(default_factory=lambda: Counters(requests=1))

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        text, size = str(self.script.get("text", "")), int(self.script.get("piece", 3))
        await asyncio.sleep(self.script.get("delay_ms", 0) / 1000)
        for at in range(0, len(text), size):
            self.counters.generated += 1
            yield text[at : at + size]
            await asyncio.sleep(self.script.get("gap_ms", 0) / 1000)
        if error := self.script.get("error"):
            raise ERRORS[error]("as the script says")


def read_script() -> dict[str, Any]:
    path = os.environ.get(SCRIPT)
    if not path:
        raise Refused(f"the scripted engine is for tests: it answers what the file named by {SCRIPT} says")
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{SCRIPT} names no readable script: {error}") from error
    return found if isinstance(found, dict) else {}


def matching(script: dict[str, Any], before: str) -> dict[str, Any]:
    return next((answer for answer in script.get("answers", ()) if re.search(answer.get("when", ""), before)), {})


def note(script: dict[str, Any], event: dict[str, Any]) -> None:
    if path := script.get("log"):
        with Path(path).open("a", encoding="utf-8") as log:
            log.write(json.dumps(event, ensure_ascii=False) + "\n")
