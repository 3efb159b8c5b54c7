"""Fill a tool's arguments from what a clause says: handles, choices, numbers with units, places, dates, names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from copilot.planner.asking import Ask, Reject
from copilot.planner.declared.columns import READ, STATISTICS, of_columns
from copilot.planner.declared.files import STORES, File, from_files, stores_at_hand
from copilot.planner.declared.idioms import IDIOMS, SETTLE, WHOLLY, vectors
from copilot.planner.declared.looks import is_look
from copilot.planner.declared.numbers import Quantity, converted, number_for, quantities
from copilot.planner.declared.phrases import words_of
from copilot.planner.declared.said import Said
from copilot.planner.declared.signature import Parameter, parameters
from copilot.planner.declared.texts import READERS, quoted
from copilot.planner.declared.things import Thing, is_of, meant
from copilot.planner.places import resolved
from copilot.planner.reading.dates import dates
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Reader


class Missing(Exception):
    """A needed argument is not said."""

    def __init__(self, tool: str, parameter: Parameter) -> None:
        super().__init__(f"{tool} needs {parameter.name}")
        self.tool, self.parameter = tool, parameter


def filled(
    tool: str, text: str, situation: Situation, things: Sequence[Thing], files: Sequence[File] = ()
) -> Call:
    """A call of the tool with what the text says. Raises Ask, Reject or Missing."""
    reader = Reader(situation.gazetteer, situation.today, situation.names())
    said = Said(tool, text, situation, things, reader.read(text))
    wanted = parameters(tool)
    idiom = IDIOMS.get(tool)
    args: dict[str, Any] = idiom(text, situation.today) if idiom else {}
    if args and tool in WHOLLY:
        return Call(tool, args)
    args = from_files(tool, wanted, text, files, _stores(situation), args) | args
    if tool in STATISTICS:
        args |= of_columns(said)
        wanted = tuple(each for each in wanted if each.name not in READ)
    for stage in (_handles, _places, _days, _choices, _texts, _numbers, _flags):
        stage(wanted, said, args)
    if tool in vectors.SETTLE:
        vectors.SETTLE[tool](args, things, text)
    for each in parameters(tool):
        if each.required and each.name not in args:
            if each.kind in ("handle", "handles"):
                raise Reject(_nothing_to_work_on(each, things))
            raise Missing(tool, each)
    if tool in SETTLE:
        SETTLE[tool](args, things)
    return Call(tool, {name: value for name, value in args.items() if value is not None})


def _stores(situation: Situation) -> list[str]:
    """The names of the stores of texts, those that are planned last."""
    planned = [call.args.get("name") for call in situation.planned if call.tool == "vectorstore_create"]
    return [*stores_at_hand(situation), *(str(each) for each in planned if each)]


def _nothing_to_work_on(parameter: Parameter, things: Sequence[Thing]) -> str:
    kind = {"raster": "raster", "vector": "vector layer or drawing", "table": "table", "document": "document"}
    thing = kind.get(parameter.handle, parameter.handle)
    here = [each.name for each in things if is_of(each, parameter.handle)]
    if here:
        return f"This needs another {thing} beside '{here[-1]}'; attach a file, or make one first."
    return f"There is no {thing} here to work on yet; attach a file, or make one first."


# Handles


def _handles(wanted: Sequence[Parameter], said: Said, args: dict[str, Any]) -> None:
    for kind in dict.fromkeys(each.handle for each in wanted if each.handle):
        of_kind = [each for each in wanted if each.handle == kind and each.name not in args]
        lists = [each for each in of_kind if each.kind == "handles"]
        single = [each for each in of_kind if each.kind == "handle"]
        needed = [each for each in single if each.required]
        # What may be left out is only filled where the text names something for it.
        named = [each for each in single if not each.required and _is_named(each, said)]
        count = max(len(needed) + len(named), 1 if not needed else 0)
        things = [each for each in said.things if kind != "document" or not each.tool.startswith(STORES)]
        if kind == "vector":
            things = [each for each in things if _may_be_given(each, said.tool, named)]
        found = meant(said.text, kind, things, 8 if lists else count, said.tool)
        for each in lists:
            if found and (each.required or len(found) > 1):
                args[each.name] = [thing.ref for thing in _several(said.text, found)]
        for parameter, thing in zip(
            [*needed, *named], _in_order(needed + named, found, said.text), strict=False
        ):
            args[parameter.name] = thing.ref


def _may_be_given(thing: Thing, tool: str, named: Sequence[Parameter]) -> bool:
    """Whether features may go into a tool that looks at images: no other look's, unless its name speaks of them."""
    if not (is_look(tool) and is_look(thing.tool)):
        return True
    return any(set(words_of(each.name)) & set(words_of(thing.tool.replace("_", " "))) for each in named) and (
        thing.tool != tool
    )


