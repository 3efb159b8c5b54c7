"""Tiles in one SQLite file as MBTiles 1.3 lays them out: written once, read by many threads."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable
from contextlib import closing
from functools import cached_property
from hashlib import sha256
from pathlib import Path

_SCHEMA = """
CREATE TABLE metadata (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE images (tile_id INTEGER PRIMARY KEY, tile_data BLOB);
CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id INTEGER,
    PRIMARY KEY (zoom_level, tile_column, tile_row)) WITHOUT ROWID;
CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data
    FROM map JOIN images ON images.tile_id = map.tile_id;
"""


class Tiles:
    """An archive that is only read. Rows are counted from the north, as in an address."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()

    @cached_property
    def max_zoom(self) -> int:
        """The largest zoom that has tiles."""
        return int(self.about()["maxzoom"])

    def tile(self, z: int, x: int, y: int) -> bytes | None:
        """The tile as it is stored; None where the archive has none."""
        found = self._connection().execute(
            "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
            (z, x, 2**z - 1 - y),
        )
        row = found.fetchone()
        return None if row is None else bytes(row[0])

    def about(self) -> dict[str, str]:
        """The archive's own description: name, format, minzoom, maxzoom, attribution, version …"""
        return dict(self._connection().execute("SELECT name, value FROM metadata").fetchall())

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._local, "connection"):
            address = f"{self.path.resolve().as_uri()}?mode=ro&immutable=1"
            self._local.connection = sqlite3.connect(address, uri=True)
        return self._local.connection  # type: ignore[no-any-return]


def write(path: Path, about: dict[str, str], tiles: Iterable[tuple[tuple[int, int, int], bytes]]) -> None:
    """A new archive, in place of one that is there. Tiles that are equal are stored once."""
    path.unlink(missing_ok=True)
    known: dict[bytes, int] = {}
    digest = sha256()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_SCHEMA)
        for (z, x, y), data in tiles:
            key = sha256(data).digest()
            digest.update(repr((z, x, y)).encode() + key)
            if key not in known:
                known[key] = len(known) + 1
                connection.execute("INSERT INTO images VALUES (?, ?)", (known[key], data))
            connection.execute("INSERT INTO map VALUES (?, ?, ?, ?)", (z, x, 2**z - 1 - y, known[key]))
        facts = {**about, "version": digest.hexdigest()[:12]}
        connection.executemany("INSERT INTO metadata VALUES (?, ?)", sorted(facts.items()))
        connection.commit()
        connection.execute("VACUUM")
