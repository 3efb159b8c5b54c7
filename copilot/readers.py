"""Which of the two readers turns requests into calls: the planner, or the one that is learned.

$COPILOT_READER: "planner" (also where it is not set) or "interpreter" (docs/language.md).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

from copilot.language.policy import WEIGHTS, Learned
from copilot.planner.cases import Cases, known_cases
from copilot.planner.fitting import word_for_word
from copilot.planner.head import Head, shared_encoder
from copilot.planner.plan import Plan, Planner

if TYPE_CHECKING:
    from copilot.planner.situation import Situation

VARIABLE = "COPILOT_READER"
PLANNER, INTERPRETER = "planner", "interpreter"


class Reads(Protocol):
    """Turns a request into a plan."""

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of a request said into a situation."""


@dataclass(frozen=True)
class WorkedFirst:
    """What is said word for word as in a worked case is planned as that case was; the rest is read."""

    cases: Cases
    reader: Reads

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of a request said into a situation; an answer to a question is never a case."""
        answers = bool(situation.past) and situation.past[-1].question is not None
        known = None if answers else word_for_word(request, self.cases, situation)
        return self.reader.plan(request, situation) if known is None else Plan(tuple(known), labels=("case",))


class NoReader(Exception):
    """A reader was asked for that there is not, or whose weights are not there."""


def chosen_reader() -> str:
    """The name of the reader that is set. Raises NoReader."""
    name = os.environ.get(VARIABLE) or PLANNER
    if name not in (PLANNER, INTERPRETER):
        raise NoReader(f"${VARIABLE} is '{name}'; there are '{PLANNER}' and '{INTERPRETER}'.")
    if name == INTERPRETER and not WEIGHTS.is_file():
        raise NoReader(
            f"The interpreter's weights are not at {WEIGHTS}: learn them (docs/language.md), or leave"
            f" ${VARIABLE} unset."
        )
    return name


@cache
def reader(name: str) -> Reads:
    """The reader of that name, loaded once in a process."""
    if name == PLANNER:
        return Planner(Head.load())
    from copilot.language.interpreter import Interpreter  # its weights, which the planner does not need
    from tools.toolbox import toolbox

    return WorkedFirst(known_cases(), Interpreter.of(Learned.load(), shared_encoder(), toolbox()))
