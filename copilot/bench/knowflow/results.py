"""What a workflow ends in, small enough to be kept as gold, and whether another result is the same.

A raster of classes is kept as its values at 64 x 64 places, and compared by intersection over union, over
all of its classes; one of quantities as the means of 16 x 16 blocks with its numbers; features as their
count, area, length and a mask of 48 x 48; a table as its rows and the means of its columns; a call that
makes nothing as its numbers. So a result is judged by what it says and where, not by how it was made.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PLACES, BLOCKS, CELLS = 64, 16, 48
MOST_CLASSES = 40
_MOST_NUMBERS = 12
_SKIPPED = ("seconds", "bytes", "seq", "size_bytes", "seed")


@dataclass(frozen=True)
class Tolerance:
    """How far a result may be off and still count as right."""

    number: float = 0.02
    """Relative; a count may be off by one besides."""
    iou: float = 0.9
    """Least intersection over union of masks and classes."""
    spread: float = 0.1
    """Most root mean square difference of blocks, in standard deviations of the gold."""


EXACT = Tolerance()
REPAIRED = Tolerance(number=0.15, iou=0.6, spread=0.5)
"""For what was made of spoiled data: what a cloud hid does not come back."""


@dataclass(frozen=True)
class Likeness:
    """How a result compares with the gold."""

    right: bool
    said: str
    iou: float | None = None


def kept(kind: str, path: Path | None, data: Mapping[str, Any]) -> dict[str, Any]:
    """A result as gold keeps it: of an artifact's file by its kind, else of the numbers that a call gave."""
    if path is not None and kind == "raster":
        return _raster(path)
    if path is not None and kind in ("vector", "detections"):
        return _features(path)
    if path is not None and kind == "table":
        return _table(path)
    return {"kind": "numbers", "numbers": dict(list(_numbers(data))[:_MOST_NUMBERS])}


def says_something(plain: Mapping[str, Any]) -> bool:
    """Whether a result tells anything: not empty, not the same everywhere."""
    if plain["kind"] == "classes":
        return len(plain["values"]) > 1 and plain["valid"] > 0.2
    if plain["kind"] == "quantity":
        return bool(plain["numbers"]["std"] > 0 and plain["valid"] > 0.2)
    if plain["kind"] == "features":
        return bool(plain["numbers"]["count"] > 0)
    if plain["kind"] == "table":
        return bool(plain["rows"] > 0)
    return bool(plain["numbers"])


def alike(gold: Mapping[str, Any], found: Mapping[str, Any], within: Tolerance = EXACT) -> Likeness:
    """Whether a result is the gold's, within a tolerance."""
    if gold["kind"] != found["kind"]:
        return Likeness(False, f"{found['kind']} instead of {gold['kind']}")
    if "bounds" in gold and _placed_apart(gold.get("bounds"), found.get("bounds")):
        return Likeness(False, "lies elsewhere")
    return _ALIKE[gold["kind"]](gold, found, within)


# -- keeping ---------------------------------------------------------------------------------------


def _packed(values: NDArray[np.uint8]) -> str:
    return base64.b85encode(zlib.compress(values.tobytes(), 9)).decode()


def _unpacked(text: str, side: int) -> NDArray[np.uint8]:
    raw = zlib.decompress(base64.b85decode(text))
    return np.frombuffer(raw, dtype=np.uint8).reshape(side, side)


def _bounds(source: Any) -> list[float] | None:
    from rasterio.warp import transform_bounds

    if source.crs is None:
        return None
    return [float(f"{each:.7g}") for each in transform_bounds(source.crs, "EPSG:4326", *source.bounds)]


