"""What two dates of one place tell: what changed, what was damaged, what burned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call, Input
from tools.base import Step, ToolError, World, tool
from tools.map.classes import ladder
from tools.phrases import listed, number, number_of
from tools.rasters import RasterHandle, raster_of
from tools.vectors import VectorHandle, vector_of, vector_step
from tools.vision.guarding import Anyway, guarded
from tools.vision.products import Outlines, area_words, mask_step


@tool(
    "vision",
    changes_state=True,
    needs=("raster",),
    gives=(
        conditions.Raster("raster", of="before", modality="mask"),
        conditions.Vector("vector", geometry="polygon"),
    ),
    long_running=True,
)
@guarded("before", "after")
def change_detection(
    state: State,
    world: World,
    *,
    before: Annotated[RasterHandle, Field(description="The earlier image.")],
    after: Annotated[RasterHandle, Field(description="The later image of the same place.")],
    method: Annotated[
        Literal["auto", "cva", "irmad", "log_ratio", "buildings"],
        Field(
            description="Change vectors, iteratively reweighted MAD, radar's log-ratio, or new and lost "
            "buildings; auto takes what suits the images."
        ),
    ] = "auto",
    min_px: Annotated[int, Field(ge=1, le=100_000, description="Smaller patches are left out, pixels.")] = 8,
    anyway: Anyway = False,
) -> Step:
    """Find what changed between two images of one place: magnitude, outlines with areas, share of the image.

    The second image is first moved onto the first by phase correlation, and matched to its histogram where
    the method needs it; both are said. Change vector analysis (Malila 1980), IR-MAD (Nielsen 2007), log-ratio
    for radar (Bazi et al. 2005), and a comparison of building-like objects for colour images of 2 m or finer.

    Example: copilot call change_detection before=raster-5ce4e0 after=raster-5ce4e1

    Asked as: what changed between these two images | compare the two dates | what is new here | spot the
    difference | which buildings were built since then | has anything been torn down | changed area between
    before and after | where did it change and how much | detect changes
    """
    first, second = raster_of(state, world, before), raster_of(state, world, after)
    found: dict[str, Any] = {}
    done: list[str] = []

    def make(path: Path) -> None:
        from data.vision.change import map_change

        how = (method, min_px, anyway)
        made = world.work("Comparing the images", map_change, first.path, second.path, path, *how)
        done.extend(made.done)
        found.update(
            model=f"change-{made.method.replace('_', '-')}",
            method=made.method,
            threshold=round(made.threshold, 4),
            unit=made.unit,
            shift_px=None if made.shift_px is None else [round(each, 3) for each in made.shift_px],
            histograms_matched=made.matched,
            correlations=list(made.correlations),
            likeness=made.likeness,
            said_first=list(made.said),
        )

    def said(areas: Any) -> str:
        how = f"by {NAMES[found['method']]} over {number(found['threshold'])} ({found['unit']})"
        between = f"changed between {first.name} and {second.name}, {how}."
        if not areas[0].pixels:
            return f"Nothing {between} {' '.join(done)}"
        doubt = (
            " More than half changed, though the method takes most of the ground for unchanged: crops, "
            "season and light may be all it shows."
            if areas[0].share_percent > _MOST_PERCENT
            else ""
        )
        return f"{area_words(areas[0])} {between}{doubt} {' '.join(done)}"

    call = Call.of(change_detection, before=before, after=after, method=method, min_px=min_px, anyway=anyway)
    return mask_step(
        state, world, call, [first, second], make, name=f"Change, {first.name} to {second.name}"[:100],
        said=said, classes={1: "changed"}, polygons=Outlines(min_px=min_px, mean_of=(("magnitude", 2),)),
        options={"colormap": "magma"}, color="#b83280", found=found,
    )  # fmt: skip


@tool(
    "vision",
    changes_state=True,
    needs=(
        conditions.Raster("before", modality="optical|picture"),
        conditions.Raster("after", modality="optical|picture"),
    ),
    gives=(conditions.Vector("vector", geometry="polygon"),),
    long_running=True,
)
@guarded("before", "after")
def building_damage_detection(
    state: State,
    world: World,
    *,
    before: Annotated[RasterHandle, Field(description="The image from before the disaster.")],
    after: Annotated[RasterHandle, Field(description="The image from after it.")],
    buildings: Annotated[
        VectorHandle | None,
        Field(description="Outlines of the buildings; else they are extracted from the image before."),
    ] = None,
    anyway: Anyway = False,
) -> Step:
    """Assess each building's damage from images before and after: four levels, a score and counts per level.

    No damage, minor, major, destroyed, as in the Joint Damage Scale (Gupta et al. 2019, xBD). How a roof
    correlates, its edges, lightness, colour and texture in both images, against its surroundings, go through
    an ordinal logistic regression fitted on rendered pairs. The score is 0 (no damage) to 1 (destroyed).

    Example: copilot call building_damage_detection before=raster-70e0a0 after=raster-70e0a1

    Asked as: which buildings were damaged | how bad is it? | damage per house after the tornado | how many
    buildings were destroyed | assess the damage from the earthquake | what is left standing | damage levels
    of the buildings | which roofs are gone | hurricane damage assessment
    """
    first, second = raster_of(state, world, before), raster_of(state, world, after)
    given = vector_of(state, world, buildings) if buildings is not None else None
    frame, done, outside, first_said = _assessed(world, first.path, second.path, given, anyway)
    counts = {each: int((frame["level"] == each).sum()) for each in frame.attrs["levels"]}
    call = Call.of(building_damage_detection, before=before, after=after, buildings=buildings, anyway=anyway)
    inputs: list[Input] = [first, second, given] if given else [first, second]
    beside = f" {number_of(outside, 'building')} lie outside the images." if outside else ""
    worst = _worst(frame)
    if worst:
        which = listed([_worst_said(each) for each in worst])
        beside += f" The worst {'is' if len(worst) == 1 else 'are'} {which}."
    said = (
        f"{number_of(len(frame), 'building')} of {first.name} assessed against {second.name} by "
        f"damage-ordinal: {listed([f'{name} {count:,}' for name, count in counts.items()])}.{beside} "
        f"{' '.join(done)} The levels were fitted on rendered pairs: take them as an order of where to look."
    )
    mean = round(float(frame["score"].mean()), 4) if len(frame) else None
    return vector_step(
        state, world, call, inputs, frame, name=f"Damage in {second.name}"[:100], said=said, color="#dd6b20",
        options=ladder("level", frame.attrs["levels"]).option, by_level=counts, mean_score=mean,
        outside=outside, worst=worst, model="damage-ordinal", said_first=list(first_said),
    )  # fmt: skip


def _worst(frame: Any) -> list[dict[str, Any]]:
    """The damaged buildings of the highest scores: number, level, score and place."""
    damaged = frame[frame["level_number"] > 0].sort_values(["score", "building_id"], ascending=[False, True])
    return [
        {
            "building_id": int(row["building_id"]),
            "level": str(row["level"]),
            "score": round(float(row["score"]), 2),
            "lon": round(float(shape.centroid.x), 6),
            "lat": round(float(shape.centroid.y), 6),
        }
        for row, shape in zip(damaged.head(3).to_dict("records"), damaged.geometry.head(3), strict=True)
        if shape is not None and not shape.is_empty
    ]


def _worst_said(each: Mapping[str, Any]) -> str:
    where = f"{each['lon']:.5f}, {each['lat']:.5f}"
    return f"building {each['building_id']} ({each['level']}, score {each['score']:.2f}, at {where})"


def _assessed(
    world: World, before: Path, after: Path, given: Any, anyway: bool
) -> tuple[Any, tuple[str, ...], int, tuple[str, ...]]:
    """The buildings with their damage, what was done to the pair, how many lie outside, what comes first."""
    import tempfile

    from data.raster.errors import RasterError
    from data.vector.files import read_geoparquet
    from data.vision.damage import LEVELS, assess

    with tempfile.TemporaryDirectory(prefix="damage-") as folder:
        target, outlines = Path(folder) / "damage.parquet", None
        if given is not None:
            outlines = Path(folder) / "buildings.parquet"
            flat = given.frame[given.frame.geometry.geom_type.isin(["Polygon", "MultiPolygon"])]
            if not len(flat):
                raise ToolError(f"{given.name} holds no polygons, so no outlines of buildings.")
            flat[["geometry"]].to_parquet(outlines, index=False)
        try:
            done, outside, said = world.work(
                "Assessing damage", assess, before, after, target, outlines, anyway
            )
        except RasterError as error:
            raise ToolError(str(error)) from None
        frame = read_geoparquet(target)
    frame.attrs["levels"] = LEVELS
    return frame, done, outside, said


_MOST_PERCENT = 50.0
"""More than that is no change that the methods, which start from what stayed, can be right about."""
NAMES = {
    "cva": "change vectors",
    "irmad": "IR-MAD",
    "log_ratio": "log-ratio",
    "buildings": "building-like objects",
}


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("after", bands="nir+swir22"), conditions.Raster("before", bands="nir+swir22")),
    gives=(
        conditions.Raster("raster", of="after", modality="classes"),
        conditions.Vector("vector", geometry="polygon"),
    ),
    long_running=True,
)
@guarded("before", "after")
def burned_area(
    state: State,
    world: World,
    *,
    after: Annotated[RasterHandle, Field(description="The image from after the fire.")],
    before: Annotated[
        RasterHandle | None, Field(description="An image from before it; severity needs one.")
    ] = None,
    min_area_m2: Annotated[
        float, Field(ge=0, le=1e12, description="Smaller patches get no outline, square metres.")
    ] = 0.0,
    anyway: Anyway = False,
) -> Step:
    """Map what burned and how severely, by dNBR: area in km² of low to high severity, and outlines.

    dNBR in the classes of Key and Benson (2006): low from 0.10, moderate-low from 0.27, moderate-high from
    0.44, high from 0.66, less the median of what did not burn. Without `before`, NBR below -0.1 alone,
    which bare soil may meet too. Needs near infrared (nir) and short-wave infrared 2 (swir22).

    Example: copilot call burned_area after=raster-5ce4e1 before=raster-5ce4e0

    Asked as: how much burned | burn scar | fire damage map | how severe was the wildfire | area of the
    bushfire in km² | which forest went up in flames | dNBR severity classes | what did the fire destroy |
    map the scorched land
    """
    image = raster_of(state, world, after)
    earlier = raster_of(state, world, before) if before is not None else None
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.vision.burn import map_burned

        done = world.work(
            "Mapping what burned", map_burned, image.path, path, earlier.path if earlier else None
        )
        found.update(
            model=f"burned-{done.method.lower()}",
            method=done.method,
            mean_index=done.mean_index,
            offset=done.offset,
            water_left_out=done.water_left_out,
        )

    def said(areas: Any) -> str:
        found.update(_total(areas))
        if not sum(each.pixels for each in areas):
            return f"Nothing in {image.name} shows as burned by {found['method']}."
        if earlier is None:
            return f"{area_words(areas[0])} of {image.name} {_ONE_DATE}"
        parts = listed([f"{each.name} {area_words(each)}" for each in areas if each.pixels])
        known = found["area_km2"]
        total = f"{number(known)} km²" if known is not None else f"{number(found['share_percent'])} %"
        return (
            f"{total} burned between {earlier.name} and {image.name}, by dNBR (mean "
            f"{number(found['mean_index'])}, {number(found['offset'])} of what did not burn taken off): "
            f"{parts}."
        )

    from data.vision.burn import BURNED, SEVERITIES

    call = Call.of(burned_area, after=after, before=before, min_area_m2=min_area_m2, anyway=anyway)
    inputs: list[Input] = [image, earlier] if earlier else [image]
    return mask_step(
        state, world, call, inputs, make, name=f"Burned in {image.name}"[:100], said=said,
        classes=SEVERITIES if earlier else BURNED, ordered=True,
        polygons=Outlines(min_area_m2=min_area_m2, min_px=3, mean_of=(("index", 2),)),
        options={"colormap": "magma"}, color="#c53030", found=found,
    )  # fmt: skip


_ONE_DATE = (
    "has the look of burned land by NBR below -0.1; bare soil and built-up land may have it too, and "
    "severity needs an image from before."
)


def _total(areas: Any) -> dict[str, Any]:
    """All classes of a mask together."""
    placed = all(each.area_m2 is not None for each in areas)
    square_m = round(sum(each.area_m2 or 0.0 for each in areas), 1) if placed else None
    return {
        "area_m2": square_m,
        "area_km2": None if square_m is None else round(square_m / 1e6, 6),
        "share_percent": round(sum(each.share_percent for each in areas), 4),
    }


TOOLS = (change_detection, building_damage_detection, burned_area)
