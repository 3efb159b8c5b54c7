"""How a raster looks: which bands or which sum of them, stretched between which values, in which colours.

The stretch is found once for a file, from the whole of a small one and from a grid of samples of a
large one, so that every tile and every picture of it uses the same, whether it has overviews or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import ColorInterp, Resampling
from rasterio.errors import RasterioError
from rasterio.windows import Window

from data.raster.colours import lookup
from data.raster.errors import RasterError
from data.raster.expression import Expression, parse
from data.raster.files import opened
from data.raster.windows import Grid, is_nodata, windows

SAMPLE_PX = 2_000_000
"""A raster of no more pixels than this is read whole for its stretch."""
NOTHING_TAG = "AZIMUTH_NOTHING"
"""The tag of a mask's file with the value that stands for nothing, in its first band."""
_SAMPLES = 16
_SAMPLE_SIDE_PX = 64
PERCENTILES = (2.0, 98.0)

Seen = tuple[NDArray[Any], NDArray[np.bool_]]
"""Values and where they are valid, each (bands, rows, columns)."""
Limits = tuple[tuple[float, float], ...]
"""Least and greatest value shown, one pair for each band or for the expression."""


@dataclass(frozen=True)
class Look:
    """What a raster layer was asked to look like."""

    bands: tuple[int, ...] = ()
    """One, or three for red, green and blue; empty: the first three that are colours, else the first."""
    expression: str | None = None
    """In place of bands: a sum over b1, b2 … or the bands' own names."""
    stretch: str = "percentile"
    """percentile, minmax, none, or `low,high`."""
    colormap: str | None = None
    sheer: bool = False
    """Whether what a mask marks as nothing is left out, so that what lies below it is seen."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Look:
        """The look in a layer's options; what they leave out is the default."""
        colormap, expression = options.get("colormap"), options.get("expression")
        return cls(
            bands=tuple(int(each) for each in str(options.get("bands", "")).split(",") if each.strip()),
            expression=None if expression is None else str(expression),
            stretch=str(options.get("stretch", "percentile")),
            colormap=None if colormap is None else str(colormap),
        )


