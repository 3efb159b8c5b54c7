"""Linking: whether two words are one name to the tools, which know synonyms, plurals and other spellings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from data.catalogue.base import Catalogue
from data.gazetteer import Gazetteer
from tools.base import ToolError
from tools.class_words import ClassWords

MAX_WORDS = 4
"""Of a phrase that is looked up."""


@dataclass
class Links:
    """The classes of a catalogue and the places of the gazetteer."""

    gazetteer: Gazetteer
    classes: ClassWords

    @classmethod
    def of(cls, catalogue: Catalogue, gazetteer: Gazetteer) -> Links:
        """Those of a catalogue."""
        return cls(gazetteer, ClassWords.over(catalogue))

    def __post_init__(self) -> None:
        self._named = lru_cache(maxsize=100_000)(self._looked_up)

    def same(self, argument: str, said: str, value: str) -> bool:
        """Whether an argument takes what is said for that value."""
        if len(said.split()) > MAX_WORDS:
            return False
        meant = self._named(argument, value)
        return meant is not None and meant == self._named(argument, said)

    def _looked_up(self, argument: str, name: str) -> object:
        if argument == "classes":
            try:
                return self.classes.canonical(name)
            except ToolError:
                return None
        if argument == "place":
            candidates = self.gazetteer.resolve(name).candidates
            return candidates[0].place if candidates else None
        return None
