"""Where the steps of a workflow are drawn: levels from the data on, few crossings, long ways around.

Layers as in Sugiyama, Tagawa and Toda (1981), Methods for visual understanding of hierarchical system
structures: an edge that spans several levels gets a place in each, and each level is put in the order of the
means of its neighbours. Places are in units of a node; the browser turns them into pixels, along or down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from copilot.messages import later, t

WAY = 0.5
"""What an edge that passes takes of a level, in nodes."""
SWEEPS = 4
WORDS: Mapping[str, str] = {
    "input": later("data"),
    "waiting": later("waiting"),
    "running": later("running"),
    "finished": later("finished"),
    "repaired": later("repaired"),
    "failed": later("failed"),
    "skipped": later("skipped"),
    "held": later("held back"),
}
"""The states of a node as the page says them; a held step waits for one that failed."""


@dataclass(frozen=True)
class Node:
    """A step, or something that the workflow is given."""

    id: str
    title: str
    about: str = ""
    """The tool of a step; what an input is."""
    status: str = "waiting"
    after: tuple[str, ...] = ()
    """The nodes that come before it."""


@dataclass(frozen=True)
class Layout:
    """Places of nodes and ways of edges: (level, place in it), the middle of a level being 0."""

    places: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    ways: Mapping[tuple[str, str], tuple[tuple[int, float], ...]] = field(default_factory=dict)
    levels: int = 0
    widest: float = 0.0
    """How much the fullest level takes, in nodes."""


def laid_out(nodes: Sequence[Node]) -> Layout:
    """The places of nodes that make an acyclic graph, given in an order in which they may run."""
    level = _levels(nodes)
    edges = [(before, each.id) for each in nodes for before in each.after if before in level]
    rows: list[list[str]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for each in nodes:
        rows[level[each.id]].append(each.id)
    chains = {edge: _chain(edge, level, rows) for edge in edges}
    links = [pair for chain in chains.values() for pair in pairwise(chain)]
    for sweep in range(SWEEPS):
        _sort(rows, links, down=sweep % 2 == 0)
    known = set(level)
    at = {name: place for row in rows for name, place in _places(row, known).items()}
    ways = {
        edge: tuple((level[edge[0]] + step, at[name]) for step, name in enumerate(chain))[1:-1]
        for edge, chain in chains.items()
    }
    places = {name: (level[name], at[name]) for name in level}
    return Layout(places, ways, len(rows), max((_width(row, known) for row in rows), default=0.0))


def drawing(nodes: Sequence[Node], chosen: str | None, title: str) -> dict[str, Any]:
    """What the browser draws, as plain values: nodes with places, edges with ways, words of the states."""
    layout = laid_out(nodes)
    return {
        "title": title,
        "chosen": chosen,
        "levels": layout.levels,
        "widest": layout.widest,
        "nodes": [
            {
                "id": each.id,
                "title": each.title,
                "about": each.about,
                "status": each.status,
                "word": t(WORDS.get(each.status, each.status)),
                "level": layout.places[each.id][0],
                "at": layout.places[each.id][1],
            }
            for each in nodes
        ],
        "edges": [
            {"from": first, "to": then, "ways": [list(way) for way in ways]}
            for (first, then), ways in layout.ways.items()
        ],
    }


def _levels(nodes: Sequence[Node]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in nodes:
        found[each.id] = 1 + max((found[before] for before in each.after if before in found), default=-1)
    return found


def _chain(edge: tuple[str, str], level: Mapping[str, int], rows: list[list[str]]) -> list[str]:
    """The edge by its places in each level; those in between are put into their levels."""
    first, then = edge
    between = [f"{first}>{then}@{number}" for number in range(level[first] + 1, level[then])]
    for number, name in enumerate(between, start=level[first] + 1):
        rows[number].append(name)
    return [first, *between, then]


def _sort(rows: list[list[str]], links: Sequence[tuple[str, str]], *, down: bool) -> None:
    """Put each level in the order of the means of its neighbours' places in the level before it."""
    near: dict[str, list[str]] = {}
    for first, then in links:
        near.setdefault(then if down else first, []).append(first if down else then)
    numbers = range(1, len(rows)) if down else range(len(rows) - 2, -1, -1)
    for number in numbers:
        beside = {name: place for place, name in enumerate(rows[number - 1 if down else number + 1])}
        own = {name: place for place, name in enumerate(rows[number])}

        def mean(name: str, beside: Mapping[str, int] = beside, own: Mapping[str, int] = own) -> float:
            places = [beside[each] for each in near.get(name, ()) if each in beside]
            return sum(places) / len(places) if places else float(own[name])

        rows[number].sort(key=lambda name: (mean(name), own[name]))


def _places(row: Sequence[str], known: set[str]) -> dict[str, float]:
    found, left = {}, -_width(row, known) / 2
    for name in row:
        size = 1.0 if name in known else WAY
        found[name] = round(left + size / 2, 3)
        left += size
    return found


def _width(row: Sequence[str], known: set[str]) -> float:
    return sum(1.0 if name in known else WAY for name in row)


__all__ = ["WORDS", "Layout", "Node", "drawing", "laid_out"]
