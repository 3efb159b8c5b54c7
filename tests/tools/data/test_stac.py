"""The session as a STAC catalogue: accepted by stac-validator, and true to the files."""

from __future__ import annotations

import json
import socket
import zipfile
from pathlib import Path
from typing import Any

import pystac
import pytest
import rasterio
from affine import Affine
from pystac.validation.local_validator import get_local_schema_cache
from stac_validator.validate import StacValidate

from copilot.engine import Engine
from copilot.session import Session
from tests.tools.prepared import write_raster, write_vector
from tools.base import ToolError
from tools.data.stac import write_stac

SCHEMAS = Path(__file__).parent / "stac_schemas"
EXTENSION = "https://stac-extensions.github.io/{}/v{}/schema.json"


@pytest.fixture(scope="module")
def schema_map(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Where stac-validator finds its schemas: the core ones come with pystac, the extensions' lie here."""
    folder = tmp_path_factory.mktemp("schemas")
    found = {
        EXTENSION.format("projection", "2.0.0"): str(SCHEMAS / "projection.json"),
        EXTENSION.format("raster", "2.0.0"): str(SCHEMAS / "raster.json"),
        EXTENSION.format("table", "1.2.0"): str(SCHEMAS / "table.json"),
    }
    for number, (uri, schema) in enumerate(get_local_schema_cache().items()):
        path = folder / f"{number}.json"
        path.write_text(json.dumps(schema), encoding="utf-8")
        found[uri] = str(path)
    return found


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Sixteen heights in degrees, a scene in UTM made of nothing else, and two boxes at the antimeridian."""
    folder = tmp_path_factory.mktemp("files")
    write_raster(folder / "heights.tif")
    write_vector(folder / "harbours.geojson")
    made = Session.open(engine=Engine.in_memory(str(tmp_path_factory.mktemp("catalogue"))))
    for name in ("heights.tif", "harbours.geojson"):
        added = made.call("add_file", file=str(folder / name))
        assert added.ok, added.text
    raster = made.state.artifacts[0].id
    projected = made.call("raster_reproject", raster=raster, crs="EPSG:32631")
    assert projected.ok, projected.text
    return made


@pytest.fixture(scope="module")
def folder(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogue, unpacked."""
    out = tmp_path_factory.mktemp("stac")
    assert write_stac(session.state, session.world(), out / "session.stac.zip", session_id=session.id) == 3
    with zipfile.ZipFile(out / "session.stac.zip") as packed:
        packed.extractall(out / "there")
    return out / "there"


def of_kind(folder: Path, tool: str) -> dict[str, Any]:
    found = [json.loads(each.read_text("utf-8")) for each in folder.glob("*/*.json")]
    (item,) = [each for each in found if tool in each["properties"]["azimuth:made_by"]]
    return item


def validated(
    path: Path, schema_map: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> list[dict[str, Any]]:
    def nowhere(*_: object, **__: object) -> None:
        raise AssertionError("the validator went to the network")

    monkeypatch.setattr(socket.socket, "connect", nowhere)
    validator = StacValidate(
        str(path), schema_map=schema_map, recursive=True, max_depth=3, links=False, extensions=False
    )
    validator.run()
    return list(validator.message)


def test_stac_validator_accepts_the_catalogue_and_every_item(
    folder: Path, schema_map: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    said = validated(folder / "catalog.json", schema_map, monkeypatch)
    assert [(Path(each["path"]).name == "catalog.json", each["valid_stac"]) for each in said] == [
        (True, True),
        *[(False, True)] * 3,
    ], said
    for path in sorted(folder.glob("*/*.json")):
        (item,) = _validated_alone(path, schema_map)
        assert item["valid_stac"], item
        assert any("projection" in each for each in item["schema"]), item


def _validated_alone(path: Path, schema_map: dict[str, str]) -> list[dict[str, Any]]:
    validator = StacValidate(str(path), schema_map=schema_map)
    validator.run()
    return list(validator.message)


def test_the_validator_would_refuse_a_wrong_field(folder: Path, schema_map: dict[str, str], tmp_path: Path):
    item = of_kind(folder, "raster_reproject")
    item["properties"]["proj:shape"] = [4.5]
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(item), encoding="utf-8")
    (said,) = _validated_alone(path, schema_map)
    assert not said["valid_stac"]


def test_an_item_says_of_a_raster_what_its_file_says(folder: Path):
    item = of_kind(folder, "raster_reproject")
    data = item["assets"]["data"]
    with rasterio.open(folder / item["id"] / data["href"]) as source:
        fields = item["properties"]
        assert fields["proj:code"] == "EPSG:32631" == str(source.crs)
        assert fields["proj:shape"] == [source.height, source.width]
        assert Affine(*fields["proj:transform"]) == source.transform
        assert fields["proj:bbox"] == list(source.bounds)
        assert [each["data_type"] for each in data["bands"]] == [source.dtypes[0]]
        assert data["bands"][0]["raster:spatial_resolution"] == pytest.approx(source.res[0])
    west, south, east, north = item["bbox"]
    assert (west, south, east, north) == pytest.approx((4, 51, 5, 52), abs=0.05)
    assert item["geometry"]["type"] == "Polygon"


def test_an_item_points_at_what_it_was_made_of(folder: Path):
    item, source = of_kind(folder, "raster_reproject"), of_kind(folder, "heights.tif")
    assert source["properties"]["proj:code"] == "EPSG:4326"
    assert [each["href"] for each in item["links"] if each["rel"] == "derived_from"] == [
        f"../{source['id']}/{source['id']}.json"
    ]


def test_features_across_the_antimeridian_are_cut_there(folder: Path):
    item = of_kind(folder, "harbours")
    assert item["bbox"] == [178.0, -18.0, -178.0, -17.0]
    assert item["geometry"]["type"] == "MultiPolygon"


def test_the_catalogue_opens_without_anything_else(folder: Path):
    catalogue = pystac.Catalog.from_file(str(folder / "catalog.json"))
    items = list(catalogue.get_items())
    assert len(items) == 3
    for each in items:
        assert Path(each.assets["data"].get_absolute_href() or "").is_file()


def test_a_session_that_made_nothing_has_no_catalogue(tmp_path: Path):
    empty = Session.open(engine=Engine.in_memory(str(tmp_path)))
    with pytest.raises(ToolError) as error:
        write_stac(empty.state, empty.world(), tmp_path / "x.zip", session_id="x")
    assert str(error.value) == (
        "A STAC catalogue holds rasters and features, and this session has made none yet; "
        "add_file brings one in."
    )
