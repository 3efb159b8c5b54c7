"""The map as a picture, drawn without a browser and a network: the base, its names, every visible layer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw
from shapely import affinity

from data.basemap.lettering import Box, lettered, letters, meets
from data.basemap.painting import Window, filled, painted
from state.model import Bbox, Layer, MapState, State
from tools.base import ToolError, World
from tools.map.features import Drawn, Feature, View, drawn_features
from tools.map.geometry import (
    MAP_HEIGHT_PX,
    MAP_WIDTH_PX,
    MAX_LATITUDE,
    MAX_ZOOM,
    TILE_PX,
    latitude_of,
    mercator_y,
    wrapped,
)
from tools.map.rasters import has_tiles, layer_file, layer_look, own_picture

EARTH_AROUND_KM = 40_075.017
MOST_RASTER_PX = 2048
"""The longer side of a picture that is stretched over a layer's box."""
_FINER = 2
"""Shapes are drawn twice as large and made smaller, which makes their edges smooth."""
DARK_BASE, LIGHT_BASE = "night", "relief"

Ink = tuple[int, int, int, int]


@dataclass(frozen=True)
class Frame:
    """The projection of a camera to a picture: so many pixels of a map, `scale` of the picture's to each."""

    view: MapState
    width_px: float = MAP_WIDTH_PX
    height_px: float = MAP_HEIGHT_PX
    scale: float = 2.0

    @property
    def size(self) -> tuple[int, int]:
        """The picture's width and height."""
        return (round(self.width_px * self.scale), round(self.height_px * self.scale))

    @property
    def world_px(self) -> float:
        """The world's width in pixels of the picture."""
        return float(TILE_PX * 2**self.view.zoom * self.scale)

    @property
    def skin(self) -> str:
        """The looks of the base."""
        return self.view.basemap if self.view.basemap in ("dark", "light") else LIGHT_BASE

    @property
    def dark(self) -> bool:
        """Whether what is written on the base has to be light."""
        return self.skin == "dark"

    def window(self) -> Window:
        """What is drawn of the base."""
        lon, lat = self.view.center
        middle = (lon / 360 + 0.5, 0.5 - mercator_y(lat))
        return Window(*middle, self.world_px, *self.size, self.view.zoom, self.scale)

    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east, north in sight; longitudes may leave -180..180."""
        half_x, half_y = 180 * self.size[0] / self.world_px, self.size[1] / self.world_px / 2
        lon, y = self.view.center[0], mercator_y(self.view.center[1])
        south, north = (latitude_of(max(-0.5, min(0.5, y + sign * half_y))) for sign in (-1, 1))
        return (lon - half_x, south, lon + half_x, north)

    def bbox(self) -> Bbox:
        """What is in sight as a box; all longitudes where the world is shown once or more."""
        west, south, east, north = self.bounds()
        return (
            (-180.0, south, 180.0, north)
            if east - west >= 360
            else (wrapped(west), south, wrapped(east), north)
        )

    def pixels(self, lonlat: NDArray[np.float64]) -> NDArray[np.float64]:
        """Positions, shape (n, 2), as pixels, shape (n, 2)."""
        lon0, lat0 = self.view.center
        lat = np.radians(np.clip(lonlat[:, 1], -MAX_LATITUDE, MAX_LATITUDE))
        y = np.log(np.tan(np.pi / 4 + lat / 2)) / (2 * np.pi)
        across = self.size[0] / 2 + (lonlat[:, 0] - lon0) / 360 * self.world_px
        down = self.size[1] / 2 - (y - mercator_y(lat0)) * self.world_px
        return np.column_stack([across, down])


def draw_png(state: State, world: World, path: Path, title: str, notes: Sequence[str]) -> None:
    """Write the map as a page to look at: title, legend, scale, north arrow, the notes and the date."""
    from tools.map.printing import write_page

    write_page(state, world, path, title, notes, "png")


def drawn_layers(state: State, world: World, frame: Frame) -> list[Drawn]:
    """What each visible layer draws in the picture, and what it leaves out."""
    view = View(frame.bbox(), min(MAX_ZOOM, frame.view.zoom), 360 / frame.world_px)
    return [
        Drawn([]) if each.kind == "raster" else drawn_features(state, world, each, view)
        for each in state.map.layers
        if each.visible
    ]


def draw_map(state: State, world: World, frame: Frame, layers: Sequence[Drawn] | None = None) -> Image.Image:
    """The map without what stands around it, RGB; `layers` is what `drawn_layers` gave of it."""
    window = frame.window()
    shown = [each for each in state.map.layers if each.visible]
    found = drawn_layers(state, world, frame) if layers is None else layers
    drawn = [each.features for each in found]
    written = [
        (layer, feature, spot)
        for layer, features in zip(shown, drawn, strict=True)
        for feature in features
        if feature.shown and feature.text
        for spot in _anchors(frame, feature.shape)
    ]
    taken = [box for layer, feature, spot in written if (box := _mark(frame, layer, feature, spot))]
    base = painted(window, frame.skin)
    # As in the browser: no name of the base stands under a cluster, and data lies over the others.
    lettered(base, window, dark=frame.dark, taken=taken)
    picture = base.convert("RGBA")
    for layer, features in zip(shown, drawn, strict=True):
        _layer(picture, frame, world, layer, features)
    plain = picture.convert("RGB")
    _write(plain, frame, written, taken)
    if "graticule" in frame.view.controls:
        _graticule(plain, frame)
    return plain


def _layer(
    picture: Image.Image, frame: Frame, world: World, layer: Layer, features: Sequence[Feature]
) -> None:
    """One layer on a sheet of its own, so that its opacity is the whole layer's."""
    if layer.kind == "raster":
        sheet = Image.new("RGBA", picture.size, (0, 0, 0, 0))
        _raster(sheet, frame, world, layer)
    else:
        large = Image.new("RGBA", (picture.width * _FINER, picture.height * _FINER), (0, 0, 0, 0))
        pen = ImageDraw.Draw(large)
        for feature in features:
            _feature(large, pen, frame, layer, feature)
        sheet = large.resize(picture.size, Image.Resampling.BOX)
    if layer.opacity < 1:
        sheet.putalpha(sheet.getchannel("A").point(lambda alpha: int(alpha * layer.opacity)))
    picture.alpha_composite(sheet)


