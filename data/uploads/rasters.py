"""TIFF, PNG, JPEG and JPEG 2000 as they come in: checked, placed, and made a GeoTIFF where they are none."""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from pyproj import CRS
from rasterio.enums import ColorInterp, Resampling
from rasterio.errors import RasterioError
from rasterio.warp import calculate_default_transform, reproject
from rasterio.windows import Window

from data.numbers import EXACT
from data.raster.bands import band_names, find_band
from data.raster.copying import has_mask
from data.raster.files import geotiff_profile
from data.raster.looks import constant_said
from data.raster.sensors import sensor_of
from data.raster.values import Meaning, meaning_of, values_type
from data.raster.windows import is_nodata, missing_in
from data.readers.raster_info import RasterInfo, raster_info
from data.readers.when import day_in_name, parse_time, year_in_name
from data.uploads.brought import Brought, Incoming
from data.uploads.errors import UploadError, shown
from data.uploads.gdal import check_blocks, opened, quiet_gdal, reason_of
from data.uploads.item import raster_parts
from data.uploads.placing import Placing, camera_point, placing_of
from data.uploads.statistics import band_statistics, undeclared_nodata
from data.vector.systems import code_of

STRIP_BYTES = 64_000_000
"""What is held of a raster while it is copied."""
LINKED_BYTES = 64_000_000
"""Files of ours over this size are linked, not copied."""
MOST_NAMED = 8
"""Bands of which the names are said."""


def bring_raster(incoming: Incoming, form: str) -> Brought:
    """The raster as a GeoTIFF in the private folder. Raises UploadError, one sentence."""
    _one_part_only(incoming)
    target = incoming.folder / f"{_stem(incoming.name)}.tif"
    try:
        with opened(incoming.path, form, incoming.name) as source:
            if form == "tiff":
                check_blocks(source, incoming.path, incoming.name)
            placing = placing_of(source, incoming)
            tags, pages = source.tags(), len(source.subdatasets)
            described = f"{source.count} band{'' if source.count == 1 else 's'} of {source.dtypes[0]}"
            meaning, unclear = meaning_of(source, incoming.name)
            nodata_said = None
            if meaning is not None:
                meaning, nodata_said = _with_nothing(source, meaning, incoming)
            as_it_is = form == "tiff" and not placing.changed and meaning is None
            if not as_it_is:
                write_placed(source, target, placing, meaning)
            messages = _messages_said(source) if form == "grib" else None
            values_said = None if meaning is None else meaning.note(source)
    except (RasterioError, OSError) as error:
        if isinstance(error, OSError) and error.errno == 28:
            raise UploadError(f"There is not enough free disk space for {incoming.shown}.") from None
        raise UploadError(
            f"{incoming.shown} is cut off or broken: its pixels cannot be read ({reason_of(error)}); "
            "send it again."
        ) from None
    if as_it_is:
        _take(incoming, target)
    notes = [*placing.notes, *(each for each in (messages, values_said, unclear, nodata_said) if each)]
    if pages > 1:
        notes.append(f"It has {pages} pages, of which the first was taken.")
    return finished(incoming, target, TITLES[form], described, notes, tags, meant=meaning is not None)


TITLES = {"tiff": "a GeoTIFF", "png": "a PNG image", "jpeg": "a JPEG image", "jp2": "a JPEG 2000",
          "grib": "a GRIB", "asc": "an ASCII grid", "mbtiles": "an MBTiles"}  # fmt: skip


