"""What a clause can mean by "it", "the NDVI", "my drawing" or "table-1a2b3c": the things at hand, and which is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from copilot.planner.declared.phrases import name_of, words_of
from copilot.planner.forms import FORMS, form_of
from copilot.planner.situation import Call, Situation
from data.readers.when import told_by_name
from tools.toolbox import toolbox

KINDS = ("raster", "vector", "detections", "table", "document", "figure")
_ID = re.compile(r"\b(?:raster|vector|detections|table|document|figure)-[0-9a-f]{4,64}\b")
_DRAWN = re.compile(
    r"\b(?:draw(?:n|ing|ings)?|drew|box i|polygon i|circle i|outlined?|my (?:box|polygon|circle|shape|area|outline|markers?|points?)|the (?:box|rectangle|circle|markers?))\b",
    re.I,
)
_SELECTED = re.compile(
    r"\b(?:selection|selected|(?:the|these|those|current|all) (?:images|footprints|scenes|results|rows|matches))\b",
    re.I,
)
_POINTED = re.compile(r"\b(?:it|its|this|that|these|those|them|result|output|there)\b", re.I)
_MADE = re.compile(r"\b(?:result|rest|outcome|remainder)\b", re.I)
"""What a tool made, rather than what was drawn."""
_GENERIC = frozenset(
    words_of(
        "layer file image raster scene picture vector polygon feature shape point line table data document result map "
        "band new value area copy one"
    )
)
"""Words that name a kind of thing, not one of them."""


@dataclass(frozen=True)
class Thing:
    """Something that a tool can work on."""

    kind: str
    ref: str
    """Its id, or "@3.raster" for what the third planned call will make."""
    name: str
    words: frozenset[str] = frozenset()
    """What tells it from others of its kind."""
    drawn: bool = False
    tool: str = ""
    """What made it."""
    shape: str = ""
    """For features: point, line or polygon, where that is known."""


def things_at_hand(situation: Situation) -> list[Thing]:
    """The session's artifacts and layers, the newest last."""
    found = [
        Thing(
            each["kind"],
            each["id"],
            each["name"],
            _telling(f"{each['name']} {each['made_by'].split('(')[0].removeprefix('add_file')}")
            | _year(each),
            tool=_maker(each, situation.state["artifacts"]),
            shape=_shape_in(f"{each['summary']} {each['made_by']}"),
        )
        for each in situation.state["artifacts"]
    ]
    known = {each.ref for each in found}
    for layer in situation.layers:
        named = Thing("", str(layer["id"]), str(layer["name"]), _telling(str(layer["name"])))
        if layer["kind"] == "drawing":
            shape = _SHAPES.get(str(layer.get("geometry", {}).get("type", "")), "polygon")
            words = named.words | _drawn_as(layer.get("geometry", {}))
            found.append(replace(named, kind="vector", words=words, drawn=True, shape=shape))
        elif layer.get("artifact") in known or layer["kind"] == "raster":
            # The layer of an artifact that may have been renamed: its name leads to the artifact.
            ref = str(layer.get("artifact") or layer["id"])
            kind = "raster" if layer["kind"] == "raster" else "vector"
            at = next((n for n, each in enumerate(found) if each.ref == ref), None)
            if at is None:
                found.append(Thing(kind, ref, named.name, named.words))
            else:
                found[at] = replace(found[at], words=found[at].words | named.words)
    if situation.selected and not any(each.kind == "raster" for each in found):
        found.append(Thing("raster", situation.selected, "selected image", tool=SELECTED_IMAGE))
    if situation.loaded:
        # First, so that it is the last to be meant where nothing is named.
        found.insert(0, Thing("vector", SELECTION, "selection", shape="polygon"))
    return found


def _maker(artifact: Mapping[str, Any], artifacts: Sequence[Mapping[str, Any]]) -> str:
    """What made an artifact; for a piece cut out of a mask or an index, what made that: it is no picture either."""
    tool = str(artifact["made_by"]).split("(")[0]
    if tool not in _CUTTING:
        return tool
    came_from = re.search(r"\((?:raster|image)=([\w-]+)", str(artifact["made_by"]))
    source = next((each for each in artifacts if came_from and each["id"] == came_from[1]), None)
    of = tool if source is None else _maker(source, artifacts)
    return tool if _is_picture(of) else of


def _year(artifact: Mapping[str, Any]) -> frozenset[str]:
    """The year that an image's name tells, as a word it can be called by."""
    said = year_of(str(artifact["name"])) if artifact["kind"] == "raster" else None
    return frozenset() if said is None else frozenset({str(said)})


