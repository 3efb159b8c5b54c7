"""The base map as a picture, drawn from its own tiles: for what is printed and exported, without a browser.

It has the colours of the map in the browser (`skins.json`) and nearly its rules (`assets/base.js`).
"""

from __future__ import annotations

import gzip
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw

from data.basemap import land, relief, skins
from data.basemap.tiling import EXTENT

_FINER = 2
"""Lines are drawn twice as large and made smaller, which makes their edges smooth."""
_TILE_PX, _RELIEF_PX = 256, 512
_RELIEF_ENDS = 12
_DEPTHS = (200, 3000, 5000)
_AROUND_PX = 24


@dataclass(frozen=True)
class Window:
    """What part of the world is drawn: the middle in the unit square of Web Mercator (y downwards)."""

    x: float
    y: float
    world_px: float
    """How many pixels of the picture the world is wide."""
    width: int
    height: int
    zoom: float
    """The zoom of the map that it is drawn as: it says what shows, and how wide lines are."""
    scale: float = 1.0
    """Pixels of the picture per pixel of such a map."""

    @property
    def left(self) -> float:
        """Where the picture begins, in its own pixels from the world's western edge."""
        return self.x * self.world_px - self.width / 2

    @property
    def top(self) -> float:
        """Where the picture begins, in its own pixels from the world's northern edge."""
        return self.y * self.world_px - self.height / 2


@dataclass(frozen=True)
class _Rule:
    """What is painted of one layer of the tiles."""

    layer: str
    fill: str | None = None
    opacity: float = 1.0
    stroke: str | None = None
    width_px: float = 0.0
    metres: int | None = None


def painted(window: Window, skin: str) -> Image.Image:
    """The base map in a skin, RGB."""
    colours = skins()[skin]
    large = Image.new("RGB", (window.width * _FINER, window.height * _FINER), colours["water"])
    _relief(large, window, colours)
    across = max(1.0, window.world_px / window.scale / _TILE_PX)
    # A tile of zoom z is drawn 1024 pixels wide on the map; a print takes one that is finer.
    zoom = max(0, min(land().max_zoom, round(math.log2(across)) - (2 if window.scale < 1.5 else 1)))
    rules = _rules(colours, window.zoom)
    for x, y, box in _tiles(window, zoom, window.world_px):
        _tile(large, window, (zoom, x, y), box, rules)
    return large.resize((window.width, window.height), Image.Resampling.LANCZOS)


def _rules(skin: dict[str, Any], zoom: float) -> list[_Rule]:
    """What is painted at a zoom, in order: as `paintRules` of assets/base.js has it."""

    def between(*stops: tuple[float, float]) -> float:
        return float(np.interp(zoom, [at for at, _ in stops], [value for _, value in stops]))

    deep = [
        _Rule("deep", colour, metres=metres) for metres, colour in zip(_DEPTHS, skin["deep"], strict=True)
    ]
    found: list[tuple[float, _Rule]] = [
        (5, _Rule("playas", skin["playa"], 0.6)),
        (5, _Rule("parks", skin["park"], between((5, 0.25), (8, 0.4)))),
        (5, _Rule("urban", skin["urban"], between((4, 0.35), (7, 0.5), (9, 0.28), (11, 0.12)))),
        (3, _Rule("glaciers", skin["ice"], 0.75)),
        (4, _Rule("rivers", stroke=skin["river"], width_px=between((3, 0.4), (6, 0.9), (9, 1.3), (12, 2)))),
        (0, _Rule("water", skin["water"], 1, skin["coast"], between((2, 0.3), (6, 0.8), (10, 1)))),
        *((0, each) for each in deep),
        (6, _Rule("reefs", stroke=skin["reef"], width_px=between((5, 0.5), (9, 1.4)))),
        (0, _Rule("lakes", skin["water"], 1, skin["coast"], between((3, 0.3), (7, 0.7)))),
        (7, _Rule("rails", stroke=skin["rail"], width_px=between((6, 0.4), (10, 1)))),
        (4, _Rule("states", stroke=skin["state"], width_px=between((3, 0.3), (6, 0.6), (10, 0.9)))),
        (0, _Rule("borders", stroke=skin["border"], width_px=between((2, 0.5), (6, 1), (10, 1.5)))),
    ]
    return [rule for since, rule in found if zoom >= since and not (rule.layer == "urban" and zoom > 11)]


def _tiles(
    window: Window, zoom: int, world_px: float
) -> Iterator[tuple[int, int, tuple[float, float, float, float]]]:
    """The tiles of a zoom in sight, on every copy of the world: column, row, box in the picture."""
    side = world_px / 2**zoom
    for row in range(max(0, math.floor(window.top / side)), 2**zoom):
        top = row * side - window.top
        if top >= window.height:
            break
        column = math.floor(window.left / side)
        while (left := column * side - window.left) < window.width:
            yield column % 2**zoom, row, (left, top, left + side, top + side)
            column += 1


def _relief(large: Image.Image, window: Window, skin: dict[str, Any]) -> None:
    """The shaded relief, under the veil that lies over it at the zoom."""
    stops = skin["veil"]
    veil = float(np.interp(window.zoom, [at for at, _ in stops], [value for _, value in stops]))
    ground = Image.new("RGB", large.size, skin["land"])
    if veil < 1 and window.zoom < _RELIEF_ENDS:
        wanted = math.log2(max(1.0, window.world_px / _RELIEF_PX))
        zoom = max(0, min(relief().max_zoom, round(wanted)))
        shaded = ground.copy()
        for x, y, (left, top, right, bottom) in _tiles(window, zoom, window.world_px):
            data = relief().tile(zoom, x, y)
            if data is None:
                continue
            with Image.open(io.BytesIO(data)) as picture:
                _put(shaded, picture.convert("RGB"), tuple(_FINER * e for e in (left, top, right, bottom)))
        ground = Image.blend(shaded, ground, veil)
    large.paste(ground)


