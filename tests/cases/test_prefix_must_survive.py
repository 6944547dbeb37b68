"""Pieces of other files fill the budget and nothing is left of the text before the cursor; or the prompt is longer
than the context, and the engine cuts its front off in silence."""

from __future__ import annotations

import asyncio

import pytest

from ast_prompt.beside import Beside, Snippet
from ast_prompt.budget import Budget
from ast_prompt.dialect import FAMILIES, PLAIN, TEMPLATE, Dialect
from ast_prompt.prompt import build_prompt
from tests.completing import focus_in
from tests.fake_ollama import FakeOllama, Json, answer, tiny_vocabulary
from tests.protocol.client import Client

LINES = 3000
ABOVE = "".join(f"    value_{number} = {number}  # row number {number} of the table\n" for number in range(1500))
BELOW = "".join(f"    value_{number} = {number}  # row number {number} of the table\n" for number in range(1501, LINES))
BEFORE, AFTER = f"def table():\n{ABOVE}    value_1500 = ", f"\n{BELOW}    return locals()\n"
OTHERS = tuple(
    Snippet(
        f"ctx_{file}.py", "".join(f"def ctx_{file}_{row}(a, b):\n    return a * {row} + b\n\n\n" for row in range(60))
    )
    for file in range(5)
)
CONTEXT, WINDOW = 2048, 1800


@pytest.mark.parametrize("dialect", [*FAMILIES, PLAIN, TEMPLATE], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("beside", [0, 512, 100_000])
def test_the_text_at_the_cursor_is_kept_however_much_stands_beside(dialect: Dialect, beside: int) -> None:
    budget = Budget(WINDOW, beside=beside)
    prompt = build_prompt(focus_in(f"{BEFORE}█{AFTER}"), dialect, None, budget, Beside("p", "big.py", OTHERS))
    assert len(prompt.before) >= 800
    assert BEFORE.endswith(prompt.before)
    assert BEFORE[: -len(prompt.before)].endswith("\n")
    if dialect.sees_after:
        assert prompt.after.startswith(AFTER[:200])
        assert prompt.after.endswith("\n")
    assert prompt.tokens <= WINDOW + beside


@pytest.mark.parametrize("tokens", [64, 512, 32_768])
def test_prompt_and_answer_fit_the_context(tokens: int) -> None:
    special = ["<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|file_sep|>", "<|repo_name|>", "<|endoftext|>"]
    script = {"show": {"model_info": tiny_vocabulary(special)}, "ps": {"models": []}, "generate": [answer("1500")]}

    async def run(fake: FakeOllama) -> Json:
        options = {"engine": "ollama", "host": fake.host, "model": "fake:1b", "promptTokens": tokens}
        async with Client(options=options | {"contextLength": CONTEXT}, environment={"KIREJI_TEST": "1"}) as client:
            client.allowed.add("window/logMessage")
            client.open("file:///w/big.py", BEFORE + AFTER)
            lines = BEFORE.count("\n")
            (item,) = await client.inline("file:///w/big.py", lines, len(BEFORE.rpartition("\n")[2]))
            assert "1500" in item["insertText"]
            return dict(fake.generates()[-1])

    with FakeOllama(script) as fake:
        body = asyncio.run(run(fake))
    prompt, options = body["prompt"], body["options"]
    assert options["num_ctx"] == CONTEXT
    assert body["truncate"] is False
    assert prompt.startswith("<|fim_prefix|><|fim_suffix|>")
    assert prompt.rstrip().endswith("_1500 =")
    assert len(prompt) + options["num_predict"] <= CONTEXT  # a token is a byte in this vocabulary
