"""Looks at the data before a workflow runs, and puts in front what they need.

A spoiled image seldom makes a step fail; it makes its result wrong. So what a workflow is given is measured
(`looking`), and what is far outside of what such data have is put right by the tool that is for it, as a
change of the graph that is noted and shown. A workflow that takes care of it itself, and one whose subject is
the preparation or the picture, is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from copilot.workflows import looking
from copilot.workflows.changing import Change, changed, noted
from copilot.workflows.facts import known
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import WorkflowError
from tools.conditions import Thing

if TYPE_CHECKING:
    from copilot.session import Session
    from state.model import State
    from tools.base import World

_LEFT_ALONE = ("preprocessing", "visualisation")
_CARED_FOR: Mapping[str, tuple[str, ...]] = {
    "shapes": ("make_valid",),
    "names": ("name_bands",),
    "place": ("place_raster", "orthorectify_rpc"),
    "scale": ("toa_reflectance", "radiometric_calibration"),
    "gaps": ("fill_nodata",),
    "noise": ("denoising",),
    "speckle": ("speckle_filter", "denoising"),
    "haze": ("image_dehazing", "dark_object_subtraction"),
    "cloud": ("cloud_removal", "cloud_mask", "cloud_detection"),
    "contrast": ("histogram_match",),
    "shift": ("coregister", "orthorectify_rpc"),
}
"""What is looked for, in the order in which it is put right, and the tools that show that a workflow does."""


@dataclass(frozen=True)
class Finding:
    """What is wrong with one of the data, and a tool that is put in front of it."""

    name: str
    input: str
    said: str
    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True)
class _Seen:
    """One of the data: what is known of it, and its file."""

    name: str
    thing: Thing
    path: Path

    @property
    def stamp(self) -> int:
        return self.path.stat().st_mtime_ns

    @property
    def kind(self) -> frozenset[str]:
        return frozenset(self.thing.modality) & {"optical", "picture", "radar"}

    def grid(self) -> looking.Grid:
        return looking.grid_of(self.path, self.stamp)

    def middle(self, bands: int = 1) -> NDArray[np.float64]:
        return looking.middle(self.path, self.stamp, bands)

    def coarse(self) -> NDArray[np.float64]:
        return looking.coarse(self.path, self.stamp)


def prepared(session: Session, instance: Instance, turn: int | None = None) -> Instance:
    """The instance with what its data need put in front, each a call on the record where it is one itself."""
    if instance.workflow.field in _LEFT_ALONE:
        return instance
    for each in findings(session.state, session.world(), instance):
        change = Change("insert", "", each.input, tool=each.tool, args=each.args)
        instance = with_change(session, instance, change, each.said, turn)
    return instance


def findings(state: State, world: World, instance: Instance) -> tuple[Finding, ...]:
    """What is wrong with the data that a workflow is given, in the order in which it is put right."""
    there = {each.tool for each in instance.workflow.steps}
    data = [
        _Seen(name, known(state, world, handle, world.log), path)
        for name, handle in instance.inputs.items()
        if (path := _path(state, world, handle)) is not None
    ]
    rasters = [each for each in data if each.thing.kind == "raster"]
    made = [found for each in rasters for found in (*_alone(each), *_beside(each, data))]
    made += [found for each in data if each.thing.kind == "vector" for found in _shapes(each)]
    # Snow that melts between two dates is white as clouds are.
    white = {"cloud"} if instance.workflow.field == "snow_ice" else set()
    wanted = [each for each in made if not there & set(_CARED_FOR[each.name]) and each.name not in white]
    order = list(_CARED_FOR)
    return tuple(sorted(wanted, key=lambda each: order.index(each.name)))


def _path(state: State, world: World, handle: str) -> Path | None:
    from tools.base import ToolError
    from tools.rasters import raster_of

    artifact = state.artifact(handle)
    if artifact is not None and artifact.kind != "raster":
        return world.artifacts.find(handle)
    try:
        return raster_of(state, world, handle).path
    except ToolError:
        return None


def with_change(
    session: Session, instance: Instance, change: Change, because: str, turn: int | None
) -> Instance:
    """The instance with a change that no failure asked for, noted; a call where the workflow is on record.

    Itself where the change cannot be made.
    """
    try:
        after = changed(instance, change)
        after.workflow.order()
    except WorkflowError:
        return instance
    if session.state.artifact(instance.id) is not None:
        told = {"workflow": instance.id, "change": change.to_json(), "because": because[:200]}
        if not session.call_tool("workflow_adjust", told, source="workflow", turn=turn).ok:
            return instance
    return noted(instance, after, change, because=because[:200])


# -- one by itself -----------------------------------------------------------------------------------


def _shapes(seen: _Seen) -> Iterator[Finding]:
    frame = _frame(seen)
    broken = 0 if frame is None else int((~frame.geometry.is_valid).sum())
    if broken:
        said = f"{broken} of the shapes of {seen.name} cross themselves"
        yield Finding("shapes", seen.name, said, "make_valid", {"vector": "$@"})


def _alone(seen: _Seen) -> Iterator[Finding]:
    name, thing = seen.name, seen.thing
    modality = set(thing.modality)
    if modality & {"classes", "mask", "index"}:
        return
    values = seen.middle()[0]
    gaps = looking.gaps_pct(values)
    if gaps >= looking.GAPS_PCT:
        said = f"{gaps:.0f} % of {name} are gaps between pixels that have values"
        yield Finding("gaps", name, said, "fill_nodata", {"raster": "$@"})
    if "radar" in modality:
        even = looking.looks(values)
        if "decibel" not in thing.level and even < looking.FEWEST_LOOKS and "despeckled" not in thing.done:
            said = f"{name} has the speckle of {even:.1f} looks"
            yield Finding("speckle", name, said, "speckle_filter", {"raster": "$@"})
    elif (noise := looking.noise(values)) > looking.NOISY and "denoised" not in thing.done:
        said = f"noise makes up {100 * noise:.0f} % of the spread of {name}"
        yield Finding("noise", name, said, "denoising", {"image": "$@"})
    if modality & {"optical", "picture"} and "dehazed" not in thing.done:
        clear = looking.transmission(seen.path, seen.stamp)
        if clear < looking.CLEAREST_HAZE:
            said = f"haze lets {100 * clear:.0f} % of the light of {name} through"
            yield Finding("haze", name, said, "image_dehazing", {"image": "$@"})


# -- beside another ----------------------------------------------------------------------------------


def _beside(seen: _Seen, data: list[_Seen]) -> Iterator[Finding]:
    """What only another raster of the same ground tells; the later is held to the earlier."""
    rasters = [each for each in data if each.thing.kind == "raster"]
    others = [each for each in rasters if each.name != seen.name]
    for other in others:
        found = [*_place(seen, other, data), *_names(seen, other)]
        yield from found
        if found:
            return
    for other in others:
        same = bool(seen.kind & other.kind) and bool(seen.thing.grid_of)
        if same and seen.thing.grid_of == other.thing.grid_of:
            earlier = rasters.index(other) < rasters.index(seen)
            yield from _dates(seen, other, earlier)
            return


def _place(seen: _Seen, other: _Seen, data: list[_Seen]) -> Iterator[Finding]:
    """For one that lies nowhere, or apart from all data: the place of one of its size that shows its ground.

    Where two lie apart and nothing else says which of them lies wrong, a person has to.
    """
    mine, theirs = seen.grid(), other.grid()
    if theirs.bounds is None or (mine.width, mine.height) != (theirs.width, theirs.height):
        return
    if mine.count != theirs.count:
        return
    if mine.bounds is not None:
        rest = [box for each in data if each not in (seen, other) and (box := _box(each)) is not None]
        meets = [_meet(mine.bounds, each) for each in (theirs.bounds, *rest)]
        if any(meets) or not any(_meet(theirs.bounds, each) for each in rest):
            return
    if not looking.same_ground(seen.middle(3), other.middle(3)):
        return
    where = "lies nowhere" if mine.bounds is None else f"lies wholly apart from {other.name}"
    said = f"{seen.name} {where} and shows the ground of {other.name}"
    place = [float(f"{each:.9g}") for each in theirs.bounds]
    yield Finding("place", seen.name, said, "place_raster", {"raster": "$@", "bbox": place})
    yield Finding("place", seen.name, said, "raster_reproject", {"raster": "$@", "like": f"${other.name}"})


def _box(seen: _Seen) -> tuple[float, ...] | None:
    """Where one of the data lies, degrees; None where it lies nowhere."""
    if seen.thing.kind == "raster":
        return seen.grid().bounds
    from pyproj.exceptions import ProjError

    frame = _frame(seen)
    if frame is None or frame.crs is None:
        return None
    try:
        return tuple(frame.to_crs("EPSG:4326").total_bounds)
    except ProjError:  # a system of its own, without a way to degrees
        return None


def _frame(seen: _Seen) -> Any:
    """The features of one of the data; None where they cannot be read: the step that takes them says so."""
    from copilot.workflows.quality import frame_of

    try:
        return frame_of(seen.path)
    except Exception:  # each format's reader raises its own, and looking must never end a run
        return None


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) > max(one[1], other[1])


def _names(seen: _Seen, other: _Seen) -> Iterator[Finding]:
    """Bands without names, or in another order than their names say, by those of the other date."""
    mine, theirs = seen.grid(), other.grid()
    named = [each for each in theirs.names if each]
    if len(set(named)) != theirs.count or mine.count != theirs.count or theirs.count < 2:
        return
    if any(mine.names) and set(mine.names) != set(theirs.names):
        return
    if mine.bounds is None or theirs.bounds is None or not _meet(mine.bounds, theirs.bounds):
        return
    if any(mine.names):  # its bands, in the order in which the other has them
        now = [mine.names.index(each) for each in theirs.names]
        order = looking.order_of_bands(seen.coarse()[now], other.coarse())
        if order == tuple(range(len(order))) or not _is_worse_named(seen, other):
            return
        at = [now[each] for each in order]
        said = f"the bands of {seen.name} are in another order than their names say, beside {other.name}"
    else:
        at = list(looking.order_of_bands(seen.coarse(), other.coarse()))
        said = f"nothing says what the bands of {seen.name} are, and {other.name} has as many"
    bands = {name: band + 1 for name, band in zip(theirs.names, at, strict=True)}
    yield Finding("names", seen.name, said, "name_bands", {"raster": "$@", "bands": bands, "in_place": True})


def _is_worse_named(seen: _Seen, other: _Seen) -> bool:
    """Of two whose bands disagree: whether its neighbours by wavelength are less alike than the other's."""
    from data.raster.bands import COMMON_NAMES

    by_wavelength = [each for each in COMMON_NAMES if each in other.grid().names]
    mine, theirs = (
        looking.adjacency(each.coarse()[[each.grid().names.index(name) for name in by_wavelength]])
        for each in (seen, other)
    )
    return mine < theirs


