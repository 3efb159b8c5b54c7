"""From a source on disk to a data set of a catalogue."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from data.catalogue.write import read_info
from data.ingest import UnreadableSource, ingest, slug
from data.ingest.making import make
from data.readers.base import Rejected
from data.schema import CLASS_BITS_PER_WORD, DETECTIONS, IMAGES
from tests.real_files import real

ROOT = Path(__file__).resolve().parents[2]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def rows(root: Path, name: str) -> list[dict]:
    table = pq.read_table(root / name / "images.parquet")
    assert table.schema.equals(IMAGES)
    return table.to_pylist()


def detections(root: Path, name: str) -> list[dict]:
    table = pq.read_table(root / name / "detections.parquet")
    assert table.schema.equals(DETECTIONS)
    return table.to_pylist()


def coco(path: Path, names: list[str], classes: list[str]) -> Path:
    record = {
        "images": [{"id": at, "file_name": name, "lon": 2.35, "lat": 48.86} for at, name in enumerate(names)],
        "categories": [{"id": at, "name": name} for at, name in enumerate(classes)],
        "annotations": [
            {"image_id": at, "category_id": number, "bbox": [0, 0, 1, 1]}
            for at in range(len(names))
            for number in range(len(classes))
        ],
    }
    return write(path, json.dumps(record))


def test_world_cities_are_ready_to_be_asked_about(tmp_path):
    report = ingest(tmp_path, real("vectors/world_cities.csv"))
    info = report.dataset
    assert (info.name, info.origin, info.source, info.licence) == (
        "world_cities",
        "ingested",
        "world_cities.csv",
        "unknown",
    )
    assert (report.format, report.images, report.rejected_count, info.images) == ("csv", 1249, 0, 1249)
    assert ("population", "number") in info.properties
    first = rows(tmp_path, "world_cities")[0]
    assert (first["image_id"], first["name"], first["kind"], first["country"]) == (
        "world_cities:1",
        "Bombo",
        "feature",
        "UG",
    )
    assert json.loads(first["properties"])["population"] == 75000


def test_naip_images_come_with_their_quicklooks(tmp_path):
    report = ingest(tmp_path, real("naip"))
    assert (report.images, report.dataset.start, report.dataset.end) == (8, "2009-08-18", "2020-08-31")
    for row in rows(tmp_path, "naip"):
        assert row["image_id"] == f"naip:{row['name']}"
        assert row["country"] == "US"
        assert Path(row["path"]).is_file()
        assert (tmp_path / "naip" / "quicklooks" / row["quicklook"]).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "path", ["landsat", "dota", "vectors/us_cities.parquet", "label_fixtures/bigearthnet/v2"]
)
def test_the_same_source_twice_gives_the_same_data_set(tmp_path, path):
    first = ingest(tmp_path, real(path), name="mine")
    second = ingest(tmp_path, real(path), name="mine")
    assert second.dataset == first.dataset
    assert [folder.name for folder in tmp_path.iterdir()] == ["mine"]


def test_rejected_and_unplaced_files_are_reported_and_the_others_go_in(tmp_path):
    report = ingest(tmp_path, real("rasterio_fixtures"))
    assert Rejected(
        "corrupt.tif", None, "some of the pixels cannot be read: the file is damaged or cut short"
    ) in (report.rejected)
    assert sum(count for _, count in report.reasons) == report.rejected_count == 7
    assert report.noted_count == 5
    unplaced = [row["name"] for row in rows(tmp_path, "rasterio_fixtures") if row["lon"] is None]
    assert len(unplaced) == 5


def test_detections_point_at_their_image_and_class(tmp_path):
    report = ingest(tmp_path, coco(tmp_path / "boats.json", ["a.tif", "b.tif"], ["tug", "Ferry"]), name="b")
    assert (report.images, report.detections) == (2, 4)
    assert [(each.id, each.name) for each in report.dataset.classes] == [(0, "Ferry"), (1, "tug")]
    assert report.dataset.classes[0].groups[0] == "vessels"
    assert [(row["class_words"], row["detections"]) for row in rows(tmp_path, "b")] == [([3], 2), ([3], 2)]
    found = [(each["image_num"], each["num"], each["class_id"]) for each in detections(tmp_path, "b")]
    assert found == [(0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0)]


def test_class_bits_go_on_in_a_second_word(tmp_path):
    names = [f"class {number:03}" for number in range(CLASS_BITS_PER_WORD + 2)]
    lines = [f"{1 + number / 100},2,{name}" for number, name in enumerate(names)]
    ingest(tmp_path, write(tmp_path / "t.csv", "\n".join(["lat,lon,class", *lines])))
    words = [row["class_words"] for row in rows(tmp_path, "t")]
    assert words[0] == [1, 0]
    assert words[61:] == [[1 << 61, 0], [0, 1], [0, 2]]


def test_a_column_of_thousands_of_values_is_a_property_and_not_a_class(tmp_path):
    lines = [f"1,2,label {number}" for number in range(2001)]
    report = ingest(tmp_path, write(tmp_path / "t.csv", "\n".join(["lat,lon,label", *lines])))
    assert report.dataset.classes == ()
    assert report.notes[0][0].startswith("the class column has more than 2,000 different values")
    assert rows(tmp_path, "t")[5]["class_words"] == [0]


def test_good_rows_are_kept_and_bad_ones_counted_by_reason(tmp_path):
    text = "id,lat,lon\n1,1,2\n2,x,2\n3,y,2\n4,5,6\n"
    report = ingest(tmp_path, write(tmp_path / "t.csv", text))
    assert [row["image_id"] for row in rows(tmp_path, "t")] == ["t:1", "t:4"]
    assert report.rejected == (
        Rejected("t.csv", 2, "the longitude or latitude is not a number"),
        Rejected("t.csv", 3, "the longitude or latitude is not a number"),
    )
    assert report.reasons == (("the longitude or latitude is not a number", 2),)


def test_rows_with_one_id_stay_apart(tmp_path):
    ingest(tmp_path, write(tmp_path / "t.csv", "id,lat,lon\n7,1,2\n7,3,4\n8,5,6\n7,7,8\n"))
    assert [row["image_id"] for row in rows(tmp_path, "t")] == ["t:7", "t:7#2", "t:8", "t:7#3"]


def test_appending_keeps_both_and_the_newer_of_two_with_one_id(tmp_path):
    ingest(
        tmp_path, write(tmp_path / "a.csv", "id,lat,lon,class,n\n1,1,2,ship,5\n2,3,4,buoy,6\n"), name="all"
    )
    report = ingest(
        tmp_path,
        write(tmp_path / "b.csv", "id,lat,lon,class,m\n2,9,9,crane,7\n3,5,6,ship,x\n"),
        name="all",
        append=True,
    )
    found = {row["image_id"]: (row["lat"], row["class_words"]) for row in rows(tmp_path, "all")}
    assert [each.name for each in report.dataset.classes] == ["buoy", "crane", "ship"]
    assert found == {"all:1": (1, [4]), "all:2": (9, [2]), "all:3": (5, [4])}
    assert [row["image_num"] for row in rows(tmp_path, "all")] == [0, 1, 2]
    assert dict(report.dataset.properties) == {"id": "number", "class": "text", "n": "number", "m": "text"}


def test_appended_detections_keep_to_their_images(tmp_path):
    ingest(tmp_path, coco(tmp_path / "a.json", ["a.tif", "b.tif"], ["tug"]), name="all")
    ingest(tmp_path, coco(tmp_path / "b.json", ["b.tif", "c.tif"], ["ferry"]), name="all", append=True)
    names = [row["image_id"] for row in rows(tmp_path, "all")]
    assert names == ["all:a.tif", "all:b.tif", "all:c.tif"]
    found = [(names[each["image_num"]], each["class_id"]) for each in detections(tmp_path, "all")]
    assert found == [("all:a.tif", 1), ("all:b.tif", 0), ("all:c.tif", 0)]


def test_a_samples_name_is_not_taken_unless_that_is_said(tmp_path):
    source = write(tmp_path / "t.csv", "lat,lon\n1,2\n")
    with pytest.raises(UnreadableSource, match="'fmow' is the name of a built-in sample; give another name"):
        ingest(tmp_path / "cat", source, name="fmow")
    assert ingest(tmp_path / "cat", source, name="fmow", replace=True).dataset.origin == "ingested"


def test_another_sources_data_set_is_not_overwritten_by_accident(tmp_path):
    ingest(tmp_path, write(tmp_path / "a.csv", "lat,lon\n1,2\n"), name="mine")
    with pytest.raises(UnreadableSource, match=r"already a data set 'mine', from 'a\.csv'"):
        ingest(tmp_path, write(tmp_path / "b.csv", "lat,lon\n1,2\n"), name="mine")
    assert read_info(tmp_path / "mine").source == "a.csv"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("World Cities (2024).csv", "world_cities_2024"),
        ("São Luís", "sao_luis"),
        ("../..", "data"),
        ("日本.tif", "data"),
    ],
)
def test_a_name_is_made_of_the_sources_name(text, found):
    assert slug(text) == found


@pytest.mark.parametrize("name", ["../up", "A", "", "a b", "<b>"])
def test_a_name_that_cannot_be_a_folder_is_refused(tmp_path, name):
    with pytest.raises(UnreadableSource, match="cannot name a data set"):
        ingest(tmp_path / "cat", write(tmp_path / "t.csv", "lat,lon\n1,2\n"), name=name)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("t.csv", "lat,lon\nx,y\n", "the longitude or latitude is not a number \\(file 't.csv', row 1\\)"),
        ("t.csv", "lat,lon\n", "there are no rows in it"),
        ("t.geojson", "{", "the JSON is broken"),
        ("t.csv", "", "it is empty"),
    ],
)
def test_a_source_without_a_single_good_row_changes_nothing(tmp_path, name, text, says):
    root = tmp_path / "cat"
    root.mkdir()
    with pytest.raises(UnreadableSource, match=says):
        ingest(root, write(tmp_path / name, text))
    assert list(root.iterdir()) == []


def test_links_that_lead_out_of_the_source_are_reported(tmp_path):
    write(tmp_path / "secret.csv", "lat,lon\n9,9\n")
    source = tmp_path / "mine"
    source.mkdir()
    write(source / "own.csv", "lat,lon\n1,2\n")
    (source / "link.csv").symlink_to(tmp_path / "secret.csv")
    report = ingest(tmp_path / "cat", source)
    assert [row["lat"] for row in rows(tmp_path / "cat", "mine")] == [1]
    assert report.rejected == (
        Rejected("link.csv", None, "the link leads out of the folder and is not followed"),
    )


def test_the_command_prints_what_went_in_and_fails_in_one_sentence(tmp_path):
    command = [sys.executable, "-m", "data.ingest", "--root", str(tmp_path / "cat")]
    good = write(tmp_path / "t.csv", "lat,lon\n1,2\n95,2\n")
    done = subprocess.run([*command, str(good)], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.startswith("t: 1 rows and 0 detections as csv")
    assert "rejected 1: the latitude 95 is outside -90..90" in done.stdout
    failed = subprocess.run([*command, "/nowhere"], capture_output=True, text=True, cwd=ROOT)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "There is no file or folder 'nowhere'; check the path." in failed.stderr


def test_files_of_another_format_in_a_folder_are_reported_and_not_dropped_in_silence(tmp_path):
    source = tmp_path / "mixed"
    source.mkdir()
    for name in ("a.csv", "b.csv"):
        write(source / name, "name,lon,lat\nHere,1,2\n")
    point = {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [1, 2]}}
    write(source / "c.geojson", json.dumps({"type": "FeatureCollection", "features": [point]}))
    report = ingest(tmp_path / "catalogue", source)
    assert (report.format, report.images) == ("csv", 2)
    reason = (
        "it is GeoJSON, and the folder is read as a table with coordinates (CSV, TSV); ingest it by itself"
    )
    assert report.rejected == (Rejected("c.geojson", None, reason),)


def test_an_ingest_that_is_killed_leaves_the_catalogue_whole_and_the_next_one_clears_up(tmp_path):
    root, source = tmp_path / "catalogue", tmp_path / "places.csv"
    write(source, "name,lon,lat\nHere,1,2\n")
    before = ingest(root, source).dataset
    lines = "".join(f"p{n},{n % 180},{n % 80}\n" for n in range(100))
    write(source, "name,lon,lat\n" + lines)
    kill_when_writing = (
        "import os, signal, sys; from pathlib import Path; from data.ingest import ingest;"
        "ingest(Path(sys.argv[1]), Path(sys.argv[2]),"
        " progress=lambda rows, doing: doing == 'writing' and os.kill(os.getpid(), signal.SIGKILL))"
    )
    done = subprocess.run([sys.executable, "-c", kill_when_writing, str(root), str(source)], cwd=ROOT)
    assert done.returncode == -9
    assert read_info(root / "places") == before
    assert len(list(root.iterdir())) == 2
    assert ingest(root, source).images == 100
    assert [folder.name for folder in root.iterdir()] == ["places"]


def test_a_catalogue_that_cannot_be_written_is_one_sentence(tmp_path):
    source = write(tmp_path / "places.csv", "name,lon,lat\nHere,1,2\n")
    write(tmp_path / "file", "")
    with pytest.raises(
        UnreadableSource, match=r"^The catalogue's folder 'file' cannot be written: [a-z ]+[.]$"
    ):
        ingest(tmp_path / "file", source)


def test_what_may_not_be_read_is_said_and_the_rest_goes_in(tmp_path, monkeypatch):
    source = tmp_path / "places"
    (source / "closed").mkdir(parents=True)
    write(source / "a.csv", "name,lon,lat\nHere,1,2\n")
    write(source / "b.csv", "name,lon,lat\nThere,1,2\n")
    shut = {source / "closed", source / "b.csv"}
    # Root may read everything, so what the system would say is said for it.
    scandir, opened = os.scandir, Path.open

    def refuse(path: object) -> None:
        if not isinstance(path, int) and Path(path) in shut:
            raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", lambda path=".": refuse(path) or scandir(path))
    monkeypatch.setattr(Path, "open", lambda self, *args, **kw: refuse(self) or opened(self, *args, **kw))
    report = make(source, "places", tmp_path)
    assert report.images == 1
    assert report.rejected == (
        Rejected("closed", None, "the folder may not be read by this user"),
        Rejected("b.csv", None, "the file may not be read by this user"),
    )
