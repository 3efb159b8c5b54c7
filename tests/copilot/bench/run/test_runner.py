"""Runs on Dask: results with traces, limits, and going on after a kill."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from distributed import LocalCluster
from pyarrow import parquet

from copilot.agents import asking
from copilot.bench.report import graded, summary
from copilot.bench.run.limits import Limits
from copilot.bench.run.runner import RunFailed, carry_on
from copilot.bench.run.store import Progress, Run, Runs, Settings
from copilot.bench.run.tasks import NoTasks, TaskSet, task_set, wanted_tasks
from copilot.bench.run.work import Work, run_chunk
from copilot.engine import Engine
from copilot.session import Answer, Session
from tests.copilot.bench.run.hand import hand_tasks
from tests.openai_server import OpenAIServer, calls, fails, says

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a real scheduler, whose workers are threads of this process: quick to start."""
    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def tasks(engine: Engine) -> TaskSet:
    return task_set("hand", hand_tasks(engine))


def begun(engine: Engine, tasks: TaskSet, **changed: object) -> Run:
    settings = Settings(
        tasks=tasks.name, version=tasks.version, digest=tasks.digest, total=len(tasks.tasks), agent="direct",
        model="embedded", shots=0, epsilon=0.0, today=engine.clock().isoformat(),
        catalogue=engine.catalogue_address, code="test", chunk=3, created_at="2026-11-21T20:00:00+00:00",
    )  # fmt: skip
    return Runs(engine.home).new(replace(settings, **changed))  # type: ignore[arg-type]


def test_every_task_has_a_result_with_its_trace(engine: Engine, tasks: TaskSet, scheduler: str):
    run = begun(engine, tasks)
    seen: list[int] = []
    progress = carry_on(run, tasks, jobs=1, scheduler=scheduler, tell=lambda so_far: seen.append(so_far.done))
    rows = run.rows()
    assert [row["id"] for row in rows] == [task.id for task in tasks.tasks]
    assert [row["success"] for row in rows] == [True, True, True, False] * 2
    assert (progress.done, progress.succeeded, progress.stopped, progress.pid) == (8, 6, "", 0)
    assert seen == [0, *sorted(seen[1:])] and seen[-1] == 8
    trace = json.loads(rows[0]["trace"])
    assert [line["kind"] for line in trace] == ["request", "call", "call", "reply"]
    assert [(line["tool"], line["args"], line["ok"]) for line in trace if line["kind"] == "call"] == [
        ("db_load", {"names": ["xview1"]}, True),
        ("cluster_plot", {}, True),
    ]
    assert trace[-1]["text"] == rows[0]["reply"] and rows[0]["outcome"] == "done"
    assert json.loads(rows[0]["gold"])[0]["tool"] == "db_load"
    assert run.result("hand-003") == rows[3] and run.result("hand-999") is None
    assert list(engine.home.glob("sessions/*")) == []


def test_a_run_in_one_value_says_what_the_command_promises(engine: Engine, tasks: TaskSet, scheduler: str):
    run = begun(engine, tasks)
    carry_on(run, tasks, jobs=1, scheduler=scheduler)
    told = summary(graded(run))
    promised = (
        "tasks version agent model success correctness rouge_l tokens_per_task seconds by_calls".split()
    )
    assert [name for name in promised if name not in told] == []
    assert (told["tasks"], told["version"], told["agent"], told["model"]) == (
        8,
        "hand-1",
        "direct",
        "embedded",
    )
    assert told["success"] == 0.75 and told["finished"] is True
    assert told["ni"] == 2.25  # the model is asked once more for the answer: 3 rounds of two calls, 2 of one
    by_calls = [(each["calls"], each["tasks"], each["success"]) for each in told["by_calls"]]
    assert by_calls == [(1, 6, 0.6667), (2, 2, 1.0)]


