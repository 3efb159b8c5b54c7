"""One kind of thing taken out of an image: buildings, roads, water, vegetation, as features and a mask."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from data.models.card import ModelName
from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.phrases import number, number_of
from tools.rasters import Raster, RasterHandle, raster_of
from tools.vectors import vector_step
from tools.vision.guarding import Anyway, guarded
from tools.vision.products import Outlines, area_words, mask_step

if TYPE_CHECKING:
    from data.vision.masks import ClassArea


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture", bands="red+green+blue"),),
    gives=(
        conditions.Raster("raster", of="image", modality="mask"),
        conditions.Vector("vector", geometry="polygon"),
    ),
    long_running=True,
)
@guarded("image")
def building_extraction(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    model: ModelName = None,
    min_area_m2: Annotated[
        float, Field(ge=0, le=1e7, description="Smaller buildings are left out, square metres.")
    ] = 12.0,
    anyway: Anyway = False,
) -> Step:
    """Outline the buildings in an image: how many, their footprints and the area they cover in m².

    A colour picture goes to the land-cover network's building class; any other optical image, or with
    model=morphological-building-index, to that index (Huang and Zhang 2011, PE&RS 77(7)). Patches that fill
    72 % of their least rectangle are drawn as one of the patch's area, others as a simplified outline; what
    is six times longer than wide is none. Needs pixels of 5 m or finer. Areas are of the pixels, geodesic.

    Example: copilot call building_extraction image=raster-9407a0

    Asked as: find the buildings | outline every house | building footprints | how many houses are there |
    where do people live here | rooftops as polygons | how much ground do buildings cover | extract the
    structures | map the built things | count the roofs
    """
    source = raster_of(state, world, image)
    call = Call.of(building_extraction, image=image, model=model, min_area_m2=min_area_m2, anyway=anyway)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.vision.buildings import building_mask

        done = world.work(
            "Looking for buildings", building_mask, source.path, path, model=model, models=world.models
        )
        found.update(model=done.model, method=done.method, threshold=_rounded(done.threshold))

    step = mask_step(
        state, world, call, [source], make, name=f"Building mask of {source.name}"[:100], said="",
        classes={1: "building"}, polygons=False, options={"colormap": "magma"}, found=found,
    )  # fmt: skip
    frame = _made(world, step, "write_buildings", min_area_m2=min_area_m2)
    placed = bool(len(frame)) and frame["area_m2"].notna().all()
    area = round(float(frame["area_m2"].sum()), 1) if placed or not len(frame) else None
    pixels = int(frame["area_px"].sum())
    said = (
        f"{number_of(len(frame), 'building')} in {source.name} by {found['model']}, covering "
        f"{f'{number(round(area))} m²' if area is not None else number_of(pixels, 'pixel')}. "
        f"The mask is {step.data['raster']}."
    )
    return _with_features(
        step, world, call, source, frame, name=f"Buildings in {source.name}", said=said, color="#9f1239",
        area_m2=area, area_km2=None if area is None else round(area / 1e6, 6), area_px=pixels,
        rectangles=int((frame["shape"] == "rectangle").sum()) if len(frame) else 0,
    )  # fmt: skip


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture", bands="red+green+blue"),),
    gives=(conditions.Raster("raster", of="image", modality="mask"), "vector"),
    long_running=True,
)
@guarded("image")
def road_extraction(
    state: State, world: World, *, image: RasterHandle, model: ModelName = None, anyway: Anyway = False
) -> Step:
    """Trace the roads in an image as a network of lines: length in km, junctions, widths in metres.

    A colour picture goes to the land-cover network's road class; any other optical image, or with
    model=multi-scale-ridges, to ridges at several widths (Steger 1998; Sato et al. 1998). The mask is thinned
    (Zhang and Suen 1984) and taken apart at junctions into the edges of a graph; spurs shorter than 15 m and
    loose pieces shorter than 30 m are left out. Lengths are geodesic. Needs pixels of 12 m or finer.

    Example: copilot call road_extraction image=raster-9407a0

    Asked as: find the roads | trace the streets | road network | how many kilometres of road | where can a
    car drive | turn the streets into lines | how well connected is the place | extract tracks and highways |
    which way could a convoy go
    """
    source = raster_of(state, world, image)
    call = Call.of(road_extraction, image=image, model=model, anyway=anyway)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.vision.roads import road_mask

        done = world.work("Looking for roads", road_mask, source.path, path, model=model, models=world.models)
        found.update(model=done.model, method=done.method, threshold=_rounded(done.threshold))

    step = mask_step(
        state, world, call, [source], make, name=f"Road mask of {source.name}"[:100], said="",
        classes={1: "road"}, polygons=False, options={"colormap": "magma"}, found=found,
    )  # fmt: skip
    graph: dict[str, Any] = {}
    frame = _made(world, step, "write_roads", told=graph)
    metres, pixels = graph["length_m"], graph["length_px"]
    long = f"{number(round(metres / 1000, 3))} km" if metres is not None else f"{number(pixels)} pixels"
    sections, nodes = number_of(graph["edges"], "section"), number_of(graph["nodes"], "node")
    said = (
        f"{long} of road in {source.name} by {found['model']}: {sections} between {nodes} (junctions and "
        f"ends), in {number_of(graph['parts'], 'connected part')}. "
        f"The mask is {step.data['raster']}."
    )
    width = round(float(frame["width_m"].mean()), 2) if metres and len(frame) else None
    return _with_features(
        step, world, call, source, frame, name=f"Roads in {source.name}", said=said, color="#b45309",
        length_km=None if metres is None else round(metres / 1000, 4), length_px=pixels,
        nodes=graph["nodes"], edges=graph["edges"], parts=graph["parts"], mean_width_m=width,
    )  # fmt: skip


@tool(
    "vision",
    changes_state=True,
    needs=(
        conditions.Raster("image", modality="radar"),
        conditions.Raster("image", bands="green+nir"),
        conditions.Raster("image", bands="green+swir16"),
        conditions.Raster("image", bands="red+green+blue"),
    ),
    gives=(
        conditions.Raster("raster", of="image", modality="mask"),
        conditions.Vector("vector", geometry="polygon"),
    ),
    long_running=True,
)
@guarded("image")
def water_extraction(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    method: Annotated[
        Literal["auto", "index", "radar", "network"],
        Field(
            description="MNDWI or NDWI, radar backscatter, or the network for colour pictures; auto takes "
            "what the bands allow."
        ),
    ] = "auto",
    min_px: Annotated[
        int, Field(ge=1, le=100_000, description="Smaller patches go to what surrounds them, pixels.")
    ] = 8,
    anyway: Anyway = False,
) -> Step:
    """Find open water in an image, whatever its kind: area in km² and outlines of lakes, rivers and sea.

    Green with infrared: MNDWI (Xu 2006) or NDWI (McFeeters 1996) over the minimum-error threshold (Kittler
    and Illingworth 1986) of tiles that hold both classes. Bytes without a scale are no reflectance: there the
    infrared band alone, under such a threshold (Work and Gilmer 1976). Radar: backscatter in dB under such a
    threshold, after a refined Lee filter (Martinis, Twele and Voigt 2009). A colour picture: the network's
    class. Areas are geodesic.

    Example: copilot call water_extraction image=raster-5ce4e0

    Asked as: where is the water | find lakes and rivers | water mask | how much water is there | outline the
    ponds | how big is the reservoir | show me everything wet | extract the shoreline | area of open water |
    is there any water here
    """
    source = raster_of(state, world, image)
    call = Call.of(water_extraction, image=image, method=method, min_px=min_px, anyway=anyway)
    found: dict[str, Any] = {}
    notes: list[str] = []

    def make(path: Path) -> None:
        from data.vision.water import water_mask

        done = world.work(
            "Looking for water", water_mask, source.path, path, method=method, min_px=min_px,
            models=world.models,
        )  # fmt: skip
        notes.extend(done.notes)
        found.update(
            model=done.model, method=done.method, threshold=_rounded(done.threshold), below=done.below
        )

    def said(areas: Sequence[ClassArea]) -> str:
        rest = "".join(f" {each}" for each in notes)
        if not areas[0].pixels:
            return f"No open water was found in {source.name} by {found['method']}.{rest}"
        how = f"{found['method']}{_over(found)}"
        return f"{area_words(areas[0])} of {source.name} is open water, by {how}.{rest}"

    return mask_step(
        state, world, call, [source], make, name=f"Water in {source.name}"[:100], said=said,
        classes={1: "water"}, polygons=Outlines(min_px=min_px), options={"colormap": "blues"},
        color="#1d4ed8", found=found,
    )  # fmt: skip


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", bands="red+nir"), conditions.Raster("image", bands="red+green+blue")),
    gives=(
        conditions.Raster("raster", of="image", modality="mask"),
        conditions.Vector("vector", geometry="polygon"),
    ),
    long_running=True,
)
@guarded("image")
def vegetation_extraction(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    method: Annotated[
        Literal["auto", "ndvi", "excess_green", "network"],
        Field(
            description="NDVI, excess green for colour pictures, or the network; auto takes what the bands "
            "allow."
        ),
    ] = "auto",
    anyway: Anyway = False,
) -> Step:
    """Find living vegetation in an image: area in km², share in percent, and outlines of green patches.

    Near infrared and red: NDVI (Rouse et al. 1974) over Otsu's threshold (1979) kept between 0.2 and 0.5,
    else over 0.3. Colour pictures: excess green 2g - r - b (Woebbecke et al. 1995) over Otsu's threshold kept
    between 0.03 and 0.2, else over 0.06. The threshold and where it came from are said. Areas are geodesic.

    Example: copilot call vegetation_extraction image=raster-5ce4e0

    Asked as: where is it green | find the vegetation | map the trees and fields | how much of this is plants
    | vegetation mask | outline parks and forest | green cover in percent | show what grows here | how leafy
    is the town
    """
    source = raster_of(state, world, image)
    call = Call.of(vegetation_extraction, image=image, method=method, anyway=anyway)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.vision.vegetation import vegetation_mask

        done = world.work(
            "Looking for plants", vegetation_mask, source.path, path, method=method, models=world.models
        )
        found.update(
            model=done.model, method=done.method, threshold=_rounded(done.threshold),
            threshold_from_image=done.found, mean_index=_rounded(done.mean),
        )  # fmt: skip

    def said(areas: Sequence[ClassArea]) -> str:
        usual = "" if found["threshold"] is None or found["threshold_from_image"] else (
            " The values do not part into two classes, so the usual threshold was taken."
        )  # fmt: skip
        how = f"{found['method']}{_over(found)}"
        return f"{area_words(areas[0])} of {source.name} is vegetation, by {how}.{usual}"

    return mask_step(
        state, world, call, [source], make, name=f"Vegetation in {source.name}"[:100], said=said,
        classes={1: "vegetation"}, polygons=Outlines(min_px=8), options={"colormap": "greens"},
        color="#15803d", found=found,
    )  # fmt: skip


def _over(found: dict[str, Any]) -> str:
    """The threshold as a phrase; nothing for a network."""
    if found["threshold"] is None:
        return f" ({found['model']})"
    if found["model"] == "water-backscatter":
        return f" below {number(found['threshold'])} dB"
    return f" {'below' if found.get('below') else 'above'} {number(found['threshold'])}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _made(
    world: World, step: Step, function: str, *, told: dict[str, Any] | None = None, **arguments: Any
) -> Any:
    """The features that a function of data.vision writes of the step's mask; what it returns is `told`."""
    from data.raster.errors import RasterError
    from data.vector.files import read_geoparquet
    from data.vision import buildings, roads

    work: Any = buildings.write_buildings if function == "write_buildings" else roads.write_roads
    mask = world.artifacts.path(str(step.data["raster"]), ".tif")
    part = mask.with_name(f".{mask.stem}-{secrets.token_hex(4)}.part.parquet")
    try:
        returned = world.work("Drawing lines and outlines", work, mask, part, **arguments)
        if told is not None:
            told.update(returned)
        return read_geoparquet(part)
    except RasterError as error:
        raise ToolError(str(error)) from None
    finally:
        part.unlink(missing_ok=True)


def _with_features(
    step: Step, world: World, call: Call, source: Raster, frame: Any, *, name: str, said: str, color: str,
    **facts: Any,
) -> Step:  # fmt: skip
    """The step with features beside its mask, both ids in the data."""
    drawn = vector_step(step.state, world, call, [source], frame, name=name[:100], said=said, color=color)
    about = {"vector": drawn.data["vector"], "count": drawn.data["count"]}
    if "layer" in drawn.data:
        about["vector_layer"] = drawn.data["layer"]
    return Step(drawn.state, drawn.observation, {**step.data, **about, **facts})


TOOLS = (building_extraction, road_extraction, water_extraction, vegetation_extraction)
