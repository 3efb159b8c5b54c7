"""Count over 100 million images: python -m benches.hundred_million FOLDER (of the full sample).

A process of its own, since it wants about 7 GiB. The sample's rows are copied 87 times, each copy moved by up
to 0.2 degrees and within its day, into the catalogue engine's own tables, ordered by time as the engine
orders them. The tables hold the columns that these filters read (time, place, clouds, class words); the
texts of a record (names, ids, paths) are left out, since 100 million of them do not fit into 24 GiB.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from benches.figure import Budget, Figure
from benches.selecting import measure_counts
from data.catalogue.base import Selection
from data.catalogue.columns import Columns, Rows, Unanswered
from data.catalogue.duck import DuckCatalogue, _Loaded
from data.catalogue.duck_dialect import literal
from data.catalogue.write import IMAGES_FILE

COPIES = 87
BUDGET = Budget("p95", 250)


class Grown(DuckCatalogue):
    """The catalogue on DuckDB with every image `COPIES` times; only how a table is filled differs.

    So many rows are counted by SQL, as those of any data set of more than MOST_ROWS.
    """

    def _taken(self, selection: Selection) -> list[tuple[Columns, Rows]]:
        raise Unanswered

    def _load(self, loaded: _Loaded, with_properties: bool) -> _Loaded:
        if loaded.table is not None:
            raise ValueError("The grown tables have no properties; do not filter by one here.")
        name = loaded.info.name
        table = f"grown_{name}"
        source = f"read_parquet({literal(str(self._root / name / IMAGES_FILE))})"
        words = self._words(loaded.info)
        copied = (
            "date_trunc('day', acquired) + to_seconds(CAST(h % 86400 AS BIGINT)) AS acquired,"
            " greatest(-180, least(180, lon + (h % 20011 - 10005) / 50000.0)) AS lon,"
            " greatest(-90, least(90, lat + (h % 19997 - 9998) / 50000.0)) AS lat,"
            f" cloud_pct, {words}"
        )
        listed = ", ".join(f"class_words[{k + 1}] AS w{k}" for k in range(words.count(",") + 1))
        rows = (
            f"SELECT acquired, lon, lat, cloud_pct, {listed},"
            " CAST(hash(image_num * 1000 + copy) % 1000000007 AS BIGINT) AS h"
            f" FROM {source}, range({COPIES}) AS copies(copy)"
        )
        cursor = self._cursor()
        cursor.execute(f"CREATE TABLE {table} AS SELECT {copied} FROM ({rows} LIMIT 0)")
        months = cursor.execute(
            f"SELECT DISTINCT strftime(acquired, '%Y-%m') AS m FROM {source} ORDER BY m"
        ).fetchall()
        for (month,) in months:  # one at a time, so that the sort stays small
            cursor.execute(
                f"INSERT INTO {table} SELECT {copied} FROM"
                f" ({rows} WHERE strftime(acquired, '%Y-%m') = '{month}') ORDER BY acquired"
            )
        self._loaded[name] = _Loaded(loaded.info, loaded.stamp, table)
        return self._loaded[name]


def main(root: Path) -> None:
    """Print the figures as JSON lines: {what, unit, values, how}."""
    catalogue = Grown(root, kept_counts=0)
    began = time.perf_counter()
    rows = catalogue.count(Selection())
    made_s = time.perf_counter() - began
    if rows != COPIES * sum(info.images for info in catalogue.datasets()):
        raise RuntimeError(f"{rows:,} rows were counted: those in the grown tables are not looked at.")
    how = (
        f" {rows:,} rows: the sample's, {COPIES} times, moved by up to 0.2°, with the filters' columns only."
    )
    for each in measure_counts(catalogue, f"{rows / 1e6:.0f} M images", BUDGET):
        _print(Figure(each.what, each.unit, each.values, each.how + how, each.budgets))
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    _print(Figure("peak memory of that process", "MiB", (peak_mib,), "", ()))
    print(f"made in {made_s:.0f} s", file=sys.stderr)


def _print(figure: Figure) -> None:
    print(json.dumps({"what": figure.what, "unit": figure.unit, "values": figure.values, "how": figure.how}))
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
