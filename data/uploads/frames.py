"""Features as a frame in their own coordinate system: what cannot be used is left out and counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import shapely
from numpy.typing import NDArray
from pyproj import CRS, Transformer

from data.profiles import columns_said, profiles_of
from data.readers.geometry import FARTHEST_DEG, Extent, box_around, extents_of
from data.uploads.brought import Box, Brought, Incoming
from data.uploads.errors import NoSystem, UploadError, shown
from data.uploads.item import table_parts
from data.uploads.placing import asked_crs
from data.uploads.suspects import at_null_island, exchanged
from data.vector.cleaning import on_the_map
from data.vector.systems import code_of

MAX_FEATURES = 2_000_000
MAX_COORDINATES = 60_000_000
MAX_COLUMNS = 2_000
MOST_LOOKED_AT = 500_000
"""Corners of outlines up to which each is looked at for crossing itself."""
FLOAT_DIGITS = 15
"""Decimals of more digits stay as they are written, as text."""
BESIDE_DEG = 0.5
"""How far beside the area that a coordinate system is made for features may lie without a word."""
WORLD_DEG = 320
"""What is wider is shown as the whole world."""
WGS84 = CRS.from_epsg(4326)
_KINDS = ("point", "line", "line", "polygon", "point", "line", "polygon", "collection")
_EXACT = ("point", "line", "line", "polygon", "multipoint", "multiline", "multipolygon", "collection")
"""By shapely's type id: what they count as, and what they are."""
_SHOWN_COLUMNS = 12
_REASONS = 5


def features(
    incoming: Incoming,
    shapes: NDArray[np.object_],
    attributes: pd.DataFrame,
    crs: CRS | None,
    title: str,
    problems: Sequence[str] = (),
    *,
    in_degrees_by_rule: bool = False,
    rows_stay: bool = False,
) -> Brought:
    """The features as GeoParquet, in the file's own system. Raises UploadError when none can be used.

    Rows without a geometry stay. Shapes that had to be cut or moved to lie on the map are kept in EPSG:4326.
    `crs` is the file's own; None means that it names none. `problems` are those of rows that did not even
    become a shape, one a row. `in_degrees_by_rule`: a format without a word on it is in degrees. `rows_stay`:
    a row of a table stays where its place is none, without it.
    """
    notes: list[str] = []
    crs = asked_crs(incoming, crs, notes)
    if len(shapes) > MAX_FEATURES:
        raise UploadError(
            f"{incoming.shown} has {len(shapes):,} features, and {MAX_FEATURES:,} is the most that is read; "
            "ingest it as a data set instead."
        )
    if int(shapely.get_num_coordinates(shapes).sum()) > MAX_COORDINATES:
        raise UploadError(
            f"{incoming.shown} has outlines of over {MAX_COORDINATES:,} corners; simplify them first."
        )
    shapes = _without_empty_heights(_without_measures(shapes, notes), notes)
    if crs is None and rows_stay and in_degrees_by_rule:
        crs = WGS84
    elif crs is None:
        crs = _assumed(incoming, shapes, [] if in_degrees_by_rule else notes)
    degrees, done = on_the_map(in_degrees(shapes, crs, incoming), FARTHEST_DEG)
    notes += [f"{said}." for said in done.said("of its features", "of its features")]
    suspects = (
        _outside_use(degrees, crs),
        at_null_island(degrees),
        exchanged(shapes, in_degrees=crs.is_geographic),
    )
    notes += [said for said in suspects if said is not None]
    extents = extents_of(degrees)
    good = extents.problem == None  # noqa: E711 - elementwise over an object array
    kept, left_out = _kept(incoming, shapes, extents.problem, problems, rows_stay, notes)
    own = not done and not crs.equals(WGS84, ignore_axis_order=True)
    placed = degrees if done else shapes
    if rows_stay and not good.all():
        placed = placed.copy()
        placed[~good] = None
    frame = gpd.GeoDataFrame(
        plain_columns(attributes[kept].reset_index(drop=True), notes),
        geometry=placed[kept],
        crs=crs if own else "EPSG:4326",
    )
    if not own and not crs.equals(WGS84, ignore_axis_order=True):
        notes.append(f"Its coordinates were brought from {code_of(crs)} into WGS 84 (EPSG:4326) for it.")
    if heights := int(shapely.has_z(frame.geometry.to_numpy()).sum()):
        have = "has" if heights == 1 else "have"
        notes.append(
            f"{heights:,} of its features {have} heights, which are kept; maps and measures are flat."
        )
    notes += _broken_said(frame.geometry.to_numpy())
    return _brought(incoming, frame, _box(extents, good), crs, title, notes, left_out)


