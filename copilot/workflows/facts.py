"""What is known of the things at hand: read from their files, and from the calls that made them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.workflows import actions
from copilot.workflows.quality import pixel_m
from data.raster.errors import RasterError
from state.log import Event
from tools.base import World
from tools.conditions import Thing
from tools.toolbox import toolbox

if TYPE_CHECKING:
    import rasterio

    from state.model import State

_MODALITY = {"sar": "radar", "panchromatic": "pan", "multispectral": "optical", "optical": "picture"}
"""From the words of data.vision.modality: its "optical" is a picture of red, green and blue."""
_BEYOND = ("nir", "nir08", "swir16", "swir22", "rededge071")
_FEW_DBS = (-60.0, 15.0)
"""Backscatter of ground in decibels lies within; intensities and amplitudes are not negative."""


def known(state: State, world: World, handle: str, log: Sequence[Event] = ()) -> Thing:
    """What is known of an artifact, a layer or an image: of what its making says, and of what its file says.

    The file goes first where it speaks; what was done to a raster only its making knows. A handle that is
    nothing is a thing without properties.
    """
    artifact = state.artifact(handle)
    kind = artifact.kind if artifact is not None else "raster"
    told = _made(handle, log) or Thing(kind)
    if kind not in ("raster", "vector", "detections"):
        return replace(told, kind=kind)
    from tools.base import ToolError
    from tools.rasters import raster_of

    try:
        path = raster_of(state, world, handle).path if kind == "raster" else world.artifacts.find(handle)
    except ToolError:
        return replace(told, kind=kind)
    if path is None:
        return replace(told, kind=kind)
    seen = of_file(path, kind)
    return _joined(told, seen)


def of_file(path: Path, kind: str = "raster") -> Thing:
    """What a file says of itself, remembered as long as it does not change."""
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        return Thing(kind)
    return _read(path, kind, changed)


@lru_cache(maxsize=512)
def _read(path: Path, kind: str, _changed: int) -> Thing:
    if kind != "raster":
        return _features(path, kind)
    from data.raster.bands import band_names
    from data.raster.files import opened

    try:
        with opened(path) as source:
            names = tuple(sorted({each for each in band_names(source) if each}))
            thing = Thing(
                "raster",
                bands=names,
                placed=source.crs is not None and not source.transform.is_identity,
                metric=bool(source.crs is not None and source.crs.is_projected),
                grid_of=_grid(source),
                coarsest_m=pixel_m(source),
                later_than=_day(source),
            )
        return replace(thing, **_looks(path, names))
    except RasterError:
        return Thing("raster")


def _looks(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """The modality, level and values of a raster, as far as its bands and its pixels tell."""
    from data.raster.digital import is_digital
    from data.raster.stats import band_stats
    from data.vision.modality import modality_of

    told = modality_of(path)
    stats = band_stats(path, 1, (50,))
    low, high = stats.moments.minimum, stats.moments.maximum
    found: dict[str, Any] = {"nodata_pct": round(100 - stats.valid_pct, 3)}
    if stats.moments.count:
        found.update(least=float(low), most=float(high))
    modality = _MODALITY.get(told.name or "", "")
    if set(names) & set(_BEYOND):
        modality = "optical"
    if names == ("lwir11",) or names == ("lwir12",):
        modality = "thermal"
    if told.name is None and told.instead is not None:
        modality = {"classes": "classes", "heights or a quantity": "elevation"}.get(told.instead, "")
    if modality:
        found["modality"] = (modality,)
    if modality == "radar":
        found["level"] = ("decibel",) if low < 0 and _FEW_DBS[0] <= stats.percentiles[0] <= _FEW_DBS[1] else (
            "amplitude", "intensity", "sigma0")  # fmt: skip
    elif modality in ("picture", "optical") and is_digital(path, (1,)):
        found["level"] = ("stretched",)
    return found


def _features(path: Path, kind: str) -> Thing:
    from copilot.workflows.quality import frame_of

    try:
        frame = frame_of(path)
    except Exception:  # whatever a stranger's file is: nothing is known of it then
        return Thing(kind)
    shapes = {str(each).casefold().removeprefix("multi").replace("string", "") for each in frame.geom_type}
    plain = tuple(sorted(shapes & {"point", "line", "polygon"}))
    columns = tuple(sorted(str(each) for each in frame.columns if each != frame.geometry.name))
    return Thing(kind, geometry=plain, placed=frame.crs is not None, columns=columns)


def _grid(source: rasterio.DatasetReader) -> str:
    numbers = ",".join(f"{each:.6g}" for each in source.transform[:6])
    return f"{source.crs.to_string() if source.crs else ''}|{numbers}|{source.width}x{source.height}"


def _day(source: rasterio.DatasetReader) -> str:
    """The day on which it was taken, YYYY-MM-DD, by its tags or its name; empty where nothing says it."""
    from data.readers.when import day_in_name, parse_time

    tags = {str(key).upper(): value for key, value in source.tags().items()}
    for key in ("ACQUISITIONDATETIME", "TIFFTAG_DATETIME", "ACQUISITION_DATE", "DATE_ACQUIRED"):
        found = parse_time(tags.get(key))
        if found is not None:
            return found.date().isoformat()
    named = day_in_name(Path(source.name).name)
    return named.date().isoformat() if named is not None else ""


def _made(handle: str, log: Sequence[Event]) -> Thing | None:
    """What the call that made an artifact says of it, and the calls before it; None for one that came in."""
    box = toolbox()
    for at in range(len(log) - 1, -1, -1):
        event = log[at]
        if event.kind != "call" or not event.ok or handle not in event.data.values() or event.tool not in box:
            continue
        tool = box.get(event.tool)
        arguments = {**{key: each.get("default") for key, each in _properties(tool).items()}, **event.args}
        facts = {
            name: _made(value, log[:at]) or Thing(kind)
            for name, value in event.args.items()
            if isinstance(value, str) and (kind := _argument_kind(tool, name))
        }
        made = actions.results(tool, arguments, facts)
        key = next((key for key, value in event.data.items() if value == handle), "")
        return made.get(key)
    return None


def _properties(tool: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = tool.schema.get("properties", {})
    return found


def _argument_kind(tool: Any, name: str) -> str:
    return next((each.kind for each in tool.preconditions if each.argument == name), "")


def _joined(told: Thing, seen: Thing) -> Thing:
    """What the file says, with what only the making knows: modality of what was computed, level, deeds."""
    more: dict[str, Any] = {"done": told.done}
    if told.modality:
        more["modality"] = told.modality
    if told.level:
        more["level"] = told.level
    if told.cloud_pct is not None:
        more["cloud_pct"] = told.cloud_pct
    return replace(seen, **more)


__all__ = ["known", "of_file"]
