"""Fit a worked case to a request: find what stands in each slot, and plan the case's calls with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from copilot.planner.asking import Ask
from copilot.planner.cases import Case, Cases, CaseSlot
from copilot.planner.class_words import calls_for, canonical_names, known_classes
from copilot.planner.clauses import Clause
from copilot.planner.lexicon import COLORS
from copilot.planner.places import camera_on, resolved
from copilot.planner.reading.dates import dates
from copilot.planner.situation import KIND_OF_PLOT, Call, Situation
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
_BRACES = re.compile(r"\{([^{}]*)\}")
_RESULT = re.compile(r"(\d+)\.data\.(.+)")
_CAMERA = frozenset(
    {"zoom_map", "set_view", "fit_bounds", "fit_layer", "fit_selection", "reset_map", "pan_map", "show_image"}
)
_SHOWN_BY_ITSELF = (
    "point",
    "bbox",
    "place",
    "date",
    "class",
    "event",
    "url",
    "path",
    "image",
    "attribute",
    "dataset",
)

Texts = Mapping[str, str]
"""Slot -> what stands in it."""


class DoesNotFit(Exception):
    """The case says something else than the request."""


def masked_request(request: str, spans: Sequence[Span]) -> str:
    """A whole request with a standing word for each phrase that names something, as cases are compared by."""
    return Clause(request, 0, tuple(spans)).masked


def fitted(request: str, cases: Cases, situation: Situation) -> list[Call] | None:
    """The calls of the nearest case that fits; None where none does."""
    if not cases.cases:
        return None
    reader = Reader(situation.gazetteer, situation.today, situation.names())
    spans = reader.read(request)
    masked = masked_request(request, spans)
    near = [
        (case, likeness)
        for case, likeness in cases.nearest(masked)
        if (situation.state == _BEGINNING if case.starts else situation.state != _BEGINNING)
        or not _touches_the_session(case)
    ]
    for case, _ in near:
        for texts in _word_for_word(case, request, reader):
            try:
                return _calls(case, texts, situation, reader)
            except DoesNotFit:
                continue
    for case, likeness in near:
        enough = DECLINED_FROM if case.declines else LIKE_ENOUGH
        # In a conversation much is said by what went before: only known wordings count there.
        new = case.starts and likeness >= enough and len(masked.split()) >= _FEWEST_WORDS
        found = _kind_for_kind(case, request, spans) if new else None
        if found is not None:
            try:
                return _calls(case, found, situation, reader)
            except DoesNotFit:
                continue
    return None


_BEGINNING = to_json(START)


def _touches_the_session(case: Case) -> bool:
    """Whether a case depends on what is there: a page can be opened at any time."""
    return (not case.starts or case.declines) or any(
        tool.startswith(("db_", "filter_")) or tool in KIND_OF_PLOT for tool, _ in case.calls
    )


# What stands in the slots.


@lru_cache(maxsize=4096)
def _pattern(wording: str) -> re.Pattern[str]:
    parts: list[str] = []
    seen: Counter[str] = Counter()
    at = 0
    for brace in _BRACES.finditer(wording):
        parts.append(_literal(wording[at : brace.start()]))
        name = _group(brace[1])
        parts.append(f"(?P={name})" if seen[name] else rf"(?P<{name}>\S(?:.*?\S)?)")
        seen[name] += 1
        at = brace.end()
    parts.append(_literal(wording[at:].rstrip(" .?!")))
    return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)


def _group(inside: str) -> str:
    return "s_" + re.sub(r"\W", lambda mark: f"_{ord(mark[0])}_", inside)


def _literal(text: str) -> str:
    words = [re.escape(word) for word in re.split(r"\s+", text)]
    return r"\s+".join(words).replace("’", "'").replace("'", "['’]")


def _word_for_word(case: Case, request: str, reader: Reader) -> Iterator[Texts]:
    """The slots of a wording that the request says, maybe with polite words around it."""
    said = request.strip().rstrip(" .?!")
    match = _pattern(case.wording).fullmatch(said) or _inside_polite_words(case, said, reader)
    if match is not None:
        yield {name: match[_group(name)] for name in _names(case.wording)}


def _inside_polite_words(case: Case, said: str, reader: Reader) -> re.Match[str] | None:
    wording = case.wording.rstrip(" .?!")
    if wording.endswith("}") or wording.startswith("{"):
        # Where a slot ends a wording, what follows would be taken for a part of it.
        tail = re.compile(
            _pattern(case.wording).pattern
            + r"(?=\W+(?:please|pls|plz|thanks|thank you|asap|if you can)\b|$)",
            re.I | re.S,
        )
    else:
        tail = _pattern(case.wording)
    match = tail.search(said)
    if match is None:
        return None
    around = re.findall(r"[^\W\d_]+", f"{said[: match.start()]} {said[match.end() :]}".lower())
    return match if _POLITE.issuperset(around) else None


_POLITE = frozenset(
    """please pls plz thanks thank you thx cheers hi hello hey there ok okay so now well just could can would will kindly i d ll like need
    want to me you mind helping help one more thing quick for my our the a report briefing meeting team boss question request asap soon
    when if get chance possible urgent sorry again also next then and first good morning afternoon evening everyone azimuth colleague
    really quickly it is that be great nice good in advance today""".split()
)
"""Words that say nothing of what is wanted."""


def signature(spans: Sequence[Span]) -> tuple[str, ...]:
    """What a request names, sorted: of places, dates and classes how many, of words of the domain which."""
    open_kinds = [span.kind for span in spans if span.kind not in _CLOSED]
    return tuple(
        sorted([*open_kinds, *{f"{span.kind}={span.value}" for span in spans if span.kind in _CLOSED}])
    )


_CLOSED = frozenset({"plot", "basemap", "control", "panel", "direction", "field", "format"})
"""Kinds of phrases of which there are few: "as points" and "as clusters" want two things."""


def contrast(one: str, other: str) -> bool:
    """Whether two texts say opposite things: the newest and the oldest, to hide and to remove."""
    for group in _CONTRASTS:
        said = [frozenset(word for word, pattern in group if pattern.search(text)) for text in (one, other)]
        if said[0] != said[1] and (all(said) or group in _TELLING):
            return True
    return False


def _group_of(**words: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(rf"\b(?:{pattern})\b", re.I)) for name, pattern in words.items())


_CONTRASTS = (
    _group_of(
        newest="newest|latest|most recent|last", oldest="oldest|earliest|first", clearest=r"clearest|least cloud\w*",
        cloudiest=r"cloudiest|most cloud\w*", sharpest="sharpest|finest",
    ),
    _group_of(
        mean="mean|average", sum="sum|total|add up", least="min(?:imum)?|lowest|smallest|fewest|least", median="median",
        most="max(?:imum)?|highest|largest|most|biggest",
    ),
    _group_of(
        hide="hide|hidden|conceal|invisible", show="show|unhide|display|visible", remove="remove|delete|drop|get rid of|take off",
        rename="rename|call|name", undo="undo|take back|revert", redo="redo|restore", draw="draw|sketch", measure="measure|how far|distance",
    ),
    _group_of(on="on|switch on", off="off|hide|without"),
    _group_of(bar="bars?", line="lines?|curve", pie="pie", histogram="histogram|distribution", scatter="scatter"),
    _group_of(csv="csv", geojson="geojson", parquet="parquet|geoparquet", notebook="notebook|ipynb", script="script|python"),
    _group_of(up="up|good|right|great", down="down|bad|wrong"),
    _group_of(front="front|top", back="back|bottom"),
    _group_of(north="north", south="south", east="east", west="west", into="in|closer", out="out|further"),
    _group_of(year="years?|yearly|annual", month="months?|monthly", day="days?|daily", country=r"countr\w+", sensor="sensors?", split="splits?"),
    _group_of(ascending="ascending|rising", descending="descending|falling"),
    _group_of(map="maps?|plot(?:ted)?|draw"),
)  # fmt: skip
_TELLING = (_CONTRASTS[0], _CONTRASTS[4], _CONTRASTS[5], _CONTRASTS[-1])
"""Those whose words are never left out: which image, which figure, which format, whether on the map."""


def _kind_for_kind(case: Case, request: str, spans: Sequence[Span]) -> Texts | None:
    """The slots of a case that means the same, taken from the phrases of the same kinds in their order."""
    if signature(spans) != tuple(case.kinds) or contrast(request, case.wording):
        return None
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
        texts[name] = used[-1].text
    return texts if named_besides(spans, used) == case.fixed else None


def named_besides(spans: Sequence[Span], used: Sequence[Span]) -> tuple[str, ...]:
    """What a request names that is in no slot, sorted."""
    return tuple(
        sorted(
            f"{span.kind}={span.text.lower()}"
            for span in spans
            if span not in used and span.kind not in _CLOSED
        )
    )


def _names(wording: str) -> list[str]:
    return list(dict.fromkeys(_BRACES.findall(wording)))


# What is done with them.


def _calls(case: Case, texts: Texts, situation: Situation, reader: Reader) -> list[Call]:
    """The case's calls with the request's own values, each checked against its tool. Raises DoesNotFit."""
    values = _Values(case, texts, situation, reader)
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
        if (
            not drawn
            and not layers.issuperset(named)
            and not any(each.startswith("drawing") for each in named)
        ):
            raise DoesNotFit


def _example(value: Any) -> Any:
    return "table-000000" if isinstance(value, str) and value.startswith("@") else value


class _Values:
    """The slots' values, each read once."""

    def __init__(self, case: Case, texts: Texts, situation: Situation, reader: Reader) -> None:
        self._case, self._texts, self._situation, self._reader = case, texts, situation, reader
        self._known: dict[str, Any] = {}

    def argument(self, value: Any, places: Mapping[int, int]) -> Any:
        """An argument of the case with the slots filled. Raises DoesNotFit."""
        if isinstance(value, Mapping):
            return {key: self.argument(each, places) for key, each in value.items()}
        if isinstance(value, list):
            found = [self.argument(each, places) for each in value]
            return [one for each in found for one in (each if isinstance(each, list) else [each])]
        if not isinstance(value, str):
            return value
        if (whole := _BRACES.fullmatch(value)) is not None:
            return self._inside(whole[1], places)
        return _BRACES.sub(lambda brace: str(self._inside(brace[1], places)), value)

    def _inside(self, inside: str, places: Mapping[int, int]) -> Any:
        if (result := _RESULT.fullmatch(inside)) is not None:
            return f"@{places[int(result[1])]}.{result[2]}"
        if inside not in self._known:
            self._known[inside] = self._read(inside)
        return self._known[inside]

    def _read(self, inside: str) -> Any:
        name, _, part = inside.partition(".")
        slot = self._case.slots.get(name)
        if slot is None:
            raise DoesNotFit
        text = self._texts.get(inside) or self._texts.get(name)
        if text is None:
            # A part of a slot of which another part is said: "{year.start}" where the year is.
            text = next((said for key, said in self._texts.items() if key.split(".")[0] == name), None)
        if text is None:
            raise DoesNotFit
        try:
            return _READERS.get(slot.kind, _verbatim)(text.strip(" ,;\"'“”"), part, slot, self)
        except Ask as ask:
            raise DoesNotFit from ask

    def check(self) -> None:
        """Read every slot that is said, also those that no call takes. Raises DoesNotFit."""
        for inside in self._texts:
            self._inside(inside, {})

    @property
    def exact(self) -> bool:
        """Whether only the known choices will do: what is asked back or refused is refused of just these."""
        return self._case.declines

    def spans(self, text: str, *kinds: str) -> list[Span]:
        """The phrases of some kinds in a slot's text."""
        return [span for span in self._reader.read(text) if span.kind in kinds]

    @property
    def situation(self) -> Situation:
        """What the request is said into."""
        return self._situation


