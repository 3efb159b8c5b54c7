"""Radiometric corrections: calibration, top-of-atmosphere reflectance, haze and clouds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from state.model import State
from tools import conditions
from tools.artifacts import Call, Input, artifact_file
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import BandChoice, band_of, check_numbers, finite, with_data
from tools.phrases import listed, number, number_of
from tools.rasters import Raster, RasterHandle, raster_of, raster_step

if TYPE_CHECKING:
    from data.raster.metadata import Linear, Metadata
    from data.raster.tally import Summary

Quantity = Literal["auto", "radiance", "brightness_temperature", "sigma0", "beta0", "gamma0"]


def _listed(value: Any) -> Any:
    """A list where "B4,B5" or one number was given."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else value


ProductBands = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=20)]],
    BeforeValidator(_listed),
    Field(
        min_length=1,
        max_length=100,
        description="Which of the product's bands the raster's are, in order: B4,B5. Else as described.",
    ),
]
Wavelengths = Annotated[
    list[Annotated[float, Field(ge=0.2, le=20)]],
    BeforeValidator(_listed),
    Field(
        min_length=1, max_length=100, description="The wavelength of each band, micrometres: 0.48,0.56,0.66."
    ),
]
MetadataHandle = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="The document that holds the product's metadata: an MTL, MTD or calibration file.",
    ),
]
Gain = Annotated[
    float, Field(ge=-1e12, le=1e12, description="Instead of metadata: value = gain x DN + offset.")
]
Offset = Annotated[float, Field(ge=-1e12, le=1e12, description="Added after the gain.")]
SunElevation = Annotated[
    float,
    Field(gt=0, le=90, description="Height of the sun over the horizon, degrees; else from the metadata."),
]
_UNITS = {"radiance": "W/(m² sr µm)", "brightness_temperature": "K"}


