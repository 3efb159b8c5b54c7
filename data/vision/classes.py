"""What people call the things that detectors know: words onto a model's own class names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

KINDS: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(words.split("|")), frozenset(names.split("|")))
    for words, names in (
        (
            "plane|airplane|aeroplane|aircraft|jet|airliner|jumbo|fixed wing aircraft|plane aircraft",
            "plane|airplane|aircraft|aeroplane|fixed wing aircraft|small aircraft|cargo plane"
            "|passenger plane",
        ),
        (
            "ship|boat|vessel|watercraft|yacht|ferry|tanker|cargo ship|freighter|barge|maritime vessel"
            "|trawler",
            "ship|boat|vessel|maritime vessel|motorboat|sailboat|fishing vessel|tugboat|ferry|yacht|barge"
            "|cargo ship|container ship|oil tanker|warship",
        ),
        (
            "vehicle|traffic|motor vehicle|automobile",
            "vehicle|small vehicle|large vehicle|car|small car|truck|bus|van|pickup truck|cargo truck"
            "|utility truck|passenger vehicle",
        ),
        (
            "car|small vehicle|van|taxi|suv|sedan|parked car",
            "small vehicle|car|small car|van|passenger vehicle|vehicle",
        ),
        (
            "truck|lorry|bus|large vehicle|trailer|coach|semi",
            "large vehicle|truck|bus|cargo truck|utility truck|trailer|vehicle",
        ),
        (
            "storage tank|tank|oil tank|fuel tank|gas tank|silo|petrol tank",
            "storage tank|tank|oil tank|storage silo",
        ),
        ("helicopter|chopper|rotorcraft", "helicopter"),
        ("harbor|harbour|port|pier|dock|quay", "harbor|harbour|port|pier|dock"),
        ("pool|swimming pool", "swimming pool|pool"),
        ("house|building|home", "building|house"),
    )
)
"""Words people use, and the names that detectors of DOTA, xView, FAIR1M and DIOR have for them."""
_EVERYTHING = {"everything", "anything", "all", "object", "thing", "all object", "any"}
_ANY_AFLOAT = {"anything that float", "float"}


def plain(word: str) -> str:
    """A name without its case, its plural and its joints: "Storage_Tanks" as "storage tank"."""
    words = re.sub(r"[\s_\-]+", " ", word.casefold()).strip(" .,;:!?").split(" ")
    return " ".join([*words[:-1], _singular(words[-1])])


def classes_for(word: str, known: Sequence[str]) -> tuple[str, ...]:
    """The classes of a model that a word means, in the model's order; none where it knows nothing of it.

    The model's own name goes first; then the kinds of things that the word stands for; "everything" is all.
    """
    asked = plain(word)
    if not asked:
        return ()
    if asked in _EVERYTHING:
        return tuple(known)
    exact = tuple(name for name in known if plain(name) == asked)
    if exact:
        return exact
    names: set[str] = set()
    for words, meant in KINDS:
        if asked in words or (asked in _ANY_AFLOAT and "ship" in words):
            names |= meant
    found = tuple(name for name in known if plain(name) in names)
    if found or names:
        return found
    # A longer name that ends with the word: "ship" of "cargo ship".
    return tuple(name for name in known if plain(name).endswith(f" {asked}"))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The class that a mistyped word is nearest to; None where it is near to none."""
    names = {plain(name): name for name in known}
    found = get_close_matches(plain(word), list(names), n=1, cutoff=0.75)
    return names[found[0]] if found else None


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word
