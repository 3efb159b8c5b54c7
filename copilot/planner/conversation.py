"""What a short answer means: the request it completes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from copilot.planner.situation import PastTurn, Situation

_ORDINALS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "fifth": 4, "last": -1, "former": 0, "latter": -1}
_REPLACES_ALL = re.compile(r"^(?:show|plot|zoom|all of them)\b", re.I)


@dataclass(frozen=True)
class Meant:
    """A request as it is to be read, and the phrases in it that have been made clear."""

    request: str
    choices: dict[str, str] = field(default_factory=dict)


def clarified(request: str, situation: Situation) -> Meant:
    """The earlier request with the answer put in, when `request` answers a question; else itself."""
    question = situation.past[-1].question if situation.past else None
    if question is None or situation.state["ui"]["question"] is None:
        return Meant(request)
    choices = [str(each) for each in question.args.get("choices", ())]
    chosen = _chosen(request, choices)
    if chosen is None:
        return Meant(request)
    original, earlier = _original(situation.past)
    about = _phrase_asked_about(str(question.args["question"]), original)
    if about is None:
        return Meant(_completed(original, chosen, str(question.args["question"])), earlier)
    if _is_place_question(str(question.args["question"])):
        return Meant(original, earlier | {about.lower(): chosen})
    return Meant(re.sub(re.escape(about), lambda _: chosen, original, count=1, flags=re.I), earlier | {chosen.lower(): chosen})


def _chosen(request: str, choices: Sequence[str]) -> str | None:
    text = request.strip().strip(".!").lower()
    if not text or len(text) > 80:
        return None
    for choice in choices:
        if text == choice.lower():
            return choice
    ordinal = re.fullmatch(rf"(?:the )?({'|'.join(_ORDINALS)})(?: one| option)?", text) or re.fullmatch(r"(?:number |option )?(\d)", text)
    if ordinal and choices:
        index = _ORDINALS.get(ordinal[1], int(ordinal[1]) - 1 if ordinal[1].isdigit() else 0)
        return choices[index] if -len(choices) <= index < len(choices) else None
    words = re.sub(r"^(?:the one in|the one|i mean|i meant|in|the)\s+", "", text)
    inside = [choice for choice in choices if re.search(rf"\b{re.escape(words)}\b", choice, re.I)]
    if len(inside) == 1:
        return inside[0]
    best = max(choices, key=lambda choice: fuzz.ratio(words, choice.lower()), default=None)
    return best if best is not None and fuzz.ratio(words, best.lower()) >= 85 else None


def _original(past: Sequence[PastTurn]) -> tuple[str, dict[str, str]]:
    """The request that the chain of questions began with, and what earlier answers made clear."""
    choices: dict[str, str] = {}
    index = len(past) - 1
    while index > 0 and (asked := past[index - 1].question) is not None:
        answer = _chosen(past[index].request, [str(each) for each in asked.args.get("choices", ())])
        if answer is None:
            break
        index -= 1
        about = _phrase_asked_about(str(asked.args["question"]), past[index].request)
        if about:
            choices[about.lower()] = answer
    return past[index].request, choices


def _phrase_asked_about(question: str, request: str) -> str | None:
    """The words of the request that a question is about."""
    patterns = (r"^Which (.+) do you mean\?$", r"'([^']+)'\?$", r"^I know no place called '(.+)'\.$", r"'([^']+)'")
    for pattern in patterns:
        match = re.search(pattern, question)
        if match and match[1].lower() in request.lower():
            return match[1]
    return None


def _is_place_question(question: str) -> bool:
    return bool(re.match(r"Which .+ do you mean\?$|I know no place", question)) and " day " not in question


def _completed(original: str, chosen: str, question: str) -> str:
    """The request with what was missing added, or the choice itself where it is a request of its own."""
    if _REPLACES_ALL.match(chosen) or question.startswith(("No image is selected", "There is no layer")):
        return chosen
    if chosen.lower() == "all of them":
        return f"load all data sets and {original}"
    return f"{original} {chosen}"
