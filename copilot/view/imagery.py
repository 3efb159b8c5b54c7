"""An image of the session as the Imagery page shows it: which there are, facts, bands, and what fits it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.messages import language, later, t
from copilot.view.detections import frame_of
from data.progress import Unheard
from data.raster.errors import RasterError
from state.log import Event
from state.model import Artifact, State
from tools.base import Tool, ToolError, World
from tools.map.files import image_name, image_picture
from tools.map.pairs import Shot, in_time_order, taken_at
from tools.map.rendered import shown_rendered
from tools.rasters import raster_of
from tools.titles import by_title

if TYPE_CHECKING:
    import pandas as pd

COUNTED_PX = 20_000_000
"""Up to so many values of all bands, their statistics are of every pixel; beyond, of a grid of them."""
_SAMPLE_SIDE_PX = 1000
_ABOUT_PIXELS = frozenset({"image", "before", "after"})
_KINDS = {"sar": later("radar (SAR)"), "optical": later("optical")}
_OF_ONE_KIND = ("sar", "optical")
"""A tool whose name begins so is for images of that kind alone."""
_NEEDS_COLOUR = frozenset(
    {
        "horizontal_object_detection", "rotated_object_detection", "object_count", "semantic_segmentation",
        "land_use_classification", "building_extraction", "road_extraction", "vegetation_extraction",
        "cloud_detection", "cloud_removal", "image_dehazing", "super_resolution", "burned_area",
    }
)  # fmt: skip
"""What can be run on a radar image, but tells nothing of it."""
_LOOKS_AT_THINGS = frozenset(
    {
        "optical_detection", "optical_plane_type", "sar_detection", "sar_plane_type", "caption", "scene",
        "visual_question", "visual_grounding", "referring_segmentation", "water_extraction", "flood_mapping",
        "change_detection", "building_damage_detection", "remote_sensing_inversion",
    }
) | _NEEDS_COLOUR  # fmt: skip
"""What tells nothing of heights, of classes, or of a raster without anything in it."""
_AFTERWARDS = frozenset({"list_detections", "review_detection"})
"""They work on what was found, and not on an image."""


@dataclass(frozen=True)
class Choice:
    """An image that can be shown."""

    handle: str
    name: str
    uploaded: bool


@dataclass(frozen=True)
class About:
    """What is known of an image."""

    name: str
    facts: tuple[tuple[str, str], ...]
    modality: str | None
    reasons: tuple[str, ...]
    has_place: bool
    path: Path


@dataclass(frozen=True)
class Field:
    """An argument that a tool needs beside the image."""

    name: str
    about: str
    image: bool
    """Another image, else a text."""


@dataclass(frozen=True)
class Fitting:
    """A tool that fits an image: which argument the image is, and what else has to be said."""

    tool: Tool
    argument: str
    fields: tuple[Field, ...]

    @property
    def title(self) -> str:
        """The tool's name as people read it."""
        first, _, rest = self.tool.name.replace("_", " ").partition(" ")
        return f"{'SAR' if first == 'sar' else first.capitalize()} {rest}".strip()


def choices(state: State, world: World) -> list[Choice]:
    """The session's images with pixels, the newest first."""
    found = [
        Choice(each.id, each.name, each.made_by.startswith("add_file"))
        for each in reversed(state.artifacts)
        if each.kind == "raster" and world.artifacts.find(each.id) is not None
    ]
    wanted = [str(dict(each.options).get("image", "")) for each in state.map.layers if each.kind == "raster"]
    for image_id in dict.fromkeys([*wanted, state.ui.selected_image or ""]):
        record = world.catalogue.image(image_id) if image_id else None
        if record is not None and (shown_rendered(world, record) or image_picture(world, record) is not None):
            found.append(Choice(image_id, image_name(world, record), False))
    return found


def about(state: State, world: World, handle: str) -> About:
    """Size, place and kind of an image. Raises ToolError when it cannot be read."""
    found = raster_of(state, world, handle)
    try:
        facts, has_place = _facts(found.path, found.path.stat().st_mtime_ns, language())
    except RasterError as error:
        raise ToolError(by_title(str(error), found)) from None
    kind, reasons = modality(found.path)
    shown = [(t("Kind"), t(_KINDS.get(kind, kind)) if kind else t("not known"))]
    return About(found.name, (*shown, *facts), kind, reasons, has_place, found.path)


def modality(path: Path) -> tuple[str | None, tuple[str, ...]]:
    """What kind of sensor an image is from, and what says so; None where it cannot be told."""
    return _modality(path, path.stat().st_mtime_ns)[:2]


@lru_cache(maxsize=64)
def _modality(path: Path, _changed: int) -> tuple[str | None, tuple[str, ...], str | None]:
    """The kind, what says so, and what it is in place of an image: heights, classes, nothing."""
    from data.vision.modality import tell_modality

    try:
        told = tell_modality(Unheard(), path)
    except RasterError:
        return None, (), None
    return told.name, told.reasons, told.instead