def test_an_interrupt_that_was_swallowed_ends_the_run_after_the_chunk(
    engine: Engine, tasks: TaskSet, scheduler: str
):
    def swallowing(so_far: Progress) -> None:
        if so_far.done:  # as where the garbage collector calls back: what is raised there is lost
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)

    run, before = begun(engine, tasks), signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        carry_on(run, tasks, jobs=1, scheduler=scheduler, tell=swallowing)
    assert len(run.parts()) == 1 and run.progress.done == len(run.rows())
    assert (run.progress.pid, signal.getsignal(signal.SIGINT)) == (0, before)


def test_finished_chunks_are_not_run_again(engine: Engine, tasks: TaskSet, scheduler: str):
    run = begun(engine, tasks)
    carry_on(run, tasks, jobs=1, scheduler=scheduler)
    kept = {number: path.stat().st_mtime_ns for number, path in run.parts().items()}
    assert sorted(kept) == [0, 1, 2]
    run.parts()[1].unlink()
    (run.folder / "part-000001.unfinished").write_bytes(b"cut in the middle")
    progress = carry_on(run, tasks, jobs=1, scheduler=scheduler)
    assert progress.done == 8 and [row["id"] for row in run.rows()] == [task.id for task in tasks.tasks]
    assert {n: path.stat().st_mtime_ns for n, path in run.parts().items() if n != 1} == {
        n: when for n, when in kept.items() if n != 1
    }


def test_a_limit_stops_the_run_and_says_so(
    engine: Engine, tasks: TaskSet, scheduler: str, monkeypatch: pytest.MonkeyPatch
):
    # The embedded planner uses no tokens: each task is made to cost some.
    monkeypatch.setattr(Progress, "add", _dear)
    run = begun(engine, tasks, chunk=1)
    progress = carry_on(run, tasks, jobs=1, scheduler=scheduler, limits=Limits(tokens=250))
    # Two workers' slots: what was out when the limit was reached is finished and kept.
    assert 3 <= progress.done <= 4
    assert progress.stopped == f"The limit of 250 tokens is reached: {100 * progress.done} were used."
    assert not run.finished and run.progress.stopped == progress.stopped
    further = carry_on(run, tasks, jobs=1, scheduler=scheduler)
    assert (further.done, further.stopped, run.finished) == (8, "", True)


def test_a_run_whose_limit_is_reached_already_runs_nothing_more(
    engine: Engine, tasks: TaskSet, scheduler: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Progress, "add", _dear)
    run = begun(engine, tasks, chunk=1)
    done = carry_on(run, tasks, jobs=1, scheduler=scheduler, limits=Limits(tokens=250)).done
    again = carry_on(run, tasks, jobs=1, scheduler=scheduler, limits=Limits(tokens=300))
    assert (again.done, again.stopped[:35]) == (done, "The limit of 300 tokens is reached:")
    nothing = carry_on(begun(engine, tasks), tasks, jobs=1, scheduler=scheduler, limits=Limits(usd=0))
    assert (nothing.done, nothing.stopped) == (0, "The limit of 0 USD is reached: 0.00 were spent.")


def test_a_model_that_does_not_answer_ends_the_run_and_spoils_no_result(
    engine: Engine, tasks: TaskSet, scheduler: str, serve: Callable[..., OpenAIServer]
):
    serve(fails(401, "No such key."))
    run = begun(engine, tasks, model="small")
    with pytest.raises(RunFailed) as gone:
        carry_on(run, tasks, jobs=1, scheduler=scheduler)
    assert str(gone.value) == (
        "The model 'small' does not answer, so the run was ended: The model's server refused the key (401); "
        f"check OPENAI_API_KEY. Nothing was lost; try again. `copilot bench run --resume {run.id}` goes on."
    )
    assert (run.parts(), run.progress.done, run.progress.pid) == ({}, 0, 0)
    serve(says("I would rather not."))
    assert carry_on(run, tasks, jobs=1, scheduler=scheduler).done == 8
    assert (graded(run).unanswered, graded(run).metrics.success) == (0, 0.0)