def _one(text: str, values: _Values, *kinds: str) -> Span:
    """The one phrase that a slot's text is."""
    found = values.spans(text, *kinds)
    if len(found) != 1 or len(found[0].text) < 0.8 * len(text):
        raise DoesNotFit
    return found[0]


def _dataset(text: str, part: str, slot: CaseSlot, values: _Values) -> Any:
    names = list(_one(text, values, "dataset").value)
    return names[0] if len(names) == 1 else names


def _class(text: str, part: str, slot: CaseSlot, values: _Values) -> Any:
    known = known_classes(values.situation)
    names = list(dict.fromkeys(canonical_names(_one(text, values, "class"), known)))
    return names[0] if len(names) == 1 else names


def _place(text: str, part: str, slot: CaseSlot, values: _Values) -> Any:
    place = resolved(_one(text, values, "place"), values.situation)
    if part in ("lon", "lat"):
        return round(float(getattr(place, part)), 4)
    return place.label


def _year(text: str, part: str, slot: CaseSlot, values: _Values) -> Any:
    if not re.fullmatch(r"(?:19|20)\d\d", text):
        raise DoesNotFit
    return {"start": f"{text}-01-01", "end": f"{text}-12-31"}.get(part, int(text))


def _time(text: str, part: str, slot: CaseSlot, values: _Values) -> Any:
    found = dates(text, values.situation.today)
    if len(found) != 1 or found[0].start is None or found[0].end is None:
        raise DoesNotFit
    start, end = found[0].start, found[0].end
    if part:
        return (start if part == "start" else end).isoformat()
    return f"{start:%Y-%m}" if slot.kind == "month" else start.isoformat()


