"""What radar sees: ships on the water, and land under it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call, Input
from tools.base import Step, ToolError, World, tool
from tools.detections import detections_step
from tools.phrases import number, number_of
from tools.rasters import Raster, RasterHandle, raster_of
from tools.vectors import VectorHandle, vector_of
from tools.vision.guarding import Anyway, guarded
from tools.vision.products import Outlines, area_facts, area_words, mask_step


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="radar"),),
    gives=("detections",),
    long_running=True,
)
@guarded("image")
def sar_detection(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    false_alarm: Annotated[
        float,
        Field(ge=1e-12, le=0.01, description="How often clutter may pass for a bright pixel by chance."),
    ] = 1e-6,
    min_score: Annotated[
        float, Field(ge=0, le=1, description="Ships of a lower score are left out, 0 to 1.")
    ] = 0.2,
    land: Annotated[
        VectorHandle | None,
        Field(description="Polygons of land, where no ship is looked for; else it is told by brightness."),
    ] = None,
    model: Annotated[
        str | None, Field(max_length=100, description="ships-cfar, the one there is for radar.")
    ] = None,
    anyway: Anyway = False,
) -> Step:
    """Find ships in a radar image by CFAR, with land left out: oriented boxes, lengths and scores.

    Cell-averaging CFAR on gamma clutter with iterative censoring (Crisp 2004; Cui et al. 2011); patches of a
    tree of thresholds are chosen by trees over shape, contrast and surroundings. The score is the share of
    rendered patches like it that were ships, and no probability on real images. Amplitude or decibels.

    Example: copilot call sar_detection image=raster-5a75a7

    Asked as: find the ships in the radar image | anything afloat in the radar scene | vessels in the SAR
    scene | detect boats at night or under cloud | how many ships are out there | ship detection with
    Sentinel-1 | which bright dots on the sea are ships | are there vessels near the harbour
    """
    if model is not None and model != "ships-cfar":
        raise ToolError(f"There is no radar model {model[:40]!r}; ships-cfar is the one there is.")
    source = raster_of(state, world, image)
    ground = vector_of(state, world, land) if land is not None else None
    found = _ships(world, source.path, false_alarm, min_score, ground, anyway)
    if found.land == "no water":
        raise ToolError(
            f"Nothing in {source.name} is even enough to be water, so ships cannot be told from houses in "
            "it; an image with open water, polygons of land (land=…) or anyway=true would be looked at."
        )
    from data.vision.detections import features

    frame = features(found.found, source.path, model="ships-cfar", source=source.handle)
    frame["contrast_db"] = _in_order(found, frame)
    said = _said(
        found, frame, source.name, f"land as in {ground.name}" if ground else "", false_alarm, min_score
    )
    first = () if found.even else (f"Nothing in {source.name} is even enough to be water.",)
    call = Call.of(
        sar_detection,
        image=image,
        false_alarm=false_alarm,
        min_score=min_score,
        land=land,
        model=model,
        anyway=anyway,
    )
    inputs: list[Input] = [source, ground] if ground else [source]
    return detections_step(
        state, world, call, inputs, frame, name=f"Ships in {source.name}"[:100], said=said,
        by_class={"ship": len(frame)} if len(frame) else {}, model="ships-cfar", land=found.land,
        water_share=found.water_share, tiles=found.tiles, said_first=list(first),
    )  # fmt: skip


def _said(found: Any, frame: Any, name: str, given: str, false_alarm: float, min_score: float) -> str:
    """How many ships of which lengths, and how land was told; then what the detector notes."""
    how = {
        "given": given,
        "brightness": f"water is {number(round(100 * found.water_share, 1))} % of it, told by brightness",
        "none": "no land parts from water in it",
    }[found.land]
    lengths = frame["length_m"].dropna()
    sizes = (
        f", {number(round(lengths.min()))} to {number(round(lengths.max()))} m long" if len(lengths) else ""
    )
    said = (
        f"{number_of(len(frame), 'ship')} in {name} by ships-cfar (false alarm {false_alarm:g}, score "
        f"from {number(min_score)}; {how}){sizes}."
    )
    return " ".join([said, *found.notes])


def _ships(world: World, path: Path, false_alarm: float, min_score: float, land: Any, anyway: bool) -> Any:
    """The ships, found where heavy work runs; the polygons of land go there as a file."""
    import tempfile

    from data.raster.errors import RasterError
    from data.vision.ships import find_ships

    with tempfile.TemporaryDirectory(prefix="ships-") as folder:
        polygons = None
        if land is not None:
            polygons = Path(folder) / "land.parquet"
            land.frame[["geometry"]].to_parquet(polygons, index=False)
        try:
            return world.work(
                "Finding ships",
                find_ships,
                path,
                false_alarm=false_alarm,
                min_score=min_score,
                land=polygons,
                anyway=anyway,
            )
        except RasterError as error:
            raise ToolError(str(error)) from None


def _in_order(found: Any, frame: Any) -> list[float]:
    """The contrasts in the order of the features, which `features` ranks as this does."""
    ranked = sorted(
        zip(found.found, found.contrasts_db, strict=True),
        key=lambda each: (-each[0].score, *each[0].outline[0].tolist()),
    )
    return [contrast for _, contrast in ranked]


@tool(
    "vision",
    changes_state=True,
    needs=(
        conditions.Raster("after", modality="radar"),
        conditions.Raster("after", bands="green+nir"),
        conditions.Raster("after", bands="green+swir16"),
        conditions.Raster("dem", modality="elevation"),
    ),
    gives=(
        conditions.Raster("raster", of="after", modality="classes"),
        conditions.Vector("vector", geometry="polygon"),
    ),
    long_running=True,
)
@guarded("before", "after")
def flood_mapping(
    state: State,
    world: World,
    *,
    after: Annotated[RasterHandle, Field(description="The image of the flood, radar or optical.")],
    before: Annotated[
        RasterHandle | None,
        Field(description="An image from before of the same kind; it tells flood from permanent water."),
    ] = None,
    dem: Annotated[
        RasterHandle | None,
        Field(description="Heights in metres: steep ground is then never taken for flooded."),
    ] = None,
    min_px: Annotated[
        int, Field(ge=1, le=100_000, description="Smaller patches go to what surrounds them, pixels.")
    ] = 16,
    anyway: Anyway = False,
) -> Step:
    """Map a flood in a radar or optical image, in km² and outlines; an earlier image tells other water apart.

    Radar: refined Lee filter, thresholds from tiles that hold both classes (Martinis, Twele and Voigt 2009;
    Kittler and Illingworth 1986) and, for a pair, the log-ratio. Optical: MNDWI (Xu 2006) or NDWI (McFeeters
    1996). Areas are geodesic. Without `before`, flood cannot be told from other water, which is said.

    Example: copilot call flood_mapping after=raster-5a75a8 before=raster-5a75a7

    Asked as: map the flood | how much land is under water | what got flooded | flooded area in km² | where
    did the river burst its banks | how bad is the flooding | compare the water before and after the storm |
    inundation extent from the radar image | which fields are drowned
    """
    image = raster_of(state, world, after)
    earlier = raster_of(state, world, before) if before is not None else None
    heights = raster_of(state, world, dem) if dem is not None else None
    found: dict[str, Any] = {}
    notes: list[str] = []

    def make(path: Path) -> None:
        from data.vision.flood import map_flood

        done = world.work(
            "Mapping the flood",
            map_flood,
            image.path,
            path,
            earlier.path if earlier else None,
            heights.path if heights else None,
            min_px,
        )
        notes.extend(done.notes)
        found.update(
            model=f"flood-{done.kind}",
            method=done.method,
            modality=done.kind,
            threshold=_rounded(done.threshold),
            water_below=done.below,
            threshold_before=_rounded(done.threshold_before),
            change_threshold_db=_rounded(done.change_threshold),
            tiles=done.tiles,
            looks=_rounded(done.looks),
            permanent_known=earlier is not None,
        )

    call = Call.of(flood_mapping, after=after, before=before, dem=dem, min_px=min_px, anyway=anyway)
    inputs: list[Input] = [each for each in (image, earlier, heights) if each is not None]
    return mask_step(
        state, world, call, inputs, make, name=f"Flood in {image.name}"[:100],
        said=lambda areas: _flood_words(image, earlier, areas, found, notes),
        classes={1: "flood", 2: "permanent water"} if earlier else {1: "water"},
        polygons=Outlines(min_px=max(1, min_px)), options={"colormap": "blues"}, color="#2b6cb0", found=found,
    )  # fmt: skip


def _flood_words(
    image: Raster, earlier: Raster | None, areas: Sequence[Any], found: dict[str, Any], notes: Sequence[str]
) -> str:
    """The observation; the areas that it says join what was found."""
    found.update(area_facts(areas[:1]) | area_facts(areas))
    unit = " dB" if found["modality"] == "sar" else ""
    limit = (
        "no water parts from land in it"
        if found["threshold"] is None
        else f"water {'below' if found['water_below'] else 'above'} {number(found['threshold'])}{unit}"
    )
    how = f"by {found['method']} ({limit})"
    rest = "".join(f" {each}" for each in notes)
    if earlier is None:
        return (
            f"{area_words(areas[0])} of {image.name} is under water, {how}; without an image from before, "
            f"flood cannot be told from permanent water.{rest}"
        )
    return (
        f"{area_words(areas[0])} of {image.name} is flooded since {earlier.name}, beside "
        f"{area_words(areas[1])} of permanent water, {how}.{rest}"
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


TOOLS = (sar_detection, flood_mapping)
