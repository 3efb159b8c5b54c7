"""Names in a request that nothing here has: a data set that does not exist, a place on no map."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.asking import Ask
from copilot.planner.everyday import EVERYDAY
from copilot.planner.situation import Situation
from copilot.planner.spans import Span

_LIKE_A_DATASET = re.compile(
    r"\b(?:x-?view[\s-]?\d+|fair\s?\d+m|f-?mow\d+|big\s?earth\s?net[\s-]?\d+|"
    r"imagenet|ms-?coco|coco(?: ?\d+)?|dota(?:[- ]?v?\d)?|isaid|dior|hrsc\d*|spacenet[\s-]?\d*|eurosat|ucmerced|sen12ms|deepglobe|"
    r"open ?images|cityscapes|open ?street ?map data|nwpu(?:[- ]\w+)?|loveda|potsdam data ?set|vaihingen)\b",
    re.I,
)
_LIKE_A_PLACE = re.compile(
    r"\b(?:in|near|around|at|over|to|within|off|of)\s+(?:the\s+)?((?:[A-Z][\w'’-]{2,})(?:\s+[A-Z][\w'’-]+)*)(?=\s*(?:[,.;!?]|$|\b(?:in|from|since|with|and|during|for|as|on|by)\b))"
)


_AMBIGUOUS_CLASSES = {
    "tank": ("storage tanks", "Tank car"),
    "tanks": ("storage tanks", "Tank car"),
    "court": ("Tennis Court", "Basketball Court"),
    "crafts": ("aircraft", "vessels"),
    "craft": ("aircraft", "vessels"),
}
"""Words that name things of different kinds, with what they can mean."""


def ask_about_ambiguous_classes(request: str, spans: Sequence[Span], situation: Situation) -> None:
    """Raise Ask for a word that names things of different kinds."""
    for word, meanings in _AMBIGUOUS_CLASSES.items():
        for match in re.finditer(rf"\b{word}\b", request, re.I):
            if word not in situation.choices and not _inside(match, spans):
                raise Ask(f"What do you mean by '{match[0]}'?", meanings, about=match[0])


def ask_about_unknown_names(request: str, spans: Sequence[Span], situation: Situation) -> None:
    """Raise Ask for the first name that stands where a data set or a place would, and is none."""
    for match in _LIKE_A_DATASET.finditer(request):
        if re.match(r"[ -](?:format|style|json|layout|export)\b", request[match.end() :], re.I):
            continue  # how a file is laid out
        if not _inside(match, spans):
            raise Ask(
                f"The catalogue holds no data set '{match[0]}'. Which one do you mean?",
                sorted(situation.datasets)[:8],
                about=match[0],
            )
    for match in _LIKE_A_PLACE.finditer(request):
        words = match[1].lower().split()
        shouted = request.isupper()
        if not shouted and not _named(match, spans) and not all(word in EVERYDAY for word in words):
            if _goes_on_without(match, spans):
                situation.notes.append(f"I know no place called '{match[1]}' and left it out.")
                continue
            raise unknown_place(match[1], situation)
    ask_about_unknown_models(request, spans, situation)


def _goes_on_without(match: re.Match[str], spans: Sequence[Span]) -> bool:
    """Whether another place is named, so that an unknown name beside it is no reason to ask."""
    if re.match(r"(?:to|off)\b", match[0], re.I):
        return False
    return any(span.kind in ("place", "point", "bbox") for span in spans)


def unknown_place(name: str, situation: Situation) -> Ask:
    """The question about a place that no table has, with the names that are near, if any."""
    near = situation.gazetteer.suggest(name)
    question = f"Did you mean {' or '.join(near[:3])}?" if near else "Should I look anywhere?"
    return Ask(f"I know no place called '{name}'. {question}", [*near, "anywhere"], about=name)


_LIKE_A_MODEL = re.compile(
    r"\b(?:Airbus |Boeing |Comac |COMAC )?(?P<letters>A|B|C|ARJ|Boeing|Airbus) ?-?(?P<digits>\d{2,3})s?\b"
)


def ask_about_unknown_models(request: str, spans: Sequence[Span], situation: Situation) -> None:
    """Raise Ask for a model of aircraft that no data set has, where it has others of the maker: "A380s"."""
    for match in _LIKE_A_MODEL.finditer(request):
        letters = (
            match["letters"].replace("Airbus", "A").replace("B", "Boeing")
            if match["letters"] != "Boeing"
            else "Boeing"
        )
        known = {each.name for info in situation.datasets.values() for each in info.classes}
        same = sorted(name for name in known if re.fullmatch(rf"{letters}\d{{2,3}}", name))
        if same and not _inside(match, spans):
            choices = [*same, "airplanes"]
            raise Ask(
                f"No data set tells a '{match[0]}' apart. Which class do you mean instead?",
                choices,
                about=match[0],
            )


def _named(match: re.Match[str], spans: Sequence[Span]) -> bool:
    """Whether a phrase is read: where a distance is meant from it, by its first word; "the Foo Tower" is no tower."""
    measured = any(span.kind == "distance" and span.end <= match.start(1) for span in spans)
    if not measured:
        return _inside(match, spans, group=1)
    return any(span.start <= match.start(1) < span.end for span in spans)


def _inside(match: re.Match[str], spans: Sequence[Span], group: int = 0) -> bool:
    return any(span.start < match.end(group) and match.start(group) < span.end for span in spans)
