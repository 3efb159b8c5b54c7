"""Pictures of rasters: colour composites and pan-sharpened scenes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import BandChoices, bands_of, finite, said_plainly, with_data
from tools.phrases import listed, number, one_line
from tools.rasters import RasterHandle, raster_of, raster_step

Preset = Literal["true_colour", "false_colour", "agriculture", "swir", "urban", "geology", "water"]
LowPct = Annotated[float, Field(ge=0, lt=100, description="The percentile of a band that becomes darkest.")]
HighPct = Annotated[float, Field(gt=0, le=100, description="The percentile that becomes brightest.")]


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(
        conditions.Raster(
            "raster", of="raster", modality="picture", bands="red+green+blue", level="stretched"
        ),
        "layer",
    ),
    long_running=True,
)
def band_composite(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    preset: Annotated[
        Preset | None,
        Field(description="true_colour unless bands are given; false_colour shows vegetation red."),
    ] = None,
    bands: Annotated[
        BandChoices | None, Field(description="In place of a preset: three for red, green, blue, or one.")
    ] = None,
    low_pct: LowPct = 2.0,
    high_pct: HighPct = 98.0,
    gamma: Annotated[float, Field(ge=0.1, le=10, description="Above 1 lightens the middle.")] = 1.0,
) -> Step:
    """Make an 8-bit colour picture of a raster: true colour, false colour, agriculture, swir, or own bands.

    Each band is stretched between two percentiles to 1 to 255; 0 is nodata. Presets, as red, green, blue:
    true_colour red green blue; false_colour nir red green; agriculture swir16 nir blue; swir swir22 nir red;
    urban swir22 swir16 red; geology swir22 swir16 blue; water nir swir16 red.

    Example: copilot call band_composite raster=raster-5ce4e0 preset=false_colour

    Asked as: true colour picture of the scene | false colour composite | show bands 4, 3 and 2 as RGB |
    natural colours | infrared composite | agriculture view of the image | make an RGB image of it
    """
    from data.raster.composite import PRESETS, composite, preset_bands

    source = raster_of(state, world, raster)
    if preset is not None and bands is not None:
        raise ToolError("band_composite takes preset or bands, not both.")
    if bands is not None and len(bands) not in (1, 3):
        raise ToolError(
            f"band_composite takes three bands for red, green and blue, or one, not {len(bands)}."
        )
    if low_pct >= high_pct:
        raise ToolError(f"low_pct must be below high_pct; they are {low_pct:g} and {high_pct:g}.")
    chosen = preset or "true_colour"
    with said_plainly():
        numbers = bands_of(source.path, bands) if bands else preset_bands(source.path, chosen)
    ends: list[tuple[float, float]] = []
    title = "composite" if bands else PRESETS[chosen].title
    listing = listed([str(each) for each in numbers])

    def make(target: Path) -> None:
        ends.extend(composite(source.path, target, numbers, percents=(low_pct, high_pct), gamma=gamma))

    def said(_: Path) -> str:
        stretch = "; ".join(f"{number(finite(a, 5) or 0)} to {number(finite(b, 5) or 0)}" for a, b in ends)
        return f"{title.capitalize()} of {one_line(source.name)}: bands {listing}, stretched from {stretch}."

    call = Call.of(
        band_composite,
        raster=raster,
        preset=preset,
        bands=bands,
        low_pct=low_pct,
        high_pct=high_pct,
        gamma=gamma,
    )
    looks = {"stretch": "none", "bands": ",".join(str(each + 1) for each in range(len(numbers)))}
    step = raster_step(
        state, world, call, [source], make, name=f"{title.capitalize()} of {source.name}"[:100], said=said,
        options=looks,
    )  # fmt: skip
    return with_data(step, band_numbers=numbers, stretch=[[finite(a), finite(b)] for a, b in ends])


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", bands="red+green+blue"), conditions.Raster("pan", modality="pan")),
    gives=(conditions.Raster("raster", of="raster", grid_of="pan", done="pansharpened"), "layer"),
    long_running=True,
)
def pansharpen(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    pan: Annotated[RasterHandle, Field(description="The panchromatic raster with the smaller pixels.")],
    method: Annotated[
        Literal["brovey", "ihs", "gram_schmidt"], Field(description="How colours and detail are joined.")
    ] = "brovey",
    bands: Annotated[BandChoices | None, Field(description="Which bands; all where left out.")] = None,
) -> Step:
    """Sharpen a multispectral raster with a panchromatic one: its colours on the finer pixels.

    brovey: bands times pan over their mean (Gillespie, Kahle and Walker 1987; gdal_pansharpen's). ihs: plus
    pan minus the mean (Tu et al. 2001). gram_schmidt: by the bands' covariance with it (Laben and Brower
    2000; Aiazzi et al. 2007). The bands are brought onto pan's grid by cubic convolution.

    Example: copilot call pansharpen raster=raster-5ce4e0 pan=raster-9a9a9a

    Asked as: pan-sharpen the scene | sharpen the colours with the panchromatic band | fuse multispectral and
    pan | higher resolution colour image | Brovey fusion | Gram-Schmidt sharpening
    """
    from data.raster.pansharpen import pansharpen as sharpen

    source, fine = raster_of(state, world, raster), raster_of(state, world, pan)
    numbers = bands_of(source.path, bands) if bands else []
    call = Call.of(pansharpen, raster=raster, pan=pan, method=method, bands=bands)
    return raster_step(
        state,
        world,
        call,
        [source, fine],
        lambda target: sharpen(source.path, fine.path, target, bands=numbers, method=method),
        name=f"{source.name} sharpened"[:100],
        said=f"Sharpened {one_line(source.name)} with {one_line(fine.name)} by {method.replace('_', '-')}.",
    )


TOOLS = (band_composite, pansharpen)
