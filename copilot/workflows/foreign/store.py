"""What was learned, on disk: one .npz file with vectors, weights and trees, and the known tasks beside it.

Vectors are kept as float16, and learned from as they are kept, so that a stored model plans as a fresh one.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from copilot.workflows.foreign.learning import WAYS, Scorer, Way
from copilot.workflows.foreign.planning import Learned
from copilot.workflows.foreign.reading import ForeignError, KnownTask, read_known, read_tools
from copilot.workflows.foreign.texts import TaskTexts, ToolTexts

FOLDER = Path(__file__).with_name("geoplan")
LEARNED = FOLDER / "learned.npz"
TOOLS = "tools.json"
TASKS = "tasks.jsonl"
Texts = TypeVar("Texts", TaskTexts, ToolTexts)


def write_learned(path: Path, learned: Learned) -> None:
    """Write all but the questions and the tools, which stand beside it as they came."""
    arrays: dict[str, Any] = {
        "tasks.whole": learned.tasks.whole.astype(np.float16),
        "tasks.plain": learned.tasks.plain.astype(np.float16),
        "tasks.parts": learned.tasks.parts.astype(np.float16),
        "tasks.owner": learned.tasks.owner.astype(np.int32),
        "tools.names": learned.tools.names.astype(np.float16),
        "tools.descriptions": learned.tools.descriptions.astype(np.float16),
        "tools.phrases": learned.tools.phrases.astype(np.float16),
        "tools.owner": learned.tools.owner.astype(np.int32),
    }
    for way in WAYS:
        kept = _scorer_arrays(learned.scorers[way])
        arrays |= {_prefix(way) + name: value for name, value in kept.items()}
    np.savez_compressed(path, **arrays)


def read_learned(path: Path = LEARNED) -> Learned:
    """Read what write_learned wrote; ForeignError when it is missing or does not fit the tasks beside it."""
    tools, tasks = read_tools(path.with_name(TOOLS)), read_known(path.with_name(TASKS))
    try:
        with np.load(path) as file:
            arrays = dict(file)
    except (OSError, ValueError) as error:
        raise ForeignError(
            f"{path} cannot be read; make it again: python -m copilot.workflows.foreign.train."
        ) from error
    sizes = [len(arrays.get(name, ())) for name in ("tasks.whole", "tools.names")]
    if sizes != [len(tasks), len(tools)] or any(_prefix(way) + "trees" not in arrays for way in WAYS):
        raise ForeignError(
            f"{path} does not fit the tasks beside it; run: python -m copilot.workflows.foreign.train."
        )
    task_vectors = TaskTexts(
        tuple(known.task.question for known in tasks),
        arrays["tasks.whole"].astype(np.float32),
        arrays["tasks.plain"].astype(np.float32),
        arrays["tasks.parts"].astype(np.float32),
        arrays["tasks.owner"].astype(np.int64),
        tuple(known.task.domain for known in tasks),
        tuple(known.task.complexity for known in tasks),
    )
    tool_vectors = ToolTexts(
        tools,
        arrays["tools.names"].astype(np.float32),
        arrays["tools.descriptions"].astype(np.float32),
        arrays["tools.phrases"].astype(np.float32),
        arrays["tools.owner"].astype(np.int64),
    )
    scorers = {way: _scorer(arrays, _prefix(way)) for way in WAYS}
    names = {tool.name: place for place, tool in enumerate(tools)}
    return Learned(task_vectors, tool_vectors, sequences_of(tasks, names), scorers)


def sequences_of(tasks: tuple[KnownTask, ...], names: dict[str, int]) -> tuple[tuple[int, ...], ...]:
    """The tools of each task by their number; ForeignError for one that is not in the list."""
    for known in tasks:
        for tool in known.tools:
            if tool not in names:
                raise ForeignError(
                    f"Task {known.task.id!r} used {tool!r}, which is not in the list of tools."
                )
    return tuple(tuple(names[tool] for tool in known.tools) for known in tasks)


def as_stored(texts: Texts) -> Texts:
    """The same with its vectors rounded as a file keeps them."""
    rounded: dict[str, Any] = {
        name: value.astype(np.float16).astype(np.float32)
        for name, value in vars(texts).items()
        if isinstance(value, np.ndarray) and value.dtype == np.float32
    }
    return replace(texts, **rounded)


def _prefix(way: Way) -> str:
    return f"{'fields' if way.fields else 'question'}.{'seen' if way.seen else 'unseen'}."


def _scorer_arrays(scorer: Scorer) -> dict[str, NDArray[Any]]:
    trees = zlib.compress(scorer.trees.model_to_string().encode(), 9)
    return {
        "names": np.array(scorer.names),
        "trees": np.frombuffer(trees, dtype=np.uint8),
        "mean": scorer.mean,
        "scale": scorer.scale,
        "weights": scorer.weights,
        "bias": np.array(scorer.bias),
    }


def _scorer(arrays: dict[str, NDArray[Any]], prefix: str) -> Scorer:
    import lightgbm

    kept = {name: arrays[prefix + name] for name in ("names", "trees", "mean", "scale", "weights", "bias")}
    trees = zlib.decompress(kept["trees"].tobytes()).decode()
    return Scorer(
        tuple(str(name) for name in kept["names"]),
        lightgbm.Booster(model_str=trees),
        kept["mean"],
        kept["scale"],
        kept["weights"],
        float(kept["bias"]),
    )
