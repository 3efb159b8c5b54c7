"""Draw on pictures, and lay several out on one sheet. What is drawn is pixels of 8 bits; places are kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import ColorInterp, MaskFlags
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import geotiff_profile, opened
from data.raster.looks import Look, drawn
from data.raster.windows import STRIP_PX, Grid, readable, windows
from data.uploads.gdal import quiet_gdal

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

MAX_DRAWN_PX = 40_000_000
_STRIP_PX = STRIP_PX
_INK = (255, 255, 255)
_EDGE = (0, 0, 0)
_BAR_SHARE = 0.3
"""A scale bar is no longer than this share of the picture's width."""
_SHEET = (245, 245, 245)

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Marks:
    """What is drawn, in pixels from the upper left corner."""

    text: str | None = None
    at: tuple[float, float] | None = None
    """Where the text begins; the upper left corner when None."""
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    """(left, top, right, bottom) each."""
    labels: tuple[str, ...] = ()
    """Over the boxes, in their order."""
    bar_m: float | None = None
    """The length of the scale bar in metres."""
    color: tuple[int, int, int] = (255, 220, 0)
    size_px: int = 16


def picture_of(path: Path, look: Look, width: int | None = None, height: int | None = None) -> Pixels:
    """A raster as RGBA (rows, columns, 4), of that size or as it is.

    Raises RasterError for one with too many pixels to be held, or that cannot be read.
    """
    shown = drawn(path, look)
    with opened(path) as source:
        wide, high = width or source.width, height or source.height
        if wide * high > MAX_DRAWN_PX:
            raise RasterError(
                f"{wide:,} x {high:,} pixels are too many to be drawn on; {MAX_DRAWN_PX:,} in all are the "
                "most, so crop or resize it first."
            )
        whole = Window(0, 0, source.width, source.height)
        values, valid = _read(source, shown.bands, whole, (high, wide))
    if values.dtype.kind == "c":
        values = np.abs(values)
    return shown.colours(values, valid)


def annotate(path: Path, target: Path, look: Look, marks: Marks) -> None:
    """Write the picture with the marks on it as a GeoTIFF of red, green and blue (and opacity).

    Strip by strip, so that a scene of any size can be drawn on. Raises RasterError.
    """
    shown, pixel_m = drawn(path, look), metres_per_pixel(path)
    with opened(path) as source:
        grid = Grid.of(source)
        strips = list(windows(grid, _STRIP_PX))
        clear = any(not _read(source, shown.bands, strip)[1].all() for strip in strips)
        placed = source.crs is not None
        with _picture(
            target,
            (grid.width, grid.height),
            4 if clear else 3,
            source.crs,
            source.transform if placed else None,
        ) as writer:
            for strip in strips:
                values, valid = _read(source, shown.bands, strip)
                pixels = shown.colours(np.abs(values) if values.dtype.kind == "c" else values, valid)
                if _reach(marks, grid.height, strip.row_off, strip.row_off + strip.height):
                    inked = _marked(pixels[..., :3], marks, pixel_m, grid.height, strip.row_off)
                    touched = (inked != pixels[..., :3]).any(axis=2)
                    pixels = np.dstack([inked, np.where(touched, 255, pixels[..., 3]).astype(np.uint8)])
                writer.write(np.moveaxis(pixels[..., : writer.count], 2, 0), window=strip)


def _reach(marks: Marks, height: int, first_row: int, end: int) -> bool:
    """Whether any of the marks may lie in those rows of a picture that is so high."""
    letters = 2 * marks.size_px
    spans = [(top - letters, bottom + letters) for _, top, _, bottom in marks.boxes]
    if marks.text:
        row = marks.at[1] if marks.at else 0.0
        spans.append((row - letters, row + 2 * letters))
    if marks.bar_m is not None:
        spans.append((height - 2 * letters, height))
    return any(low < end and high >= first_row for low, high in spans)


