"""A job's function as it travels to a worker, and how it is run there."""

from __future__ import annotations

import importlib
import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from copilot.worker.folder import FolderProgress, JobFolder
from data.progress import Cancelled

How = Literal["done", "raised", "cancelled", "memory", "died", "blind", "lost"]
TRIES = 2
"""How often a job is started in all: once more when its worker dies."""


@dataclass(frozen=True)
class Outcome:
    """How a job ended.

    done, raised, cancelled: as the function did; memory: it asked for more memory than there is; died: its
    worker did, twice; blind: the worker does not see the job's folder; lost: the scheduler is gone.
    """

    how: How
    value: Any = None
    """What the function returned or raised."""
    detail: str = ""


def packed(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> bytes:
    """The call of the function as bytes. Raises TypeError, for the programmer, when it cannot travel."""
    check_importable(function)
    try:
        return pickle.dumps((function.__module__, function.__qualname__, tuple(args), dict(kwargs)))
    except Exception as error:
        named = [*enumerate(args, 1), *kwargs.items()]
        wrong = next((str(name) for name, value in named if not _pickles(value)), "?")
        raise TypeError(
            f"Argument {wrong} of {function.__qualname__} cannot be sent to a worker ({error}); "
            "work is given paths and plain values."
        ) from error


def check_importable(function: Callable[..., Any]) -> None:
    """Raise TypeError, for the programmer, for a function that another process cannot find by its name."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    found: Any = None
    if module and name and "<" not in name:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part, None)
    if found is not function or module == "__main__":
        raise TypeError(
            f"{module}.{name} cannot be found by its name in another process; "
            "work is a function at the top of a module that can be imported."
        )


def run_task(folder: str, payload: bytes, worker: str = "") -> None:
    """Run a packed call, telling into the job's folder, and how it ended at last. Never raises."""
    job = JobFolder(Path(folder))
    outcome = _outcome(job, payload, worker) if job.started(worker) else Outcome("died")
    if job.path.is_dir():
        job.end(pickle.dumps(outcome))


def run_on_worker(folder: str, payload: bytes) -> bool:
    """`run_task` in a Dask worker; False when the worker does not see the folder."""
    from distributed import get_worker

    if not Path(folder).is_dir():
        return False
    run_task(folder, payload, str(get_worker().address))
    return True


def outcome_in(folder: JobFolder) -> Outcome | None:
    """How the job of that folder ended; None while it has not."""
    kept = folder.ended()
    return None if kept is None else pickle.loads(kept)


def _outcome(job: JobFolder, payload: bytes, worker: str) -> Outcome:
    progress = FolderProgress(job)
    progress.restart()
    try:
        module, name, args, kwargs = pickle.loads(payload)
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
        value = function(progress, *args, **kwargs)
        progress.finish()
    except Cancelled:
        return Outcome("cancelled")
    except MemoryError as error:
        return Outcome("memory", detail=str(error))
    except Exception as error:
        kept = error if _pickles(error) else RuntimeError(str(error))
        return Outcome("raised", kept, traceback.format_exc())
    if not _pickles(value):
        problem = TypeError(f"{name} returned what cannot be sent back; work returns paths and plain values.")
        return Outcome("raised", problem, str(problem))
    return Outcome("done", value)


def _pickles(value: object) -> bool:
    try:
        pickle.loads(pickle.dumps(value))
    except Exception:
        return False
    return True