def _dates(seen: _Seen, other: _Seen, earlier: bool) -> Iterator[Finding]:
    """`earlier`: whether the other came first."""
    mine, held = seen.middle(), other.middle()
    if mine.shape != held.shape:
        return
    if "radar" not in seen.kind:
        yield from _scale(seen, other)
        white, there = looking.white_pct(seen.middle(3)), looking.white_pct(other.middle(3))
        if white >= looking.CLOUDED_PCT > there:
            said = f"{white:.0f} % of {seen.name} are white as clouds and {other.name} is clear"
            args = {"image": "$@", "others": [f"${other.name}"]}
            yield Finding("cloud", seen.name, said, "cloud_removal", args)
        if _is_scaled(seen, other) or _is_scaled(other, seen):
            return  # the contrast of whole numbers beside that of parts of one says nothing
    ratio = float(np.nanstd(mine) / max(float(np.nanstd(held)), 1e-12))
    if ratio < looking.FLAT:
        said = f"{seen.name} has {100 * ratio:.0f} % of the contrast of {other.name}"
        args = {"raster": "$@", "reference": f"${other.name}"}
        yield Finding("contrast", seen.name, said, "histogram_match", args)
    moved = looking.shift_px(held[0], mine[0]) if earlier else None
    if moved is not None:
        said = f"{seen.name} lies {moved:.0f} pixels beside {other.name}"
        args = {"raster": "$@", "reference": f"${other.name}"}
        yield Finding("shift", seen.name, said, "coregister", args)


def _scale(seen: _Seen, other: _Seen) -> Iterator[Finding]:
    if _is_scaled(seen, other):
        said = f"{seen.name} has whole numbers, some 10,000 times the values of {other.name}"
        yield Finding("scale", seen.name, said, "toa_reflectance", {"raster": "$@", "gain": 0.0001})


def _is_scaled(seen: _Seen, other: _Seen) -> bool:
    low, high = looking.SCALED
    if not seen.grid().whole or other.grid().whole:
        return False
    return low <= looking.times_larger(seen.coarse(), other.coarse()) <= high


__all__ = ["Finding", "findings", "prepared", "with_change"]
