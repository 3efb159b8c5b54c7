"""Where exported rows came from: what every export says of itself."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from data.schema import DatasetInfo
from state.codec import filters_to_json
from state.model import State
from tools.artifacts import Call
from tools.base import World
from tools.selection import SAMPLE_WORDS, loaded_infos


@cache
def azimuth_version() -> str:
    """The version in pyproject.toml."""
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])


def source_infos(state: State, world: World, table: str | None) -> list[DatasetInfo]:
    """The data sets that rows may be from: the loaded ones, or any of the catalogue's for a table."""
    return list(world.catalogue.datasets()) if table is not None else loaded_infos(state, world)


def provenance(state: State, world: World, table: str | None, rows: int, call: Call) -> dict[str, Any]:
    """What the rows are, as plain JSON values. `note` is there when any of them may be of a sample."""
    infos = source_infos(state, world, table)
    about: dict[str, Any] = {
        "generator": f"Azimuth {azimuth_version()}",
        "made_by": str(call),
        "rows": rows,
        "crs": "OGC:CRS84",
        "data_sets": [
            {"name": each.name, "version": each.version, "origin": each.origin, "source": each.source,
             "licence": each.licence}
            for each in infos
        ],
    }  # fmt: skip
    if any(each.origin == "sample" for each in infos):
        about["note"] = SAMPLE_WORDS
    if table is None:
        about["filters"] = filters_to_json(state.database.filters)
    else:
        artifact = state.artifact(table)
        about["table"] = {"id": table, "made_by": artifact.made_by if artifact else ""}
    return about


def origin_words(infos: list[DatasetInfo]) -> dict[str, str]:
    """What the `origin` column says of a data set's rows."""
    return {each.name: SAMPLE_WORDS if each.origin == "sample" else each.origin for each in infos}
