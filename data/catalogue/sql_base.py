"""A query over several data sets as one statement, and what an engine must say for it.

A query is one branch per data set, joined with UNION ALL: class ids, properties and dates differ
between data sets, and a data set that cannot match costs nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from data.catalogue.base import Bbox, Selection
from data.catalogue.compile import check_fields, chosen_datasets, conditions
from data.catalogue.dialect import Dialect, Params
from data.catalogue.fields import Kind, field_expr, field_kind, unknown_field
from data.catalogue.whole import SetAside
from data.schema import IMAGES, DatasetInfo

if TYPE_CHECKING:
    import pandas as pd

Branch = Callable[[DatasetInfo, Params], str]


class SqlBase(ABC):
    """What queries are put together from; an engine says where a data set's rows are and runs the text."""

    dialect: Dialect

    @abstractmethod
    def datasets(self) -> tuple[DatasetInfo, ...]:
        """Every data set, by name."""

    def set_aside(self) -> tuple[SetAside, ...]:
        """Those that are there and cannot be used, by name."""
        return ()

    @abstractmethod
    def _fetch(self, sql: str, params: Params) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""

    @abstractmethod
    def _frame(self, sql: str, params: Params) -> pd.DataFrame:
        """Run one statement and return its rows as a frame, column by column: for many rows."""

    @abstractmethod
    def _source(self, info: DatasetInfo, fields: Iterable[str]) -> str:
        """A FROM item, without its alias: a data set's rows with COLUMN_KINDS' columns.

        The properties among `fields` can be used in it too.
        """

    @abstractmethod
    def _records(self, info: DatasetInfo) -> str:
        """A FROM item with every column of data.schema.IMAGES of a data set."""

    def _filled(self, info: DatasetInfo) -> frozenset[str]:
        """The columns of data.schema.IMAGES in which a row may have a value."""
        return frozenset(IMAGES.names)

    @abstractmethod
    def _boxes(self, info: DatasetInfo) -> str:
        """A FROM item with the columns of data.schema.DETECTIONS of a data set that has some."""

    @abstractmethod
    def _words(self, info: DatasetInfo) -> str:
        """SQL of a row's class words, as a comma-separated list of `words` columns."""

    def _chosen(self, selection: Selection) -> list[DatasetInfo]:
        everything = self.datasets()
        check_fields(selection, everything)
        aside = self.set_aside() if selection.datasets else ()
        return chosen_datasets(selection, everything, aside)

    def _where(self, selection: Selection, info: DatasetInfo) -> tuple[str | None, Params]:
        params = Params(self.dialect.prefix)
        found = conditions(selection, info, self.dialect, params)
        return (None if found is None else " AND ".join(found) or "TRUE"), params

    def _union(
        self, selection: Selection, branch: Branch, *fields: str, bbox: Bbox | None = None
    ) -> tuple[str | None, Params]:
        """One SELECT per data set that can match; None when none can."""
        params = Params(self.dialect.prefix)
        parts = []
        for info in self._chosen(selection):
            found = conditions(selection, info, self.dialect, params, bbox)
            if found is not None:
                source = self._source(info, {*fields_of(selection), *fields})
                where = " AND ".join(found) or "TRUE"
                parts.append(f"SELECT {branch(info, params)} FROM {source} AS r WHERE {where}")
        return (" UNION ALL ".join(parts) or None), params

    def _name(self, info: DatasetInfo, params: Params) -> str:
        return self.dialect.text(params.add(info.name))

    def _key(self, info: DatasetInfo, field: str, kind: Kind, params: Params) -> str:
        """A field's value, in the kind that all data sets share."""
        expr = field_expr(info, field, self.dialect, params)
        if expr is None:
            casts = {"number": "CAST(NULL AS DOUBLE PRECISION)", "time": "CAST(NULL AS TIMESTAMP)"}
            return casts.get(kind, self.dialect.text("NULL"))
        if kind == "text":
            return self.dialect.text(expr.sql)
        return f"CAST({expr.sql} AS DOUBLE PRECISION)" if kind == "number" else expr.sql

    def _check_field(self, field: str, also: tuple[str, ...] = ()) -> None:
        """CatalogueError when no data set of the catalogue has the field; null where only others do."""
        infos = self.datasets()
        if infos and all(field_kind(info, field) is None for info in infos):
            raise unknown_field(field, infos, also)

    def _locate(self, image_id: str) -> tuple[DatasetInfo, int] | None:
        name = image_id.partition(":")[0]
        for info in self.datasets():
            if info.name == name:
                params = Params(self.dialect.prefix)
                test = f"image_id = {self.dialect.text(params.add(image_id))}"
                rows = self._fetch(
                    f"SELECT image_num FROM {self._source(info, ())} AS r WHERE {test}", params
                )
                return (info, int(rows[0][0])) if rows else None
        return None


def fields_of(selection: Selection) -> set[str]:
    """The fields that a selection's attributes compare."""
    return {attribute.field for attribute in selection.attributes}
