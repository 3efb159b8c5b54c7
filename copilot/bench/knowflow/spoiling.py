"""Faults of data, really put into a file: what comes out is a file like those that cause the trouble.

Each takes the good file, the one it goes with (a pair's other side, or what it is measured against) and a
seed, and writes the spoiled one. How strong each is stands in its docstring.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Spoil = Callable[[Path, Path, int], Path]
SHIFT_PX = 6


def spoil(kind: str, path: Path, folder: Path, seed: int = 1) -> Path:
    """A spoiled copy of a file in `folder`. Raises KeyError for a fault that is none of `FILE_FAULTS`."""
    out = folder / f"{path.stem}_{kind}{path.suffix if path.suffix in ('.tif', '.geojson') else '.tif'}"
    if not out.exists():
        FILE_FAULTS[kind](path, out, seed)
    return out


def _opened(path: Path) -> tuple[NDArray[Any], dict[str, Any], tuple[Any, ...], dict[str, str]]:
    import rasterio

    with rasterio.open(path) as source:
        profile = dict(source.profile) | {each: getattr(source, each) for each in _MEANING}
        return source.read(), profile, source.descriptions, source.tags()


def _written(
    out: Path,
    values: NDArray[Any],
    profile: Mapping[str, Any],
    names: tuple[Any, ...],
    tags: Mapping[str, str],
) -> Path:
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning

    told = {key: value for key, value in profile.items() if key not in (*_LAYOUT, *_MEANING)}
    told.update(driver="GTiff", count=values.shape[0], height=values.shape[1], width=values.shape[2])
    told.update(dtype=values.dtype.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)  # which is the fault, for one of them
        target = rasterio.open(out, "w", **told)
    with target:
        target.write(values)
        target.update_tags(**tags)
        if values.dtype.name == profile["dtype"] and len(profile.get("scales", ())) == len(values):
            target.scales, target.offsets = profile["scales"], profile["offsets"]
        for band, said in enumerate(names, 1):
            if said and band <= values.shape[0]:
                target.set_band_description(band, said)
    return out


_MEANING = ("scales", "offsets")
"""What makes values of the file's numbers: it stays with numbers of the same type."""
_LAYOUT = ("blockxsize", "blockysize", "tiled", "photometric", "compress", "interleave")


def _pixels(
    change: Callable[[NDArray[Any], np.random.Generator], NDArray[Any]],
) -> Callable[[Path, Path, int], Path]:
    """A fault of the values alone: kept within the file's own type."""

    def made(path: Path, out: Path, seed: int) -> Path:
        values, profile, names, tags = _opened(path)
        spoiled = change(values.astype(np.float64), np.random.default_rng(seed))
        if values.dtype.kind in "iu":
            limits = np.iinfo(values.dtype)
            spoiled = np.clip(np.round(spoiled), limits.min, limits.max)
        if profile.get("nodata") is not None:  # what had a value goes on having one
            lost = (spoiled == profile["nodata"]) & (values != profile["nodata"])
            spoiled = np.where(lost, profile["nodata"] + 1, spoiled)
        return _written(out, spoiled.astype(values.dtype), profile, names, tags)

    return made


def _bright(values: NDArray[Any]) -> float:
    return float(np.percentile(values, 99.5))


