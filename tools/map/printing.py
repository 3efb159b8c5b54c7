"""The map as a page to print: title, map, legend, scale, north arrow, where it lies, sources and the date."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from data.basemap.painting import Window, painted
from state.model import Layer, MapState, State
from tools.base import World
from tools.map.classes import CONTINUOUS, Classes, Graded, drawn_by
from tools.map.geometry import MAP_HEIGHT_PX, MAP_WIDTH_PX, mercator_y
from tools.map.picture import EARTH_AROUND_KM, Frame, degrees, draw_map, drawn_layers, ink_of, scale_bar
from tools.map.rasters import ramp_of
from tools.map.sheets import PdfSheet, PngSheet, Sheet

Paper = Literal["a4", "a3", "letter"]
SIZES_MM: dict[Paper, tuple[float, float]] = {
    "a4": (297.0, 210.0),
    "a3": (420.0, 297.0),
    "letter": (279.4, 215.9),
}
"""The longer side first."""
DPI = 200
EDGE, PANEL, TITLE, FOOT = 10.0, 58.0, 10.0, 12.0
"""Millimetres: around the page, beside the map, above and below it."""
_INK, _FAINT, _LINE = "#111827", "#4b5563", "#9ca3af"
_ROW = 4.6
_NEAR_ENOUGH = 3.5
"""From this zoom on a small map says where the page lies in the world."""


def write_page(
    state: State,
    world: World,
    path: Path,
    title: str,
    notes: Sequence[str],
    kind: Literal["png", "pdf"],
    *,
    paper: Paper = "a4",
    upright: bool = False,
) -> list[str]:
    """Write the page. What the map's window shows is in it, and what lies beside where the page has room.

    What its layers leave out comes back, and stands below the map.
    """
    long, short = SIZES_MM[paper]
    size = (short, long) if upright else (long, short)
    sheet: Sheet = (PngSheet if kind == "png" else PdfSheet)(*size, DPI, title)
    left_out = _lay_out(sheet, state, world, title, notes)
    sheet.write(path)
    return left_out


def _lay_out(sheet: Sheet, state: State, world: World, title: str, notes: Sequence[str]) -> list[str]:
    beside = sheet.width > sheet.height
    top, bottom = EDGE + TITLE, sheet.height - EDGE - FOOT
    panel_h = 0.0 if beside else 62.0
    width = sheet.width - 2 * EDGE - (PANEL + 4 if beside else 0)
    height = bottom - top - (panel_h + 4 if panel_h else 0)
    frame = _frame(state.map, width, height, sheet.dpi)
    sheet.text(EDGE, EDGE + 5, _shortened(sheet, title, 18, sheet.width - 2 * EDGE), 18, _INK, bold=True)
    layers = drawn_layers(state, world, frame)
    left_out = [each.left_out for each in layers if each.left_out]
    sheet.picture(draw_map(state, world, frame, layers), EDGE, top, width, height)
    sheet.box(EDGE, top, width, height, None, _INK)
    if beside:
        _panel(sheet, state, world, frame, sheet.width - EDGE - PANEL, top, PANEL, height)
    else:
        _panel(sheet, state, world, frame, EDGE, bottom - panel_h, width, panel_h)
    foot = sheet.height - EDGE
    said = f"{world.today:%-d %B %Y}"
    sheet.text(sheet.width - EDGE, foot, said, 8, _FAINT, align="right")
    room = sheet.width - 2 * EDGE - sheet.wide(said, 8) - 6
    sheet.text(EDGE, foot, _shortened(sheet, "  ·  ".join(notes), 8, room), 8, _FAINT)
    told = "  ·  ".join([*left_out, _projection(frame)])
    sheet.text(EDGE, foot - 4.4, _shortened(sheet, told, 8, sheet.width - 2 * EDGE), 8, _FAINT)
    return left_out


def _frame(view: MapState, width: float, height: float, dpi: int) -> Frame:
    """The camera's window, made wider or higher to the shape of the page."""
    px_per_mm = max(MAP_WIDTH_PX / width, MAP_HEIGHT_PX / height)
    return Frame(view, width * px_per_mm, height * px_per_mm, dpi / 25.4 / px_per_mm)