def test_tasks_that_a_failing_server_left_unanswered_are_counted(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., OpenAIServer]
):
    monkeypatch.setattr(asking, "DELAYS", (0.01, 0.01))
    serve(says("No."), calls(("zoom_map", {"level": 5})), fails(500, "Out of memory."))
    work = Work(engine.catalogue_address, engine.clock().isoformat(), "direct", "small", 0, 0.01)
    tasks = hand_tasks(engine, 3)
    run = begun(engine, task_set("hand", tasks), model="small")
    run.write_part(0, run_chunk([task.to_json() for task in tasks], work))
    assert [row["unanswered"] for row in run.rows()] == [False, True, True]
    assert (graded(run).unanswered, summary(graded(run))["unanswered"]) == (2, 2)


def _dear(self: Progress, rows: list[dict[str, object]]) -> None:
    self.done += len(rows)
    self.tokens += 100 * len(rows)


def test_the_tokens_of_a_server_that_counts_none_are_estimated_for_the_limit():
    progress = Progress()
    progress.add([{"success": True, "tokens": 100, "estimated_tokens": 900, "usd": None}])
    progress.add([{"success": True, "tokens": 50, "estimated_tokens": None, "usd": None}])
    assert Limits(tokens=1_051).reached(progress) == ""
    assert Limits(tokens=1_050).reached(progress) == (
        "The limit of 1,050 tokens is reached: 1,050 were used, 900 of them estimated."
    )


def test_what_could_not_be_graded_is_neither_right_nor_wrong():
    progress = Progress()
    assert progress.success is None
    row = {"tokens": 0, "estimated_tokens": 0, "usd": None}
    progress.add([{"success": None, **row}, {"success": True, **row}, {"success": False, **row}])
    assert (progress.done, progress.ungraded, progress.success) == (3, 1, 0.5)


