"""The map as a PNG, drawn without a browser and without a network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont
from shapely import affinity

from state.model import Layer, MapState, State
from tools.base import ToolError, World
from tools.map.classes import classes_of
from tools.map.features import Feature, View, layer_features
from tools.map.geometry import MAP_HEIGHT_PX, MAP_WIDTH_PX, MAX_LATITUDE, TILE_PX, mercator_y, visible
from tools.map.rasters import has_tiles, layer_file, layer_look, own_picture

SCALE = 2
"""Pixels of the picture per pixel of the map, so that prints are sharp."""
_EARTH_AROUND_KM = 40_075.017
_BAND = 34
MOST_RASTER_PX = 2048
"""The longer side of a picture that is stretched over a layer's box."""

Ink = tuple[int, int, int, int]


@dataclass(frozen=True)
class Theme:
    """The colours of an offline base."""

    water: str
    land: str
    border: str
    text: str


THEMES = {
    "dark": Theme("#111827", "#1f2937", "#4b5563", "#e5e7eb"),
    "light": Theme("#ffffff", "#f3f4f6", "#d1d5db", "#111827"),
}
LAND = Theme("#dbeafe", "#f5f5f0", "#a8a29e", "#111827")


@dataclass(frozen=True)
class Frame:
    """The projection of a camera to pixels of the picture."""

    view: MapState

    @property
    def world_px(self) -> float:
        """The world's width in pixels."""
        return float(TILE_PX * 2**self.view.zoom * SCALE)

    def window(self) -> tuple[float, float, float, float]:
        """West, south, east, north in sight; longitudes may leave -180..180."""
        half = 180 * MAP_WIDTH_PX * SCALE / self.world_px
        _, south, _, north = visible(self.view.center, self.view.zoom)
        lon = self.view.center[0]
        return (lon - half, south, lon + half, north)

    def pixels(self, lonlat: NDArray[np.float64]) -> NDArray[np.float64]:
        """Positions, shape (n, 2), as pixels, shape (n, 2)."""
        lon0, lat0 = self.view.center
        lat = np.radians(np.clip(lonlat[:, 1], -MAX_LATITUDE, MAX_LATITUDE))
        y = np.log(np.tan(np.pi / 4 + lat / 2)) / (2 * np.pi)
        across = MAP_WIDTH_PX * SCALE / 2 + (lonlat[:, 0] - lon0) / 360 * self.world_px
        down = MAP_HEIGHT_PX * SCALE / 2 - (y - mercator_y(lat0)) * self.world_px
        return np.column_stack([across, down + _BAND * SCALE])


def draw_png(state: State, world: World, path: Path, title: str, notes: Sequence[str]) -> None:
    """Draw the map with its visible layers, a title above, a scale bar and the notes below."""
    frame = Frame(state.map)
    theme = THEMES.get(state.map.basemap, LAND)
    size = (MAP_WIDTH_PX * SCALE, (MAP_HEIGHT_PX + 2 * _BAND) * SCALE)
    picture = Image.new("RGBA", size, theme.water)
    _land(picture, frame, world, theme)
    for layer in state.map.layers:
        if layer.visible:
            _layer(picture, frame, state, world, layer, theme)
    _legend(picture, [each for each in state.map.layers if each.visible])
    _margins(picture, frame, title, notes)
    picture.convert("RGB").save(path, "PNG")


def _land(picture: Image.Image, frame: Frame, world: World, theme: Theme) -> None:
    pen = ImageDraw.Draw(picture)
    for place in world.gazetteer.places("country"):
        outline = world.gazetteer.polygon(place)
        if outline is not None:
            for ring in _rings(frame, outline):
                pen.polygon(ring, fill=theme.land, outline=theme.border)


def _layer(
    picture: Image.Image, frame: Frame, state: State, world: World, layer: Layer, theme: Theme
) -> None:
    """One layer on a sheet of its own, so that its opacity is the whole layer's."""
    sheet = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    if layer.kind == "raster":
        _raster(sheet, frame, world, layer)
    pen = ImageDraw.Draw(sheet)
    view = View(visible(frame.view.center, frame.view.zoom), frame.view.zoom)
    for feature in layer_features(state, world, layer, view):
        _feature(pen, frame, layer, feature, theme)
    if layer.opacity < 1:
        sheet.putalpha(sheet.getchannel("A").point(lambda alpha: int(alpha * layer.opacity)))
    picture.alpha_composite(sheet)