def _put(sheet: Image.Image, picture: Image.Image, box: tuple[float, ...]) -> None:
    """A picture into a box of a sheet, of which it may reach out: only what is seen is made larger."""
    left, top, right, bottom = box
    x0, y0 = max(0, math.floor(left)), max(0, math.floor(top))
    x1, y1 = min(sheet.width, math.ceil(right)), min(sheet.height, math.ceil(bottom))
    if x1 <= x0 or y1 <= y0:
        return
    per_x, per_y = picture.width / (right - left), picture.height / (bottom - top)
    seen = [(x0 - left) * per_x, (y0 - top) * per_y, (x1 - left) * per_x, (y1 - top) * per_y]
    limits = (picture.width, picture.height) * 2
    seen = [min(max(value, 0), most) for value, most in zip(seen, limits, strict=True)]
    if seen[2] <= seen[0] or seen[3] <= seen[1]:
        return
    part = picture.resize((x1 - x0, y1 - y0), Image.Resampling.BICUBIC, box=tuple(seen))  # type: ignore[arg-type]
    sheet.paste(part, (x0, y0))


def _tile(
    large: Image.Image,
    window: Window,
    tile: tuple[int, int, int],
    box: tuple[float, float, float, float],
    rules: list[_Rule],
) -> None:
    """Paint what a tile holds, where it is in sight; what reaches out of it is its neighbours' to draw."""
    layers = _layers(*tile)
    left, top, right, bottom = (_FINER * each for each in box)
    x0, y0 = max(0, round(left)), max(0, round(top))
    x1, y1 = min(large.width, round(right)), min(large.height, round(bottom))
    if not layers or x1 <= x0 or y1 <= y0:
        return
    sheet = large.crop((x0, y0, x1, y1))
    px = (right - left) / EXTENT
    seen = shapely.box(-_AROUND_PX, -_AROUND_PX, x1 - x0 + _AROUND_PX, y1 - y0 + _AROUND_PX)
    for rule in rules:
        if rule.layer not in layers:
            continue
        shapes, facts = layers[rule.layer]
        there = np.ones(len(shapes), dtype=bool)
        if "shown" in facts:
            there &= facts["shown"] <= window.zoom + 1
        if rule.metres is not None:
            there &= facts["metres"] == rule.metres
        moved = shapely.transform(
            shapes[there], lambda xy: np.column_stack([left - x0 + xy[:, 0] * px, top - y0 + xy[:, 1] * px])
        )
        inside = shapely.clip_by_rect(moved, *seen.bounds)
        _paint(sheet, shapely.get_parts(inside[~shapely.is_empty(inside)]), rule, window.scale)
    large.paste(sheet, (x0, y0))


def _paint(sheet: Image.Image, shapes: NDArray[np.object_], rule: _Rule, scale: float) -> None:
    wide = max(1, round(rule.width_px * scale * _FINER))
    if rule.fill is not None:
        sheet.paste(rule.fill, mask=filled(sheet.size, shapes, round(255 * rule.opacity)))
    if rule.stroke is not None:
        pen = ImageDraw.Draw(sheet, "RGBA")
        ink = ImageColor.getrgb(rule.stroke)
        for each in shapes:
            rings = [each.exterior, *each.interiors] if each.geom_type == "Polygon" else [each]
            for ring in rings:
                line = shapely.get_coordinates(ring)
                if len(line) > 1:
                    pen.line(line.ravel().tolist(), fill=ink, width=wide, joint="curve")


def filled(size: tuple[int, int], shapes: NDArray[np.object_], opacity: int = 255) -> Image.Image:
    """A mask of polygons given in its pixels, with their holes; what is no polygon is left out."""
    mask = Image.new("L", size, 0)
    pen = ImageDraw.Draw(mask)
    areas = [each for each in shapes if each.geom_type == "Polygon" and not each.is_empty]
    # What lies in another's hole is smaller than it.
    for each in sorted(areas, key=lambda area: -shapely.box(*area.bounds).area):
        pen.polygon(shapely.get_coordinates(each.exterior).ravel().tolist(), fill=opacity)
        for hole in each.interiors:
            pen.polygon(shapely.get_coordinates(hole).ravel().tolist(), fill=0)
    return mask


@lru_cache(maxsize=96)
def _layers(z: int, x: int, y: int) -> dict[str, tuple[NDArray[np.object_], dict[str, NDArray[Any]]]]:
    """The shapes and the facts of each layer of a tile, in the tile's units, y downwards."""
    import pyogrio

    data = land().tile(z, x, y)
    if data is None:
        return {}
    plain = gzip.decompress(data)
    found = {}
    for name, _ in pyogrio.list_layers(plain):
        about, _, wkb, columns = pyogrio.raw.read(plain, layer=name, CLIP="NO")
        shapes = shapely.transform(
            shapely.from_wkb(wkb), lambda xy: np.column_stack([xy[:, 0], EXTENT - xy[:, 1]])
        )
        found[str(name)] = (shapes, dict(zip(about["fields"].tolist(), columns, strict=True)))
    return found
