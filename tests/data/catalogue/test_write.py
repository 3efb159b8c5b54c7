"""A data set's folder is written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.catalogue import write
from data.catalogue.base import CatalogueError
from data.catalogue.write import InfoParts, dataset_folders, read_info, remove_dataset, write_dataset
from data.schema import DETECTIONS, IMAGES, ClassInfo, DatasetInfo

PARTS = InfoParts(
    "harbours", "Harbours", "Ships at berth.", "ingested", (ClassInfo(0, "Ship", ("vessels",)),)
)


def batch(first: int, last: int, **others: Any) -> pa.RecordBatch:
    """Rows first..last-1, each a degree east of the one before."""
    rows = [
        {
            "image_num": n,
            "image_id": f"harbours:{n}",
            "dataset": "harbours",
            "kind": "image",
            "sensor": "B" if n % 2 else "A",
            "modality": "optical",
            "gsd_m": 0.5 + n,
            "acquired": datetime(2020, 1, 1 + n % 28, 23, 59),
            "lon": float(n),
            "lat": 1.0,
            "west": n - 0.5,
            "south": 0.5,
            "east": n + 0.5,
            "north": 1.5,
            "class_words": [1],
            "properties": '{"berths": 3, "port": "Brest", "open": true}' if n % 2 else '{"berths": null}',
            **others,
        }
        for n in range(first, last)
    ]
    return pa.RecordBatch.from_pylist(rows, schema=IMAGES)


def boxes(*numbers: int) -> pa.RecordBatch:
    """One detection for each image number."""
    rows = [{"image_num": n, "num": k, "class_id": 0, "lon": 0.0, "lat": 0.0} for k, n in enumerate(numbers)]
    return pa.RecordBatch.from_pylist(rows, schema=DETECTIONS)


def test_the_manifest_is_what_the_rows_say(tmp_path: Path) -> None:
    info = write_dataset(tmp_path, PARTS, [batch(0, 4)], [boxes(0, 0, 3)])
    assert info == DatasetInfo(
        name="harbours",
        title="Harbours",
        description="Ships at berth.",
        origin="ingested",
        classes=PARTS.classes,
        images=4,
        detections=3,
        start="2020-01-01",
        end="2020-01-04",
        bbox=(-0.5, 0.5, 3.5, 1.5),
        sensors=("A", "B"),
        modalities=("optical",),
        gsd_m=(0.5, 3.5),
        properties=(("berths", "number"), ("open", "text"), ("port", "text")),
        version=info.version,
    )
    assert read_info(tmp_path / "harbours") == info
    assert pq.read_schema(tmp_path / "harbours" / "images.parquet").equals(IMAGES)
    assert pq.read_table(tmp_path / "harbours" / "detections.parquet")["image_num"].to_pylist() == [0, 0, 3]


def test_the_version_depends_on_the_rows_and_not_on_the_batches(tmp_path: Path) -> None:
    whole = write_dataset(tmp_path / "a", PARTS, [batch(0, 90)], [boxes(1, 2)])
    cut = write_dataset(tmp_path / "b", PARTS, [batch(0, 1), batch(1, 1), batch(1, 90)], [boxes(1, 2)])
    other = write_dataset(tmp_path / "c", PARTS, [batch(0, 90, sensor="C")], [boxes(1, 2)])
    assert whole == cut
    assert whole.version != other.version


def test_rows_across_the_antimeridian_have_a_narrow_box(tmp_path: Path) -> None:
    info = write_dataset(tmp_path, PARTS, [batch(0, 2, west=179.0, east=-178.0)])
    assert info.bbox == (179.0, 0.5, -178.0, 1.5)


def test_a_data_set_of_the_same_name_is_replaced(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, [batch(0, 9)], [boxes(1)])
    info = write_dataset(tmp_path, PARTS, [batch(0, 2)])
    assert read_info(tmp_path / "harbours") == info
    assert sorted(f.name for f in (tmp_path / "harbours").iterdir()) == ["dataset.json", "images.parquet"]
    assert [f.name for f in tmp_path.iterdir()] == ["harbours"]


def test_while_a_data_set_is_replaced_its_folder_is_always_there(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, [batch(0, 9)])
    counts: set[int] = set()
    done = Event()

    def watch() -> None:
        while not done.is_set():
            counts.add(read_info(tmp_path / "harbours").images)

    with ThreadPoolExecutor(1) as pool:
        watched = pool.submit(watch)
        for rows in (3, 9) * 10:
            write_dataset(tmp_path, PARTS, [batch(0, rows)])
        done.set()
        watched.result()
    assert counts <= {3, 9}


@pytest.mark.parametrize("exchanges", [True, False])
def test_without_an_exchange_of_folders_a_data_set_is_replaced_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanges: bool
) -> None:
    if not exchanges:
        monkeypatch.setattr(write, "_exchanged", lambda one, other: False)
    write_dataset(tmp_path, PARTS, [batch(0, 9)])
    write_dataset(tmp_path, PARTS, [batch(0, 2)])
    assert read_info(tmp_path / "harbours").images == 2
    assert [f.name for f in tmp_path.iterdir()] == ["harbours"]


def test_nothing_is_left_of_a_writer_that_fails_and_the_old_rows_stay(tmp_path: Path) -> None:
    before = write_dataset(tmp_path, PARTS, [batch(0, 9)])

    def broken() -> Iterator[pa.RecordBatch]:
        yield batch(0, 3)
        raise OSError("the disk went away")

    with pytest.raises(OSError, match="the disk went away"):
        write_dataset(tmp_path, PARTS, broken())
    assert read_info(tmp_path / "harbours") == before
    assert [f.name for f in tmp_path.iterdir()] == ["harbours"]


def test_quicklooks_are_moved_in(tmp_path: Path) -> None:
    pictures = tmp_path / "made"
    pictures.mkdir()
    (pictures / "1.png").write_bytes(b"png")
    write_dataset(tmp_path / "root", PARTS, [batch(0, 1)], quicklooks=pictures)
    assert (tmp_path / "root" / "harbours" / "quicklooks" / "1.png").read_bytes() == b"png"
    assert not pictures.exists()


def test_an_empty_data_set_is_one_too(tmp_path: Path) -> None:
    info = write_dataset(tmp_path, PARTS, [])
    assert (info.images, info.detections, info.start, info.bbox, info.gsd_m) == (0, 0, None, None, None)


def test_removing_takes_the_folder_away(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, [batch(0, 1)])
    remove_dataset(tmp_path, "harbours")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CatalogueError, match="There is no data set 'harbours' to remove"):
        remove_dataset(tmp_path, "harbours")


def test_half_written_folders_are_not_data_sets(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, [batch(0, 1)])
    (tmp_path / ".other.writing").mkdir()
    (tmp_path / "notes").mkdir()
    assert [f.name for f in dataset_folders(tmp_path)] == ["harbours"]


@pytest.mark.parametrize("name", ["", "..", "a/b", "Harbours", "x" * 64, "a'; DROP TABLE images"])
def test_a_name_that_is_no_folder_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CatalogueError, match="cannot name a data set"):
        write_dataset(tmp_path, InfoParts(name, "", "", "ingested"), [])
    with pytest.raises(CatalogueError, match="cannot name a data set"):
        remove_dataset(tmp_path, name)


@pytest.mark.parametrize(
    ("images", "detections"),
    [([batch(1, 3), batch(2, 4)], []), ([batch(0, 3)], [boxes(2, 1)]), ([batch(0, 2), batch(0, 2)], [])],
)
def test_rows_out_of_order_are_refused(tmp_path: Path, images: Any, detections: Any) -> None:
    with pytest.raises(CatalogueError, match="Rows must come with"):
        write_dataset(tmp_path, PARTS, images, detections)


def test_a_broken_manifest_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "dataset.json").write_text("{")
    with pytest.raises(CatalogueError, match=r"broken/dataset\.json is not a data set's manifest"):
        read_info(tmp_path / "broken")
