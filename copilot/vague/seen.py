"""What is known of an image by a look, whether it is still at hand or was told by a call on record."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from copilot.vague.tasks import SAME_SCENE, THINGS
from data.raster.errors import RasterError

if TYPE_CHECKING:
    from data.vision.scene import SceneTold

LOOK = "look_at_image"
"""The tool that looks."""


class Sight(Protocol):
    """A look as an answer is put together from it; a `Look` is one. Raises RasterError for what it lacks."""

    @property
    def modality(self) -> str | None:
        """optical, multispectral, panchromatic or sar."""

    @property
    def gsd_m(self) -> float | None:
        """The side of a pixel, metres; None without a place."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""

    @property
    def scene(self) -> SceneTold:
        """The scene, or between which it is not sure."""

    @property
    def detector(self) -> str:
        """What objects were found by."""

    @property
    def things(self) -> tuple[str, ...]:
        """The things that the scene network is sure to see."""

    def shares(self, part: str | None = None) -> dict[str, float]:
        """How much each cover has of a part of the image, or of all of it, 0 to 1."""

    def count(self, thing: str) -> int:
        """How many objects of that name it sees."""

    def sure_of(self, thing: str) -> bool | None:
        """Whether a thing is there; None where it is not sure."""

    def boxes(self, phrase: str) -> tuple[list[list[int]], str]:
        """What a phrase means, pixels; where there is none, what there is instead."""


@dataclass(frozen=True)
class Seen:
    """A look out of what the call `look_at_image` came back with."""

    data: Mapping[str, Any]

    def _part(self, name: str) -> Any:
        if name not in self.data:
            raise RasterError(self.data["missing"].get(name, f"The look did not measure {name}."))
        return self.data[name]

    @property
    def modality(self) -> str | None:
        """optical, multispectral, panchromatic or sar."""
        return str(self.data["modality"])

    @property
    def gsd_m(self) -> float | None:
        """The side of a pixel, metres; None without a place."""
        return None if self.data["gsd_m"] is None else float(self.data["gsd_m"])

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""
        return int(self.data["width_px"]), int(self.data["height_px"])

    @property
    def scene(self) -> SceneTold:
        """The scene, or between which it is not sure. Raises RasterError."""
        from data.vision.scene import SceneTold

        told = self._part("scene")
        ranked = tuple((str(name), float(score)) for name, score in told["ranked"])
        return SceneTold(told["name"], told["confidence"], ranked, (), {}, (), told["method"])

    @property
    def detector(self) -> str:
        """What objects were found by. Raises RasterError."""
        return str(self._part("objects")["model"])

    @property
    def things(self) -> tuple[str, ...]:
        """The things that the scene network is sure to see; none where it was not asked."""
        return tuple(each for each in THINGS if self.sure_of(each))

    def shares(self, part: str | None = None) -> dict[str, float]:
        """How much each cover has of a part of the image, or of all of it, 0 to 1. Raises RasterError."""
        return dict(self._part("cover")[part or "all"])

    def count(self, thing: str) -> int:
        """How many objects of that name it sees. Raises RasterError."""
        return int(self._part("objects")["counts"].get(thing, 0))

    def sure_of(self, thing: str) -> bool | None:
        """Whether a thing is there; None where the scene network is not sure or was not asked."""
        told: bool | None = self.data.get("present", {}).get(thing)
        return told

    def boxes(self, phrase: str) -> tuple[list[list[int]], str]:
        """What a phrase means, pixels; where there is none, what there is instead. Raises RasterError."""
        found = self._part("found")
        if found["phrase"] != phrase:
            raise RasterError(f"The look was not asked for {phrase!r}.")
        return [list(each) for each in found["boxes"]], str(found["there_is"])


def scene_name(sight: Sight) -> str | None:
    """The scene in the words of the tasks; None where the look is not sure. Raises RasterError."""
    name = sight.scene.name
    return None if name is None else SAME_SCENE.get(name, name)


def number_of(sight: Sight, things: Collection[str]) -> int:
    """How many objects of some names a look sees. Raises RasterError."""
    return sum(sight.count(each) for each in things)
