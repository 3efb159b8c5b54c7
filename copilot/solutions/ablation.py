"""RS-Agent's ablation (its Table 6): the first tool with and without task inference and the Solution Space.

Without a model the four ways are: the tool whose description is nearest to the request; the one nearest to
the inferred task's name; the first tool of the document nearest to the request; and the first tool of the
document of the inferred task. With a chat model it is told the tools each time, and the task types and the
documents where the way has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from copilot.bench.first_tool import FirstToolAccuracy, FirstToolRequest, first_tool_accuracy
from copilot.planner.encoder import Floats
from copilot.planner.head import shared_encoder
from copilot.solutions.infer import Inferred, infer_tasks
from copilot.solutions.prompts import guidance, inference_prompt, read_tasks
from copilot.solutions.search import search_solutions
from copilot.solutions.space import RS_AGENT_TASKS, solutions

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

WAYS = ("without", "inference only", "retrieval only", "both")
Predict = Callable[[FirstToolRequest], str | None]


def ablation(
    model: BaseChatModel | None = None,
    requests: Sequence[FirstToolRequest] | None = None,
    counted: Callable[[str], None] = lambda way: None,
) -> dict[str, FirstToolAccuracy]:
    """First-tool accuracy each way, among the 18 tools; `counted` is told of each request that is done."""
    found = {}
    for way in WAYS:
        predict = _offline(way) if model is None else _with_model(way, model)

        def asked(request: FirstToolRequest, predict: Predict = predict, way: str = way) -> str | None:
            answer = predict(request)
            counted(way)
            return answer

        found[way] = first_tool_accuracy(asked, requests)
    return found


def image_of(request: FirstToolRequest) -> dict[str, Any] | None:
    """What is known of the image that the request comes with."""
    return None if request.modality is None else {"modality": request.modality}


def _offline(way: str) -> Predict:
    def predict(request: FirstToolRequest) -> str:
        tasks: tuple[Inferred, ...] = ()
        if way in ("inference only", "both"):
            tasks = infer_tasks(request.request, image_of(request), RS_AGENT_TASKS)
        if way in ("retrieval only", "both"):
            return search_solutions(request.request, tasks, 1, RS_AGENT_TASKS)[0].first
        text = solutions()[tasks[0].task].title if tasks else request.request
        return RS_AGENT_TASKS[int((_described() @ shared_encoder().recall([text])[0]).argmax())]

    return predict


@cache
def _described() -> Floats:
    """(18, dimensions): each tool's name and what it does."""
    return shared_encoder().encode(
        [f"{task.replace('_', ' ')}: {solutions()[task].does}" for task in RS_AGENT_TASKS]
    )


def _with_model(way: str, model: BaseChatModel) -> Predict:
    def predict(request: FirstToolRequest) -> str | None:
        tasks: tuple[Inferred, ...] = ()
        parts = [_TASK, _tools()]
        if way in ("inference only", "both"):
            prompt = inference_prompt(request.request, image_of(request), RS_AGENT_TASKS)
            tasks = read_tasks(model.invoke(prompt).text)
            parts.append(
                f"The task is one of these, likeliest first: {', '.join(each.task for each in tasks)}."
            )
        if way in ("retrieval only", "both"):
            found = search_solutions(request.request, tasks, 3, RS_AGENT_TASKS)
            parts.append(guidance(found, [tool for each in found for tool in (*each.prepare, *each.tools)]))
        if request.modality is not None:
            parts.append(f"The request comes with an image: {request.modality}.")
        answer = model.invoke("\n\n".join([*parts, f"Request: {request.request}"])).text.lower()
        return next((word for word in re.findall(r"[a-z_]+", answer) if word in RS_AGENT_TASKS), None)

    return predict


_TASK = "Which tool is to be called first for the request? Answer with the name of one tool and nothing else."


def _tools() -> str:
    return "\n".join(["Tools:", *(f"- {task}: {solutions()[task].does}" for task in RS_AGENT_TASKS)])
