"""The ten tasks that a vague wish may mean, and what a question of each is about."""

from __future__ import annotations

from typing import Literal, get_args

from data.vision.look import PARTS, THING_OF_CLASS, THINGS

Task = Literal[
    "scene", "labels", "grounding", "counting", "region", "detection", "segmentation", "referring", "change",
    "contour",
]  # fmt: skip
TASKS: tuple[Task, ...] = get_args(Task)
DIRECT: tuple[Task, ...] = ("scene", "labels", "grounding", "counting", "region")
"""Answered from the look: scenes, several labels, visual grounding, object counting, region reasoning."""
DENSE: tuple[Task, ...] = ("detection", "segmentation", "referring", "change", "contour")
"""Sent to an expert: detection, semantic and referring segmentation, change detection, contours."""
EXPERTS: dict[Task, tuple[str, ...]] = {
    "scene": ("scene",), "labels": ("caption", "semantic_segmentation"), "grounding": ("visual_grounding",),
    "counting": ("object_count",), "region": ("semantic_segmentation",), "detection": ("optical_detection",),
    "segmentation": ("semantic_segmentation", "land_use_classification"),
    "referring": ("referring_segmentation",),
    "change": ("change_detection", "building_damage_detection", "burned_area"),
    "contour": ("edge_detection",),
}  # fmt: skip
"""The tools that do each task."""
Event = Literal["change", "damage", "flood", "fire"]
"""What may have happened between two images, as the scene renderer names it."""
EVENTS: tuple[Event, ...] = get_args(Event)
COVERS = ("water", "vegetation", "bare ground", "paved ground", "building")
"""What the ground is told apart into, as `data.vision.cover` has it."""
LABELS = (*COVERS, *THINGS)
"""What an image may be said to contain."""
SIDES = ("left", "right", "top", "bottom")
COVER_OF = {
    "water": "water", "grass": "vegetation", "crops": "vegetation", "trees": "vegetation",
    "soil": "bare ground", "sand": "bare ground", "burned": "bare ground", "road": "paved ground",
    "paved": "paved ground", "building": "building",
}  # fmt: skip
"""What a cover of the scene renderer is called here; snow is none of them."""
SCENE_OF_THEME = {
    "sea": "open water", "harbour": "harbor", "marina": "harbor", "airport": "airport",
    "parking": "parking lot", "town": "residential", "suburb": "residential", "depot": "storage tanks",
    "fields": "farmland", "woods": "forest",
}  # fmt: skip
SAME_SCENE = {
    "marina": "harbor", "dense residential": "residential", "sparse residential": "residential",
    "mobile home park": "residential", "dense urban": "residential",
}  # fmt: skip
"""Scenes of the scene network's that count as another one: what is rendered does not part them."""

__all__ = [
    "COVERS", "COVER_OF", "DENSE", "DIRECT", "EVENTS", "EXPERTS", "LABELS", "PARTS", "SAME_SCENE",
    "SCENE_OF_THEME", "SIDES", "TASKS", "THINGS", "THING_OF_CLASS", "Event", "Task",
]  # fmt: skip
