"""What a short answer means: the request it completes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from copilot.planner.asking import ASKS_FOR
from copilot.planner.situation import PastTurn, Situation
from data.vocabulary.thesaurus import find

_ORDINALS = {
    "first": 0,
    "1st": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "fifth": 4,
    "last": -1,
    "former": 0,
    "latter": -1,
}
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
        return Meant(_requalified(request, situation) or request)
    choices = [str(each) for each in question.args.get("choices", ())]
    chosen = _chosen(request, choices)
    original, earlier = _original(situation.past)
    if chosen is None and ASKS_FOR in str(question.args["question"]) and _is_an_answer(request):
        return Meant(f"{original.rstrip(' .!?')} {request.strip()}", earlier)
    if chosen is None:
        return _another_place(request, str(question.args["question"]), original, situation) or Meant(request)
    about = _phrase_asked_about(str(question.args["question"]), original)
    if about is None:
        return Meant(_completed(original, chosen, str(question.args["question"])), earlier)
    if _is_place_question(str(question.args["question"])):
        return Meant(original, earlier | {about.lower(): chosen})
    return Meant(
        re.sub(re.escape(about), lambda _: chosen, original, count=1, flags=re.I),
        earlier | {chosen.lower(): chosen},
    )


_A_REQUEST = re.compile(
    r"^\W*(?:please |no,? |never ?mind|forget|cancel|undo|show|find|load|zoom|what|how|which|where|who|why|when|is|are|can|could|do|does|make|open|add|export|save|download|draw|count|plot|filter|compare|give|list|remove|delete|hide|clear|measure|mark|turn|switch|go|reset|redo|sort|rank|tell|explain|define|back|bring|undo|only|and now)\b",
    re.I,
)


def _is_an_answer(request: str) -> bool:
    """Whether a turn after a question only says what was asked for: "300 by 200", and no request of its own."""
    return len(request.split()) <= _SHORT and not _A_REQUEST.match(request)


_SHORT = 8
_DECLINES = re.compile(
    r"^\W*(?:neither|none|no|nope|not (?:these|those|any))\b(?: of (?:these|those|them|the above))?(?:\W+(?:i (?:mean|meant|want)\b|it'?s\b|but\b|rather\b|the one\b))*\W*",
    re.I,
)


def _another_place(request: str, question: str, original: str, situation: Situation) -> Meant | None:
    """The place that is named instead of a choice, put into the request that waits; the question again for "neither"."""
    about = _phrase_asked_about(question, original)
    if about is not None and " a class '" in question and find(request.strip(" .!")):
        return Meant(re.sub(re.escape(about), lambda _: request.strip(" .!"), original, count=1, flags=re.I))
    if about is None or not re.match(r"Which .+ do you mean\?$|I know no place", question):
        return None
    named = _DECLINES.sub("", request.strip(), count=1).strip(" .!")
    named = re.sub(r"^(?:i (?:mean|meant)|in|the one in|it'?s)\s+", "", named, flags=re.I)
    if not named:
        return Meant(original)
    if len(named) > 60:
        return None
    resolution = situation.gazetteer.resolve(named)
    if resolution.best is None or resolution.corrected:
        return None
    return Meant(re.sub(re.escape(about), lambda _: named, original, count=1, flags=re.I))


def _chosen(request: str, choices: Sequence[str]) -> str | None:
    text = request.strip().strip(".!").lower()
    if not text or len(text) > 80:
        return None
    for choice in choices:
        if text == choice.lower():
            return choice
    ordinal = re.fullmatch(rf"(?:the )?({'|'.join(_ORDINALS)})(?: one| option)?", text) or re.fullmatch(
        r"(?:number |option )?(\d)", text
    )
    if ordinal and choices:
        index = _ORDINALS.get(ordinal[1], int(ordinal[1]) - 1 if ordinal[1].isdigit() else 0)
        return choices[index] if -len(choices) <= index < len(choices) else None
    words = re.sub(
        r"^(?:(?:no|oh|sorry|well|it'?s|i mean|i meant|the one in|the one from|the one|in|the|one) ?,?)+\s*",
        "",
        text,
    )
    words = re.sub(r"(?:,? (?:one|please|of course|obviously|option))+$", "", words).strip()
    if words in _FIRST and choices:
        return choices[0]
    words = _plain(words)
    meant = [
        _plain(word)
        for word in re.findall(r"[^\W_][\w'’-]*", _ALIASES.get(words, words))
        if word.lower() not in _LITTLE
    ]
    inside = [choice for choice in choices if meant and all(word in _plain_words(choice) for word in meant)]
    if len(inside) == 1 or (inside and all(_plain(choice).strip(")").endswith(words) for choice in inside)):
        return inside[0]
    best = max(choices, key=lambda choice: fuzz.ratio(words, choice.lower()), default=None)
    return best if best is not None and fuzz.ratio(words, best.lower()) >= 85 else None


_LITTLE = frozenset({"the", "of", "a", "in", "one", "and"})
_FIRST = frozenset({"biggest", "largest", "capital", "main", "obvious", "biggest one", "bigger", "famous"})
_ALIASES = {
    **dict.fromkeys(
        ("us", "usa", "u.s.", "american", "us state", "state", "america", "united states"), "united states"
    ),
    **dict.fromkeys(("uk", "british", "english", "britain", "england"), "united kingdom"),
    **dict.fromkeys(("nation", "country"), "country"),
}


def _plain(word: str) -> str:
    return unicodedata.normalize("NFKD", word.lower()).encode("ascii", "ignore").decode()


def _plain_words(choice: str) -> set[str]:
    return set(re.findall(r"[a-z0-9][\w'-]*", _plain(choice)))


_MEANT = re.compile(
    r"^(?:no|sorry|actually|wait|oh|oops)?[,.! ]*(?:(?:i (?:mean|meant)|rather|the one|in|the)[, ]*)*(?:in |from )?(?P<area>[^,]+?)"
    r"(?P<one> one)?(?:,? (?:not|rather than|instead of) .+)?[.! ]*$",
    re.I,
)
_CUES = re.compile(r"\b(?:the one|i meant?|one\b|not |rather than|instead of)", re.I)


def _requalified(request: str, situation: Situation) -> str | None:
    """ "The one in Maine" after Portland: the same name, elsewhere. None when the request is no such thing."""
    current = situation.filters.get("place")
    match = _MEANT.match(request.strip())
    if not isinstance(current, str) or match is None or not _CUES.search(request):
        return None
    name = current.split(",")[0].split(" (")[0]
    area = "country" if re.fullmatch(r"(?:the )?country", match["area"], re.I) else match["area"].strip()
    if _plain(name) in _plain(area) or len(area) > 40:
        return None
    asked = f"{name} (country)" if area == "country" else f"{name}, {area}"
    resolution = situation.gazetteer.resolve(asked)
    best = resolution.best
    if best is None or resolution.corrected or best.label == current or _plain(name) not in _plain(best.name):
        return None
    situation.choices = {best.label.lower(): best.label}
    return f"in {best.label}"


def _original(past: Sequence[PastTurn]) -> tuple[str, dict[str, str]]:
    """The request that the chain of questions began with, and what earlier answers made clear."""
    choices: dict[str, str] = {}
    index = len(past) - 1
    while index > 0 and (asked := past[index - 1].question) is not None:
        answer = _chosen(past[index].request, [str(each) for each in asked.args.get("choices", ())])
        if answer is None and not _DECLINES.fullmatch(past[index].request.strip()):
            break
        index -= 1
        about = _phrase_asked_about(str(asked.args["question"]), past[index].request)
        if about and answer:
            choices[about.lower()] = answer
    return past[index].request, choices


def _phrase_asked_about(question: str, request: str) -> str | None:
    """The words of the request that a question is about."""
    patterns = (
        r'^"([^"]+)"',
        r"^Which (.+) do you mean\?$",
        r"^I know no place called '(.+?)'\.",
        r"'([^']+)'\?$",
        r"'([^']+)'",
    )
    for pattern in patterns:
        match = re.search(pattern, question)
        if match and match[1].lower() in request.lower():
            return match[1]
    return None


def _is_place_question(question: str) -> bool:
    return bool(re.match(r"Which .+ do you mean\?$", question)) and " day " not in question


def _completed(original: str, chosen: str, question: str) -> str:
    """The request with what was missing added, or the choice itself where it is a request of its own."""
    if _REPLACES_ALL.match(chosen) or question.startswith(("No image is selected", "There is no layer")):
        return chosen
    if chosen.lower() == "all of them":
        return f"load all data sets and {original}"
    return f"{original} {chosen}"
