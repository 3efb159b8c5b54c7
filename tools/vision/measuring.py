"""Measure an image itself, and quantities of the ground by formula."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import check_numbers, finite, with_data
from tools.geotools.raster_indices import BandMap, Scale
from tools.phrases import listed, number, one_line
from tools.rasters import RasterHandle, raster_of, raster_step
from tools.vision.guarding import Anyway, guarded

if TYPE_CHECKING:
    from data.vision.inversion import Inverted
    from data.vision.quality import Quality

Vapour = Annotated[
    float | None,
    Field(ge=0.1, le=6, description="Of the air, for temperature by the single-channel method."),
]


@tool("vision", needs=("raster",), long_running=True)
@guarded("image")
def image_quality(state: State, world: World, *, image: RasterHandle, anyway: Anyway = False) -> Step:
    """Say how good an image is: sharpness, noise, range, saturation, haze, clouds, holes and stripes.

    Edge width 10 to 90 % in pixels and the contrast it leaves at the Nyquist frequency, variance of the
    Laplacian, noise (Donoho and Johnstone 1994) and signal over noise in dB, shares in percent. The verdict
    good, fair or poor follows rules of thumb that the answer names; it is no standard.

    Example: copilot call image_quality image=raster-5ce4e0

    Asked as: is this image any good | how sharp is it | image quality | is the picture blurry or noisy |
    can I use this scene | check the quality of the image | signal to noise ratio | is it over-exposed |
    how bad is this picture
    """
    from data.raster.errors import RasterError
    from data.vision.quality import findings, measure_quality, verdict
    from tools.vision.cleaning import is_radar

    source = raster_of(state, world, image)
    try:
        found: Quality = world.work(
            f"Measuring {source.name}", measure_quality, source.path, radar=is_radar(source.path)
        )
    except RasterError as error:
        raise ToolError(str(error)) from None
    wrong = [each.words for each in findings(found)]
    judged = verdict(found)
    why = listed(wrong) if wrong else "nothing measured stands out"
    parts = [f"{source.name} is {judged}: {why}.", *_sharp_words(found), *_value_words(found)]
    return Step(
        state, " ".join(parts), {"verdict": judged, "findings": wrong, "image": image, **_facts(found)}
    )


def _sharp_words(found: Quality) -> list[str]:
    size = f"It has {found.width_px:,} x {found.height_px:,} pixels"
    gsd = "" if found.gsd_m is None else f" of {number(round(found.gsd_m, 3))} m"
    if found.edge_width_px == found.edge_width_px:
        sharp = (
            f"an edge rises over {number(round(found.edge_width_px, 2))} pixels (median of "
            f"{found.edges_measured:,}), which leaves {number(round(100 * found.mtf_nyquist, 1))} % of the "
            "contrast at the Nyquist frequency"
        )
    else:
        sharp = "it has too few clear edges to measure its sharpness"
    return [f"{size}{gsd}; {sharp}."]


def _value_words(found: Quality) -> list[str]:
    first = found.bands[0]
    said = []
    if found.speckle_looks is not None:
        said.append(f"Its speckle is that of {number(round(found.speckle_looks, 2))} looks.")
    elif first.snr_db == first.snr_db:
        said.append(
            f"Noise of {one_line(first.name)} has a standard deviation of "
            f"{_short(first.noise_sigma, 3)}, {number(round(first.snr_db, 1))} dB under the mean; "
            f"its values from {_short(first.low)} to {_short(first.high)} span "
            f"{number(round(first.dynamic_range_db, 1))} dB."
        )
    saturated = max(each.saturated_percent for each in found.bands)
    nodata = max(each.nodata_percent for each in found.bands)
    shares = [
        f"{number(round(saturated, 2))} % of the pixels are saturated",
        f"{number(round(nodata, 2))} % are without a value",
    ]
    if found.haze_percent is not None:
        shares.append(f"haze or pale ground takes {number(round(found.haze_percent, 1))} % of the light")
    if found.cloud_percent is not None:
        shares.append(f"{number(round(found.cloud_percent, 2))} % is cloud")
    stripes = max(each.stripes for each in found.bands)
    shares.append(f"neighbouring lines differ {number(round(stripes, 1))} times what chance explains")
    return [*said, f"At the most {listed(shares)}."]


def _short(value: float, digits: int = 5) -> str:
    return number(float(f"{value:.{digits}g}"))


def _facts(found: Quality) -> dict[str, Any]:
    numbers = (
        "mean", "noise_sigma", "snr_db", "low", "high", "dynamic_range_db", "saturated_percent",
        "nodata_percent", "stripes",
    )  # fmt: skip
    return {
        "width_px": found.width_px,
        "height_px": found.height_px,
        "gsd_m": finite(found.gsd_m, 6),
        "laplacian_variance": finite(found.laplacian_variance, 5),
        "edge_width_px": finite(found.edge_width_px, 5),
        "edges_measured": found.edges_measured,
        "mtf_nyquist": finite(found.mtf_nyquist, 4),
        "speckle_looks": finite(found.speckle_looks, 5),
        "haze_percent": finite(found.haze_percent, 5),
        "cloud_percent": finite(found.cloud_percent, 5),
        "windows": found.windows,
        "bands": [
            {"name": one_line(each.name), **{key: finite(getattr(each, key), 6) for key in numbers}}
            for each in found.bands[:20]
        ],
    }


@tool(
    "vision",
    changes_state=True,
    needs=(
        conditions.Raster("image", modality="thermal", when="quantity=lst"),
        conditions.Raster("image", bands="lwir11", when="quantity=lst"),
        conditions.Raster(
            "image",
            bands="red+nir",
            when="quantity=lai|quantity=chlorophyll|quantity=turbidity|quantity=soil_moisture",
        ),
    ),
    gives=(conditions.Raster("raster", of="image", modality="quantity"),),
    long_running=True,
)
@guarded("image")
def remote_sensing_inversion(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    quantity: Annotated[
        Literal["lst", "lai", "chlorophyll", "turbidity", "soil_moisture"],
        Field(
            description="Land surface temperature, leaf area index, chlorophyll, turbidity, soil moisture."
        ),
    ],
    surface: Annotated[
        Literal["auto", "water", "vegetation"],
        Field(description="Whose chlorophyll; auto takes what there is more of."),
    ] = "auto",
    scale: Scale | None = None,
    bands: BandMap | None = None,
    water_vapour_g_cm2: Vapour = None,
    anyway: Anyway = False,
) -> Step:
    """Compute a quantity of the ground by a published formula: temperature, leaf area, chlorophyll and more.

    Temperature in kelvin: emissivity after Sobrino et al. (2004), Planck's law, or with water vapour
    Jimenez-Munoz et al. (2014). Leaf area in m²/m²: Boegh et al. (2002). Chlorophyll of water in mg/m³:
    Mishra and Mishra (2012); of leaves as an index: Gitelson et al. (2003). Turbidity in FNU: Dogliotti
    et al. (2015). Soil moisture from 0 to 1: OPTRAM (Sadeghi et al. 2017) or TVDI (Sandholt et al. 2002).
    Values beyond what the formula was made for are cut, and their share is told.

    Example: copilot call remote_sensing_inversion image=raster-5ce4e0 quantity=lai

    Asked as: land surface temperature from this scene | leaf area index | how turbid is the water |
    chlorophyll in the lake | soil moisture map | how hot is the ground | how wet are the fields | is
    there algae in the water | invert the LAI
    """
    source = raster_of(state, world, image)
    check_numbers(source, scale)
    found: dict[str, Any] = {}
    made: list[Inverted] = []

    def make(path: Path) -> None:
        from data.vision.inversion import invert

        done = world.work(
            f"Computing {quantity.replace('_', ' ')} of {source.name}",
            invert,
            source.path,
            path,
            quantity,
            surface=surface,
            scale=scale,
            bands=bands,
            vapour_g_cm2=water_vapour_g_cm2,
        )
        made.append(done)
        found.update(_inverted_facts(done))

    call = Call.of(
        remote_sensing_inversion,
        image=image, quantity=quantity, surface=surface, scale=scale, bands=bands,
        water_vapour_g_cm2=water_vapour_g_cm2, anyway=anyway
    )  # fmt: skip
    title = _TITLES.get(quantity, quantity.capitalize())
    step = raster_step(
        state, world, call, [source], make, name=f"{title} of {source.name}"[:100],
        said=lambda _: _inverted_words(made[0], source.name),
        options={"colormap": _COLORMAPS.get(quantity, "viridis")},
    )  # fmt: skip
    return with_data(step, **found)


_TITLES = {"lst": "Surface temperature", "lai": "Leaf area index", "soil_moisture": "Soil moisture"}
_COLORMAPS = {"lst": "magma", "lai": "red_yellow_green", "soil_moisture": "blues"}


def _inverted_facts(done: Inverted) -> dict[str, Any]:
    return {
        "quantity_title": done.title,
        "unit": done.unit,
        "model": "published-formulas",
        "method": done.method,
        "source": done.source,
        **{
            key: finite(value) if isinstance(value, float) else value
            for key, value in done.summary.facts().items()
        },
        "beyond_percent": round(done.beyond_percent, 3),
        "valid_range": list(done.valid),
        "band_numbers": dict(done.band_numbers),
    }


def _inverted_words(done: Inverted, of: str) -> str:
    unit = "" if done.unit == "1" else f" {done.unit}"
    low, mean, high = (
        _short(each) for each in (done.summary.least, done.summary.mean, done.summary.greatest)
    )
    celsius = f" ({number(round(done.summary.mean - 273.15, 1))} °C)" if done.unit == "K" else ""
    beyond = number(round(done.beyond_percent, 2))
    least, most = (number(each) for each in done.valid)
    bands = listed([f"{name} = band {at}" for name, at in done.band_numbers.items()])
    return (
        f"The {done.title} of {of} is {mean}{unit} on average{celsius}, from {low} to {high}{unit}, over "
        f"{done.summary.count:,} pixels; by {done.method} ({done.source}) from {bands}. {beyond} % of the "
        f"values lay beyond {least} to {most}{unit} and were cut to it. {done.note}"
    )


TOOLS = (image_quality, remote_sensing_inversion)
