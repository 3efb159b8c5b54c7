"""The IoU of water on one real Sentinel-1 chip with its truth: by the rule of the tool, and by either way.

    python -m benches.vision_flood_chip S1.tif LABEL.tif

The sample chip of Sen1Floods11 (Bonafilia et al. 2020, CVPRW; github.com/cloudtostreet/Sen1Floods11) is kept
for measuring: only these totals are looked at, and nothing is set by them.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import rasterio

from benches.vision_flood_rule import WAYS, Choice, overlap, water_by


def iou(image: Path, label: Path, way: Choice) -> tuple[float, str]:
    """Intersection over union of water where the truth is known, and what is said of it."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "flood.tif"
        said, why = water_by(way, image, found)
        with rasterio.open(found) as file, rasterio.open(label) as truth:
            true = truth.read(1)
            known = (true >= 0) & (file.read(1) != 255)
    return overlap(said & known, (true == 1) & known), why


def main() -> None:
    """Print the three figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("image", type=Path)
    parser.add_argument("label", type=Path)
    asked = parser.parse_args()
    for name, way in WAYS.items():
        share, why = iou(asked.image, asked.label, way)
        print(f"{name}: IoU of water {share:.3f} ({why})")


if __name__ == "__main__":
    main()
