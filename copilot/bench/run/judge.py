"""The checker's verdict on one task, as the columns of a run's table."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from copilot.bench.check.gold import Gold
from copilot.bench.check.runs import Run
from copilot.bench.check.settings import Settings
from copilot.bench.check.verdict import check

if TYPE_CHECKING:
    from copilot.session import Answer

EPSILONS = (0.0, 0.001, 0.01, 0.05, 0.1, 0.25)
"""Where success is measured besides the run's own ε, for the figure of success against ε."""


def judged(gold: Gold, answer: Answer, epsilon: float) -> dict[str, Any]:
    """Success, correctness, ROUGE-L, the checks that found something, and the whole verdict."""
    run = Run.of(answer, gold.start)
    settings = Settings(epsilon=epsilon)
    verdict = check(gold, run, settings)
    return {
        "success": verdict.success,
        "correctness": verdict.correctness,
        "rouge_l": verdict.rouge,
        "errors": list(verdict.wrong),
        "verdict": json.dumps(verdict.to_json(), ensure_ascii=False, separators=(",", ":")),
        "at_epsilon": json.dumps(_at_epsilon(gold, run, settings)),
    }


def _at_epsilon(gold: Gold, run: Run, settings: Settings) -> dict[float, bool]:
    """Whether the run succeeds at each ε. What passes a strict one passes a loose one: few are looked at."""

    def passes(epsilon: float) -> bool:
        return check(gold, run, replace(settings, epsilon=epsilon)).success

    if passes(EPSILONS[0]):
        return dict.fromkeys(EPSILONS, True)
    if not passes(EPSILONS[-1]):
        return dict.fromkeys(EPSILONS, False)
    return {epsilon: passes(epsilon) for epsilon in EPSILONS}


def not_judged() -> dict[str, Any]:
    """The columns of a task whose own gold does not work here: nobody can be graded by it."""
    nothing = dict.fromkeys(("success", "correctness", "rouge_l", "verdict", "at_epsilon"))
    return {**nothing, "errors": []}
