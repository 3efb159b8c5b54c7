"""New values for a raster: an expression over bands, decibels, another raster's histogram."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import BandChoices, bands_of, finite, with_data
from tools.phrases import number, one_line
from tools.rasters import RasterHandle, raster_of, raster_step
from tools.units import Names

if TYPE_CHECKING:
    from data.raster.calc import Calculated
    from data.raster.stats import Moments

_MOST = 10


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(
        conditions.Raster("raster", of="raster", modality="mask", when="dtype=uint8"),
        conditions.Raster("raster", of="raster", modality="quantity"),
        "layer",
    ),
    long_running=True,
)
def raster_calc(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1000,
            description="Over A or b1, b2 …, colours such as nir, and B, C for others: (nir - red) / B.",
            json_schema_extra={"format": "expression"},
        ),
    ],
    others: Annotated[
        Names | None, Field(description="More rasters, B, C …; they are brought onto the first one's grid.")
    ] = None,
    dtype: Annotated[
        Literal["float32", "float64", "uint8", "int16", "uint16", "int32"] | None,
        Field(description="The data type written: float32, or uint8 for a condition, where left out."),
    ] = None,
) -> Step:
    """Compute an expression over the bands of one or several rasters, or a mask by a condition: A > 0.3.

    A, b1, b2 …, B4 and the bands' names stand for bands; + - * / // % **, comparisons, and, or, not, where,
    abs, sqrt, exp, log, log10, sin, cos, min, max, mean, clip are known. Nodata in a band that is used, and a
    division by nought, give nodata. A condition becomes 0 and 1; the ground where it holds is said in ha.

    Example: copilot call raster_calc raster=raster-5ce4e0 expression="(nir - red) / (nir + red)"

    Asked as: pixels where the NDVI is above 0.4 | threshold the raster at 0.3 | band 4 minus band 3 |
    multiply the raster by 0.0001 | difference between the two rasters | mask of values over 100 | map algebra
    | raster calculator
    """
    from data.raster.calc import calculate

    sources = [raster_of(state, world, each) for each in (raster, *(others or []))]
    if len(sources) > _MOST:
        raise ToolError(f"raster_calc takes up to {_MOST} rasters, not {len(sources)}.")
    made: list[Calculated] = []

    def make(target: Path) -> None:
        paths = [each.path for each in sources]
        made.append(calculate(paths, expression, target, dtype=dtype, tags={"EXPRESSION": expression}))

    call = Call.of(raster_calc, raster=raster, expression=expression, others=others, dtype=dtype)
    names = " and ".join(one_line(each.name) for each in sources)
    step = raster_step(
        state,
        world,
        call,
        sources,
        make,
        name=f"{one_line(expression)} of {sources[0].name}"[:100],
        said=lambda _: f"{one_line(expression)} of {names}: {_calculated_text(made[0])}",
    )
    return with_data(step, **_calculated_facts(made[0]))


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="radar"),),
    gives=(
        conditions.Raster("raster", of="raster", level="intensity", when="inverse=true"),
        conditions.Raster("raster", of="raster", level="decibel"),
        "layer",
    ),
    long_running=True,
)
def to_decibel(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    quantity: Annotated[
        Literal["power", "amplitude"],
        Field(description="What the values are: power (intensity, sigma0), or amplitude."),
    ] = "power",
    bands: Annotated[BandChoices | None, Field(description="Which bands; all where left out.")] = None,
    inverse: Annotated[bool, Field(description="From decibels back to linear values.")] = False,
) -> Step:
    """Turn radar backscatter into decibels, or back: 10 log10 of power, 20 log10 of amplitude.

    Values of nought and below have no logarithm and become nodata; complex pixels count by their amplitude,
    whatever quantity says. The unit dB is written into the file.

    Example: copilot call to_decibel raster=raster-5a75a7 quantity=amplitude

    Asked as: convert the SAR image to dB | radar amplitudes in decibels | sigma nought in dB | log scale for
    the backscatter | from dB back to linear power | make the radar image logarithmic
    """
    from data.raster.decibel import quantity_of, to_decibels

    source = raster_of(state, world, raster)
    numbers = bands_of(source.path, bands) if bands else []
    asked, quantity = quantity, quantity_of(source.path, quantity)
    made: list[Moments] = []

    def make(target: Path) -> None:
        made.append(to_decibels(source.path, target, quantity, bands=numbers, inverse=inverse))

    def said(_: Path) -> str:
        moments = made[0]
        unit = quantity if inverse else "dB"
        if not moments.count:
            return f"{one_line(source.name)} has no value above nought, so every pixel is nodata."
        mean, least, most = (_plain(each) for each in (moments.mean, moments.minimum, moments.maximum))
        way = f"from dB to {quantity}" if inverse else f"from {quantity} to decibels"
        if quantity != asked:
            way = f"from the amplitude of its complex pixels, not {asked}, to decibels"
        return f"Brought {one_line(source.name)} {way}: mean {mean} {unit}, from {least} to {most} {unit}."

    call = Call.of(to_decibel, raster=raster, quantity=asked, bands=bands, inverse=inverse)
    name = f"{source.name} {'linear' if inverse else 'in dB'}"[:100]
    step = raster_step(state, world, call, [source], make, name=name, said=said)
    return with_data(step, unit=quantity if inverse else "dB", **_moment_facts(made[0]))


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="raster", done="matched"), "layer"),
    long_running=True,
)
def histogram_match(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    reference: Annotated[RasterHandle, Field(description="The raster whose histogram it gets.")],
) -> Step:
    """Bring each band's histogram to that of the same band of a reference raster, so that both look alike.

    A value goes to the one of the reference that as many percent of the pixels lie below (Gonzalez and Woods,
    Digital Image Processing). A reference of one band serves all bands.

    Example: copilot call histogram_match raster=raster-5ce4e0 reference=raster-5ce4e0

    Asked as: match the histogram of the two scenes | make the 2010 image look like the 2020 one | balance the
    colours of both images | normalise it to the reference | same brightness as the other raster | radiometric
    matching to the second scene
    """
    from data.raster.matching import match_histogram

    source, wanted = raster_of(state, world, raster), raster_of(state, world, reference)
    call = Call.of(histogram_match, raster=raster, reference=reference)
    return raster_step(
        state,
        world,
        call,
        [source, wanted],
        lambda target: match_histogram(source.path, wanted.path, target),
        name=f"{source.name} matched"[:100],
        said=f"Matched {one_line(source.name)} to the histogram of {one_line(wanted.name)}, band by band.",
    )


def _calculated_text(made: Calculated) -> str:
    moments = made.moments
    if not moments.count:
        return "no pixel has a value."
    if made.expression.is_condition:
        share = number(float(f"{100 * moments.mean:.4g}"))
        ground = "" if made.true_ha is None else f", {number(float(f'{made.true_ha:.6g}'))} ha"
        return f"true on {share} % of the valid pixels{ground}."
    mean, least, most = (_plain(each) for each in (moments.mean, moments.minimum, moments.maximum))
    return f"mean {mean}, from {least} to {most}."


def _calculated_facts(made: Calculated) -> dict[str, Any]:
    facts = {"expression": made.expression.text, **_moment_facts(made.moments)}
    if not made.expression.is_condition:
        return facts
    count = round(made.moments.total)
    share = finite(100 * made.moments.mean) if made.moments.count else None
    return {**facts, "true_px": count, "true_pct": share, "true_ha": finite(made.true_ha)}


def _moment_facts(moments: Moments) -> dict[str, Any]:
    return {
        "mean": finite(moments.mean),
        "std": finite(moments.std),
        "min": finite(moments.minimum),
        "max": finite(moments.maximum),
        "valid": moments.count,
    }


def _plain(value: float) -> str:
    return number(finite(value, 4) or 0.0)


TOOLS = (raster_calc, to_decibel, histogram_match)
