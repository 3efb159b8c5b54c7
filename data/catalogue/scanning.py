"""All selected rows, page by page in the order they are stored: what exports and samples read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pandas as pd

from data.catalogue.base import Selection
from data.catalogue.compile import conditions
from data.catalogue.dialect import Params
from data.catalogue.fields import COLUMN_KINDS, READ_ONLY_COLUMNS, property_key
from data.catalogue.sql_base import SqlBase, fields_of
from data.schema import IMAGES, DatasetInfo

ROWS_A_PAGE = 65_536
"""As many as a row group of the Parquet files has, so that a page reads one or two of them."""


class Scanning(SqlBase):
    """scan."""

    def scan(self, selection: Selection, columns: tuple[str, ...] | None = None) -> Iterator[pd.DataFrame]:
        """Selected rows by data set and image_num, in pages; properties' keys are columns too.

        A page costs the same wherever it stands, and no more than one is held. Without `columns`,
        all but `class_words` and `properties`. Pages without a row do not come.
        """
        infos = self._chosen(selection)
        names = columns if columns is not None else self._all_columns(infos)
        for name in names:
            if name not in READ_ONLY_COLUMNS:
                self._check_field(name, also=READ_ONLY_COLUMNS)
        for info in infos:
            yield from self._scan_dataset(selection, info, names)

    def _scan_dataset(
        self, selection: Selection, info: DatasetInfo, columns: tuple[str, ...]
    ) -> Iterator[pd.DataFrame]:
        stored = tuple(c for c in columns if c in IMAGES.names)
        keys = [c for c in columns if c not in IMAGES.names]
        wanted = (*stored, *(["properties"] if keys and "properties" not in stored else []))
        for first in range(0, self._numbers_end(selection, info), ROWS_A_PAGE):
            page = self._page(selection, info, wanted, first)
            if page is None or page.empty:
                continue
            if "properties" in wanted:
                parsed = [_parsed(_text(value)) for value in page["properties"]]
                for name in keys:
                    page[name] = [each.get(property_key(name)) for each in parsed]
                page["properties"] = pd.Series(parsed, dtype=object)
            yield page[list(columns)]

    def _numbers_end(self, selection: Selection, info: DatasetInfo) -> int:
        """One more than the largest image_num that is selected."""
        where, params = self._where(selection, info)
        if where is None:
            return 0
        source = self._source(info, fields_of(selection))
        row = self._fetch(f"SELECT max(image_num) FROM {source} AS r WHERE {where}", params)[0]
        return 0 if row[0] is None else int(row[0]) + 1

    def _page(
        self, selection: Selection, info: DatasetInfo, columns: tuple[str, ...], first: int
    ) -> pd.DataFrame | None:
        params = Params(self.dialect.prefix)
        found = conditions(selection, info, self.dialect, params)
        if found is None:
            return None
        between = f"image_num >= {params.add(first)} AND image_num < {params.add(first + ROWS_A_PAGE)}"
        rows = self._source(info, fields_of(selection))
        where = " AND ".join([*found, between])
        filled = self._filled(info)
        in_memory = all(c in COLUMN_KINDS or c not in filled for c in columns)
        listed = ", ".join(self._listed(info, c, filled, params) for c in columns or ("image_num",))
        if in_memory:
            return self._frame(f"SELECT {listed} FROM {rows} AS r WHERE {where} ORDER BY image_num", params)
        chosen = f"SELECT image_num FROM {rows} AS s WHERE {where}"
        return self._frame(
            f"SELECT {listed} FROM {self._records(info)} AS r WHERE {between} AND image_num IN ({chosen})"
            " ORDER BY image_num",
            params,
        )

    def _listed(self, info: DatasetInfo, column: str, filled: frozenset[str], params: Params) -> str:
        if column == "dataset":
            return f"{self._name(info, params)} AS dataset"
        if column in COLUMN_KINDS or column in filled:
            return column
        return f"CAST(NULL AS {'BYTEA' if column == 'footprint' else 'VARCHAR'}) AS {column}"

    def _all_columns(self, infos: list[DatasetInfo]) -> tuple[str, ...]:
        keys = dict.fromkeys(key for info in infos for key, _ in info.properties if key not in IMAGES.names)
        return (*(c for c in IMAGES.names if c not in ("class_words", "properties")), *keys)


def _text(value: Any) -> str:
    """The `properties` column as text: PostgreSQL's driver has parsed it."""
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, dict) else ""


@lru_cache(maxsize=65_536)
def _parsed(text: str) -> dict[str, Any]:
    return dict(json.loads(text)) if text else {}
