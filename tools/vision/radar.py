"""What radar sees: ships on the water, and land under it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call, Input
from tools.base import Step, World, tool
from tools.phrases import number
from tools.rasters import RasterHandle, raster_of
from tools.vision.products import Outlines, area_facts, area_words, mask_step


@tool("vision", changes_state=True, needs=("raster",), gives=("raster", "vector"), long_running=True)
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
            threshold_before=_rounded(done.threshold_before),
            change_threshold_db=_rounded(done.change_threshold),
            tiles=done.tiles,
            looks=_rounded(done.looks),
            permanent_known=earlier is not None,
        )

    def said(areas: Any) -> str:
        flood = areas[0]
        found.update(area_facts([flood]) | area_facts(areas))
        unit = " dB" if found["modality"] == "sar" else ""
        limit = (
            "no water parts from land in it"
            if found["threshold"] is None
            else f"water {'below' if unit else 'above'} {number(found['threshold'])}{unit}"
        )
        how = f"by {found['method']} ({limit})"
        rest = "".join(f" {each}" for each in notes)
        if earlier is None:
            return (
                f"{area_words(flood)} of {image.name} is under water, {how}; without an image from before, "
                f"flood cannot be told from permanent water.{rest}"
            )
        return (
            f"{area_words(flood)} of {image.name} is flooded since {earlier.name}, beside "
            f"{area_words(areas[1])} of permanent water, {how}.{rest}"
        )

    from_before = earlier is not None
    call = Call.of(flood_mapping, after=after, before=before, dem=dem, min_px=min_px)
    inputs: list[Input] = [each for each in (image, earlier, heights) if each is not None]
    return mask_step(
        state, world, call, inputs, make, name=f"Flood in {image.name}"[:100], said=said,
        classes={1: "flood", 2: "permanent water"} if from_before else {1: "water"},
        polygons=Outlines(min_px=max(1, min_px)), options={"colormap": "blues"}, color="#2b6cb0", found=found,
    )  # fmt: skip


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


TOOLS = (flood_mapping,)
