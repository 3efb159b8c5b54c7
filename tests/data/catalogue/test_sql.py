"""A user's own SQL: one SELECT over the views, and nothing else, on both engines."""

from __future__ import annotations

import resource
from pathlib import Path

import pandas as pd
import pytest

from data.catalogue.base import CatalogueAway, CatalogueError, Selection
from data.catalogue.duck import DuckCatalogue
from data.catalogue.engine import SqlCatalogue
from tests.data.catalogue.small import all_rows, detection_rows, image_rows
from tests.suite.walking import walks

HOSTILE = [
    "",
    "   -- nothing but a comment",
    "COPY images TO '/tmp/azimuth_stolen.csv'",
    "COPY (SELECT 1) TO '/tmp/azimuth_stolen.csv'",
    "ATTACH '/tmp/azimuth_stolen.db' AS other",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA database_list",
    "SET enable_external_access = true",
    "RESET enable_external_access",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP VIEW images",
    "DROP TABLE datasets",
    "DELETE FROM datasets",
    "UPDATE datasets SET name = 'x'",
    "INSERT INTO datasets SELECT * FROM datasets",
    "CREATE TABLE mine AS SELECT 1",
    "WITH gone AS (DELETE FROM datasets RETURNING *) SELECT * FROM gone",
    "EXPORT DATABASE '/tmp/azimuth_stolen'",
    "CALL pragma_version()",
    "EXPLAIN ANALYZE SELECT 1",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_csv_auto('https://example.org/a.csv')",
    "SELECT * FROM read_parquet('images.parquet')",
    "SELECT * FROM parquet_scan('images.parquet')",
    "SELECT * FROM read_json('/etc/passwd')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM 'https://example.org/a.parquet'",
    'SELECT * FROM "/etc/passwd"',
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM pragma_table_info('images')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('images')",
    "SELECT * FROM ST_Read('/etc/passwd')",
    "SELECT getenv('HOME')",
    "SELECT current_setting('data_directory')",
    "SELECT set_config('role', 'postgres', false)",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_sleep(60)",
    "SELECT lo_import('/etc/passwd')",
    "SELECT query_to_xml('SELECT * FROM pg_authid', true, false, '')",
    "SELECT * FROM pg_catalog.pg_authid",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM catalogue.datasets",
    "SELECT * FROM main.sqlite_master",
    "SELECT * FROM images WHERE lon IN (SELECT count(*) FROM read_text('/etc/passwd'))",
    "SELECT (SELECT content FROM read_text('/etc/passwd'))",
    "WITH images AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM images",
    "SELECT 1) AS a; DROP VIEW images; SELECT * FROM (SELECT 1",
    "SELECT 1) UNION SELECT * FROM read_text('/etc/passwd') --",
    "SHOW TABLES",
    "SELECT * FROM (SHOW TABLES)",
    "DESCRIBE images",
    "SUMMARIZE images",
    "VACUUM",
    "BEGIN",
    "EXECUTE whatever",
]
ENDLESS = [
    "WITH RECURSIVE bomb(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM bomb) SELECT count(*) FROM bomb",
    "SELECT sum(a.lon * b.lat * c.lon * d.lat) FROM images a, images b, images c, images d",
    "SELECT count(*) FROM generate_series(1, 1000000000000) AS g",
]


@walks("query", HOSTILE)
def test_anything_but_one_select_over_the_views_is_refused(catalogue: SqlCatalogue, query: str) -> None:
    with pytest.raises(CatalogueError) as raised:
        catalogue.sql(query)
    assert str(raised.value).endswith(".")
    assert "\n" not in str(raised.value)
    assert "root:" not in str(raised.value)


def test_the_views_are_unharmed_after_all_that(catalogue: SqlCatalogue) -> None:
    assert catalogue.sql("SELECT count(*) AS n FROM images").to_dict("list") == {"n": [2000]}
    assert not list(Path("/tmp").glob("azimuth_stolen*"))


