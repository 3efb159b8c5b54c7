"""What somebody ingests over the web is theirs alone, until the operator shares it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data.catalogue.base import CatalogueError, Selection
from data.catalogue.duck import DuckCatalogue
from data.catalogue.write import private_datasets, remove_dataset, share_dataset
from data.ingest import UnreadableSource, ingest

COLUMNS = ("image_id", "name", "path")


def points(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "harbours.csv"
    rows = [f"{name},{number},{number}" for number, name in enumerate(names)]
    file.write_text("\n".join(["name,lon,lat", *rows]) + "\n")
    return file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A catalogue with one set for everybody, and one of the same name for each of two owners."""
    found = tmp_path / "catalogue"
    ingest(found, points(tmp_path / "all", "Dover", "Calais", "Ostend"), name="ports")
    ingest(found, points(tmp_path / "ann", "Lagos", "Dakar"), owner="ann")
    ingest(found, points(tmp_path / "ben", "Osaka"), owner="ben")
    return found


def names(catalogue: DuckCatalogue) -> list[str]:
    return [info.name for info in catalogue.datasets()]


def test_each_sees_their_own_beside_what_is_everybodys(root: Path) -> None:
    whole = DuckCatalogue(root)
    ann, ben, carl = (whole.seen_by(each) for each in ("ann", "ben", "carl"))
    assert [names(each) for each in (whole, ann, ben, carl)] == [
        ["ports"],
        ["harbours", "ports"],
        ["harbours", "ports"],
        ["ports"],
    ]
    everything = Selection()
    assert [each.count(everything) for each in (whole, ann, ben, carl)] == [3, 5, 4, 3]
    assert ann.values("name") == ["Calais", "Dakar", "Dover", "Lagos", "Ostend"]
    assert ben.values("name") == ["Calais", "Dover", "Osaka", "Ostend"]
    assert carl.values("name") == whole.values("name") == ["Calais", "Dover", "Ostend"]
    assert [each.count(everything) for each in (whole, ann, ben, carl)] == [3, 5, 4, 3]


def test_neither_rows_nor_sql_nor_ids_give_somebody_elses_away(root: Path) -> None:
    whole = DuckCatalogue(root)
    ann, carl = whole.seen_by("ann"), whole.seen_by("carl")
    mine = ann.rows(Selection(datasets=("harbours",)), ("image_id", "name"))
    assert sorted(mine["name"]) == ["Dakar", "Lagos"]
    for image_id in mine["image_id"]:
        assert ann.image(image_id) is not None and carl.image(image_id) is None
    query = "SELECT name FROM images ORDER BY name"
    assert list(ann.sql(query)["name"]) == ["Calais", "Dakar", "Dover", "Lagos", "Ostend"]
    assert list(carl.sql(query)["name"]) == ["Calais", "Dover", "Ostend"]
    assert list(carl.sql("SELECT name FROM datasets")["name"]) == ["ports"]
    with pytest.raises(CatalogueError):
        carl.count(Selection(datasets=("harbours",)))


def test_a_name_that_another_owner_has_is_free_and_nothing_of_theirs_is_overwritten(
    root: Path, tmp_path: Path
) -> None:
    ingest(root, points(tmp_path / "carl", "Kobe", "Nagoya", "Moji"), owner="carl")
    whole = DuckCatalogue(root)
    counts = {
        each: whole.seen_by(each).count(Selection(datasets=("harbours",))) for each in ("ann", "ben", "carl")
    }
    assert counts == {"ann": 2, "ben": 1, "carl": 3}
    with pytest.raises(
        UnreadableSource, match="There is a data set 'ports' for everybody; give another name"
    ):
        ingest(root, points(tmp_path / "carl", "Kobe"), name="ports", owner="carl")
    assert whole.count(Selection()) == 3


def test_what_is_everybodys_hides_nothing_of_an_owners_own(root: Path, tmp_path: Path) -> None:
    ingest(root, points(tmp_path / "all2", "Bari", "Brindisi", "Otranto", "Trani"), name="harbours")
    whole = DuckCatalogue(root)
    mine = Selection(datasets=("harbours",))
    assert (whole.count(mine), whole.seen_by("ann").count(mine)) == (4, 2)


def test_the_operator_shares_a_data_set_by_its_name_and_owner(root: Path) -> None:
    assert [(each.name, each.owner) for each in private_datasets(root)] == [
        ("harbours", "ann"),
        ("harbours", "ben"),
    ]
    whole = DuckCatalogue(root)
    with pytest.raises(
        CatalogueError, match=r"Several people have a data set 'harbours'; say whose, of: ann, ben\."
    ):
        share_dataset(root, "harbours")
    assert share_dataset(root, "harbours", "ann").images == 2
    mine = Selection(datasets=("harbours",))
    assert [whole.count(mine), *(whole.seen_by(each).count(mine) for each in ("ann", "ben", "carl"))] == [
        2,
        2,
        1,
        2,
    ]
    manifest = json.loads((root / "harbours" / "dataset.json").read_text())
    assert (manifest["owner"], manifest["private"]) == ("ann", False)
    with pytest.raises(CatalogueError, match="There is a data set 'harbours' for everybody already"):
        share_dataset(root, "harbours", "ben")
    remove_dataset(root, "harbours")
    assert whole.seen_by("ben").count(mine) == 1


def test_a_record_names_a_file_and_not_where_it_lies(root: Path, shared_raster: Path) -> None:
    ingest(root, shared_raster, name="scene")
    whole = DuckCatalogue(root)
    seen = whole.seen_by(None, paths=False)
    scene = Selection(datasets=("scene",))
    assert list(whole.rows(scene, COLUMNS)["path"]) == [str(shared_raster)]
    image_id = whole.rows(scene, COLUMNS)["image_id"][0]
    record = seen.image(image_id)
    assert record is not None and record["path"] == "scene.tif"
    assert list(seen.rows(scene, COLUMNS)["path"]) == ["scene.tif"]
    assert [list(page["path"]) for page in seen.scan(scene)] == [["scene.tif"]]
    query = "SELECT path FROM images WHERE dataset = 'scene'"
    assert (list(seen.sql(query)["path"]), list(whole.sql(query)["path"])) == (
        ["scene.tif"],
        [str(shared_raster)],
    )
    assert seen.raster(image_id) == shared_raster and seen.raster("scene:none") is None


@pytest.fixture
def shared_raster(tmp_path: Path) -> Path:
    from tests.tools.prepared import write_raster

    (tmp_path / "rasters").mkdir()
    write_raster(tmp_path / "rasters" / "scene.tif")
    return tmp_path / "rasters" / "scene.tif"
