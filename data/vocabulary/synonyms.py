"""Words that people use for a published class: synonyms.txt by phrase."""

from __future__ import annotations

from pathlib import Path

from data.vocabulary.words import data_lines, key


def _index() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for line in data_lines(Path(__file__).with_name("synonyms.txt")):
        name, _, phrases = line.partition(": ")
        for phrase in phrases.split(";"):
            meant = found.setdefault(key(phrase), [])
            if name not in meant:
                meant.append(name)
    return {phrase: tuple(names) for phrase, names in found.items()}


CLASSES_OF_PHRASE: dict[str, tuple[str, ...]] = _index()
"""Key of a phrase to the published class names it means."""


def classes_meant(phrase: str) -> tuple[str, ...]:
    """Published class names that a phrase is a synonym of, () when none."""
    return CLASSES_OF_PHRASE.get(key(phrase), ())