def _feature(
    large: Image.Image, pen: ImageDraw.ImageDraw, frame: Frame, layer: Layer, feature: Feature
) -> None:
    colour = feature.color or layer.color
    ink, wide = ink_of(colour, 255), max(1, round(frame.scale * _FINER))
    bare = layer.kind in ("footprints", "detections") and feature.color is None
    fill = None if bare else ink_of(colour, int(40 + 180 * feature.weight))
    for piece in _in_sight(frame, feature.shape):
        spots = shapely.transform(piece, lambda xy: frame.pixels(xy) * _FINER)
        if spots.is_empty:
            continue
        if spots.geom_type == "Polygon":
            if fill is not None:
                _fill(large, pen, spots, fill)
            for ring in (spots.exterior, *spots.interiors):
                pen.line(shapely.get_coordinates(ring).ravel().tolist(), fill=ink, width=wide)
        elif spots.geom_type == "LineString":
            thick = max(wide, round((feature.size or 2) * frame.scale * _FINER))
            pen.line(shapely.get_coordinates(spots).ravel().tolist(), fill=ink, width=thick, joint="curve")
        elif spots.geom_type == "Point" and layer.kind != "labels":
            x, y, radius = spots.x, spots.y, _radius(layer, feature) * frame.scale * _FINER
            shade = ink_of(colour, 90) if layer.kind == "heatmap" else ink
            edge = None if layer.kind in ("heatmap", "clusters") else ink_of("#ffffff", 255)
            circle = (x - radius, y - radius, x + radius, y + radius)
            pen.ellipse(circle, fill=shade, outline=edge, width=wide if edge else 0)


def _fill(large: Image.Image, pen: ImageDraw.ImageDraw, polygon: shapely.Polygon, fill: Ink) -> None:
    """A polygon's inside; of one with holes without them."""
    if not len(polygon.interiors):
        pen.polygon(shapely.get_coordinates(polygon.exterior).ravel().tolist(), fill=fill)
        return
    left, top, right, bottom = (math.floor(each) for each in polygon.bounds)
    size = (max(1, right - left + 2), max(1, bottom - top + 2))
    moved = affinity.translate(polygon, -left, -top)
    large.paste(fill, (left, top), filled(size, np.array([moved], dtype=object)))


def _radius(layer: Layer, feature: Feature) -> float:
    """Pixels of the map."""
    if feature.size is not None:
        return feature.size
    if layer.kind == "clusters":
        return 10 + 12 * math.sqrt(feature.weight)
    if layer.kind == "heatmap":
        return 8 + 24 * math.sqrt(feature.weight)
    return layer.size * 0.6


def _anchors(frame: Frame, shape: shapely.Geometry) -> list[tuple[float, float]]:
    """Where a feature's text is written, in each copy of the world that is in sight."""
    at = shape if shape.geom_type == "Point" else shape.representative_point()
    pieces = [each for each in _in_sight(frame, at) if not each.is_empty]
    return [(float(x), float(y)) for each in pieces for x, y in frame.pixels(shapely.get_coordinates(each))]


def _mark(frame: Frame, layer: Layer, feature: Feature, spot: tuple[float, float]) -> Box | None:
    """The room that a cluster takes."""
    if layer.kind != "clusters":
        return None
    radius = _radius(layer, feature) * frame.scale
    return (spot[0] - radius, spot[1] - radius, spot[0] + radius, spot[1] + radius)


