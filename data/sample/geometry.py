"""Metres to millionths of a degree, in arithmetic that every machine does alike.

Positions are integers, millionths of a degree ("micro"). `+ - * /` and rounding are exact by
IEEE 754; cosines and square roots of angles are avoided.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from data.sample.rng import Ints

METRES_PER_DEGREE = 111_320
MICRO = 1_000_000
Floats = NDArray[np.float64]
_WKB_POLYGON = np.dtype(
    [("order", "u1"), ("type", "<u4"), ("rings", "<u4"), ("points", "<u4"), ("xy", "<f8", (5, 2))]
)


def cos_latitude(lat: Ints) -> Floats:
    """Cosine of a latitude in micro-degrees by Bhaskara's formula (within 0.002), at least 0.02."""
    square = (lat / MICRO) * (lat / MICRO)
    return np.maximum((32400 - 4 * square) / (32400 + square), 0.02)


def north_micro(metres: Floats | Ints) -> Ints:
    """Metres north as micro-degrees of latitude."""
    return np.rint(metres * 1.0 * MICRO / METRES_PER_DEGREE).astype(np.int64)


def east_micro(metres: Floats | Ints, lat: Ints) -> Ints:
    """Metres east at a latitude as micro-degrees of longitude."""
    return np.rint(metres * 1.0 * MICRO / (METRES_PER_DEGREE * cos_latitude(lat))).astype(np.int64)


def wrapped(lon: Ints) -> Ints:
    """Longitudes in -180 .. 180 degrees."""
    return (lon + 180 * MICRO) % (360 * MICRO) - 180 * MICRO


def degrees(micro: Ints) -> Floats:
    """Degrees, correctly rounded to six places."""
    return micro / MICRO


def turned_corners(length: Ints, width: Ints, turn: Ints) -> tuple[Floats, Floats]:
    """(n, 4) east and north offsets in metres of the corners of n rectangles, counter-clockwise.

    `length` and `width` are metres times 10; `turn` in 0 .. 127 runs over half a turn by the
    rational points of the circle, ((1 - t²), 2t) / (1 + t²), mirrored for the second quarter.
    """
    t = (turn % 64) / 63.0
    x = (1 - t * t) / (1 + t * t)
    y = 2 * t / (1 + t * t)
    x, y = np.where(turn < 64, x, -y), np.where(turn < 64, y, x)
    along, across = length / 20.0, width / 20.0
    east = [a * along * x - b * across * y for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    north = [a * along * y + b * across * x for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return np.stack(east, axis=1), np.stack(north, axis=1)


def polygons_wkb(lon: Ints, lat: Ints) -> pa.Array:
    """WKB of n four-cornered polygons from (n, 4) micro-degrees, as one binary column."""
    count = len(lon)
    records = np.zeros(count, dtype=_WKB_POLYGON)
    records["order"], records["type"], records["rings"], records["points"] = 1, 3, 1, 5
    records["xy"][:, :4, 0], records["xy"][:, :4, 1] = degrees(lon), degrees(lat)
    records["xy"][:, 4] = records["xy"][:, 0]
    offsets = np.arange(count + 1, dtype=np.int32) * _WKB_POLYGON.itemsize
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(records.tobytes())]
    return pa.Array.from_buffers(pa.binary(), count, buffers)