def test_a_limit_in_money_needs_a_known_price(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert Limits(usd=1).cannot_be_kept("mine").startswith("No price is known for 'mine' at this address")
    assert (Limits(tokens=1).cannot_be_kept("mine"), Limits(usd=1).cannot_be_kept("embedded")) == ("", "")
    prices = tmp_path / "prices.toml"
    prices.write_text("[models]\nmine = { input = 1, output = 2 }\n")
    monkeypatch.setenv("COPILOT_PRICES", str(prices))
    assert Limits(usd=1).cannot_be_kept("mine") == ""
    monkeypatch.setenv("COPILOT_FALLBACK_MODEL", "other")
    assert "'other'" in Limits(usd=1).cannot_be_kept("mine")


def test_results_of_an_older_version_are_read_with_what_they_lack_empty(engine: Engine, tasks: TaskSet):
    run = begun(engine, tasks)
    old = pa.table({"id": ["a"], "success": [True], "tokens": [7], "usd": [0.5]})
    parquet.write_table(old, run.folder / "part-000000.parquet")
    assert run.rows(("id", "tokens", "estimated_tokens")) == [
        {"id": "a", "tokens": 7, "estimated_tokens": None}
    ]
    found = run.result("a")
    assert found is not None and (found["usd"], found["trace"]) == (0.5, None)


def test_a_run_that_other_code_began_is_found_and_not_gone_on_with(engine: Engine, tasks: TaskSet):
    old = begun(engine, tasks, code="old")
    now = replace(old.settings, code="new", created_at="2026-11-22T08:00:00+00:00")
    runs = Runs(engine.home)
    assert (runs.unfinished(now), runs.of_other_code(now)) == (None, old)
    assert runs.of_other_code(old.settings) is None
    assert runs.of_other_code(replace(now, agent="react")) is None


def test_a_scheduler_that_is_not_there_is_told_in_one_sentence(
    engine: Engine, tasks: TaskSet, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("copilot.bench.run.runner.SCHEDULER_SECONDS", 1)
    run = begun(engine, tasks)
    with pytest.raises(RunFailed, match=r"^No Dask scheduler answers at 'tcp://127\.0\.0\.1:9'\.$"):
        carry_on(run, tasks, jobs=1, scheduler="tcp://127.0.0.1:9")
    assert run.progress.pid == 0


@pytest.mark.parametrize("scheduler", ["nonsense", "tcp://host", "tcp://host:port", "8786"])
def test_what_is_no_address_of_a_scheduler_is_told_at_once(engine: Engine, tasks: TaskSet, scheduler: str):
    with pytest.raises(RunFailed) as wrong:
        carry_on(begun(engine, tasks), tasks, jobs=1, scheduler=scheduler)
    assert str(wrong.value) == (
        f"'{scheduler}' is no address of a Dask scheduler; give one such as tcp://host:8786."
    )


def test_tasks_that_need_what_is_not_there_are_left_out_and_counted(engine: Engine):
    tasks = hand_tasks(engine, 4)
    needy = [replace(tasks[0], needs=("network",)), replace(tasks[1], needs=("upload",)), *tasks[2:]]
    found = task_set("hand", needy, missing=("network", "upload"))
    assert [task.id for task in found.tasks] == ["hand-002", "hand-003"]
    assert found.skipped == {"network": 1, "upload": 1}
    with pytest.raises(NoTasks, match="Every task of 'hand' needs what is not there: network"):
        task_set("hand", needy[:1], missing=("network",))


def test_tasks_of_two_versions_are_not_run_together(engine: Engine):
    one, other = hand_tasks(engine, 2)
    with pytest.raises(NoTasks, match="mixes tasks of different versions"):
        task_set("hand", [one, replace(other, version="hand-2")], missing=())
    with pytest.raises(NoTasks, match="holds the task hand-000 more than once"):
        task_set("hand", [one, one], missing=())


def test_a_size_is_built_when_it_is_first_asked_for(engine: Engine):
    name, tasks, stamp = wanted_tasks("6", engine)
    assert stamp is not None and (name, len(tasks), tasks[0].version) == ("6", 6, stamp.version)
    (path,) = (engine.home / "bench").glob("tasks-6*")
    built = path.stat().st_mtime_ns
    assert wanted_tasks("6", engine) == ("6", tasks, stamp) and path.stat().st_mtime_ns == built
    for wrong in ("many", "0", "-3", "0-dev"):
        with pytest.raises(NoTasks, match=rf"'{wrong}' is none of 500, 10k, 100k .* and mine, and no file"):
            wanted_tasks(wrong, engine)


def test_an_agent_cannot_write_to_the_catalogue(engine: Engine, tmp_path: Path):
    (tmp_path / "points.csv").write_text("lon,lat\n3.4,6.5\n")
    before = sorted(each.name for each in Path(engine.catalogue_address).iterdir())
    task = replace(hand_tasks(engine, 1)[0], request=f"ingest {tmp_path}/points.csv")
    work = Work(engine.catalogue_address, engine.clock().isoformat(), "direct", "embedded", 0, 0.01)
    (row,) = run_chunk([task.to_json()], work)
    calls = [line for line in json.loads(row["trace"]) if line["kind"] == "call" and line["ok"]]
    assert (calls, row["success"]) == ([], False)
    assert sorted(each.name for each in Path(engine.catalogue_address).iterdir()) == before


def test_an_agent_that_breaks_at_one_task_does_not_end_the_run(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    tasks = hand_tasks(engine, 3)
    ask = Session.ask

    def broken(self: Session, request: str, **options: Any) -> Answer:
        if request == tasks[1].request:
            raise RuntimeError("nobody thought of this")
        return ask(self, request, **options)

    monkeypatch.setattr(Session, "ask", broken)
    work = Work(engine.catalogue_address, engine.clock().isoformat(), "direct", "embedded", 0, 0.01)
    rows = run_chunk([task.to_json() for task in tasks], work)
    assert [row["outcome"] for row in rows] == ["done", "failed", "done"]
    assert (rows[1]["success"], rows[1]["reply"]) == (False, "The agent broke: RuntimeError.")