def _kept(
    incoming: Incoming,
    shapes: NDArray[np.object_],
    found: NDArray[np.object_],
    problems: Sequence[str],
    rows_stay: bool,
    notes: list[str],
) -> tuple[NDArray[np.bool_], int]:
    """(which rows stay, how many do not): by what is wrong with the place of each, `found`. It is said.

    Raises UploadError where no row has a place.
    """
    good = found == None  # noqa: E711 - elementwise over an object array
    absent = shapely.is_missing(shapes) | shapely.is_empty(shapes)
    wrong = Counter(str(each) for each in found[~good & ~absent])
    if not good.any():
        reason = next(iter([*wrong, *problems, *found]), "there are no features in it").rstrip(".")
        hint = "; name its coordinate system with crs, such as crs=EPSG:32631" if "latitude" in reason else ""
        raise UploadError(f"{incoming.shown} holds no feature with a place: {reason}{hint}.")
    kept = np.ones(len(shapes), bool) if rows_stay else good | absent
    reasons = Counter(problems) + (Counter() if rows_stay else wrong)
    if reasons:
        notes.append(_left_out_said(reasons, int(kept.sum())))
    if rows_stay and wrong:
        notes.append(_misplaced_said(wrong, len(shapes)))
    if absent.any():
        notes.append(_absent_said(int(absent.sum()), int(kept.sum())))
    return kept, sum(reasons.values())


def _without_measures(shapes: NDArray[np.object_], notes: list[str]) -> NDArray[np.object_]:
    """The shapes without their measures (M), which GeoParquet does not know; heights stay."""
    measured = np.flatnonzero(shapely.has_m(shapes))
    if not len(measured):
        return shapes
    notes.append(f"The measures (M) of {len(measured):,} of its features were left out.")
    found = shapes.copy()
    for at in measured:
        heights = bool(shapely.has_z(shapes[at]))
        found[at] = shapely.transform(shapes[at], lambda xyz: xyz, include_z=heights)
    return found


def _without_empty_heights(shapes: NDArray[np.object_], notes: list[str]) -> NDArray[np.object_]:
    """The shapes flat where every height is 0: a KML has to write one."""
    if not shapely.has_z(shapes).any():
        return shapes
    heights = shapely.get_coordinates(shapes, include_z=True)[:, 2]
    if (heights[~np.isnan(heights)] != 0).any():
        return shapes
    notes.append("All of its heights are 0, which says nothing: they were left out.")
    return np.asarray(shapely.force_2d(shapes), dtype=object)


def _absent_said(absent: int, kept: int) -> str:
    have = "1 of its {:,} features has" if absent == 1 else "{1:,} of its {0:,} features have"
    return f"{have.format(kept, absent)} no geometry: rows without a place, which no map shows."


def _left_out_said(reasons: Counter[str], kept: int) -> str:
    """`15 of its 100 features were left out: 10 for no geometry, 5 for a line of one point.`"""
    left_out = sum(reasons.values())
    told = [f"{count:,} for {reason.rstrip('.')}" for reason, count in reasons.most_common(_REASONS)]
    more = left_out - sum(count for _, count in reasons.most_common(_REASONS))
    told += [f"{more:,} for other reasons"] if more else []
    return f"{left_out:,} of its {left_out + kept:,} features were left out: {', '.join(told)}."


def _misplaced_said(reasons: Counter[str], rows: int) -> str:
    """`Rows without a right place stay, 2 of its 100: 2 for the latitude 95 is outside -90..90.`"""
    count = sum(reasons.values())
    told = [f"{number:,} for {reason.rstrip('.')}" for reason, number in reasons.most_common(_REASONS)]
    return f"Rows without a right place stay, {count:,} of its {rows:,}: {', '.join(told)}."


def _broken_said(shapes: NDArray[np.object_]) -> list[str]:
    """The sentences about outlines that are invalid, where there are few enough corners to look at."""
    if int(shapely.get_num_coordinates(shapes).sum()) > MOST_LOOKED_AT:
        return []
    areas = shapes[shapely.get_dimensions(shapes) == 2]
    broken = int((~shapely.is_valid(areas)).sum())
    if not broken:
        return []
    are = "1 of its outlines is" if broken == 1 else f"{broken:,} of its outlines are"
    return [
        f"{are} invalid, crossing itself for example, and kept so. Tools that measure, cut or join shapes "
        "mend a copy for their own work; make_valid mends what is kept; inspect names the rows."
    ]