def _feature(pen: ImageDraw.ImageDraw, frame: Frame, layer: Layer, feature: Feature, theme: Theme) -> None:
    colour = feature.color or layer.color
    ink = _ink(colour, 255)
    fill = (
        None
        if layer.kind in ("raster", "footprints", "detections")
        else _ink(colour, int(40 + 180 * feature.weight))
    )
    for ring in _rings(frame, feature.shape):
        pen.polygon(ring, fill=fill, outline=ink, width=SCALE)
    for x, y in _spots(frame, feature.shape):
        radius = _radius(layer, feature)
        if layer.kind != "labels":
            spot = (x - radius, y - radius, x + radius, y + radius)
            pen.ellipse(spot, fill=_ink(colour, 90) if layer.kind == "heatmap" else ink, outline=None)
        if feature.shown and feature.text:
            inside = layer.kind == "clusters"
            at = (x, y) if inside else (x + radius + 2 * SCALE, y)
            written = "#ffffff" if inside else theme.text
            pen.text(at, feature.text[:40], fill=written, font=_font(10), anchor="mm" if inside else "lm")


def _radius(layer: Layer, feature: Feature) -> float:
    if layer.kind == "clusters":
        return (10 + 12 * math.sqrt(feature.weight)) * SCALE
    if layer.kind == "heatmap":
        return (8 + 24 * math.sqrt(feature.weight)) * SCALE
    return layer.size * SCALE * 0.6


def _raster(sheet: Image.Image, frame: Frame, world: World, layer: Layer) -> None:
    """A raster's pixels where they lie, as the layer looks; a picture without a place fills its box."""
    from data.raster.errors import RasterError
    from data.raster.tiles import HALF_WORLD_M, picture

    if not has_tiles(layer, world):
        found = own_picture(layer, world, MOST_RASTER_PX)
        if found is not None:
            _in_box(sheet, frame, layer, Image.fromarray(found))
        return
    metres = 2 * HALF_WORLD_M / frame.world_px
    lon0, lat0 = frame.view.center
    west = lon0 / 180 * HALF_WORLD_M - MAP_WIDTH_PX * SCALE / 2 * metres
    north = mercator_y(lat0) * 2 * HALF_WORLD_M + MAP_HEIGHT_PX * SCALE / 2 * metres
    width, height = sheet.width, sheet.height - 2 * _BAND * SCALE
    box = (west, north - height * metres, west + width * metres, north)
    try:
        seen = picture(layer_file(layer, world), layer_look(layer), box, width, height)
    except RasterError as error:
        raise ToolError(str(error)) from error
    if seen is not None:
        sheet.paste(Image.fromarray(seen), (0, _BAND * SCALE))


def _in_box(sheet: Image.Image, frame: Frame, layer: Layer, drawn: Image.Image) -> None:
    options = dict(layer.options)
    west, south, east, north = (float(options[side]) for side in ("west", "south", "east", "north"))
    east += 360 if east < west else 0
    for turn in (-360, 0, 360):
        corners = np.array([[west + turn, north], [east + turn, south]])
        (x0, y0), (x1, y1) = frame.pixels(corners).round().astype(int)
        if x1 > 0 and x0 < sheet.width and 0 < x1 - x0 < 8000 and 0 < y1 - y0 < 8000:
            sheet.paste(drawn.resize((int(x1 - x0), int(y1 - y0))), (int(x0), int(y0)))


def _rings(frame: Frame, geometry: shapely.Geometry) -> list[list[float]]:
    """The outer rings in sight of a geometry's polygons, as pixels x, y, x, y, in each copy of the world."""
    pieces = [piece for piece in _in_sight(frame, geometry) if piece.geom_type == "Polygon"]
    return [
        frame.pixels(shapely.get_coordinates(piece.exterior)).ravel().tolist()
        for piece in pieces
        if not piece.is_empty
    ]