def _event(text: str, part: str, slot: CaseSlot, values: _Values) -> Any:
    event = _one(text, values, "event").value
    if isinstance(event, tuple):
        raise DoesNotFit
    return event


def _literal_value(text: str, part: str, slot: CaseSlot, values: _Values) -> Any:
    for say, arg in slot.choices:
        if say.lower() == text.lower():
            return arg
    args = [arg for _, arg in slot.choices]
    if values.exact:
        raise DoesNotFit
    if all(isinstance(arg, int | float) and not isinstance(arg, bool) for arg in args):
        if (number := re.fullmatch(r"-?\d[\d,]*(?:\.\d+)?", text)) is None:
            raise DoesNotFit
        value = float(number[0].replace(",", ""))
        return int(value) if value.is_integer() else value
    if all(str(arg).lower() in COLORS.values() or str(arg).lower() in COLORS for arg in args):
        if text.lower() not in COLORS:
            raise DoesNotFit
        return COLORS[text.lower()]
    if any(say.lower() != str(arg).lower() for say, arg in slot.choices) or not _is_a_name(args):
        raise DoesNotFit
    return text


def _is_a_name(args: Sequence[Any]) -> bool:
    """Whether the choices are titles that anybody may choose anew, and not words of the domain."""
    return all(isinstance(arg, str) and arg[:1].isupper() for arg in args)


def _verbatim(text: str, part: str, slot: CaseSlot, values: _Values) -> Any:
    return text


_READERS = {
    "dataset": _dataset, "class": _class, "scene": _class, "city": _place, "country": _place, "year": _year, "month": _time,
    "day": _time, "range": _time, "event": _event, "literal": _literal_value,
}  # fmt: skip
