"""`check(drawing, says=...)`: what is shown at the cursor when the model says that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ast_prompt.dialect import FAMILIES, PLAIN, Dialect
from ast_prompt.focus import Focus, focus_at
from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.prompt import Prompt
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from server.completion import Completion, complete
from server.documents import Snapshot
from server.engines import Counters, Engine, EngineError, Limits, Model
from server.governor import Governor
from server.lane import Lane
from server.settings import Settings
from tests.picture import Picture, picture

PIECES = (1, 2, 3, 7, 1000)
QWEN = next(family for family in FAMILIES if family.name == "qwen")


@dataclass
class Saying:
    """An engine that says one thing, in pieces, whatever it is asked."""

    text: str
    piece: int = 3
    dialect: Dialect = PLAIN
    fails: EngineError | None = None
    cut: bool = False
    prompts: list[Prompt] = field(default_factory=list)
    limits: list[Limits] = field(default_factory=list)
    given: int = 0
    """Characters that were read before the stream was closed."""
    name: str = "saying"

    async def model(self) -> Model:
        return Model("saying", 8192, self.dialect, None)

    @asynccontextmanager
    async def stream(self, prompt: Prompt, limits: Limits) -> AsyncIterator[Said]:
        self.prompts.append(prompt)
        self.limits.append(limits)
        first = self.prompts[0].text + self.prompts[0].forced
        said = prompt.text[len(first) :] if len(self.prompts) > 1 and prompt.text.startswith(first) else ""
        rest = self.text[len(said) :] if self.text.startswith(said) else ""
        stops = [rest.find(stop) for stop in limits.stop if stop in rest]
        yield Said(self, rest[: min(stops, default=len(rest))])

    async def close(self) -> None:
        pass


@dataclass
class Said:
    engine: Saying
    text: str
    counters: Counters = field(default_factory=Counters)

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        for at in range(0, len(self.text), self.engine.piece):
            piece = self.text[at : at + self.engine.piece]
            self.engine.given += len(piece)
            yield piece
        self.counters.cut = self.engine.cut
        if self.engine.fails is not None:
            raise self.engine.fails


def snapshot_of(drawn: Picture) -> tuple[Snapshot, int]:
    language = language_of(None, drawn.path)
    prepare(language)
    text = text_of(drawn.files[drawn.path])
    snapshot = Snapshot(f"file:///{drawn.path}", f"/{drawn.path}", 1, language, text, parse(text, language))
    return snapshot, len(drawn.before.encode())


def lane_of(engine: Engine) -> Lane:
    return Lane(lambda: engine, governor=Governor(patient=True))


def focus_in(drawing: str, path: str = "main.py") -> Focus:
    snapshot, offset = snapshot_of(picture(drawing, path))
    return focus_at(snapshot.text, snapshot.tree, snapshot.language, offset)


def completed(drawing: str, engine: Saying, path: str = "main.py", settings: Settings | None = None) -> Completion:
    snapshot, offset = snapshot_of(picture(drawing, path))
    return asyncio.run(complete(snapshot, offset, lane_of(engine), settings or Settings()))


def check(drawing: str, says: str, path: str = "main.py", settings: Settings | None = None) -> str:
    """The drawing with what would be inserted; where nothing would, the reason."""
    drawn = picture(drawing, path)
    completion, *others = (completed(drawing, Saying(says, piece), path, settings) for piece in PIECES)
    # how the model cuts its answer into tokens must not show
    assert all((other.text, other.covers) == (completion.text, completion.covers) for other in others), others
    if not completion.text:
        return f"nothing: {completion.reason}"
    return f"{drawn.before}«{completion.text}»{drawn.after[completion.covers :]}"