def _outside_use(shapes: NDArray[np.object_], crs: CRS) -> str | None:
    """A sentence where most features lie outside of the area that a projection is made for."""
    if not crs.is_projected or crs.area_of_use is None:
        return None
    use = crs.area_of_use
    if use.west > use.east:
        return None
    bounds = shapely.bounds(shapes)
    bounds = bounds[np.isfinite(bounds).all(axis=1)]
    if not len(bounds):
        return None
    lon, lat = (bounds[:, 0] + bounds[:, 2]) / 2, (bounds[:, 1] + bounds[:, 3]) / 2
    far = (lon < use.west - BESIDE_DEG) | (lon > use.east + BESIDE_DEG)
    far |= (lat < use.south - BESIDE_DEG) | (lat > use.north + BESIDE_DEG)
    if far.mean() <= 0.5:
        return None
    return (
        f"Most of its features lie outside of where {code_of(crs)} is used ({use.name.rstrip('.')[:80]}): "
        "the coordinate system may be another one, or x and y exchanged."
    )


def in_degrees(shapes: NDArray[np.object_], crs: CRS, incoming: Incoming) -> NDArray[np.object_]:
    """Shapes brought into longitude and latitude; what has no answer becomes infinite."""
    if crs.equals(WGS84, ignore_axis_order=True) or crs.to_string() in ("OGC:CRS84", "EPSG:4326"):
        return shapes
    if not (crs.is_projected or crs.is_geographic):
        raise UploadError(
            f"{incoming.shown} is in {shown(crs.name)}, which is no place on the globe; "
            "name its coordinate system with crs."
        )
    transformer = Transformer.from_crs(crs, WGS84, always_xy=True)
    return np.asarray(shapely.transform(shapes, transformer.transform, interleaved=False), dtype=object)


