"""Measures (M) of a GeoPackage's shapes, of which GDAL says nothing where the layer does not declare them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

_HEADER_BYTES = 8
_ENVELOPE_BYTES = (0, 32, 48, 48, 64)
"""By what the header's flags say of it (OGC 12-128, 2.1.3)."""
_TYPE_BYTES = 5
_EXTENDED_M = 0x40000000


def measured_in(path: Path, table: str) -> int:
    """How many shapes of a layer have measures. Raises sqlite3.Error for a broken file."""
    address = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    opened = sqlite3.connect(address, uri=True)
    try:
        opened.execute("PRAGMA trusted_schema=OFF")
        found = opened.execute(
            "SELECT column_name FROM gpkg_geometry_columns WHERE table_name = ?", (table,)
        ).fetchone()
        if found is None:
            return 0
        column, layer = (str(each).replace('"', '""') for each in (found[0], table))
        most = _HEADER_BYTES + max(_ENVELOPE_BYTES) + _TYPE_BYTES
        rows = opened.execute(f'SELECT substr("{column}", 1, {most}) FROM "{layer}"')
        return sum(_is_measured(blob) for (blob,) in rows)
    finally:
        opened.close()


def _is_measured(blob: object) -> bool:
    """By the type in the shape's WKB, ISO's (2001, 3001 …) or the extended one."""
    if not isinstance(blob, bytes) or blob[:2] != b"GP" or len(blob) < _HEADER_BYTES:
        return False
    envelope = blob[3] >> 1 & 7
    if envelope >= len(_ENVELOPE_BYTES):
        return False
    start = _HEADER_BYTES + _ENVELOPE_BYTES[envelope]
    told = blob[start : start + _TYPE_BYTES]
    if len(told) < _TYPE_BYTES:
        return False
    kind = int.from_bytes(told[1:], "little" if told[0] else "big")
    return bool(kind & _EXTENDED_M) or (kind & 0xFFFF) // 1000 in (2, 3)
