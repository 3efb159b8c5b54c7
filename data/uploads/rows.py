"""Rows of a table as they come in: features where columns are known to be coordinates, else a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from numpy.typing import NDArray

from data.profiles import columns_said, profiles_of
from data.readers.coordinates import Axis, pairs_of, shapes_of
from data.readers.csv_points import coordinate_columns, floats
from data.readers.features import first_named
from data.readers.geometry import FARTHEST_DEG
from data.uploads.brought import Brought, Incoming
from data.uploads.errors import NoSystem, UploadError, shown
from data.uploads.frames import MAX_COLUMNS, columns_of, features, plain_columns
from data.uploads.gdal import reason_of
from data.uploads.item import table_parts
from data.uploads.placing import crs_named

AXES: tuple[Axis, Axis] = ("longitude", "latitude")
EASTINGS = (
    "easting", "eastings", "easting_m", "east", "utm_easting", "utm_e", "utm_x", "x_utm", "x_coord", "xcoord",
    "coord_x", "point_x", "rechtswert", "ostwert",
)  # fmt: skip
NORTHINGS = (
    "northing", "northings", "northing_m", "north", "utm_northing", "utm_n", "utm_y", "y_utm", "y_coord",
    "ycoord", "coord_y", "point_y", "hochwert", "nordwert",
)  # fmt: skip
ZONES = ("zone", "utm_zone", "utmzone", "crs", "epsg", "srid", "grid_zone")
PAIRS = (
    "coordinates", "coords", "coordinate", "latlon", "latlng", "lat_lon", "lat_lng", "lat,lon", "lat, lon",
    "location", "position", "geo_point_2d", "geo_point", "geopoint", "gps", "point",
)  # fmt: skip
"""Names of columns, in lower case, that place rows in other ways than by longitude and latitude."""


def bring_frame(incoming: Incoming, frame: pd.DataFrame, title: str) -> Brought:
    """A table: features when some of its columns are known to be coordinates, else as it is."""
    notes: list[str] = []
    frame = plain_columns(frame.reset_index(drop=True), notes)
    found = _placed(incoming, frame, title, notes)
    if found is not None:
        return found.noted(*notes)
    return as_table(incoming, frame, title).noted(*notes)


def _placed(incoming: Incoming, plain: pd.DataFrame, title: str, notes: list[str]) -> Brought | None:
    """The rows as features by a pair of columns, a column of pairs, or one of geometries; None by none."""
    names = [str(each) for each in plain.columns]
    east, north = first_named(names, EASTINGS), first_named(names, NORTHINGS)
    lon, lat, shape = coordinate_columns(names)
    if east is not None and north is not None:
        x, y = (pd.to_numeric(plain[name], errors="coerce").to_numpy(float) for name in (east, north))
        if incoming.asked.crs is not None and np.isfinite(x).any():
            return features(incoming, points(x, y), plain, None, title, rows_stay=True)
        if lon is None or lat is None:
            notes.append(system_wanted(plain, east, north))
    if lon is not None and lat is not None:
        written: Counter[str] = Counter()
        x, y = (
            degrees_in(pa.array(_texts(plain[name]), pa.string()), axis, written)
            for name, axis in zip((lon, lat), AXES, strict=True)
        )
        if np.isfinite(x).any():
            check_degrees(incoming, lon, lat)
            notes += written_said(written)
            x, y = hemispheres(plain, x, y, notes)
            if incoming.asked.crs is None and not are_degrees(x, y):
                notes.append(system_wanted(plain, lon, lat))
                return None
            return features(incoming, points(x, y), plain, None, title, rows_stay=True)
    if shape is not None:
        found = by_shapes(incoming, shape, _texts(plain[shape]), plain.drop(columns=[shape]), title)
        if found is not None:
            return found
    pair = first_named(names, PAIRS)
    read = None if pair is None else pairs_of(_texts(plain[pair]))
    if pair is None or read is None:
        return None
    x, y, latitude_first = read
    order = "latitude, longitude" if latitude_first else "longitude, latitude"
    notes.append(f"Its column {shown(pair)} was read as {order}.")
    return features(incoming, points(x, y), plain, None, title, in_degrees_by_rule=True, rows_stay=True)


def are_degrees(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    """Whether most pairs of numbers can be longitude and latitude."""
    there = np.isfinite(x) & np.isfinite(y)
    fit = (np.abs(x[there]) <= FARTHEST_DEG) & (np.abs(y[there]) <= 90)
    return bool(fit.mean() > 0.5) if there.any() else True


def hemispheres(
    frame: pd.DataFrame, lon: NDArray[np.float64], lat: NDArray[np.float64], notes: list[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Longitudes and latitudes with the signs that columns of E and W, or N and S, give them; it is said."""
    found = []
    for values, letters in ((lon, "EW"), (lat, "NS")):
        column = next((name for name in frame.columns if _holds_only(frame[name], letters)), None)
        if column is None or (values < 0).any():
            found.append(values)
            continue
        negative = frame[column].astype(str).str.strip().str.upper() == letters[1]
        found.append(np.where(negative.to_numpy(), -values, values))
        notes.append(
            f"Its column {shown(str(column))} says which are {'west' if letters == 'EW' else 'south'}."
        )
    return found[0], found[1]


