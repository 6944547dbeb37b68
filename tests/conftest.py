"""What all tests share: a home of their own, and an event loop that must not block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import BlockBuster, blockbuster_ctx


@pytest.fixture(autouse=True)
def loop_never_blocks(request: pytest.FixtureRequest) -> Iterator[BlockBuster | None]:
    """A blocking call on an event loop of ours is an error; the tests' own files may block."""
    if request.node.get_closest_marker("editor") or request.node.get_closest_marker("engine"):
        yield None
        return
    with blockbuster_ctx(["server", "ast_prompt", "symbol_index"]) as guard:
        yield guard


@pytest.fixture(autouse=True)
def own_home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's is read or written; tests with a real engine or editor keep what is dear to fetch."""
    for name in ("OLLAMA_HOST", "OLLAMA_API_KEY", "KIREJI_SCRIPT"):
        monkeypatch.delenv(name, raising=False)
    if request.node.get_closest_marker("editor") or request.node.get_closest_marker("engine"):
        return
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