@dataclass(frozen=True)
class _Document:
    """A metadata file that a call works with."""

    handle: str
    name: str
    key: str
    path: Path


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", level="counts|amplitude"),),
    gives=(
        conditions.Raster(
            "raster", of="raster", level="radiance", done="calibrated", when="quantity=radiance"
        ),
        conditions.Raster(
            "raster",
            of="raster",
            modality="thermal",
            level="kelvin",
            done="calibrated",
            when="quantity=brightness_temperature",
        ),
        conditions.Raster(
            "raster",
            of="raster",
            level="sigma0",
            done="calibrated",
            when="quantity=auto|quantity=sigma0|quantity=beta0|quantity=gamma0",
        ),
    ),
    long_running=True,
)
def radiometric_calibration(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    quantity: Annotated[
        Quantity, Field(description="What the values become; auto: what the metadata is for.")
    ] = "auto",
    metadata: MetadataHandle | None = None,
    bands: ProductBands | None = None,
    gain: Gain | None = None,
    offset: Offset = 0.0,
) -> Step:
    """Turn stored numbers into radiance, brightness temperature, or radar backscatter (sigma0, linear).

    Landsat: L = M x DN + A and T = K2 / ln(K1 / L + 1) from its MTL file (USGS LSDS-1574). Sentinel-1:
    DN² / A² from its calibration file (ESA-EOPG-CSCOP-TN-0002). Without metadata the file's own tags, its
    scale and offset, or gain and offset. DN 0 is fill.

    Example: copilot call radiometric_calibration raster=raster-5ce4e0 gain=0.01 offset=-0.1

    Asked as: calibrate the image | digital numbers to radiance | convert the SAR image to sigma nought |
    brightness temperature of the thermal band | radiance from the MTL | apply gain and offset
    """
    source = raster_of(state, world, raster)
    document = _document(state, world, metadata)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        found.update(_calibrated(source, path, document, quantity, bands, gain, offset))

    def said(_: Path) -> str:
        unit = f" {found['unit']}" if found["unit"] != "1" else ""
        return (
            f"{source.name} is now {found['quantity'].replace('_', ' ')}, {found['how']}: "
            f"{_range(found['mean'], found['min'], found['max'], unit)}."
        )

    call = Call.of(
        radiometric_calibration,
        raster=raster,
        quantity=quantity,
        metadata=metadata,
        bands=bands,
        gain=gain,
        offset=offset,
    )
    inputs: list[Input] = [source, document] if document else [source]
    step = raster_step(state, world, call, inputs, make, name=f"{source.name}, calibrated"[:100], said=said)
    return with_data(step, **found)


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="optical", level="counts|radiance"),),
    gives=(conditions.Raster("raster", of="raster", level="toa", done="calibrated"),),
    long_running=True,
)
def toa_reflectance(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    metadata: MetadataHandle | None = None,
    bands: ProductBands | None = None,
    gain: Gain | None = None,
    offset: Offset = 0.0,
    sun_elevation_deg: SunElevation | None = None,
) -> Step:
    """Turn stored numbers into top-of-atmosphere reflectance from Landsat or Sentinel-2 metadata.

    Landsat: (M x DN + A) / sin(sun elevation) from its MTL (USGS LSDS-1574). Sentinel-2 Level-1C: (DN +
    RADIO_ADD_OFFSET) / QUANTIFICATION_VALUE from its MTD. Or gain and offset; with the sun's height they are
    divided by its sine. DN 0 is fill. No correction for the atmosphere.

    Example: copilot call toa_reflectance raster=raster-5ce4e0 gain=0.0001

    Asked as: top of atmosphere reflectance | TOA from the MTL file | DN to reflectance | convert counts to
    reflectance | at-sensor reflectance with the sun angle | apply the reflectance rescaling factors
    """
    source = raster_of(state, world, raster)
    document = _document(state, world, metadata)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster import calibration

        how, scales = _reflectance(source, document, bands, gain, offset, sun_elevation_deg)
        summary = calibration.rescale(source.path, path, scales, quantity="reflectance", unit="1")
        found.update(_facts(summary), quantity="reflectance", unit="1", how=how)

    def said(_: Path) -> str:
        values = _range(found["mean"], found["min"], found["max"], "")
        return f"Top-of-atmosphere reflectance of {source.name}, {found['how']}: {values}."

    call = Call.of(
        toa_reflectance,
        raster=raster,
        metadata=metadata,
        bands=bands,
        gain=gain,
        offset=offset,
        sun_elevation_deg=sun_elevation_deg,
    )
    inputs: list[Input] = [source, document] if document else [source]
    step = raster_step(
        state, world, call, inputs, make, name=f"{source.name}, TOA reflectance"[:100], said=said
    )
    return with_data(step, **found)


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="optical", level="toa"),),
    gives=(conditions.Raster("raster", of="raster", level="surface", done="haze_corrected"),),
    long_running=True,
)
def dark_object_subtraction(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    method: Annotated[
        Literal["darkest", "scattering"],
        Field(description="Each band's own darkest value, or the first band's and a scattering model."),
    ] = "darkest",
    min_px: Annotated[
        int, Field(ge=1, le=10**9, description="How many pixels must be as dark for it to be haze.")
    ] = 100,
    wavelengths_um: Wavelengths | None = None,
    air: Annotated[
        Literal["very_clear", "clear", "moderate", "hazy", "very_hazy"],
        Field(description="For scattering: how haze falls with the wavelength, from -4 to -0.5."),
    ] = "clear",
    keep_share: Annotated[
        float,
        Field(ge=0, le=1, description="Share of the haze that stays, since dark objects reflect a little."),
    ] = 0.0,
) -> Step:
    """Take the haze of the air off each band: the value of its darkest pixels.

    Chavez (1988), by histogram, or with his relative scattering models from the shortest wavelength on.
    Nothing falls below 0.

    Example: copilot call dark_object_subtraction raster=raster-5ce4e0 min_px=50

    Asked as: remove the atmospheric haze | simple atmospheric correction | DOS correction | subtract the
    dark pixels | correct for path radiance | take the haze off the bands
    """
    source = raster_of(state, world, raster)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster.haze import haze_of, without_haze

        haze = haze_of(source.path, min_px=min_px, method=method, air=air, wavelengths_um=wavelengths_um)
        without_haze(source.path, path, haze, keep_share=keep_share)
        found.update(haze=[finite(each) for each in haze.values], exponent=haze.exponent)

    def said(_: Path) -> str:
        values = listed([f"band {at} {number(each)}" for at, each in enumerate(found["haze"], start=1)])
        model = f" with the haze falling as wavelength^{found['exponent']:g}" if found["exponent"] else ""
        return f"Took the haze off {source.name}{model}: {values}."

    call = Call.of(
        dark_object_subtraction,
        raster=raster,
        method=method,
        min_px=min_px,
        wavelengths_um=wavelengths_um,
        air=air,
        keep_share=keep_share,
    )
    step = raster_step(
        state, world, call, [source], make, name=f"{source.name} without haze"[:100], said=said
    )
    return with_data(step, **found)


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="optical"),),
    gives=(conditions.Raster("raster", of="raster", modality="classes"),),
    long_running=True,
)
def cloud_mask(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    method: Annotated[
        Literal["auto", "qa_pixel", "scl", "spectral"],
        Field(description="Landsat's QA_PIXEL, Sentinel-2's SCL, or brightness and whiteness; auto chooses."),
    ] = "auto",
    band: Annotated[BandChoice | None, Field(description="Which band is the QA_PIXEL or SCL.")] = None,
    scale: Annotated[
        float | None,
        Field(gt=0, le=1e6, description="What makes values reflectance: 0.0001; else guessed by type."),
    ] = None,
    buffer_px: Annotated[int, Field(ge=0, le=100, description="Let clouds grow by so many pixels.")] = 0,
) -> Step:
    """Mask clouds, shadows and snow: 0 clear, 1 cloud, 2 shadow, 3 snow; says how it found them.

    From Landsat's QA_PIXEL bits or Sentinel-2's SCL where the raster has them; else the spectral tests of Zhu
    and Woodcock (2012) without a thermal band, which find no shadows.

    Example: copilot call cloud_mask raster=raster-5ce4e0 scale=0.0001

    Asked as: mask the clouds | where is it cloudy in the scene | cloud cover of this raster | flag clouds
    and their shadows | use the QA band to mask clouds | how much of the image is under cloud
    """
    source = raster_of(state, world, raster)
    index = None if band is None else band_of(source.path, band)
    check_numbers(source, scale)
    factor = scale or _guessed_scale(source.path)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster.clouds import cloud_mask as masked

        made = masked(source.path, path, method=method, band=index, scale=factor, buffer_px=buffer_px)
        found.update(
            method=made.method,
            cloud_pct=round(made.cloud_pct, 3),
            shadow_pct=round(made.shadow_pct, 3),
            snow_pct=round(made.snow_pct, 3),
            valid_px=made.known_px,
        )

    def said(_: Path) -> str:
        how = {
            "qa_pixel": "from its QA_PIXEL band",
            "scl": "from its scene classification",
            "spectral": f"by brightness and whiteness of its values x {factor:g}, which finds no shadows",
        }[found["method"]]
        cloud, shadow, snow = (number(found[f"{each}_pct"]) for each in ("cloud", "shadow", "snow"))
        parts = f"{cloud} % of {source.name} is cloud, {shadow} % shadow and {snow} % snow"
        return f"{parts}, of {number_of(found['valid_px'], 'pixel')}, {how}."

    call = Call.of(cloud_mask, raster=raster, method=method, band=band, scale=scale, buffer_px=buffer_px)
    looks = {"stretch": "minmax", "colormap": "grey"}
    name = f"Clouds of {source.name}"[:100]
    step = raster_step(state, world, call, [source], make, name=name, said=said, options=looks)
    return with_data(step, **found)


