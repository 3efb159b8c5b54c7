"""Which readers turn requests into calls: the learned interpreter, the planner, or both.

$COPILOT_READER: "planner", "interpreter", "both" (the interpreter reads, and what it is not sure of is done
where the planner wants the same tools), or "planner_first", which holds where it is not set: what the planner
does not understand is read by the interpreter, and done where that is sure enough (docs/language.md).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from copilot.language.asking import WHICH_OF_THESE
from copilot.language.mentions.own_names import RESULTS, OwnNames, own_names
from copilot.language.policy import WEIGHTS, Learned
from copilot.planner.cases import Cases, known_cases
from copilot.planner.fitting import word_for_word
from copilot.planner.head import Head, shared_encoder
from copilot.planner.plan import Plan, Planner
from copilot.planner.situation import Call

if TYPE_CHECKING:
    from copilot.planner.situation import Situation

VARIABLE = "COPILOT_READER"
PLANNER, INTERPRETER, BOTH, PLANNER_FIRST = "planner", "interpreter", "both", "planner_first"
READERS = (PLANNER, INTERPRETER, BOTH, PLANNER_FIRST)
NOT_UNDERSTOOD = ("did not understand", "could not read", "is outside what my tools do")
"""How the planner says that it did not read a request, or a part of it."""
ASKS = frozenset({"ask_user", "reject_task"})
CAMERA = frozenset({"zoom_map", "set_view", "fit_bounds", "fit_selection", "fit_layer"})


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


@dataclass(frozen=True)
class SecondOpinion:
    """What the interpreter is not sure of is done as the planner reads it, where both want the same tools.

    Where either asks what it is about, the planner's question says more than the interpreter's, and it reads
    what is answered to it.
    """

    interpreter: Reads
    planner: Callable[[], Reads]
    """Loaded when it is first needed."""

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of a request said into a situation."""
        # A planner keeps a situation in step with what it plans: each has one of its own.
        if _answers(request, situation):
            answered = self.planner().plan(request, replace(situation))
            if understood(answered) and not _asks(answered):
                return answered
        plan = self.interpreter.plan(request, replace(situation))
        is_new = _refuses(plan) and _names_own_data(request, situation)
        if plan.is_sure and not _asks(plan) and not is_new:
            return plan
        other = self.planner().plan(request, replace(situation))
        if not understood(other):
            return plan
        if _asks(other) or is_new:
            return other
        alike = any(each.calls and _tools(each) == _tools(other) for each in (plan, *plan.instead))
        return other if alike else plan


@dataclass(frozen=True)
class PlannerFirst:
    """What the planner does not understand the interpreter reads; it is done where that one is sure."""

    planner: Reads
    interpreter: Callable[[], Reads]
    """Loaded when it is first needed."""

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of a request said into a situation."""
        plan = self.planner.plan(request, replace(situation))
        if understood(plan):
            return plan
        other = self.interpreter().plan(request, replace(situation))
        does = other.calls and not any(call.tool in ASKS for call in other.calls)
        return other if does and other.is_sure else plan


@dataclass(frozen=True)
class ByName:
    """Reads names of a session's own files as names, and takes nothing else for a result that is none."""

    reader: Reads

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of a request said into a situation."""
        own = own_names(request, situation.state, tuple(situation.datasets))
        if not own.names and not own.never_made:
            return self.reader.plan(request, situation)
        plan = self.reader.plan(own.request, replace(situation, state=own.state))
        return _of_nothing(plan, own, situation) or _put_back(plan, own)


def _of_nothing(plan: Plan, own: OwnNames, situation: Situation) -> Plan | None:
    """A refusal, where a plan takes something else for a result that was never made; else None."""
    ids = {str(each["id"]) for each in situation.state["artifacts"]}
    uses = any(value in ids for call in plan.calls for value in _texts(call.args))
    makes = {call.tool for call in plan.calls}
    missing = [noun for noun in own.never_made if not makes & RESULTS[noun]]
    if not uses or not missing:
        return None
    reason = f"There is no {missing[0]} in this conversation; none was made yet."
    return Plan((Call("reject_task", {"reason": reason}),), labels=plan.labels)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)


def _put_back(plan: Plan, own: OwnNames) -> Plan:
    calls = tuple(replace(call, args=own.put_back(call.args)) for call in plan.calls)
    notes = tuple(own.put_back(note) for note in plan.notes)
    instead = tuple(_put_back(each, own) for each in plan.instead)
    return replace(plan, calls=calls, notes=notes, instead=instead)


def _answers(request: str, situation: Situation) -> bool:
    """Whether a request is one of the choices of a question other than which reading is meant."""
    question = situation.past[-1].question if situation.past else None
    if question is None or question.args.get("question") == WHICH_OF_THESE:
        return False
    return request in question.args.get("choices", ())


def _asks(plan: Plan) -> bool:
    return any(call.tool == "ask_user" for call in plan.calls)


def _refuses(plan: Plan) -> bool:
    return [call.tool for call in plan.calls] == ["reject_task"]


def _names_own_data(request: str, situation: Situation) -> bool:
    """Whether a request names a data set that was ingested here, which nobody could learn to read of."""
    own, said = situation.names().datasets, request.casefold()
    return any(name.casefold() in said for name in own)


def _tools(plan: Plan) -> list[str]:
    """The tools of a plan; where the map looks follows from them."""
    return [each.tool for each in plan.calls if each.tool not in CAMERA]


def understood(plan: Plan) -> bool:
    """Whether a plan of the planner's leaves nothing of its request unread."""
    asked = (str(value) for call in plan.calls if call.tool in ASKS for value in call.args.values())
    return not any(each in said for said in (*plan.notes, *asked) for each in NOT_UNDERSTOOD)


class NoReader(Exception):
    """A reader was asked for that there is not, or whose weights are not there."""


def chosen_reader() -> str:
    """The name of the reader that is set. Raises NoReader."""
    name = os.environ.get(VARIABLE) or (PLANNER_FIRST if WEIGHTS.is_file() else PLANNER)
    if name not in READERS:
        raise NoReader(f"${VARIABLE} is '{name}'; there are {', '.join(map(repr, READERS))}.")
    if name != PLANNER and not WEIGHTS.is_file():
        raise NoReader(
            f"The interpreter's weights are not at {WEIGHTS}: learn them (docs/language.md), or leave"
            f" ${VARIABLE} unset."
        )
    return name


@cache
def reader(name: str) -> Reads:
    """The reader of that name, loaded once in a process."""
    return ByName(_reader(name))


@cache
def _reader(name: str) -> Reads:
    if name == PLANNER:
        return Planner(Head.load())
    if name == PLANNER_FIRST:
        return PlannerFirst(_reader(PLANNER), lambda: _reader(INTERPRETER))
    if name == BOTH:
        return SecondOpinion(_reader(INTERPRETER), lambda: _reader(PLANNER))
    from copilot.language.interpreter import Interpreter  # its weights, which the planner does not need
    from tools.toolbox import toolbox

    return WorkedFirst(known_cases(), Interpreter.of(Learned.load(), shared_encoder(), toolbox()))
