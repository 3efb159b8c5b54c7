"""What is said after an image was looked at: another image, other settings, only some of it, how sure, and export.

A request is read so only where its words say nothing beside that; every other one is planned as if it came first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from copilot.planner.asking import Reject
from copilot.planner.declared.idioms.vision import CLASSES, told
from copilot.planner.declared.kinds import kinds_said, not_told_apart, own_class, untold
from copilot.planner.declared.looks import (
    Image,
    Look,
    detections_with,
    image_meant,
    images_at_hand,
    last_look,
    means_another,
)
from copilot.planner.declared.narrowing import narrowing
from copilot.planner.declared.settings import settings
from copilot.planner.declared.signature import parameters
from copilot.planner.declared.things import things_at_hand
from copilot.planner.declared.trust import asks_how_sure, trusted
from copilot.planner.modality import FOR_OPTICAL, LOOK, is_for_one_kind
from copilot.planner.situation import Call, Situation


@dataclass
class Following:
    """The calls that go on from a look, and what is said beside them."""

    calls: list[Call] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def followed(request: str, situation: Situation) -> Following | None:
    """The plan of a request that goes on from the last look at an image; None for one that does not.

    Raises Reject where what was looked at cannot give it.
    """
    text = request.strip()
    look = last_look(situation.past)
    if (compared := _compared(text, look, situation)) is not None:
        return compared
    if look is None:
        return None
    if (again := _asked_again(text, look, situation)) is not None:
        return again
    if (image := _another_image(text, look, situation)) is not None:
        return Following(list(_again_on(image, look)))
    if (said := trusted(text, look, situation)) is not None:
        listing = asks_how_sure(text) and look.found_objects and situation.last_artifact("detections")
        unsure = Call("list_detections", {**_narrowed_before(situation), "order": "unsure"})
        return Following([unsure] if listing else [], said)
    if look.found_objects and situation.last_artifact("detections") is not None:
        for reading in (_taken_away, _on_the_map, _reviewed, _some_of_it):
            if (following := reading(text, look, situation)) is not None:
                return following
    else:
        for reading in (_shown, _without_area, _part_of_it, _found_first):
            if (following := reading(text, look, situation)) is not None:
                return following
    if (changed := settings(text, look, situation)) is not None:
        return Following(list(_with(look, changed)))
    return None


# Another image


_LEAD = re.compile(
    r"^(?:(?:and|now|ok|okay|then|so|no|please|also|again|but|well|what about|how about|what of|how is it (?:for|in|on)|"
    r"(?:do |run |try )?(?:the |that )?same(?: again| thing| question)?(?: for| with| on| in| to)?|repeat (?:it|that|this)(?: for| on| with| in)?|"
    r"do (?:it|that|this)(?: for| on| with| in| to)?|try(?: it| that)?(?: on| with| for)?|look at|take|use|in|on|for|with|"
    r"(?:is|are|was|were) (?:there|it|they)(?: any)?(?: in| on)?|i (?:mean|meant|want))\b[,:]?\s*)+",
    re.I,
)
_TAIL = re.compile(r"[\s,]*\b(?:too|as well|please|now|then|again|instead|say|show|have|look like)\W*$", re.I)
_DOES = re.compile(r"^what does (?P<image>.+?) (?:show|say|have|look like)\W*$", re.I)


def _another_image(text: str, look: Look, situation: Situation) -> Image | None:
    """The image that a request names and nothing else: "and the other one?", "same for harbour"."""
    does = _DOES.match(text)
    rest = does["image"] if does else _TAIL.sub("", _LEAD.sub("", text))
    if rest == text.strip(" ?.!") and not re.match(r"(?:the |that )?other\b", text, re.I):
        return None  # a bare name asks for nothing
    image = image_meant(rest, situation, look.images)
    if image is None and means_another(rest):
        raise Reject(_no_such_image(situation))
    return image


def _no_such_image(situation: Situation) -> str:
    here = [each.name for each in images_at_hand(situation)]
    there = (
        f"The only image here is {here[0]}"
        if len(here) == 1
        else f"The images here are {', '.join(here[-8:])}"
    )
    return f"{there}, and I can't tell which other one you mean; name it, or attach it."


_COMPARES = re.compile(
    r"^(?:and |now |please |can you |could you |then )*compare (?:(?:it|this|that|them|this one) )?(?:with|to|and|against) (?P<image>.+?)\W*$",
    re.I,
)


def _compared(text: str, look: Look | None, situation: Situation) -> Following | None:
    """ "Compare it with last year's": the change between two images of one place, the older first."""
    match = _COMPARES.match(text)
    if match is None or situation.loaded or not (here := images_at_hand(situation)):
        return None
    seen = look.images if look is not None else (here[-1].ref,)
    now = next((each for each in here if each.ref in seen), here[-1])
    other = image_meant(match["image"], situation, (now.ref,))
    if other is None:
        if means_another(match["image"]):
            raise Reject(_no_such_image(situation))
        return None
    pair = sorted((now, other), key=lambda each: (each.year or 0, here.index(each)))
    return Following([Call("change_detection", {"before": pair[0].ref, "after": pair[1].ref})])


_INVENTED = re.compile(
    r"\b(?:which|what|how (?:much|many)|where|is|are|any)\b.*\b(?:made[- ]?up|invented|guess\w*|fake\w*|filled(?: in)?|not real|real)\b",
    re.I,
)
"""What a restored picture has that was not seen; the tool's own answer says it."""
_STATES = re.compile(
    r"\b(?:which|where|what|how many|show|list)\b.*\b(?:worst|hardest|hit|fine|ok(?:ay)?|intact|unharmed|undamaged|standing|survived|safe|lost|gone|badly)\b",
    re.I,
)