@pytest.mark.parametrize("query", ENDLESS)
def test_a_query_that_does_not_end_is_stopped(catalogue: SqlCatalogue, query: str) -> None:
    with pytest.raises(CatalogueError) as raised:
        catalogue.sql(query, timeout_s=0.3)
    said = "The query took longer than 0.3 s and was stopped; narrow it or count before listing."
    assert str(raised.value) == said
    assert catalogue.sql("SELECT 1 AS one").to_dict("list") == {"one": [1]}


def test_the_views_hold_the_rows(catalogue: SqlCatalogue) -> None:
    rows, boxes = all_rows(), detection_rows(image_rows("alpha", 900, 70))
    per_set = catalogue.sql("SELECT dataset, count(*) AS n FROM images GROUP BY dataset ORDER BY dataset;")
    assert per_set.to_dict("list") == {"dataset": ["alpha", "beta", "gamma"], "n": [900, 800, 300]}
    cars = catalogue.sql("SELECT count(*) AS n FROM detections WHERE class_name = 'Small Car'")
    assert cars.to_dict("list") == {"n": [sum(box["class_id"] == 1 for box in boxes)]}
    first = catalogue.sql("SELECT image_id, lon FROM images WHERE split = 'val' ORDER BY image_id LIMIT 1")
    wanted = min((r for r in rows if r["split"] == "val"), key=lambda r: r["image_id"])
    assert first.to_dict("list") == {"image_id": [wanted["image_id"]], "lon": [wanted["lon"]]}
    sets = catalogue.sql("SELECT name, images FROM datasets ORDER BY name")
    assert sets.to_dict("list") == {"name": ["alpha", "beta", "gamma"], "images": [900, 800, 300]}


def test_classes_are_a_list_of_names_in_the_images_view(catalogue: SqlCatalogue) -> None:
    found = catalogue.sql(
        "SELECT classes FROM images WHERE dataset = 'beta' AND 'Port' IN (SELECT unnest(classes))"
    )
    assert len(found) == dict(catalogue.count_by(Selection(), "class"))["Port"]


def test_joins_windows_and_ctes_are_selects_too(catalogue: SqlCatalogue) -> None:
    query = """
        WITH best AS (
            SELECT image_id, row_number() OVER (PARTITION BY dataset ORDER BY image_id) AS k FROM images
        )
        SELECT b.image_id FROM best b JOIN images i ON i.image_id = b.image_id
        WHERE k = 1 ORDER BY 1 -- and a comment
    """
    assert list(catalogue.sql(query)["image_id"]) == ["alpha:0000", "beta:0000", "gamma:0000"]


def test_no_more_rows_come_than_asked_for(catalogue: SqlCatalogue) -> None:
    assert len(catalogue.sql("SELECT image_id FROM images", max_rows=7)) == 7


def test_a_percent_sign_and_a_colon_are_only_text(catalogue: SqlCatalogue) -> None:
    found = catalogue.sql("SELECT ':p0 %s' AS said, count(*) AS n FROM images WHERE image_id LIKE 'beta:%'")
    assert found.to_dict("list") == {"said": [":p0 %s"], "n": [800]}


def test_an_unknown_column_is_said_in_one_sentence(catalogue: SqlCatalogue) -> None:
    with pytest.raises(CatalogueError) as raised:
        catalogue.sql("SELECT sensr FROM images")
    assert str(raised.value) == "There is no column 'sensr'; did you mean 'sensor'?"


def test_a_data_set_whose_folder_is_a_link_is_read_too(small_root: Path, tmp_path: Path) -> None:
    for folder in small_root.iterdir():
        (tmp_path / folder.name).symlink_to(folder, target_is_directory=True)
    query = "SELECT dataset, count(*) AS n FROM images GROUP BY dataset ORDER BY dataset"
    assert DuckCatalogue(tmp_path).sql(query).equals(DuckCatalogue(small_root).sql(query))


def test_an_empty_catalogue_can_be_asked(tmp_path: Path) -> None:
    assert DuckCatalogue(tmp_path).sql("SELECT count(*) AS n FROM images")["n"].tolist() == [0]


@pytest.mark.parametrize("end", [";", " ; -- that is all", "; /* done */ ;", " -- no semicolon"])
def test_semicolons_and_comments_may_end_a_query(catalogue: SqlCatalogue, end: str) -> None:
    assert catalogue.sql(f"SELECT ';--' AS text, 'é' AS letter{end}").values.tolist() == [[";--", "é"]]