def _spots(frame: Frame, geometry: shapely.Geometry) -> list[tuple[float, float]]:
    pieces = [each for each in _in_sight(frame, geometry) if each.geom_type == "Point" and not each.is_empty]
    return [(float(x), float(y)) for each in pieces for x, y in frame.pixels(shapely.get_coordinates(each))]


def _in_sight(frame: Frame, geometry: shapely.Geometry) -> list[shapely.Geometry]:
    west, south, east, north = frame.window()
    left, bottom, right, top = geometry.bounds
    found: list[shapely.Geometry] = []
    for turn in (-360, 0, 360):
        if left + turn <= east and right + turn >= west and bottom <= north and top >= south:
            moved = affinity.translate(geometry, turn) if turn else geometry
            found += list(shapely.get_parts(shapely.clip_by_rect(moved, west, south, east, north)))
    return found


def _legend(picture: Image.Image, layers: Sequence[Layer]) -> None:
    """What the colours of classes mean, at the lower left, the topmost layer first."""
    lines: list[tuple[str, str | None]] = []
    for layer in reversed(layers):
        if (classes := classes_of(layer)) is not None:
            lines += [(layer.name, None), *classes.colours.items()]
    if not lines:
        return
    pen, step, edge = ImageDraw.Draw(picture), 18 * SCALE, 10 * SCALE
    lines = lines[: MAP_HEIGHT_PX * SCALE // step - 2]
    width = max(pen.textlength(text[:60], font=_font(11)) for text, _ in lines) + 4 * edge
    bottom = picture.height - _BAND * SCALE - edge
    top = bottom - step * len(lines) - edge
    pen.rectangle((edge, top, edge + width, bottom), fill="#ffffff", outline="#d1d5db")
    for number, (text, colour) in enumerate(lines):
        middle = top + edge / 2 + step * (number + 0.5)
        if colour is not None:
            swatch = (2 * edge, middle - 5 * SCALE, 2 * edge + 10 * SCALE, middle + 5 * SCALE)
            pen.rectangle(swatch, fill=colour, outline="#111827")
        left = 2 * edge + (16 * SCALE if colour is not None else 0)
        pen.text((left, middle), text[:60], fill="#111827", font=_font(11), anchor="lm")


def _margins(picture: Image.Image, frame: Frame, title: str, notes: Sequence[str]) -> None:
    pen = ImageDraw.Draw(picture)
    width, height = picture.size
    band = _BAND * SCALE
    for top in (0, height - band):
        pen.rectangle((0, top, width, top + band), fill="#ffffff")
    pen.text((12 * SCALE, band / 2), title[:90], fill="#111827", font=_font(16), anchor="lm")
    pen.text(
        (12 * SCALE, height - band / 2),
        "  ·  ".join(notes)[:150],
        fill="#4b5563",
        font=_font(11),
        anchor="lm",
    )
    km, length = scale_bar(frame)
    right, base = width - 16 * SCALE, height - band - 12 * SCALE
    pen.rectangle(
        (right - length - 8 * SCALE, base - 22 * SCALE, right + 8 * SCALE, base + 6 * SCALE), fill="#ffffff"
    )
    pen.line((right - length, base, right, base), fill="#111827", width=2 * SCALE)
    pen.text(
        (right - length / 2, base - 10 * SCALE), f"{km:g} km", fill="#111827", font=_font(11), anchor="mm"
    )


def scale_bar(frame: Frame) -> tuple[float, float]:
    """A round number of kilometres at the picture's centre, and how many pixels it takes."""
    km_per_px = _EARTH_AROUND_KM * math.cos(math.radians(frame.view.center[1])) / frame.world_px
    most = 150 * SCALE * max(km_per_px, 1e-9)
    power = 10.0 ** math.floor(math.log10(most))
    km = next(step * power for step in (5, 2, 1) if step * power <= most)
    return km, km / km_per_px if km_per_px > 0 else 0.0


def _ink(color: str, alpha: int) -> Ink:
    return (*ImageColor.getrgb(color)[:3], alpha)  # a session from before may hold a colour's name


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size * SCALE)
