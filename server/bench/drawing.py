"""The report as a person reads it."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from server.bench.metrics import spread
from server.bench.replay import Report
from server.bench.timeline import Row

BAR = 40
"""Columns of the longest bar."""
COLOURS = ("green", "green", "green", "green", "yellow", "yellow", "red", "red", "dim")
"""Of the groups of `spread`: from what comes with the key to what never comes."""
NOT_TOLD = "not told"


def draw(report: Report, console: Console) -> None:
    found = report.figures
    name = " ".join(str(report.server[part]) for part in ("name", "version") if report.server.get(part))
    console.print(
        Text.assemble(
            (name or "a server without a name", "bold"),
            f": {report.script.tasks} tasks in {len(report.script.sources)} files, "
            f"{found.pressed} keys in {found.seconds:.0f} s, seed {report.seed}",
        )
    )
    if report.left:
        console.print(f"[yellow]the time was over: {report.left} keys were not typed[/]")
    console.print(table_of(report))
    console.print(bars(report.rows))
    for message in report.said:
        console.print(Text(f"the server said: {message}", style="yellow"))
    if not found.shown:
        console.print("[red]no text ever came[/]")
    if found.unanswered:
        console.print(f"[red]{found.unanswered} requests were never answered[/]")


def table_of(report: Report) -> Table:
    found = report.figures
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="bold")
    table.add_column()
    per_key = found.requests / found.keys if found.keys else 0.0
    untold = report.own is None
    for value, says in (
        (f"{number(found.first_text_p50_ms)} / {number(found.first_text_p90_ms)} ms", first_text(found.first_text)),
        (percent(found.soon), "of the inserting keys have text within 80 ms"),
        (percent(found.at_once), "… at once: it stood there and was typed through"),
        (percent(found.answered), "… have text before the next key"),
        (percent(found.right), f"of the {found.shown} characters shown are right"),
        (number(found.flicker), "times in 100 keys text changed or went that still fitted"),
        (percent(found.saved), f"of the keys ({found.saved_keys}) saved by accepting what is right"),
        (f"{per_key:.2f}", f"requests a key: {found.requests}, cancelled {found.cancelled}, errors {found.errors}"),
        (str(found.unanswered), "requests unanswered"),
        (number(found.start_ms) + " ms", "the first answer of all"),
        (told(number(found.evaluated), untold), "tokens evaluated a key, what was read ahead included"),
        (told(number(found.evaluated_live), untold), "… without that"),
        (told(percent(found.reuse), untold), "of the prompts' tokens were in the engine's cache"),
        (told(number(found.generated), untold), "tokens generated a key"),
        (told(percent(found.remembered), untold), "of the questions answered without new engine work"),
        (told(percent(found.busy), untold), "of the time the engine worked"),
    ):
        table.add_row(value, says)
    if found.accepted:
        table.add_row(str(found.accepted), "suggestions accepted")
    return table


def first_text(count: int) -> str:
    return f"from the key to text, P50 / P90 of the {count} keys where none stood"


def bars(rows: list[Row]) -> Table:
    """How long the keys waited for text."""
    groups = spread(rows)
    most = max(count for _, count in groups) or 1
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right")
    table.add_column()
    table.add_column(justify="right")
    for (name, count), colour in zip(groups, COLOURS, strict=True):
        table.add_row(name, Text("█" * round(BAR * count / most), style=colour), str(count))
    return table


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def told(value: str, untold: bool) -> str:
    return NOT_TOLD if untold else value