def test_lists_and_structs_may_be_written_out(duck: DuckCatalogue) -> None:
    frame = duck.sql(
        "SELECT [1, 2] AS l, {'a': 1} AS s, count(*) AS n FROM images WHERE dataset IN ['alpha']"
    )
    assert frame.to_dict("records")[0]["s"] == {"a": 1}
    assert frame["n"].tolist() == [duck.count(Selection(datasets=("alpha",)))]


@pytest.mark.parametrize(
    "select", ["SELECT name, count(*) AS n FROM images GROUP BY name", "SELECT DISTINCT name FROM images"]
)
def test_groups_that_are_put_in_no_order_come_in_that_of_their_values(
    duck: DuckCatalogue, select: str
) -> None:
    frame = duck.sql(select)
    assert len(frame) > 1000 and frame["name"].tolist() == sorted(frame["name"])
    assert duck.sql(f"{select} ORDER BY name DESC")["name"].tolist() == sorted(frame["name"], reverse=True)


HUGE = {
    "SELECT repeat('a', 60000000) AS a": "characters, and 100,000 are the most; take a part of it",
    "SELECT string_agg(repeat(image_id, 100), ',') AS a FROM images": "characters, and 100,000 are the most",
    "SELECT repeat(image_id, 5000) AS a FROM images": " MB, and 64 MB are the most; select fewer columns",
}


@pytest.mark.parametrize("query", HUGE)
def test_an_answer_that_is_too_large_is_refused_and_never_memory_of_the_app(
    catalogue: SqlCatalogue, query: str
) -> None:
    catalogue.sql("SELECT count(*) AS n FROM images")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CatalogueError) as raised:
        catalogue.sql(query, timeout_s=60)
    assert HUGE[query] in str(raised.value)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000, "kilobytes"
    assert catalogue.sql("SELECT 1 AS one").to_dict("list") == {"one": [1]}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT range(1000000000) AS a",
        "SELECT list(range(100000)) AS a FROM images",
        "SELECT repeat(repeat('a', 100000000), 30) AS a FROM range(9)",
    ],
)
def test_a_query_that_fills_the_memory_is_ended_and_the_next_one_runs(
    duck: DuckCatalogue, query: str
) -> None:
    with pytest.raises(CatalogueAway) as raised:
        duck.sql(query, timeout_s=60)
    assert str(raised.value) == (
        "The query needs more memory than the 1GB that a query may take, and was ended; narrow it or count "
        "before listing."
    )
    assert duck.sql("SELECT 1 AS one").to_dict("list") == {"one": [1]}


def test_columns_of_one_name_are_told_apart(catalogue: SqlCatalogue) -> None:
    found = catalogue.sql("SELECT 1 AS a, 2 AS a, 3 AS azimuth_here")
    assert found.to_dict("list") == {"a": [1], "a_1": [2], "azimuth_here": [3]}


def test_an_answer_without_rows_has_its_columns(catalogue: SqlCatalogue) -> None:
    found = catalogue.sql("SELECT image_id, lon FROM images WHERE lon > 999")
    assert (list(found.columns), len(found)) == (["image_id", "lon"], 0)


def test_every_kind_of_value_comes_back_as_a_table_can_keep_it(duck: DuckCatalogue) -> None:
    found = duck.sql(
        "SELECT [1, 2] AS l, {'x': 1} AS s, DATE '2020-01-02' AS d, 1.5::DECIMAL(4, 1) AS n, 'x'::BLOB AS b, "
        "TIMESTAMP '2020-01-02 03:04:05' AS t, INTERVAL 3 DAY AS i, NULL AS z, true AS y"
    )
    (row,) = found.to_dict("records")
    assert list(row.pop("l")) == [1, 2]
    assert row == {
        "s": {"x": 1},
        "d": pd.Timestamp("2020-01-02"),
        "n": 1.5,
        "b": b"x",
        "t": pd.Timestamp("2020-01-02T03:04:05"),
        "i": pd.Timedelta(days=3),
        "z": None,
        "y": True,
    }
