"""A whole build: the same however many processes make it, of the kinds that were asked for, and proved."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from copilot.bench.build.builder import Wish, build, built_path, chosen
from copilot.bench.build.stamp import comparable
from copilot.bench.build.taskfile import read_header, read_tasks
from copilot.bench.lint import lint
from copilot.cli import app
from copilot.engine import Engine
from tests.copilot.bench.build.small_intents import intent, small_intents
from tests.openai_server import KEY, openai_server, says


def made(engine: Engine, path: Path, **wish: object) -> Path:
    build(Wish(**{"size": 20, **wish}), small_intents(), engine, path)  # type: ignore[arg-type]
    return path


def test_the_same_seed_makes_the_same_file_however_many_processes_make_it(
    engine: Engine, tmp_path: Path
) -> None:
    one = made(engine, tmp_path / "one.gz", size=30, jobs=1)
    two = made(engine, tmp_path / "two.gz", size=30, jobs=2)
    assert one.read_bytes() == two.read_bytes()


def test_another_seed_makes_other_tasks_and_another_version(engine: Engine, tmp_path: Path) -> None:
    files = [made(engine, tmp_path / f"{seed}.gz", seed=seed) for seed in (0, 1)]
    requests = [{task.request for task in read_tasks(file)} for file in files]
    assert len(requests[0] - requests[1]) > 10
    one, other = (read_header(file) for file in files)
    assert one is not None and other is not None
    assert comparable(one.stamp, other.stamp) == "These are other tasks: they differ in the seed."


def test_a_build_has_its_mix_its_report_and_no_flaw(
    engine: Engine, small_catalogue: Path, tmp_path: Path
) -> None:
    path = made(engine, tmp_path / "t.gz", size=40)
    tasks, header = list(read_tasks(path)), read_header(path)
    assert header is not None
    report = header.report
    assert report["by_category"] == {"information": 8, "load-filter-plot": 24, "ui-web": 8}
    assert report["tasks"] == len(tasks) == 40
    assert report["mean_calls"] == round(sum(task.complexity for task in tasks) / 40, 3)
    assert report["attempts"] == 40 + sum(report["dropped"].values())
    assert sum(report["candidates"].values()) >= 10 * 40
    assert {task.version for task in tasks} == {header.stamp.version}
    assert lint(tasks, str(small_catalogue), version=header.stamp.version).problems == []


def test_the_halves_share_no_intent(engine: Engine, tmp_path: Path) -> None:
    dev, held = (chosen(small_intents(), split) for split in ("dev", "held-out"))
    assert {each.id for each in (*dev, *held)} == {each.id for each in small_intents()}
    assert not {each.id for each in dev} & {each.id for each in held}
    path = made(engine, tmp_path / "dev.gz", size=6, split="dev")
    assert {task.intent for task in read_tasks(path)} <= {each.id for each in dev}


def test_a_kind_that_has_no_more_to_give_is_told(engine: Engine, tmp_path: Path) -> None:
    one = replace(intent("page-and-base"), slots={}, requests=("Open the data page",) * 4)
    one = replace(one, calls=one.calls[:1])
    one = replace(one, calls=(type(one.calls[0])("open_page", {"name": "data"}),), reply="Open.")
    header = build(Wish(400), [one], engine, tmp_path / "t.gz")
    assert 20 < header.report["tasks"] < 100
    assert header.report["short_of"] == {"ui-web": 400 - header.report["tasks"]}
    assert header.report["dropped"]["the same as another"] >= 2000


def test_there_is_nothing_to_build_of_no_intents(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no intents"):
        build(Wish(5), [], engine, tmp_path / "t.gz")
    assert not (tmp_path / "t.gz").exists()


def test_what_needs_the_network_is_not_built() -> None:
    assert chosen([replace(intent("cannot-sail"), needs=("network",))], "all") == ()


def test_a_model_words_the_requests_and_the_report_counts_them(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def turned_around(asked: dict[str, object]) -> object:
        messages = asked["messages"]
        assert isinstance(messages, list)
        return says(f"My request is this one: {messages[-1]['content']}")

    with openai_server(turned_around) as server:  # type: ignore[arg-type]
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        header = build(Wish(6, model="small"), small_intents(), engine, tmp_path / "t.gz")
    assert header.report["paraphrased"] == 6
    assert header.stamp.paraphrased == "small"
    assert all(task.request.startswith("My request is this one:") for task in read_tasks(tmp_path / "t.gz"))


def test_an_agent_has_a_vote_where_one_is_named(engine: Engine, tmp_path: Path) -> None:
    header = build(Wish(8, agents=("direct",)), small_intents(), engine, tmp_path / "t.gz")
    assert header.report["candidates"]["agent"] >= 4
    assert header.stamp.agents == "direct"


def test_the_command_line_builds_lints_and_replays(
    small_catalogue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZIMUTH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AZIMUTH_CATALOGUE", str(small_catalogue))
    monkeypatch.setattr("copilot.bench.build.intents.load_intents", small_intents)
    runner = CliRunner()
    result = runner.invoke(app, ["bench", "build", "8", "--jobs", "1", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    path = built_path(tmp_path / "home", 8)
    assert (told["file"], told["tasks"]) == (str(path), 8)
    assert len(list(read_tasks(path))) == 8
    result = runner.invoke(app, ["bench", "lint", str(path), "--jobs", "1", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["wrong"]) == (0, 0)
    result = runner.invoke(app, ["bench", "replay", str(path), "--jobs", "1", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["wrong"]) == (0, 0)
    result = runner.invoke(app, ["bench", "replay", str(tmp_path / "none.gz"), "--jobs", "1"])
    assert result.exit_code == 1 and "cannot be read" in result.stderr
    result = runner.invoke(app, ["bench", "build", "lots"])
    assert result.exit_code == 1 and "'lots' is no number of tasks" in result.stderr
