"""How vague wishes fare in the chat itself: whole turns of a session, from the words to the reply.

What was done is read off the record: the look alone is a direct answer, its arguments say of which task.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copilot.session import Session
from copilot.vague.joining import wished
from copilot.vague.measuring import mean
from copilot.vague.pictures import write
from copilot.vague.questions import Question
from copilot.vague.seen import LOOK
from copilot.vague.tasks import DENSE, DIRECT, EXPERTS, TASKS, Task
from state.codec import to_json
from state.log import Event

if TYPE_CHECKING:
    from copilot.engine import Engine

ASKS = frozenset({"ask_user", "reject_task"})
BESIDE = frozenset({*ASKS, LOOK, "undo", "classify_image"})
"""Calls that are no expert's."""


@dataclass
class Turns:
    """What was counted of whole turns."""

    intents: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    in_turns: list[bool] = field(default_factory=list)
    direct: int = 0
    needless: int = 0
    """Turns with an expert's call for a task that is answered directly."""
    missed: int = 0
    """Dense tasks that no expert was called for."""
    asked: int = 0
    """Turns that ended in a question or a refusal."""
    one_expert: list[bool] = field(default_factory=list)
    """Of dense tasks: whether the task's expert was called, and no other but to correct it."""
    corrected: int = 0
    failed: int = 0
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By the clock: "direct" and "dense" tasks, and "first" and "kept" for whether the image was asked about
    before."""
    cpu_seconds: list[float] = field(default_factory=list)
    """Of all turns, of all threads: on a quiet machine no less than the clock's, and more where threads share
    the work."""
    tool_seconds: list[float] = field(default_factory=list)
    """Of the call alone where every wish of a direct task goes to its tool."""

    def as_json(self) -> dict[str, Any]:
        """Plain values, shares from 0 to 1."""
        every = [each for said in self.intents.values() for each in said]
        whole = [each for name in ("direct", "dense") for each in self.seconds[name]]
        return {
            "turns": len(every), "intent": mean(every),
            "intent_by_task": {task: mean(said) for task, said in self.intents.items()},
            "intent_in_two_turns": mean(self.in_turns),
            "answered_directly": round(self.direct / max(1, len(every)), 4),
            "asked_back": self.asked, "needless_calls": self.needless, "missed_calls": self.missed,
            "right_expert_of_dense": mean(self.one_expert), "corrected": self.corrected,
            "failed": self.failed, "cpu_seconds_mean": mean(self.cpu_seconds),
            "cpu_seconds_p95": percentile(self.cpu_seconds), "seconds_mean": mean(whole),
            "seconds_p95": percentile(whole),
            "seconds_by": {
                name: {"turns": len(each), "mean": mean(each), "p95": percentile(each)}
                for name, each in self.seconds.items()
            },
            "tool_seconds_mean": mean(self.tool_seconds), "tool_seconds_p95": percentile(self.tool_seconds),
        }  # fmt: skip


def percentile(values: Sequence[float], share: float = 95) -> float | None:
    """What 95 % of some values stay under; None of nothing."""
    return round(float(np.percentile(list(values), share)), 4) if values else None


def chatted(
    questions: Sequence[Question], folder: Path, engine: Engine, *, tools_each: int = 0,
    tell: Callable[[str], None] = lambda said: None,
) -> Turns:  # fmt: skip
    """Ask each question in a session of its own with its images; rendered ones are kept in a folder.

    Of `tools_each` questions one has the task's tool timed by itself, where the task is a direct one.
    """
    found, seen = Turns(), set[str]()
    for at, question in enumerate(questions, 1):
        session = Session.open(engine=engine)
        images = [
            str(session.call("add_file", file=str(each)).data["raster"])
            for each in write(question.picture, folder)
        ]
        for said in question.said[:-1]:
            session.ask(said)
        started, worked = time.perf_counter(), time.process_time()
        answer = session.ask(question.said[-1])
        seconds = time.perf_counter() - started
        found.cpu_seconds.append(time.process_time() - worked)
        count(found, question, answer.calls, answer.outcome)
        found.seconds["direct" if question.task in DIRECT else "dense"].append(seconds)
        kept = question.picture in seen or len(question.said) > 1
        found.seconds["kept" if kept else "first"].append(seconds)
        seen.add(question.picture)
        if tools_each and at % tools_each == 0 and question.task in DIRECT:
            found.tool_seconds.append(_timed(session, question, images[-1]))
        if at % 10 == 0:
            tell(f"{at} of {len(questions)}: {found.as_json()}")
    return found


def planned(questions: Sequence[Question], session: Session) -> Turns:
    """What the chat would do first with each question of one turn, beside the images of a session.

    That follows from the words and from what is at hand, not from pixels: nothing is looked at or run.
    """
    from copilot.language.trial import trial
    from copilot.planner.model import EmbeddedPlanner
    from copilot.planner.situation import Situation

    engine, found = session.engine, Turns()
    planner = EmbeddedPlanner.on(engine).model_copy(
        update={"trial": trial(session), "columns": session.columns}
    )
    for question in questions:
        started, worked = time.perf_counter(), time.process_time()
        situation = Situation(
            to_json(session.state), engine.clock(), session.catalogue, engine.gazetteer,
            columns=session.columns(),
        )  # fmt: skip
        plan = planner.planned(question.said[-1], situation)
        found.seconds["direct" if question.task in DIRECT else "dense"].append(time.perf_counter() - started)
        found.cpu_seconds.append(time.process_time() - worked)
        calls = [Event(n, 1, "call", "", tool=each.tool, args=each.args, ok=True)
                 for n, each in enumerate(plan.calls, 1)]  # fmt: skip
        if plan.wish is not None and (task := wished(plan)) in DENSE:
            calls.append(Event(len(calls) + 1, 1, "call", "", tool=EXPERTS[task][0], args={}, ok=True))
        asks = bool(calls) and calls[-1].tool in ASKS
        count(found, question, calls, "asked" if asks else "done")
    return found


def count(found: Turns, question: Question, calls: Sequence[Event], outcome: str) -> None:
    """Count one turn by its calls."""
    done = [str(each.tool) for each in calls if each.ok]
    experts = [each for each in done if each not in BESIDE]
    right = question.task in tasks_of(calls)
    found.intents[question.task].append(right)
    if len(question.said) > 1:
        found.in_turns.append(right)
    asks = outcome in ("asked", "rejected")
    found.asked += asks
    found.failed += outcome == "failed"
    found.corrected += "undo" in done
    found.direct += LOOK in done and not experts and not asks
    found.needless += question.task in DIRECT and bool(experts)
    found.missed += question.task in DENSE and not experts
    if question.task in DENSE:
        first = experts[:1]
        alone = len(experts) == 1 or "undo" in done
        found.one_expert.append(alone and bool(first) and first[0] in EXPERTS[question.task])


def tasks_of(calls: Sequence[Event]) -> frozenset[Task]:
    """Which tasks the calls of a turn can stand for: by its expert, else by what the look was for."""
    experts = [str(each.tool) for each in calls if each.tool not in BESIDE]
    if experts:
        return frozenset(task for task in TASKS if experts[0] in EXPERTS[task])
    look = next((each for each in calls if each.tool == LOOK), None)
    if look is None:
        return frozenset()
    asked = any(each.tool in ASKS for each in calls)
    args = look.args or {}
    if args.get("phrase"):
        return frozenset({"grounding"})
    by_measure: dict[tuple[str, ...], frozenset[Task]] = {
        ("scene",): frozenset({"change", "referring", "grounding"}) if asked else frozenset({"scene"}),
        ("scene", "cover"): frozenset({"labels"}),
        ("scene", "objects"): frozenset({"counting"}),
        ("cover",): frozenset({"region"}),
    }
    return by_measure.get(tuple(args.get("measure") or ()), frozenset())


def _timed(session: Session, question: Question, image: str) -> float:
    """The seconds of the task's own tool."""
    extra: dict[str, Any] = {}
    if question.task == "grounding":
        extra = {"phrase": question.about.get("name", "boat")}
    event = session.call(EXPERTS[question.task][0], image=image, **extra)
    return event.seconds
