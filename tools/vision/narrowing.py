"""Some of what was found: by class, score, verdict, length and part of the image, and in what order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from state.model import State
from tools.base import ToolError, World
from tools.detections import Detections
from tools.phrases import listed, number, one_line
from tools.rasters import raster_of

Order = Literal["score", "unsure", "longest", "shortest"]
_NAMED = 3
"""How many detections are named of an order that was asked for."""
_ORDERS: Mapping[str, tuple[str, bool]] = {
    "score": ("score", False),
    "unsure": ("score", True),
    "longest": ("length_m", False),
    "shortest": ("length_m", True),
}
"""Order: the column that it goes by, and whether the smallest comes first."""


@dataclass(frozen=True)
class Wanted:
    """Which detections a list is to have; None asks for nothing."""

    class_name: str | None = None
    min_score: float | None = None
    below_score: float | None = None
    verdict: str | None = None
    min_length_m: float | None = None
    max_length_m: float | None = None
    part: str | None = None
    order: str | None = None


def narrowed(state: State, world: World, found: Detections, rows: Any, wanted: Wanted) -> Any:
    """The rows that are wanted, in the order that is. Raises ToolError where a list cannot tell them."""
    kept = rows
    if wanted.class_name is not None:
        kept = kept[same(class_now(kept), wanted.class_name)]
        if kept.empty:
            raise ToolError(no_class(found, wanted.class_name))
    if wanted.min_score is not None:
        kept = kept[kept["score"] >= wanted.min_score]
    if wanted.below_score is not None:
        kept = kept[kept["score"] < wanted.below_score]
    if wanted.verdict == "reviewed":
        kept = kept[kept["verdict"] != "unreviewed"]
    elif wanted.verdict is not None:
        kept = kept[kept["verdict"] == wanted.verdict]
    if wanted.part is not None and len(kept):
        kept = kept[_inside(state, world, found, kept, wanted.part)]
    sizes = wanted.min_length_m is not None or wanted.max_length_m is not None
    if (sizes or wanted.order in ("longest", "shortest")) and len(rows) and rows["length_m"].isna().all():
        raise ToolError(
            f"The image of {one_line(found.name)} has no place on the ground, so its objects have no lengths "
            "in metres; place_raster gives it one."
        )
    if wanted.min_length_m is not None:
        kept = kept[kept["length_m"] >= wanted.min_length_m]
    if wanted.max_length_m is not None:
        kept = kept[kept["length_m"] <= wanted.max_length_m]
    if wanted.order is not None:
        column, rising = _ORDERS[wanted.order]
        kept = kept.sort_values([column, "detection_id"], ascending=[rising, True], ignore_index=True)
    return kept


def _inside(state: State, world: World, found: Detections, rows: Any, part: str) -> Any:
    """Whether the middle of each lies in that half or quarter of the image, or near its own middle."""
    from data.raster.errors import RasterError
    from data.raster.files import opened

    sources = sorted({str(each) for each in found.frame["source"]})
    if len(sources) != 1:
        raise ToolError(
            f"{one_line(found.name)} comes from {len(sources)} images; leave 'part' out, which is of one."
        )
    try:
        with opened(raster_of(state, world, sources[0]).path) as image:
            across, down = rows["x_px"] / image.width, rows["y_px"] / image.height
    except RasterError as error:
        raise ToolError(str(error)) from None
    if part == "middle":
        return across.between(0.25, 0.75) & down.between(0.25, 0.75)
    kept = across.notna()
    if "left" in part or "right" in part:
        kept &= (across < 0.5) == ("left" in part)
    if "top" in part or "bottom" in part:
        kept &= (down < 0.5) == ("top" in part)
    return kept


def narrowing_said(rows: Any, wanted: Wanted) -> str:
    """What the list was narrowed to, and the first of an order that was asked for; nothing without either."""
    limits = []
    if wanted.part is not None:
        limits.append(f"in the {_PLACES.get(wanted.part, wanted.part + ' half')} of the image")
    if wanted.below_score is not None:
        limits.append(f"with a score below {number(wanted.below_score)}")
    if wanted.min_length_m is not None:
        limits.append(f"{number(wanted.min_length_m)} m long or more")
    if wanted.max_length_m is not None:
        limits.append(f"{number(wanted.max_length_m)} m long or less")
    said = f" These are the ones {listed(limits)}." if limits else ""
    if wanted.order is None or rows.empty:
        return said
    first = rows.head(_NAMED)
    names = [
        f"No. {row['detection_id']} ({one_line(str(row['class_name']))}, {_length(row['length_m'])}"
        f"score {row['score']:.2f})"
        for row in first.to_dict("records")
    ]
    return f"{said} {_FIRST[wanted.order]} {'is' if len(names) == 1 else 'are'} {listed(names)}."


_PLACES = {
    "top": "upper half",
    "bottom": "lower half",
    "middle": "middle",
    "top-left": "upper left quarter",
    "top-right": "upper right quarter",
    "bottom-left": "lower left quarter",
    "bottom-right": "lower right quarter",
}
_FIRST = {
    "score": "The surest",
    "unsure": "The least sure",
    "longest": "The longest",
    "shortest": "The shortest",
}


def _length(metres: float | None) -> str:
    return "" if metres is None or metres != metres else f"{metres:.1f} m long, "


def class_now(rows: Any) -> Any:
    """What each is by its review, else as it was found."""
    return rows["reviewed_class"].fillna(rows["class_name"])


def same(column: Any, name: str) -> Any:
    """Whether each is of that class, whatever its case."""
    return column.str.casefold() == name.strip().casefold()


def no_class(found: Detections, asked: str) -> str:
    """Why nothing of a class is there."""
    names = sorted(set(found.frame["class_name"]))
    return f"{found.handle} holds no {one_line(asked)!r}; its classes are {listed(names) or 'none'}."
