"""Fit a worked case to a request: find what stands in each slot, and plan the case's calls with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from copilot.planner.cases import Case, Cases
from copilot.planner.class_words import calls_for
from copilot.planner.clauses import Clause
from copilot.planner.declared.planning import is_declared, steps_of
from copilot.planner.declared.signature import parameters
from copilot.planner.head import shared_encoder
from copilot.planner.leftovers import strange_words
from copilot.planner.likeness import contrast, in_kilometres, masked_request, named_besides, signature
from copilot.planner.places import camera_on
from copilot.planner.politeness import POLITE, without_politeness
from copilot.planner.situation import KIND_OF_PLOT, Call, Situation
from copilot.planner.slot_values import BRACES, DoesNotFit, Texts, Values
from copilot.planner.spans import Reader, Span
from state.codec import to_json
from state.log import START
from tools.base import ToolError
from tools.run import validated
from tools.toolbox import toolbox

LIKE_ENOUGH = 0.62
"""From this cosine on, a request with the very kinds of phrases of a case says the same (docs/planner.md)."""
DECLINED_FROM = 0.8
"""The same for cases that ask back or refuse: doing nothing needs a better reason."""
_FEWEST_WORDS = 5
"""A shorter request is too bare to be told by its likeness."""
_CAMERA = frozenset(
    {"zoom_map", "set_view", "fit_bounds", "fit_layer", "fit_selection", "reset_map", "pan_map", "show_image"}
)


def fitted(request: str, cases: Cases, situation: Situation) -> list[Call] | None:
    """The calls of the nearest case that fits; None where none does."""
    if not cases.cases:
        return None
    reader = Reader(situation.gazetteer, situation.today, situation.names())
    spans = reader.read(request)
    masked = masked_request(request, spans)
    # What the steps will be looked up by, where no case fits, goes through the encoder with it.
    shared_encoder().recall([masked, *steps_of(request)])
    near = _near(masked, cases, situation)
    if (known := _known(near, request, spans, situation, reader)) is not None:
        return known
    for case, likeness in near:
        enough = DECLINED_FROM if case.declines else LIKE_ENOUGH
        # In a conversation much is said by what went before: only known wordings count there.
        new = case.starts and likeness >= enough and len(masked.split()) >= _FEWEST_WORDS
        new = new and (situation.state == _BEGINNING or not _POINTS_BACK.search(request))
        # A slope and an aspect, a mean and a median are near each other as texts: what is planned by what it
        # declares is told by its words.
        new = new and not any(is_declared(tool) for tool, _ in case.calls)
        found = _kind_for_kind(case, request, spans) if new else None
        if found is not None:
            try:
                return _calls(case, found, situation, reader)
            except DoesNotFit:
                continue
    return None


def word_for_word(request: str, cases: Cases, situation: Situation) -> list[Call] | None:
    """The calls of the case that says this very thing, but for the values; None where none does."""
    reader = Reader(situation.gazetteer, situation.today, situation.names())
    spans = reader.read(request)
    near = _near(masked_request(request, spans), cases, situation)
    return _known(near, request, spans, situation, reader)


def _near(masked: str, cases: Cases, situation: Situation) -> list[tuple[Case, float]]:
    """The nearest cases that can be meant in a situation."""
    near = [
        (case, likeness)
        for case, likeness in cases.nearest(masked)
        if (situation.state == _BEGINNING if case.starts else situation.state != _BEGINNING)
        or not _touches_the_session(case)
    ]
    at_hand = Counter(each["kind"] for each in situation.state["artifacts"])
    if max(at_hand.values(), default=0) > 1:
        near = [(case, likeness) for case, likeness in near if not _has_a_choice(case, at_hand)]
    return near


def _known(
    near: Sequence[tuple[Case, float]],
    request: str,
    spans: Sequence[Span],
    situation: Situation,
    reader: Reader,
) -> list[Call] | None:
    for case, _ in near:
        for texts in _word_for_word(case, request, spans):
            try:
                return _calls(case, texts, situation, reader)
            except DoesNotFit:
                continue
    return None


_BEGINNING = to_json(START)
_POINTS_BACK = re.compile(
    r"\b(?:it|that|this|them|those|these|there|instead|too|also|same)\b|^\W*(?:and|or|what about|how about|now|only|just)\b",
    re.I,
)
"""What is said of something that was said before."""


def _has_a_choice(case: Case, at_hand: Mapping[str, int]) -> bool:
    """Whether a case takes the newest of things of which there are several: which is meant is read elsewhere."""
    return any(
        is_declared(tool) and any(each.handle and at_hand[each.handle] > 1 for each in parameters(tool))
        for tool, _ in case.calls
    )


def _touches_the_session(case: Case) -> bool:
    """Whether a case depends on what is there: a page can be opened at any time."""
    return (not case.starts or case.declines) or any(
        tool.startswith(("db_", "filter_")) or tool in KIND_OF_PLOT for tool, _ in case.calls
    )


# What stands in the slots.


_PATTERNS: dict[tuple[str, str], re.Pattern[str]] = {}


def _pattern(case: Case) -> re.Pattern[str]:
    """The wording as a pattern with a group for each slot."""
    known = _PATTERNS.get((case.intent, case.wording))
    if known is None:
        known = _PATTERNS[case.intent, case.wording] = _compiled(case)
    return known


def _compiled(case: Case, phrases: Sequence[str] = ()) -> re.Pattern[str]:
    """The same, with what was read as a phrase tried first in each slot."""
    parts: list[str] = []
    seen: set[str] = set()
    at = 0
    wording = _wording(case.wording)
    for brace in BRACES.finditer(wording):
        parts.append(_literal(wording[at : brace.start()]))
        name = _group(brace[1])
        parts.append(
            f"(?P={name})" if name in seen else rf"(?P<{name}>{_slot_pattern(case, brace[1], phrases)})"
        )
        seen.add(name)
        at = brace.end()
    parts.append(_literal(wording[at:].rstrip(" .?!")))
    return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)


@cache
def _wording(wording: str) -> str:
    """A wording as a request is read: without its "Hello" and ", please". What stands in a slot is not polite."""
    slots = BRACES.findall(wording)
    numbers = iter(range(len(slots)))
    bare = without_politeness(BRACES.sub(lambda _: f"slot{next(numbers)}slot", wording))
    return re.sub(r"slot(\d+)slot", lambda number: f"{{{slots[int(number[1])]}}}", bare)


def _slot_pattern(case: Case, inside: str, phrases: Sequence[str]) -> str:
    """What may stand in a slot: numbers where it is one, its known choices before anything else."""
    name, _, part = inside.partition(".")
    slot = case.slots.get(name)
    if slot is None or part in ("lon", "lat"):
        return r"-?\d+(?:\.\d+)?"
    if slot.kind == "year" and not part:
        return r"\d{4}"
    if slot.choices and all(re.fullmatch(r"-?\d+(?:\.\d+)?", say) for say, _ in slot.choices):
        return r"-?\d[\d,]*(?:\.\d+)?"
    said = sorted((*(say for say, _ in slot.choices), *phrases), key=len, reverse=True)
    return "|".join([*map(_literal, said), r"\S(?:.*?\S)?"])


def _group(inside: str) -> str:
    return "s_" + re.sub(r"\W", lambda mark: f"_{ord(mark[0])}_", inside)


def _literal(text: str) -> str:
    words = [re.escape(word) for word in re.split(r"\s+", text)]
    return r"\s+".join(words).replace("’", "'").replace("'", "['’]")


_SIDE_BY_SIDE = re.compile(r"\}\s+\{")


def _word_for_word(case: Case, request: str, spans: Sequence[Span]) -> Iterator[Texts]:
    """The slots of a wording that the request says, maybe with polite words around it.

    Slots with nothing but a space between them may be told apart by what was read in them alone:
    "Barcelona flatbed trucks xview1" says a place, a class and a data set.
    """
    said = request.strip().rstrip(" .?!")
    if not _has_its_words(case, said):
        return
    match = _matched(case, _pattern(case), said)
    if match is None:
        return
    yield _slots(case, match)
    if _SIDE_BY_SIDE.search(case.wording):
        match = _matched(case, _compiled(case, [span.text for span in spans]), said)
        if match is not None:
            yield _slots(case, match)


def _slots(case: Case, match: re.Match[str]) -> Texts:
    return {name: match[_group(name)] for name in _names(case.wording)}


def _matched(case: Case, pattern: re.Pattern[str], said: str) -> re.Match[str] | None:
    return pattern.fullmatch(said) or _inside_polite_words(case, pattern, said)


def _has_its_words(case: Case, said: str) -> bool:
    """Whether each word of a wording is said: without, its pattern cannot match, and making it takes a millisecond."""
    there = said.lower()
    return all(word in there for word in re.findall(r"\w+", BRACES.sub(" ", _wording(case.wording)).lower()))


def _inside_polite_words(case: Case, pattern: re.Pattern[str], said: str) -> re.Match[str] | None:
    wording = _wording(case.wording).rstrip(" .?!")
    if wording.endswith("}") or wording.startswith("{"):
        # Where a slot ends a wording, what follows would be taken for a part of it.
        tail = re.compile(
            pattern.pattern + r"(?=\W+(?:please|pls|plz|thanks|thank you|asap|if you can)\b|$)",
            re.I | re.S,
        )
    else:
        tail = pattern
    match = tail.search(said)
    if match is None:
        return None
    around = re.findall(r"[^\W\d_]+", f"{said[: match.start()]} {said[match.end() :]}".lower())
    return match if POLITE.issuperset(around) else None


def _kind_for_kind(case: Case, request: str, spans: Sequence[Span]) -> Texts | None:
    """The slots of a case that means the same, taken from the phrases of the same kinds in their order."""
    if signature(spans) != tuple(case.kinds) or contrast(request, case.wording):
        return None
    strange = strange_words(Clause(request, 0, tuple(spans)))
    if any(word.lower() not in case.wording.lower() for word in strange):
        return None  # what no case and no rule knows is told by the rules
    texts: dict[str, str] = {}
    used: list[Span] = []
    for name in _names(case.wording):
        slot = case.slots[name.split(".")[0]]
        if slot.span is None:
            choice = next(
                (say for say, _ in slot.choices if re.search(rf"\b{re.escape(say)}\b", request, re.I)), None
            )
            if choice is None:
                return None
            texts[name] = choice
            continue
        kind, number = slot.span
        used.append([each for each in spans if each.kind == kind][number])
        if kind == "distance" and not in_kilometres(used[-1]):
            return None
        texts[name] = used[-1].text
    return texts if named_besides(spans, used) == case.fixed else None


def _names(wording: str) -> list[str]:
    return list(dict.fromkeys(BRACES.findall(wording)))


# What is done with them.


def _calls(case: Case, texts: Texts, situation: Situation, reader: Reader) -> list[Call]:
    """The case's calls with the request's own values, each checked against its tool. Raises DoesNotFit."""
    values = Values(case, texts, situation, reader)
    values.check()
    planned: list[Call] = []
    places: dict[int, int] = {}
    """Number of the case's call -> number of the planned one: a camera call may stand between."""
    for number, (tool, args) in enumerate(case.calls, 1):
        call = Call(tool, {key: values.argument(each, places) for key, each in args.items()})
        if tool in ("filter_class", "filter_lccclass"):
            call = _by_class(call, args, situation)
        if tool in KIND_OF_PLOT and not any(each in _CAMERA for each, _ in case.calls):
            planned += _camera_before(planned, situation)
        planned.append(call)
        places[number] = len(planned)
    _check(planned, situation)
    return planned


