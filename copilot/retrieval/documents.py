"""What is known of a tool in words: the texts that a request is compared with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from tools.base import Tool

_WORD = re.compile(r"[a-z0-9]+")
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s")
_EMPTY = frozenset(
    """a an and are as at be by can could do for from give have i if in into is it its let like make me my
    need now of on one only or please s so some than that the their them then there they this those to us
    use want we what when where which will with would you your""".split()
)
"""Words that stand in any request."""


@dataclass(frozen=True)
class Document:
    """A tool with what may be said when it is wanted."""

    tool: Tool

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What is embedded, each by itself: name and summary, arguments, and the phrases it is asked with."""
        title = self.tool.name.replace("_", " ")
        described = "; ".join(_arguments(self.tool))
        return (
            f"{title}: {self.tool.summary}",
            *((f"{title}: {described}",) if described else ()),
            *self.tool.phrases,
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of every word of its texts."""
        return frozenset(stem for text in self.texts for stem in stems(text))


def _arguments(tool: Tool) -> list[str]:
    found = []
    for name, schema in tool.schema.get("properties", {}).items():
        parts = [schema, *schema.get("anyOf", ())]
        said = next((part["description"] for part in parts if part.get("description")), "")
        values = [str(value) for part in parts for value in part.get("enum", ())]
        found.append(" ".join([name.replace("_", " "), said.rstrip("."), *values]).strip())
    return found


def stems(text: str) -> list[str]:
    """The words that mean something, without their endings: "plotting the ports" is plot, port."""
    return [_stem(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            kept = word[: -len(ending)]
            if ending == "ies":
                return kept + "y"
            # "plotted" and "plotting" double the letter that "plot" has once; "pass" keeps its two.
            doubled = ending in ("ing", "ings", "ed") and kept[-1] == kept[-2] and kept[-1] not in "lsz"
            return kept[:-1] if doubled else kept
    return word