def _is_named(parameter: Parameter, said: Said) -> bool:
    """Whether a text speaks of something for an argument that may be left out."""
    if parameter.name == parameter.handle == "table":
        return any(each.kind == "table" for each in said.things) and bool(
            re.search(
                r"\b(?:table|it|this|that|them|these|those|result|rows|csv|columns?)\b|table-",
                said.text,
                re.I,
            )
        )
    words = [parameter.name, *parameter.words]
    return any(re.search(rf"\b{re.escape(word)}s?\b", said.text, re.I) for word in words) or bool(
        meant_by_name(said.text, parameter.handle, said.things)
    )


def meant_by_name(text: str, kind: str, things: Sequence[Thing]) -> list[Thing]:
    """The things of a kind that a text truly names."""
    found = meant(text, kind, things, 1)
    spoken = set(words_of(text))
    return [
        each
        for each in found
        if each.ref == "selection" or each.drawn or each.words & spoken or each.ref in text
    ]


def _several(text: str, found: Sequence[Thing]) -> Sequence[Thing]:
    """Of things for a list: those that are named, else the newest two, the older first."""
    spoken = set(words_of(text))
    named = [each for each in found if each.words & spoken or each.ref in text]
    if len(named) > 1 or re.search(r"\b(?:all|every|each)\b", text, re.I):
        return named if len(named) > 1 else found
    return list(found)[:2]


def _in_order(wanted: Sequence[Parameter], found: Sequence[Thing], text: str) -> list[Thing]:
    """Things in the order of the arguments: "clip A by B" as said, "subtract B from A" the other way round."""
    ordered = list(found)
    if len(wanted) == len(ordered) == 2:
        fits = [_fits(parameter, thing) for parameter, thing in zip(wanted, ordered, strict=True)]
        crossed = [
            _fits(parameter, thing) for parameter, thing in zip(wanted, reversed(ordered), strict=True)
        ]
        if sum(crossed) > sum(fits) or (sum(crossed) == sum(fits) and _TAKEN_FROM.search(text)):
            ordered.reverse()
    return ordered


_TAKEN_FROM = re.compile(
    r"\b(?:cut|erase|remove|subtract|take|punch|deduct|knock)\b.*\b(?:from|out of|off|away from|in)\b"
    r"|\bwithout\b.*\bfrom\b|\bif\b.*\b(?:taken|cut|removed) (?:out|away|from|off)\b",
    re.I,
)


def _fits(parameter: Parameter, thing: Thing) -> bool:
    """Whether the kind of features is the one that an argument's name speaks of; so where nothing is known."""
    wanted = next((shape for shape in ("point", "line", "polygon") if shape in parameter.name), "")
    wanted = wanted or ("polygon" if parameter.name in ("zones", "mask", "areas") else "")
    return not wanted or not thing.shape or wanted == thing.shape


# Places, dates


def _places(wanted: Sequence[Parameter], said: Said, args: dict[str, Any]) -> None:
    names = {each.name for each in wanted}
    for span in said.of("point"):
        if span.value.lon is not None and {"lon", "lat"} <= names and "lon" not in args:
            args["lon"], args["lat"] = round(float(span.value.lon), 6), round(float(span.value.lat), 6)
            said.take(span.start, span.end)
    for span in said.of("bbox"):
        if span.value.bbox is not None and "bbox" in names and "bbox" not in args:
            args["bbox"] = [float(each) for each in span.value.bbox]
            said.take(span.start, span.end)
    slots = [
        each.name
        for each in wanted
        if each.kind == "text"
        and (
            each.name in ("place", "city", "country")
            or each.name.endswith("_place")
            or each.name in ("start_place", "end_place")
        )
    ]
    spans = said.of("place")
    for name, span in zip(slots, spans, strict=False):
        args[name] = resolved(span, said.situation).label
        said.take(span.start, span.end)
    if not slots and {"lon", "lat"} <= names and "lon" not in args and spans:
        place = resolved(spans[0], said.situation)
        args["lon"], args["lat"] = round(place.lon, 4), round(place.lat, 4)
        said.take(spans[0].start, spans[0].end)


