"""The base map's names in a picture: which come first, in which letters, none on another."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from data.basemap import names
from data.basemap.painting import Window
from data.basemap.tiling import MAX_LATITUDE

_LETTERS = Path(__file__).parents[2] / "node_modules/@fontsource-variable/source-sans-3/files"
_MORE_LETTERS = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
_MOST = 160
_APART_PX = 3.0
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class _Look:
    """How a kind of name is written; `ends` is the zoom from which on it is too large for its thing."""

    px: float
    weight: int
    light: str
    dark: str
    italic: bool = False
    upper: bool = False
    wrap: int = 0
    ends: float = 99.0
    dot: bool = False


_LOOKS = {
    "country": _Look(12.5, 600, "#4a4436", "#b9bfc7", upper=True, wrap=11, ends=9),
    "ocean": _Look(14, 400, "#2f5d7c", "#7ba3c0", italic=True, wrap=9, ends=7),
    "water": _Look(12, 400, "#2f5d7c", "#7ba3c0", italic=True, wrap=12),
    "state": _Look(10.5, 500, "#554f43", "#8b97a6", upper=True, wrap=14, ends=9),
    "capital": _Look(13, 650, "#22272f", "#dde3ea", dot=True),
    "city1": _Look(13, 600, "#262c34", "#dde3ea", dot=True),
    "city2": _Look(12.5, 550, "#343b45", "#c6cfd9", dot=True),
    "city3": _Look(12, 450, "#414954", "#b0bbc8", dot=True),
    "city4": _Look(11.5, 420, "#464e58", "#9ba7b6", dot=True),
    "range": _Look(11, 450, "#574629", "#b09f84", italic=True, wrap=12, ends=9),
    "lake": _Look(11, 400, "#27556f", "#7ba3c0", italic=True, wrap=12),
    "island": _Look(11, 420, "#4f4939", "#b09f84", italic=True, wrap=14, ends=11),
}
_HALOES = {"light": ("#fbfaf6", "#c9dde9"), "dark": ("#141a23", "#10161f")}
_WATERS = frozenset({"ocean", "water", "lake"})


def lettered(picture: Image.Image, window: Window, *, dark: bool, taken: Sequence[Box] = ()) -> None:
    """Write the names on a picture of the base, RGB; `taken` are boxes in its pixels where none may stand."""
    pen = ImageDraw.Draw(picture)
    haloes, s = _HALOES["dark" if dark else "light"], window.scale
    boxes, seen = list(taken), set[tuple[str, int, int]]()
    for kind, text, lon, lat in _wanted(window):
        if len(boxes) - len(taken) >= _MOST:
            break
        look, spot = _LOOKS[kind], (text, round(lon * 4), round(lat * 4))
        x, y = _place(window, lon, lat)
        if window.zoom >= look.ends or spot in seen or not (0 < x < window.width and 0 < y < window.height):
            continue
        said = "\n".join(_lines(text.upper() if look.upper else text, look.wrap))
        font = letters(round(look.px * s), look.weight, look.italic, said)
        left, top, right, bottom = pen.multiline_textbbox((0, 0), said, font=font, align="center")
        wide, high = right - left, bottom - top
        ways = [(7 * s, -high / 2), (-7 * s - wide, -high / 2)] if look.dot else [(-wide / 2, -high / 2)]
        for dx, dy in ways:
            gap = _APART_PX * s
            box = (x + dx - gap, y + dy - gap, x + dx + wide + gap, y + dy + high + gap)
            inside = box[0] > 0 and box[1] > 0 and box[2] < window.width and box[3] < window.height
            if inside and not any(meets(box, other) for other in boxes):
                break
        else:
            continue
        boxes.append(box)
        seen.add(spot)
        ink, halo = (look.dark if dark else look.light), haloes[kind in _WATERS]
        if look.dot:
            radius = (3.4 if kind == "capital" else 2.8) * s
            boxes.append((x - radius, y - radius, x + radius, y + radius))
            pen.ellipse(
                (x - radius, y - radius, x + radius, y + radius), fill=ink, outline=halo, width=round(s)
            )
        pen.multiline_text(
            (x + dx - left, y + dy - top), said, font=font, fill=ink, align="center",
            stroke_width=max(1, round(1.3 * s)), stroke_fill=halo,
        )  # fmt: skip


def meets(one: Box, other: Box) -> bool:
    """Whether two boxes share some of their room."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@lru_cache(maxsize=256)
def letters(px: int, weight: int = 400, italic: bool = False, text: str = "") -> Font:
    """The map's letters in a size; others where they are not installed or lack a sign of the text."""
    # The package keeps what is beyond Latin-1 in files of their own, without the letters A to Z.
    plain = all(ord(each) < 0x100 or each in "–—‘’“”…" for each in text)
    files = [_LETTERS / f"source-sans-3-latin-wght-{'italic' if italic else 'normal'}.woff2"] if plain else []
    for each in [*files, _MORE_LETTERS]:
        try:
            font = ImageFont.truetype(str(each), px)
            if each != _MORE_LETTERS:
                font.set_variation_by_axes([weight])
        except OSError:
            continue
        return font
    return ImageFont.load_default(px)


@lru_cache(maxsize=1)
def _names() -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = json.loads(gzip.decompress(names()))
    return found


def _wanted(window: Window) -> Iterator[tuple[str, str, float, float]]:
    """What may be written, what matters most first: kind, text, longitude, latitude."""
    known, zoom = _names(), window.zoom
    degree_px = 256 * 2**zoom / 360

    def since(kind: str, plus: float = 0.0) -> Iterator[list[Any]]:
        return (each for each in known[kind] if each[3] + plus <= zoom)

    for each in known["country"]:
        if each[4] * degree_px > 8 + max(len(line) for line in _lines(each[0], 11)) * 7:
            yield "country", each[0], each[1], each[2]
    for each in since("water"):
        if each[4] == 0:
            yield "ocean", each[0], each[1], each[2]
    if zoom >= 3:
        for each in since("city", 0.7):
            if each[4] <= 1:
                yield ("city1" if each[4] else "capital"), each[0], each[1], each[2]
    for each in since("water", 0.5):
        if each[4] > 0:
            yield "water", each[0], each[1], each[2]
    for each in known["state"]:
        room = each[4] * degree_px > 8 + max(len(line) for line in _lines(each[0], 14)) * (
            13 if zoom < 6 else 8
        )
        if zoom >= each[3] and room:
            yield "state", each[0], each[1], each[2]
    if zoom >= 4:
        for each in since("city"):
            if each[4] > 1:
                yield f"city{each[4]}", each[0], each[1], each[2]
    for kind, plus in (("range", 1), ("lake", 1), ("island", 1.5)):
        for each in since(kind, plus):
            yield kind, each[0], each[1], each[2]


def _place(window: Window, lon: float, lat: float) -> tuple[float, float]:
    """Where a position lies in the picture, on the copy of the world that is nearest to its middle."""
    away = lon / 360 + 0.5 - window.x
    x = (away - round(away)) * window.world_px + window.width / 2
    sine = np.sin(np.radians(max(-MAX_LATITUDE, min(MAX_LATITUDE, lat))))
    y = (0.5 - np.arctanh(sine) / (2 * np.pi) - window.y) * window.world_px + window.height / 2
    return x, float(y)


def _lines(text: str, most: int) -> list[str]:
    if not most or len(text) <= most:
        return [text]
    found: list[str] = []
    for word in text.split(" "):
        if found and len(found[-1]) + 1 + len(word) <= most:
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found
