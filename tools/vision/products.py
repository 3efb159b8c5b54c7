"""What a tool that marks pixels gives: the mask as a raster, and its patches as features with their areas."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from state.model import State
from tools.artifacts import Call, Input
from tools.base import Step, ToolError, World
from tools.map.classes import kinds, ladder
from tools.phrases import number, number_of
from tools.rasters import raster_step
from tools.vectors import vector_step

if TYPE_CHECKING:
    from data.vision.masks import ClassArea


@dataclass(frozen=True)
class Outlines:
    """How the patches of a mask become features."""

    min_area_m2: float = 0.0
    """Smaller patches get no outline; for an image without a place `min_px` alone counts."""
    min_px: int = 0
    simplify_px: float = 1.0
    """How far an outline may leave the stairs of the pixels."""
    mean_of: tuple[tuple[str, int], ...] = ()
    """(name, band): columns with a patch's mean over another band of the mask's file."""


def mask_step(
    state: State,
    world: World,
    call: Call,
    inputs: Sequence[Input],
    make: Callable[[Path], object],
    *,
    name: str,
    said: str | Callable[[Sequence[ClassArea]], str],
    classes: Mapping[int, str],
    ordered: bool = False,
    polygons: bool | Outlines = True,
    options: Mapping[str, str | float | bool] | None = None,
    color: str | None = None,
    found: Mapping[str, Any] | None = None,
    **data: Any,
) -> Step:
    """Make a mask, keep it and show it, and its patches as features on top of it.

    `make` writes a GeoTIFF whose first band is bytes: 0 for nothing, a key of `classes`, 255 (its nodata)
    where nothing is known; other bands may follow. `said` is the observation, or makes it from the areas in
    the order of `classes`; `found` may be filled by `make` and goes into the data, as `data` does.
    Outlines of several classes have a colour each; `ordered` ones those from harmless to worst. The data
    hold `raster`, `vector` and `count` (of patches), `by_class` (name to pixels, share_percent, area_m2,
    area_km2, None without a place), and of a single class `area_m2`, `area_km2` and `share_percent`. Raises
    ToolError for what `make` says with a RasterError.
    """
    areas: list[ClassArea] = []

    def sentence(path: Path) -> str:
        from data.vision.masks import class_areas

        areas.extend(class_areas(path, classes))
        return said if isinstance(said, str) else said(areas)

    def marked(path: Path) -> None:
        from data.vision.masks import mark_nothing

        make(path)
        mark_nothing(path)

    shown = {"bands": "1", "stretch": "minmax", **(options or {})}
    step = raster_step(state, world, call, inputs, marked, name=name, said=sentence, options=shown)
    facts = {**step.data, **area_facts(areas), **data, **(found or {})}
    if polygons is False:
        return Step(step.state, step.observation, facts)
    wanted = polygons if isinstance(polygons, Outlines) else Outlines()
    mask = world.artifacts.path(str(step.data["raster"]), ".tif")
    try:
        frame = _outlines(world, mask, classes, wanted)
    except ToolError as error:
        return Step(step.state, f"{step.observation} There are no outlines: {error}", facts)
    names = tuple(classes.values())
    coloured = (ladder if ordered else kinds)("class_name", names).option if len(names) > 1 else None
    drawn = vector_step(
        step.state, world, call, inputs, frame,
        name=f"{name}, outlines"[:100], said="", color=color, options=coloured,
    )  # fmt: skip
    vector = str(drawn.data["vector"])
    about = {"vector": vector, "count": len(frame)}
    if "layer" in drawn.data:
        about["vector_layer"] = drawn.data["layer"]
    outlined = f"{number_of(len(frame), 'outline')} in {vector}." if len(frame) else (
        f"No patch is large enough to outline; {vector} is empty."
    )  # fmt: skip
    return Step(drawn.state, f"{step.observation} {outlined}", {**facts, **about})


def area_facts(areas: Sequence[ClassArea]) -> dict[str, Any]:
    """The areas of a mask's classes as the data of a step hold them."""
    by_class = {
        each.name: {
            "pixels": each.pixels,
            "share_percent": each.share_percent,
            "area_m2": each.area_m2,
            "area_km2": None if each.area_m2 is None else round(each.area_m2 / 1e6, 6),
        }
        for each in areas
    }
    single = dict(by_class[areas[0].name]) if len(areas) == 1 else {}
    single.pop("pixels", None)
    return {"by_class": by_class, **single}


def area_words(area: ClassArea) -> str:
    """`1.25 km² (3.1 %)`, `420 m² (0.2 %)`, or for an image without a place `1,200 pixels (0.2 %)`."""
    share = f"({number(round(area.share_percent, 2))} %)"
    if area.area_m2 is None:
        return f"{number_of(area.pixels, 'pixel')} {share}"
    if area.area_m2 >= 100_000:
        return f"{number(round(area.area_m2 / 1e6, 3))} km² {share}"
    return f"{number(round(area.area_m2))} m² {share}"


def _outlines(world: World, mask: Path, classes: Mapping[int, str], wanted: Outlines) -> Any:
    from data.raster.errors import RasterError
    from data.vector.files import read_geoparquet
    from data.vision.masks import write_outlines

    part = mask.with_name(f".{mask.stem}-{secrets.token_hex(4)}.part.parquet")
    try:
        world.work(
            "Drawing outlines",
            write_outlines,
            mask,
            part,
            dict(classes),
            min_area_m2=wanted.min_area_m2,
            min_px=wanted.min_px,
            simplify_px=wanted.simplify_px,
            mean_of=dict(wanted.mean_of),
        )
        return read_geoparquet(part)
    except RasterError as error:
        raise ToolError(str(error)) from None
    finally:
        part.unlink(missing_ok=True)