def _asked_again(text: str, look: Look, situation: Situation) -> Following | None:
    """The pair once more where a question is about the same look: its answer counts the levels and names the worst."""
    if look.last.tool == "cloud_removal" and _INVENTED.search(text):
        return Following([look.last])
    if "before" not in look.last.args:
        return None
    things = things_at_hand(situation)
    names = [each.name.lower() for each in images_at_hand(situation)]
    same = told(text, things) == look.last.tool and not any(each in text.lower() for each in names)
    about_damage = look.last.tool == "building_damage_detection" and _STATES.search(text) is not None
    return Following([look.last]) if same or about_damage else None


def _again_on(image: Image, look: Look) -> Iterator[Call]:
    """The look once more at another image; where it was for one kind of image, that one's kind is told first."""
    seen = False
    for call in look.calls:
        if "image" not in call.args:
            continue
        tool = FOR_OPTICAL.get(call.tool, call.tool)
        taken = {each.name: each for each in parameters(tool)}
        args = {name: value for name, value in call.args.items() if _goes_along(taken, name)}
        if call.tool == "sar_detection":
            args["classes"] = ["ship"]
        if is_for_one_kind(tool) and not seen:
            seen = True
            yield Call(LOOK, {"image": image.ref})
        yield Call(tool, {"image": image.ref, **args})


def _goes_along(taken: Mapping[str, Any], name: str) -> bool:
    """Whether an argument holds for another image as well: what was made of the first one does not."""
    return name in taken and not taken[name].handle


def _with(look: Look, changed: Mapping[str, Any]) -> Iterator[Call]:
    """The last look once more, at each image that it was at, with some arguments changed."""
    for call in look.calls:
        if call.tool == look.last.tool:
            args = {name: value for name, value in call.args.items() if name != "detections"}
            yield Call(call.tool, {**args, **changed})


# What was found


_HOW_MANY = re.compile(
    r"^(?:so |and |ok,? |well,? |but )*how many(?: (?:are there|is that|are they|are those|did you find|now|then|in all|in total|altogether|do we have))*\W*$",
    re.I,
)


_UNREVIEWED = re.compile(
    r"^(?:so |and |ok,? |well,? |but )*(?:which|what|who|how many)(?: ones?| of them)?(?: (?:is|are)|'s)"
    r"(?: still)? left(?: to (?:review|check|look at|do))?\W*$",
    re.I,
)


def _some_of_it(text: str, look: Look, situation: Situation) -> Following | None:
    """Some of the detections; a class that no look found is looked for."""
    if _HOW_MANY.match(text):
        return Following([Call("list_detections")])
    if _UNREVIEWED.match(text):
        return Following([Call("list_detections", {"verdict": "unreviewed"})])
    some = narrowing(text)
    if some is None:
        return None
    newest = look.facts.get("by_class") or {}
    wanted = some.args.get("class_name")
    _told_kinds(text, some.args, newest, situation, some.notes)
    if wanted is not None and wanted not in newest:
        if (holding := detections_with(wanted, situation)) is not None:
            some.args["detections"] = holding
        elif set(some.args) == {"class_name"} and any(
            each.name == "classes" for each in parameters(look.last.tool)
        ):
            return Following(list(_with(look, {"classes": [wanted]})))
    return Following([Call("list_detections", some.args)], some.notes)


def _told_kinds(
    text: str, args: dict[str, Any], found: Iterable[str], situation: Situation, notes: list[str]
) -> None:
    """Take a kind of a class for what it was called in a review, or else say that it is not told from the others."""
    for kind in kinds_said(text):
        if args.get("class_name") == kind.class_name:
            own = own_class(kind, found, situation)
            if own is None:
                notes.append(untold(kind))
            else:
                args["class_name"] = own


_OUTLINES = re.compile(
    r"^(?:and |ok,? |please |now )*(?:outline|draw|show|see|put|zoom to|go to|where (?:is|are)) (?:me )?(?:it|them|that|those|these|they)(?: for me)?(?: on the map)?\W*$",
    re.I,
)