def _read(
    source: rasterio.DatasetReader,
    bands: Sequence[int],
    window: Window,
    shape: tuple[int, int] | None = None,
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A window's values, of that (rows, columns) or as it is, and where they are there."""
    size = (len(bands), *(shape or (window.height, window.width)))
    with readable(source, window):
        values = source.read(bands, window=window, out_shape=size)
        flags = [source.mask_flag_enums[band - 1] for band in bands]
        nodata = {source.nodatavals[band - 1] for band in bands}
        # By the value itself where that tells: asking for the mask would read all of it a second time.
        if all(MaskFlags.all_valid in each for each in flags):
            valid = np.ones(size, bool)
        elif (
            len(nodata) == 1
            and values.dtype.kind == "u"
            and all(each == [MaskFlags.nodata] for each in flags)
        ):
            valid = values != nodata.pop()
        else:
            valid = source.read_masks(bands, window=window, out_shape=size) > 0
    return values, valid


def montage(
    paths: Sequence[Path],
    target: Path,
    looks: Sequence[Look],
    labels: Sequence[str],
    columns: int,
    tile_px: int,
) -> tuple[int, int]:
    """Write pictures side by side, each fitted into a square over its label; the sheet's size, pixels."""
    from PIL import Image, ImageDraw

    gap = max(2, tile_px // 32)
    strip = max(12, tile_px // 12) + gap if any(labels) else 0
    rows = math.ceil(len(paths) / columns)
    size = (columns * (tile_px + gap) + gap, rows * (tile_px + strip + gap) + gap)
    if size[0] * size[1] > MAX_DRAWN_PX:
        raise RasterError(
            f"A sheet of {size[0]:,} x {size[1]:,} pixels is too large; make the tiles smaller."
        )
    sheet = Image.new("RGB", size, _SHEET)
    pen = ImageDraw.Draw(sheet)
    for at, (path, look) in enumerate(zip(paths, looks, strict=True)):
        left, top = gap + (at % columns) * (tile_px + gap), gap + (at // columns) * (tile_px + strip + gap)
        with opened(path) as source:
            share = tile_px / max(source.width, source.height)
            wide, high = max(1, round(source.width * share)), max(1, round(source.height * share))
        tile = Image.fromarray(picture_of(path, look, wide, high))
        sheet.paste(tile, (left + (tile_px - wide) // 2, top + (tile_px - high) // 2), tile)
        if strip:
            font = _font(max(10, tile_px // 14))
            text = _fitting(pen, labels[at], font, tile_px)
            pen.text((left, top + tile_px + gap // 2), text, fill=(30, 30, 30), font=font)
    _write(target, np.asarray(sheet), None, None)
    return size


def save_png(path: Path, target: Path, look: Look, longest_px: int) -> tuple[int, int]:
    """Write a raster as a PNG with no side longer than that; (width, height). Nodata is transparent."""
    from data.raster.tiles import png

    with opened(path) as source:
        share = min(1.0, longest_px / max(source.width, source.height))
        wide, high = max(1, round(source.width * share)), max(1, round(source.height * share))
    target.write_bytes(png(picture_of(path, look, wide, high)))
    return wide, high


def metres_per_pixel(path: Path) -> float | None:
    """The geodesic width on the ground of the picture's middle pixel, WGS84; None without a place."""
    from pyproj import Geod, Transformer
    from pyproj.exceptions import ProjError

    with opened(path) as source:
        if source.crs is None:
            return None
        middle = (source.width / 2, source.height / 2)
        ends = [source.transform @ (middle[0] + shift, middle[1]) for shift in (-0.5, 0.5)]
        try:
            to_degrees = Transformer.from_crs(source.crs.to_wkt(), "EPSG:4326", always_xy=True)
            (west, one), (east, other) = (to_degrees.transform(*each) for each in ends)
        except ProjError:
            return None
    if not (math.isfinite(west) and math.isfinite(east)):
        return None
    metres = float(Geod(ellps="WGS84").inv(west, one, east, other)[2])
    return metres if math.isfinite(metres) and metres > 0 else None


def nice_length(metres: float) -> float:
    """The longest of 1, 2 and 5 times a power of ten that is no more than that."""
    power = 10.0 ** math.floor(math.log10(metres))
    return max(step * power for step in (1, 2, 5) if step * power <= metres * (1 + 1e-9))


def bar_of(path: Path) -> float | None:
    """How long a scale bar on the picture is, metres; None for one without a place."""
    pixel = metres_per_pixel(path)
    if pixel is None:
        return None
    with opened(path) as source:
        return nice_length(pixel * source.width * _BAR_SHARE)


def _marked(rgb: Pixels, marks: Marks, pixel_m: float | None, height: int, first_row: int) -> Pixels:
    """Rows of a picture that is so high, from `first_row` on, with what of the marks lies in them."""
    from PIL import Image, ImageDraw

    sheet = Image.fromarray(np.ascontiguousarray(rgb))
    pen = ImageDraw.Draw(sheet)
    font = _font(marks.size_px)
    line = max(1, marks.size_px // 8)

    def put(column: float, row: float) -> tuple[int, int]:
        # Whole pixels of the picture first: a fraction is drawn otherwise above the upper edge than below it.
        return math.floor(column), math.floor(row) - first_row

    for at, (left, top, right, bottom) in enumerate(marks.boxes):
        pen.rectangle((*put(left, top), *put(right, bottom)), outline=marks.color, width=line)
        if at < len(marks.labels):
            place = put(left, max(0.0, top - marks.size_px * 1.3))
            _written(pen, place, marks.labels[at], font, marks.color)
    if marks.text:
        _written(pen, put(*(marks.at or (marks.size_px / 2,) * 2)), marks.text, font, _INK)
    if marks.bar_m is not None and pixel_m is not None:
        left, bottom, thick = marks.size_px * 0.75, height - marks.size_px * 0.75, max(2, marks.size_px // 5)
        end = left + marks.bar_m / pixel_m
        pen.rectangle((*put(left, bottom - thick), *put(end, bottom)), fill=_INK, outline=_EDGE)
        _written(pen, put(left, bottom - thick - marks.size_px * 1.4), bar_words(marks.bar_m), font, _INK)
    return np.asarray(sheet)


def bar_words(metres: float) -> str:
    """`500 m`, `2 km`."""
    return f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"


def _written(
    pen: ImageDraw, at: tuple[float, float], text: str, font: Any, color: tuple[int, int, int]
) -> None:
    pen.text(at, text, fill=color, font=font, stroke_width=1, stroke_fill=_EDGE)


def _font(size_px: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size_px)


def _fitting(pen: ImageDraw, text: str, font: Any, width: int) -> str:
    """The text, cut so that it is no wider than that."""
    while text and pen.textlength(text, font=font) > width:
        text = f"{text[:-2]}…" if len(text) > 2 else ""
    return text


def _write(target: Path, pixels: Pixels, crs: Any, transform: Any) -> None:
    """Rows x columns x 3 or 4 as a GeoTIFF."""
    high, wide, count = pixels.shape
    with _picture(target, (wide, high), count, crs, transform) as writer:
        writer.write(np.moveaxis(pixels, 2, 0))


@contextmanager
def _picture(
    target: Path, size: tuple[int, int], count: int, crs: Any, transform: Any
) -> Iterator[rasterio.io.DatasetWriter]:
    """A GeoTIFF of red, green, blue and, with 4 bands, opacity, to be written."""
    profile = geotiff_profile(
        *size, count=count, dtype="uint8", crs=crs, transform=transform, photometric="rgb"
    )
    with quiet_gdal(), rasterio.open(target, "w", **profile) as writer:
        yield writer
        if count == 4:
            writer.colorinterp = (ColorInterp.red, ColorInterp.green, ColorInterp.blue, ColorInterp.alpha)