def year_of(name: str) -> int | None:
    """The year in the name of a file: of 20190904, 2019-09 or 2019."""
    said = re.search(r"(?<!\d)((?:19|20)\d\d)(?:\d{4}|[-_]?\d\d(?:[-_]?\d\d)?)?(?!\d)", name)
    return int(said[1]) if said else None


SELECTION = "selection"
SELECTED_IMAGE = "select_image"
"""What an image of the catalogue that is looked at comes from: it may have pixels."""
_MEASURING = ("area_of", "length_of")
"""What points have none of."""
_ANSWERING = ("spatial_join", "nearest", "points_in_polygon")
"""Tools that answer a question of features: "it" is then still what the question was about."""
_SHAPES = {"Point": "point", "MultiPoint": "point", "LineString": "line", "MultiLineString": "line"}
_MAKES = {
    "centroid": "point",
    "contour_lines": "line",
    "buffer": "polygon",
    "grid_over": "polygon",
    "polygonize": "polygon",
}


def _drawn_as(geometry: Mapping[str, Any]) -> frozenset[str]:
    """What people call a drawing by its form, where that is not the word for any drawing."""
    form = form_of(geometry)
    return frozenset() if form in ("", "line", "polygon") else frozenset(words_of(FORMS[form]))


def _shape_in(text: str) -> str:
    """The kind of features that an artifact's summary, or the tool that made it, tells of."""
    made = next((shape for tool, shape in _MAKES.items() if f" {tool}(" in f" {text}"), "")
    said = re.search(r"\b(point|line|polygon)s?\b", text)
    return made or (said[1] if said else "")


def is_named(thing: Thing, text: str) -> bool:
    """Whether a text says a thing's name, or for what was made here a word of it: "the NDVI"."""
    name = thing.name.strip().lower()
    if thing.ref == SELECTION:
        return bool(_SELECTED.search(text))
    if thing.kind == "raster" and thing.tool not in ("", "add_file") and thing.words & set(words_of(text)):
        return True
    return (
        len(name) > 2
        and name not in _GENERIC
        and re.search(rf"\b{re.escape(name)}\b", text.lower()) is not None
    )


def is_of(thing: Thing, kind: str) -> bool:
    """Whether a thing can be used where that kind is wanted: detections are features too."""
    return thing.kind == kind or (kind == "vector" and thing.kind == "detections")


def made_by(call: Call, number: int, text: str, things: Sequence[Thing] = ()) -> list[Thing]:
    """What a planned call will make, by what it was called and by what it was asked with."""
    tool = toolbox().get(call.tool)
    said = " ".join(
        str(each) for each in call.args.values() if isinstance(each, str) and not each.startswith("@")
    )
    shape = _MAKES.get(call.tool) or next(
        (each.shape for each in things if each.ref == call.args.get("vector")), ""
    )
    words = _telling(f"{call.tool.replace('_', ' ')} {said} {text}")
    return [
        Thing(kind, f"@{number}.{kind}", name_of(call.tool), words, tool=call.tool, shape=shape)
        for kind in KINDS
        if kind in tool.gives
    ]


def meant(text: str, kind: str, things: Sequence[Thing], count: int = 1, tool: str = "") -> list[Thing]:
    """The things of a kind that a text means, in the order they are said; the newest where it names none.

    At most `count`; fewer when there are fewer. What siblings of `tool` made is meant only when it is named or
    pointed at: after the slope, the aspect is that of the heights again.
    """
    of_kind = [each for each in things if is_of(each, kind)]
    if tool in _MEASURING:
        measured = [each for each in of_kind if each.shape != "point" and each.tool not in _ANSWERING]
        of_kind = measured or of_kind
    if kind == "raster":
        of_kind = _scenes(text, of_kind, tool) or of_kind
    said = _said_by_id(text, of_kind)
    if kind == "vector" and len(said) < count:
        if not said and _DRAWN.search(text):
            said = [each for each in of_kind if each.drawn][-count:]
        if _SELECTED.search(text):
            said += [each for each in of_kind if each.ref == SELECTION]
    if len(said) < count:
        said = [*said, *(each for each in _said_by_name(text, of_kind) if each not in said)]
    if len(said) < count:
        others = [each for each in reversed(of_kind) if each not in said]
        if _MADE.search(text):
            others.sort(key=lambda each: each.drawn)
        if tool and not _POINTED.search(text):
            others.sort(key=lambda each: _siblings(each.tool, tool))
        rest = others[: count - len(said)]
        # "before and after", "the two": the older comes first.
        said = [*said, *(reversed(rest) if count > 1 and not said else rest)]
    if tool in _OF_PAIRS and all(told_by_name(each.name) for each in said[:count]):
        said[:count] = sorted(said[:count], key=lambda each: told_by_name(each.name))
    return said[:count]


