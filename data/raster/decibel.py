"""Radar backscatter as decibels, and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from data.raster.copying import kept_tags
from data.raster.files import opened
from data.raster.stats import Moments, Tally
from data.raster.windows import Band, Block, Place, compute

Quantity = Literal["power", "amplitude"]


def quantity_of(path: Path, said: Quantity) -> Quantity:
    """What the values that tools read of a raster are: the amplitude of complex pixels, whatever is said."""
    with opened(path) as source:
        return "amplitude" if source.dtypes[0].startswith("complex") else said


def to_decibels(
    path: Path, target: Path, quantity: Quantity, *, bands: Sequence[int] = (), inverse: bool = False
) -> Moments:
    """Write bands in decibels, and what they then hold: 10 log10 of a power, 20 log10 of an amplitude.

    Values of nought or less have no logarithm, and become nodata. Complex pixels count by their amplitude.
    `inverse` goes from decibels to the quantity.
    """
    with opened(path) as source:
        numbers = tuple(bands) or tuple(range(1, source.count + 1))
        names = [source.descriptions[each - 1] or "" for each in numbers]
        tags = kept_tags(source.tags())
    factor, tally = 10.0 if quantity == "power" else 20.0, Tally()

    def function(blocks: list[Block], place: Place) -> Block:
        block = blocks[0]
        with np.errstate(all="ignore"):
            made = np.power(10.0, block / factor) if inverse else factor * np.log10(block)
        made = made.astype(np.float32)
        made[~np.isfinite(made)] = np.nan
        return tally.count(made, place)

    unit = "1" if inverse else "dB"
    compute(
        [Band(path, numbers)],
        target,
        function,
        count=len(numbers),
        descriptions=names,
        units=[unit] * len(numbers),
        tags=tags,
    )
    return tally.moments
