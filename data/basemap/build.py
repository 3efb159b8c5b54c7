"""Make the base map's files anew: `python -m data.basemap.build NATURAL_EARTH SHADED_RELIEF`.

NATURAL_EARTH is a folder with Natural Earth's layers as GeoParquet, SHADED_RELIEF the picture
shadedrelief.jpg; README.md says where they come from.
"""

from __future__ import annotations

import gzip
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import shapely

from data.basemap.archive import write
from data.basemap.layers import MAX_ZOOM, layers
from data.basemap.tiling import BUFFER, EXTENT, Shapes, Tile, cut, on_grid, projected, simplified
from data.catalogue.spatial import load_spatial

HERE = Path(__file__).parent
_DETAIL = {"deep": (10.0, 25600.0), "glaciers": (6.0, 200.0)}
_USUAL_DETAIL = (4.0, 40.0)
"""Units of a tile that may be left out, and square units of the least area; a pixel is four units."""
_SEA_FLOOR_ZOOM = 4
"""From here on the sea's floor gets no finer: it is a tint, and its patches would make it restless."""
_WHOLE = shapely.box(-BUFFER, -BUFFER, EXTENT + BUFFER, EXTENT + BUFFER)


def vector_tiles(folder: Path) -> Iterator[tuple[Tile, bytes]]:
    """Every tile as gzipped Mapbox Vector Tile."""
    found = {name: projected(shapes) for name, shapes in layers(folder).items()}
    connection = duckdb.connect()
    load_spatial(connection)
    for zoom in range(MAX_ZOOM + 1):
        parts: dict[Tile, list[bytes]] = defaultdict(list)
        for name, shapes in found.items():
            there = dict(cut(simplified(shapes, zoom, *_detail(name, zoom)), zoom))
            there = _sea(there, zoom) if name == "land" else there
            for tile, data in _encoded(connection, "water" if name == "land" else name, there):
                parts[tile].append(data)
        print(f"zoom {zoom}: {len(parts)} tiles", file=sys.stderr)
        for tile in sorted(parts):
            yield tile, gzip.compress(b"".join(parts[tile]), 9, mtime=0)


def _detail(name: str, zoom: int) -> tuple[float, float]:
    tolerance, least_area = _DETAIL.get(name, _USUAL_DETAIL)
    if name == "deep":
        coarser = 2.0 ** max(0, zoom - _SEA_FLOOR_ZOOM)
        return tolerance * coarser, least_area * coarser**2
    # The last zoom is drawn enlarged.
    return tolerance * (0.6 if zoom == MAX_ZOOM else 1), least_area


def _sea(land: dict[Tile, Shapes], zoom: int) -> dict[Tile, Shapes]:
    """What of each tile is not land: drawn over the relief, it gives that its coast."""
    found = {}
    for x in range(2**zoom):
        for y in range(2**zoom):
            there = land.get((zoom, x, y))
            sea = _WHOLE
            if there is not None:
                whole = shapely.make_valid(there.geometry, method="structure", keep_collapsed=False)
                sea = shapely.difference(_WHOLE, shapely.union_all(whole))
            if not shapely.is_empty(sea):
                found[zoom, x, y] = Shapes(np.array([sea], dtype=object), np.zeros(1, np.int64), {})
    return found


def _encoded(
    connection: duckdb.DuckDBPyConnection, name: str, tiles: dict[Tile, Shapes]
) -> Iterator[tuple[Tile, bytes]]:
    """A layer of each tile; one after another they are a whole vector tile."""
    columns: dict[str, list[object]] = defaultdict(list)
    for (_, x, y), shapes in tiles.items():
        geometry = on_grid(shapes.geometry)
        for row in np.flatnonzero(geometry != np.array(None)).tolist():
            columns["x"].append(x)
            columns["y"].append(y)
            columns["wkb"].append(shapely.to_wkb(geometry[row]))
            for fact, values in shapes.facts.items():
                columns[fact].append(int(values[row]))
    if not columns:
        return
    zoom = next(iter(tiles))[0]
    facts = "".join(f", '{fact}': {fact}" for fact in columns if fact not in ("x", "y", "wkb"))
    rows = pa.table(dict(columns))  # noqa: F841 - DuckDB finds it by its name
    feature = f"{{'geometry': ST_GeomFromWKB(wkb){facts}}}"
    made = f"ST_AsMVT({feature}, '{name}', {EXTENT}, 'geometry')"
    query = f"SELECT x, y, {made} FROM rows GROUP BY x, y ORDER BY x, y"
    for x, y, data in connection.execute(query).fetchall():
        yield (zoom, x, y), bytes(data)


def main(folder: Path, picture: Path) -> None:
    """Write the archives and the names."""
    from data.basemap.naming import write_names
    from data.basemap.relief import relief_tiles

    about = {"name": "Azimuth land and water", "format": "pbf", "minzoom": "0", "maxzoom": str(MAX_ZOOM)}
    write(HERE / "land.mbtiles", {**about, "attribution": "Natural Earth"}, vector_tiles(folder))
    about = {"name": "Azimuth relief", "format": "webp", "minzoom": "0", "maxzoom": "4"}
    write(HERE / "relief.mbtiles", {**about, "attribution": "shadedrelief.com"}, relief_tiles(picture))
    write_names(folder, HERE / "names.json.gz")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