def finished(
    incoming: Incoming,
    target: Path,
    title: str,
    described: str,
    notes: list[str],
    tags: dict[str, Any],
    *,
    meant: bool = False,
) -> Brought:
    """What is known of a GeoTIFF that lies in the private folder. Raises UploadError for one of no value.

    What stands for nothing is written into it, as asked or as its numbers tell, but where they are `meant`:
    values by their file's own word already.
    """
    statistics, sampled = _settled(incoming, target, notes, meant)
    with opened(target, "tiff", incoming.name) as source:
        crs, transform = source.crs, source.transform
        size = f"{source.width:,} x {source.height:,} pixels"
        placed = crs is not None and not transform.is_identity
        facts = {
            "width_px": source.width,
            "height_px": source.height,
            "bands": source.count,
            "dtype": source.dtypes[0],
            "nodata": _plain(source.nodata),
            "crs": code_of(CRS.from_user_input(crs)) if crs else None,
            "statistics": statistics,
        }
        notes += _bands_said(source, statistics, notes)
    if (said := _of_one_value(statistics, sampled)) is not None:
        notes.append(said)
    info = _info(target, incoming)
    if told := _name_bands(target, incoming.name):
        sensor = sensor_of(incoming.name)
        of = "its name tells them" if sensor is None else f"{sensor.name} has them"
        notes.append(f"Its bands are taken for {', '.join(told)}, as {of}.")
        info = _info(target, incoming)
    taken = parse_time(tags.get("EXIF_DateTimeOriginal")) or parse_time(tags.get("EXIF_DateTime"))
    if taken is not None:
        info = replace(info, acquired=taken)
    point = None if placed else camera_point(tags)
    if point is not None:
        notes.append(f"Its camera stood at {point[0]:.6f}, {point[1]:.6f} (longitude, latitude).")
    where = f" in {facts['crs']}" if placed else ""
    if info.gsd_m and placed:
        where += f", {info.gsd_m:g} m a pixel"
    if info.acquired is not None and taken is None and info.acquired == _year_alone(incoming.name):
        notes.append(f"Its time, by its name, is the year {info.acquired:%Y}.")
    elif info.acquired is not None:
        form = "%Y-%m-%d" if info.acquired.time() == time() else "%Y-%m-%d %H:%M:%S UTC"
        notes.append(f"Its time, by its tags or its name, is {info.acquired:{form}}.")
    facts.update(gsd_m=info.gsd_m, acquired=info.acquired.isoformat() if info.acquired else None)
    if point is not None:
        facts["camera"] = list(point)
    extent = info.extent if placed else None
    return Brought(
        kind="raster",
        path=target,
        suffix=".tif",
        summary=f"{described.split(' of ')[0]}, {size}",
        what=f"{title} of {described}, {size}{where}",
        notes=tuple(notes),
        bbox=None if extent is None else (extent.west, extent.south, extent.east, extent.north),
        point=point,
        bands=_shown_bands(target),
        facts=facts,
        item=raster_parts(target, info, extent, statistics, sampled, point),
    )


def _bands_said(
    source: rasterio.DatasetReader, statistics: list[dict[str, Any]], said: list[str]
) -> list[str]:
    """The sentences about names of bands, the value for nothing and colours that a file tells."""
    found = []
    names = [str(each)[:40] for each in source.descriptions if each]
    if source.count > 1 and len(names) == source.count:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        found.append(f"Its bands are called {', '.join(names[:MOST_NAMED])}{more}.")
    unsaid = not any("nodata" in each for each in said)
    if source.nodata is not None and math.isfinite(source.nodata) and unsaid:
        found.append(f"Its nodata is {source.nodata:,.6g}.")
    if source.count == 1 and source.colorinterp[0] is ColorInterp.palette:
        found.append("Its numbers are classes with a colour each.")
    largest = max((abs(each[end]) for each in statistics for end in ("min", "max") if each[end]), default=0)
    if source.dtypes[0] in ("int64", "uint64") and largest >= EXACT:
        found.append("It has whole numbers over 2^53; their first 15 digits are computed with.")
    return found


def _settled(
    incoming: Incoming, target: Path, notes: list[str], meant: bool
) -> tuple[list[dict[str, Any]], bool]:
    """The statistics of a GeoTIFF of ours, once what stands for nothing is written into it and said."""
    with opened(target, "tiff", incoming.name) as source:
        found = _statistics(source, incoming)
        nothing, said = ({}, None) if meant else _nothing(source, found[0], incoming)
    if said is None:
        return found
    notes.append(said)
    _declare(target, nothing)
    with opened(target, "tiff", incoming.name) as source:
        return _statistics(source, incoming)