def _projection(frame: Frame) -> str:
    lon, lat = frame.view.center
    metres = _km_per_mm(frame) * 1e6
    power = 10 ** max(0, math.floor(math.log10(metres)) - 1)
    about = f"about 1 : {round(metres / power) * power:,}"
    place = f"{degrees(round(lat, 2), 'N', 'S')}, {degrees(round(lon, 2), 'E', 'W')}"
    return f"Web Mercator (EPSG:3857), WGS 84  ·  {about} at {place}"


def _km_per_mm(frame: Frame) -> float:
    """At the middle of the page."""
    around = EARTH_AROUND_KM * math.cos(math.radians(frame.view.center[1]))
    return around / frame.world_px * DPI / 25.4


def _panel(
    sheet: Sheet, state: State, world: World, frame: Frame, x: float, y: float, w: float, h: float
) -> None:
    """What stands beside the map, or below it: legend, where it lies, scale and north."""
    wide = w > 2 * PANEL
    block = PANEL if wide else w
    small = frame.view.zoom >= _NEAR_ENOUGH
    foot = y + h - 15
    if small:
        side = block if not wide else min(block, (h - 18) * 1.7)
        high = side / 1.7
        _small_map(sheet, frame, x + w - side, foot - high - 3, side, high)
        legend_foot = y + h if wide else foot - high - 6
    else:
        legend_foot = y + h if wide else foot - 3
    _legend(sheet, state, world, x, y, w - block - 6 if wide else w, legend_foot - y)
    right = x + w
    km, length = scale_bar(_km_per_mm(frame), block - 16)
    left = right - block
    for at in range(4):
        fill = _INK if at % 2 == 0 else "#ffffff"
        sheet.box(left + at * length / 4, foot + 8, length / 4, 1.6, fill, _INK)
    sheet.text(left, foot + 6.5, "0", 8, _INK, align="left")
    sheet.text(left + length, foot + 6.5, said_km(km), 8, _INK, align="middle")
    _north(sheet, right - 5, foot + 1)


def said_km(km: float) -> str:
    """`50 km`, `200 m`."""
    return f"{km:,.0f} km" if km >= 1 else f"{km * 1000:g} m"


def _north(sheet: Sheet, x: float, y: float) -> None:
    sheet.shape([(x, y), (x - 3, y + 10), (x, y + 7.6)], _INK)
    sheet.shape([(x, y), (x + 3, y + 10), (x, y + 7.6)], _LINE)
    sheet.text(x, y + 14, "N", 9, _INK, bold=True, align="middle")


def _small_map(sheet: Sheet, frame: Frame, x: float, y: float, w: float, h: float) -> None:
    """Where the page lies: five zooms farther away, with its frame."""
    view = replace(frame.view, zoom=max(0.0, frame.view.zoom - 5))
    scale = sheet.dpi / 25.4 / 3
    size = (round(w * sheet.dpi / 25.4), round(h * sheet.dpi / 25.4))
    middle = (view.center[0] / 360 + 0.5, 0.5 - mercator_y(view.center[1]))
    window = Window(*middle, 256 * 2**view.zoom * scale, *size, view.zoom, scale)
    sheet.picture(painted(window, frame.skin), x, y, w, h)
    sheet.box(x, y, w, h, None, _LINE)
    part = window.world_px / frame.world_px / (sheet.dpi / 25.4)
    across, down = frame.size[0] * part, frame.size[1] * part
    if max(across, down) < 1.5:
        sheet.circle(x + w / 2, y + h / 2, 1.2, "#dc2626", "#ffffff")
        return
    sheet.box(x + w / 2 - across / 2, y + h / 2 - down / 2, across, down, None, "#dc2626")


