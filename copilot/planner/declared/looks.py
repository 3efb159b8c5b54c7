"""What was looked at last, and which of the images at hand a few words mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copilot.planner.declared.things import year_of
from copilot.planner.situation import Call, PastTurn, Situation
from tools.toolbox import toolbox

_IMAGE = r"(?:image|picture|photo(?:graph)?|scene|shot|one|file|tile)"
_NO_LOOK = frozenset({"classify_image", "list_detections", "review_detection"})
"""Vision tools that say what an image is, or are about what was found before."""
_LEAVES = ("db_", "filter_", "show_image", "select_image", "group_count")
"""Calls that lead away from what was looked at, to the catalogue."""
PICTURED = ("image", "before", "after", "raster")
"""The arguments that images are given as."""


@dataclass(frozen=True)
class Look:
    """The last time that images were looked at: the calls, and what each came back with."""

    calls: tuple[Call, ...]
    data: tuple[Mapping[str, Any], ...] = ()

    @property
    def last(self) -> Call:
        """The call that the conversation is about."""
        return self.calls[-1]

    @property
    def facts(self) -> Mapping[str, Any]:
        """What that call came back with."""
        return self.data[-1] if self.data else {}

    @property
    def images(self) -> tuple[str, ...]:
        """The images that were looked at."""
        given = (each.args.get(name) for each in self.calls for name in PICTURED)
        return tuple(dict.fromkeys(str(each) for each in given if each))

    @property
    def found_objects(self) -> bool:
        """Whether it found objects, each with a class and a score."""
        return "detections" in toolbox().get(self.last.tool).gives


def is_look(tool: str) -> bool:
    """Whether a tool looks at the pixels of images."""
    return tool in toolbox() and toolbox().get(tool).category == "vision" and tool not in _NO_LOOK


def looks(past: Sequence[PastTurn]) -> Iterator[Look]:
    """The looks that were not taken back, newest first, as far as the conversation went on from them."""
    taken_back = 0
    for turn in reversed(past):
        tools = [each.tool for each in turn.calls]
        taken_back += tools.count("undo") - tools.count("redo")
        at = [number for number, tool in enumerate(tools) if is_look(tool)]
        if at and taken_back > 0:
            taken_back -= 1
        elif at:
            data = tuple(turn.data[number] for number in at) if len(turn.data) == len(tools) else ()
            yield Look(tuple(turn.calls[number] for number in at), data)
        elif any(tool.startswith(_LEAVES) for tool in tools):
            return


def last_look(past: Sequence[PastTurn]) -> Look | None:
    """The newest look; None where there was none, or the conversation has left it for the catalogue."""
    return next(looks(past), None)


def detections_with(class_name: str, situation: Situation) -> str | None:
    """The newest detections that hold a class and are still there; None where no look found any."""
    there = {each["id"] for each in situation.state["artifacts"]}
    for look in looks(situation.past):
        for data in reversed(look.data):
            if (data.get("by_class") or {}).get(class_name) and data.get("detections") in there:
                return str(data["detections"])
    return None


@dataclass(frozen=True)
class Image:
    """An image that was brought in."""

    ref: str
    name: str

    @property
    def year(self) -> int | None:
        """The year that its name tells."""
        return year_of(self.name)


def images_at_hand(situation: Situation) -> list[Image]:
    """The images that were brought in, the newest last; what was made of them is left out."""
    return [
        Image(str(each["id"]), str(each["name"]))
        for each in situation.state["artifacts"]
        if each["kind"] == "raster" and str(each["made_by"]).startswith("add_file")
    ]


_ORDINALS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "last": -1}
_OTHER = re.compile(rf"(?:the |that |an)?other(?: {_IMAGE})?|the (?:next|remaining) {_IMAGE}", re.I)
_ORDINAL = re.compile(rf"(?:the )?(?P<word>{'|'.join(_ORDINALS)})(?: {_IMAGE})?", re.I)
_OF_YEAR = re.compile(
    rf"(?:the )?(?:{_IMAGE} )?(?:of |from )?(?P<year>(?:19|20)\d\d)(?:'s)?(?: {_IMAGE})?", re.I
)
_YEAR_BEFORE = re.compile(
    rf"(?:the )?(?:{_IMAGE} )?(?:from |of )?(?:last year(?:'?s)?|the year before|a year (?:earlier|before|ago)|"
    rf"the previous year(?:'?s)?)(?: {_IMAGE})?",
    re.I,
)
_OLDER = re.compile(
    rf"(?:the )?(?:earlier|older|previous|oldest|earliest|before)(?: {_IMAGE})?|(?:the )?{_IMAGE} before",
    re.I,
)
_NEWER = re.compile(rf"(?:the )?(?:later|newer|newest|latest|after)(?: {_IMAGE})?", re.I)


def image_meant(words: str, situation: Situation, seen: Sequence[str] = ()) -> Image | None:
    """The image that some words, and nothing beside it, stand for; None for any other words.

    `seen` are the ids of those that were looked at last, which "the other one" and "last year's" start from.
    """
    text = words.strip(" ?.!,")
    here = images_at_hand(situation)
    if not text or not here:
        return None
    plain = re.sub(rf"^(?:the |my )|(?: {_IMAGE})$|\.(?:tiff?|png|jpe?g|jp2)$", "", text.lower())
    named = [each for each in here if plain in (each.name.lower(), each.name.lower().replace("_", " "))]
    if len(named) == 1 and plain:
        return named[0]
    others = [each for each in here if each.ref not in seen]
    if _OTHER.fullmatch(text):
        return others[-1] if others else None
    if match := _ORDINAL.fullmatch(text):
        at = _ORDINALS[match["word"].lower()]
        return here[at] if -len(here) <= at < len(here) else None
    if match := _OF_YEAR.fullmatch(text):
        return _only([each for each in here if each.year == int(match["year"])])
    now = next((each for each in here if each.ref in seen), here[-1])
    if _YEAR_BEFORE.fullmatch(text):
        return _before(now, here, 1)
    if _OLDER.fullmatch(text):
        return _before(now, here) or (here[here.index(now) - 1] if here.index(now) else None)
    if _NEWER.fullmatch(text):
        later = [each for each in here if each.year and now.year and each.year > now.year]
        return later[-1] if later else (here[-1] if here[-1] != now else None)
    return None


def means_another(words: str) -> bool:
    """Whether some words stand for another image than the one that was looked at, be it here or not."""
    text = words.strip(" ?.!,")
    return any(each.fullmatch(text) for each in (_OTHER, _YEAR_BEFORE, _OLDER, _NEWER, _OF_YEAR))


def _only(found: Sequence[Image]) -> Image | None:
    return found[0] if len(found) == 1 else None


def _before(now: Image, here: Sequence[Image], years: int | None = None) -> Image | None:
    """The newest image that is older, by the years of the names; of so many years before where that is said."""
    dated = [(each.year, each) for each in here if each.year and now.year and each.year < now.year]
    if years is not None:
        dated = [each for each in dated if now.year and each[0] == now.year - years]
    return max(dated, key=lambda each: each[0])[1] if dated else None
