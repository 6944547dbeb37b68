"""What a key and a jump cost in tokens, for each order of the prompt, by the model's own tokenizer.

    python -m tests.quality.keys [--tasks 200] [--budget 512] [--out tests/quality/results/keys.json]

No model runs: an engine with a prefix cache reads the tokens of a prompt that it did not have at the same place in
the one before (what real engines report for the same states: `tests/engine/test_ollama_real.py`). The hole's text is
typed character by character, 40 at most. Jumps: to another place in the same file, to another file, and back, where
the engine keeps the prompts of both (Ollama from 0.30 on, llama-server).
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from itertools import pairwise, takewhile
from pathlib import Path

from ast_prompt.focus import focus_at
from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from ast_prompt.vocabulary import vocabulary_of
from server.engines import Model
from server.engines.gguf import metadata
from server.engines.model_file import fetch
from tests.quality.report import QWEN
from tests.quality.tasks import Task, tasks
from tests.quality.variants import VARIANTS, Variant

MOST_TYPED = 40


def prompt_tokens(task: Task, typed: str, variant: Variant, model: Model, budget: int) -> list[int]:
    language = language_of(None, task.path)
    prepare(language)
    before = task.before + typed
    text = text_of(before + task.after)
    focus = focus_at(text, parse(text, language), language, len(before.encode()))
    assert model.vocabulary is not None
    return model.vocabulary.tokens(variant.prompt(focus, model, budget).text)


def new_tokens(known: list[list[int]], wanted: list[int]) -> int:
    """Tokens to read, with the best of the prompts that the engine has; the last one always."""
    best = max((common(old, wanted) for old in known), default=0)
    return max(len(wanted) - best, 1)


def common(one: list[int], other: list[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def cost_of_keys(task: Task, variant: Variant, model: Model, budget: int) -> list[int]:
    last, costs = prompt_tokens(task, "", variant, model, budget), []
    for count in range(1, min(len(task.truth), MOST_TYPED) + 1):
        now = prompt_tokens(task, task.truth[:count], variant, model, budget)
        costs.append(new_tokens([last], now))
        last = now
    return costs


def cost_of_jumps(here: Task, there: Task, variant: Variant, model: Model, budget: int) -> tuple[int, int, int]:
    """To another place of the file, to another file, back."""
    first = prompt_tokens(here, "", variant, model, budget)
    elsewhere = moved(here)
    second = prompt_tokens(elsewhere, "", variant, model, budget)
    third = prompt_tokens(there, "", variant, model, budget)
    known = [first, second, third]
    return new_tokens([first], second), new_tokens([first, second], third), new_tokens(known, first)


def moved(task: Task) -> Task:
    """The cursor at the end of another line of the same file."""
    text = task.before + task.after
    lines = text.split("\n")
    number = random.Random(task.id).randrange(len(lines))
    at = len("\n".join(lines[: number + 1]))
    return Task(task.id, task.kind, task.language, task.path, text[:at], "", text[at:])


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tasks", type=int, default=200)
    arguments.add_argument("--budget", type=int, default=512)
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    model = Model("qwen", 8192, QWEN, vocabulary_of(metadata(fetch(lambda what, done, of: None))))
    chosen = tasks("border", given.tasks)
    table = {}
    for variant in VARIANTS.values():
        keys = [cost for task in chosen for cost in cost_of_keys(task, variant, model, given.budget)]
        pairs = pairwise(chosen)
        jumps = [cost_of_jumps(here, there, variant, model, given.budget) for here, there in pairs]
        table[variant.name] = {
            "key_median": statistics.median(keys),
            "key_p90": statistics.quantiles(keys, n=10)[8],
            "key_mean": round(statistics.mean(keys), 1),
            "jump_in_file": statistics.median(jump[0] for jump in jumps),
            "jump_to_file": statistics.median(jump[1] for jump in jumps),
            "jump_back": statistics.median(jump[2] for jump in jumps),
        }
        print(variant.name, table[variant.name], flush=True)
    if given.out:
        given.out.write_text(json.dumps({"budget": given.budget, "tasks": given.tasks} | table, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
