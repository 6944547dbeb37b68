"""Where it is asked, and where it is quiet and why."""

from __future__ import annotations

import pytest

from server.settings import Settings
from server.trigger import Reason, reason_to_stay_quiet
from tests.completing import focus_in

DEFAULT = Settings()
ALL = Settings(comments=True, strings=True)
LEAST = Settings(comments=False, strings=False)

DECISIONS = [
    ("main.py", "# TODO: explain █\nx = 1\n", DEFAULT, Reason.COMMENT),
    ("main.py", "# TODO: explain █\nx = 1\n", ALL, None),
    ("main.py", "x = 1  # set █\n", DEFAULT, Reason.COMMENT),
    ("main.py", "# add two numbers\n█\n", DEFAULT, None),
    ("main.js", "/* explain █ */\nf();\n", DEFAULT, Reason.COMMENT),
    ("main.js", "f();\n/* half █\n", DEFAULT, Reason.COMMENT),
    ("main.html", "<!-- half █\n", DEFAULT, Reason.COMMENT),
    ("main.py", 'def f():\n    """Return █"""\n', LEAST, Reason.DOCSTRING),
    ("main.py", 'def f():\n    """Return █"""\n', DEFAULT, Reason.DOCSTRING),
    ("main.py", 'def f():\n    """Return █\n', DEFAULT, Reason.DOCSTRING),
    ("main.rs", "/// about █\nfn f() {}\n", DEFAULT, Reason.DOCSTRING),
    ("main.py", 'url = "http://h/#█"\n', DEFAULT, None),
    ("main.py", 'url = "http://h/#█"\n', LEAST, Reason.STRING),
    ("main.py", 'url = "http://h/#█\nx = 1\n', LEAST, Reason.STRING),
    ("main.js", 'const u = "http://█";\n', DEFAULT, None),
    ("main.py", 'x = f"a {b█}"\n', LEAST, None),
    ("main.py", "va█lue = 1\n", DEFAULT, Reason.IN_WORD),
    ("main.py", "value█ = 1\n", DEFAULT, None),
    ("main.py", "value.na█\n", DEFAULT, None),
    ("main.js", "return x;█\n", DEFAULT, Reason.COMPLETE),
    ("main.js", "function f() {\n}█\n", DEFAULT, Reason.COMPLETE),
    ("main.js", "if (a) {\n}█\n", DEFAULT, None),
    ("main.py", "x = 1  █\n", DEFAULT, Reason.COMPLETE),
    ("main.py", "x = a █\n", DEFAULT, None),
    ("main.py", "pass█\n", DEFAULT, None),
    ("main.py", "f(1)█\n", DEFAULT, None),
    ("main.py", "\n█\n", DEFAULT, Reason.EMPTY),
    ("notes.xyz", "some words █\n", DEFAULT, None),
]


@pytest.mark.parametrize(("path", "drawing", "settings", "reason"), DECISIONS)
def test_each_decision_has_its_reason(path: str, drawing: str, settings: Settings, reason: Reason | None) -> None:
    assert reason_to_stay_quiet(focus_in(drawing, path), settings) is reason


@pytest.mark.parametrize(("path", "drawing"), [(path, drawing) for path, drawing, _, reason in DECISIONS if reason])
def test_who_asks_by_hand_is_asked_for_everywhere(path: str, drawing: str) -> None:
    assert reason_to_stay_quiet(focus_in(drawing, path), LEAST, invoked=True) is None


def test_reasons_are_words_that_a_user_reads() -> None:
    assert len(set(Reason)) == len({reason.value for reason in Reason})
    assert all(" " in reason or reason is Reason.SHOWN for reason in Reason)
