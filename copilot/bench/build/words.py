"""The words that people say for a class, a data set or a disaster, and that mean just that."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import data.vocabulary
from data.vocabulary import dataset_mentions, find
from data.vocabulary.words import data_lines, spelled
from tools.base import ToolError
from tools.class_words import ClassWords

_MOST_WORDS = 5
"""A longer phrase is no word that people would say for a class."""
_DATASET_WORDS = {
    "xview1": ("xview1", "xView", "xView1"),
    "xview2": ("xview2", "xBD", "xView2"),
    "xview3": ("xview3", "xView3", "xView3-SAR"),
    "sarfish": ("sarfish", "SARFish"),
    "fair1m": ("fair1m", "FAIR1M"),
    "fmow": ("fmow", "fMoW", "Functional Map of the World"),
    "bigearthnet": ("bigearthnet", "BigEarthNet"),
}


def dataset_words(name: str) -> tuple[str, ...]:
    """The names that people write for a data set; an ingested one has its own only."""
    return _DATASET_WORDS.get(name, (name,))


def event_words(event: str) -> tuple[str, ...]:
    """`hurricane-harvey` as people say it: Hurricane Harvey."""
    words = event.split("-")
    if words[0] == "hurricane":
        return (" ".join(word.capitalize() for word in words),)
    place = " ".join("SoCal" if word == "socal" else word.capitalize() for word in words[:-1])
    return (f"the {place} {words[-1]}",)


def class_words(name: str, known: ClassWords) -> tuple[str, ...]:
    """What people say for a class and nothing else: none where the word also means a group of classes."""
    shown = name.replace("_", " ")
    # Names such as C919 are written in capitals; others are said as ordinary words.
    own = shown if any(letter.isdigit() for letter in shown) else shown.lower()
    words = dict.fromkeys((own, _plural(own), *_synonyms().get(name, ())))
    return tuple(word for word in words if _sayable(word) and _means_just(word, name, known))


def _means_just(word: str, name: str, known: ClassWords) -> bool:
    try:
        meant = known.canonical(word)
    except ToolError:
        return False
    terms = find(word)
    return (
        [spelled(each) for each in meant] == [spelled(name)]
        and [(term.kind, spelled(term.name)) for term in terms] == [("class", spelled(name))]
        and not list(dataset_mentions(word))
    )


def _sayable(word: str) -> bool:
    return "," not in word and len(word.split()) <= _MOST_WORDS


def _plural(word: str) -> str:
    if word.endswith(("s", "land", "fabric")):
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("x", "ch", "sh")) else f"{word}s"


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    """Published class -> the words that people use for it."""
    path = Path(data.vocabulary.__file__).with_name("synonyms.txt")
    found = {}
    for line in data_lines(path):
        name, _, phrases = line.partition(": ")
        found[name] = tuple(phrase.strip() for phrase in phrases.split(";"))
    return found
