"""A small world over a real DuckDB catalogue, every row of which is known by heart.

Twenty-six images of five data sets (all marked a sample) around Pittsburgh, Rotterdam, Lagos, Lyon,
Singapore and Lisbon, and two off Fiji on either side of the antimeridian. A class's number is how
many detections of it the image has; scene classes have none.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from copilot.bench.build.example_files import FOLDER
from copilot.engine import encode_texts
from copilot.workflows.starting import procedures_of
from data.catalogue import open_catalogue
from data.catalogue.write import InfoParts, write_dataset
from data.gazetteer import gazetteer
from data.schema import CLASS_BITS_PER_WORD, DETECTIONS, IMAGES, ClassInfo
from data.vocabulary import DATASET_WORDS, classes_of
from state.log import Event
from state.model import State
from tools.base import Step, Tool, World
from tools.kept import found_file, kept_folder, safe_file_name
from tools.run import run_call
from tools.toolbox import Toolbox

TODAY = date(2026, 11, 20)
NAMES = ("bigearthnet", "fair1m", "fmow", "xview1", "xview3")


@dataclass(frozen=True)
class Scene:
    """One image of the small catalogue."""

    name: str
    lon: float
    lat: float
    acquired: str
    classes: dict[str, int]
    place: str = ""
    country: str | None = None
    cloud_pct: float | None = None
    split: str = "train"


SENSORS = {
    "xview1": ("WorldView-3", "optical", 0.3),
    "fair1m": ("Gaofen-2", "optical", 0.8),
    "xview3": ("Sentinel-1", "sar", 10.0),
    "fmow": ("QuickBird-2", "multispectral", 2.4),
    "bigearthnet": ("Sentinel-2", "multispectral", 10.0),
}


def _scene(row: dict[str, str]) -> Scene:
    counts = (part.rpartition(": ") for part in row["classes"].split("; "))
    return Scene(
        name=row["name"],
        lon=float(row["lon"]),
        lat=float(row["lat"]),
        acquired=row["acquired"],
        classes={name: int(count) for name, _, count in counts},
        place=row["place"],
        country=row["country"] or None,
        cloud_pct=float(row["cloud_pct"]) if row["cloud_pct"] else None,
        split=row["split"],
    )


def _scenes() -> dict[str, tuple[Scene, ...]]:
    text = (Path(__file__).parent / "scenes.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    return {name: tuple(_scene(row) for row in rows if row["dataset"] == name) for name in SENSORS}


SCENES = _scenes()

_HALF_DEG = 0.005
_OBJECT_DEG = 0.0001


def write_small_catalogue(root: Path) -> Path:
    """Write the five data sets under `root` and return it."""
    for name, scenes in SCENES.items():
        classes = classes_of(name)
        parts = InfoParts(
            name=name,
            title=DATASET_WORDS[name].title,
            description=DATASET_WORDS[name].about,
            origin="sample",
            classes=classes,
            source="seed 7",
        )
        images = pa.Table.from_pylist([_image(name, i, s, classes) for i, s in enumerate(scenes)], IMAGES)
        rows = [row for i, s in enumerate(scenes) for row in _detections(i, s, classes)]
        detections = pa.Table.from_pylist(rows, DETECTIONS)
        write_dataset(root, parts, images.to_batches(), detections.to_batches())
    return root


def _image(dataset: str, number: int, scene: Scene, classes: Sequence[ClassInfo]) -> dict[str, Any]:
    sensor, modality, gsd_m = SENSORS[dataset]
    ids = [c.id for c in classes if c.name in scene.classes]
    assert len(ids) == len(scene.classes), (dataset, scene)
    words = [0] * (-(-len(classes) // CLASS_BITS_PER_WORD))
    for each in ids:
        words[each // CLASS_BITS_PER_WORD] |= 1 << each % CLASS_BITS_PER_WORD
    return {
        "image_num": number,
        "image_id": f"{dataset}:{scene.name}",
        "dataset": dataset,
        "kind": "image",
        "name": scene.name,
        "sensor": sensor,
        "modality": modality,
        "gsd_m": gsd_m,
        "cloud_pct": scene.cloud_pct,
        "acquired": datetime.fromisoformat(scene.acquired),
        "split": scene.split,
        "country": scene.country,
        "place": scene.place,
        "lon": scene.lon,
        "lat": scene.lat,
        "west": scene.lon - _HALF_DEG,
        "south": scene.lat - _HALF_DEG,
        "east": scene.lon + _HALF_DEG,
        "north": scene.lat + _HALF_DEG,
        "width_px": 1024,
        "height_px": 1024,
        "bands": "red,green,blue",
        "detections": sum(scene.classes.values()),
        "class_words": words,
    }


def _detections(image_num: int, scene: Scene, classes: Sequence[ClassInfo]) -> Iterator[dict[str, Any]]:
    number = 0
    ids = {c.name: c.id for c in classes}
    for name, count in scene.classes.items():
        for _ in range(count):
            lon, lat = scene.lon + number * _OBJECT_DEG, scene.lat
            yield {
                "image_num": image_num,
                "num": number,
                "class_id": ids[name],
                "confidence": 0.5 + 0.05 * (number % 10),
                "length_m": 10.0 * (number + 1),
                "lon": lon,
                "lat": lat,
                "west": lon - _OBJECT_DEG / 2,
                "south": lat - _OBJECT_DEG / 2,
                "east": lon + _OBJECT_DEG / 2,
                "north": lat + _OBJECT_DEG / 2,
            }
            number += 1


@dataclass(frozen=True)
class FolderStore:
    """Artifacts as files of one folder."""

    folder: Path

    def path(self, artifact_id: str, suffix: str) -> Path:
        """Where the artifact's file is, or is to be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{artifact_id}{suffix}"

    def named(self, artifact_id: str, name: str) -> Path:
        """Where the artifact's file is to be written that keeps its own name."""
        folder = kept_folder(self.folder, artifact_id)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / safe_file_name(name, artifact_id)

    def find(self, artifact_id: str) -> Path | None:
        """The artifact's file, whatever its suffix or name."""
        there = sorted(self.folder.glob(f"{artifact_id}.*"))
        return next((file for each in there if (file := found_file(each)) is not None), None)

    def about(self, artifact_id: str) -> Path:
        """Where what is known of the artifact is written."""
        (self.folder / "about").mkdir(parents=True, exist_ok=True)
        return self.folder / "about" / f"{artifact_id}.json"


def small_world(root: Path, artifacts: Path, log: Sequence[Event] = ()) -> World:
    """The world over the catalogue that `write_small_catalogue` wrote."""
    return World(
        catalogue=open_catalogue(str(root)),
        gazetteer=gazetteer(),
        artifacts=FolderStore(artifacts),
        today=TODAY,
        catalogue_root=root,
        log=log,
        session="Test session",
        uploads=FOLDER,
        encode=encode_texts,
        workflows=procedures_of(artifacts, "local"),
        knowledge=artifacts / "knowledge",
    )


def run(world: World, state: State, tool: Tool, **args: Any) -> Step:
    """One call, validated and settled as in a session; a failed one is a step too."""
    return run_call(Toolbox((tool,)), state, world, tool.name, args)


def after(world: World, state: State, *calls: tuple[Tool, dict[str, Any]]) -> State:
    """The state after calls that must all succeed."""
    for tool, args in calls:
        step = run(world, state, tool, **args)
        assert not step.failed, step.observation
        state = step.state
    return state
