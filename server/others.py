"""Several answers at one cursor, for who asked by a key and may choose among them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from server.completion import Completion, complete
from server.documents import Snapshot
from server.lane import Lane
from server.settings import Settings

MOST, SECONDS = 2, 1.5
"""Answers beside the first, and the time that they may take together: the editor shows all or none."""


async def others(
    snapshot: Snapshot,
    offset: int,
    first: Completion,
    lane: Lane,
    settings: Settings,
    is_current: Callable[[Snapshot], bool],
) -> list[Completion]:
    """Those that differ from the first and from one another, as many as come in time."""
    found = [first]
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            for seed in range(1, MOST + 1):
                other = await complete(snapshot, offset, lane, settings, invoked=True, seed=seed)
                if not is_current(snapshot):
                    break
                if other.text and all(other.text != one.text for one in found):
                    found.append(other)
    return found[1:]
