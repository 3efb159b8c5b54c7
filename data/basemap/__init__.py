"""The offline base map: land and water as vector tiles, a shaded relief, and names.

README.md says where they are from.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from data.basemap.archive import Tiles

__all__ = ["Tiles", "land", "names", "relief", "skins", "version"]
HERE = Path(__file__).parent


@cache
def land() -> Tiles:
    """Land, water, lines and areas: gzipped Mapbox Vector Tiles."""
    return Tiles(HERE / "land.mbtiles")


@cache
def relief() -> Tiles:
    """Shaded relief over land cover: WebP, 512 pixels a tile."""
    return Tiles(HERE / "relief.mbtiles")


@cache
def names() -> bytes:
    """What is written on the map by kind, as gzipped JSON; `data.basemap.naming` says what a name holds."""
    return (HERE / "names.json.gz").read_bytes()


@cache
def skins() -> dict[str, dict[str, Any]]:
    """How the base looks, by name: its colours, and `veil`, what lies over the relief from zoom to zoom."""
    found: dict[str, dict[str, Any]] = json.loads((HERE / "skins.json").read_text(encoding="utf-8"))
    return found


@cache
def version() -> str:
    """Changes with any of the files: an address that holds it never means anything else."""
    parts = [land().about()["version"], relief().about()["version"], sha256(names()).hexdigest()]
    return sha256("".join(parts).encode()).hexdigest()[:12]
