"""What a chat model is told for Task-Aware Retrieval, and how its answer is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from copilot.solutions.infer import Inferred
from copilot.solutions.space import Solution, missing_tools, solutions


def inference_prompt(
    request: str, image: Mapping[str, Any] | None = None, among: Collection[str] | None = None
) -> str:
    """Asks for the task types of a request, likeliest first, as names only."""
    offered = [each for each in solutions().values() if among is None or each.task in among]
    lines = [f"- {each.task}: {each.when}" for each in offered]
    shown = f"\nThe request comes with an image: {_image(image)}." if image is not None else ""
    return (
        "Which of these remote sensing tasks does the request ask for? Answer with the names of one to "
        "three, likeliest first, separated by commas, and nothing else.\n"
        f"{chr(10).join(lines)}{shown}\nRequest: {request}"
    )


def read_tasks(answer: str) -> tuple[Inferred, ...]:
    """The tasks named in a model's answer, in its order, each counting half of the one before."""
    known = solutions()
    named = dict.fromkeys(word for word in re.findall(r"[a-z_]+", answer.lower()) if word in known)
    weights = [0.5**place for place in range(len(named))]
    return tuple(Inferred(task, weight / sum(weights)) for task, weight in zip(named, weights, strict=True))


def guidance(found: Sequence[Solution], toolbox: Iterable[object]) -> str:
    """The documents as a model plans with them; which of their tools are not there is said in each."""
    there = tuple(toolbox)
    return "\n\n".join(_document(each, there) for each in found)


def _document(solution: Solution, toolbox: Sequence[object]) -> str:
    lines = [
        f"Solution for {solution.task} ({solution.title})",
        f"When: {solution.when}",
        f"Tools in order: {', '.join(solution.tools)}",
        *(
            [f"Before them, where the input needs it: {', '.join(solution.prepare)}"]
            if solution.prepare
            else []
        ),
        f"Takes {solution.inputs}; gives {solution.outputs}.",
        *(f"Mind: {each}" for each in solution.pitfalls),
    ]
    if missing := missing_tools(solution, toolbox):
        lines.append(
            f"Not available here: {', '.join(missing)}. Say so plainly; do not pretend their results."
        )
    if solution.first in missing:
        lines.append(f"Without {solution.first} the task cannot be done here: call reject_task and say why.")
    return "\n".join(lines)


def _image(image: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in image.items()) or "nothing is known of it"
