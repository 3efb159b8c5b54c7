"""Tools that are for one kind of image: which is looked at first, and what is called instead for another kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from copilot.planner.answer_first import Done
from copilot.planner.situation import Call
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


def looked_at_first(call: Call, text: str, before: Sequence[Call]) -> list[Call]:
    """The look at an image that a call needs first; none where the words say what it is, or it was looked at."""
    image = call.args.get("image")
    if call.tool not in FOR_RADAR or LOOK not in toolbox() or _SAID.search(text) or image is None:
        return []
    if str(image).startswith("@") or any(each.args.get("image") == image for each in before):
        return []
    return [Call(LOOK, {"image": image})]


def for_its_modality(call: Call, done: Sequence[Done]) -> Call:
    """The call as it is, or the one for radar when the image was found to be that."""
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
    taken = toolbox().get(other).schema.get("properties", {})
    return Call(
        other, {name: value for name, value in call.args.items() if name in taken and name == "image"}
    )
