"""Holdings: which data sets have what a request names, so that nobody has to remember it.

Each class that is named is shown with whether it is an object in images or what a whole image shows, and with
the data sets that have it, which a frame can point at, also those that were brought in an hour ago.
"""

from __future__ import annotations

from collections.abc import Iterator

from copilot.language.mentions import Mentions
from copilot.language.view import Item
from tools.base import ToolError
from tools.class_words import ClassWords

CLASSES, DATASETS = 3, 5
"""How many are shown, and how many of the data sets of each."""


def holdings(mentions: Mentions, classes: ClassWords) -> Iterator[Item]:
    """The items of the classes that a request names."""
    said = dict.fromkeys(each.text.lower() for each in mentions.named if each.kind == "class")
    for text in [*said][:CLASSES]:
        try:
            names = classes.canonical(text)
        except ToolError:
            continue
        holders = dict.fromkeys(each for name in names for each in classes.holders(name))
        scenes = sum(classes.is_scene(name) for name in names)
        kind = "scene" if scenes == len(names) else "scene or object" if scenes else "object"
        yield Item(f"{text} {kind} of")
        yield from (Item(each, each) for each in [*holders][:DATASETS])