def plain_columns(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Columns that Parquet can hold under names of their own.

    Days, times, lists, and objects with the same members in each row stay what they are. Cells of several
    kinds, and other nested ones, become their JSON text, which is said.
    """
    names: dict[str, None] = {}
    for number, column in enumerate(frame.columns, start=1):
        base = str(column).strip().encode("utf-8", "replace").decode() or f"column_{number}"
        base = f"{base}_" if base == "geometry" else base
        while base in names:
            base = f"{base}_{number}"
        names[base] = None
    frame = frame.set_axis(list(names), axis=1)
    for name in [each for each in frame.columns if pd.api.types.is_object_dtype(frame[each])]:
        kinds = {type(value) for value in frame[name] if not _is_gap(value)}
        if len(kinds) == 1 and kinds <= {int, float, bool} and _fits(frame[name]):
            continue
        if kinds == {date} or (len(kinds) == 1 and kinds <= {list, dict, np.ndarray} and _alike(frame[name])):
            continue
        if kinds <= {datetime, pd.Timestamp} and kinds:
            frame[name] = moments_in(frame[name].map(_text))
        else:
            notes += _became_text(name, kinds)
            frame[name] = [_text(value) for value in frame[name]]
    return frame


def _became_text(name: str, kinds: set[type]) -> list[str]:
    """The sentence about a column whose cells are no texts and became some; none about texts."""
    words = sorted({_KIND_WORDS.get(each, "other values") for each in kinds})
    if not words or words == ["texts"]:
        return []
    if words == ["bytes"]:
        return [f"Its column {shown(name)} holds bytes, of which only the number is kept."]
    alike = "" if len(words) > 1 else _ALONE.get(words[0], "")
    return [f"Its column {shown(name)} holds {' and '.join(words)}{alike}: they are kept as text."]


_KIND_WORDS: dict[type, str] = {
    str: "texts", int: "numbers", float: "numbers", bool: "truth values", list: "lists",
    np.ndarray: "lists", dict: "objects", Decimal: "long numbers", bytes: "bytes", bytearray: "bytes",
    date: "days", datetime: "times", pd.Timestamp: "times", time: "times of day",
}  # fmt: skip
_ALONE = {"objects": " of different members", "lists": " of different kinds", "numbers": " of over 64 bits"}


def _alike(column: pd.Series[Any]) -> bool:
    """Whether a file of typed columns gives nested cells back as they are: no member more, and no less."""
    cells = [_plain(each) for each in column]
    try:
        typed = pa.array(cells)
        return not _empty_inside(typed.type) and bool(typed.to_pylist() == cells)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False


def _plain(value: Any) -> Any:
    """A nested cell without numpy's arrays; what is missing is None."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return None if _is_gap(value) else value


def _empty_inside(kind: pa.DataType) -> bool:
    """Whether a type has a part of which nothing is known: an object without members, a list of nothing."""
    if pa.types.is_null(kind) or (pa.types.is_struct(kind) and not kind.num_fields):
        return True
    inner = [kind.field(each).type for each in range(kind.num_fields)] if pa.types.is_nested(kind) else []
    return any(_empty_inside(each) for each in inner)


def moments_in(column: pd.Series[Any]) -> pd.Series[Any]:
    """Texts in ISO 8601 as days (Python's `date`) or as times: in UTC where they have a zone.

    Cells of both kinds, with a zone and without one, stay texts.
    """
    texts = column.dropna().astype(str)
    if texts.empty:
        return column
    if texts.str.fullmatch(r"\d{4}-\d\d-\d\d").all():
        return column.map(date.fromisoformat, na_action="ignore").astype(object)
    zoned = texts.str.contains(r"(?:Z|[+-]\d\d:?\d\d)$", regex=True)
    if zoned.any() and not zoned.all():
        return column
    try:
        return pd.to_datetime(column, format="ISO8601", utc=bool(zoned.all()))
    except (ValueError, OverflowError):  # such as the year 0
        return column


def exact_frame(table: pa.Table) -> pd.DataFrame:
    """A table's rows; whole numbers with gaps stay whole, and a float loses no last digit of them."""
    frame: pd.DataFrame = table.to_pandas(maps_as_pydicts="lossy")
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_integer(column.type) and column.null_count:
            whole = pd.UInt64Dtype() if pa.types.is_uint64(column.type) else pd.Int64Dtype()
            frame[name] = column.to_pandas(types_mapper={column.type: whole}.get)
        elif pa.types.is_decimal(column.type) and column.type.precision <= FLOAT_DIGITS:
            frame[name] = column.cast(pa.float64()).to_pandas()
        elif pa.types.is_nested(column.type):  # of whole numbers with gaps inside, numpy makes floats
            frame[name] = pd.Series(column.to_pylist(maps_as_pydicts="lossy"), dtype=object)
    return frame


def exact_records(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows of JSON as a frame, of which the same holds."""
    frame = pd.DataFrame.from_records(rows) if rows else pd.DataFrame()
    for name in frame.columns[frame.dtypes == "float64"]:
        cells = [row.get(name) for row in rows]
        if all(each is None or (type(each) is int and -(2**63) <= each < 2**63) for each in cells):
            frame[name] = pd.array(cells, dtype="Int64")
    return frame


def _is_gap(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


def _fits(column: pd.Series[Any]) -> bool:
    """Whether numbers are none that Parquet has no type for."""
    return all(value is None or abs(value) < 2**63 for value in column if value == value)


def _text(value: Any) -> str | None:
    if isinstance(value, str):  # the most by far
        text = value
    elif _is_gap(value):
        return None
    elif isinstance(value, (bytes, bytearray)):
        return f"{len(value)} bytes"
    elif isinstance(value, Decimal):
        text = str(value)
    elif isinstance(value, (date, time)):  # and a datetime
        text = value.isoformat()
    else:
        plain = value.tolist() if isinstance(value, np.ndarray) else value
        text = json.dumps(plain, ensure_ascii=False, default=str)
    return text.encode("utf-8", "replace").decode("utf-8")


def columns_of(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """(name, type) of each column."""
    return [(str(name), str(kind)) for name, kind in zip(frame.columns, frame.dtypes, strict=True)]


def _assumed(incoming: Incoming, shapes: NDArray[np.object_], notes: list[str]) -> CRS:
    """Degrees, where most coordinates can be degrees. Raises UploadError asking for the CRS otherwise."""
    bounds = shapely.bounds(shapes[~(shapely.is_missing(shapes) | shapely.is_empty(shapes))])
    bounds = bounds[np.isfinite(bounds).all(axis=1)] if len(bounds) else bounds
    if not len(bounds):
        return WGS84
    fits = (bounds[:, 0] >= -FARTHEST_DEG) & (bounds[:, 2] <= FARTHEST_DEG + 0.001)
    fits &= (bounds[:, 1] >= -90.001) & (bounds[:, 3] <= 90.001)
    # A slip or two among many is left out as what it is; a file in metres has none that fits, or few.
    if fits.mean() > 0.5:
        notes.append(
            "It names no coordinate system; its coordinates look like degrees and were taken as EPSG:4326."
        )
        return WGS84
    west, south = bounds[:, :2].min(axis=0)
    east, north = bounds[:, 2:].max(axis=0)
    which = f"part={shown(incoming.asked.part)} and " if incoming.asked.part else ""
    raise NoSystem(
        f"{incoming.shown} names no coordinate system, and its coordinates (x {west:,.0f} to {east:,.0f}, "
        f"y {south:,.0f} to {north:,.0f}) are no degrees; add it again with {which}crs, "
        "such as crs=EPSG:32631."
    )


def _box(extents: Any, good: NDArray[np.bool_]) -> Box:
    rows = np.flatnonzero(good)
    boxes = extents.box[rows]
    # Few boxes decide: the extreme ones, and all that cross the antimeridian.
    crossing = boxes[boxes[:, 0] > boxes[:, 2]]
    ends = boxes[[boxes[:, 0].argmin(), boxes[:, 1].argmin(), boxes[:, 2].argmax(), boxes[:, 3].argmax()]]
    chosen = boxes if len(boxes) <= 10_000 else np.concatenate([ends, crossing])
    found = box_around([Extent((w + e) / 2, (s + n) / 2, w, s, e, n) for w, s, e, n in chosen.tolist()])
    assert found is not None
    if (found.east - found.west) % 360 > WORLD_DEG:
        return (-180.0, found.south, 180.0, found.north)
    return (found.west, found.south, found.east, found.north)


def _brought(
    incoming: Incoming,
    frame: gpd.GeoDataFrame,
    box: Box,
    crs: CRS,
    title: str,
    notes: list[str],
    left_out: int,
) -> Brought:
    """What features became."""
    target = incoming.folder / "features.parquet"
    frame.to_parquet(target, index=False)
    types = shapely.get_type_id(frame.geometry.to_numpy())
    absent = int((frame.geometry.isna() | frame.geometry.is_empty).sum())
    counts = Counter(_KINDS[each] for each in types if each >= 0)
    count = f"{len(frame):,} feature{'' if len(frame) == 1 else 's'}"
    exact = Counter(_EXACT[each] for each in types if each >= 0)
    kinds = ", ".join(
        f"{number:,} {kind}{'' if number == 1 else 's'}" for kind, number in sorted(exact.items())
    )
    kinds += f", {absent:,} without a geometry" if absent else ""
    columns = [name for name in frame.columns if name != "geometry"]
    named = ", ".join(str(each)[:40] for each in columns[:_SHOWN_COLUMNS])
    if len(columns) > _SHOWN_COLUMNS:
        named += f" and {len(columns) - _SHOWN_COLUMNS} more"
    profiles = profiles_of(pd.DataFrame(frame.drop(columns="geometry")))
    if profiles:
        notes.append(columns_said(profiles, len(columns)))
    code = code_of(crs)
    return Brought(
        kind="vector",
        path=target,
        suffix=".parquet",
        summary=f"{count} ({left_out:,} left out)" if left_out else count,
        what=f"{title} of {count} ({kinds}) in {code}" + (f" with {named}" if named else ""),
        notes=tuple(notes),
        bbox=box,
        facts={
            "count": len(frame),
            "geometries": dict(sorted(counts.items())),
            "columns": [str(each) for each in columns],
            "profile": profiles,
            "crs": code,
            "placed": len(frame) - absent,
            "left_out": left_out,
        },
        item=table_parts(
            columns_of(pd.DataFrame(frame.drop(columns="geometry"))), len(frame), box, "geometry"
        ),
    )


def read_bounded(path: Path, most: int, shown_name: str) -> bytes:
    """A whole file of at most that size. Raises UploadError for a larger one."""
    size = path.stat().st_size
    if size > most:
        raise UploadError(
            f"{shown_name} has {size / 1e6:,.0f} MB, and at most {most / 1e6:,.0f} MB are read at once; "
            "send it in parts."
        )
    return path.read_bytes()