def _holds_only(column: pd.Series[Any], letters: str) -> bool:
    if pd.api.types.is_numeric_dtype(column) or len(column) == 0:
        return False
    first = column.first_valid_index()
    # A glance saves the most columns a look at all of their cells.
    if first is None or str(column[first]).strip().upper() not in tuple(letters):
        return False
    return {str(each).strip().upper() for each in column.dropna().unique()[:3]} <= set(letters)


def _texts(column: pd.Series[Any]) -> list[str | None]:
    """The cells as text, None where there is no value."""
    return [None if each is None or each != each else str(each) for each in column.tolist()]


def degrees_in(column: pa.Array, axis: Axis, written: Counter[str]) -> NDArray[np.float64]:
    """Cells of text in degrees; `written` counts by axis those in degrees, minutes and seconds."""
    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:  # some cell is no plain number
        found = floats(column, axis)
        plain = pc.match_substring_regex(column, r"^\s*[-+]?[\d.,]*([eE][-+]?\d+)?\s*$")
        written[axis] += int(
            (np.isfinite(found) & ~pc.fill_null(plain, True).to_numpy(zero_copy_only=False)).sum()
        )
    return found


def written_said(written: Counter[str]) -> list[str]:
    """The sentence about coordinates in degrees and minutes; none where there are none."""
    most = max(written.values(), default=0)
    if not most:
        return []
    return [f"The coordinates of {most:,} row{'' if most == 1 else 's'} were read from degrees and minutes."]


def check_degrees(incoming: Incoming, lon: str, lat: str) -> None:
    """Raises UploadError where columns of longitude and latitude were asked to be something else."""
    if "lon" in lon.lower() and incoming.asked.crs and crs_named(incoming.asked.crs).is_projected:
        raise UploadError(
            f"{incoming.shown} has its places in {shown(lon)} and {shown(lat)}, which are degrees and not in "
            f"{shown(incoming.asked.crs)}; leave crs out."
        )


def system_wanted(plain: pd.DataFrame, east: str, north: str) -> str:
    """The sentence about two columns of coordinates whose system nobody has named."""
    zone = first_named([str(each) for each in plain.columns], ZONES)
    values = [] if zone is None else [str(each) for each in plain[zone].dropna().unique()[:4]]
    named = (
        f" Its column {shown(str(zone))} says {', '.join(shown(each) for each in values)}." if values else ""
    )
    return (
        f"Its columns {shown(east)} and {shown(north)} look like coordinates of a system that it does not "
        f"name: add it again with crs, such as crs=EPSG:32631, to see it on the map.{named}"
    )


