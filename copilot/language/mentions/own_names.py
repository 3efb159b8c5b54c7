"""Names of a session's own files and results in a request, put into words that mean nothing else.

A file is called as its owner calls it: rotated_uav, tas_0360, hike tracks. Whoever reads English in such a
name takes "rotated" for an order. So each name that is no plain word is replaced before a request is read, by
a word that no language has, in the request and in the state alike, and put back into what was read of it;
so are plain words that are near to each other: field, fields and Fields.
"The clip" is the newest result of the tool that clips; where nothing was clipped it is nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from data.vocabulary import words as vocabulary

STAND_INS = (
    "Vornaq", "Quelzim", "Tazvork", "Zimbrex", "Jurqand", "Wexolm", "Krivaz", "Pholgun", "Dwixar", "Ulmqet",
)  # fmt: skip
"""Words for names: none of a language, of a place, or of another."""
RESULTS: Mapping[str, frozenset[str]] = {
    "clip": frozenset({"raster_clip", "image_crop"}),
    "crop": frozenset({"image_crop", "raster_clip"}),
    "mosaic": frozenset({"raster_mosaic"}),
    "buffer": frozenset({"buffer"}),
    "hull": frozenset({"convex_hull"}),
    "hillshade": frozenset({"hillshade"}),
    "slope": frozenset({"slope"}),
    "aspect": frozenset({"aspect"}),
    "viewshed": frozenset({"viewshed"}),
    "intersection": frozenset({"intersection"}),
    "union": frozenset({"union"}),
    "centroids": frozenset({"centroid"}),
    "contours": frozenset({"contour_lines"}),
}
"""What a result is called, with the tools that make one."""
_RESULT = re.compile(
    rf"\b(?:the|that|this) ({'|'.join(RESULTS)})\b(?!\s+(?:of|from|for|between|around|with|at)\b)", re.I
)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|`[^`]*`")
_SHORTEST = 4


@dataclass(frozen=True)
class OwnNames:
    """A request and a state in which names are words without a meaning."""

    request: str
    state: dict[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)
    """The names, by the words that stand for them."""
    never_made: tuple[str, ...] = ()
    """Results that are spoken of and that nothing made: "clip"."""

    def put_back(self, value: Any) -> Any:
        """A value of a plan (texts in lists and mappings too) with the names in it again."""
        if isinstance(value, str):
            words = re.compile(rf"(?<![a-z])({'|'.join(self.names) or '(?!)'})(?![a-z])", re.I)
            return words.sub(lambda match: self.names[match[1].capitalize()], value)
        if isinstance(value, Mapping):
            return {key: self.put_back(each) for key, each in value.items()}
        return [self.put_back(each) for each in value] if isinstance(value, list) else value


def own_names(request: str, state: Mapping[str, Any], others: Sequence[str] = ()) -> OwnNames:
    """A request said into a state, as JSON; `others` are names that mean something beside: data sets."""
    artifacts, layers = list(state["artifacts"]), list(state["map"]["layers"])
    taken = {each.casefold() for each in others}
    brought = dict.fromkeys(
        str(each["name"]) for each in artifacts if str(each["made_by"]).startswith("add_file")
    )
    near = Counter(vocabulary.key(each) for each in brought)
    names = [
        each
        for each in brought
        if (_is_telling(each) or near[vocabulary.key(each)] > 1) and each.casefold() not in taken
    ]
    stands: dict[str, str] = {}
    said = request
    for name in sorted(names, key=len, reverse=True):
        one = sum(1 for each in artifacts if each["name"] == name) == 1
        # Where two differ in case or in the signs between words alone, each is meant as it is written.
        twins = sum(1 for each in brought if vocabulary.spelled(each) == vocabulary.spelled(name)) > 1
        if one and len(stands) < len(STAND_INS):
            said = _replaced(said, name, STAND_INS[len(stands)], stands, exact=twins)
    missing = []
    for match in _RESULT.finditer(said):
        noun = match[1].lower()
        made = [each for each in artifacts if str(each["made_by"]).split("(")[0] in RESULTS[noun]]
        named = any(noun in re.split(r"[\W_]+", str(each["name"]).lower()) for each in (*artifacts, *layers))
        if not made and not named:
            missing.append(noun)
        elif made and len(stands) < len(STAND_INS):
            word = STAND_INS[len(stands)]
            stands[word] = str(made[-1]["name"])
            said = said.replace(match[0], word)
    return OwnNames(said, _renamed(state, stands), stands, tuple(missing))


def _is_telling(name: str) -> bool:
    """Whether a name is more than one plain word, which the readers of English know better."""
    return len(name) >= _SHORTEST and re.search("[a-z]", name, re.I) is not None and not name.isalpha()


def _replaced(text: str, name: str, word: str, stands: dict[str, str], *, exact: bool) -> str:
    """The text with the word for each whole name outside of quotes; then it stands for that.

    Unless it is to be `exact`, a name may be written in another case, and with other signs between its words.
    """
    said = re.escape(name) if exact else r"[\s_-]".join(map(re.escape, re.split(r"[\s_-]+", name)))
    whole = re.compile(rf"{_QUOTED.pattern}|(?<![\w./-])({said})(?![\w/-]|\.\w)", 0 if exact else re.I)
    changed = whole.sub(lambda match: word if match[1] else match[0], text)
    if changed != text:
        stands[word] = name
    return changed


def _renamed(state: Mapping[str, Any], stands: Mapping[str, str]) -> dict[str, Any]:
    words = {name: word for word, name in stands.items()}
    artifacts = [{**each, "name": words.get(each["name"], each["name"])} for each in state["artifacts"]]
    layers = [{**each, "name": words.get(each["name"], each["name"])} for each in state["map"]["layers"]]
    return {**state, "artifacts": artifacts, "map": {**state["map"], "layers": layers}}
