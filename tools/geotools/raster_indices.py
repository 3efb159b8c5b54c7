"""Spectral indices of a raster: NDVI, EVI, NDWI and twenty others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from state.model import State
from tools import conditions
from tools.artifacts import Call, Input
from tools.base import Step, World, tool
from tools.geotools.raster_arguments import check_numbers, finite, said_plainly, with_data
from tools.phrases import listed, number, one_line
from tools.rasters import RasterHandle, raster_of, raster_step

if TYPE_CHECKING:
    from data.raster.indices import Index
    from data.raster.stats import Moments


def _bands(value: Any) -> Any:
    """{"red": 3} where "red=3,nir=4" was given."""
    if not isinstance(value, str):
        return value
    pairs = [part.replace(":", "=").partition("=") for part in value.split(",") if part.strip()]
    return {name.strip().lower(): after.strip() for name, _, after in pairs}


BandMap = Annotated[
    dict[
        Annotated[str, Field(min_length=1, max_length=20)],
        Annotated[int, Field(ge=1, le=10_000)],
    ],
    BeforeValidator(_bands),
    Field(
        min_length=1,
        max_length=10,
        description='Band numbers by colour where the file does not say: "red=3,nir=4".',
    ),
]


IndexName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        description="NDVI EVI EVI2 SAVI MSAVI OSAVI GNDVI NDRE VARI NGRDI NDWI MNDWI AWEI NDMI NDTI NDCI "
        "NDBI BSI NBR NBR2 BAIS2 NDSI dNBR.",
    ),
]
Scale = Annotated[
    float,
    Field(gt=0, le=1e6, description="What turns stored values into reflectance from 0 to 1: 0.0001."),
]


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", bands_for="index"), conditions.Raster("after", bands_for="index")),
    gives=(conditions.Raster("raster", of="raster", modality="index"), "layer"),
    long_running=True,
)
def spectral_index(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    index: IndexName,
    bands: BandMap | None = None,
    scale: Scale | None = None,
    after: Annotated[
        RasterHandle | None, Field(description="For dNBR: the raster after the fire; raster is before it.")
    ] = None,
) -> Step:
    """Compute a spectral index of a raster (NDVI, EVI, SAVI, NDWI, MNDWI, NDBI, NBR, dNBR …) and show it.

    By the formulas of the papers that the answer names (NDVI: Rouse et al. 1974; NDWI: McFeeters 1996; MNDWI:
    Xu 2006; EVI: Huete et al. 2002; NBR, dNBR: Key and Benson 2006). Bands are found by their names; the
    file's scale and offset are applied. The result is float32 without a unit, nodata not-a-number. Bytes
    without a scale are no reflectance, so that published limits do not hold: this is said, with Otsu's (1979)
    threshold of this image for an index of open water.

    Example: copilot call spectral_index raster=raster-5ce4e0 index=NDVI

    Asked as: compute the NDVI | how green is the vegetation | show the water index | where is it burnt |
    normalised difference snow index | map built-up areas by NDBI | vegetation index of this scene | burn
    severity between the two images | moisture index | EVI of the image | bare soil index
    """
    from data.raster.errors import RasterError
    from data.raster.indices import index_named, spectral

    source = raster_of(state, world, raster)
    second = raster_of(state, world, after) if after is not None else None
    check_numbers(source, scale)
    inputs: list[Input] = [source] if second is None else [source, second]
    with said_plainly():
        wanted = index_named(index)
    made: list[tuple[Moments, dict[str, int]]] = []

    def make(target: Path) -> None:
        later = second.path if second else None
        tags = {"INDEX": wanted.name, "FORMULA": wanted.formula, "SOURCE": wanted.source}
        made.append(spectral(source.path, target, wanted, bands=bands, scale=scale, after=later, tags=tags))
        if not made[0][0].count:
            raise RasterError(f"{wanted.name} has no value anywhere: no pixel has a value in all its bands.")

    call = Call.of(spectral_index, raster=raster, index=index, bands=bands, scale=scale, after=after)
    of = f"{one_line(source.name)} minus {one_line(second.name)}" if second else one_line(source.name)
    step = raster_step(
        state,
        world,
        call,
        inputs,
        make,
        name=f"{wanted.name} of {source.name}"[:100],
        said=lambda target: (
            _sentence(wanted, of, *made[0])
            + ("" if scale is not None else _of_bytes(source.path, target, wanted, made[0][1]))
        ),
        options={"colormap": wanted.colormap},
    )
    return with_data(step, **_facts(wanted, *made[0]))


def _sentence(index: Index, of: str, moments: Moments, bands: dict[str, int]) -> str:
    mean, least, most = (
        number(finite(each, 4) or 0) for each in (moments.mean, moments.minimum, moments.maximum)
    )
    numbers = listed([f"{name} = band {at}" for name, at in bands.items()])
    paper = f"{index.name} ({index.title}; {index.source})"
    return f"{paper} of {of}, with {numbers}: mean {mean}, from {least} to {most}."


def _of_bytes(path: Path, made: Path, index: Index, bands: dict[str, int]) -> str:
    """What is said of an index of digital numbers, and where the image itself parts."""
    import numpy as np

    from data.raster.digital import is_digital
    from data.vision.blocks import samples
    from data.vision.thresholds import HALVES, otsu

    if not is_digital(path, list(bands.values())):
        return ""
    said = (
        " The bands are digital numbers (bytes without a scale) and not reflectance, so published limits of "
        "the index do not hold."
    )
    if not index.title.startswith("open water"):
        return said
    values = np.concatenate([each.ravel() for each in samples(made)])
    values = values[np.isfinite(values)]
    split = otsu(values)
    if split is None or split.ashman < HALVES:
        return f"{said} Nor does it part into water and land by itself; the infrared band alone may."
    limit, share = (
        number(round(split.threshold, 3)),
        number(round(100 * float((values > split.threshold).mean()), 1)),
    )
    return f"{said} In place of 0, Otsu's threshold of this image is {limit}, and {share} % of it lie above."


def _facts(index: Index, moments: Moments, bands: dict[str, int]) -> dict[str, Any]:
    return {
        "index": index.name,
        "formula": index.formula,
        "source": index.source,
        "band_numbers": bands,
        "mean": finite(moments.mean),
        "std": finite(moments.std),
        "min": finite(moments.minimum),
        "max": finite(moments.maximum),
        "valid": moments.count,
    }


TOOLS = (spectral_index,)