def _document(state: State, world: World, handle: str | None) -> _Document | None:
    """The metadata document of that id or name. Raises ToolError with the nearest ones."""
    if handle is None:
        return None
    wanted = handle.strip().casefold()
    named = [each for each in state.artifacts if each.kind == "document" and each.name.casefold() == wanted]
    document = named[-1].id if named else handle
    path = artifact_file(state, world, document, "document")
    artifact = state.artifact(document)
    return _Document(document, artifact.name if artifact else document, document, path)


def _metadata(source: Raster, document: _Document | None) -> Metadata | None:
    from data.raster.calibration import metadata_in_tags
    from data.raster.metadata import read_metadata

    return read_metadata(document.path) if document else metadata_in_tags(source.path)


def _calibrated(
    source: Raster,
    path: Path,
    document: _Document | None,
    quantity: Quantity,
    bands: list[str] | None,
    gain: float | None,
    offset: float,
) -> dict[str, Any]:
    """Write the calibrated raster and say what it holds. Raises RasterError."""
    from data.raster import calibration
    from data.raster.metadata import Landsat, Sentinel1

    check_numbers(source)
    known = _metadata(source, document) if gain is None else None
    if isinstance(known, Sentinel1):
        wanted: Any = "sigma0" if quantity == "auto" else quantity
        summary = calibration.backscatter(source.path, path, known, wanted)
        return {**_facts(summary), "quantity": wanted, "unit": "1", "how": "with its calibration vectors"}
    if known is None:
        how, scales = _plain_scales(source, gain, offset)
        name = "values" if quantity == "auto" else quantity
        unit = _UNITS.get(name, "1")
        summary = calibration.rescale(
            source.path, path, scales, quantity=name, unit=unit, zero_is_nodata=False
        )
        return {**_facts(summary), "quantity": name, "unit": unit, "how": how}
    wanted = "radiance" if quantity == "auto" else quantity
    names = calibration.product_bands(source.path, source.name, bands, calibration.known_bands(known, wanted))
    assert isinstance(known, Landsat)
    thermal = [known.thermal[each] for each in names] if wanted == "brightness_temperature" else None
    summary = calibration.rescale(
        source.path,
        path,
        [known.radiance[each] for each in names],
        quantity=wanted,
        unit=calibration.RADIANCE_UNIT if thermal is None else "K",
        thermal=thermal,
    )
    how = f"with the constants of {known.spacecraft} bands {listed(names)}"
    return {**_facts(summary), "quantity": wanted, "unit": _UNITS[wanted], "how": how, "product_bands": names}


