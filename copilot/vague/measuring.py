"""How well vague wishes are answered: intent, reward by task, what was called in vain or not at all, seconds.

Three ways of going: the router; always a tool (each wish goes to its task's tool, whatever the look
says); never a tool (the look alone). `python -m benches.vague` prints the table.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from copilot.vague.pictures import write
from copilot.vague.questions import Question
from copilot.vague.reward import reward
from copilot.vague.routing import Route, route
from copilot.vague.tasks import DENSE, DIRECT, EXPERTS
from data.vision.look import Looks

Policy = Literal["router", "always", "never"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
Run = Callable[[Question, Route, Sequence[Path]], tuple[Any, float]]
"""Runs the expert of a route on the images: the answer in the reference's form, and the seconds."""


@dataclass
class Figures:
    """What was counted."""

    questions: int = 0
    intents: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    rewards: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    precision: list[float] = field(default_factory=list)
    """Of labels: how many of those named are there, which the published reward does not ask."""
    right_expert: list[bool] = field(default_factory=list)
    """Of dense tasks: whether exactly one tool was called, and the task's."""
    direct: int = 0
    needless: int = 0
    """Calls of an expert for a task that is answered directly."""
    missed: int = 0
    """Dense tasks that no expert was called for."""
    asked: int = 0
    in_turns: list[bool] = field(default_factory=list)
    """Intents of questions in two turns."""
    look_seconds: list[float] = field(default_factory=list)
    """Of a turn up to its answer or its expert's call, the first of an image, by the clock."""
    kept_seconds: list[float] = field(default_factory=list)
    """The same where the image had been looked at."""
    cpu_seconds: list[float] = field(default_factory=list)
    """Of all turns, of all threads: on a quiet machine no less than the clock's."""
    expert_seconds: list[float] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Plain values, shares from 0 to 1."""
        every = [each for said in self.intents.values() for each in said]
        seconds = [*self.look_seconds, *self.kept_seconds]
        return {
            "questions": self.questions,
            "intent": mean(every),
            "intent_by_task": {task: mean(said) for task, said in self.intents.items()},
            "intent_in_two_turns": mean(self.in_turns),
            "reward_by_task": {task: mean(said) for task, said in self.rewards.items()},
            "label_precision": mean(self.precision),
            "right_expert_of_dense": mean(self.right_expert),
            "answered_directly": round(self.direct / max(1, self.questions), 4),
            "needless_calls": self.needless, "missed_calls": self.missed, "asked_back": self.asked,
            "seconds_mean": mean(seconds), "seconds_first_of_an_image": mean(self.look_seconds),
            "seconds_kept": mean(self.kept_seconds), "seconds_cpu_mean": mean(self.cpu_seconds),
            "seconds_cpu_most": round(max(self.cpu_seconds, default=0.0), 4),
            "seconds_expert": mean(self.expert_seconds),
        }  # fmt: skip


def mean(values: Iterable[float]) -> float | None:
    """The mean, to four digits; None of nothing."""
    known = list(values)
    return round(sum(known) / len(known), 4) if known else None


def measure(
    questions: Sequence[Question],
    folder: Path,
    *,
    run: Run | None = None,
    tell: Callable[[str], None] = lambda said: None,
) -> dict[Policy, Figures]:
    """The figures of the three policies, of one look each. Rendered images are written to the folder.

    `run` runs the router's experts of dense tasks, and of what the look was not sure of.
    """
    looks, seen = Looks(256), set[str]()
    found: dict[Policy, Figures] = {policy: Figures() for policy in POLICIES}
    for at, question in enumerate(questions, 1):
        files = write(question.picture, folder)
        started, worked = time.perf_counter(), time.process_time()
        look = looks.at(files[-1])
        wish = route(question.said[-1], look, earlier=question.said[:-1], has_pair=len(files) > 1)
        for figures in found.values():
            spent = figures.kept_seconds if question.picture in seen else figures.look_seconds
            spent.append(time.perf_counter() - started)
            figures.cpu_seconds.append(time.process_time() - worked)
        answer = wish.direct.value if wish.direct is not None else None
        _count(found["never"], question, wish, None, answer)
        _count(found["always"], question, wish, EXPERTS[wish.task][0], answer)
        if run is not None and wish.tool is not None:
            answer, took = run(question, wish, files)
            found["router"].expert_seconds.append(took)
        _count(found["router"], question, wish, wish.tool, answer, graded=run is not None)
        seen.add(question.picture)
        if at % 50 == 0:
            tell(f"{at} of {len(questions)}.")
    return found


def _count(
    figures: Figures,
    question: Question,
    wish: Route,
    called: str | None,
    answer: Any,
    *,
    graded: bool = False,
) -> None:
    """Count one question: what was called, and what the answer earns where there is one to grade."""
    figures.questions += 1
    right = wish.task == question.task
    figures.intents[question.task].append(right)
    if len(question.said) > 1:
        figures.in_turns.append(right)
    asks = wish.way == "ask" and called is None
    figures.asked += asks
    figures.direct += called is None and not asks
    figures.needless += question.task in DIRECT and called is not None
    figures.missed += question.task in DENSE and called is None
    if question.task in DENSE:
        figures.right_expert.append(called in EXPERTS[question.task])
    if question.task in DIRECT or graded:
        figures.rewards[question.task].append(reward(answer, question.reference))
    if question.task == "labels" and isinstance(answer, list) and isinstance(question.reference, list):
        there = set(map(str, question.reference))
        figures.precision.append(len(there & set(answer)) / max(1, len(answer)))
