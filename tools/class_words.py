"""Class words as filters keep them: the catalogue's own spelling, and whether they label objects or scenes.

Both are a function of the word and the whole catalogue, never of what is loaded, so that loading
and filtering give the same state in either order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz import fuzz, process

from data.catalogue import classes as stored
from data.catalogue.base import Catalogue
from data.schema import ClassInfo, DatasetInfo
from data.vocabulary import class_ids, find, group_of
from data.vocabulary.words import spelled
from tools.base import ToolError, World
from tools.phrases import listed, one_line


@dataclass(frozen=True)
class ClassWords:
    """Every class of a catalogue, by name and by group."""

    key: tuple[tuple[str, str], ...]
    """(data set, version): two with the same key hold the same classes."""
    infos: tuple[DatasetInfo, ...] = field(compare=False, repr=False)

    @classmethod
    def of(cls, world: World) -> ClassWords:
        """The classes of all data sets of the catalogue."""
        return cls.over(world.catalogue)

    @classmethod
    def over(cls, catalogue: Catalogue) -> ClassWords:
        """The same, where there is no more of a world."""
        infos = catalogue.datasets()
        return cls(tuple((info.name, info.version) for info in infos), infos)

    def canonical(self, word: str) -> tuple[str, ...]:
        """The class name or group word as the catalogue spells it; several where it means several.

        Tried in this order: a published name, a group word or a synonym of one, a group word of an
        ingested data set, a plural or synonym of names, a misspelling. Raises ToolError with the nearest.
        """
        return _canonical(self, word)

    def is_scene(self, name: str) -> bool:
        """True when a canonical name labels whole images in every data set that has it."""
        return _is_scene(self, name)

    def scene_names(self, name: str) -> tuple[str, ...]:
        """The names, out of the classes that a canonical name means, that label whole images only."""
        found = {c.name for c in self._classes(name) if c.scene}
        return tuple(sorted(each for each in found if self.is_scene(each)))

    def holders(self, name: str) -> tuple[str, ...]:
        """The data sets that have a canonical name."""
        return _holders(self, name)

    def _classes(self, name: str) -> Iterable[ClassInfo]:
        """The classes of that very name; without any, those the name means as a group."""
        wanted = spelled(name)
        named = [c for info in self.infos for c in info.classes if spelled(c.name) == wanted]
        if named:
            return named
        return [c for info in self.infos for c in info.classes if c.id in stored.class_ids(info, name)]


def canonical_words(words: Sequence[str], known: ClassWords, match: str = "any") -> tuple[str, ...]:
    """Words in the catalogue's spelling, without repeats. Raises ToolError for one no data set has.

    With match="all" every class counts, so a word that means several is asked about.
    """
    found: dict[str, None] = {}
    for word in words:
        names = known.canonical(word)
        if match == "all" and len(names) > 1:
            raise ToolError(
                f"{word!r} means {listed(names)}; with match=all, name the one that must be there."
            )
        found.update(dict.fromkeys(names))
    return tuple(found)


def missing_from(loaded: Sequence[str], names: Sequence[str], known: ClassWords) -> str:
    """A sentence for each name that none of the loaded data sets has; empty when there is none."""
    if not loaded:
        return ""
    return "".join(
        f" None of the loaded data sets has {name!r}; "
        f"{listed(holders)} {'has' if len(holders) == 1 else 'have'}."
        for name in names
        if (holders := known.holders(name)) and not set(holders) & set(loaded)
    )


@lru_cache(maxsize=4096)
def _canonical(known: ClassWords, word: str) -> tuple[str, ...]:
    for attempt in (_published, _group, _own_group, _meant, _corrected):
        if names := attempt(known, word):
            return names
    raise ToolError(_unknown(known, word))


def _published(known: ClassWords, word: str) -> tuple[str, ...]:
    wanted = spelled(word)
    return next(
        ((c.name,) for info in known.infos for c in info.classes if wanted and spelled(c.name) == wanted), ()
    )


def _group(known: ClassWords, word: str) -> tuple[str, ...]:
    group = group_of(word)
    return (group,) if group and known.holders(group) else ()


def _own_group(known: ClassWords, word: str) -> tuple[str, ...]:
    wanted = spelled(word)
    groups = (group for info in known.infos for c in info.classes for group in c.groups)
    return next(((group,) for group in groups if wanted and spelled(group) == wanted), ())


def _meant(known: ClassWords, word: str) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for info in known.infos:
        ids = class_ids(info, word)
        for name in (c.name for c in info.classes if c.id in ids):
            found.setdefault(spelled(name), name)
    return tuple(sorted(found.values()))


def _corrected(known: ClassWords, word: str) -> tuple[str, ...]:
    terms = [term for term in find(word) if known.holders(term.name)]
    groups = tuple(term.name for term in terms if term.kind == "group")
    return groups[:1] or tuple(sorted({term.name for term in terms}))


def _unknown(known: ClassWords, word: str) -> str:
    names = sorted({text for info in known.infos for c in info.classes for text in (c.name, *c.groups)})
    if not names:
        return f"No data set of the catalogue has classes, so {word!r} finds none."
    near = [each for each, *_ in process.extract(word, names, scorer=fuzz.WRatio, limit=3, score_cutoff=60)]
    hint = (
        f"The nearest are {listed(near)}."
        if near
        else f"There are, for example, {listed([one_line(each) for each in _groups(known) or names], 6)}."
    )
    return f"No data set of the catalogue has the class {word!r}. {hint}"


def _groups(known: ClassWords) -> list[str]:
    return sorted({group for info in known.infos for c in info.classes for group in c.groups})


@lru_cache(maxsize=4096)
def _holders(known: ClassWords, name: str) -> tuple[str, ...]:
    return tuple(info.name for info in known.infos if stored.class_ids(info, name))


@lru_cache(maxsize=4096)
def _is_scene(known: ClassWords, name: str) -> bool:
    classes = list(known._classes(name))
    return bool(classes) and all(c.scene for c in classes)