@dataclass(frozen=True)
class Drawn:
    """A look on one file: the bands that are read, and how they become colours."""

    bands: tuple[int, ...]
    expression: Expression | None
    names: tuple[tuple[str, int], ...]
    """The expression's names and the place in `bands` of what each stands for."""
    limits: Limits
    colormap: str | None
    palette: tuple[tuple[int, tuple[int, int, int, int]], ...] = ()
    """The file's own colours of a class band, used when no colormap was asked for."""
    nearest: bool = False
    """Whether pixels are classes or counts, between which nothing lies."""
    nothing: float | None = None
    """The value of a mask that is left out."""

    def colours(self, values: NDArray[Any], valid: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Values (bands, rows, columns) as RGBA (rows, columns, 4); what is not valid is transparent."""
        shown, valid = self.shown(values, valid)
        if self.nothing is not None:
            valid = valid & (shown != self.nothing)
        if self.palette:
            table = np.zeros((256, 4), dtype=np.uint8)
            for value, colour in self.palette:
                table[value] = colour
            rgba = table[np.clip(np.where(valid[0], shown[0], 0), 0, 255).astype(np.uint8)]
            rgba[~valid[0]] = 0
            return rgba
        scaled = [
            _scaled(band, there, *between)
            for band, there, between in zip(shown, valid, self.limits, strict=True)
        ]
        if len(scaled) == 1:
            rgb = lookup(self.colormap or "grey")[scaled[0]]
        else:
            rgb = np.dstack(scaled)
        seen = valid.any(axis=0)
        rgba = np.dstack([rgb, np.where(seen, 255, 0).astype(np.uint8)])
        rgba[~seen] = 0
        return rgba

    def shown(self, values: NDArray[Any], valid: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """What is coloured: the bands, or the expression's value where all that it needs is there."""
        if self.expression is None:
            return values, valid & np.isfinite(values)
        floats = {name: values[at].astype(np.float32, copy=False) for name, at in self.names}
        there = valid[[at for _, at in self.names]].all(axis=0)
        result = np.broadcast_to(self.expression.evaluate(floats), values.shape[1:]).astype(np.float32)
        return result[None], (there & np.isfinite(result))[None]


def drawn(path: Path, look: Look) -> Drawn:
    """A look on a file. Raises RasterError for bands that it has not, and for what cannot be read."""
    return _drawn(path, path.stat().st_mtime_ns, look)


@lru_cache(maxsize=256)
def _drawn(path: Path, _changed: int, look: Look) -> Drawn:
    try:
        with opened(path) as source:
            return _looked_at(source, look)
    except RasterioError as error:
        raise RasterError(f"The pixels of {path.name} cannot be read; is the file whole?") from error


def plain_picture(path: Path, look: Look, most_px: int) -> NDArray[np.uint8]:
    """A raster in its own grid as RGBA, its longer side no more than `most_px` pixels.

    Raises RasterError for bands that it has not, and for what cannot be read.
    """
    how = drawn(path, look)
    with opened(path) as source:
        scale = min(1.0, most_px / max(source.width, source.height))
        shape = (len(how.bands), max(1, round(source.height * scale)), max(1, round(source.width * scale)))
        method = Resampling.nearest if how.nearest else Resampling.average
        try:
            return how.colours(*read_bands(source, how.bands, out_shape=shape, resampling=method))
        except RasterioError as error:
            raise RasterError(f"The pixels of {path.name} cannot be read; is the file whole?") from error


def shown_bands(path: Path, look: Look) -> tuple[int, ...]:
    """The bands that become colours: one, or three; one nameless (0) for an expression.

    Raises RasterError for bands that the file has not.
    """
    with opened(path) as source:
        bands, expression, _ = _chosen(source, look)
    return bands if expression is None else (0,)


def band_names(source: rasterio.DatasetReader) -> list[str]:
    """What each band is called: its description, else `b1`, `b2` …"""
    return [text or f"b{number}" for number, text in enumerate(source.descriptions, start=1)]


def expression_of(source: rasterio.DatasetReader, text: str) -> tuple[Expression, dict[str, int]]:
    """An expression over a raster's bands, and the band (from 1) that each of its names is.

    Bands are b1, b2 … or go by their own names. Raises RasterError in one sentence.
    """
    known: dict[str, int] = {}
    for number, name in enumerate(band_names(source), start=1):
        known |= {f"b{number}": number, f"B{number}": number}
        if name.isidentifier():
            known |= {name: number, name.lower(): number}
    expression = parse(text, frozenset(known))
    if not expression.names:
        raise RasterError(f"The expression {text!r} names no band, such as b1.")
    return expression, {name: known[name] for name in expression.names}


def _looked_at(source: rasterio.DatasetReader, look: Look) -> Drawn:
    bands, expression, names = _chosen(source, look)
    single = expression is None and len(bands) == 1
    kind = np.dtype(source.dtypes[bands[0] - 1])
    palette: tuple[tuple[int, tuple[int, int, int, int]], ...] = ()
    if single and look.colormap is None and source.colorinterp[bands[0] - 1] is ColorInterp.palette:
        palette = tuple(sorted(source.colormap(bands[0]).items()))
    if look.colormap is not None:
        lookup(look.colormap)  # raises for a name that there is not
    bare = Drawn(bands, expression, names, (), look.colormap, palette, single and kind.kind in "iub")
    limits = () if palette else _limits(source, bare, look.stretch)
    nothing = nothing_in(source, bands[0]) if single else None
    if nothing is not None and limits and look.stretch == "minmax":
        # A mask that is full of one class shows it in the colour that it has beside nothing.
        limits = ((min(nothing, limits[0][0]), _greatest(source, limits[0][1])),)
    return Drawn(
        bands,
        expression,
        names,
        limits,
        look.colormap,
        palette,
        bare.nearest,
        nothing if look.sheer else None,
    )


def nothing_in(source: rasterio.DatasetReader, band: int) -> float | None:
    """The value that stands for nothing in a band of a mask, as its file says; None for anything else."""
    tag = source.tags().get(NOTHING_TAG) if band == 1 else None
    return None if tag is None else float(tag)


def nothing_tag(source: rasterio.DatasetReader, band: int) -> dict[str, str]:
    """The tag for what is made of a band: a piece of a mask, or one without specks, is a mask still."""
    nothing = nothing_in(source, band)
    return {} if nothing is None else {NOTHING_TAG: f"{nothing:g}"}


def _greatest(source: rasterio.DatasetReader, high: float) -> float:
    """The greatest value that a mask shows."""
    constant = constant_values(source, (1,))
    return max(1.0, constant[0]) if constant is not None else high


def _chosen(
    source: rasterio.DatasetReader, look: Look
) -> tuple[tuple[int, ...], Expression | None, tuple[tuple[str, int], ...]]:
    """The bands to read, and of an expression which of them each of its names is."""
    count = source.count
    if look.expression is not None:
        expression, named = expression_of(source, look.expression)
        bands = tuple(sorted(set(named.values())))
        return bands, expression, tuple((name, bands.index(band)) for name, band in named.items())
    if look.bands:
        if max(look.bands) > count:
            has = "1 band" if count == 1 else f"{count} bands"
            raise RasterError(f"There is no band {max(look.bands)}: the raster has {has}.")
        return look.bands, None, ()
    colours = [at for at, meaning in enumerate(source.colorinterp, 1) if meaning is not ColorInterp.alpha]
    return (tuple(colours[:3]) if len(colours) >= 3 else tuple(colours[:1] or [1])), None, ()


def _limits(source: rasterio.DatasetReader, look: Drawn, stretch: str) -> Limits:
    count = 1 if look.expression is not None else len(look.bands)
    if stretch == "none":
        return ((0.0, 255.0),) * count
    if "," in stretch:
        low, high = (float(part) for part in stretch.split(","))
        return ((low, high),) * count
    parts = [look.shown(*read_bands(source, look.bands, window=window)) for window in _windows(source)]
    found = []
    for band in range(count):
        seen = np.concatenate([values[band][valid[band]] for values, valid in parts])
        if not len(seen):
            found.append((0.0, 1.0))
        elif stretch == "minmax":
            found.append((float(seen.min()), float(seen.max())))
        else:
            low, high = np.percentile(seen, PERCENTILES)
            found.append((float(low), float(high)))
    if all(low == high for low, high in found) and (of_one := _of_one_value(source, look, parts)) is not None:
        return of_one
    return tuple(found)


def _of_one_value(source: rasterio.DatasetReader, look: Drawn, parts: Sequence[Seen]) -> Limits | None:
    """The limits of what has one value everywhere, which no stretch spreads; None where it has several.

    A byte is drawn as bright as it is, and any other value as the grey between black and white.
    """
    if look.expression is None:
        values = constant_values(source, look.bands)
        if values is None:
            return None
        if all(source.dtypes[band - 1] == "uint8" for band in look.bands):
            return ((0.0, 255.0),) * len(values)
    else:
        seen = np.concatenate([shown[0][valid[0]] for shown, valid in parts])
        if not len(seen) or seen.min() != seen.max():
            return None
        values = (float(seen[0]),)
    return tuple((value - _beside(value), value + _beside(value)) for value in values)


def _beside(value: float) -> float:
    """How far from a value another one is told apart."""
    return max(1.0, abs(value) * 1e-3)


def constant_values(source: rasterio.DatasetReader, bands: Sequence[int] = ()) -> tuple[float, ...] | None:
    """The value that each band has in every pixel where it has one; None where a band has several, or none.

    It is read until a second value is met: soon, but for a raster that has none. Complex samples go by their
    magnitude.
    """
    wanted = tuple(bands) or tuple(range(1, source.count + 1))
    first: list[float | None] = [None] * len(wanted)
    for window in windows(Grid.of(source)):
        values, valid = read_bands(source, wanted, window=window)
        for at, (band, there) in enumerate(zip(values, valid & np.isfinite(values), strict=True)):
            seen = band[there]
            if not len(seen):
                continue
            known = float(seen[0]) if first[at] is None else first[at]
            if seen.min() != known or seen.max() != known:
                return None
            first[at] = known
    known_values = tuple(each for each in first if each is not None)
    return known_values if len(known_values) == len(wanted) else None


def constant_said(values: Sequence[float | int]) -> str:
    """The sentence for a raster of one value: what is drawn of it shows nothing."""
    told = [f"{each:.6g}" for each in values]
    if len(set(told)) == 1:
        return f"Every pixel has the same value, {told[0]}, so there is nothing to be seen in it."
    each_band = f"{', '.join(told[:-1])} and {told[-1]}"
    return f"Every pixel has the same values, {each_band} in its bands, so there is nothing to be seen in it."


def _windows(source: rasterio.DatasetReader) -> list[Window]:
    """The whole raster, or a grid of samples: the same ones whatever overviews there are."""
    width, height = source.width, source.height
    if width * height <= SAMPLE_PX:
        return [Window(0, 0, width, height)]
    across, down = min(_SAMPLE_SIDE_PX, width), min(_SAMPLE_SIDE_PX, height)
    lefts = np.unique(np.linspace(0, width - across, _SAMPLES).astype(int))
    tops = np.unique(np.linspace(0, height - down, _SAMPLES).astype(int))
    return [Window(int(left), int(top), across, down) for top in tops for left in lefts]


def read_bands(source: Any, bands: tuple[int, ...], **how: Any) -> Seen:
    """Bands with where they are valid, each (bands, rows, columns); complex samples by their magnitude.

    `how` is rasterio's: window, out_shape, resampling. A nodata value goes before an alpha band.
    """
    values = source.read(bands, **how)
    if values.dtype.kind == "c":
        values = np.abs(values)
    if source.nodata is None:
        return values, source.read_masks(bands, **how) > 0
    missing = is_nodata(values, source.nodata)
    return values, np.isfinite(values) if missing is None else np.isfinite(values) & ~missing


def _scaled(band: NDArray[Any], valid: NDArray[np.bool_], low: float, high: float) -> NDArray[np.uint8]:
    """0..255 between the limits; what is not above both is dark where they are one."""
    numbers = np.where(valid, band, low).astype(np.float64)
    with np.errstate(over="ignore"):
        scaled = np.clip((numbers - low) / max(high - low, 1e-12), 0, 1)
    return np.rint(scaled * 255).astype(np.uint8)
