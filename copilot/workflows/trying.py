"""What a task's workflows can be run on here: files of the repository, real ones beside it, rendered scenes.

The library's `try` names, for each of a task's data, one of
`example:NAME` (copilot/bench/intents/files), `shared:PATH` (../shared/data, where that is),
`{scene: optical|multispectral|sar, seed, size, gsd_m, theme, …}` and
`{pair: change|damage|flood|fire, side: before|after, sensor, seed, size, gsd_m, …}`, which are rendered with
their exact truth, and may be spoiled by `faults`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from copilot.workflows.model import WorkflowError
from data.scenes.model import Pair, Scene

EXAMPLES = Path(__file__).parents[1] / "bench" / "intents" / "files"
SHARED = "AZIMUTH_SHARED"
"""Where shared data lies, if not beside the repository."""
_KEPT_BACK = (
    "landsat/2021", "naip/m_4709963_se_14_1_2012", "naip/m_4709963_se_14_1_2018", "dubai_seg/tile_3",
    "dubai_seg/tile_6", "dubai_seg/tile_8", "dota/P1888", "sar_ships/P0119", "sar_ships/P0135",
    "geoplan_bench",
)  # fmt: skip
"""Kept for measuring, wherever they are."""


@dataclass(frozen=True)
class Brought:
    """A file to run on, and the scene with its truth where it was rendered."""

    path: Path
    scene: Scene | None = None
    pair: Pair | None = None


def bring(spec: Any, folder: Path) -> Brought:
    """The file of a `try` entry, made in `folder` where it is rendered. Raises WorkflowError."""
    if isinstance(spec, str):
        return Brought(_file(spec))
    if not isinstance(spec, Mapping):
        raise WorkflowError(f"{spec!r} is no data to try on: example:…, shared:…, or a scene or pair.")
    wanted = dict(spec)
    if "pair" in wanted:
        return _of_pair(wanted, folder)
    if "scene" in wanted:
        return _of_scene(wanted, folder)
    raise WorkflowError(f"{spec!r} names neither a scene nor a pair.")


def shared_folder() -> Path | None:
    """The folder of shared data; None where there is none."""
    here = Path(__file__).resolve()
    places = [Path(os.environ[SHARED])] if os.environ.get(SHARED) else []
    places += [parent / "shared" / "data" for parent in here.parents]
    return next((each for each in places if each.is_dir()), None)


def _file(spec: str) -> Path:
    kind, _, name = spec.partition(":")
    if ".." in name.split("/") or name.startswith("/"):
        raise WorkflowError(f"{spec!r} leads out of its folder.")
    if kind == "example":
        path = EXAMPLES / name
    elif kind == "shared":
        if any(name.startswith(each) for each in _KEPT_BACK):
            raise WorkflowError(f"{spec!r} is kept for measuring.")
        folder = shared_folder()
        if folder is None:
            raise WorkflowError(
                "There is no folder of shared data here ($AZIMUTH_SHARED, or shared/data above)."
            )
        path = folder / name
    else:
        raise WorkflowError(f"{spec!r} is neither example:… nor shared:….")
    if not path.is_file():
        raise WorkflowError(f"There is no file {spec!r}.")
    return path


def _of_pair(wanted: dict[str, Any], folder: Path) -> Brought:
    side = str(wanted.pop("side", "after"))
    if side not in ("before", "after"):
        raise WorkflowError(f"A pair has the sides before and after, not {side!r}.")
    made = _pair(_key(wanted))
    scene = made.before if side == "before" else made.after
    return Brought(_written(scene, f"{_name(wanted)}_{side}", folder), scene, made)


def _of_scene(wanted: dict[str, Any], folder: Path) -> Brought:
    scene = _scene(_key(wanted))
    return Brought(_written(scene, _name(wanted), folder), scene)


def _key(wanted: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(wanted.items()))


@lru_cache(maxsize=8)
def _pair(key: tuple[tuple[str, Any], ...]) -> Pair:
    from data.scenes import pair

    wanted = dict(key)
    kind = wanted.pop("pair")
    try:
        return pair(int(wanted.pop("seed", 1)), kind, **wanted)
    except (TypeError, ValueError, KeyError) as error:
        raise WorkflowError(f"The pair {kind} cannot be rendered so: {error}.") from None


@lru_cache(maxsize=8)
def _scene(key: tuple[tuple[str, Any], ...]) -> Scene:
    from data.scenes import render

    wanted = dict(key)
    kind = wanted.pop("scene")
    try:
        return render(int(wanted.pop("seed", 1)), kind, **wanted)
    except (TypeError, ValueError, KeyError) as error:
        raise WorkflowError(f"The scene {kind} cannot be rendered so: {error}.") from None


def _name(wanted: Mapping[str, Any]) -> str:
    return "_".join(str(each) for each in wanted.values() if isinstance(each, (str, int)))


def _written(scene: Scene, name: str, folder: Path) -> Path:
    path = folder / f"{name}.tif"
    return path if path.exists() else scene.write(path)


__all__ = ["Brought", "bring", "shared_folder"]
