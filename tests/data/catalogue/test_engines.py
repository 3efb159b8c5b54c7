"""How each engine notices changes, keeps to itself and opens."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from data.catalogue import open_catalogue
from data.catalogue.base import CatalogueError, Selection
from data.catalogue.duck import DuckCatalogue
from data.catalogue.postgres import PostgresCatalogue
from data.catalogue.write import remove_dataset, write_dataset
from tests.data.catalogue.small import write_small_catalogue
from tests.data.catalogue.test_write import PARTS, batch, boxes

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]]]}


def test_a_new_changed_or_removed_data_set_shows_at_once(tmp_path: Path) -> None:
    catalogue = DuckCatalogue(tmp_path / "not yet there")
    root = tmp_path / "not yet there"
    assert (catalogue.datasets(), catalogue.count(Selection())) == ((), 0)
    seen = []
    for rows in (3, 5, 4):
        write_dataset(root, PARTS, [batch(0, rows)])
        seen.append((catalogue.count(Selection()), catalogue.sql("SELECT count(*) AS n FROM images")["n"][0]))
    remove_dataset(root, "harbours")
    seen.append((catalogue.count(Selection()), catalogue.sql("SELECT count(*) AS n FROM images")["n"][0]))
    assert seen == [(3, 3), (5, 5), (4, 4), (0, 0)]
    catalogue.close()


def test_only_the_data_sets_of_the_selection_are_read(tmp_path: Path) -> None:
    write_small_catalogue(tmp_path)
    (tmp_path / "beta" / "images.parquet").write_bytes(b"not Parquet at all")
    catalogue = DuckCatalogue(tmp_path)
    assert catalogue.count(Selection(datasets=("alpha", "gamma"))) == 1200
    catalogue.close()


def test_many_threads_get_the_right_answers_while_data_sets_change(tmp_path: Path) -> None:
    write_small_catalogue(tmp_path)
    catalogue = DuckCatalogue(tmp_path)
    asked = [Selection(datasets=(name,), geometry=None) for name in ("alpha", "beta", "gamma")] * 20

    def ask(selection: Selection) -> int:
        return catalogue.count(selection)

    with ThreadPoolExecutor(6) as pool:
        counts = pool.map(ask, asked)
        for rows in range(1, 6):
            write_dataset(tmp_path, PARTS, [batch(0, rows)])
            assert catalogue.count(Selection(datasets=("harbours",))) == rows
        assert list(counts) == [900, 800, 300] * 20
    catalogue.close()


def test_no_extension_is_looked_for_at_home_or_on_the_network(tmp_path: Path) -> None:
    write_small_catalogue(tmp_path / "root")
    (tmp_path / "home").mkdir()
    code = (
        "import sys; from pathlib import Path; from data.catalogue import open_catalogue;"
        "from data.catalogue.base import Selection;"
        f"c = open_catalogue(sys.argv[1]); print(c.count(Selection(geometry={SQUARE})));"
        "print(len(c.sql('SELECT ST_Point(lon, lat) FROM images')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "root")],
        env={"HOME": str(tmp_path / "home"), "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"},
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert done.stdout.split()[1] == "2000"
    assert list((tmp_path / "home").iterdir()) == []


def test_loading_twice_changes_nothing_and_a_new_version_replaces_the_rows(
    tmp_path: Path, new_postgres_database: Callable[[], str]
) -> None:
    catalogue = PostgresCatalogue(new_postgres_database())
    write_dataset(tmp_path, PARTS, [batch(0, 3)], [boxes(0, 1)])
    assert catalogue.load(tmp_path) == ("harbours",)
    assert catalogue.load(tmp_path) == ()
    write_dataset(tmp_path, PARTS, [batch(0, 5)])
    assert catalogue.load(tmp_path) == ("harbours",)
    assert (catalogue.count(Selection()), len(catalogue.detections(Selection()))) == (5, 0)
    catalogue.remove("harbours")
    assert (catalogue.datasets(), catalogue.count(Selection())) == ((), 0)
    catalogue.close()


def test_a_load_that_fails_leaves_the_rows_from_before(
    tmp_path: Path, new_postgres_database: Callable[[], str]
) -> None:
    catalogue = PostgresCatalogue(new_postgres_database())
    write_dataset(tmp_path, PARTS, [batch(0, 3)])
    catalogue.load(tmp_path)
    write_dataset(tmp_path, PARTS, [batch(0, 5, properties='{"port": "a\\u0000b"}')])  # jsonb can't hold it
    with pytest.raises(CatalogueError, match="The data set 'harbours' was not loaded"):
        catalogue.load(tmp_path)
    assert catalogue.count(Selection()) == 3
    catalogue.close()


def test_user_sql_runs_as_a_role_that_can_only_read_the_views(postgres: PostgresCatalogue) -> None:
    assert postgres._has_reader
    with postgres._engine.connect() as connection:
        connection.exec_driver_sql("SET LOCAL ROLE azimuth_catalogue_reader")
        with pytest.raises(Exception, match="permission denied") as raised:
            connection.exec_driver_sql("SELECT * FROM catalogue.images")
        assert isinstance(raised.value.__cause__, psycopg.errors.InsufficientPrivilege)


def test_open_catalogue_takes_a_folder_or_a_url(small_root: Path, postgres_url: str) -> None:
    folder, server = open_catalogue(str(small_root)), open_catalogue(postgres_url)
    assert (type(folder), folder.count(Selection())) == (DuckCatalogue, 2000)
    assert (type(server), server.count(Selection())) == (PostgresCatalogue, 0)
    folder.close()
    server.close()


def test_a_server_that_is_not_there_is_one_sentence_without_the_password() -> None:
    with pytest.raises(CatalogueError) as raised:
        open_catalogue("postgresql://ann:secret@127.0.0.1:1/azimuth")
    assert str(raised.value).startswith(
        "The catalogue at postgresql://ann:***@127.0.0.1:1/azimuth cannot be opened: "
    )
    assert "\n" not in str(raised.value) and "secret" not in str(raised.value)


def test_the_manifest_is_plain_json(small_root: Path) -> None:
    raw = json.loads((small_root / "beta" / "dataset.json").read_text(encoding="utf-8"))
    assert raw["classes"][1] == {"id": 1, "name": "Port", "groups": ["buildings"], "scene": True}
