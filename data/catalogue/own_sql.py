"""A user's own SELECT over a catalogue of Parquet files, and over layers beside it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from data.apart.reader import NOBODYS, Reader
from data.catalogue.base import CatalogueError
from data.catalogue.duck_sql import FILES, select
from data.catalogue.layers_sql import select_layers
from data.schema import DatasetInfo


class OwnSql:
    """The part of a catalogue on DuckDB that runs what a user wrote."""

    _root: Path
    _threads: int
    _paths: bool

    @abstractmethod
    def datasets(self) -> tuple[DatasetInfo, ...]:
        """Every data set that is seen."""

    @abstractmethod
    def _blame(self, infos: Iterable[DatasetInfo], error: BaseException) -> None:
        """Raise CatalogueAway with the data set whose file cannot be read."""

    def sql(
        self, query: str, max_rows: int = 10_000, timeout_s: float = 10.0, reader: Reader = NOBODYS
    ) -> pd.DataFrame:
        """One read-only SELECT over the views images, detections, datasets, in a process apart.

        Raises CatalogueError for anything else, for what DuckDB refuses, for an answer that is too large, and
        past the limits of time and memory.
        """
        infos = self.datasets()
        with self._blaming(infos):
            return select(
                self._root, infos, query, max_rows, timeout_s, self._threads, reader, paths=self._paths
            )

    def sql_over(self, query: str, layers: Mapping[str, Path], folder: Path, **limits: Any) -> dict[str, str]:
        """One read-only SELECT over those Parquet files by name, with the catalogue's views beside them."""
        infos = self.datasets()
        with self._blaming(infos):
            seen = (self._root, infos, self._paths)
            return select_layers(query, layers, seen, folder=folder, **limits)

    @contextmanager
    def _blaming(self, infos: tuple[DatasetInfo, ...]) -> Iterator[None]:
        """Find the data set whose file could not be read, where a query failed for one."""
        try:
            yield
        except CatalogueError as error:
            if _speaks_of_files(str(error)):
                self._blame(infos, error)
            raise


def _speaks_of_files(said: str) -> bool:
    """Whether a query of a user's own failed on what it read, and not on what it says."""
    return said == FILES or "Parquet" in said or "don't know what type" in said
