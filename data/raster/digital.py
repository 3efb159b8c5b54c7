"""Digital numbers: bytes that each band was stretched to on its own, and that are no reflectance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from data.raster.files import opened


def is_digital(path: Path, numbers: Sequence[int]) -> bool:
    """Whether bands (from 1) are bytes without a scale.

    A ratio of such bands is not nought where one of reflectance is. Aerial pictures such as NAIP's come so.
    Whole numbers of more bits are taken to be in proportion to reflectance, as those of Sentinel-2.
    """
    with opened(path) as source:
        return all(
            source.dtypes[number - 1] == "uint8"
            and source.scales[number - 1] == 1.0
            and source.offsets[number - 1] == 0.0
            for number in numbers
        )
