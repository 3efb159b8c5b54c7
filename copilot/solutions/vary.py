"""The phrases as others would say them: with something said beside the wish, of a radar image, mistyped.

What is said beside a wish, or which sensor took the picture, seldom decides the task; a classifier that sees
each only with some tasks takes it for a sign of them. Every phrase is therefore learnt a second time, varied.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from functools import cache

import numpy as np

from copilot.solutions.bank import ASIDES, Phrase

_OF_ANY_SENSOR = frozenset(
    {"building_damage_detection", "building_extraction", "road_extraction", "land_use_classification",
     "semantic_segmentation", "scene", "caption", "denoising", "super_resolution", "change_detection"}
)  # fmt: skip
"""Tasks that stay what they are when the image is a radar image."""
_IMAGE = re.compile(
    r"\b(?:(?:aerial|satellite|optical|rgb) )?"
    r"(?:image|picture|photo|photograph|scene|tile|shot|chip|frame)\b",
    re.IGNORECASE,
)
_RADAR_SHARE, _TYPO_SHARE = 0.7, 0.15
_LONG = 6
"""Letters of a word from which on one may be mistyped."""


@cache
def _asides() -> dict[str, list[str]]:
    return tomllib.loads(ASIDES.read_text(encoding="utf-8"))


def varied(phrase: Phrase) -> str:
    """The phrase said in another way that asks for the same task; the same one each time."""
    chance = np.random.default_rng(zlib.crc32(phrase.text.encode()))
    said = _asides()
    text = phrase.text
    if phrase.task in _OF_ANY_SENSOR and _IMAGE.search(text) and chance.random() < _RADAR_SHARE:
        return _IMAGE.sub(str(chance.choice(said["radar"])), text, count=1)
    if chance.random() < _TYPO_SHARE:
        text = _mistyped(text, chance)
    if chance.random() < 0.5:
        return f"{chance.choice(said['before'])} {text}"
    aside = str(chance.choice(said["after"]))
    return f"{text.rstrip('.')}{'' if text.endswith(('?', '!')) or aside[0].islower() else '.'} {aside}"


def _mistyped(text: str, chance: np.random.Generator) -> str:
    """With two neighbouring letters of a long word swapped, or one left out."""
    words = [match for match in re.finditer(r"[A-Za-z]+", text) if len(match.group()) >= _LONG]
    if not words:
        return text
    at = words[int(chance.integers(len(words)))].start() + int(chance.integers(1, _LONG - 1))
    swapped = text[at + 1] + text[at] if chance.random() < 0.5 else text[at]
    return text[:at] + swapped + text[at + 2 :]
