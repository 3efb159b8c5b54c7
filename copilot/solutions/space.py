"""The Solution Space: for each task when it is the one, which tools solve it in order, and what to mind."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("space")
RS_AGENT_TASKS = (
    "super_resolution", "denoising", "caption", "optical_detection", "optical_plane_type", "scene",
    "sar_detection", "sar_plane_type", "knowledge_search", "building_damage_detection", "building_extraction",
    "road_extraction", "horizontal_object_detection", "rotated_object_detection", "semantic_segmentation",
    "land_use_classification", "image_dehazing", "cloud_removal",
)  # fmt: skip
"""The 18 tasks of RS-Agent (Xu et al., arXiv:2406.07089), named as the tools of its published code."""
IMAGE_TASKS = (
    *(task for task in RS_AGENT_TASKS if task != "knowledge_search"),
    "classify_image", "visual_question", "object_count", "change_detection", "edge_detection",
)  # fmt: skip
"""Tasks on the pixels of an image."""


class SolutionError(Exception):
    """A document of the Solution Space is not whole; the sentence names the file and what is wrong."""


@dataclass(frozen=True)
class Solution:
    """One document: how a task is solved."""

    task: str
    title: str
    does: str
    """What its first tool does, in a line."""
    when: str
    tools: tuple[str, ...]
    """In the order in which they are called; some exist only where their toolkit is installed."""
    inputs: str
    outputs: str
    pitfalls: tuple[str, ...]
    prepare: tuple[str, ...] = ()
    """Tools that the input may need to go through before."""

    @property
    def first(self) -> str:
        """The tool that the solution begins with."""
        return self.tools[0]

    @property
    def text(self) -> str:
        """What is embedded."""
        return f"{self.title}. {self.does} {self.when}"


@cache
def solutions() -> dict[str, Solution]:
    """Every document by its task. Raises SolutionError."""
    found = [_read(file) for file in sorted(FOLDER.glob("*.toml"))]
    return {each.task: each for each in found}


def _read(file: Path) -> Solution:
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8"))
        listed = {key: tuple(entries.get(key, ())) for key in ("tools", "pitfalls", "prepare")}
        solution = Solution(**{**entries, **listed})
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise SolutionError(f"{file.name} is no solution: {error}.") from error
    if solution.task != file.stem or not solution.tools:
        raise SolutionError(f"{file.name} needs the task {file.stem!r} and at least one tool.")
    return solution


def missing_tools(solution: Solution, toolbox: Iterable[object]) -> tuple[str, ...]:
    """The solution's tools that are not there, preparations included, so that it can be said plainly.

    `toolbox` may be a Toolbox or any tools or names.
    """
    there = {getattr(each, "name", each) for each in toolbox}
    return tuple(name for name in (*solution.prepare, *solution.tools) if name not in there)
