"""Which format a path is taken for."""

import json

import pytest

from data.readers import READERS, detect, reader_named
from data.readers.base import UnreadableSource
from tests.real_files import real


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("naip", "rasters"),
        ("rasterio_fixtures", "rasters"),
        ("vectors/world_cities.csv", "csv"),
        ("vectors/countries.geojson", "geojson"),
        ("vectors/us_cities.parquet", "geoparquet"),
        ("vectors/us_cities.shp", "shapefile"),
        ("vectors/us_regions.gpkg", "geopackage"),
        ("label_fixtures/fair1m", "fair1m"),
        ("label_fixtures/dior", "voc"),
        ("label_fixtures/dota", "dota"),
        ("label_fixtures/vhr10", "coco"),
        ("label_fixtures/bigearthnet/v1", "bigearthnet"),
        ("label_fixtures/bigearthnet/v2", "bigearthnet"),
        ("label_records/fmow_record_real.json", "fmow"),
        ("label_records/xview_feature_real.json", "xview"),
        ("naip/m_4709963_se_14_1_20090818.tif", "rasters"),
    ],
)
def test_a_real_file_is_known_for_what_it_is(path, name):
    assert detect(real(path)).name == name


def test_each_format_has_a_name_of_its_own():
    names = [reader.name for reader in READERS]
    assert len(set(names)) == len(names)
    assert [reader_named(name).name for name in names] == names


def test_an_unknown_format_name_is_answered_with_the_known_ones():
    with pytest.raises(
        UnreadableSource, match=r"There is no format 'kml'; the formats are xview, xbd, .*rasters\."
    ):
        reader_named("kml")


@pytest.mark.parametrize(
    ("name", "content", "seen"),
    [
        ("empty.csv", "", "it is empty"),
        ("notes.docx", "hello", "a file ending in '.docx' with 5 bytes"),
        ("table.csv", "a,b\n1,2\n", "no columns of coordinates: seen 'a', 'b'"),
    ],
)
def test_an_unknown_source_is_told_what_was_seen_and_what_there_is(tmp_path, name, content, seen):
    (tmp_path / name).write_text(content)
    with pytest.raises(UnreadableSource) as error:
        detect(tmp_path / name)
    assert seen in str(error.value)
    assert "known are xView's GeoJSON" in str(error.value)


def test_an_empty_folder_is_said_to_be_empty(tmp_path):
    with pytest.raises(UnreadableSource, match="the folder has no files"):
        detect(tmp_path)


def test_json_nested_100000_deep_is_no_format_and_no_crash(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(UnreadableSource):
        detect(path)


def test_a_folder_of_mixed_files_goes_to_the_kind_it_has_most_of(tmp_path, geotiff):
    for name in ("a.tif", "b.tif"):
        geotiff(tmp_path / name)
    (tmp_path / "outline.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": []}))
    assert detect(tmp_path).name == "rasters"
