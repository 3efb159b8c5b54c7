"""The library of workflows as its page shows it."""

from __future__ import annotations

from dataclasses import replace

from copilot.view.workflow_library import (
    about_html,
    fields,
    nodes_of,
    possible,
    ran_on,
    rows,
    statement,
    title_of,
)
from copilot.workflows.model import Task, Workflow
from copilot.workflows.reading import library
from copilot.workflows.recording import ran, read_record
from tools.conditions import Thing

RADAR = Thing("raster", modality=("radar",), level=("amplitude", "intensity"), placed=True, metric=True)


def task(name: str) -> Task:
    return next(each for each in library() if each.id == name)


def test_the_statement_counts_what_the_record_says_was_run() -> None:
    record = read_record()
    flows = [each for one in library() for each in one.workflows]
    tried = [each for each in flows if ran(each, record)]
    said = statement(library())
    assert said.startswith(
        f"{len(library())} tasks and {len(flows):,} workflows, checked against their sources"
    )
    assert f"{len(tried)} of them, at least one of each task, ran here to their end" in said
    assert "expert" not in said


def test_every_task_is_browsed_by_its_field() -> None:
    counts = fields(library())
    assert sum(counts.values()) == len(library()) == len(rows(library()))
    assert {each.field for each in rows(library(), field="water")} == {"water"}
    assert len(rows(library(), field="water")) == counts["water"]


def test_words_find_the_tasks_that_they_are_about() -> None:
    assert {each.id for each in rows(library(), "flood")} >= {"flood_extent_radar", "flood_extent_optical"}
    assert rows(library(), "map what burned")[0].id == "burn_severity"
    assert rows(library(), "flood", "archaeology") == ()
    assert rows(library(), "burn severity")[0].title == "Burn severity"


def test_a_radar_pair_allows_what_wants_a_radar_pair_and_lacks_are_said() -> None:
    found = possible(library(), {"one": RADAR, "two": RADAR})
    ready = {each.task.id: each for each in found if not each.lacks}
    assert dict(ready["flood_extent_radar"].fit.inputs) == {"before": "one", "after": "two"}
    assert ready["flood_extent_radar"].ran
    assert "crop_vigour" not in ready
    assert all(each.lacks for each in found[len(ready) :])  # what is ready comes first
    nearly = next(each for each in found if each.task.id == "flood_exposed_buildings")
    assert nearly.lacks.startswith("Buildings is missing")
    assert possible(library(), {}) == ()


def test_what_ran_says_on_what_and_what_was_measured() -> None:
    pair = next(each for each in task("flood_extent_radar").workflows if each.id.endswith("/pair"))
    assert "the before of a rendered sar pair of a flood" in ran_on(pair)
    assert "IoU with the true changed" in ran_on(pair)
    assert ran_on(replace(pair, steps=pair.steps[:0])) == ""


def test_data_and_steps_become_nodes_and_data_that_nobody_takes_do_not() -> None:
    rise = next(each for each in task("flood_extent_optical").workflows if each.id.endswith("/rise"))
    nodes = nodes_of(rise, {"before": "river"})
    assert [(each.id, each.status, each.after) for each in nodes] == [
        ("before", "input", ()),
        ("after", "input", ()),
        ("index_before", "waiting", ("before",)),
        ("index_after", "waiting", ("after",)),
        ("flood", "waiting", ("index_after", "index_before")),
        ("outlines", "waiting", ("flood",)),
    ]
    assert (nodes[0].about, nodes[1].about) == ("river", "raster")


def test_names_and_sources_are_text_and_never_markup() -> None:
    evil = "<script>alert('x')</script>"
    one = Workflow("a/b", evil, evil, "own")
    known = replace(task("flood_extent_radar"), goal=evil)
    markup = about_html(known, known.workflows[0])
    assert "<script" not in markup + about_html(Task("a", "own", evil), one)
    assert "https://doi.org/" in markup
    assert title_of("a/burned_area") == "Burned area"