@lru_cache(maxsize=64)
def _facts(path: Path, _changed: int, _language: str) -> tuple[tuple[tuple[str, str], ...], bool]:
    from data.raster.files import opened
    from data.raster.looks import constant_values
    from data.vision.ground import ground_of

    with opened(path) as source:
        width, height, count = source.width, source.height, source.count
        kinds = sorted(set(source.dtypes))
        crs = source.crs
        nodata = source.nodata
        constant = constant_values(source)
    ground = ground_of(path)
    size = path.stat().st_size
    rows = [
        (t("Size"), f"{width:,} × {height:,} px"),
        (t("Bands"), t("{count} of {kinds}", count=count, kinds=", ".join(kinds))),
        (t("Coordinates"), t("none: it has no place on the map") if crs is None else _crs_name(crs)),
    ]
    if ground is not None:
        rows.append((t("Pixel on the ground"), _gsd_text(_gsd_m(ground, width, height))))
    if constant is not None:
        told = [f"{each:.6g}" for each in constant]
        rows.append(
            (t("Values"), t("every pixel is {told}", told=", ".join(told) if len(set(told)) > 1 else told[0]))
        )
    if nodata is not None:
        rows.append((t("No data"), f"{nodata:g}"))
    rows.append(
        (
            t("File"),
            t("{size:,.1f} MB", size=size / 1000000.0)
            if size >= 1e5
            else t("{size:,.1f} kB", size=size / 1000.0),
        )
    )
    return tuple(rows), ground is not None


def _gsd_m(ground: Any, width: int, height: int) -> tuple[float, float]:
    """How wide and high the middle pixel is on the ground, metres."""
    import numpy as np
    from pyproj import Geod

    x, y = width / 2, height / 2
    lonlat = ground.lonlat(np.array([[x, y], [x + 1, y], [x, y + 1]]))
    _, _, metres = Geod(ellps="WGS84").inv(
        [lonlat[0, 0]] * 2, [lonlat[0, 1]] * 2, lonlat[1:, 0], lonlat[1:, 1]
    )
    return float(metres[0]), float(metres[1])


def _gsd_text(sides: tuple[float, float]) -> str:
    across, down = sides
    if math.isclose(across, down, rel_tol=0.02):
        return f"{across:.3g} m"
    return f"{across:.3g} × {down:.3g} m"


def _crs_name(crs: Any) -> str:
    code = crs.to_epsg()
    return f"EPSG:{code}" if code is not None else str(crs.to_wkt().split('"')[1])[:60]


def statistics(state: State, world: World, handle: str) -> tuple[pd.DataFrame, str]:
    """Each band's statistics, and of which pixels they are. Raises ToolError when it cannot be read."""
    found = raster_of(state, world, handle)
    try:
        return _statistics(found.path, found.path.stat().st_mtime_ns, language())
    except RasterError as error:
        raise ToolError(by_title(str(error), found)) from None


@lru_cache(maxsize=32)
def _statistics(path: Path, _changed: int, _language: str) -> tuple[pd.DataFrame, str]:
    import numpy as np
    import pandas as pd

    from data.raster.files import opened
    from data.raster.looks import band_names, read_bands

    rows = []
    with opened(path) as source:
        names = band_names(source)
        step = 1.0
        if source.width * source.height * source.count > COUNTED_PX:
            step = max(1.0, max(source.width, source.height) / _SAMPLE_SIDE_PX)
        shape = (1, max(1, round(source.height / step)), max(1, round(source.width / step)))
        for number, name in enumerate(names, start=1):
            values, there = read_bands(source, (number,), out_shape=shape)
            seen = values[there & np.isfinite(values)].astype(np.float64)
            row: dict[str, Any] = {t("band"): name, t("valid, %"): round(100 * seen.size / values.size, 1)}
            if seen.size:
                row |= {
                    t("least"): float(seen.min()),
                    t("mean"): round(float(seen.mean()), 4),
                    t("median"): float(np.median(seen)),
                    t("greatest"): float(seen.max()),
                    t("std"): round(float(seen.std()), 4),
                }
            rows.append(row)
    of = t("of every pixel") if step == 1.0 else t("of a grid of {shape:,} pixels", shape=shape[1] * shape[2])
    return pd.DataFrame(rows), of


def fitting(tools: Iterable[Tool], kind: str | None, path: Path | None = None) -> list[Fitting]:
    """The vision tools that fit an image of that kind, those that need nothing else first.

    Of `path`, those that its bands give nothing to are left out.
    """
    useless = frozenset() if path is None else _useless(path, path.stat().st_mtime_ns)
    found = []
    for each in tools:
        if each.category != "vision" or each.name in _AFTERWARDS:
            continue
        properties: Mapping[str, Any] = each.schema.get("properties", {})
        argument = next((name for name in ("image", "after") if name in properties), None)
        own = next((word for word in _OF_ONE_KIND if each.name.startswith(f"{word}_")), None)
        if each.name in useless or (kind == "sar" and each.name in _NEEDS_COLOUR):
            continue
        if argument is None or (own is not None and kind is not None and (own == "sar") != (kind == "sar")):
            continue
        needed = [name for name in each.schema.get("required", ()) if name != argument]
        fields = tuple(
            Field(
                name,
                str(properties[name].get("description", "")),
                name in _ABOUT_PIXELS or _is_image(properties[name]),
            )
            for name in needed
        )
        found.append(Fitting(each, argument, fields))
    return sorted(found, key=lambda each: (bool(each.fields), "detections" not in each.tool.gives))


