"""Say which type an aircraft is likely to be, by its measured length and span."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call, Input
from tools.base import Step, Tool, ToolError, World, tool
from tools.detections import Detections, DetectionsHandle, detections_of, detections_step
from tools.phrases import listed, number, number_of, one_line
from tools.rasters import Raster, RasterHandle, raster_of
from tools.vision.guarding import Anyway, guarded

if TYPE_CHECKING:
    import geopandas as gpd

    from data.vision.aircraft import MeasuredPlane

MOST_PLANES = 2_000
_SHOWN = 8
Found = Annotated[
    DetectionsHandle | None,
    Field(description="Detections in that image, of which the planes are taken; found anew when left out."),
]
PixelSize = Annotated[
    float | None,
    Field(ge=0.02, le=10, description="The side of a pixel in metres, for an image that does not say it."),
]


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture", bands="red+green+blue"),),
    gives=("detections",),
    long_running=True,
)
@guarded("image")
def optical_plane_type(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    detections: Found = None,
    gsd_m: PixelSize = None,
    anyway: Anyway = False,
) -> Step:
    """Say which types the planes in an optical image may be, by length and span against a table of 133 types.

    Each plane's oriented box is measured again on the pixels (Otsu 1979), its fuselage told by the outline's
    symmetry, and the types ranked by how many standard deviations their published length and span are away
    (an end is found to 0.7 pixel). `confidence` is a type's share among all of the table, taken for equally
    frequent: types of one size are told apart by nobody. Planes come from the best detector, or `detections`.

    Example: copilot call optical_plane_type image=raster-0b1ec7

    Asked as: what types of planes are these | which aircraft models are parked here | is that an A320 |
    identify the jets | fighters or airliners? | name the aircraft by size | what kind of plane is on the
    runway | tell me the plane types | how large are the planes and what could they be
    """
    return _typed(state, world, optical_plane_type, image, detections, gsd_m, anyway, radar=False)


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="radar"),),
    gives=("detections",),
    long_running=True,
)
@guarded("image")
def sar_plane_type(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    detections: Found = None,
    gsd_m: PixelSize = None,
    anyway: Anyway = False,
) -> Step:
    """Say which types the planes in a radar image may be, by the extent of their bright returns.

    Without `detections`, bright things of a plane's size are found by a cell-averaging CFAR (Finn and Johnson
    1968). Length and span of the returns are set against the table of optical_plane_type. Radar shows corners
    and edges, not outlines: wings and tails may be missing, so the ranking is rougher than in optical images.

    Example: copilot call sar_plane_type image=raster-0b1ec8

    Asked as: plane types in the radar image | which aircraft does the SAR show | identify the planes by their
    radar returns | what kind of jets are in this SAR scene | name the aircraft in the Sentinel image | how
    long are the planes on radar | airliner or fighter in the radar picture | SAR aircraft recognition
    """
    return _typed(state, world, sar_plane_type, image, detections, gsd_m, anyway, radar=True)


def _typed(
    state: State,
    world: World,
    asked: Tool,
    image: str,
    detections: str | None,
    gsd_m: float | None,
    anyway: bool,
    *,
    radar: bool,
) -> Step:
    """What both have in common: take or find the planes, measure them, rank the types, say it."""
    from data.raster.errors import RasterError
    from data.vision.aircraft import measure_planes

    raster = raster_of(state, world, image)
    call = Call.of(asked, image=image, detections=detections, gsd_m=gsd_m, anyway=anyway)
    given = detections_of(state, world, detections) if detections is not None else None
    inputs: list[Input] = [raster] if given is None else [raster, given]
    try:
        frame, model = _given(given, raster) if given is not None else _found(world, raster, radar, gsd_m)
        if len(frame) > MOST_PLANES:
            raise ToolError(f"There are {len(frame):,} planes, and {MOST_PLANES:,} are the most at once.")
        measured: list[MeasuredPlane] = (
            world.work(
                "Measuring planes", measure_planes, raster.path, _outlines(frame), radar=radar, gsd_m=gsd_m
            )
            if len(frame)
            else []
        )
    except RasterError as error:
        raise ToolError(str(error)) from None
    result = _with_types(frame, measured)
    facts: dict[str, Any] = {
        "planes": [_plane_facts(each) for each in measured[:100]],
        "by_type": _by_type(measured),
        "model": model,
    }
    said = _said(raster, measured, model)
    name = one_line(f"Plane types in {raster.name}")
    return detections_step(state, world, call, inputs, result, name=name, said=said, **facts)


def _given(given: Detections, raster: Raster) -> tuple[gpd.GeoDataFrame, str]:
    """The planes among detections of this image. Raises ToolError for those of another image."""
    from data.vision.aircraft import NAMES

    frame = given.frame
    if "source" in frame and len(frame) and raster.handle not in set(frame["source"].astype(str)):
        other = one_line(str(frame["source"].iloc[0]))
        raise ToolError(f"{given.handle} was found in {other}, not in {raster.handle}; give that image.")
    names = frame["class_name"].astype(str).str.lower().str.replace("-", " ")
    planes = frame[names.isin(NAMES)].reset_index(drop=True)
    if len(frame) and not len(planes):
        there = listed(sorted(set(frame["class_name"].astype(str))), 6)
        raise ToolError(f"{given.handle} holds no planes; it has {there}.")
    return planes, str(planes["model"].iloc[0]) if len(planes) and "model" in planes else "given"


def _found(world: World, raster: Raster, radar: bool, gsd_m: float | None) -> tuple[gpd.GeoDataFrame, str]:
    """The planes of an image, found now. Raises ToolError or RasterError."""
    from data.models.choosing import ground_sample_m
    from data.vision.detect import detect
    from data.vision.detections import features
    from data.vision.radar_targets import bright_targets

    pixel_m = ground_sample_m(raster.path) or gsd_m
    if pixel_m is None:
        raise ToolError(
            f"{one_line(raster.name)} says no size of its pixels, so nothing in it has a length; "
            "give gsd_m, in metres."
        )
    if radar:
        if pixel_m > 5:
            raise ToolError(
                f"The pixels of {one_line(raster.name)} are {pixel_m:.3g} m wide; a plane's size shows "
                "below 5 m."
            )
        found = world.work("Looking for planes", bright_targets, raster.path, gsd_m=pixel_m)
        return features(found, raster.path, model="bright-targets", source=raster.handle), ("bright-targets")
    done = world.work("Looking for planes", detect, raster.path, folder=world.models, classes=["plane"])
    return features(done.found, raster.path, model=done.model, source=raster.handle), str(done.model)


def _outlines(frame: gpd.GeoDataFrame) -> list[tuple[int, list[tuple[float, float]]]]:
    import numpy as np
    from shapely import from_wkt

    return [
        (int(number), [(float(x), float(y)) for x, y in np.asarray(from_wkt(text).exterior.coords)[:-1]])
        for number, text in zip(frame["detection_id"], frame["pixels"].astype(str), strict=True)
    ]


def _with_types(frame: gpd.GeoDataFrame, measured: Sequence[MeasuredPlane]) -> gpd.GeoDataFrame:
    """The detections with what was measured and the nearest types."""
    result = frame.copy()
    best = [each.candidates[0] if each.candidates else None for each in measured]
    result["type_name"] = [None if each is None else each.type.name for each in best]
    result["type_icao"] = [None if each is None else each.type.icao for each in best]
    result["type_confidence"] = [None if each is None else each.likelihood for each in best]
    result["plane_length_m"] = [each.length_m for each in measured]
    result["plane_span_m"] = [each.span_m for each in measured]
    result["candidates"] = [
        "; ".join(f"{one.type.name} {one.likelihood:.2f}" for one in each.candidates) for each in measured
    ]
    numbers = ("type_confidence", "plane_length_m", "plane_span_m")
    texts = ("type_name", "type_icao", "candidates")
    return result.astype({**dict.fromkeys(numbers, "float64"), **dict.fromkeys(texts, "object")})


def _plane_facts(plane: MeasuredPlane) -> dict[str, Any]:
    return {
        "detection_id": plane.detection_id,
        "length_m": plane.length_m,
        "span_m": plane.span_m,
        "error_m": plane.error_m,
        "measured_on": plane.how,
        "candidates": [
            {
                "type": each.type.name,
                "icao": each.type.icao,
                "role": each.type.role,
                "length_m": each.type.length_m,
                "span_m": each.type.span_m,
                "distance": each.distance,
                "confidence": each.likelihood,
            }
            for each in plane.candidates
        ],
    }


def _by_type(measured: Sequence[MeasuredPlane]) -> dict[str, int]:
    """How many have which type as their first candidate, the most first."""
    from collections import Counter

    names = [each.candidates[0].type.name if each.candidates else "unknown" for each in measured]
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _said(raster: Raster, measured: Sequence[MeasuredPlane], model: str) -> str:
    where = one_line(raster.name)
    if not measured:
        return f"Found no plane in {where} with {model}, and so nothing to measure."
    error = sorted(each.error_m for each in measured)[len(measured) // 2]
    text = (
        f"Measured {number_of(len(measured), 'plane')} in {where}, found with {model}, "
        f"each side to about {number(error)} m."
    )
    parts = [_one(each) for each in measured[:_SHOWN]]
    if len(measured) > _SHOWN:
        parts.append(f"and {len(measured) - _SHOWN:,} more in the table.")
    return " ".join([text, *parts])


def _one(plane: MeasuredPlane) -> str:
    """`No. 3 is 37.9 x 35.6 m: likely Airbus A320 (0.55), or Boeing 737-800 (1.9 m longer) …`"""
    size = f"No. {plane.detection_id} is {plane.length_m:.1f} m long and {plane.span_m:.1f} m wide"
    if not plane.candidates:
        return f"{size}, like no type of the table."
    first, rest = plane.candidates[0], plane.candidates[1:4]
    how = "likely" if first.likelihood >= 0.6 else "perhaps" if first.likelihood >= 0.3 else "one of several:"
    text = f"{size}, {how} {first.type.name} ({first.likelihood:.2f})"
    if not rest:
        return f"{text}."
    others = [f"{each.type.name} ({each.likelihood:.2f})" for each in rest]
    apart = max(
        abs(first.type.length_m - rest[0].type.length_m), abs(first.type.span_m - rest[0].type.span_m)
    )
    alike = (
        f"; the first two are {apart:.1f} m apart, less than can be told here"
        if apart < 2 * plane.error_m
        else ""
    )
    return f"{text}, or {listed(others)}{alike}."


TOOLS = (optical_plane_type, sar_plane_type)