def _legend(sheet: Sheet, state: State, world: World, x: float, y: float, w: float, h: float) -> None:
    """Every visible layer, the topmost first, with what its colours and sizes mean."""
    if "legend" not in state.map.controls:
        return
    rows = [row for layer in reversed(state.map.layers) if layer.visible for row in _rows(layer, world)]
    columns = max(1, int(w // PANEL))
    most = max(1, int((h - 5) // _ROW)) * columns
    left_out = max(0, len(rows) - most)
    sheet.text(x, y + 3.4, "Legend" if rows else "", 10, _INK, bold=True)
    a_column = max(1, int((h - 5) // _ROW))
    for number, row in enumerate(rows[: most - (1 if left_out else 0)]):
        at_x = x + (number // a_column) * (w / columns)
        row.draw(sheet, at_x, y + 6 + (number % a_column) * _ROW, w / columns - 3)
    if left_out:
        at_x = x + (columns - 1) * (w / columns)
        said = f"and {left_out + 1} more lines"
        sheet.text(at_x, y + 6 + (a_column - 1) * _ROW + 3, said, 8, _FAINT)


class _Row:
    """A line of the legend."""

    def __init__(
        self,
        text: str,
        colour: str | None = None,
        *,
        head: bool = False,
        radius: float | None = None,
        ramp: Sequence[str] = (),
        faint: bool = False,
    ) -> None:
        self.text, self.colour, self.head = text, colour, head
        self.radius, self.ramp, self.faint = radius, ramp, faint

    def draw(self, sheet: Sheet, x: float, y: float, w: float) -> None:
        """Draw it with its upper left corner there."""
        start = x if self.head or self.faint else x + 2
        middle = y + _ROW / 2
        if self.ramp:
            step = 18 / len(self.ramp)
            for at, colour in enumerate(self.ramp):
                sheet.box(start + at * step, middle - 1.4, step + 0.1, 2.8, colour)
            start += 20
        elif self.radius is not None and self.colour:
            sheet.circle(start + 2, middle, min(2.2, self.radius), self.colour, _INK)
            start += 6
        elif self.colour:
            sheet.box(start, middle - 1.4, 4, 2.8, self.colour, _INK)
            start += 6
        size = 9 if self.head else 8
        text = _shortened(sheet, self.text, size, x + w - start, bold=self.head)
        sheet.text(start, middle + 1.1, text, size, _FAINT if self.faint else _INK, bold=self.head)


def _rows(layer: Layer, world: World) -> list[_Row]:
    counted = "" if layer.kind in ("drawing", "raster") else f"  {layer.count:,}"
    style = drawn_by(layer)
    round_ = 1.4 if layer.kind in ("points", "clusters", "timeline") else None
    if style is None:
        ramp = ramp_of(layer, world) if layer.kind == "raster" else None
        if ramp is None:
            colour = None if layer.kind == "raster" else _plain(layer.color)
            return [_Row(f"{layer.name}{counted}", colour, head=True, radius=round_)]
        ends = f"{ramp['low']:.4g} – {ramp['high']:.4g}"
        return [_Row(layer.name, head=True), _Row(ends, ramp=ramp["colours"])]
    head = [_Row(f"{layer.name}{counted}", head=True), _Row(style.field.replace("_", " "), faint=True)]
    if isinstance(style, Classes):
        return [*head, *(_Row(name, colour, radius=round_) for name, colour in style.legend)]
    return [*head, *_graded_rows(layer, style, round_)]


def _graded_rows(layer: Layer, style: Graded, round_: float | None) -> list[_Row]:
    if style.method == CONTINUOUS and style.colours:
        return [_Row(" – ".join(style.written), ramp=style.colours)]
    count = len(style.labels)
    shades = style.colours or (_plain(layer.color),) * count
    sizes: list[float | None] = [each / max(style.sizes) * 2.2 for each in style.sizes]
    sizes = sizes or [round_] * count
    return [_Row(text, c, radius=r) for text, c, r in zip(style.labels, shades, sizes, strict=True)]


def _plain(color: str) -> str:
    """A colour as #rrggbb, whatever a kept session calls it."""
    return "#{:02x}{:02x}{:02x}".format(*ink_of(color, 255)[:3])


def _shortened(sheet: Sheet, text: str, size: float, room: float, *, bold: bool = False) -> str:
    """A text that fits, without what cannot be printed."""
    text = "".join(each for each in text if each.isprintable())
    if sheet.wide(text, size, bold=bold) <= room:
        return text
    while text and sheet.wide(f"{text}…", size, bold=bold) > room:
        text = text[:-1]
    return f"{text}…"
