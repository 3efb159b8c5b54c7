"""What the published formulas give on rendered multispectral scenes, by land cover, as a check of sense.

`python -m benches.vision_inversion` prints the mean of each quantity over water, trees, crops, soil and paved
ground of rendered scenes (no imagery; held-out seeds). The real files hold no ground truth for these
quantities: tests/data/vision/test_inversion.py holds the formulas against hand-worked numbers.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import rasterio

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision.inversion import invert

SEED, SCENES = 90_000, 6
COVERS = ("water", "trees", "crops", "soil", "paved")
QUANTITIES: tuple[Any, ...] = ("lai", "turbidity", "soil_moisture")


def main() -> None:
    """Print the table."""
    from data.scenes.model import COVERS as ALL
    from data.scenes.rendering import render

    warnings.simplefilter("ignore")
    found: dict[str, dict[str, list[float]]] = {each: {cover: [] for cover in COVERS} for each in QUANTITIES}
    beyond: dict[str, list[float]] = {each: [] for each in QUANTITIES}
    with TemporaryDirectory(prefix="azimuth-bench-") as folder:
        for seed in range(SEED, SEED + SCENES):
            try:
                scene = render(seed, "multispectral", 128, plain=True, maps=False)
            except ValueError:
                continue
            source = scene.write(Path(folder) / "scene.tif")
            for quantity in QUANTITIES:
                try:
                    made = invert(Unheard(), source, Path(folder) / "made.tif", quantity)
                except RasterError:
                    continue  # no water in this scene, or too few kinds of land
                beyond[quantity].append(made.beyond_percent)
                with rasterio.open(Path(folder) / "made.tif") as result:
                    values = result.read(1)
                for cover in COVERS:
                    inside = values[(scene.landcover == ALL.index(cover)) & np.isfinite(values)]
                    if inside.size > 50:
                        found[quantity][cover].append(float(inside.mean()))
    print(f"| quantity | scenes | {' | '.join(COVERS)} | beyond the valid range |")
    print("|---|---|" + "---|" * (len(COVERS) + 1))
    for quantity, covers in found.items():
        cells = [f"{np.mean(each):.2f} ({len(each)})" if each else "-" for each in covers.values()]
        share = f"{np.mean(beyond[quantity]):.1f} %" if beyond[quantity] else "-"
        print(f"| {quantity} | {len(beyond[quantity])} | {' | '.join(cells)} | {share} |")


if __name__ == "__main__":
    main()