def _by_class(call: Call, args: Mapping[str, Any], situation: Situation) -> Call:
    """The filter that knows the class: objects and scenes have one each."""
    if "{" not in str(args.get("classes", "")):
        return call
    made = list(calls_for(list(call.args["classes"]), situation))
    if len(made) != 1:
        raise DoesNotFit
    rest = {key: value for key, value in call.args.items() if key != "classes"}
    return Call(made[0].tool, {**made[0].args, **rest})


def _camera_before(planned: Sequence[Call], situation: Situation) -> list[Call]:
    """A plot of a place is seen where it is: the camera goes along, as it does for the rules."""
    place = next((call for call in reversed(planned) if call.tool == "filter_coords"), None)
    if place is None or any(call.tool in _CAMERA for call in planned):
        return []
    if "place" in place.args and not situation.gazetteer.resolve(place.args["place"]).candidates:
        raise DoesNotFit  # a slot that took more than the name: the tool would not know it either
    return [camera_on(place, situation)]


def _check(planned: Sequence[Call], situation: Situation) -> None:
    layers = {str(layer[key]).lower() for layer in situation.layers for key in ("id", "name")}
    for call in planned:
        try:
            validated(toolbox().get(call.tool), {key: _example(value) for key, value in call.args.items()})
        except ToolError as error:
            raise DoesNotFit from error
        layers |= {str(call.args.get("name", "")).lower(), KIND_OF_PLOT.get(call.tool, "")}
        drawn = call.tool.startswith(("draw_", "add_"))
        named = [str(call.args[key]).lower() for key in ("layer", "left", "right") if key in call.args]
        # What a call before brings is there by then: a drawing, the layer of a file that is fetched.
        coming = any(each.startswith(("drawing", "@")) for each in named)
        if not drawn and not coming and not layers.issuperset(named):
            raise DoesNotFit


def _example(value: Any) -> Any:
    return "table-000000" if isinstance(value, str) and value.startswith("@") else value