def _raster(path: Path) -> dict[str, Any]:
    from rasterio.enums import Resampling

    from data.raster.files import opened

    with opened(path) as source:
        band = source.read(1, masked=True)
        bounds = _bounds(source)
        valid = ~np.ma.getmaskarray(band)
        if band.dtype.kind == "f":
            valid &= np.isfinite(band.filled(np.nan))
        seen = np.asarray(band.data[valid])
        different = np.unique(seen[:: max(1, seen.size // 200_000)]) if seen.size else seen
        if _are_classes(different):
            return {"kind": "classes", "bounds": bounds, **_classes(band, valid, different)}
        shape = (min(BLOCKS, source.height), min(BLOCKS, source.width))
        blocks = source.read(1, masked=True, out_shape=shape, resampling=Resampling.average)
        numbers = _of_values(seen.astype(np.float64))
        return {
            "kind": "quantity",
            "bounds": bounds,
            "valid": round(float(valid.mean()), 4),
            "numbers": numbers,
            "blocks": _quantised(blocks, numbers, shape),
            "shape": list(shape),
        }


def _are_classes(different: NDArray[Any]) -> bool:
    whole = different.dtype.kind in "iub" or bool(np.all(different == np.round(different)))
    return bool(whole and 0 < different.size <= MOST_CLASSES and np.all(np.abs(different) <= 100_000))


def _classes(band: Any, valid: NDArray[np.bool_], different: NDArray[Any]) -> dict[str, Any]:
    rows = ((np.arange(PLACES) + 0.5) * band.shape[0] / PLACES).astype(int)
    columns = ((np.arange(PLACES) + 0.5) * band.shape[1] / PLACES).astype(int)
    at = np.ix_(rows, columns)
    index = np.searchsorted(different, band.data[at]).clip(0, different.size - 1) + 1
    places = np.where(valid[at], index, 0).astype(np.uint8)
    values = [float(each) if each != round(float(each)) else int(each) for each in different]
    shares = [round(float(np.mean(band.data[valid] == each)), 5) for each in different]
    return {
        "values": values,
        "shares": shares,
        "valid": round(float(valid.mean()), 4),
        "places": _packed(places),
    }


def _of_values(values: NDArray[np.float64]) -> dict[str, float]:
    if not values.size:
        return {"mean": 0.0, "std": 0.0, "min": 0.0, "max": 0.0}
    low, high = np.percentile(values, (2, 98))
    found = {"mean": values.mean(), "std": values.std(), "min": low, "max": high}
    return {key: float(f"{each:.6g}") for key, each in found.items()}


def _quantised(blocks: Any, numbers: Mapping[str, float], shape: tuple[int, int]) -> str:
    """0: no value; 1 to 255 from min to max."""
    width = max(numbers["max"] - numbers["min"], 1e-12)
    values = np.ma.asarray(blocks, dtype=np.float64).filled(np.nan)
    scaled = 1 + 254 * np.clip((values - numbers["min"]) / width, 0, 1)
    full = np.zeros((BLOCKS, BLOCKS), dtype=np.uint8)
    full[: shape[0], : shape[1]] = np.where(np.isfinite(values), np.nan_to_num(scaled), 0).astype(np.uint8)
    return _packed(full)


def _features(path: Path) -> dict[str, Any]:
    from copilot.workflows.quality import measure

    frame = _read(path)
    names = ("count", "area_km2", "length_km")
    numbers = {name: float(f"{measure(name, path) or 0.0:.6g}") for name in names}
    bounds = [float(each) for each in frame.total_bounds] if len(frame) else None
    plain: dict[str, Any] = {"kind": "features", "numbers": numbers}
    if bounds is not None and all(map(math.isfinite, bounds)):
        plain |= {"box": [float(f"{each:.8g}") for each in bounds]}
        plain |= {"cells": _packed(_cells(frame, plain["box"]))}
    return plain


def _read(path: Path) -> Any:
    from copilot.workflows.quality import frame_of

    frame = frame_of(path)
    return frame.to_crs("EPSG:4326") if frame.crs is not None else frame


def _cells(frame: Any, box: list[float]) -> NDArray[np.uint8]:
    from rasterio.features import rasterize
    from rasterio.transform import from_bounds

    left, bottom, right, top = box
    spare = max(right - left, top - bottom, 1e-6) * 0.01
    grid = from_bounds(left - spare, bottom - spare, right + spare, top + spare, CELLS, CELLS)
    shapes = [each for each in frame.geometry if each is not None and not each.is_empty]
    if not shapes:
        return np.zeros((CELLS, CELLS), dtype=np.uint8)
    made: NDArray[np.uint8] = rasterize(
        shapes, (CELLS, CELLS), transform=grid, all_touched=True, dtype="uint8"
    )
    return made


def _table(path: Path) -> dict[str, Any]:
    import pandas as pd

    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.DataFrame(_read(path))
    means: dict[str, float] = {}
    for name in list(frame.columns)[:40]:
        values = pd.to_numeric(frame[name], errors="coerce") if frame[name].dtype.kind in "iufb" else None
        if values is not None and values.notna().any() and len(means) < _MOST_NUMBERS:
            means[str(name)] = float(f"{values.mean():.6g}")
    return {"kind": "table", "rows": len(frame), "numbers": means}


def _numbers(data: Mapping[str, Any], before: str = "") -> Any:
    for key, value in sorted(data.items()):
        if key in _SKIPPED:
            continue
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{before}{key}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            yield f"{before}{key}", float(f"{value:.6g}")


# -- comparing -------------------------------------------------------------------------------------


def _near(gold: float, found: float, within: float) -> bool:
    return abs(gold - found) <= max(within * abs(gold), 1e-9)


def _near_count(gold: float, found: float, within: float) -> bool:
    return abs(gold - found) <= max(1.0, within * abs(gold))


def _placed_apart(gold: list[float] | None, found: list[float] | None) -> bool:
    if gold is None or found is None:
        return gold is not None
    wide = min(gold[2], found[2]) - max(gold[0], found[0])
    high = min(gold[3], found[3]) - max(gold[1], found[1])
    shared = max(wide, 0) * max(high, 0)
    both = _area(gold) + _area(found) - shared
    return both > 0 and shared / both < 0.8


def _area(box: list[float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _alike_classes(gold: Mapping[str, Any], found: Mapping[str, Any], within: Tolerance) -> Likeness:
    value = iou(gold, found)
    return Likeness(value >= within.iou, f"IoU {value:.3f}", value)


def iou(gold: Mapping[str, Any], found: Mapping[str, Any]) -> float:
    """Of a mask's marked places; of several classes the mean, each weighted by its places in the gold."""
    one, other = _values_at(gold), _values_at(found)
    seen = np.isfinite(one)
    classes = [each for each in gold["values"] if each != 0] or [0]
    scores, weights = [], []
    for each in classes:
        first, second = one == each, (other == each) & seen
        union = int((first | second).sum())
        if union:
            scores.append((first & second).sum() / union)
            weights.append(max(int(first.sum()), 1))
    if not scores:  # too few to meet one of the places: the shares tell
        return (
            1.0
            if all(_near_count(a, b, 0.1) for a, b in zip(gold["shares"], found["shares"], strict=False))
            else 0.0
        )
    return float(np.average(scores, weights=weights))


def _values_at(plain: Mapping[str, Any]) -> NDArray[np.float64]:
    return np.array([np.nan, *plain["values"]], dtype=np.float64)[_unpacked(plain["places"], PLACES)]


def _alike_quantity(gold: Mapping[str, Any], found: Mapping[str, Any], within: Tolerance) -> Likeness:
    one, other = _blocks(gold), _blocks(found)
    if gold["shape"] != found["shape"]:
        return Likeness(False, f"{found['shape']} blocks instead of {gold['shape']}")
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < 0.7 * np.isfinite(one).sum():
        return Likeness(False, "has values in other places")
    off = float(np.sqrt(np.mean((one[both] - other[both]) ** 2))) / max(gold["numbers"]["std"], 1e-12)
    return Likeness(off <= within.spread, f"off by {off:.3f} standard deviations")


def _blocks(plain: Mapping[str, Any]) -> NDArray[np.float64]:
    raw = _unpacked(plain["blocks"], BLOCKS)[: plain["shape"][0], : plain["shape"][1]].astype(np.float64)
    low, high = plain["numbers"]["min"], plain["numbers"]["max"]
    return np.where(raw > 0, low + (raw - 1) / 254 * (high - low), np.nan)


def _alike_features(gold: Mapping[str, Any], found: Mapping[str, Any], within: Tolerance) -> Likeness:
    one, other = gold["numbers"], found["numbers"]
    if "cells" in gold and other["count"] and one["area_km2"] > 0:
        value = _cells_iou(gold, found)
        return Likeness(value >= within.iou, f"IoU of features {value:.3f}", value)
    if not _near_count(one["count"], other["count"], within.number):
        return Likeness(False, f"{other['count']:g} features instead of {one['count']:g}")
    length = _near(one["length_km"], other["length_km"], max(within.number, 0.03))
    return Likeness(length, f"{other['count']:g} features, {other['length_km']:g} km")


def _cells_iou(gold: Mapping[str, Any], found: Mapping[str, Any]) -> float:
    if "cells" not in found:
        return 0.0
    first, second = (_unpacked(each["cells"], CELLS) > 0 for each in (gold, found))
    overlap = not _placed_apart(gold["box"], found["box"])
    union = int((first | second).sum())
    return float((first & second).sum() / union) if union and overlap else 0.0


def _alike_table(gold: Mapping[str, Any], found: Mapping[str, Any], within: Tolerance) -> Likeness:
    if not _near_count(gold["rows"], found["rows"], within.number):
        return Likeness(False, f"{found['rows']} rows instead of {gold['rows']}")
    return _alike_numbers(gold, found, within)


def _alike_numbers(gold: Mapping[str, Any], found: Mapping[str, Any], within: Tolerance) -> Likeness:
    wrong = [
        key
        for key, value in gold["numbers"].items()
        if key not in found["numbers"] or not _close(value, found["numbers"][key], within.number)
    ]
    return Likeness(not wrong, f"{', '.join(wrong[:3])} off" if wrong else "numbers as in the gold")


def _close(gold: float, found: float, within: float) -> bool:
    return _near(gold, found, within) or (
        float(gold).is_integer() and abs(gold) >= 20 and _near_count(gold, found, within)
    )


_ALIKE = {
    "classes": _alike_classes,
    "quantity": _alike_quantity,
    "features": _alike_features,
    "table": _alike_table,
    "numbers": _alike_numbers,
}

__all__ = ["EXACT", "REPAIRED", "Likeness", "Tolerance", "alike", "iou", "kept", "says_something"]
