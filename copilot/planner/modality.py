"""Tools that are for one kind of image: which is looked at first, and what is called instead for another kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from copilot.planner.answer_first import Done
from copilot.planner.situation import Call, PastTurn
from data.catalogue.base import Catalogue
from tools.toolbox import toolbox

LOOK = "classify_image"
"""The tool that tells optical from radar."""
FOR_RADAR: Mapping[str, str] = {
    "optical_detection": "sar_detection",
    "horizontal_object_detection": "sar_detection",
    "rotated_object_detection": "sar_detection",
    "object_count": "sar_detection",
    "optical_plane_type": "sar_plane_type",
}
"""Tools for optical images, and what does the like in a radar image."""
FOR_OPTICAL: Mapping[str, str] = {
    "sar_detection": "optical_detection",
    "sar_plane_type": "optical_plane_type",
}
"""Tools for radar images, and what does the like in an optical one."""
_SAID = re.compile(r"\b(?:optical|rgb|colou?r|aerial|photo\w*|sar|radar)\b", re.I)


def is_for_one_kind(tool: str) -> bool:
    """Whether a tool is for optical images alone, and another does the like in radar ones."""
    return tool in FOR_RADAR


_KIND_OF_IMAGE = re.compile(
    r"\b(?:sar|radar|optical|colou?r)(?: (?:satellite|aerial))? (?:image|picture|photo|scene|one|shot)\b"
    r"|\b(?:in|on|from|of) (?:the )?(?:sar|radar|optical)\b",
    re.I,
)
"""Words that tell one image from others by its kind."""


def looked_at_first(call: Call, text: str, before: Sequence[Call], images: Sequence[str] = ()) -> list[Call]:
    """The look at an image that a call needs first; none where the words say what it is, or it was looked at.

    Where the words tell one of several images by its kind, each of them is looked at, and the call goes to the one.
    """
    image = call.args.get("image")
    if len(images) > 1 and image in images and _KIND_OF_IMAGE.search(text) and LOOK in toolbox():
        return [Call(LOOK, {"image": each}) for each in images[-_MOST:]] if _is_of_a_kind(call.tool) else []
    if call.tool not in FOR_RADAR or LOOK not in toolbox() or _SAID.search(text) or image is None:
        return []
    if str(image).startswith("@") or any(each.args.get("image") == image for each in before):
        return []
    return [Call(LOOK, {"image": image})]


def image_looked_at(
    state: Mapping[str, Any], catalogue: Catalogue, past: Sequence[PastTurn]
) -> dict[str, Any] | None:
    """What is known of the image a request is said beside: the selected one, else the newest that was brought in.

    {"modality": "sar"}, by the catalogue or by a look in this conversation; None where nothing is known of one.
    """
    selected = state["ui"].get("selected_image")
    if selected is not None:
        row = catalogue.image(str(selected))
        return None if row is None or not row.get("modality") else {"modality": row["modality"]}
    brought = [each["id"] for each in state["artifacts"] if str(each["made_by"]).startswith("add_file")]
    for turn in reversed(past):
        for call, data in zip(turn.calls, turn.data, strict=False):
            if call.tool == LOOK and data.get("modality") and call.args.get("image") in brought[-1:]:
                return {"modality": data["modality"]}
    return None


_PLANES = {"plane"}
_MOST = 6
"""How many images are looked at to find the one of a kind."""


def _is_of_a_kind(tool: str) -> bool:
    return tool in FOR_RADAR or tool in FOR_OPTICAL


def _the_one_of_its_kind(call: Call, done: Sequence[Done]) -> Call:
    """The call with the image of its kind, where several were looked at right before it."""
    seen: dict[str, str] = {}
    for each in reversed(done):
        if each.call.tool != LOOK:
            break
        seen[str(each.call.args.get("image"))] = str(each.data.get("modality")).lower()
    image = str(call.args.get("image"))
    radar = call.tool in FOR_OPTICAL
    if len(seen) < 2 or image not in seen or (seen[image] == "sar") == radar:
        return call
    other = next((each for each, kind in seen.items() if (kind == "sar") == radar), None)
    return call if other is None else Call(call.tool, {**call.args, "image": other})


def for_its_modality(call: Call, done: Sequence[Done]) -> Call:
    """The call as it is, at the image of its kind of several, or the one for radar when the image was found to be that."""
    if _is_of_a_kind(call.tool):
        call = _the_one_of_its_kind(call, done)
    if call.tool not in FOR_RADAR:
        return call
    image = call.args.get("image")
    seen = next(
        (
            each.data.get("modality")
            for each in done
            if each.call.tool == LOOK and each.call.args.get("image") == image
        ),
        None,
    )
    if str(seen).lower() != "sar":
        return call
    other = FOR_RADAR[call.tool]
    if set(call.args.get("classes") or ()) == _PLANES:
        other = "sar_plane_type"  # the detector for radar knows ships alone
    taken = toolbox().get(other).schema.get("properties", {})
    return Call(
        other, {name: value for name, value in call.args.items() if name in taken and name == "image"}
    )
