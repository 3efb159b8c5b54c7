"""The small pictures that vision tools are asked about: made here, and rendered, not imagery.

`python -m copilot.bench.build.example_scenes` writes them anew, the same bytes every time: `harbour.tif`,
ships at a quay and under way; `radar.tif`, ships on the sea as a radar sees them; `town_before.tif` and
`town_after.tif`, houses before and after a storm.
"""

from __future__ import annotations

from copilot.bench.build.example_files import FOLDER
from data.scenes import Scene, pair, render

SIDE_PX = 256


def scenes() -> dict[str, Scene]:
    """Each file's scene, by its name."""
    town = pair(5, "damage", SIDE_PX, 0.5, same_season=True)
    return {
        "harbour.tif": render(3, "optical", SIDE_PX, 0.6, theme="harbour", plain=True),
        "radar.tif": render(9, "sar", SIDE_PX, 5.0, theme="sea"),
        "town_before.tif": town.before,
        "town_after.tif": town.after,
    }


def write() -> None:
    """Write them all."""
    for name, scene in scenes().items():
        scene.write(FOLDER / name)


if __name__ == "__main__":
    write()
