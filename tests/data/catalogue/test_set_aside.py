"""A data set that is broken is set aside and named with what to do, and the others go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from data.catalogue.base import CatalogueError, DatasetBroke, Selection
from data.catalogue.duck import DuckCatalogue
from data.catalogue.whole import Broken, every_value
from tests.data.catalogue.small import write_small_catalogue


def cut(folder: Path) -> None:
    path = folder / "images.parquet"
    path.write_bytes(path.read_bytes()[:-400])


def cut_boxes(folder: Path) -> None:
    path = folder / "detections.parquet"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def no_manifest(folder: Path) -> None:
    (folder / "dataset.json").unlink()


def half_a_manifest(folder: Path) -> None:
    path = folder / "dataset.json"
    path.write_text(path.read_text()[:100])


def manifest_of_texts(folder: Path) -> None:
    path = folder / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "images": "many"}))


def other_columns(folder: Path) -> None:
    path = folder / "images.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["lon", "lat"]), path)


def other_counts(folder: Path) -> None:
    path = folder / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "images": 10_000}))


def unreadable(folder: Path) -> None:
    (folder / "dataset.json").unlink()
    (folder / "dataset.json").symlink_to("dataset.json")  # round and round


WAYS: dict[str, tuple[Callable[[Path], None], str]] = {
    "cut": (cut, "its images.parquet is cut off or broken"),
    "cut boxes": (cut_boxes, "its detections.parquet is cut off or broken"),
    "no manifest": (no_manifest, "its dataset.json is missing"),
    "half a manifest": (half_a_manifest, "its dataset.json is broken"),
    "manifest of texts": (manifest_of_texts, "its dataset.json is broken"),
    "other columns": (other_columns, "its images.parquet has other columns than a data set (lon, lat)"),
    "unreadable": (unreadable, "its folder cannot be read (too many levels of symbolic links)"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("when", ["before it is opened", "while it is open"])
def test_a_broken_data_set_is_set_aside_and_the_others_go_on(way: str, when: str, tmp_path: Path) -> None:
    write_small_catalogue(tmp_path)
    whole = DuckCatalogue(tmp_path)
    others = whole.count(Selection(("beta", "gamma")))
    catalogue = DuckCatalogue(tmp_path) if when.startswith("before") else whole
    breaks, reason = WAYS[way]
    breaks(tmp_path / "alpha")
    assert [info.name for info in catalogue.datasets()] == ["beta", "gamma"]
    assert [(each.name, each.reason) for each in catalogue.set_aside()] == [("alpha", reason)]
    assert catalogue.count(Selection(("alpha", "beta", "gamma"))) == catalogue.count(Selection()) == others
    assert len(catalogue.sql("SELECT DISTINCT dataset FROM images")) == 2
    with pytest.raises(CatalogueError) as raised:
        catalogue.count(Selection(("alpha",)))
    assert str(raised.value) == catalogue.set_aside()[0].sentence
    for each in {whole, catalogue}:
        each.close()


def test_counts_that_do_not_fit_are_named(tmp_path: Path) -> None:
    write_small_catalogue(tmp_path)
    other_counts(tmp_path / "alpha")
    (aside,) = DuckCatalogue(tmp_path).set_aside()
    assert aside.reason.startswith("its dataset.json speaks of 10,000 rows in images.parquet, which has ")


def test_what_to_do_is_the_command(tmp_path: Path) -> None:
    write_small_catalogue(tmp_path)
    cut(tmp_path / "alpha")
    (aside,) = DuckCatalogue(tmp_path).set_aside()
    assert aside.sentence == (
        "The data set 'alpha' is set aside: its images.parquet is cut off or broken; ingest it again with "
        "`copilot data ingest 'a test' --name alpha --replace`, or take it out with `copilot data remove "
        "alpha`."
    )


def test_one_that_is_made_again_is_back(tmp_path: Path) -> None:
    write_small_catalogue(tmp_path)
    catalogue = DuckCatalogue(tmp_path)
    count = catalogue.count(Selection())
    content = (tmp_path / "alpha" / "images.parquet").read_bytes()
    cut(tmp_path / "alpha")
    assert len(catalogue.datasets()) == 2
    (tmp_path / "alpha" / "images.parquet").write_bytes(content)
    assert catalogue.set_aside() == () and catalogue.count(Selection()) == count
    catalogue.close()


def test_what_is_broken_in_the_middle_is_set_aside_when_a_query_meets_it(tmp_path: Path) -> None:
    write_small_catalogue(tmp_path)
    path = tmp_path / "alpha" / "images.parquet"
    column = pq.ParquetFile(path).metadata.row_group(0).column(0)
    content = bytearray(path.read_bytes())
    start = column.data_page_offset
    content[start : start + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pytest.raises(Broken, match=r"^its images\.parquet is broken in the middle$"):
        every_value(tmp_path / "alpha")
    catalogue = DuckCatalogue(tmp_path)
    assert len(catalogue.datasets()) == 3
    with pytest.raises(DatasetBroke, match=r"^The data set 'alpha' is set aside: its images\.parquet is br"):
        catalogue.count(Selection(("alpha", "beta")))
        catalogue.rows(Selection(("alpha", "beta")))
    assert [each.name for each in catalogue.set_aside()] == ["alpha"]
    assert len(catalogue.rows(Selection(("alpha", "beta")))) > 0
    catalogue.close()