def _with_nothing(
    source: rasterio.DatasetReader, meaning: Meaning, incoming: Incoming
) -> tuple[Meaning, str | None]:
    """The meaning of numbers with those that stand for nothing unsaid; and a note about them."""
    statistics, _ = _statistics(source, incoming)
    nothing, said = _nothing(source, statistics, incoming)
    return replace(meaning, nothing=nothing, as_declared=incoming.asked.nodata is None), said


def _nothing(
    source: rasterio.DatasetReader, statistics: list[dict[str, Any]], incoming: Incoming
) -> tuple[dict[int, float], str | None]:
    """By band, what stands for nothing though the file does not say so; and the sentence about it."""
    wanted = incoming.asked.nodata
    if wanted is None:
        found = undeclared_nodata(source, statistics, incoming.shown)
        values = " and ".join(f"{each:,.6g}" for each in sorted(set(found.values())))
        return found, None if not found else (
            f"{values} lies far from all its other numbers and was taken for nodata, though the file does "
            "not say so; add it again with nodata=none to keep it as a value."
        )
    if wanted == "none":
        return {}, "Each of its numbers is a value, as was asked."
    kind = np.dtype(source.dtypes[0].replace("complex_int16", "complex64"))
    if kind.kind in "iu" and not (
        float(wanted).is_integer() and np.iinfo(kind).min <= wanted <= np.iinfo(kind).max
    ):
        raise UploadError(f"{incoming.shown} has pixels of {kind}, and {wanted:,.6g} is none of them.")
    return dict.fromkeys(range(1, source.count + 1), wanted), f"{wanted:,.6g} is its nodata, as was asked."


def _declare(target: Path, nothing: Mapping[int, float]) -> None:
    """Write a GeoTIFF of ours anew with what stands for nothing in it as its nodata; {}: without one."""
    aside = target.with_name(f"{target.stem}-nodata.tif")
    with quiet_gdal(), rasterio.open(target, driver="GTiff") as source:
        write_declared(source, aside, nothing)
    aside.replace(target)


def write_declared(source: rasterio.DatasetReader, target: Path, nothing: Mapping[int, float]) -> None:
    """Write an open raster as a GeoTIFF with what stands for nothing in each band as its nodata.

    Its overviews are left out, since they are means over such numbers, and a mask, which goes before nodata.
    """
    one = next(iter(nothing.values()), None)
    # What the file did say stays so: the others become it.
    nodata = None if one is None else one if source.nodata is None else source.nodata
    with rasterio.open(target, "w", **_profile(source, source.dtypes[0], nodata)) as writer:
        for window in _strips(source):
            values = source.read(window=window)
            for band, numbers in enumerate(values, start=1):
                told = missing_in(source, band, window, numbers)
                found = is_nodata(numbers, nothing[band]) if band in nothing else None
                for each in (told, found):
                    if nodata is not None and each is not None:
                        numbers[each] = nodata
            writer.write(values, window=window)
        if source.gcps[0]:
            writer.gcps = source.gcps
        _keep_looks(source, writer)


def _statistics(source: rasterio.DatasetReader, incoming: Incoming) -> tuple[list[dict[str, Any]], bool]:
    try:
        return band_statistics(source, incoming.shown)
    except RasterioError as error:
        raise UploadError(
            f"{incoming.shown} is cut off or broken: its pixels cannot be read ({reason_of(error)}); "
            "send it again."
        ) from None


def _year_alone(name: str) -> datetime | None:
    """The first day of the year that a name tells, where it tells no day."""
    return year_in_name(name) if day_in_name(name) is None else None


def _of_one_value(statistics: list[dict[str, Any]], sampled: bool) -> str | None:
    """What is said of a raster that has one value alone, so that its plain picture is no surprise."""
    values = [each["min"] for each in statistics]
    if sampled or None in values or values != [each["max"] for each in statistics]:
        return None
    return constant_said(values)


def _take(incoming: Incoming, target: Path) -> None:
    """The file's own bytes; a small one is copied, so that no two names share it without need."""
    if incoming.ours and incoming.path.stat().st_size > LINKED_BYTES:
        link_or_copy(incoming.path, target)
    else:
        shutil.copyfile(incoming.path, target)


