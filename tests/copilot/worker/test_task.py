"""How a function travels to a worker, and what comes of it there."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from copilot.worker.folder import MAX_SHOWN, FolderProgress, JobFolder
from copilot.worker.task import Outcome, outcome_in, packed, run_task
from data.progress import Cancelled, Progress
from data.raster.errors import RasterError
from tests.copilot.worker import functions

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> JobFolder:
    made = JobFolder(tmp_path / "job")
    made.make(2)
    return made


def outcome_of(folder: JobFolder, call: bytes) -> Outcome:
    run_task(str(folder.path), call)
    outcome = outcome_in(folder)
    assert outcome is not None
    return outcome


def test_what_a_function_returns_and_tells_is_in_its_folder(folder: JobFolder) -> None:
    outcome = outcome_of(folder, packed(functions.add, (2,), {"other": 3}))
    assert (outcome, folder.told()) == (Outcome("done", 5), (0.5, "Half of it.", 0))


def test_a_function_that_nobody_else_can_find_is_told_to_the_programmer() -> None:
    def inner(progress: Progress) -> None: ...

    for wrong in (inner, lambda progress: None, folder_of.tell):
        with pytest.raises(TypeError, match=r"cannot be found by its name in another process"):
            packed(wrong, (), {})


folder_of = FolderProgress(JobFolder(Path("nowhere")))


def test_an_argument_that_cannot_travel_is_named() -> None:
    with pytest.raises(TypeError, match=r"^Argument other of add cannot be sent to a worker"):
        packed(functions.add, (1,), {"other": threading.Lock()})


def test_a_mistake_comes_back_as_it_is(folder: JobFolder, tmp_path: Path) -> None:
    outcome = outcome_of(folder, packed(functions.break_half_way, (tmp_path / "out",), {}))
    assert (outcome.how, type(outcome.value)) == ("raised", RasterError)
    assert str(outcome.value) == "The raster cannot be read beyond row 256; copy it again."


def test_a_job_that_was_told_to_stop_stops_where_it_next_tells(folder: JobFolder) -> None:
    folder.stop()
    assert outcome_of(folder, packed(functions.add, (1,), {})) == Outcome("cancelled")


def test_a_job_whose_folder_is_gone_stops_too(folder: JobFolder) -> None:
    progress = FolderProgress(folder)
    folder.remove()
    with pytest.raises(Cancelled):
        progress.tell(0.5, "Half of it.")


def test_a_job_is_started_twice_and_no_more(folder: JobFolder) -> None:
    call = packed(functions.add, (1,), {})
    assert [outcome_of(folder, call).how for _ in range(3)] == ["done", "done", "died"]


def test_what_is_found_is_shown_up_to_a_limit_and_counted_beyond(folder: JobFolder) -> None:
    progress = FolderProgress(folder)
    progress.found([{"n": 1}])
    progress.found([{"n": number} for number in range(2, MAX_SHOWN + 3)])
    told = folder.told()
    assert told is not None and told[2] == MAX_SHOWN + 2
    assert [each["n"] for each in folder.found(MAX_SHOWN - 2)] == [MAX_SHOWN - 1, MAX_SHOWN]


def test_a_job_that_comes_while_a_worker_loads_its_libraries_finds_this_projects_modules() -> None:
    """While cv2 is loaded its folder, which has a `data` too, stands before this project's in the path."""
    came = (
        "import importlib.util, sys, copilot.worker.process\n"
        "sys.path.insert(0, importlib.util.find_spec('cv2').submodule_search_locations[0])\n"
        "import copilot.worker.task"
    )
    done = subprocess.run([sys.executable, "-c", came], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
