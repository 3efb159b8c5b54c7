"""Whether an expert's result can be right, by what the look saw; and what to try once where it can not.

Five checks: nothing found where presence was sure, a count far from the coarse one, an area out of
range, a pair of low correlation, and a guard that refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from copilot.vague.routing import Route
from copilot.vague.seen import Sight, number_of
from data.raster.errors import RasterError
from data.vision.look import named

LOWER_SCORE = 0.15
"""Least score of the second try where nothing was found."""
FAR = 0.5
"""A count further from the coarse one than this share of it, and than FEW, is far."""
FEW = 3
MUCH, LITTLE = 0.25, 0.005
"""A cover that the look gives so much of the image is not found on so little, nor the other way around."""
ALIKE = 0.2
"""The least correlation of a pair that was brought together."""
COVER_OF_TOOL = {
    "water_extraction": "water", "vegetation_extraction": "vegetation", "building_extraction": "building",
    "road_extraction": "paved ground",
}  # fmt: skip
DETECTORS = ("optical_detection", "horizontal_object_detection", "rotated_object_detection", "object_count")


@dataclass(frozen=True)
class Doubt:
    """Why a result can not be right, and what is tried instead."""

    kind: str
    """empty, count, area, pair or guard."""
    why: str
    """A sentence."""
    tool: str | None = None
    """The other expert, or the same; None where nothing else would help."""
    arguments: Mapping[str, Any] | None = None
    instead: str = ""
    """What is tried, in words."""


class Result(Protocol):
    """What a call came to; an event of the log is one."""

    @property
    def tool(self) -> str | None:
        """The expert."""

    @property
    def args(self) -> Any:
        """Its arguments."""

    @property
    def ok(self) -> bool:
        """Whether it worked."""

    @property
    def text(self) -> str:
        """What was said of it."""

    @property
    def data(self) -> Any:
        """The same as plain values."""


def doubt(event: Result, route: Route, look: Sight) -> Doubt | None:
    """Why a result is not believed; None for one that may be right.

    A try that failed for another reason than a guard is not doubted: its error says what would have worked.
    """
    if not event.ok:
        return _refused(event, route)
    checks: tuple[Callable[[Result, Sight], Doubt | None], ...] = (_count_or_empty, _area, _pair)
    return next((found for check in checks if (found := check(event, look)) is not None), None)


def _with(event: Result, **changes: Any) -> dict[str, Any]:
    return {**{key: value for key, value in (event.args or {}).items() if value is not None}, **changes}


def _count_or_empty(event: Result, look: Sight) -> Doubt | None:
    """Nothing found where presence was sure, or a number far from the coarse one."""
    if event.tool not in DETECTORS:
        return None
    wanted = {named(str(each)) for each in event.data.get("classes") or ()}
    found = int(event.data.get("count") or 0)
    sure = [thing for thing in look.things if thing in wanted]
    if not found and sure:
        why = f"the scene network is sure to see a {sure[0]}, and nothing was found"
        return Doubt("empty", why, event.tool, _with(event, min_score=LOWER_SCORE),
                     f"a least score of {LOWER_SCORE:g}")  # fmt: skip
    try:
        coarse = number_of(look, wanted)
    except RasterError:
        return None
    if abs(found - coarse) > max(FEW, FAR * coarse):
        why = f"{found:,} were found, where the look counts {coarse:,}"
        other = (
            "rotated_object_detection" if event.tool != "rotated_object_detection" else "optical_detection"
        )
        plain = {key: value for key, value in _with(event).items() if key in ("image", "classes", "anyway")}
        return Doubt("count", why, other, plain, f"{other} with the model's own least score")
    return None


def _area(event: Result, look: Sight) -> Doubt | None:
    """Much found of a cover where the look saw next to none, or none where it saw much."""
    cover = COVER_OF_TOOL.get(event.tool or "")
    percent = event.data.get("share_percent")
    if cover is None or not isinstance(percent, int | float):
        return None
    try:
        share, seen = float(percent) / 100.0, look.shares()[cover]
    except RasterError:
        return None
    if not (share <= LITTLE and seen >= MUCH) and not (share >= 2 * MUCH and seen <= LITTLE):
        return None
    why = f"{cover} was found on {share:.1%} of the image, where the look sees it on {seen:.0%}"
    if event.tool == "vegetation_extraction":
        method = "network" if event.data.get("model") != "land-cover-rgb" else "excess_green"
        return Doubt("area", why, event.tool, _with(event, method=method), f"the method {method}")
    plain = {"image": (event.args or {}).get("image")}
    return Doubt("area", why, "semantic_segmentation", plain, "semantic_segmentation of the whole image")


def _pair(event: Result, look: Sight) -> Doubt | None:
    """Two images that are hardly alike, or most of the ground changed."""
    if event.tool != "change_detection" or event.data.get("method") == "irmad":
        return None
    likeness, share = event.data.get("likeness"), event.data.get("share_percent")
    low = isinstance(likeness, int | float) and likeness < ALIKE
    much = isinstance(share, int | float) and share > 50.0
    if not low and not much:
        return None
    why = (
        f"the two images correlate by {likeness:.2f} only"
        if low
        else f"{share:.0f} % of the ground would have changed"
    )
    return Doubt("pair", why, "change_detection", _with(event, method="irmad"),
                 "IR-MAD, which light and season change less")  # fmt: skip


INSTEAD: dict[str, tuple[str, str]] = {
    "semantic_segmentation": ("land_use_classification", "spectral rules, which take coarser images"),
    "optical_detection": ("visual_question", "a question to the measured facts"),
    "building_damage_detection": ("change_detection", "a plain comparison of the two"),
    "object_count": ("visual_question", "a question to the measured facts"),
}
"""What stands in for an expert whose guard refused."""


def _refused(event: Result, route: Route) -> Doubt | None:
    """A guard that refused the image."""
    if "anyway=true" not in event.text:
        return None
    why = f"{event.tool} does not take this image"
    other = INSTEAD.get(event.tool or "")
    if other is None:
        return Doubt("guard", why)
    args = event.args or {}
    given: dict[str, Any]
    if other[0] == "visual_question":
        given = {
            "image": args.get("image"),
            "question": f"how many {route.asked.word or 'objects'}s are there",
        }
    else:
        given = {key: args[key] for key in ("image", "before", "after") if key in args}
    return Doubt("guard", why, other[0], given, other[1])