def _reflectance(
    source: Raster,
    document: _Document | None,
    bands: list[str] | None,
    gain: float | None,
    offset: float,
    sun_elevation_deg: float | None,
) -> tuple[str, list[Linear]]:
    """How reflectance comes about, and the scale of each band. Raises RasterError."""
    import math

    from data.raster import calibration
    from data.raster.metadata import Linear

    check_numbers(source)
    known = _metadata(source, document) if gain is None else None
    if known is None:
        how, scales = _plain_scales(source, gain, offset)
        if sun_elevation_deg is not None:
            sine = math.sin(math.radians(sun_elevation_deg))
            scales = [Linear(each.gain / sine, each.offset / sine) for each in scales]
            how = f"{how} and the sun at {number(sun_elevation_deg)}°"
        return how, scales
    names = calibration.product_bands(
        source.path, source.name, bands, calibration.known_bands(known, "reflectance")
    )
    scales = calibration.reflectance_scales(known, names, sun_elevation_deg)
    return f"from the metadata of bands {listed(names)}", scales


def _plain_scales(source: Raster, gain: float | None, offset: float) -> tuple[str, list[Linear]]:
    """The scale of each band as given, or as the file says. Raises ToolError when neither does."""
    from data.raster.calibration import scales_in_file
    from data.raster.files import opened
    from data.raster.metadata import Linear

    if gain is not None:
        with opened(source.path) as reader:
            count = reader.count
        return f"gain {gain:g} and offset {offset:g}", [Linear(gain, offset)] * count
    scales = scales_in_file(source.path)
    if scales is None:
        raise ToolError(
            f"{source.name} says nothing of its calibration; give metadata=document-… with its MTL, MTD or "
            "calibration file, or gain and offset."
        )
    return "with the scale and offset in the file", scales


def _guessed_scale(path: Path) -> float:
    """0.0001 for integers as reflectance is mostly stored, 1 for floating point."""
    from data.raster.files import opened
    from tools.geotools.raster_arguments import said_plainly

    with said_plainly(), opened(path) as reader:
        kinds = {each.rstrip("0123456789") for each in reader.dtypes}
        return 1.0 if kinds & {"float"} else 1 / 255 if "uint8" in reader.dtypes else 1e-4


def _facts(summary: Summary) -> dict[str, Any]:
    plain = {"mean": summary.mean, "min": summary.least, "max": summary.greatest}
    return {"valid_px": summary.count, **{key: finite(value, 7) for key, value in plain.items()}}


def _range(mean: float | None, least: float | None, greatest: float | None, unit: str) -> str:
    if mean is None or least is None or greatest is None:
        return "no pixel has a value"
    return f"the first band runs from {number(least)} to {number(greatest)}{unit}, {number(mean)} on average"


TOOLS = (radiometric_calibration, toa_reflectance, dark_object_subtraction, cloud_mask)
