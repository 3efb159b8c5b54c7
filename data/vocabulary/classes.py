"""Class lists as the catalogue stores them, and class words resolved within one data set."""

from __future__ import annotations

from functools import lru_cache

from data.schema import ClassInfo, DatasetInfo
from data.vocabulary.groups import group_of, groups_for
from data.vocabulary.published import CLASS_NAMES, CORINE_GROUPS, FAIR1M_GROUPS, SCENE_DATASETS
from data.vocabulary.synonyms import classes_meant
from data.vocabulary.words import key, spelled

_FAIR1M_GROUP_WORDS = {
    "Airplane": "airplanes",
    "Ship": "vessels",
    "Vehicle": "vehicles",
    "Court": "sports fields",
    "Road": "roads",
}


@lru_cache(maxsize=16)
def classes_of(dataset: str) -> tuple[ClassInfo, ...]:
    """The published classes of one of the seven data sets, with their groups.

    Raises KeyError, naming the data sets there are, for any other name.
    """
    if dataset not in CLASS_NAMES:
        raise KeyError(f"no published class list for {dataset!r}; there are {', '.join(CLASS_NAMES)}")
    return tuple(
        ClassInfo(number, name, _groups(dataset, name), dataset in SCENE_DATASETS)
        for number, name in enumerate(CLASS_NAMES[dataset])
    )


def _groups(dataset: str, name: str) -> tuple[str, ...]:
    groups = groups_for(name)
    if dataset == "fair1m":
        official = next(group for group, names in FAIR1M_GROUPS.items() if name in names)
        word = _FAIR1M_GROUP_WORDS[official]
        return groups if word in groups else (*groups, word)
    if dataset == "bigearthnet" and CORINE_GROUPS[name]:
        return (*groups, CORINE_GROUPS[name])
    return groups


def class_ids(info: DatasetInfo, word: str) -> frozenset[int]:
    """Ids of the classes of one data set that a class name or a group word means.

    Tried in this order: a class name as published (case, `_` and `-` aside); a group word or a
    synonym of one; a synonym or plural of a class name. So "Truck" is that one class in xView,
    and "trucks" all its trucks. Empty when the data set has nothing of the kind.
    """
    return _class_ids(info.classes, word)


@lru_cache(maxsize=8192)
def _class_ids(classes: tuple[ClassInfo, ...], word: str) -> frozenset[int]:
    name = spelled(word)
    exact = frozenset(entry.id for entry in classes if spelled(entry.name) == name)
    if exact or not name:
        return exact
    group = group_of(word)
    wanted = {name, spelled(group)} if group else {name}
    grouped = frozenset(
        entry.id for entry in classes if any(spelled(member) in wanted for member in entry.groups)
    )
    if grouped:
        return grouped
    keys = {key(word), *(key(meant) for meant in classes_meant(word))}
    return frozenset(entry.id for entry in classes if key(entry.name) in keys)
