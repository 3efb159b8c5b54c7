"""What was brought in stays what is spoken of, as long as no word names the catalogue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from copilot.planner.asking import Reject
from copilot.planner.clauses import Clause
from copilot.planner.situation import Call, Situation
from tools.toolbox import toolbox

_OF_CATALOGUE = re.compile(
    r"\b(?:images|imagery|scenes|pictures|photos|footprints|shots|data ?sets?|catalogue?|archive|collection)\b",
    re.I,
)
_OF_ANYTHING = re.compile(r"\b(?:everything|all|rows|records)\b", re.I)
"""What the catalogue has, and a file that was just brought in as well."""
_SELECTS = ("dataset", "event", "place", "point", "bbox", "class", "attribute")
"""Phrases that say which images of the catalogue are meant."""
_KINDS = ("raster", "vector")


@dataclass(frozen=True)
class Brought:
    """A file of the user's that can be looked at or drawn."""

    kind: str
    name: str


def brought_in(situation: Situation) -> list[Brought]:
    """The images and the features that were brought in, the newest last."""
    return [
        Brought(str(each["kind"]), str(each["name"]))
        for each in situation.state["artifacts"]
        if each["kind"] in _KINDS and str(each["made_by"]).startswith("add_file")
    ]


def not_understood(situation: Situation) -> str:
    """That a request was not understood, with what could be asked: of what was brought in, if there is something."""
    loaded = situation.state["database"]["loaded"] and situation.brought_last() is None
    here = [] if loaded else brought_in(situation)
    if here and here[-1].kind == "raster":
        return (
            f"I did not understand what to do with {here[-1].name}. Try: what is in this image? how many ships are "
            "there? or map the water."
        )
    if here:
        return (
            f"I did not understand what to do with {here[-1].name}. I measure, cut, join and count its features, and keep "
            "those that one comparison picks. Try: how big are they? show only those with depth over 10, or show only "
            "those larger than 2 ha."
        )
    return (
        "I did not understand that as something to find, map, count, chart or export. "
        "Try: show ships near Rotterdam from 2020."
    )


def is_beside_the_catalogue(text: str, situation: Situation) -> bool:
    """Whether something was brought in, last or with nothing loaded, and no word names what the catalogue holds."""
    last = situation.brought_last()
    if _OF_CATALOGUE.search(text) or not (last or brought_in(situation)):
        return False
    return last is not None or not (situation.state["database"]["loaded"] or _OF_ANYTHING.search(text))


def of_what_came_last(text: str, calls: Sequence[Call], situation: Situation) -> list[Call]:
    """The calls of a request that names nothing of the catalogue, on the file that was brought in last.

    What works on the selection where no table is named is meant of the file then; what is looked for in a
    store of texts that was there before is looked for in the file.
    """
    brought = situation.brought_last()
    if brought is None:
        return list(calls)
    ref = str(brought["id"])
    if brought["kind"] in ("table", "vector"):
        return [_of_the_file(each, ref) for each in calls]
    if brought["kind"] != "document" or not any(_other_store(each, text, situation) for each in calls):
        return list(calls)
    name = str(brought["name"])[:100]
    searched = [
        Call(each.tool, {**each.args, "store": name}) if _other_store(each, text, situation) else each
        for each in calls
    ]
    return [Call("vectorstore_create", {"name": name, "document": ref}), *searched]


def _other_store(call: Call, text: str, situation: Situation) -> bool:
    """Whether a call searches a store that the request does not name and that is older than the file."""
    name = str(call.args.get("store", ""))
    names = [str(each["name"]) for each in situation.state["artifacts"]]
    brought = situation.brought_last()
    if brought is None or name not in names or name.lower() in text.lower():
        return False
    return names.index(name) < names.index(str(brought["name"]))


def _of_the_file(call: Call, ref: str) -> Call:
    if call.tool == "db_count":
        by = call.args.get("by")
        return Call("group_count", {"by": by, "table": ref}) if by else Call("describe_table", {"table": ref})
    takes = call.tool in toolbox() and "table" in toolbox().get(call.tool).arguments.model_fields
    return Call(call.tool, {**call.args, "table": ref}) if takes and "table" not in call.args else call


def turns_to_the_catalogue(text: str) -> bool:
    """Whether a text speaks of what the catalogue holds: "export the images"."""
    return bool(_OF_CATALOGUE.search(text) or _OF_ANYTHING.search(text))


def whole_catalogue(clause: Clause, situation: Situation) -> list[str]:
    """Every data set, for a clause that says of none which it means.

    Raises Reject where something was brought in and the clause does not turn from it to the catalogue.
    """
    if not clause.of(*_SELECTS) and is_beside_the_catalogue(clause.text, situation):
        raise Reject(not_understood(situation))
    return sorted(situation.datasets)
