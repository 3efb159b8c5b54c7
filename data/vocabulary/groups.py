"""The canonical group words that mean the same over all data sets, and what belongs to each.

A group has a parent (its members are the parent's too), synonyms, and the published classes that
are directly in it. Members are written as keys of `words.key`, so that a user's own "Delivery
trucks" finds its group by the same road.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from data.vocabulary.words import data_lines, key


@dataclass(frozen=True)
class Group:
    """One group word."""

    name: str
    parents: tuple[str, ...]
    synonyms: tuple[str, ...]
    members: tuple[str, ...]
    """Published class names, in any spelling that `words.key` reduces."""


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _read() -> tuple[Group, ...]:
    rows = [line.split("|") for line in data_lines(Path(__file__).with_name("groups.txt"))]
    return tuple(
        Group(name.strip(), _split(parents), _split(synonyms), _split(members))
        for name, parents, synonyms, members in rows
    )


GROUPS: tuple[Group, ...] = _read()
"""Every group, widest first; the table is groups.txt."""

BY_NAME: dict[str, Group] = {group.name: group for group in GROUPS}


def with_parents(name: str) -> tuple[str, ...]:
    """A group and all above it, in the table's order (widest first)."""
    above = {name}
    for parent in BY_NAME[name].parents:
        above.update(with_parents(parent))
    return tuple(group.name for group in GROUPS if group.name in above)


def _members() -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for group in GROUPS:
        for member in group.members:
            found.setdefault(key(member), set()).update(with_parents(group.name))
    return {
        name: tuple(group.name for group in GROUPS if group.name in names) for name, names in found.items()
    }


GROUPS_OF_CLASS: dict[str, tuple[str, ...]] = _members()
"""Key of a published class name to its groups, widest first."""

_GROUP_OF_WORD: dict[str, str] = {}
for _entry in GROUPS:
    for _word in (_entry.name, *_entry.synonyms):
        _GROUP_OF_WORD.setdefault(key(_word), _entry.name)


def group_of(word: str) -> str | None:
    """The canonical group that a group word or a synonym of it means, or None."""
    return _GROUP_OF_WORD.get(key(word))


def group_words() -> dict[str, str]:
    """Every key of a group word or synonym, and the canonical group it means."""
    return dict(_GROUP_OF_WORD)


NOT_THE_SAME = frozenset({"non", "no", "not", "other", "parking", "toy"})
"""Words that turn the noun after them into something else."""


def groups_for(class_name: str) -> tuple[str, ...]:
    """The groups a class belongs to by its name, widest first; () when nothing is known.

    A name that no data set publishes is read from its right end, as English puts the noun
    there: "armoured delivery truck" is a truck, a "truck stop" is not.
    """
    words = key(class_name).split()
    for start in range(len(words)):
        if any(word in NOT_THE_SAME for word in words[:start]):
            break
        tail = " ".join(words[start:])
        if tail in GROUPS_OF_CLASS:
            return GROUPS_OF_CLASS[tail]
        if tail in _GROUP_OF_WORD:
            return with_parents(_GROUP_OF_WORD[tail])
    return ()
