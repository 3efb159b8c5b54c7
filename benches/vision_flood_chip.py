"""The IoU of water on one real Sentinel-1 chip with its truth: by the rule of the tool, and by either way.

    python -m benches.vision_flood_chip S1.tif LABEL.tif

The sample chip of Sen1Floods11 (Bonafilia et al. 2020, CVPRW; github.com/cloudtostreet/Sen1Floods11) is kept
for measuring: only these totals are looked at, and nothing is set by them.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import rasterio

from data.progress import Unheard
from data.vision import whole_split as splitting
from data.vision.flood import map_flood

Rule = Callable[[Path, float | None, float | None], splitting.Whole]


def by_tiles(level: Path, highest: float | None, pixel_m: float | None) -> splitting.Whole:
    """Always tiles."""
    return splitting.Whole(None, "Its threshold comes from tiles of it.")


def by_otsu(level: Path, highest: float | None, pixel_m: float | None) -> splitting.Whole:
    """Always Otsu's threshold of the whole."""
    split = splitting.otsu(splitting._sampled(level))
    return splitting.Whole(split.threshold if split else None, "Its threshold is Otsu's.")


def iou(image: Path, label: Path, rule: Rule) -> tuple[float, str]:
    """Intersection over union of water where the truth is known, and the method that was taken."""
    with tempfile.TemporaryDirectory() as folder, patch.object(splitting, "whole_split", rule):
        made = map_flood(Unheard(), image, Path(folder) / "flood.tif")
        with rasterio.open(Path(folder) / "flood.tif") as found, rasterio.open(label) as truth:
            got, true = found.read(1), truth.read(1)
    known = (true >= 0) & (got != 255)
    water, said = (true == 1) & known, (got > 0) & known
    return float((water & said).sum() / (water | said).sum()), made.method


def main() -> None:
    """Print the three figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("image", type=Path)
    parser.add_argument("label", type=Path)
    asked = parser.parse_args()
    for name, rule in (("by the rule", splitting.whole_split), ("tiles", by_tiles), ("Otsu", by_otsu)):
        share, method = iou(asked.image, asked.label, rule)
        print(f"{name}: IoU of water {share:.3f} ({method})")


if __name__ == "__main__":
    main()
