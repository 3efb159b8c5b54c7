"""NetCDF and HDF5 as they come in: one variable of them becomes a GeoTIFF, its slices the bands."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from pyproj import CRS
from pyproj.exceptions import CRSError

from data.raster.files import geotiff_profile
from data.uploads.axes import first_time, steps_said
from data.uploads.brought import Brought, Incoming
from data.uploads.errors import BROKEN, UploadError, all_shown, shown
from data.uploads.gdal import MAX_PIXELS, MAX_RATIO, MODEST_BYTES, quiet_gdal, reason_of
from data.uploads.placing import asked_crs
from data.uploads.rasters import finished

if TYPE_CHECKING:
    import h5py
    import xarray

MAX_BANDS = 366
MAX_VARIABLES = 5_000
STRIP_VALUES = 8_000_000
_X = (
    "lon",
    "longitude",
    "x",
    "xc",
    "easting",
    "projection_x_coordinate",
    "nav_lon",
    "xdim",
    "cols",
    "columns",
)
_Y = ("lat", "latitude", "y", "yc", "northing", "projection_y_coordinate", "nav_lat", "ydim", "rows")
_IRREGULAR = 1e-3
"""How far the steps of a coordinate may differ from their mean, as a share of it."""


@dataclass(frozen=True)
class _Grid:
    """Where a variable's cells lie; `flip_*` says which axes run the other way than a picture's."""

    transform: Affine | None
    flip_x: bool = False
    flip_y: bool = False
    roll: int = 0
    """Columns to move so that 0..360 degrees becomes -180..180."""


def bring_arrays(incoming: Incoming, form: str) -> Brought:
    """The variable that was asked for, else the first with rows and columns, as a GeoTIFF."""
    if form == "hdf5":
        _check_links(incoming)
    with _opened(incoming, form) as data:
        names = _pictures(data)
        chosen = _chosen(incoming, names)
        variable = _upright(data[chosen], data)
        stored, turned = (", ".join(map(str, each.dims)) for each in (data[chosen], variable))
        target = incoming.folder / f"{_plain_name(chosen)}.tif"
        notes = []
        if stored != turned:
            notes.append(f"Its dimensions ({shown(stored)}) were read as {shown(turned)}.")
        others = [each for each in names if each != chosen]
        if others:
            notes.append(
                f"Its variable {shown(chosen)} was taken; add_file with part adds another of them: "
                f"{all_shown(others)}."
            )
        if (said := _scale_said(variable)) is not None:
            notes.append(said)
        with _as_sentence(incoming):
            bands = _write(incoming, data, variable, target, notes)
    described = f"{bands} band{'' if bands == 1 else 's'} of {variable.dtype}"
    form_said = "an HDF5 or NetCDF-4" if form == "hdf5" else "a NetCDF"
    title = f"the variable {shown(chosen)} of {form_said} file"
    return finished(incoming, target, title, described, notes, {})


@contextmanager
def _opened(incoming: Incoming, form: str) -> Iterator[xarray.Dataset]:
    import xarray

    engine = "h5netcdf" if form == "hdf5" else "scipy"
    more: dict[str, Any] = {"phony_dims": "access"} if form == "hdf5" else {"mmap": False}
    with _as_sentence(incoming), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if form == "netcdf3":
            _check_netcdf3(incoming)
        groups = ["/"] if form == "netcdf3" else _groups(incoming)
        whole: dict[str, Any] = {}
        opened = []
        try:
            for group in groups:
                kept: dict[str, Any] = {"group": group} if form == "hdf5" and group != "/" else {}
                found = xarray.open_dataset(
                    incoming.path,
                    engine=engine,
                    decode_times=False,
                    mask_and_scale=True,
                    chunks=None,
                    **kept,
                    **more,
                )
                opened.append(found)
                prefix = "" if group == "/" else f"{group.strip('/')}/"
                whole.update(
                    {f"{prefix}{name}": found[name] for name in found.variables if name not in whole}
                )
            yield _Variables(whole)  # type: ignore[misc]
        finally:
            for each in opened:
                each.close()


class _Variables(dict[str, Any]):
    """Variables by their path in the file."""


def _groups(incoming: Incoming) -> list[str]:
    """The groups of an HDF5 that hold data sets, the root first."""
    import h5py

    found = ["/"]
    with h5py.File(incoming.path, "r") as file:
        count = 0

        def look(name: str, thing: Any) -> bool | None:
            nonlocal count
            count += 1
            if isinstance(thing, h5py.Group) and any(
                isinstance(thing.get(key), h5py.Dataset) for key in thing
            ):
                found.append(name)
            return True if count > MAX_VARIABLES else None

        file.visititems(look)
    return found[:50]


def _check_links(incoming: Incoming) -> None:
    """Refuse an HDF5 that takes its data from other files: external links, storage or virtual data sets."""
    import h5py

    try:
        with h5py.File(incoming.path, "r", locking=False) as file:
            waiting: list[h5py.Group] = [file]
            seen: set[int] = set()
            while waiting:
                group = waiting.pop()
                if (at := h5py.h5o.get_info(group.id).addr) in seen:
                    continue
                seen.add(at)
                if len(seen) > MAX_VARIABLES:
                    raise UploadError(f"{incoming.shown} has over {MAX_VARIABLES:,} groups; send less of it.")
                waiting += _inner_groups(group, incoming)
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, UnicodeError, OverflowError) as error:
        raise UploadError(
            f"{incoming.shown} is cut off or broken and is no HDF5 ({reason_of(error)}); send it again."
        ) from None


def _inner_groups(group: h5py.Group, incoming: Incoming) -> list[h5py.Group]:
    import h5py

    found = []
    for number, name in enumerate(group):
        if number > MAX_VARIABLES:
            raise UploadError(f"{incoming.shown} has over {MAX_VARIABLES:,} data sets; send less of it.")
        link = group.get(name, getlink=True)
        if isinstance(link, h5py.ExternalLink):
            raise _reaches_out(incoming, name)
        if isinstance(link, h5py.SoftLink):
            continue
        thing = group[name]
        if isinstance(thing, h5py.Group):
            found.append(thing)
        elif isinstance(thing, h5py.Dataset) and (thing.external or thing.is_virtual):
            raise _reaches_out(incoming, name)
    return found


def _reaches_out(incoming: Incoming, name: str) -> UploadError:
    return UploadError(
        f"{incoming.shown} takes {shown(str(name))} from another file; copy the data into one file."
    )


def _check_netcdf3(incoming: Incoming) -> None:
    """A header that claims more variables or dimensions than there are bytes is not handed on."""
    with incoming.path.open("rb") as file:
        head = file.read(16)
    if len(head) < 16:
        raise UploadError(f"{incoming.shown} is cut off or broken and is no NetCDF; send it again.")


def _pictures(data: Any) -> list[str]:
    """The variables with rows and columns, in the file's order; coordinates and bounds are none."""
    found = []
    for name, variable in data.items():
        plain = name.rpartition("/")[2].lower()
        sizes = list(_upright(variable, data).shape)
        if len(sizes) < 2 or min(sizes[-2:]) < 2 or variable.dtype.kind not in "biuf":
            continue
        if plain in (*_X, *_Y) or plain.endswith(("_bnds", "_bounds")) or name in variable.dims:
            continue
        found.append(name)
    return found


