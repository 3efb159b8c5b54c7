"""A workflow for other hands: each form is read by its own tool, and what can be run is run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from copilot.engine import Engine
from copilot.session import Session
from copilot.workflows.engine import Run
from copilot.workflows.exporting import FORMATS, cwl, notebook, script, wfformat, workflow_json
from copilot.workflows.model import Workflow
from copilot.workflows.reading import library
from copilot.workflows.scripting import Scripted
from tests.copilot.workflows.making import FILES, added, bound, workflow

ROOT = Path(__file__).parents[3]
GREEN = workflow(
    "steps:\n"
    "  - {id: index, tool: spectral_index, args: {raster: $image, index: NDVI},\n"
    "     why: Leaves are bright in near infrared., checks: [{measure: max, low: 0.5}]}\n"
    "  - {id: weak, tool: raster_calc, args: {raster: $index, expression: 'A < ${limit}', dtype: uint8}}\n"
    "gives: [$weak]",
    {"image": "raster: modality=optical, bands=nir+red"},
    {"limit": {"default": 0.3, "range": [0, 1], "why": "Below it is thin."}},
)
SCHEMA = os.environ.get("WFFORMAT_SCHEMA", "")
"""The official schema's file (wfcommons.org, 1.5), where somebody has it: no package brings it."""


def python() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


def every() -> list[Workflow]:
    return [each for task in library() for each in task.workflows]


def test_json_comes_back_as_the_workflow_that_it_was() -> None:
    assert Workflow.from_json(json.loads(workflow_json(GREEN))) == GREEN


def test_a_third_of_the_librarys_workflows_has_every_form_and_their_scripts_are_python() -> None:
    for each in every()[::3]:
        for name, (_, write) in FORMATS.items():
            text = write(each, None)
            if name == "script":
                compile(text, each.id, "exec")
            else:
                json.loads(text)


def test_notebooks_of_the_library_are_valid_by_nbformat() -> None:
    for each in every()[::20]:
        nbformat.validate(nbformat.reads(notebook(each), as_version=4))


def test_a_notebooks_cells_run_to_the_same_result_as_the_workflow(engine: Engine, session: Session) -> None:
    cells = json.loads(notebook(GREEN))["cells"]
    code = "\n".join(each["source"] for each in cells if each["cell_type"] == "code")
    code = code.replace("'image.tif'", repr(str(FILES / "scene.tif")))
    code = code.replace(f"flow = Scripted({GREEN.id!r})", "")
    flow = Scripted(GREEN.id, engine)
    names = {"flow": flow}
    exec(code, names)
    report = Run(session, bound(GREEN, image=added(session, FILES / "scene.tif"))).run()
    assert str(names["weak"]) == report.answer["$weak"]


@pytest.mark.slow
def test_a_script_runs_on_a_file_and_prints_its_answer(tmp_path: Path) -> None:
    path = tmp_path / "green.py"
    path.write_text(script(GREEN))
    env = {**python(), "AZIMUTH_HOME": str(tmp_path / "home")}
    command = [sys.executable, str(path), "--image", str(FILES / "scene.tif"), "--limit", "0.25"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("raster-")
    assert "A < 0.25" in done.stdout


def cwltool(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cwltool", "--disable-color", "--preserve-environment", "PYTHONPATH"]
    return subprocess.run(
        [*command, *arguments], cwd=folder, env=python(), capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_cwl_of_the_library_is_valid_by_cwltool(tmp_path: Path) -> None:
    chosen = {len(each.steps): each for each in every()}
    for at, each in enumerate([*chosen.values()][:3]):
        path = tmp_path / f"{at}.cwl"
        path.write_text(cwl(each))
        done = cwltool("--validate", path.name, folder=tmp_path)
        assert done.returncode == 0, (each.id, done.stderr)


@pytest.mark.slow
def test_cwl_is_run_by_cwltool_to_the_same_pixels(session: Session, tmp_path: Path) -> None:
    import numpy as np
    import rasterio

    (tmp_path / "green.cwl").write_text(cwl(GREEN))
    done = cwltool("green.cwl", "--image", str(FILES / "scene.tif"), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)["weak__raster"]["path"]
    report = Run(session, bound(GREEN, image=added(session, FILES / "scene.tif"))).run()
    ours = session.world().artifacts.find(report.answer["$weak"])
    assert ours is not None
    with rasterio.open(made) as theirs, rasterio.open(ours) as mine:
        assert np.array_equal(theirs.read(), mine.read())


def graph_of(text: str) -> dict[str, list[str]]:
    tasks = json.loads(text)["workflow"]["specification"]["tasks"]
    return {each["id"]: each["parents"] for each in tasks}


def test_wfformat_has_the_graph_its_files_and_how_long_steps_took(session: Session) -> None:
    report = Run(session, bound(GREEN, image=added(session, FILES / "scene.tif"))).run()
    plain = json.loads(wfformat(GREEN, report, lambda handle: len(handle)))
    assert graph_of(json.dumps(plain)) == {"index": [], "weak": ["index"]}
    tasks = plain["workflow"]["specification"]["tasks"]
    assert [(each["inputFiles"], each["outputFiles"]) for each in tasks] == [
        (["image"], ["index.raster"]),
        (["index.raster"], ["weak.raster"]),
    ]
    listed = {each["id"] for each in plain["workflow"]["specification"]["files"]}
    assert listed == {"image", "index.raster", "weak.raster"}
    assert [each["id"] for each in plain["workflow"]["execution"]["tasks"]] == ["index", "weak"]


@pytest.mark.skipif(not SCHEMA, reason="the official schema of WfFormat is in no package: $WFFORMAT_SCHEMA")
def test_wfformat_is_valid_by_the_official_schema(session: Session) -> None:
    check = Draft202012Validator(json.loads(Path(SCHEMA).read_text()), format_checker=FormatChecker())
    for each in every():
        check.validate(json.loads(wfformat(each)))
    report = Run(session, bound(GREEN, image=added(session, FILES / "scene.tif"))).run()
    check.validate(json.loads(wfformat(GREEN, report)))
