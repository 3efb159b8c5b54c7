"""A state in which every tool has what it needs, and each tool's example as a call."""

from __future__ import annotations

import inspect
import json
import shlex
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import geopandas as gpd
import numpy as np
import rasterio
from affine import Affine
from shapely.geometry import box, shape

from copilot.bench.build.example_files import FOLDER
from copilot.bench.standin.computed import stac_items
from copilot.workflows.starting import procedures_of
from data.vision.detections import Detection, features
from state.log import Event
from state.model import Artifact, State
from tests.tools.world import NAMES
from tools.base import Tool, World
from tools.run import run_call
from tools.toolbox import toolbox

VECTOR = Artifact("vector-1a2b3c", "vector", "Harbours", "2 rows", "test()")
RASTER = Artifact("raster-1a2b3c", "raster", "Heights", "1 band", "test()")
SCENE = Artifact("raster-5ce4e0", "raster", "Scene", "6 bands", "test()")
DEM = Artifact("raster-de0de0", "raster", "DEM", "1 band", "test()")
SAR = Artifact("raster-5a75a7", "raster", "SAR", "1 band", "test()")
RAW = Artifact("raster-4bc4bc", "raster", "Raw with RPCs", "1 band", "test()")
FIELDS = Artifact("vector-f1e1d5", "vector", "Fields", "4 rows", "test()")
SCENES = Artifact("vector-57ac00", "vector", "Scenes", "2 features", "stac_search()")
PAN = Artifact("raster-9a9a9a", "raster", "Pan", "1 band", "test()")
WORKFLOW = Artifact("workflow-f10d00", "workflow", "Burned land in one image", "1 step", "test()")
NOTE = Artifact("document-d0c0d0", "document", "Note", "1 line", "test()")
FOUND = Artifact("detections-de7ec7", "detections", "Detections in Scene", "3 detections", "test()")
LATER = Artifact("raster-5ce4e1", "raster", "Scene later", "6 bands", "test()")
SAR_LATER = Artifact("raster-5a75a8", "raster", "SAR later", "1 band", "test()")
AIRFIELD = Artifact("raster-0b1ec7", "raster", "Airfield", "3 bands", "test()")
APRON = Artifact("raster-0b1ec8", "raster", "Apron", "1 band", "test()")
TOWN = Artifact("raster-70e0a0", "raster", "Town", "3 bands", "test()")
TOWN_LATER = Artifact("raster-70e0a1", "raster", "Town later", "3 bands", "test()")
PHOTO = Artifact("raster-9407a0", "raster", "Photo", "3 bands", "test()")
DOCUMENTS = {
    "document-9df000": "report.pdf",
    "document-d0c000": "notes.docx",
    "document-b7b100": "page.html",
    "document-c5f000": "stations.csv",
    "document-150000": "settings.json",
    "document-e71000": "meta.xml",
    "document-21b000": "bundle.zip",
}


_MADE: dict[Path, tuple[State, TemporaryDirectory[str]]] = {}
"""The state over each catalogue, and a folder with its artifacts."""


def prepared(world: World) -> State:
    """Every data set loaded, a layer, a table, a figure, a tab, an image, vectors, rasters and a document.

    It is made once a process and catalogue; what has an artifact folder of its own gets a copy of the files.
    """
    folder, root = getattr(world.artifacts, "folder", None), world.catalogue_root
    if folder is None or root is None or (folder.exists() and any(folder.iterdir())):
        return _made(world)
    if root not in _MADE:
        state = _made(world)
        _MADE[root] = state, TemporaryDirectory(prefix="prepared-")
        copytree(folder, _MADE[root][1].name, dirs_exist_ok=True)
    state, template = _MADE[root]
    copytree(template.name, folder, dirs_exist_ok=True)
    return state


def _made(world: World) -> State:
    state = State()
    for name, args in (
        ("db_load", {"names": list(NAMES)}),
        ("cluster_plot", {}),
        ("group_count", {"by": "dataset"}),
        ("bar_figure", {"by": "dataset"}),
        ("open_tab", {"url": "https://example.org"}),
        ("select_image", {"rank": "first"}),
        ("vectorstore_create", {"name": "notes", "texts": ["Turbid water.", "Three ships at the quay."]}),
    ):
        step = run_call(toolbox(), state, world, name, args)
        assert not step.failed, (name, step.observation)
        state = step.state
    write_vector(world.artifacts.path(VECTOR.id, ".geojson"))
    write_raster(world.artifacts.path(RASTER.id, ".tif"))
    for artifact, example in (
        (SCENE, "scene.tif"),
        (AIRFIELD, "airfield.tif"),
        (APRON, "apron.tif"),
        (TOWN, "town_before.tif"),
        (TOWN_LATER, "town_after.tif"),
        (PAN, "pan.tif"),
        (DEM, "dem.tif"),
        (SAR, "sar.tif"),
        (RAW, "raw.tif"),
        (FIELDS, "fields.geojson"),
    ):
        target = world.artifacts.path(artifact.id, Path(example).suffix)
        target.write_bytes((FOLDER / example).read_bytes())
        state = state.with_artifact(artifact)
    for artifact in (LATER, SAR_LATER):
        write_later(artifact, world.artifacts.path(artifact.id, ".tif"))
        state = state.with_artifact(artifact)
    photograph = world.artifacts.path(PHOTO.id, ".jpg")
    photograph.write_bytes((FOLDER / "photo.jpg").read_bytes())
    state = state.with_artifact(PHOTO)
    for artifact_id, document in DOCUMENTS.items():
        file = FOLDER / document
        world.artifacts.path(artifact_id, file.suffix).write_bytes(file.read_bytes())
        state = state.with_artifact(Artifact(artifact_id, "document", file.stem, "1 file", "test()"))
    write_detections(world.artifacts.path(FOUND.id, ".parquet"), world.artifacts.path(SCENE.id, ".tif"))
    state = state.with_artifact(FOUND)
    write_scenes(world.artifacts.path(SCENES.id, ".parquet"))
    state = state.with_artifact(SCENES)
    bound = procedures_of(Path(), "").bound(state, world, "burn_severity/one_date", {"after": LATER.id}, {})
    world.artifacts.path(WORKFLOW.id, ".json").write_text(json.dumps({**bound, "id": WORKFLOW.id}))
    state = state.with_artifact(WORKFLOW)
    world.artifacts.path(NOTE.id, ".txt").write_text("Turbidity rose to 12.5 NTU on 2023-07-14 near Delft.\n")
    state = state.with_artifact(NOTE).with_artifact(VECTOR).with_artifact(RASTER)
    know_the_note(world, state)
    return state


