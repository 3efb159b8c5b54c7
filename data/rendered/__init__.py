"""Pictures of the sample's records: rendered from what a record says, and never imagery.

The sample lists objects and land covers at places, and has no pixels. `subject_of` reads a record,
`scene_of` draws it with the scene renderer of `data.scenes`: its objects where they are listed and as
large as they are listed, its land cover, its sensor, its season and its clouds. The same record always
gives the same bytes. `kept` writes the files that pages and tools open.
"""

from data.rendered.drawing import Window, close_up, scene_of, whole
from data.rendered.kept import Kept, is_rendered, keep_picture, keep_raster
from data.rendered.subject import Item, Subject, subject_of

__all__ = [
    "Item", "Kept", "Subject", "Window", "close_up", "is_rendered", "keep_picture", "keep_raster", "scene_of",
    "subject_of", "whole",
]  # fmt: skip