def _shown(text: str, look: Look, situation: Situation) -> Following | None:
    """The outlines or the mask that a look made, which its layers show already: the map goes there."""
    made = {str(look.facts[name]) for name in ("vector", "raster") if look.facts.get(name)}
    if not _OUTLINES.match(text) or not made:
        return None
    layers = [each for each in situation.layers if each.get("artifact") in made]
    if not layers:
        raise Reject(
            "What was found has no place on the map, since the image says not where it lies; place_raster gives it one."
        )
    return Following([Call("fit_layer", {"layer": layers[-1]["id"]})])


_AREA = re.compile(
    r"\b(?:square (?:k?ilo)?met\w+|m2|km2|m²|km²|hectares?|ha|acres?|how (?:big|large)|area)\b", re.I
)


def _without_area(text: str, look: Look, situation: Situation) -> Following | None:
    """Why there is no area: an image without a place has pixels alone."""
    pointed = re.search(r"\b(?:it|that|this|they|them|those|these)\b", text, re.I)
    if not (_AREA.search(text) and pointed and "area_m2" in look.facts and look.facts["area_m2"] is None):
        return None
    raise Reject(
        "The image says not where it lies or how large its pixels are, so areas are known in pixels alone; place_raster "
        "gives it a place, and looking again then gives square metres."
    )


def _found_first(text: str, look: Look, situation: Situation) -> Following | None:
    """Some of the objects that a question was about: they are found first, since only counted or named so far."""
    some = narrowing(text)
    question, image = look.last.args.get("question"), look.last.args.get("image")
    if some is None or not question or image is None:
        return None
    calls = list(found_of(str(question), str(image)))
    return Following([*calls, Call("list_detections", some.args)], some.notes) if calls else None


def found_of(question: str, image: str) -> Iterator[Call]:
    """The look that finds the objects a question names; nothing where it names none."""
    classes = [name for name, words in CLASSES if re.search(rf"\b(?:{words})\b", question, re.I)]
    if classes:
        yield Call(LOOK, {"image": image})
        yield Call("optical_detection", {"image": image, "classes": classes})


_FORMATS = (
    ("export_geojson", r"geo-?json"),
    ("export_geoparquet", r"geo-?parquet|parquet"),
    ("export_csv", r"csv|spreadsheet|comma separated\w*"),
    ("export_xlsx", r"xlsx|excel"),
)
_TAKES = re.compile(r"\b(?:export|save|download|write|store|send|give me|get me|put|hand)\b", re.I)
_OF_IT = re.compile(
    r"\b(?:it|that|this|them|these|those|detections?|verdicts?|reviews?|results?|boxes|objects?|findings?|everything|all|list|reviewed|confirmed|rejected)\b",
    re.I,
)


def _taken_away(text: str, look: Look, situation: Situation) -> Following | None:
    """The detections with their verdicts as files."""
    formats = [tool for tool, words in _FORMATS if re.search(rf"\b(?:{words})\b", text, re.I)]
    named = [name for name, words in CLASSES if re.search(rf"\b(?:{words})\b", text, re.I)]
    if not formats or not _TAKES.search(text) or not (named or _OF_IT.search(text)):
        return None
    args = _narrowed_before(situation)
    if len(named) == 1 and (holding := detections_with(named[0], situation)) is not None:
        args |= {"class_name": named[0], "detections": holding}
    if verdict := re.search(
        r"\b(?:only|just|the)\b.*\b(confirmed|rejected|relabelled|reviewed|unreviewed)\b", text, re.I
    ):
        args["verdict"] = verdict[1].lower()
    files = [Call(tool, {"table": "@1.table"}) for tool in formats]
    notes: list[str] = []
    _told_kinds(text, args, look.facts.get("by_class") or {}, situation, notes)
    return Following([Call("list_detections", args), *files], notes)


def _narrowed_before(situation: Situation) -> dict[str, Any]:
    """How the list was narrowed last, since the look; nothing where it was not."""
    for turn in reversed(situation.past):
        for call in reversed(turn.calls):
            if call.tool == "list_detections":
                return {name: value for name, value in call.args.items() if name not in ("limit", "order")}
            if call.tool == "review_detection" or "detections" in _gives(call.tool):
                return {}
    return {}


def _gives(tool: str) -> Sequence[str]:
    from tools.toolbox import toolbox

    return toolbox().get(tool).gives if tool in toolbox() else ()


