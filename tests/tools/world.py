"""A small world over a real DuckDB catalogue, every row of which is known by heart.

Twenty-six images of five data sets (all marked a sample) around Pittsburgh, Rotterdam, Lagos, Lyon,
Singapore and Lisbon, and two off Fiji on either side of the antimeridian. A class's number is how
many detections of it the image has; scene classes have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from data.catalogue import open_catalogue
from data.catalogue.write import InfoParts, write_dataset
from data.gazetteer import gazetteer
from data.schema import CLASS_BITS_PER_WORD, DETECTIONS, IMAGES, ClassInfo
from data.vocabulary import DATASET_WORDS, classes_of
from state.log import Event
from state.model import State
from tools.base import Step, Tool, World
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

SCENES: dict[str, tuple[Scene, ...]] = {
    "xview1": (
        Scene("1001.tif", -79.9959, 40.4406, "2018-05-03T15:10:00", {"Small Car": 5, "Bus": 1}, "Pittsburgh", "US", 2.0),
        Scene("1002.tif", -79.9000, 40.5000, "2018-05-20T15:12:00", {"Truck": 2}, "Pittsburgh", "US", 12.5),
        Scene("1003.tif", -80.2000, 40.4900, "2018-07-01T15:20:00", {"Helicopter": 1, "Small Car": 3}, "Pittsburgh", "US", 0.0, "val"),
        Scene("1004.tif", -79.9700, 40.4200, "2019-05-11T15:05:00", {"Small Car": 2, "Building": 7}, "Pittsburgh", "US", 30.0),
        Scene("1005.tif", 4.1400, 51.9500, "2018-05-14T10:40:00", {"Container Ship": 4, "Cargo Truck": 2}, "Rotterdam", "NL", 8.0),
        Scene("1006.tif", 3.3600, 6.4400, "2017-01-30T10:02:00", {"Container Ship": 1, "Building": 9}, "Lagos", "NG", 55.0, "val"),
        Scene("1007.tif", 103.8000, 1.2600, "2016-12-31T23:59:59", {"Oil Tanker": 3}, "Singapore", "SG", 70.0),
    ),
    "fair1m": (
        Scene("9.tif", -80.2329, 40.4915, "2018-05-08T16:00:00", {"Boeing737": 3, "A321": 2}, "Pittsburgh", "US", 1.0),
        Scene("10.tif", -80.0100, 40.4500, "2018-05-31T23:30:00", {"Small Car": 6, "Van": 2}, "Pittsburgh", "US", 20.0),
        Scene("11.tif", 5.0800, 45.7200, "2019-08-09T10:30:00", {"Boeing737": 1}, "Lyon", "FR", 5.0, "test"),
        Scene("12.tif", 4.4900, 51.9200, "2020-03-04T10:50:00", {"Dry Cargo Ship": 2, "Bridge": 1}, "Rotterdam", "NL", 40.0),
        Scene("13.tif", 103.9900, 1.3600, "2021-09-17T03:20:00", {"A350": 2, "Truck Tractor": 1}, "Singapore", "SG", 33.0, "val"),
    ),
    "xview3": (
        Scene("05bc615a", 3.2000, 6.1000, "2020-01-14T17:50:00", {"fishing vessel": 4, "vessel": 1}, "Gulf of Guinea"),
        Scene("590dd08f", 3.9000, 51.9800, "2021-06-02T05:58:00", {"non-fishing vessel": 6}, "North Sea", None, None, "val"),
        Scene("72dba3e8", 179.9000, -17.0000, "2021-02-10T06:30:00", {"fishing vessel": 2}, "Fiji"),
        Scene("844545c0", -179.9000, -16.8000, "2021-02-22T06:31:00", {"vessel": 1}, "Fiji"),
    ),
    "fmow": (
        Scene("golf_course_3", -79.8800, 40.3700, "2016-05-18T16:11:00", {"golf_course": 0}, "Pittsburgh", "US", 15.0),
        Scene("airport_12", -80.2350, 40.4950, "2017-10-10T16:20:00", {"airport": 0}, "Pittsburgh", "US", 0.0),
        Scene("airport_90", 5.0810, 45.7260, "2018-05-25T10:45:00", {"airport": 0}, "Lyon", "FR", 22.0, "val"),
        Scene("stadium_5", 4.9820, 45.7650, "2019-11-02T10:47:00", {"stadium": 0}, "Lyon", "FR", 3.0),
        Scene("port_44", 3.3800, 6.4500, "2015-02-13T10:01:00", {"port": 0}, "Lagos", "NG", 61.0),
    ),
    "bigearthnet": (
        Scene("S2A_0001", -9.1500, 38.7200, "2017-07-17T11:33:21", {"Continuous urban fabric": 0, "Estuaries": 0}, "Lisbon", "PT", 0.4),
        Scene("S2A_0002", -9.3000, 38.9000, "2017-07-17T11:33:21", {"Vineyards": 0, "Pastures": 0}, "Lisbon", "PT", 0.4),
        Scene("S2B_0003", -9.0000, 38.6000, "2018-05-02T11:33:19", {"Mixed forest": 0}, "Lisbon", "PT", 0.9),
        Scene("S2B_0004", -8.9000, 38.5000, "2018-05-02T11:33:19", {"Sea and ocean": 0}, "Lisbon", "PT", 0.9, "val"),
        Scene("S2A_0005", -8.8000, 38.8000, "2017-11-14T11:33:09", {"Coniferous forest": 0, "Pastures": 0}, "Lisbon", "PT", 0.1),
    ),
}  # fmt: skip

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

    def find(self, artifact_id: str) -> Path | None:
        """The artifact's file, whatever its suffix."""
        return next(iter(sorted(self.folder.glob(f"{artifact_id}.*"))), None)


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
