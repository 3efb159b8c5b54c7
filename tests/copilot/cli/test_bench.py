"""`copilot bench` report and add, as a user runs them; the runs themselves are in tests/copilot/bench/run."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest

from copilot.bench.run.store import Runs
from copilot.bench.run.tasks import task_set
from copilot.cli.bench.build import print_reworded
from copilot.engine import Engine
from copilot.session import Session
from tests.copilot.bench.run.hand import hand_tasks
from tests.copilot.bench.test_report import finished
from tests.copilot.cli.conftest import Copilot


@pytest.fixture(scope="module")
def home(copilot: Copilot) -> Engine:
    """The engine of the command line's home."""
    catalogue = copilot.settings["AZIMUTH_CATALOGUE"]
    return Engine(Path(copilot.settings["AZIMUTH_HOME"]), catalogue_url=catalogue, today=date(2026, 11, 20))


@pytest.fixture(scope="module")
def run_id(home: Engine) -> str:
    return finished(home, hand_tasks(Engine.in_memory_like(home), 4)).id


def test_the_group_lists_a_command_for_each_of_its_modules(copilot: Copilot):
    shown = copilot("bench", "--help").out
    assert [name for name in ("build", "lint", "run", "report", "add") if f" {name} " not in shown] == []
    assert copilot("bench", "nonsense").status == 2


def test_a_report_is_one_json_value_with_the_published_row_apart(copilot: Copilot, run_id: str):
    told = copilot("bench", "report", run_id, "--json").json
    assert [each["run"] for each in told["runs"]] == [run_id]
    assert (told["runs"][0]["tasks"], told["runs"][0]["success"]) == (4, 0.75)
    assert told["published"]["rows"] == [
        {"name": "GPT-4 Turbo, ReAct, few-shot", "success": 0.811, "correctness": 0.843}
    ]


def test_a_report_in_text_has_every_table(copilot: Copilot, run_id: str):
    shown = copilot("bench", "report").out
    titles = (
        "Overall",
        "Step by step",
        "By number of calls",
        "By kind of request",
        "Kinds of error",
        "By intent",
    )
    assert [title for title in titles if f"\n{title}\n" not in shown] == []
    assert "published: GPT-4 Turbo, ReAct, few-shot" in shown and "75.0%" in shown


def test_two_runs_are_compared_task_by_task(copilot: Copilot, home: Engine, run_id: str):
    other = finished(home, hand_tasks(Engine.in_memory_like(home), 3), agent="react")
    told = copilot("bench", "report", run_id, other.id, "--json").json
    assert told["differences"] == {"both": 3, "neither": 0, "only_first": [], "only_second": []}
    assert "Side by side" in copilot("bench", "report", run_id, other.id).out


def test_runs_of_different_versions_are_told_apart(copilot: Copilot, home: Engine, run_id: str):
    other = finished(home, hand_tasks(Engine.in_memory_like(home), 2), epsilon=0.0)
    why = (
        "They were graded with another ε. Their figures do not compare, so each stands by itself "
        "(hand-1, ε 0.01 · hand-1, ε 0)."
    )
    shown = copilot("bench", "report", run_id, other.id).out
    assert shown.startswith(f"{why}\n") and shown.count("\nOverall\n") == 2 and "Side by side" not in shown
    told = copilot("bench", "report", run_id, other.id, "--json").json
    assert told["apart"] == why and "differences" not in told


def test_a_run_that_has_no_result_yet_is_not_the_newest(copilot: Copilot, home: Engine, run_id: str):
    runs = Runs(home.home)
    begun = replace(runs.get(run_id).settings, created_at="2099-01-01T00:00:00+00:00", shots=3)
    empty = runs.new(begun)
    assert [each["run"] for each in copilot("bench", "report", "--json").json["runs"]] != [empty.id]
    listed = copilot("bench", "report", "--list").out
    assert f"{empty.id}  0 of 4 tasks  nothing yet  direct, embedded, 3-shot\n" in listed
    shutil.rmtree(empty.folder)


def test_a_run_is_gone_on_with_as_it_began(copilot: Copilot, run_id: str):
    changed = copilot("bench", "run", "--resume", run_id, "--agent", "cot", "--shots", "2")
    assert (changed.status, changed.err) == (
        1,
        "--resume goes on with a run as it began; leave out --agent and --shots.\n",
    )
    whole = copilot("bench", "run", "--tasks", "6", "--shots", "11")
    assert whole.status == 2 and "--shots" in whole.err


