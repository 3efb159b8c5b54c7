"""The base map's files: what a tile holds, and that an archive gives back what was put in."""

from __future__ import annotations

import gzip
import io
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from data import basemap
from data.basemap.archive import Tiles, write


def layer_names(tile: bytes) -> list[str]:
    """The names of a vector tile's layers: field 3 of the tile, field 1 of the layer."""

    def number(data: bytes, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = data[at]
            value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return value, at

    def fields(data: bytes) -> list[tuple[int, bytes]]:
        found, at = [], 0
        while at < len(data):
            key, at = number(data, at)
            length, at = number(data, at)
            if key & 7 == 2:
                found.append((key >> 3, data[at : at + length]))
                at += length
        return found

    return [
        value.decode()
        for kind, body in fields(tile)
        if kind == 3
        for field, value in fields(body)
        if field == 1
    ]


def test_an_archive_gives_back_what_was_put_in_and_stores_equal_tiles_once(tmp_path: Path):
    path = tmp_path / "a b?.mbtiles"
    put = {(0, 0, 0): b"whole", (1, 0, 0): b"north west", (1, 1, 1): b"whole"}
    write(path, {"name": "a", "format": "pbf"}, put.items())
    tiles = Tiles(path)
    assert {key: tiles.tile(*key) for key in put} == put
    assert tiles.tile(1, 0, 1) is None
    assert tiles.about().keys() == {"name", "format", "version"}
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: tiles.tile(1, 0, 0), range(8))) == [b"north west"] * 8


def test_its_version_changes_with_its_tiles_and_with_nothing_else(tmp_path: Path):
    def version(name: str, data: bytes) -> str:
        write(tmp_path / "x.mbtiles", {"name": name}, [((0, 0, 0), data)])
        return Tiles(tmp_path / "x.mbtiles").about()["version"]

    assert version("a", b"1") == version("b", b"1") != version("a", b"2")


@pytest.mark.parametrize(
    ("spot", "there", "absent"),
    [
        ((6, 17, 24), {"rivers", "states", "urban", "rails"}, {"water", "borders"}),  # around Pittsburgh
        ((6, 33, 22), {"lakes", "glaciers", "borders"}, {"rails"}),  # the Alps
        ((6, 30, 32), {"water", "deep"}, {"rivers", "states", "borders"}),  # the Gulf of Guinea's high sea
    ],
)
def test_a_tile_of_the_land_holds_what_is_there(
    spot: tuple[int, int, int], there: set[str], absent: set[str]
):
    tile = basemap.land().tile(*spot)
    assert tile is not None
    found = layer_names(gzip.decompress(tile))
    assert len(found) == len(set(found))
    assert there <= set(found) and not absent & set(found)


def test_the_relief_is_green_in_the_amazon_and_brown_in_the_sahara():
    def colour(x: int, y: int, box: tuple[int, int, int, int]) -> tuple[int, int, int]:
        tile = basemap.relief().tile(4, x, y)
        assert tile is not None
        with Image.open(io.BytesIO(tile)) as picture:
            assert picture.size == (512, 512)
            return picture.convert("RGB").resize((1, 1), box=box).getpixel((0, 0))  # type: ignore[return-value]

    red, green, _ = colour(5, 8, (0, 0, 200, 200))
    assert green > red
    red, green, blue = colour(8, 6, (100, 420, 400, 512))
    assert red > green > blue


def test_names_are_inside_the_world_and_the_large_ones_come_first():
    names = json.loads(gzip.decompress(basemap.names()))
    assert {
        "country",
        "state",
        "city",
        "water",
        "range",
        "lake",
        "river",
        "airport",
        "port",
        "park",
    } <= names.keys()
    for kind, entries in names.items():
        for text, lon, lat, zoom, *_ in entries:
            assert text.strip() and -180 <= lon <= 180 and -90 <= lat <= 90 and 0 <= zoom <= 12, (kind, text)
    assert [each[0] for each in names["country"][:3]] == ["Russia", "Canada", "China"]
    assert "Tokyo" in {each[0] for each in names["city"][:10]}


def test_its_files_are_small_enough_to_be_part_of_the_repository():
    files = [path for path in basemap.HERE.iterdir() if path.suffix in (".mbtiles", ".gz")]
    assert len(files) == 3
    assert sum(path.stat().st_size for path in files) < 12_000_000
