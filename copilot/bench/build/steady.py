"""A catalogue that does not change while a benchmark is made or checked, so that it is looked at once."""

from __future__ import annotations

import gc
from functools import cached_property
from pathlib import Path
from typing import Any

from copilot.bench.check.play import Player
from copilot.bench.task import TODAY
from copilot.engine import Engine, FolderArtifacts, encode_texts
from data.catalogue.base import Catalogue, Selection
from data.catalogue.duck import DuckCatalogue
from data.schema import DatasetInfo
from tools.base import World


class SteadyCatalogue(DuckCatalogue):
    """Looks once which data sets there are; that is a third of the time of a filter otherwise."""

    _KEPT_COUNTS = 200_000

    def __init__(self, root: Path) -> None:
        # One thread: the work is spread over processes.
        super().__init__(root, threads=1, kept_counts=self._KEPT_COUNTS)
        self._kept_values: dict[tuple[str, int], list[Any]] = {}
        self._kept_columns: dict[str | None, list[dict[str, Any]]] = {}

    def datasets(self) -> tuple[DatasetInfo, ...]:
        """Every data set, by name, as at the first time."""
        return self._infos

    def values(self, field: str, selection: Selection | None = None, limit: int = 200) -> list[Any]:
        """Distinct values of a field; of the whole catalogue, as at the first time."""
        if selection is not None:
            return super().values(field, selection, limit)
        if (field, limit) not in self._kept_values:
            self._kept_values[field, limit] = super().values(field, None, limit)
        return list(self._kept_values[field, limit])

    def columns(self, dataset: str | None = None) -> list[dict[str, Any]]:
        """The columns with their ranges, as at the first time."""
        if dataset not in self._kept_columns:
            self._kept_columns[dataset] = super().columns(dataset)
        return [dict(each) for each in self._kept_columns[dataset]]

    @cached_property
    def _infos(self) -> tuple[DatasetInfo, ...]:
        return super().datasets()


def steady_world(engine: Engine) -> World:
    """The engine's catalogue and gazetteer on the benchmark's day."""
    root = engine.catalogue_root
    catalogue: Catalogue = engine.catalogue if root is None else SteadyCatalogue(root)
    nowhere = FolderArtifacts(Path())
    return World(catalogue, engine.gazetteer, nowhere, TODAY, root, encode=encode_texts)


def steady_player(world: World) -> Player:
    """A player over it."""
    return Player(world, remembered=_REMEMBERED)


_REMEMBERED = 4_000
"""Calls of some hundred tasks: what a task's candidates share is there, and their files are soon gone."""


def collect_seldom() -> None:
    """Let this process look for garbage seldom: the calls that a player remembers are many, and stay."""
    gc.set_threshold(50_000, 20, 50)