def _blobs(shape: tuple[int, ...], share: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Soft-edged discs, 0 to 1, that hide about a share."""
    rows, columns = np.mgrid[0 : shape[-2], 0 : shape[-1]]
    cover = np.zeros(shape[-2:])
    while (cover > 0.5).mean() < share:
        at = rng.uniform(0, 1, 2) * shape[-2:]
        radius = rng.uniform(0.06, 0.12) * max(shape[-2:])
        cover = np.maximum(cover, np.clip(1.6 * (1 - np.hypot(rows - at[0], columns - at[1]) / radius), 0, 1))
    return cover


def _cloud(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Opaque white clouds over a tenth of the image."""
    cover = _blobs(values.shape, 0.1, rng)
    return values * (1 - cover) + 1.1 * _bright(values) * cover


def _haze(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Six tenths of the light of the visible bands are lost to an even veil."""
    return values * 0.4 + 0.55 * _bright(values)


def _noise(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Gaussian noise of eight tenths of each band's own deviation."""
    spread = values.std(axis=(1, 2), keepdims=True)
    noisy: NDArray[Any] = values + rng.normal(0, 1, values.shape) * 0.8 * spread
    return noisy


def _speckle(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Speckle of one look."""
    return values * rng.gamma(1.0, 1.0, values.shape)


def _low_contrast(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """A fifth of the contrast about the mean."""
    middle = values.mean(axis=(1, 2), keepdims=True)
    flat: NDArray[Any] = middle + (values - middle) * 0.2
    return flat


def _band_order(path: Path, out: Path, seed: int) -> Path:
    """The bands in another order than their names say: the first and the last have changed places."""
    values, profile, names, tags = _opened(path)
    return _written(out, values[[-1, *range(1, len(values) - 1), 0]], profile, names, tags)


def _unnamed(path: Path, out: Path, seed: int) -> Path:
    """Nothing says what the bands are."""
    values, profile, _, _ = _opened(path)
    return _written(out, values, profile, (), {})


def _missing_crs(path: Path, out: Path, seed: int) -> Path:
    """Neither a coordinate system nor a place."""
    values, profile, names, tags = _opened(path)
    plain = {key: value for key, value in profile.items() if key not in ("crs", "transform")}
    return _written(out, values, plain, names, tags)


def _wrong_crs(path: Path, out: Path, seed: int) -> Path:
    """The neighbouring UTM zone is written on it."""
    from rasterio.crs import CRS

    values, profile, names, tags = _opened(path)
    code = profile["crs"].to_epsg()
    zone = code % 100
    other = code + (1 if zone < 60 else -1)
    return _written(out, values, {**profile, "crs": CRS.from_epsg(other)}, names, tags)


def _other_crs(path: Path, out: Path, seed: int) -> Path:
    """Warped into degrees, as many providers do."""
    return _warped(path, out, "EPSG:4326", 1.0)


def _other_resolution(path: Path, out: Path, seed: int) -> Path:
    """Pixels half as large again."""
    import rasterio

    with rasterio.open(path) as source:
        crs = source.crs
    return _warped(path, out, str(crs), 1.5)


def _warped(path: Path, out: Path, crs: str, coarser: float) -> Path:
    import rasterio
    from rasterio.warp import Resampling, calculate_default_transform, reproject

    with rasterio.open(path) as source:
        grid, wide, high = calculate_default_transform(
            source.crs, crs, source.width, source.height, *source.bounds
        )
        if coarser != 1:
            grid = source.transform @ source.transform.scale(coarser)
            wide, high = round(source.width / coarser), round(source.height / coarser)
        nodata = source.nodata if source.nodata is not None else 0
        values = np.full((source.count, high, wide), nodata, dtype=source.dtypes[0])
        for band in range(source.count):
            reproject(
                source.read(band + 1), values[band], src_transform=source.transform, src_crs=source.crs,
                dst_transform=grid, dst_crs=crs, dst_nodata=nodata, resampling=Resampling.bilinear,
            )  # fmt: skip
        profile = {
            **source.profile,
            **{each: getattr(source, each) for each in _MEANING},
            "crs": crs,
            "transform": grid,
            "nodata": nodata if crs == "EPSG:4326" else source.nodata,
        }
        return _written(out, values, profile, source.descriptions, source.tags())


def _shifted(path: Path, out: Path, seed: int) -> Path:
    """The pixels lie six to the right and four down of where their georeference says."""
    values, profile, names, tags = _opened(path)
    moved = np.roll(values, (SHIFT_PX - 2, SHIFT_PX), axis=(1, 2))
    moved[:, : SHIFT_PX - 2] = values[:, :1]
    moved[:, :, :SHIFT_PX] = values[:, :, :1]
    return _written(out, moved, profile, names, tags)


def _stripes(path: Path, out: Path, seed: int) -> Path:
    """Every eighth row is lost for two rows, and marked as having no value."""
    values, profile, names, tags = _opened(path)
    nodata = profile.get("nodata")
    if nodata is None:
        nodata = -9999.0 if values.dtype.kind == "f" else 0
    lost = np.arange(values.shape[1]) % 8 < 2
    values = values.copy()
    values[:, lost] = nodata
    return _written(out, values, {**profile, "nodata": nodata}, names, tags)


def _decibels(path: Path, out: Path, seed: int) -> Path:
    """Backscatter in decibels, where intensities are wanted."""
    values, profile, names, tags = _opened(path)
    power = np.maximum(values.astype(np.float64), 1e-5)
    return _written(
        out,
        (10 * np.log10(power)).astype(np.float32),
        {**profile, "dtype": "float32", "nodata": None},
        names,
        tags,
    )


def _uncalibrated(path: Path, out: Path, seed: int) -> Path:
    """Whole numbers of 1 / 10,000 without the scale that says so."""
    values, profile, names, _ = _opened(path)
    counts = np.clip(np.round(values.astype(np.float64) * 10_000), 0, 65_535).astype(np.uint16)
    plain = {key: value for key, value in profile.items() if key not in _MEANING}
    return _written(out, counts, {**plain, "nodata": None}, names, {})


def _broken_shapes(path: Path, out: Path, seed: int) -> Path:
    """Each polygon crosses itself: two of its corners have changed places."""
    import geopandas as gpd
    from shapely import Polygon

    frame = gpd.read_file(path)
    made = []
    for each in frame.geometry:
        corners = list(each.exterior.coords)[:-1] if each.geom_type == "Polygon" else []
        if len(corners) == 4:
            # An hourglass beside the whole: crossing itself, with the same outline once mended.
            a, b, c, d = corners
            each = Polygon([a, b, c, d, a, c, d, a])
        made.append(each)
    out.write_text(frame.set_geometry(made, crs=frame.crs).to_json(drop_id=True), encoding="utf-8")
    return out


FILE_FAULTS: Mapping[str, Callable[[Path, Path, int], Path]] = {
    "cloud": _pixels(_cloud),
    "haze": _pixels(_haze),
    "noise": _pixels(_noise),
    "speckle": _pixels(_speckle),
    "low_contrast": _pixels(_low_contrast),
    "band_order": _band_order,
    "unnamed_bands": _unnamed,
    "missing_crs": _missing_crs,
    "wrong_crs": _wrong_crs,
    "other_crs": _other_crs,
    "other_resolution": _other_resolution,
    "shifted_pair": _shifted,
    "nodata_stripes": _stripes,
    "decibels": _decibels,
    "uncalibrated": _uncalibrated,
    "broken_shapes": _broken_shapes,
}

__all__ = ["FILE_FAULTS", "SHIFT_PX", "spoil"]
