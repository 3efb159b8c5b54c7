"""The scene renderer: made-up scenes with exact ground truth, for tests and training; no imagery.

`render(seed, kind="optical", size=512, gsd_m=0.5, theme="harbour")` gives a Scene: pixels, objects with
oriented boxes, instances, buildings, land cover, clouds and haze as they are. `pair(seed, kind="change")`
gives the same place twice.
"""

from data.scenes.model import CLASSES, COVERS, LEVELS, Pair, Placed, Scene
from data.scenes.pairs import pair
from data.scenes.rendering import render

__all__ = ["CLASSES", "COVERS", "LEVELS", "Pair", "Placed", "Scene", "pair", "render"]