_SCENE = re.compile(r"\b(?:scene|image|photo|satellite picture)\b(?! of the)", re.I)
_OF_COLOURS = frozenset(
    "spectral_index band_composite pansharpen cloud_mask toa_reflectance radiometric_calibration dark_object_subtraction".split()
)
"""Tools that work on the bands of a scene."""
_NO_SCENE = frozenset(
    "spectral_index band_composite raster_calc cloud_mask hillshade slope aspect viewshed proximity rasterize sieve".split()
)
"""Tools that make something else of a scene: an index, a picture, a mask."""


_CUTTING = frozenset("image_crop image_resize image_rotate image_enhance image_annotate raster_clip".split())
"""Tools that give a part of a picture, or another look of it. After a mask, "crop it" is of the picture still."""
_MASK = re.compile(r"\b(?:mask|class(?:es)?|land ?(?:cover|use)) ?(?:map|raster|mask)?\b", re.I)
_RESTORING = frozenset({"cloud_removal", "image_dehazing", "denoising", "super_resolution"})
"""Vision tools that give a picture for a picture."""


_OF_PAIRS = frozenset({"change_detection", "building_damage_detection", "image_similarity"})
"""Vision tools that compare two images."""


def _scenes(text: str, rasters: Sequence[Thing], tool: str) -> list[Thing]:
    """The rasters that are scenes, where one is called so or a tool works on a scene's bands."""
    if tool in _CUTTING and not _SCENE.search(text):
        if _MASK.search(text):
            return [each for each in rasters if not _is_picture(each.tool)]
        return [each for each in rasters if not _marks(each.tool) or each.ref in text or is_named(each, text)]
    if tool not in _OF_COLOURS and not _SCENE.search(text) and not _looks(tool):
        return list(rasters)
    found = [each for each in rasters if _is_picture(each.tool) or each.ref in text]
    if tool in _OF_PAIRS:
        # A picture that was made better is no other date of the one it came from.
        brought = [each for each in found if each.tool not in _RESTORING or each.name.lower() in text.lower()]
        return brought if len(brought) > 1 else found
    return found


def _is_picture(maker: str) -> bool:
    """Whether what a tool makes is a picture still: a vision tool marks pixels, unless it restores them."""
    return maker not in _NO_SCENE and not _marks(maker)


def _marks(maker: str) -> bool:
    """Whether a tool looks at an image and marks its pixels: with classes, and not with colours."""
    return _looks(maker) and maker not in _RESTORING


def _looks(tool: str) -> bool:
    """Whether a tool looks at an image."""
    return tool in toolbox() and toolbox().get(tool).category == "vision"


def _siblings(one: str, other: str) -> bool:
    """Whether two tools are of one family: declared in one module."""
    tools = toolbox()
    if one not in tools or other not in tools:
        return False
    return tools.get(one).function.__module__ == tools.get(other).function.__module__


def _said_by_id(text: str, things: Iterable[Thing]) -> list[Thing]:
    by_ref = {each.ref: each for each in things}
    return [by_ref[match[0]] for match in _ID.finditer(text) if match[0] in by_ref]


def _said_by_name(text: str, things: Sequence[Thing]) -> list[Thing]:
    """Things of which a telling word is said; of several with the same words the newest."""
    lowered = text.lower()
    places: list[tuple[int, float, Thing]] = []
    spoken = words_of(text)
    for number, each in enumerate(things):
        whole = re.search(rf"\b{re.escape(each.name.lower())}\b", lowered) if len(each.name) > 2 else None
        shared = [word for word in spoken if word in each.words]
        if whole or shared:
            at = whole.start() if whole else min(lowered.find(word) for word in shared)
            weight = 10.0 * bool(whole) + len(set(shared)) / (1 + len(each.words)) + 0.001 * number
            places.append((at, weight, each))
    best: dict[int, tuple[float, Thing]] = {}
    for at, weight, each in places:
        if at not in best or weight > best[at][0]:
            best[at] = (weight, each)
    return [best[at][1] for at in sorted(best)]


def _telling(text: str) -> frozenset[str]:
    return frozenset(words_of(text.replace("_", " ").replace("-", " "))) - _GENERIC