def _chosen(incoming: Incoming, names: list[str]) -> str:
    wanted = incoming.asked.part
    if not names:
        raise UploadError(f"{incoming.shown} holds no variable with rows and columns; send one that does.")
    if wanted is None:
        return names[0]
    for name in names:
        if wanted in (name, name.rpartition("/")[2]):
            return name
    known = ", ".join(shown(each) for each in names[:8])
    raise UploadError(f"{incoming.shown} has no variable {shown(wanted)}; it has {known}.")


def _write(incoming: Incoming, data: Any, variable: Any, target: Path, notes: list[str]) -> int:
    rows, columns = (int(each) for each in variable.shape[-2:])
    slices = math.prod(int(each) for each in variable.shape[:-2])
    values = rows * columns * slices
    item = variable.dtype.itemsize
    packed = incoming.path.stat().st_size
    if values > MAX_PIXELS or (values * item > MODEST_BYTES and values * item > packed * MAX_RATIO):
        raise UploadError(
            f"{incoming.shown} has {packed:,} bytes and claims {values:,} values, more than can be read; "
            "send less of it."
        )
    bands = min(slices, MAX_BANDS)
    notes += steps_said(variable, data)
    if slices > bands:
        notes.append(f"The first {bands:,} of its {slices:,} slices were taken.")
    grid = _grid(variable, data, notes)
    crs = _crs(incoming, variable, data, grid, notes)
    valid = _valid_range(variable)
    dtype = _pixel_type(variable.dtype if valid is None else np.result_type(variable.dtype, np.float32))
    placed = grid.transform is not None and crs is not None
    profile = geotiff_profile(
        columns, rows, count=bands, dtype=dtype, nodata=math.nan if dtype[0] == "f" else None
    )
    if placed and crs is not None:
        profile.update(crs=crs.to_wkt(), transform=grid.transform)
    height, invalid = max(1, STRIP_VALUES // max(1, columns)), 0
    with quiet_gdal(), rasterio.open(target, "w", **profile) as writer:
        for band in range(bands):
            at = np.unravel_index(band, variable.shape[:-2]) if slices > 1 or variable.ndim > 2 else ()
            for first in range(0, rows, height):
                count = min(height, rows - first)
                strip = _strip(variable, at, first, count, rows, grid).astype(dtype)
                if valid is not None:
                    beyond = (strip < valid[0]) | (strip > valid[1])
                    strip[beyond] = math.nan
                    invalid += int(beyond.sum())
                window = rasterio.windows.Window(0, first, columns, count)
                writer.write(strip, band + 1, window=window)
            writer.set_band_description(band + 1, _band_name(variable, at))
        unit = str(variable.attrs.get("units", ""))[:60]
        if unit:
            writer.units = (unit,) * bands
        if (when := first_time(data)) is not None:
            writer.update_tags(ACQUISITION_DATETIME=when)
    if valid is not None and invalid:
        notes.append(
            f"{invalid:,} of its values lie outside of its valid range, {valid[0]:g} to {valid[1]:g}, "
            "and are nodata."
        )
    return bands


def _scale_said(variable: Any) -> str | None:
    """The sentence about numbers that were stored with a scale or an offset."""
    scale = float(variable.encoding.get("scale_factor", 1))
    offset = float(variable.encoding.get("add_offset", 0))
    if (scale, offset) == (1, 0):
        return None
    return f"Its numbers were read as what they mean: value = {scale:g} x number + {offset:g}."


def _valid_range(variable: Any) -> tuple[float, float] | None:
    """The least and the largest value that is one (valid_range, valid_min, valid_max); None for neither.

    Told in the type of packed numbers, they are packed too (NetCDF Users Guide, appendix A).
    """
    attrs = variable.attrs
    least_most = (attrs.get("valid_min", -math.inf), attrs.get("valid_max", math.inf))
    told = np.asarray(attrs.get("valid_range", least_most))
    if told.size != 2 or told.dtype.kind not in "iuf" or not np.isfinite(told.astype(float)).any():
        return None
    low, high = (float(each) for each in told.ravel())
    stored = variable.encoding.get("dtype")
    names = [name for name in ("valid_range", "valid_min", "valid_max") if name in attrs]
    kinds = {np.asarray(attrs[name]).dtype for name in names}
    if stored is not None and np.dtype(stored) != variable.dtype and kinds == {np.dtype(stored)}:
        scale = float(variable.encoding.get("scale_factor", 1))
        offset = float(variable.encoding.get("add_offset", 0))
        low, high = sorted((low * scale + offset, high * scale + offset))
    return low, high


def _pixel_type(dtype: np.dtype[Any]) -> str:
    """The type of the GeoTIFF's pixels: the variable's own where GDAL and its readers all have it."""
    if dtype.kind == "b":
        return "uint8"
    if dtype.name in ("int64", "uint64"):
        return "float64"
    own = ("uint8", "int16", "uint16", "int32", "uint32", "float32", "float64")
    return dtype.name if dtype.name in own else "float32"


def _strip(
    variable: Any, at: tuple[Any, ...], first: int, count: int, rows: int, grid: _Grid
) -> NDArray[Any]:
    """Rows of one slice as a picture has them, north first and west first."""
    start = rows - first - count if grid.flip_y else first
    place = tuple(int(each) for each in at)
    values = np.asarray(variable[(*place, slice(start, start + count), slice(None))].values)
    if grid.flip_y:
        values = values[::-1]
    if grid.flip_x:
        values = values[:, ::-1]
    return np.roll(values, -grid.roll, axis=1) if grid.roll else values


def _band_name(variable: Any, at: tuple[Any, ...]) -> str:
    name = str(variable.name).rpartition("/")[2]
    named = [f"{dim} {int(place) + 1}" for dim, place in zip(variable.dims[:-2], at, strict=True)]
    return " ".join([name, *named])[:200]


def _upright(variable: Any, data: Any) -> Any:
    """The variable with its rows and columns last, where its dimensions or their coordinates tell them.

    Some files are stored with longitude before latitude, or with time last.
    """
    columns, rows = (
        [dim for dim in variable.dims if _runs_along(str(dim), data, axis)] for axis in ("X", "Y")
    )
    if len(columns) != 1 or len(rows) != 1 or variable.dims[-2:] == (rows[0], columns[0]):
        return variable
    others = [dim for dim in variable.dims if dim not in (rows[0], columns[0])]
    return variable.transpose(*others, rows[0], columns[0])


def _runs_along(dim: str, data: Any, axis: str) -> bool:
    """Whether a dimension is that of longitudes and eastings ("X"), or of latitudes and northings ("Y")."""
    words, units = (_X, "degrees_east") if axis == "X" else (_Y, "degrees_north")
    if dim.rpartition("/")[2].lower() in words:
        return True
    about = data[dim].attrs if dim in data else {}
    said = (str(about.get(each, "")) for each in ("axis", "units", "standard_name"))
    return any(each in (axis, units) or each.lower() in words for each in said)


def _axis(variable: Any, data: Any, dim: str, words: tuple[str, ...]) -> NDArray[np.float64] | None:
    """The evenly spaced centres of the cells along a dimension; None when they are not known."""
    size = variable.sizes[dim]
    names = [dim, *(name for name in data if name.rpartition("/")[2].lower() in words)]
    for name in names:
        # A dimension without coordinates counts its cells when asked by name; that is no place.
        found = data.get(name) if name in data else None
        if (
            found is None
            or found.ndim != 1
            or found.size != size
            or size < 2
            or found.dtype.kind not in "iuf"
        ):
            continue
        centres = np.asarray(found.values, dtype=np.float64)
        steps = np.diff(centres)
        mean = (centres[-1] - centres[0]) / (size - 1)
        if np.isfinite(centres).all() and mean and np.abs(steps - mean).max() <= abs(mean) * _IRREGULAR:
            return centres
    return None


def _grid(variable: Any, data: Any, notes: list[str]) -> _Grid:
    y_dim, x_dim = variable.dims[-2:]
    x, y = _axis(variable, data, x_dim, _X), _axis(variable, data, y_dim, _Y)
    if x is None or y is None:
        notes.append("Its cells have no evenly spaced coordinates that are known.")
        return _Grid(None)
    flip_x, flip_y = bool(x[-1] < x[0]), bool(y[-1] > y[0])
    x, y = (x[::-1] if flip_x else x), (y[::-1] if flip_y else y)
    step_x, step_y = (x[-1] - x[0]) / (len(x) - 1), (y[0] - y[-1]) / (len(y) - 1)
    roll = 0
    if (
        x[0] >= -step_x
        and 180 < x[-1] <= 360 + step_x
        and abs(y).max() <= 90 + step_y
        and len(x) * step_x > 359
    ):
        roll = int(np.searchsorted(x, 180.0))
        x = np.roll(x, -roll)
        x = np.where(x >= 180, x - 360, x)
        notes.append("Its longitudes of 0 to 360 degrees were turned into -180 to 180.")
    north = y[0] + step_y / 2
    if abs(y).max() <= 90 and north > 90:
        north = 90.0 if abs(north - 90) < 1e-9 else north
    return _Grid(Affine(step_x, 0, x[0] - step_x / 2, 0, -step_y, north), flip_x, flip_y, roll)


def _crs(incoming: Incoming, variable: Any, data: Any, grid: _Grid, notes: list[str]) -> CRS | None:
    if grid.transform is None:
        return None
    told = _told_crs(variable, data, notes)
    if told is not None or incoming.asked.crs:
        return asked_crs(incoming, told, notes)
    a, _, west, _, e, north = tuple(grid.transform)[:6]
    rows, columns = variable.shape[-2:]
    if west >= -181 and west + a * columns <= 361 and north <= 90.5 and north + e * rows >= -90.5:
        notes.append("It names no coordinate system; its coordinates look like degrees and were taken so.")
        return CRS.from_epsg(4326)
    notes.append("It names no coordinate system; add it again with crs, such as crs=EPSG:32631.")
    return None


def _told_crs(variable: Any, data: Any, notes: list[str]) -> CRS | None:
    """What its grid mapping or the units of its coordinates say."""
    mapping = variable.attrs.get("grid_mapping") or variable.encoding.get("grid_mapping")
    about = data.get(str(mapping)) if mapping else None
    if about is not None:
        try:
            return CRS.from_cf({str(key): value for key, value in about.attrs.items()})
        except (CRSError, KeyError, ValueError, TypeError, AttributeError):
            notes.append("Its grid mapping is none that is known.")
    return CRS.from_epsg(4326) if _in_degrees(variable, data) else None


def _in_degrees(variable: Any, data: Any) -> bool:
    """Whether an axis says that it is one of longitudes."""
    dim = variable.dims[-1]
    units = str(data[dim].attrs.get("units", "")) if dim in data else ""
    return str(dim).lower().startswith("lon") or units.startswith("degree")


def _plain_name(name: str) -> str:
    return (
        "".join(each if each.isalnum() or each in "-_." else "_" for each in name)[:80].strip(".")
        or "variable"
    )


@contextmanager
def _as_sentence(incoming: Incoming) -> Iterator[None]:
    try:
        yield
    except UploadError:
        raise
    except BROKEN as error:
        raise UploadError(
            f"{incoming.shown} is cut off or broken and cannot be read ({reason_of(error)}); send it again."
        ) from None
