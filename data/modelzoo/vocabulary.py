"""The words that records use: modalities, sensors, applications and kinds of task."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "vocabulary.toml"


@dataclass(frozen=True)
class Vocabulary:
    """The words, as `vocabulary.toml` lists them."""

    modalities: dict[str, str]
    """What each stands for."""
    sensors: tuple[str, ...]
    applications: dict[str, tuple[str, ...]]
    """By the kind of task that they are."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of task."""
        return tuple(self.applications)

    @property
    def every_application(self) -> tuple[str, ...]:
        """All applications, each once."""
        return tuple(dict.fromkeys(name for names in self.applications.values() for name in names))


@cache
def vocabulary() -> Vocabulary:
    """The words, read once."""
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    applications = {kind: tuple(names) for kind, names in found["applications"].items()}
    return Vocabulary(dict(found["modalities"]), tuple(found["sensors"]["names"]), applications)