@lru_cache(maxsize=64)
def _useless(path: Path, _changed: int) -> frozenset[str]:
    from data.vision.suits import CHECKED, refusal

    if _modality(path, _changed)[2] is not None:
        return _LOOKS_AT_THINGS
    return frozenset(each for each in CHECKED if refusal(each, path) is not None)


def _is_image(schema: Mapping[str, Any]) -> bool:
    return schema.get("format") == "raster"


def last_result(
    events: Iterable[Event], tools: Mapping[str, Tool] | Iterable[Tool], image: str, name: str
) -> Event | None:
    """The last call of a vision tool on that image or that made it, beside those that list and review."""
    names = {
        each.name for each in tools if isinstance(each, Tool) and each.category == "vision"
    } - _AFTERWARDS
    found, meant = None, image
    for event in events:
        if (
            event.kind == "call"
            and event.tool in names
            and _concerns(event, image, name if meant == image else None)
        ):
            found = event
        if event.state is not None:
            # A name means the newest image that has it by then: another of the same name has its own results.
            named = [
                each["id"]
                for each in event.state["artifacts"]
                if (each["kind"], each["name"]) == ("raster", name)
            ]
            meant = named[-1] if named else image
    return found


def _concerns(event: Event, image: str, name: str | None) -> bool:
    said = [part for each in event.args.values() for part in (each if isinstance(each, list) else [each])]
    return image in said or (name is not None and name in said) or event.data.get("raster") == image


def made_by(event: Event, state: State) -> tuple[str | None, str | None]:
    """What a call made and is still there: the raster, and the layer that shows it on the map."""
    made = [str(event.data[kind]) for kind in ("vector", "detections", "raster") if event.data.get(kind)]
    raster = artifact_of(state, str(event.data.get("raster", "")))
    layers = {each.artifact: each.id for each in state.map.layers if each.artifact}
    return (
        None if raster is None else raster.id,
        next((layers[each] for each in made if each in layers), None),
    )


def not_on_the_map(state: State, world: World) -> tuple[str, str] | None:
    """The name of the newest image or detections, where no layer shows them, and the image to look at."""
    newest = next((each for each in reversed(state.artifacts) if each.kind in ("raster", "detections")), None)
    if newest is None or any(each.artifact == newest.id for each in state.map.layers):
        return None
    if newest.kind == "raster":
        return newest.name, newest.id
    try:
        sources = frame_of(world, newest)["source"]
    except ToolError:
        return None
    return (newest.name, str(sources.iloc[0])) if len(sources) else None


def same_grid(state: State, world: World, handle: str) -> list[str]:
    """The session's other rasters of as many rows and columns: they can be laid over the image."""
    sizes = {}
    for each in reversed(state.artifacts):
        path = world.artifacts.find(each.id) if each.kind == "raster" else None
        if path is not None:
            sizes[each.id] = _size(path, path.stat().st_mtime_ns)
    try:
        own = raster_of(state, world, handle)
        wanted = _size(own.path, own.path.stat().st_mtime_ns)
    except (ToolError, OSError):
        return []
    return [each for each, size in sizes.items() if each != handle and size is not None and size == wanted]


@lru_cache(maxsize=256)
def _size(path: Path, _changed: int) -> tuple[int, int] | None:
    from data.raster.files import opened

    try:
        with opened(path) as source:
            return source.width, source.height
    except RasterError:
        return None


def swipe_partners(state: State, handle: str) -> tuple[str | None, list[tuple[str, str]]]:
    """The layer of an image, and (id, name) of the other raster layers it can be compared with."""
    layers = [each for each in state.map.layers if each.kind == "raster"]
    own = next(
        (each for each in reversed(layers) if handle in (each.artifact, dict(each.options).get("image"))),
        None,
    )
    others = [(each.id, each.name) for each in reversed(layers) if own is not None and each.id != own.id]
    return (None if own is None else own.id), others


def by_time(state: State, world: World, one: str, other: str) -> tuple[str, str]:
    """Two layers by when their images were taken, the earlier first; as given where that is not known."""
    layers = [layer for each in (one, other) if (layer := state.layer(each)) is not None]
    first, second = in_time_order([Shot(each, taken_at(each, state, world)) for each in layers])
    return first.layer.id, second.layer.id


def artifact_of(state: State, handle: str) -> Artifact | None:
    """The raster artifact of that handle."""
    found = state.artifact(handle)
    return found if found is not None and found.kind == "raster" else None