def test_an_interrupted_run_says_how_to_go_on(
    copilot: Copilot, home: Engine, run_id: str, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    command, tasks = import_module("copilot.cli.bench.run"), hand_tasks(Engine.in_memory_like(home), 4)
    found = (Runs(home.home).get(run_id), task_set("hand", tasks, missing=()))
    monkeypatch.setattr(command, "_resumed", lambda *given: found)
    monkeypatch.setattr(command, "_run", interrupted)
    done = copilot("bench", "run", "--resume", run_id)
    said = f"Interrupted; `copilot bench run --resume {run_id}` goes on.\n"
    assert (done.status, done.out, done.err) == (130, "", said)


def test_a_limit_that_cannot_be_kept_is_refused_before_anything_is_spent(copilot: Copilot):
    command = ("bench", "run", "--tasks", "6", "--model", "mine", "--limit-usd", "5")
    refused = copilot(*command, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert refused.status == 1 and refused.err.startswith("No price is known for 'mine' at this address, so ")


def test_a_report_is_written_as_a_page(copilot: Copilot, run_id: str, tmp_path: Path):
    assert copilot("bench", "report", run_id, "--html", str(tmp_path / "r.html")).status == 0
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    missing = copilot("bench", "report", run_id, "--html", str(tmp_path / "no" / "r.html"))
    assert (missing.status, missing.err.count("\n")) == (1, 1) and "cannot be written" in missing.err


def test_runs_are_listed_and_an_unknown_one_is_told(copilot: Copilot, run_id: str):
    listed = copilot("bench", "report", "--list", "--json").json
    assert run_id in [each["run"] for each in listed]
    unknown = copilot("bench", "report", "nothing")
    assert unknown.status == 1 and unknown.err.startswith("There is no run 'nothing'; the last are ")


def test_a_thumbs_down_is_added_and_what_is_missing_is_asked_for(
    copilot: Copilot, home: Engine, tmp_path: Path
):
    session = Session.open(engine=home)
    session.ask("zoom to level 7")
    assert "has no thumbs-down" in copilot("bench", "add", "--session", session.id, "--turn", "1").err
    session.call("record_feedback", rating="down", turn=1)
    asked = copilot("bench", "add", "--session", session.id)
    assert asked.status == 1 and "Give --expect-state-of TURN" in asked.err
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"tool": "zoom_map"')
    broken = copilot("bench", "add", "--session", session.id, "--calls", str(calls))
    assert broken.status == 1 and "holds no JSON lines" in broken.err
    calls.write_text('{"tool": "zoom_map", "args": {"level": 8}}\n\n')
    added = copilot("bench", "add", "--session", session.id, "--calls", str(calls), "--json").json
    assert (added["request"], added["calls"]) == (
        "zoom to level 7",
        [{"tool": "zoom_map", "args": {"level": 8}}],
    )
    lines = (home.home / "bench" / "mine.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [added["id"]]


def test_tasks_that_are_none_are_told_before_anything_runs(copilot: Copilot, home: Engine):
    before = len(Runs(home.home).all())
    wrong = copilot("bench", "run", "--tasks", "plenty")
    assert wrong.status == 1 and "'plenty' is none of 500, 10k, 100k" in wrong.err
    nobody = copilot("bench", "run", "--tasks", "plenty", "--agent", "nobody")
    assert nobody.status == 1 and "There is no agent 'nobody'" in nobody.err
    keyless = copilot("bench", "run", "--tasks", "plenty", "--model", "gpt-4o-mini")
    assert keyless.status == 1 and "No address is configured for the model" in keyless.err
    assert len(Runs(home.home).all()) == before


def test_requests_of_another_name_are_refused_with_the_names_there_are(copilot: Copilot):
    refused = copilot("bench", "solutions", "--requests", "hidden", "--json")
    assert refused.status != 0
    assert refused.json["error"] == (
        "There are no requests called 'hidden'; there are developed, heldout and both."
    )


@pytest.mark.parametrize(
    ("reworded", "said"),
    [
        (2, "2 of 2 requests are in the words of mine.\n"),
        (1, "1 of 2 requests are in the words of mine; where it said nothing, or lost or added something, "),
    ],
)
def test_how_many_requests_a_model_has_reworded_is_told(
    capsys: pytest.CaptureFixture[str], reworded: int, said: str
):
    print_reworded("mine", {"tasks": 2, "paraphrased": reworded})
    assert capsys.readouterr().err.startswith(said)