def _write(
    picture: Image.Image,
    frame: Frame,
    written: Sequence[tuple[Layer, Feature, tuple[float, float]]],
    taken: Sequence[Box],
) -> None:
    """Write the features' texts, none on another; a cluster's number stands in its circle."""
    pen, boxes = ImageDraw.Draw(picture), list(taken)
    ink, halo = ("#eef2f7", "#10161f") if frame.dark else ("#1c2330", "#ffffff")
    for layer, feature, (x, y) in written:
        text, s = feature.text[:40], frame.scale
        font = letters(round(11 * s), 600, text=text)
        if layer.kind == "clusters":
            pen.text((x, y), text, fill="#ffffff", font=font, anchor="mm")
            continue
        beside = feature.shape.geom_type == "Point"
        start, anchor = (x + _radius(layer, feature) * s + 3 * s if beside else x), "lm" if beside else "mm"
        box = pen.textbbox((start, y), text, font=font, anchor=anchor)
        if any(meets(box, other) for other in boxes):
            continue
        boxes.append(box)
        pen.text(
            (start, y),
            text,
            fill=ink,
            font=font,
            anchor=anchor,
            stroke_width=max(1, round(s)),
            stroke_fill=halo,
        )


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
    width, height = sheet.size
    west = lon0 / 180 * HALF_WORLD_M - width / 2 * metres
    north = mercator_y(lat0) * 2 * HALF_WORLD_M + height / 2 * metres
    box = (west, north - height * metres, west + width * metres, north)
    try:
        seen = picture(layer_file(layer, world), layer_look(layer), box, width, height)
    except RasterError as error:
        raise ToolError(str(error)) from error
    if seen is not None:
        sheet.paste(Image.fromarray(seen), (0, 0))


def _in_box(sheet: Image.Image, frame: Frame, layer: Layer, drawn: Image.Image) -> None:
    options = dict(layer.options)
    west, south, east, north = (float(options[side]) for side in ("west", "south", "east", "north"))
    east += 360 if east < west else 0
    for turn in (-360, 0, 360):
        corners = np.array([[west + turn, north], [east + turn, south]])
        (x0, y0), (x1, y1) = frame.pixels(corners).round().astype(int)
        if x1 > 0 and x0 < sheet.width and 0 < x1 - x0 < 8000 and 0 < y1 - y0 < 8000:
            sheet.paste(drawn.resize((int(x1 - x0), int(y1 - y0))), (int(x0), int(y0)))


def _in_sight(frame: Frame, geometry: shapely.Geometry) -> Iterator[shapely.Geometry]:
    """What of a geometry is in sight, part by part, in each copy of the world."""
    if geometry.is_empty:
        return
    west, south, east, north = frame.bounds()
    left, bottom, right, top = geometry.bounds
    for turn in (-360, 0, 360):
        if left + turn <= east and right + turn >= west and bottom <= north and top >= south:
            moved = affinity.translate(geometry, turn) if turn else geometry
            if moved.geom_type == "Point":
                yield moved
            else:
                yield from shapely.get_parts(shapely.clip_by_rect(moved, west, south, east, north))


def _graticule(picture: Image.Image, frame: Frame) -> None:
    """Lines of whole longitudes and latitudes, and what they are."""
    west, south, east, north = frame.bounds()
    step = next(
        each
        for each in (30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
        if (east - west) / each >= 4 or each == 0.001
    )
    pen, ink = ImageDraw.Draw(picture, "RGBA"), ink_of("#64748b", 150)
    font = letters(round(9 * frame.scale))
    for at in range(math.ceil(west / step), math.floor(east / step) + 1):
        (x, _), *_ = frame.pixels(np.array([[at * step, 0.0]]))
        pen.line((x, 0, x, picture.height), fill=ink, width=max(1, round(0.7 * frame.scale)))
        said = degrees(wrapped(at * step), "E", "W")
        pen.text((x + 3 * frame.scale, 3 * frame.scale), said, fill="#334155", font=font)
    for at in range(math.ceil(max(-80, south) / step), math.floor(min(80, north) / step) + 1):
        (_, y), *_ = frame.pixels(np.array([[0.0, at * step]]))
        pen.line((0, y, picture.width, y), fill=ink, width=max(1, round(0.7 * frame.scale)))
        said = degrees(at * step, "N", "S")
        pen.text((3 * frame.scale, y + 2 * frame.scale), said, fill="#334155", font=font)


def degrees(value: float, plus: str, minus: str) -> str:
    """`12.5° E`."""
    plain = f"{abs(round(value, 4)):g}°"
    return plain if value == 0 else f"{plain} {plus if value > 0 else minus}"


def scale_bar(km_per_unit: float, most: float) -> tuple[float, float]:
    """A round number of kilometres that takes at most `most` units, and how many it takes."""
    reach = most * max(km_per_unit, 1e-9)
    power = 10.0 ** math.floor(math.log10(reach))
    km = next(step * power for step in (5, 2, 1) if step * power <= reach)
    return km, km / km_per_unit if km_per_unit > 0 else 0.0


def ink_of(color: str, alpha: int) -> Ink:
    """A colour with an opacity of 0 to 255."""
    return (*ImageColor.getrgb(color)[:3], alpha)  # a session from before may hold a colour's name
