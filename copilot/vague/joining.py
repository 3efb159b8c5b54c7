"""Where the chat joins: a request beside an image that a reader is not sure of, taken as a vague wish.

What a wish comes to is a plan of its own: one call, and after each call the next one (`copilot.vague.steps`),
until there is a reply. It travels with the plan as plain values and is told anew from them at each step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from copilot.planner.answer_first import Done
from copilot.planner.plan import Plan
from copilot.planner.situation import PastTurn, Situation
from copilot.vague.asking import Asked, asked
from copilot.vague.intent import read_intent
from copilot.vague.routing import MEANS, Wish, meant
from copilot.vague.seen import LOOK
from copilot.vague.steps import Did, Wanted, next_of
from copilot.vague.tasks import Task

LEAST_WISH = 0.3
"""How probable it must be that a request is a wish on the image, where the reader asks, refuses or talks.

By voices held out: 91 % of the training wordings reach it, and 5 % of the requests for something else.
"""
LEAST_AFTER = 0.1
"""The same right after a wish on the image: 78 % of the training wordings that go on from one reach it."""
LEAST_SURE = 0.5
"""How probable its task must be there."""
SURE_TASK = 0.8
"""How probable the task must be of a request that says by itself what it wants."""
FEW = 6
"""Words of a request that only names something else to ask the same of."""
KEPT = 3
"""Earlier requests that a wish may go on from."""
ASKS = frozenset({"ask_user", "reject_task"})


@dataclass(frozen=True)
class AtHand:
    """The images that a request may be about, by their handles."""

    image: str
    before: str | None = None
    """The one that was brought in before it."""


def wish_of(plan: Plan, request: str, situation: Situation) -> Plan | None:
    """The plan of a vague wish where a request is one and the reader is sure of nothing else; else None."""
    at_hand = images_at_hand(request, situation)
    if at_hand is None:
        return None
    earlier = _about(at_hand.image, situation.past)
    wish = _answer(request, situation, earlier) or _follow_up(plan, request, earlier)
    if wish is None:
        read = read_intent(request)
        goes_on = bool(earlier) and earlier[-1] is situation.past[-1] and _is_wish(earlier[-1])
        least = LEAST_AFTER if goes_on else LEAST_WISH
        known = read.wish >= least and read.sure >= LEAST_SURE
        if _does(plan) or not known:
            return None
        wish = _Said(request, tuple(each.request for each in earlier[-KEPT:]))
    wanted = {**wish.as_plain(), "image": at_hand.image, "before": at_hand.before}
    return Plan((_next(wanted, ()).calls[0],), wish=wanted)


def wished(plan: Plan) -> Task:
    """The task of a wish's plan."""
    assert plan.wish is not None
    return _Said.of(plan.wish).wish().task


def gone_on(plan: Plan, done: Sequence[Done]) -> Plan:
    """A wish's plan after its calls so far: the next call, or what is replied, as the only note."""
    assert plan.wish is not None
    return _next(plan.wish, done)


def _next(wanted: Mapping[str, Any], done: Sequence[Done]) -> Plan:
    wish = _Said.of(wanted).wish()
    did = [Did(each.call.tool, each.call.args, each.ok, each.text, each.data, each.changed) for each in done]
    step = next_of(Wanted(wish, wanted["image"], wanted["before"]), did)
    return Plan((step.call,) if step.call else (), (step.reply,) if step.reply else (), wish=wanted)


@dataclass(frozen=True)
class _Said:
    """What was said, as a plan carries it: a wish follows from it."""

    request: str
    earlier: tuple[str, ...] = ()
    asked_by: str | None = None
    """The earlier request that says what is asked, where this one only names something else."""
    task: Task | None = None
    """The task that was chosen of those that were offered."""

    def as_plain(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "request": self.request,
            "earlier": list(self.earlier),
            "asked_by": self.asked_by,
            "task": self.task,
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> _Said:
        """From JSON."""
        return cls(plain["request"], tuple(plain["earlier"]), plain["asked_by"], plain["task"])

    def wish(self) -> Wish:
        """What it wishes."""
        intent = read_intent(self.asked_by or self.request)
        if self.task is not None:
            intent = replace(intent, tasks={self.task: 1.0})
        return meant(self.request, earlier=self.earlier, intent=intent, goes_on=self.asked_by is not None)


def images_at_hand(request: str, situation: Situation) -> AtHand | None:
    """The image that a request is said beside, and the one before it; None where there is none.

    Of several that were brought in the one whose name is said, else the newest; an image that was selected
    since goes before them.
    """
    newest = situation.brought_last()
    brought = [
        each for each in situation.state["artifacts"]
        if str(each["made_by"]).startswith("add_file") and each["kind"] == "raster"
    ]  # fmt: skip
    selected = situation.state["ui"].get("selected_image")
    if newest is None or not brought or newest["kind"] != "raster" or _selected_since(newest, situation.past):
        record = situation.catalogue.image(str(selected)) if selected is not None else None
        return None if record is None else AtHand(str(selected))
    words = set(request.casefold().split())
    named = [n for n, each in enumerate(brought) if str(each["name"]).casefold() in words]
    at = named[-1] if named else len(brought) - 1
    return AtHand(str(brought[at]["id"]), str(brought[at - 1]["id"]) if at else None)


def _selected_since(brought: Mapping[str, Any], past: Sequence[PastTurn]) -> bool:
    """Whether an image of the catalogue was opened after a file was brought in."""
    opens = ("select_image", "show_image")
    return any(
        any(call.tool in opens for call in turn.calls) and brought["id"] in (turn.artifacts or ())
        for turn in past
    )


def _about(image: str, past: Sequence[PastTurn]) -> list[PastTurn]:
    """The earlier turns that did something with an image."""
    return [turn for turn in past if any(image in call.args.values() for call in turn.calls)]


def _is_wish(turn: PastTurn) -> bool:
    return bool(turn.calls) and turn.calls[0].tool == LOOK


def _answer(request: str, situation: Situation, earlier: Sequence[PastTurn]) -> _Said | None:
    """The wish that is complete with a request, where it answers the question asked before; else None."""
    last = situation.past[-1] if situation.past else None
    if last is None or last.question is None or not _is_wish(last) or last not in earlier:
        return None
    before = tuple(each.request for each in earlier[:-1][-KEPT:])
    chosen = next((task for task, means in MEANS.items() if means == request), None)
    if chosen is not None:
        return _Said(last.request, before, task=chosen)
    if request not in last.question.args.get("choices", ()) and asked(request) == Asked():
        return None
    return _Said(request, (*before, last.request), asked_by=last.request)


def _follow_up(plan: Plan, request: str, earlier: Sequence[PastTurn]) -> _Said | None:
    """ "And the trees?": the same of something else, where nothing else is meant."""
    if not earlier or not _is_wish(earlier[-1]) or _does(plan):
        return None
    if not _only_names(request):
        return None
    asks = next((each.request for each in reversed(earlier) if not _only_names(each.request)), None)
    if asks is None:
        return None
    return _Said(request, tuple(each.request for each in earlier[-KEPT:]), asked_by=asks)


def _is_whole(request: str) -> bool:
    """Whether a request says by itself what it wants."""
    read = read_intent(request)
    return read.wish >= LEAST_WISH and read.sure >= SURE_TASK


def _only_names(request: str) -> bool:
    return len(request.split()) <= FEW and asked(request) != Asked() and not _is_whole(request)


def _does(plan: Plan) -> bool:
    """Whether a plan is sure to do something: no question, no refusal, no mere talk."""
    return plan.is_sure and bool(plan.calls) and plan.calls[0].tool not in ASKS