def by_shapes(
    incoming: Incoming, column: str, texts: Sequence[str | None], frame: pd.DataFrame, title: str
) -> Brought | None:
    """The rows with the geometries that a column has as text; None where no cell is one.

    `frame` lacks the column; it is kept where some of its texts are no shape.
    """
    try:
        shapes, srid = shapes_of(texts)
    except ValueError as error:
        raise UploadError(f"{incoming.shown} cannot be placed: {error}.") from None
    if shapely.is_missing(shapes).all():
        return None
    crs = None if srid is None else crs_named(f"EPSG:{srid}")
    unread = [each for each, shape in zip(texts, shapes, strict=True) if shape is None and each]
    whole = frame.assign(**{column: pd.Series(np.asarray(texts, dtype=object))})
    try:
        found = features(incoming, shapes, whole if unread else frame, crs, title, rows_stay=True)
    except NoSystem as error:
        return as_table(incoming, whole, title).noted(_shapes_of_no_system(whole, column, str(error)))
    if not unread and found.facts["placed"] < int((~shapely.is_missing(shapes)).sum()):
        # A shape that is out of place is not lost with its column.
        found = features(incoming, shapes, whole, crs, title, rows_stay=True)
        return found.noted(f"Its column {shown(column)} is kept.")
    if not unread:
        return found
    are = "is no shape" if len(unread) == 1 else "are no shapes"
    such = shown(unread[0][:60])
    return found.noted(
        f"{len(unread):,} of its texts in {shown(column)} {are}, such as {such}; the column is kept."
    )


def _shapes_of_no_system(plain: pd.DataFrame, column: str, why: str) -> str:
    """The sentence about a table whose shapes are in a system that it does not name, or in several."""
    coordinates = why[why.find("(") :].partition(";")[0]
    zone = first_named([str(each) for each in plain.columns], ZONES)
    values = [] if zone is None else [str(each) for each in plain[zone].dropna().unique()[:6]]
    named = [each.upper().startswith("EPSG:") for each in values]
    digits = f"regexp_extract({zone}, '[0-9]+')" if any(named) else zone
    code = zone if all(named) else f"'EPSG:' || {digits}"
    each_row = f"ST_Transform(ST_GeomFromText({column}), {code}, 'EPSG:4326')"
    several = (
        f" Its column {shown(str(zone))} says {', '.join(map(shown, values))}: sql brings each row into one "
        f"system, by {each_row}."
    )
    return (
        f"Its column {shown(column)} holds shapes of a system that it does not name: their coordinates "
        f"{coordinates}. It came in as a table; add it again with crs, such as crs=EPSG:32631, if one is "
        f"right for all.{several if values else ''}"
    )


def points(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.object_]:
    """A point for each pair of numbers; None where one is none."""
    found = np.full(len(x), None, dtype=object)
    good = np.isfinite(x) & np.isfinite(y)
    found[good] = shapely.points(x[good], y[good])
    return found


def as_table(incoming: Incoming, frame: pd.DataFrame, title: str) -> Brought:
    """A table as it is."""
    if not len(frame.columns):
        raise UploadError(f"{incoming.shown} holds no columns; send a table with a header.")
    if not len(frame):
        raise UploadError(f"{incoming.shown} holds a header and no rows; send a table with rows.")
    notes: list[str] = []
    frame = plain_columns(frame.reset_index(drop=True), notes)
    target = incoming.folder / "table.parquet"
    try:
        frame.to_parquet(target, index=False)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise UploadError(
            f"{incoming.shown} cannot be kept as a table ({reason_of(error)}); send a CSV."
        ) from None
    profiles = profiles_of(frame)
    rows = f"{len(frame):,} row{'' if len(frame) == 1 else 's'}"
    named = [str(each)[:40] for each in frame.columns[:12]]
    more = f" and {len(frame.columns) - 12} more" if len(frame.columns) > 12 else ""
    return Brought(
        kind="table",
        path=target,
        suffix=".parquet",
        summary=rows,
        what=f"{title} table of {rows} with {', '.join(named)}{more}",
        notes=(*notes, columns_said(profiles, len(frame.columns))),
        facts={
            "rows": len(frame),
            "columns": [str(each) for each in frame.columns],
            "profile": profiles,
        },
        item=table_parts(columns_of(frame), len(frame), None, None),
    )


def check_columns(incoming: Incoming, count: int) -> None:
    """Raises UploadError for more columns than are read."""
    if count > MAX_COLUMNS:
        raise UploadError(f"{incoming.shown} has {count:,} columns; at most {MAX_COLUMNS:,} are read.")
