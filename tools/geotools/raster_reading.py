"""What a raster is and what its pixels hold: facts, statistics, values at points."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from state.model import State
from tools.base import Step, World, tool
from tools.geotools.raster_arguments import (
    BandChoices,
    bands_of,
    crs_text,
    finite,
    said_plainly,
)
from tools.phrases import listed, number, number_of, one_line
from tools.rasters import RasterHandle, place_of, raster_of

if TYPE_CHECKING:
    import rasterio

_SHOWN_TAGS = 20
_PERCENTS = (2.0, 50.0, 98.0)


@tool("geotools", needs=("raster",))
def raster_info(state: State, world: World, *, raster: RasterHandle) -> Step:
    """Tell what a raster is: size, pixel size, coordinate system, extent, bands, data type, nodata.

    The pixel size is in the coordinate system's unit; in degrees, also in metres at the raster's centre,
    on the WGS84 ellipsoid. The area is the geodesic one of the raster's box.

    Example: copilot call raster_info raster=raster-5ce4e0

    Asked as: what is this raster | which bands does the scene have | resolution of the image file | what
    projection is it in | how large are its pixels | metadata of the GeoTIFF | describe the raster | what
    does the file contain
    """
    from data.raster.files import opened
    from data.raster.looks import constant_said, constant_values

    source = raster_of(state, world, raster)
    with said_plainly(), opened(source.path) as reader:
        facts = {"raster": source.handle, "name": source.name, **_facts(reader, source.path)}
        constant = constant_values(reader)
    facts["constant"] = None if constant is None else [finite(each) for each in constant]
    names = [each["name"] for each in facts["band_list"]]
    bands = f" ({listed([one_line(each) for each in names if each])})" if any(names) else ""
    size = f"{facts['pixel_x']:.6g} x {facts['pixel_y']:.6g} {facts['unit']}"
    metres = (
        f" (about {number(round(facts['pixel_m'], 2))} m)"
        if facts["unit"] == "degrees" and facts["pixel_m"]
        else ""
    )
    nodata = "no nodata value" if facts["nodata"] is None else f"nodata {_text(facts['nodata'])}"
    where = f" It covers {number(facts['area_km2'])} km²." if facts["area_km2"] else ""
    said = (
        f"{one_line(source.name)}: {facts['width_px']:,} x {facts['height_px']:,} pixels of {size}{metres}, "
        f"{number_of(facts['bands'], 'band')}{bands}, {facts['dtype']}, {nodata}, {facts['crs_name']}.{where}"
    )
    if facts["stored_as"] is not None:
        stored = one_line(str(facts["stored_as"]["dtype"]))
        said = f"{said} Its values were stored as {stored} with a scale or offset."
    if constant is not None:
        said = f"{said} {constant_said(constant)}"
    return Step(state, said, facts)


@tool("geotools", needs=("raster",), long_running=True)
def raster_stats(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    bands: Annotated[BandChoices | None, Field(description="Which bands; all where left out.")] = None,
) -> Step:
    """Give each band's least and greatest value, mean, median, standard deviation and share of valid pixels.

    Over all valid pixels, of complex ones their amplitude; the standard deviation is divided by n.
    Percentiles (2, 50, 98) are exact up to 8 million pixels, and within 1/65,536 of the range beyond.

    Example: copilot call raster_stats raster=raster-5ce4e0 bands=nir

    Asked as: statistics of the raster | what is the mean of the NDVI | minimum and maximum of the band |
    average height in the model | how many pixels have no data | value range of the raster | standard
    deviation of band 1
    """
    from data.raster.files import opened
    from data.raster.stats import band_stats

    source = raster_of(state, world, raster)
    rows, said = [], []
    with said_plainly(), opened(source.path) as reader:
        units = [unit or "" for unit in reader.units]
        amplitudes = reader.dtypes[0].startswith("complex")
        for at in bands_of(source.path, bands) if bands else _all_bands(source.path):
            found, name = band_stats(source.path, at, _PERCENTS), _band_name(source.path, at)
            rows.append(
                {
                    "band": at,
                    "name": name,
                    "unit": units[at - 1],
                    "min": finite(found.moments.minimum),
                    "max": finite(found.moments.maximum),
                    "mean": finite(found.moments.mean),
                    "std": finite(found.moments.std) if found.moments.count else None,
                    "median": finite(found.percentiles[1]),
                    "p2": finite(found.percentiles[0]),
                    "p98": finite(found.percentiles[2]),
                    "valid": found.moments.count,
                    "nodata": found.pixels - found.moments.count,
                    "valid_pct": finite(found.valid_pct),
                }
            )
            said.append(_stats_text(rows[-1]))
    more = f" {len(said) - 6} more bands are in the data." if len(said) > 6 else ""
    if amplitudes:
        more += " These are the amplitudes of its complex pixels."
    data = {"raster": source.handle, "statistics": rows}
    first = {key: value for key, value in rows[0].items() if key not in ("band", "name")}
    return Step(state, f"{one_line(source.name)}: {' '.join(said[:6])}{more}", {**data, **first})


def _stats_text(row: dict[str, Any]) -> str:
    label = f"band {row['band']}" + (f" ({one_line(row['name'])})" if row["name"] else "")
    if not row["valid"]:
        return f"{label} has no valid pixel."
    least, most, mean, median, std = (number(row[key]) for key in ("min", "max", "mean", "median", "std"))
    unit = f" {one_line(row['unit'])}" if row["unit"] not in ("", "1") else ""
    return (
        f"{label} from {least} to {most}{unit}, mean {mean}, median {median}, standard deviation {std}, "
        f"{_share(row['valid_pct'])} % valid."
    )


def _share(percent: float) -> str:
    return number(percent if percent in (0, 100) else float(f"{percent:.4g}"))


def _facts(reader: rasterio.DatasetReader, path: Path) -> dict[str, Any]:
    from data.raster.bands import band_names
    from data.raster.copying import kept_tags
    from data.raster.values import stored_as

    pixel_m, area_km2 = _on_the_ground(reader)
    names = band_names(reader)
    bands = [
        {
            "band": at,
            "name": reader.descriptions[at - 1] or names[at - 1],
            "dtype": reader.dtypes[at - 1],
            "unit": reader.units[at - 1],
            "scale": finite(reader.scales[at - 1]),
            "offset": finite(reader.offsets[at - 1]),
        }
        for at in range(1, reader.count + 1)
    ]
    kept = sorted(kept_tags(reader.tags()).items())
    tags = {one_line(key): one_line(value) for key, value in kept}
    bbox = place_of(path)
    compression = reader.compression
    return {
        "width_px": reader.width,
        "height_px": reader.height,
        "bands": reader.count,
        "band_list": bands,
        "dtype": reader.dtypes[0],
        "nodata": _nodata(reader.nodata),
        "stored_as": stored_as(reader),
        "crs": crs_text(reader.crs).partition(" (")[0],
        "crs_name": crs_text(reader.crs),
        "unit": _unit(reader.crs),
        "pixel_x": finite(abs(complex(reader.transform.a, reader.transform.d))),
        "pixel_y": finite(abs(complex(reader.transform.b, reader.transform.e))),
        "pixel_m": pixel_m,
        "area_km2": area_km2,
        "bounds": [finite(each, 12) for each in reader.bounds],
        "bbox": None if bbox is None else list(bbox),
        "format": reader.driver,
        "compression": compression.name if compression else None,
        "tile_px": list(reader.block_shapes[0][::-1]),
        "overviews": reader.overviews(1),
        "file_mb": round(path.stat().st_size / 1e6, 3),
        "tags": dict(list(tags.items())[:_SHOWN_TAGS]),
    }


def _unit(crs: Any) -> str:
    if crs is None:
        return "pixels"
    if crs.is_geographic:
        return "degrees"
    return (
        "m"
        if str(crs.linear_units).lower() in ("metre", "meter", "metres", "meters")
        else str(crs.linear_units)
    )


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else number(value)


def _nodata(value: float | None) -> float | str | None:
    if value is None:
        return None
    return "not-a-number" if value != value else finite(float(value), 15)


def _on_the_ground(reader: rasterio.DatasetReader) -> tuple[float | None, float | None]:
    """The width of the middle pixel in metres and the raster's area in km², where it has a place."""
    from pyproj import Geod
    from rasterio.errors import RasterioError
    from rasterio.warp import transform

    if reader.crs is None:
        return None, None
    width, height = reader.width, reader.height
    place, steps = reader.transform, range(21)
    middle = [place @ (width / 2 + step, height / 2) for step in (-0.5, 0.5)]
    around = [(width * step / 20, 0) for step in steps] + [(width, height * step / 20) for step in steps]
    around += [(width * (20 - step) / 20, height) for step in steps]
    around += [(0, height * (20 - step) / 20) for step in steps]
    points = [*middle, *(place @ each for each in around)]
    try:
        lon, lat = transform(reader.crs, "EPSG:4326", *map(list, zip(*points, strict=True)))
    except RasterioError:
        return None, None
    if not all(abs(each) <= 90 for each in lat):
        return None, None
    geod = Geod(ellps="WGS84")
    _, _, metres = geod.inv(lon[0], lat[0], lon[1], lat[1])
    area_m2, _ = geod.polygon_area_perimeter(lon[2:], lat[2:])
    return finite(metres, 6), finite(abs(area_m2) / 1e6, 6)


def _all_bands(path: Path) -> list[int]:
    from data.raster.files import opened

    with opened(path) as source:
        return list(range(1, min(source.count, 100) + 1))


def _band_name(path: Path, number: int) -> str | None:
    from data.raster.bands import band_names
    from data.raster.files import opened

    with opened(path) as source:
        return source.descriptions[number - 1] or band_names(source)[number - 1]


TOOLS = (raster_info, raster_stats)
