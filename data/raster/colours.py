"""Colormaps by name: those that rio-tiler ships, five of our own, and a ramp of any single colour."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.raster.errors import RasterError

RAMPS: dict[str, tuple[str, ...]] = {
    "grey": ("#000000", "#ffffff"),
    "viridis": ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"),
    "magma": ("#000004", "#51127c", "#b73779", "#fc8961", "#fcfdbf"),
    "terrain": ("#1b6a3c", "#7fb25a", "#e8d98a", "#a9723f", "#ffffff"),
    "red_yellow_green": ("#a50026", "#fdae61", "#ffffbf", "#a6d96a", "#006837"),
}
"""Our own, from the least value to the greatest; they go before the library's of the same name."""
SINGLE = {
    "green": "greens",
    "blue": "blues",
    "red": "reds",
    "orange": "oranges",
    "purple": "purples",
    "violet": "purples",
    "gray": "grey",
    "rainbow": "turbo",
    "heat": "hot",
}
"""What people say, and the colormap that it is."""
COLOURS = 256
_PALE = 0.92
"""How near to white a ramp of one colour begins."""


@cache
def _files() -> dict[str, Path]:
    """The library's colormaps, found without the second that importing it takes."""
    found = find_spec("rio_tiler")
    assert found is not None and found.submodule_search_locations
    folder = Path(found.submodule_search_locations[0]) / "cmap_data"
    return {each.stem: each for each in sorted(folder.glob("*.npy"))}


def colormap_name(text: str) -> str:
    """The colormap that a name or a colour stands for, as a layer keeps it.

    A colour that is no colormap's name becomes `#rrggbb`. Raises RasterError with the nearest names.
    """
    from PIL import ImageColor

    wanted = text.strip().lower()
    wanted = wanted if wanted in RAMPS else wanted.replace(" ", "_").replace("-", "_")
    wanted = SINGLE.get(wanted, wanted)
    if wanted in RAMPS or wanted in _files():
        return wanted
    try:
        red, green, blue = ImageColor.getrgb(text.strip())[:3]
    except ValueError:
        known = [*RAMPS, *SINGLE, *(name for name in _files() if not name.endswith("_r")), "white"]
        near = get_close_matches(wanted, known, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else "there are grey, viridis, greens, rdylgn ..."
        raise RasterError(f"There is no colormap {text[:60]!r}; {hint.rstrip('?')}.") from None
    return f"#{red:02x}{green:02x}{blue:02x}"


@lru_cache(maxsize=64)
def lookup(name: str) -> NDArray[np.uint8]:
    """A colormap as colours, shape (256, 3). Raises RasterError for a name that there is not."""
    known = colormap_name(name)
    if known.startswith("#"):
        red, green, blue = (int(known[at : at + 2], 16) for at in (1, 3, 5))
        pale = "#" + "".join(f"{round(255 * _PALE + part * (1 - _PALE)):02x}" for part in (red, green, blue))
        return _ramp((pale, known))
    if known in RAMPS:
        return _ramp(RAMPS[known])
    colours: NDArray[np.uint8] = np.load(_files()[known])[:, :3].astype(np.uint8)
    return colours


def _ramp(stops: tuple[str, ...]) -> NDArray[np.uint8]:
    colours = np.array([[int(stop[at : at + 2], 16) for at in (1, 3, 5)] for stop in stops], dtype=float)
    where = np.linspace(0, 1, len(stops))
    spread = np.linspace(0, 1, COLOURS)
    channels = [np.interp(spread, where, colours[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=1).round().astype(np.uint8)
