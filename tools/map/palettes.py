"""Colours for classes and ramps, told apart with any colour vision (tests/tools/map/test_palettes.py).

Ramps are sampled from the colormaps of `data.raster.colours`: viridis, cividis and magma of matplotlib (by
Smith, van der Walt and Firing; Nuñez, Anderton and Renslow), the others of ColorBrewer 2.0 (by Cynthia
Brewer), which marks each of these as safe. Categories have the colours of Okabe and Ito (2008).
"""

from __future__ import annotations

from typing import Literal, get_args

from tools.map.classes import KINDS

Palette = Literal[
    "okabe_ito", "viridis", "cividis", "magma", "blues", "greens", "oranges", "purples", "ylgnbu",
    "rdbu", "brbg", "puor",
]  # fmt: skip
PALETTES: tuple[Palette, ...] = get_args(Palette)
CATEGORIES: Palette = "okabe_ito"
NUMBERS: Palette = "viridis"
_SPANS = {
    "viridis": (0.0, 0.95), "cividis": (0.0, 0.97), "magma": (0.1, 0.92),
    "rdbu": (0.06, 0.94), "brbg": (0.06, 0.94), "puor": (0.06, 0.94),
}  # fmt: skip
"""The part of a colormap that is used: neither its black end nor its white one."""
_PALE_SPAN = (0.18, 1.0)
STOPS = 9
"""Colours of a ramp that is not in classes; between them it is straight."""


def colours(palette: Palette, count: int) -> tuple[str, ...]:
    """So many colours, least to greatest; of categories in their order, over again after ten."""
    if palette == "okabe_ito":
        return tuple(KINDS[at % len(KINDS)] for at in range(count))
    from data.raster.colours import lookup

    table = lookup(palette)
    start, end = _SPANS.get(palette, _PALE_SPAN)
    places = [start + (end - start) * (at / (count - 1) if count > 1 else 0.6) for at in range(count)]
    picked = [table[round(place * (len(table) - 1))].tolist() for place in places]
    return tuple(f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in picked)