_START = ("start", "start_date", "since", "date", "day", "first")
_END = ("end", "end_date", "until", "last", "other")


def _days(wanted: Sequence[Parameter], said: Said, args: dict[str, Any]) -> None:
    names = {each.name for each in wanted if each.kind == "text"}
    if not names & {*_START, *_END}:
        return
    found = dates(said.text, said.situation.today)
    start_name = next((each for each in _START if each in names), None)
    end_name = next((each for each in _END if each in names), None)
    if not found:
        return
    if len(found) == 1:
        ends = [(start_name, found[0].start), (end_name, found[0].end)]
    else:
        ends = [(start_name, found[0].start), (end_name, found[-1].end or found[-1].start)]
    for name, day in ends:
        if name is not None and day is not None:
            args[name] = day.isoformat()
    for each in found:
        said.take(each.start_index, each.end_index) if hasattr(each, "start_index") else None


# Choices, flags


def _choices(wanted: Sequence[Parameter], said: Said, args: dict[str, Any]) -> None:
    for each in wanted:
        if each.name in args:
            continue
        if each.kind == "choice" and len(each.choices) > 1:
            found = _chosen(each, said.text)
            if found:
                args[each.name] = found[0]
        elif each.kind == "choices":
            found = _chosen(each, said.text)
            if found:
                args[each.name] = found


_MEANS = {
    "mean": ("average", "avg"), "max": ("maximum", "highest", "largest", "greatest", "most"), "min": ("minimum", "lowest", "smallest", "least"),
    "std": ("standard deviation", "stdev", "spread"), "sum": ("total", "add up"), "count": ("number", "how many"), "median": ("middle",),
    "nearest": ("nearest neighbour", "nearest neighbor"), "ha": ("hectare", "hectares"), "km2": ("square kilometres", "square kilometers", "sq km", "km²"),
    "m2": ("square metres", "square meters", "m²"), "km": ("kilometres", "kilometers"), "m": ("metres", "meters"), "hex": ("hexagon", "hexagons", "hexagonal", "honeycomb"),
    "square": ("squares", "square grid", "boxes"), "h3": ("h3",), "true_colour": ("true color", "natural colour", "natural color", "rgb"),
    "false_colour": ("false color", "infrared", "cir"), "gpkg": ("geopackage",), "geotiff": ("tif", "tiff"), "cog": ("cloud optimized", "cloud optimised"),
    "refined_lee": ("refined lee",), "gamma_map": ("gamma map", "gamma-map"), "utm": ("utm",), "mgrs": ("mgrs",), "dms": ("degrees minutes seconds", "dms"),
    "decimal": ("decimal degrees",), "mi": ("miles",), "nmi": ("nautical miles",), "within": ("inside", "within"), "intersects": ("intersect", "touching", "overlap", "overlapping"),
    "contains": ("containing", "contain"),
}  # fmt: skip


def _chosen(parameter: Parameter, text: str) -> list[Any]:
    """The choices that a text names, by where they stand; of words within words the longest."""
    lowered = f" {text.lower().replace('_', ' ').replace('-', ' ')} "
    hits: list[tuple[int, int, Any]] = []
    for choice in parameter.choices:
        plain = str(choice).lower()
        spoken = plain.replace("_", " ").replace("-", " ")
        for word in (spoken, *_MEANS.get(plain, ())):
            match = re.search(rf"(?<![\w]){re.escape(word.replace('-', ' '))}(?![\w²])", lowered)
            if match and not (len(word) == 1 and word.isalpha()):
                hits.append((match.start(), match.end(), choice))
    kept = [
        hit
        for hit in hits
        if not any(o[0] <= hit[0] and hit[1] <= o[1] and o[1] - o[0] > hit[1] - hit[0] for o in hits)
    ]
    return list(dict.fromkeys(choice for _, _, choice in sorted(kept, key=lambda hit: hit[0])))


