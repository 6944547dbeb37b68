"""What a key and a jump cost in tokens that the engine must read, for each order of the prompt.

    python -m tests.quality.keys --host HOST --model NAME [--variants ...] [--tasks 200] [--out FILE]
    python -m tests.quality.keys --simulated [--variants ...] [--tasks 200] [--out FILE]

The hole's text is typed character by character, 20 at most, and every key is asked, healed as in the product: the
figures are the engine's own (tokens of the prompt less those from its cache, over all requests of a key). Simulated,
no model runs: an engine with a prefix cache reads the tokens that none of the earlier prompts has at the same place.

Jumps: to another place of the file; to another file; to a place in a file that has been shown before; and back.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Protocol

from ast_prompt.focus import focus_at
from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.prompt import Prompt
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from ast_prompt.vocabulary import vocabulary_of
from server.engines import Limits, Model
from server.engines.gguf import metadata
from server.engines.model_file import fetch
from server.engines.ollama import Ollama
from server.settings import Settings
from tests.quality.report import QWEN
from tests.quality.tasks import Task, tasks
from tests.quality.variants import VARIANTS, Variant

MOST_TYPED = 20
LEAST_JUMPS = 10
REMEMBERED = 8
"""Prompts that a simulated engine keeps."""
CONTEXT = 8192


class Reader(Protocol):
    """Something that reads prompts and remembers them."""

    model: Model

    async def read(self, prompt: Prompt) -> int:
        """Tokens that had to be read."""
        ...


class Simulated:
    def __init__(self) -> None:
        self.model = Model("qwen", CONTEXT, QWEN, vocabulary_of(metadata(fetch(lambda what, done, of: None))))
        self.known: list[list[int]] = []

    async def read(self, prompt: Prompt) -> int:
        assert self.model.vocabulary is not None
        wanted = self.model.vocabulary.tokens(prompt.text)
        best = max((common(old, wanted) for old in self.known), default=0)
        self.known = [*self.known[1 - REMEMBERED :], wanted]
        return max(len(wanted) - best, 1)  # the last token is always read


class Real:
    def __init__(self, ollama: Ollama, model: Model) -> None:
        self.ollama, self.model = ollama, model

    async def read(self, prompt: Prompt) -> int:
        async with self.ollama.stream(replace(prompt, names=()), Limits(1, 300)) as answer:
            async for _ in answer:
                pass
        if answer.counters.evaluated is None:
            raise SystemExit("This Ollama does not say how much of a prompt came from its cache: 0.34 does.")
        return answer.counters.evaluated


def common(one: list[int], other: list[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def prompt_of(task: Task, typed: str, variant: Variant, model: Model, budget: int) -> Prompt:
    language = language_of(None, task.path)
    prepare(language)
    before = task.before + typed
    text = text_of(before + task.after)
    focus = focus_at(text, parse(text, language), language, len(before.encode()))
    return variant.prompt(focus, model, budget)


async def cost_of_keys(task: Task, variant: Variant, reader: Reader, budget: int) -> list[int]:
    await reader.read(prompt_of(task, "", variant, reader.model, budget))
    return [
        await reader.read(prompt_of(task, task.truth[:count], variant, reader.model, budget))
        for count in range(1, min(len(task.truth), MOST_TYPED) + 1)
    ]


async def cost_of_jumps(here: Task, there: Task, variant: Variant, reader: Reader, budget: int) -> dict[str, int]:
    async def read(task: Task) -> int:
        return await reader.read(prompt_of(task, "", variant, reader.model, budget))

    first = await read(here)
    costs = {"first": first, "in_file": await read(moved(here)), "to_file": await read(there)}
    return costs | {"in_that_file": await read(moved(there)), "back": await read(here)}


def moved(task: Task) -> Task:
    """The cursor at the end of another line of the same file."""
    text = task.before + task.after
    lines = text.split("\n")
    number = random.Random(task.id).randrange(len(lines))
    at = len("\n".join(lines[: number + 1]))
    return Task(task.id, task.kind, task.language, task.path, text[:at], "", text[at:])


async def measured(variant: Variant, reader: Reader, count: int, budget: int) -> dict[str, float]:
    chosen = tasks("border", count)
    other = tasks("border")[: -2 * max(count // 4, LEAST_JUMPS) : -1]  # that no other measurement has read
    pairs = list(zip(other[::2], other[1::2], strict=False))
    jumps = [await cost_of_jumps(*pair, variant, reader, budget) for pair in pairs]
    keys = [cost for task in chosen for cost in await cost_of_keys(task, variant, reader, budget)]
    found: dict[str, float] = {
        "keys": len(keys),
        "key_median": statistics.median(keys),
        "key_p90": statistics.quantiles(keys, n=10)[8],
        "key_mean": round(statistics.mean(keys), 1),
        "jumps": len(jumps),
    }
    for name in jumps[0]:
        costs = [jump[name] for jump in jumps]
        found[f"jump_{name}_median"] = statistics.median(costs)
        found[f"jump_{name}_p90"] = statistics.quantiles(costs, n=10)[8]
    return found


async def run(given: argparse.Namespace) -> None:
    table: dict[str, object] = {"budget": given.budget, "tasks": given.tasks, "typed": MOST_TYPED}
    ollama = Ollama(Settings(engine="ollama", host=given.host, model=given.model, timeout=300, contextLength=CONTEXT))
    table["engine"] = "simulated" if given.simulated else f"ollama {await ollama.version()}, {given.model}"
    try:
        reader: Reader = Simulated() if given.simulated else Real(ollama, await ollama.model())
        for name in given.variants:
            table[name] = await measured(VARIANTS[name], reader, given.tasks, given.budget)
            print(name, json.dumps(table[name]), flush=True)
    finally:
        await ollama.close()
    if given.out:
        given.out.write_text(json.dumps(table, indent=1) + "\n")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--simulated", action="store_true")
    arguments.add_argument("--host", default="")
    arguments.add_argument("--model", default="")
    arguments.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    arguments.add_argument("--tasks", type=int, default=200)
    arguments.add_argument("--budget", type=int, default=512)
    arguments.add_argument("--out", type=Path)
    asyncio.run(run(arguments.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
