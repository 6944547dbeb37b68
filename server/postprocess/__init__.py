"""From the model's raw answer to what is shown: small pure steps, in this order.

`UNWRAP` is applied to the answer so far while it streams, before it is decided where it ends; `FINISH` to what
was kept. To add a step: a file here and its name in one of the two.
"""

from __future__ import annotations

from server.postprocess.blanks import line_ends, trailing_blanks
from server.postprocess.control import control_tokens, echo, own_marks
from server.postprocess.draft import Draft, Step
from server.postprocess.fences import fences
from server.postprocess.indentation import (
    line_of_the_brace,
    missing_indentation,
    own_unit,
    own_width,
    written_indentation,
)
from server.postprocess.rest_of_line import rest_of_line
from server.postprocess.syntax import added_errors
from server.postprocess.thinking import thinking

__all__ = ["FINISH", "UNWRAP", "Draft", "Step", "finished", "growing", "unwrapped"]

UNWRAP: tuple[Step, ...] = (line_ends, echo, control_tokens, thinking, fences, written_indentation)
FINISH: tuple[Step, ...] = (
    own_marks,
    trailing_blanks,
    own_unit,
    own_width,
    missing_indentation,
    rest_of_line,
    trailing_blanks,
    added_errors,
    line_of_the_brace,
)


GROWING = FINISH[: FINISH.index(added_errors)]
"""Those that what comes later does not undo."""


def unwrapped(draft: Draft) -> Draft:
    for step in UNWRAP:
        draft = step(draft)
    return draft


def finished(draft: Draft) -> Draft:
    for step in FINISH:
        draft = step(draft)
    return draft


def growing(draft: Draft) -> Draft:
    for step in GROWING:
        draft = step(draft)
    return draft
