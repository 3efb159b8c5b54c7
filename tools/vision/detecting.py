"""Find and count objects in optical images: planes, ships, vehicles, tanks, and what added models know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, Tool, ToolError, World, tool
from tools.detections import detections_step
from tools.phrases import groups_in_words, listed, number, number_of, one_line
from tools.rasters import Raster, RasterHandle, raster_of
from tools.vision.guarding import Anyway, guarded

if TYPE_CHECKING:
    from data.vision.detect import Detected

Classes = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=100)]] | None,
    Field(
        max_length=40,
        description="What to look for, in any words: plane, boats, trucks; everything when left out.",
    ),
]
MinScore = Annotated[
    float | None,
    Field(
        ge=0.01,
        le=1,
        description="Least score of a detection, 0.01 to 1, lower finds more, and wrongly; "
        "the model's own when left out.",
    ),
]
ModelName = Annotated[
    str | None,
    Field(min_length=1, max_length=100, description="A model by name; the best for the image when left out."),
]
ORIENTED, UPRIGHT, SEGMENTS = "oriented-object-detection", "object-detection", "instance-segmentation"


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture", bands="red+green+blue"),),
    gives=("detections",),
    long_running=True,
)
@guarded("image")
def optical_detection(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    classes: Classes = None,
    min_score: MinScore = None,
    model: ModelName = None,
    anyway: Anyway = False,
) -> Step:
    """Find planes, ships, vehicles and storage tanks in an optical image, with the best detector there is.

    The model is the best of the cards for the image's bands and resolution (`copilot models list`); it is
    run over windows with overlap, and an object that several windows saw counts once. What comes out is as
    the model draws it: oriented boxes, upright ones or outlines, with a score of 0 to 1, in EPSG:4326, with
    length and width in metres. Ultralytics YOLO26 (Sapkota et al. 2025, arXiv:2509.25164).

    Example: copilot call optical_detection image=raster-0b1ec7 classes='["plane"]'

    Asked as: what objects are in this image | find the planes | detect the ships and boats | where are the
    vehicles | is there anything on the runway | mark the storage tanks | look for aircraft in the photo |
    anything that floats? | what can you spot here | run object detection
    """
    return _detected(
        state,
        world,
        optical_detection,
        image,
        classes,
        min_score,
        model,
        (ORIENTED, UPRIGHT, SEGMENTS),
        anyway,
    )


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture", bands="red+green+blue"),),
    gives=("detections",),
    long_running=True,
)
@guarded("image")
def horizontal_object_detection(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    classes: Classes = None,
    min_score: MinScore = None,
    model: ModelName = None,
    anyway: Anyway = False,
) -> Step:
    """Find objects in an optical image as horizontal boxes, parallel to the image's sides.

    A model of upright boxes gives them; of an oriented one's boxes the upright box around each is taken.
    Otherwise as optical_detection.

    Example: copilot call horizontal_object_detection image=raster-0b1ec7 classes='["plane"]'

    Asked as: horizontal boxes around the planes | axis-aligned bounding boxes of the ships | detect objects
    with upright boxes | HBB detection | plain rectangles round the vehicles | boxes parallel to the image |
    non-rotated bounding boxes please | ordinary bounding boxes for the tanks
    """
    return _detected(
        state,
        world,
        horizontal_object_detection,
        image,
        classes,
        min_score,
        model,
        (UPRIGHT, ORIENTED, SEGMENTS),
        anyway,
    )


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture", bands="red+green+blue"),),
    gives=("detections",),
    long_running=True,
)
@guarded("image")
def rotated_object_detection(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    classes: Classes = None,
    min_score: MinScore = None,
    model: ModelName = None,
    anyway: Anyway = False,
) -> Step:
    """Find objects in an optical image as oriented boxes, with the length, width and heading of each.

    Lengths and headings are measured on the ground (WGS 84), the heading of the long side clockwise from
    north, 0 to 180 degrees. Otherwise as optical_detection.

    Example: copilot call rotated_object_detection image=raster-0b1ec7 classes='["plane"]'

    Asked as: rotated boxes around the ships | oriented bounding boxes | OBB detection | which way do the
    ships point | tight boxes that follow the heading | detect the vehicles with their direction | how long is
    each boat and where does it head | angled boxes round the planes
    """
    return _detected(
        state, world, rotated_object_detection, image, classes, min_score, model, (ORIENTED,), anyway
    )


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture", bands="red+green+blue"),),
    gives=("detections",),
    long_running=True,
)
@guarded("image")
def object_count(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    classes: Classes = None,
    min_score: MinScore = None,
    model: ModelName = None,
    anyway: Anyway = False,
) -> Step:
    """Count the objects of each class in an optical image, and keep the detections that were counted.

    As optical_detection finds them; the number per km² is of the whole image. `count_low`
    and `count_high` are the counts at a score of 0.1 more and 0.1 less.

    Example: copilot call object_count image=raster-0b1ec7 classes='["plane"]'

    Asked as: how many planes are there | count the ships | number of vehicles in the image | how many cars
    are parked here | are there more trucks than cars | how full is the harbour | tally the objects by class |
    how busy is the airport | count everything you can find
    """
    return _detected(
        state,
        world,
        object_count,
        image,
        classes,
        min_score,
        model,
        (ORIENTED, UPRIGHT, SEGMENTS),
        anyway,
        counting=True,
    )


def _detected(
    state: State,
    world: World,
    asked: Tool,
    image: str,
    classes: list[str] | None,
    min_score: float | None,
    model: str | None,
    tasks: Sequence[str],
    anyway: bool,
    *,
    counting: bool = False,
) -> Step:
    """What the four have in common: find, keep, and say it."""
    from data.raster.errors import RasterError
    from data.vision.detect import detect
    from data.vision.detections import features

    raster = raster_of(state, world, image)
    call = Call.of(asked, image=image, classes=classes, min_score=min_score, model=model, anyway=anyway)
    wanted = None if classes is None else [each for each in classes if each.strip()]
    if wanted == []:
        raise ToolError("No class was given; leave classes out to look for everything.")
    spread = 0.1 if counting else 0.0
    try:
        found: Detected = world.work(
            "Looking for objects",
            detect,
            raster.path,
            model=model,
            folder=world.models,
            classes=wanted,
            min_score=min_score,
            below=spread,
            tasks=tuple(tasks),
            upright_boxes=asked.name == "horizontal_object_detection",
        )
    except RasterError as error:
        raise ToolError(str(error)) from None
    least = found.min_score
    kept = [each for each in found.found if each.score >= least]
    frame = features(kept, raster.path, model=found.model, source=raster.handle)
    by_class = dict(Counter(each.class_name for each in kept).most_common())
    facts: dict[str, Any] = {
        "by_class": by_class,
        "model": found.model,
        "classes": list(found.wanted)[:60],
        "min_score": least,
        "windows": found.windows,
        "windows_without_values": found.skipped,
    }
    said = _said(raster, found, by_class, [each.score for each in kept])
    if counting:
        facts |= {
            "count_low": sum(each.score >= least + spread for each in kept),
            "count_high": len(found.found),
        }
        said += f" Between {facts['count_low']:,} and {facts['count_high']:,} with a score 0.1 up or down."
        facts["per_km2"] = _per_km2(raster, len(kept))
        if facts["per_km2"] is not None:
            said += f" That is {number(facts['per_km2'])} per km²."
    what = listed(found.wanted, 3) if wanted and found.wanted else "Objects"
    name = one_line(f"{what[:1].upper()}{what[1:]} in {raster.name}")
    return detections_step(state, world, call, [raster], frame, name=name, said=said, **facts)


def _said(raster: Raster, found: Detected, by_class: dict[str, int], scores: list[float]) -> str:
    """How many of what, by which model, and how far to trust that."""
    where = one_line(raster.name)
    count = len(scores)
    if count:
        text = (
            f"Found {number_of(count, 'object')} in {where} with {found.model}: "
            f"{groups_in_words(by_class.items())}, scores {min(scores):.2f} to {max(scores):.2f}."
        )
    else:
        sought = listed(found.wanted, 6) or "object"
        text = f"Found no {sought} in {where} with {found.model} at a score of {found.min_score:g} or more."
    if found.skipped:
        text += f" {found.skipped:,} of {found.windows:,} windows hold no values and were left out."
    return " ".join([text, *found.notes])


def _per_km2(raster: Raster, count: int) -> float | None:
    """Objects per square kilometre of the image's box on the ground; None without a place."""
    from data.raster.areas import row_areas_m2
    from data.raster.windows import grid_of
    from data.vision.ground import ground_of

    if ground_of(raster.path) is None:
        return None
    grid = grid_of(raster.path)
    area_km2 = float(row_areas_m2(grid).sum()) * grid.width / 1e6
    return round(count / area_km2, 3) if area_km2 > 0 else None


TOOLS = (optical_detection, horizontal_object_detection, rotated_object_detection, object_count)
