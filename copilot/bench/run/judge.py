"""The checker's verdict on one task, as the columns of a run's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from copilot.bench.task import Task
from state.codec import to_json

if TYPE_CHECKING:
    from copilot.session import Answer


def judged(task: Task, answer: Answer, epsilon: float) -> dict[str, Any]:
    """Success, correctness, ROUGE-L, the kinds of errors, and every other measure."""
    success = to_json(answer.state) == task.state
    return {
        "success": success,
        "correctness": float(success),
        "rouge_l": None,
        "errors": [] if success else ["state"],
        "measures": "{}",
        "at_epsilon": "{}",
    }
