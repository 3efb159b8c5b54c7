"""Where exported rows came from: what every export says of itself."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from data.schema import DatasetInfo
from state.codec import filters_to_json
from state.model import State
from tools.artifacts import Call, about, newest_named
from tools.base import World
from tools.selection import SAMPLE_WORDS, loaded_infos

_TAKEN = re.compile(r"\b(?:table|other|vector|raster|zones|points|layer|image|before|after)=([^,()]+)")
"""What a call took, as an artifact's record spells it."""


@cache
def azimuth_version() -> str:
    """The version in pyproject.toml."""
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])


def source_infos(state: State, world: World, table: str | None) -> list[DatasetInfo]:
    """The data sets that rows may be from: the loaded ones; of a table any, or none where it is one's own."""
    if table is None:
        return loaded_infos(state, world)
    return [] if own_files(state, world, table) is not None else list(world.catalogue.datasets())


def own_files(state: State, world: World, handle: str) -> tuple[str, ...] | None:
    """The user's own files that a table or features came of; None where anything else may be in them.

    By what is on record: the file that came in, else what the call that made it took.
    """
    return _own(state, world, handle, frozenset())


def _own(state: State, world: World, handle: str, met: frozenset[str]) -> tuple[str, ...] | None:
    layer = state.layer(handle) or newest_named(state.map.layers, handle)
    artifact = state.artifact(handle) or newest_named(state.artifacts, handle)
    if artifact is None and layer is not None and layer.artifact is not None:
        artifact = state.artifact(layer.artifact)
    if artifact is None or artifact.id in met:
        return None
    known = about(world, artifact.id)
    if "upload" in known:
        return tuple(str(each["name"]) for each in known.get("inputs", ()))
    if known.get("inputs") == []:
        return ()  # it was made of nothing: of the numbers of a query, of places that were looked up
    parents = [str(each["handle"]) for each in known.get("inputs", ())] or _TAKEN.findall(artifact.made_by)
    found = [_own(state, world, each.strip(), met | {artifact.id}) for each in parents]
    files = [each for each in found if each is not None]
    if not found or len(files) < len(found):
        return None
    return tuple(dict.fromkeys(name for each in files for name in each))


def provenance(state: State, world: World, table: str | None, rows: int, call: Call) -> dict[str, Any]:
    """What the rows are, as plain JSON values. `note` is there when any of them may be of a sample."""
    infos = source_infos(state, world, table)
    told: dict[str, Any] = {
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
    if table is not None and (files := own_files(state, world, table)) is not None:
        told["files"] = list(files)
    if any(each.origin == "sample" for each in infos):
        told["note"] = SAMPLE_WORDS
    if table is None:
        told["filters"] = filters_to_json(state.database.filters)
    else:
        artifact = state.artifact(table)
        told["table"] = {"id": table, "made_by": artifact.made_by if artifact else ""}
    return told


def origin_words(infos: list[DatasetInfo]) -> dict[str, str]:
    """What the `origin` column says of a data set's rows."""
    return {each.name: SAMPLE_WORDS if each.origin == "sample" else each.origin for each in infos}