def link_or_copy(source: Path, target: Path) -> None:
    """The same bytes under another name: a link where both are on one disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _one_part_only(incoming: Incoming) -> None:
    if incoming.asked.part:
        raise UploadError(
            f"{incoming.shown} is one raster without a part {shown(incoming.asked.part)}; leave the part out."
        )


def _stem(name: str) -> str:
    return Path(name).stem.lstrip(".")[:100] or "raster"


def _info(path: Path, incoming: Incoming) -> RasterInfo:
    from data.readers.base import BadRecord

    try:
        with quiet_gdal():
            return raster_info(path)
    except BadRecord as error:
        raise UploadError(f"{incoming.shown} cannot be used: {error}.") from None


def _name_bands(path: Path, name: str) -> tuple[str, ...]:
    """Write into the file which band is which where only its name tells the sensor; those that were told so.

    A large upload that lies here under two names stays as it is.
    """
    if path.stat().st_nlink > 1:
        return ()
    with quiet_gdal(), rasterio.open(path, "r+", driver="GTiff", IGNORE_COG_LAYOUT_BREAK="YES") as target:
        before, known = band_names(target, ""), band_names(target, name)
        fresh = tuple(each for each, was in zip(known, before, strict=True) if each and each != was)
        if not fresh:
            return ()
        # A code stays beside its meaning: people know their bands by it.
        target.descriptions = tuple(
            f"{said} ({each})" if said and each else said or each
            for said, each in zip(target.descriptions, known, strict=True)
        )
    return fresh


def _shown_bands(path: Path) -> str | None:
    """The numbers of red, green and blue; None where they are not told."""
    with quiet_gdal(), rasterio.open(path) as source:
        names = band_names(source)
    found = [find_band(names, colour) for colour in ("red", "green", "blue")]
    return ",".join(str(each) for each in found) if all(found) else None


def write_placed(
    source: rasterio.DatasetReader, target: Path, placing: Placing, meaning: Meaning | None = None
) -> None:
    """Write an open raster as a GeoTIFF that lies there, strip by strip; with control points it is warped.

    Where its numbers have a meaning, as the values that they mean.
    """
    if placing.gcps or placing.rpcs:
        if meaning is None:
            _warp(source, target, placing)
            return
        aside = target.with_name(f"{target.stem}-stored.tif")
        _warp(source, aside, placing)
        with quiet_gdal(), rasterio.open(aside) as warped:
            write_placed(
                warped, target, replace(placing, transform=warped.transform, gcps=(), rpcs=None), meaning
            )
        aside.unlink()
        return
    dtype = source.dtypes[0] if meaning is None else values_type(source.dtypes[0])
    profile = _profile(source, dtype, source.nodata if meaning is None else math.nan)
    profile.update(crs=None if placing.crs is None else placing.crs.to_wkt(), transform=placing.transform)
    if placing.transform is None:
        del profile["transform"]
    masked = meaning is None and has_mask(source)
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(target, "w", **profile) as writer:
        for window in _strips(source):
            values = source.read(window=window) if meaning is None else meaning.read(source, window)
            writer.write(values, window=window)
            if masked:
                writer.write_mask(source.dataset_mask(window=window), window=window)
        _keep_looks(source, writer, meaning)


def _profile(source: rasterio.DatasetReader, dtype: str, nodata: float | None) -> dict[str, Any]:
    """How a GeoTIFF with the bands of an open raster is written."""
    profile = geotiff_profile(
        source.width,
        source.height,
        count=source.count,
        dtype=dtype,
        nodata=nodata,
        crs=source.crs,
        transform=source.transform,
    )
    if dtype == source.dtypes[0] and source.colorinterp[0] == ColorInterp.palette:
        profile["photometric"] = "palette"
    elif source.count in (3, 4) and source.colorinterp[:3] == (
        ColorInterp.red,
        ColorInterp.green,
        ColorInterp.blue,
    ):
        profile["photometric"] = "rgb"
    return profile


def _strips(source: rasterio.DatasetReader) -> Iterator[Window]:
    """Rows in whole blocks of the source, so that none is decoded twice."""
    width = max(np.dtype(each).itemsize for each in source.dtypes if not each.startswith("complex_")) or 8
    row_bytes = source.width * source.count * width
    block = max(1, min(source.block_shapes[0][0], source.height))
    rows = max(block, STRIP_BYTES // max(1, row_bytes) // block * block)
    for row in range(0, source.height, rows):
        yield Window(0, row, source.width, min(rows, source.height - row))


def _keep_looks(source: rasterio.DatasetReader, writer: Any, meaning: Meaning | None = None) -> None:
    """What the file says of its bands: names, units, colours, times; scales, or how values were stored."""
    messages = [_message(source.tags(band)) for band in source.indexes] if source.driver == "GRIB" else []
    writer.descriptions = [name for name, _ in messages] or source.descriptions
    if meaning is None:
        writer.scales, writer.offsets = source.scales, source.offsets
    units = [unit for _, unit in messages] or source.units
    if any(units):
        writer.units = tuple(unit or "" for unit in units)
    if meaning is None and source.colorinterp[0] == ColorInterp.palette:
        writer.write_colormap(1, source.colormap(1))
    elif source.driver != "GTiff" and ColorInterp.alpha in source.colorinterp:
        writer.colorinterp = source.colorinterp
    kept = {key: value for key, value in source.tags().items() if len(value) < 2_000}
    writer.update_tags(**kept, **({} if meaning is None else meaning.tag(source)))


def _message(tags: Mapping[str, str]) -> tuple[str, str]:
    """(name, unit) of a message of a GRIB: `TMP 2-HTGL 2024-01-01 06:00 UTC`, `K`."""
    seconds = re.match(r"\d+", tags.get("GRIB_VALID_TIME", "").strip())
    when = f"{datetime.fromtimestamp(int(seconds[0]), UTC):%Y-%m-%d %H:%M UTC}" if seconds else ""
    name = " ".join(each for each in (tags.get("GRIB_ELEMENT"), tags.get("GRIB_SHORT_NAME"), when) if each)
    return name, tags.get("GRIB_UNIT", "").strip("[] ")


def _messages_said(source: rasterio.DatasetReader) -> str:
    told = [_message(source.tags(band)) for band in source.indexes]
    named = "; ".join(f"{name} in {unit or 'no unit'}" for name, unit in told[:4])
    more = f"; and {len(told) - 4:,} more" if len(told) > 4 else ""
    return f"Its bands: {named}{more}."


def _warp(source: rasterio.DatasetReader, target: Path, placing: Placing) -> None:
    """Onto a north-up grid of the control points' own coordinate system, without inventing values."""
    crs = rasterio.crs.CRS.from_wkt(placing.crs.to_wkt()) if placing.crs else None
    # The warp itself takes the control points or polynomials from the file; the new grid needs them told.
    extra = {} if placing.rpcs is None else {"RPC_HEIGHT": placing.rpcs.height_off}
    told = {"gcps": placing.gcps} if placing.rpcs is None else {"rpcs": placing.rpcs}
    transform, width, height = calculate_default_transform(
        crs, crs, source.width, source.height, **told, **extra
    )
    nodata = source.nodata
    if nodata is None:
        nodata = math.nan if source.dtypes[0].startswith("float") else 0
    profile = geotiff_profile(
        width, height, count=source.count, dtype=source.dtypes[0], nodata=nodata, crs=crs, transform=transform
    )
    with rasterio.open(target, "w", **profile) as writer:
        for band in range(1, source.count + 1):
            reproject(
                rasterio.band(source, band),
                rasterio.band(writer, band),
                src_crs=crs,
                dst_transform=transform,
                dst_crs=crs,
                src_nodata=source.nodata,
                dst_nodata=nodata,
                resampling=Resampling.nearest,
                warp_mem_limit=128,
                **extra,
            )
        _keep_looks(source, writer)


def _plain(value: float | None) -> float | str | None:
    """Nodata as JSON: not-a-number by its name."""
    if value is None or math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else str(value)