_WHERE = re.compile(
    r"^(?:and |so |but |ok,? )*(?:where (?:are|is) (?:they|those|these|it|that)(?: (?:all|exactly))?(?: on the map)?|"
    r"(?:show|put|zoom(?: in)? (?:to|on)|go to|see) (?:them|those|these|it|the detections|me where they are)(?: all)?(?: on the map)?|"
    r"where on the map (?:are|is) (?:they|those|these|it))\W*$",
    re.I,
)
_TO_ONE = re.compile(
    r"^(?:and |now |ok,? |please )*(?:zoom|fly|go|centre|center|move|jump)(?: the map)?(?: in)?(?: to| on| onto| at| over)? (?P<one>.+?)\W*$",
    re.I,
)


def _on_the_map(text: str, look: Look, situation: Situation) -> Following | None:
    """Where they are: the map on all of them, or on the one that some words order to the front."""
    to_one = _TO_ONE.match(text)
    some = narrowing(to_one["one"]) if to_one else None
    if not _WHERE.match(text) and (some is None or "order" not in some.args):
        return None
    found = situation.last_artifact("detections")
    layer = next((each for each in situation.layers if each.get("artifact") == found), None)
    if layer is None:
        name = next((each["name"] for each in situation.state["artifacts"] if each["id"] == found), "that")
        raise Reject(
            f"{name} has no place on the map: the image says not where it lies, so only its pixels say where things "
            "are; place_raster gives it a place, and looking again then shows them."
        )
    if some is None:
        return Following([Call("fit_layer", {"layer": layer["id"]})])
    view = {"lon": "@1.leading.lon", "lat": "@1.leading.lat", "zoom": 19}
    return Following([Call("list_detections", {**some.args, "limit": 1}), Call("set_view", view)])


_VERDICT = {
    "confirm": r"confirm|accept|approve|keep",
    "reject": r"reject|drop|remove|delete|discard|dismiss|throw (?:out|away)|get rid of",
}
_REST = re.compile(r"\b(?:the |all (?:the )?)?(?:rest|others?|remaining(?: ones)?|everything else)\b", re.I)
_CUT = re.compile(
    r"\s*(?:,|;|\band\b|\bbut\b|\bthen\b)+\s*(?=(?:confirm|accept|approve|reject|drop|dismiss|keep|mark)\b)",
    re.I,
)


def _reviewed(text: str, look: Look, situation: Situation) -> Following | None:
    """Verdicts on numbers, on a range of scores and on the rest: "reject 3 and confirm the others"."""
    calls = []
    for each in _CUT.split(text):
        verdict = next(
            (
                name
                for name, words in _VERDICT.items()
                if re.match(rf"\W*(?:please )?(?:{words})\b", each, re.I)
            ),
            None,
        )
        if re.match(r"\W*mark\b", each, re.I):
            verdict = "reject" if re.search(r"\b(?:false|wrong|no|not)\b", each, re.I) else "confirm"
        if verdict is None:
            return None
        rest = re.sub(
            rf"\b(?:please|{_VERDICT[verdict]}|mark|false (?:alarms?|positives?)|wrong|right|correct|true|as|a)\b",
            " ",
            each,
            flags=re.I,
        )
        numbers = [int(one) for one in re.findall(r"(?<![\d.])#?(\d{1,6})(?![\d.%])", rest)]
        if _REST.search(rest) and not numbers:
            calls.append(Call("review_detection", {"verdict": verdict, "from_score": 0.0}))
        elif (some := narrowing(rest)) is not None and set(some.args) <= {
            "class_name",
            "min_score",
            "below_score",
        }:
            _one_class(rest, some.args)
            calls.append(Call("review_detection", {"verdict": verdict, **_as_filters(some.args)}))
        elif numbers and not re.search(
            r"[a-z]{3,}", re.sub(r"\b(?:and|numbers?|nos?|detections?|the|one)\b", "", rest.lower())
        ):
            calls.append(
                Call(
                    "review_detection",
                    {"verdict": verdict, "detection_id": numbers[0] if len(numbers) == 1 else numbers},
                )
            )
        else:
            return None
    return Following(calls) if calls else None


def _one_class(text: str, args: Mapping[str, Any]) -> None:
    """Raise Reject for a kind that is not told from the others of its class: a verdict would be on all of them."""
    for kind in kinds_said(text):
        if args.get("class_name") == kind.class_name:
            raise Reject(not_told_apart(kind))


def _as_filters(args: Mapping[str, Any]) -> dict[str, Any]:
    names = {"class_name": "found_as", "min_score": "from_score"}
    return {names.get(name, name): value for name, value in args.items()}


# A part of the image


def _part_of_it(text: str, look: Look, situation: Situation) -> Following | None:
    """The look again at a half, a quarter or the middle of the image, cut out of it."""
    some = narrowing(text)
    image = look.last.args.get("image")
    if some is None or set(some.args) != {"part"} or image is None:
        return None
    again = Call(look.last.tool, {**look.last.args, "image": "@1.raster"})
    return Following([Call("image_crop", {"raster": image, **some.args}), again], some.notes)


__all__ = ["Following", "followed", "found_of"]
