"""Small workflows and rasters that the tests of workflows work on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from affine import Affine

from copilot.session import Session
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Workflow
from copilot.workflows.reading import task_from

FILES = Path("copilot/bench/intents/files").resolve()


def workflow(text: str, data: dict[str, str], parameters: dict[str, Any] | None = None) -> Workflow:
    """A workflow of one task: its steps as YAML."""
    import yaml

    plain = {
        "task": "test",
        "field": "water",
        "goal": "Test.",
        "data": data,
        "parameters": parameters or {},
        "workflows": [{"id": "one", "title": "One", **yaml.safe_load(text)}],
    }
    return task_from(plain, {}).workflows[0]


def added(session: Session, path: Path) -> str:
    """A file in the session: its handle."""
    event = session.call("add_file", file=str(path))
    assert event.ok, event.text
    return str(event.data.get("raster") or event.data.get("vector"))


def bound(flow: Workflow, **inputs: str) -> Instance:
    """A workflow on handles, with its defaults."""
    return Instance(flow, inputs, {each.name: each.default for each in flow.parameters})


def write_tiff(path: Path, values: Any, *, nodata: float | None = None, description: str = "vv") -> Path:
    """A raster of one band near Delft, 10 m pixels."""
    height, width = values.shape
    place = Affine(10, 0, 594_000, 0, -10, 5_763_000)
    with rasterio.open(
        path, "w", driver="GTiff", count=1, height=height, width=width, dtype=values.dtype.name,
        crs="EPSG:32631", transform=place, nodata=nodata,
    ) as target:  # fmt: skip
        target.write(values, 1)
        target.set_band_description(1, description)
    return path


def heights_with_a_hole(path: Path) -> Path:
    """40 x 40 heights on a slope, with a hole of 6 x 6 pixels."""
    rows, columns = np.mgrid[0:40, 0:40]
    heights = (20 + 0.5 * columns + 0.2 * rows).astype(np.float32)
    heights[10:16, 10:16] = -9999
    return write_tiff(path, heights, nodata=-9999, description="height")