def _flags(wanted: Sequence[Parameter], said: Said, args: dict[str, Any]) -> None:
    for each in wanted:
        if each.kind == "flag" and each.name not in args:
            words = r"[\s_-]+".join(re.escape(word) for word in each.name.split("_"))
            match = re.search(
                rf"\b(?P<no>no|not|without|don'?t|do not)?\s*(?:\w+ )?\b{words}", said.text, re.I
            )
            if match:
                args[each.name] = not match["no"]


# Numbers


def _numbers(wanted: Sequence[Parameter], said: Said, args: dict[str, Any]) -> None:
    for each in wanted:
        if each.kind == "numbers" and each.name not in args:
            several = _listed_numbers(each, said)
            if several:
                args[each.name] = several
    single = [each for each in wanted if each.kind == "number" and each.name not in args]
    used = _numbers_in(args)
    left = [
        each for each in quantities(said.text, said.taken) if not used & {each.value, each.value * each.scale}
    ]
    waiting = [each for each in single if each.required] or single
    # What has its unit in its name first: "500 m" can be nothing else.
    for each in sorted(single, key=lambda each: (not each.unit, not each.required)):
        alone = (
            len([one for one in waiting if one.name not in args]) == 1 and each in waiting and each.required
        )
        found = _ordinal(each, said.text) or number_for(each, said.text, left, alone)
        if found is not None and _within(each, found):
            args[each.name] = converted(each, found)
            left = [one for one in left if one is not found]


def _numbers_in(args: dict[str, Any]) -> set[float]:
    """The numbers that arguments hold already: a number of a text is said for one of them."""
    plain = [each for value in args.values() for each in (value if isinstance(value, list) else [value])]
    numbers = {float(each) for each in plain if isinstance(each, int | float) and not isinstance(each, bool)}
    conditions = [str(args[name]) for name in ("where", "expression") if name in args]
    return numbers | {float(each) for each in re.findall(r"(?<!\w)\d*\.?\d+", " ".join(conditions))}


_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_COUNTED = frozenset({"number", "page", "rank", "position", "part", "first_page"})


def _ordinal(parameter: Parameter, text: str) -> Quantity | None:
    """ "The second table": for what is counted."""
    if parameter.name not in _COUNTED:
        return None
    match = re.search(rf"\b(?P<word>{'|'.join(_ORDINALS)})\b|\b(?P<digits>\d+)(?:st|nd|rd|th)\b", text, re.I)
    if match is None:
        return None
    value = _ORDINALS[match["word"].lower()] if match["word"] else int(match["digits"])
    return Quantity(match.start(), match.end(), value)


def _within(parameter: Parameter, found: Quantity) -> bool:
    value = converted(parameter, found)
    low = parameter.least is None or value >= parameter.least
    return low and (parameter.most is None or value <= parameter.most)


_LIST = r"-?\d+(?:\.\d+)?(?:\s*(?:,|/|and|&|-|\s)\s*-?\d+(?:\.\d+)?)*"


def _listed_numbers(parameter: Parameter, said: Said) -> list[float | int]:
    words = "|".join(re.escape(word) for word in (*parameter.words, parameter.name.rstrip("s")))
    match = re.search(rf"\b(?:{words})s?\b\W*(?:of|to|at|as|:|=)?\s*(?P<list>{_LIST})", said.text, re.I)
    if match is None:
        return []
    said.take(match.start(), match.end())
    numbers = [float(each) for each in re.findall(r"\d+(?:\.\d+)?", match["list"])]
    return [int(each) if each.is_integer() else each for each in numbers][: parameter.most_items]


# Texts


def _texts(wanted: Sequence[Parameter], said: Said, args: dict[str, Any]) -> None:
    for each in wanted:
        if each.name in args or each.kind not in ("text", "texts"):
            continue
        reader = next((read for names, read in READERS if each.name in names), None)
        found = reader(each, said) if reader else None
        if found is None and each.required and reader is None:
            found = quoted(each, said)
        if found is not None:
            args[each.name] = [found] if each.kind == "texts" and not isinstance(found, list) else found


__all__ = ["Ask", "Missing", "Said", "filled", "meant_by_name"]