def know_the_note(world: World, state: State) -> None:
    """Add the note to the knowledge base, for what takes it out again."""
    step = run_call(toolbox(), state, world, "knowledge_add", {"document": NOTE.id})
    assert not step.failed, step.observation


def past(state: State) -> tuple[Event, ...]:
    """A log with something to undo and, after it, something to redo."""
    from state.codec import digest, to_json

    def event(seq: int, tool: str, after: State) -> Event:
        return Event(
            seq, seq, "call", "2026-11-20T12:00:00Z", tool=tool, state=to_json(after), hash=digest(after)
        )

    panelled = state.with_panel("jobs")
    table = next(each.id for each in state.artifacts if each.kind == "table")
    counted = replace(
        event(4, "group_count", state), args={"by": "dataset"}, data={"table": table}, state=None
    )
    return (event(1, "db_load", state), event(2, "open_panel", panelled), event(3, "undo", state), counted)


def write_vector(path: Path) -> None:
    """Two boxes, one on each side of the antimeridian."""
    frame = gpd.GeoDataFrame(geometry=[box(178, -18, 179, -17), box(-179, -18, -178, -17)], crs="EPSG:4326")
    frame.to_file(path, driver="GeoJSON")


def write_scenes(path: Path) -> None:
    """What stac_search keeps of two scenes of the stand-in, one of which has pixels."""
    asked = {"collections": "sentinel-2-l2a", "bbox": "4.37,51.9,4.38,52.005", "limit": "2"}
    items = stac_items(asked)
    rows = {key: [each[key] for each in items] for key in ("id", "collection")}
    rows["item"] = [json.dumps(each) for each in items]
    frame = gpd.GeoDataFrame(rows, geometry=[shape(each["geometry"]) for each in items], crs="EPSG:4326")
    frame.to_parquet(path, index=False)


def write_later(artifact: Artifact, path: Path) -> None:
    """The scene after a fire in its park and a flood by its lake; the radar image with land under water."""
    earlier = "scene.tif" if artifact is LATER else "sar.tif"
    with rasterio.open(FOLDER / earlier) as source:
        profile, values, names = source.profile, source.read(), source.descriptions
    if artifact is LATER:
        values[:, 12:30, 55:80] = (np.array([400, 450, 520, 850, 1900, 2300]))[:, None, None]
        values[:, 60:80, 44:50] = values[:, 60:80, 30:36]
    else:
        values[:, :12, 30:70] = values[:, 24:36, 40:80]
    with rasterio.open(path, "w", **profile) as target:
        target.write(values)
        target.descriptions = names


def write_detections(path: Path, image: Path) -> None:
    """Two ships and a plane in the scene."""
    boxes = [("ship", 0.91, 4, 4), ("ship", 0.55, 20, 6), ("plane", 0.72, 10, 20)]
    found = [
        Detection(np.array([[x, y], [x + 6, y], [x + 6, y + 2], [x, y + 2]], dtype=float), name, score)
        for name, score, x, y in boxes
    ]
    features(found, image, model="test", source=SCENE.id).to_parquet(path, index=False)


def write_raster(path: Path) -> None:
    """Sixteen heights over the Rhine's mouth."""
    profile = {"driver": "GTiff", "width": 4, "height": 4, "count": 1, "dtype": "uint8", "crs": "EPSG:4326"}
    with rasterio.open(path, "w", transform=Affine(0.25, 0, 4, 0, -0.25, 52), **profile) as target:
        target.write(np.arange(16, dtype="uint8").reshape(1, 4, 4))


def example(tool: Tool) -> str:
    """The call that the tool's docstring shows."""
    lines = [line.strip() for line in (inspect.getdoc(tool.function) or "").splitlines()]
    found = [line.removeprefix("Example: ") for line in lines if line.startswith("Example: ")]
    assert len(found) == 1, f"{tool.name} shows {len(found)} examples"
    return found[0]


def example_arguments(tool: Tool, state: State) -> dict[str, Any]:
    """The example's arguments as the command line reads them, with ids of artifacts that the state has."""
    words = shlex.split(example(tool))
    assert words[:3] == ["copilot", "call", tool.name], words
    return {key: _value(text, state) for key, text in (word.split("=", 1) for word in words[3:])}


def _value(text: str, state: State) -> Any:
    kind = text.rpartition("-")[0]
    if kind == "table":
        return next(each.id for each in state.artifacts if each.kind == "table")
    try:
        return json.loads(text)
    except ValueError:
        return text
