"""Tools as actions: what a call lacks, what is known after it, and all of them as a PDDL domain.

Everything is read from the one declaration beside each tool (`Tool.preconditions`, `Tool.effects`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tools.base import Tool
from tools.conditions import KINDS, Thing, Unmet, made, unmet

Facts = Mapping[str, Thing | Sequence[Thing]]
"""What is known of each argument that is a handle; several things where it takes a list of them."""


def lacking(
    tool: Tool, arguments: Mapping[str, Any], facts: Facts, *, strict: bool = False
) -> tuple[Unmet, ...]:
    """The preconditions that do not hold of a call; of alternatives, those of the nearest one."""
    single = {name: each for name, each in facts.items() if isinstance(each, Thing)}
    found: list[Unmet] = []
    for name in dict.fromkeys(each.argument for each in tool.preconditions if each.argument):
        if arguments.get(name) is None or name not in facts:
            continue
        needs = [
            _with_bands(each, arguments)
            for each in tool.preconditions
            if each.argument == name and each.applies(arguments)
        ]
        given = facts[name]
        for thing in [given] if isinstance(given, Thing) else given:
            tried = [unmet(need, thing, single, strict=strict) for need in needs]
            nearest: tuple[Unmet, ...] = min(tried, key=lambda lacks: len(lacks), default=())
            found.extend(nearest)
    return tuple(found)


def results(tool: Tool, arguments: Mapping[str, Any], facts: Facts, token: str = "") -> dict[str, Thing]:
    """What is known of each artifact that a call makes, by its key in the step's data."""
    single = {name: each if isinstance(each, Thing) else each[0] for name, each in facts.items() if each}
    found: dict[str, Thing] = {}
    for effect in tool.effects:
        if effect.kind not in KINDS or effect.in_place or effect.argument in found:
            continue
        if effect.applies(arguments):
            found[effect.argument] = made(effect, single, token)
    return found


def changed(tool: Tool, arguments: Mapping[str, Any], facts: Facts) -> dict[str, Thing]:
    """What is known, after a call, of the arguments that it changes in place."""
    single = {name: each for name, each in facts.items() if isinstance(each, Thing)}
    found = {}
    for effect in tool.effects:
        if effect.in_place and effect.of in single:
            thing = replace(made(effect, single), argument=single[effect.of].argument)
            said = arguments.get(effect.bands_for)
            if isinstance(said, Mapping):
                thing = replace(thing, bands=tuple(sorted(map(str, said))))
            found[effect.of] = replace(thing, grid_of=single[effect.of].grid_of)
    return found


def main_key(tool: Tool) -> str:
    """The key of a tool's main result; empty where it makes no artifact."""
    return next((each.argument for each in tool.effects if each.kind in KINDS and not each.in_place), "")


def with_defaults(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the tool's own defaults for those left out."""
    defaults = {
        name: each["default"]
        for name, each in tool.schema.get("properties", {}).items()
        if each.get("default") is not None
    }
    return {**defaults, **arguments}


@lru_cache
def index_bands(name: str) -> tuple[str, ...]:
    """The bands that a spectral index is computed from; none for one that is not known."""
    from data.raster.errors import RasterError
    from data.raster.indices import index_named

    try:
        return tuple(sorted(index_named(name).expression.names))
    except RasterError:
        return ()


def _with_bands(need: Thing, arguments: Mapping[str, Any]) -> Thing:
    if not need.bands_for or arguments.get("bands"):  # whoever numbers the bands has said which they are
        return need
    return replace(need, bands=index_bands(str(arguments.get(need.bands_for, ""))))


# -- PDDL -------------------------------------------------------------------------------------------

_REQUIREMENTS = (
    ":strips :typing :negative-preconditions :disjunctive-preconditions :universal-preconditions "
    ":conditional-effects"
)
_WORDS = {"modality": "modality", "bands": "band", "level": "level", "done": "done", "geometry": "geometry"}
_RESET = ("modality", "band", "level")
"""What a new modality takes away."""


def domain(tools: Iterable[Tool], name: str = "azimuth") -> str:
    """The tools as a PDDL domain: an action a tool, or one for each way of it that `when` tells apart.

    Numbers (pixel size, value range, cloud) have no place in it; their conditions are left out.
    """
    listed = list(tools)
    words = sorted(
        {word for tool in listed for thing in (*tool.preconditions, *tool.effects) for word in _words(thing)}
    )
    parts = sorted(
        {thing.kind for tool in listed for thing in (*tool.preconditions, *tool.effects)} - set(KINDS)
    )
    actions = [text for tool in listed for text in _actions(tool)]
    text = "\n".join(
        [
            f"(define (domain {name})",
            f"  (:requirements {_REQUIREMENTS})",
            f"  (:types {' '.join(KINDS)} - thing word part - object)",
            f"  (:constants {' '.join(f'w-{each}' for each in words)} - word "
            f"{' '.join(f'p-{each}' for each in parts)} - part)",
            "  (:predicates (there ?x - thing) (free ?x - thing) (is ?p - part) (placed ?x - thing)",
            "    (metric ?x - thing) (grid ?x - thing ?y - thing)",
            *(f"    ({each} ?x - thing ?w - word)" for each in _WORDS.values()),
            "  )",
            *actions,
            ")",
        ]
    )
    return text.replace("_", "-")


def _words(thing: Thing) -> Iterable[str]:
    for name in _WORDS:
        yield from getattr(thing, name)


def _actions(tool: Tool) -> Iterable[str]:
    ways = sorted({each.when for each in (*tool.preconditions, *tool.effects) if each.when}) or [()]
    for way in ways:
        suffix = "".join(f"--{each.replace('=', '-')}" for each in way)
        yield _action(tool, way, f"{tool.name}{suffix}".replace("_", "-"))


def _action(tool: Tool, way: tuple[str, ...], name: str) -> str:
    needs = [each for each in tool.preconditions if not each.when or set(way) & set(each.when)]
    gives = [each for each in tool.effects if not each.when or set(way) & set(each.when)]
    required = set(tool.schema.get("required", ()))
    taken = {each.argument: each.kind for each in needs if each.argument in required}
    results = {each.argument: each for each in gives if each.kind in KINDS and not each.in_place}
    parameters = [f"?{key}-in - {kind}" for key, kind in taken.items()]
    parameters += [f"?{key}-out - {each.kind}" for key, each in results.items()]
    conditions = [_need(key, [each for each in needs if each.argument == key]) for key in taken]
    conditions += [f"(is p-{each.kind})" for each in needs if each.kind not in KINDS]
    conditions += [f"(free ?{key}-out)" for key in results]
    effects = [text for key, each in results.items() for text in _effect(key, each, taken)]
    effects += [f"(is p-{each.kind})" for each in gives if each.kind not in KINDS]
    effects += [
        text for each in gives if each.in_place and each.of in taken for text in _said(each, f"?{each.of}-in")
    ]
    return "\n".join(
        [
            f"  (:action {name}",
            f"    :parameters ({' '.join(parameters)})",
            f"    :precondition (and {' '.join(conditions)})",
            f"    :effect (and {' '.join(effects)}))",
        ]
    )


def _need(key: str, alternatives: Sequence[Thing]) -> str:
    there = f"(there ?{key}-in)"
    ways = [_conjunction(each, f"?{key}-in") for each in alternatives]
    if not all(ways):
        return there
    return f"(and {there} {ways[0] if len(ways) == 1 else f'(or {chr(32).join(ways)})'})"


def _conjunction(need: Thing, variable: str) -> str:
    parts = []
    for name, predicate in _WORDS.items():
        words = [f"({predicate} {variable} w-{each})" for each in getattr(need, name)]
        if name in ("bands", "done"):
            parts += words
        elif words:
            parts.append(words[0] if len(words) == 1 else f"(or {' '.join(words)})")
    parts += [f"({name} {variable})" for name in ("placed", "metric") if getattr(need, name)]
    return "" if not parts else parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"


def _effect(key: str, give: Thing, taken: Mapping[str, str]) -> Iterable[str]:
    out = f"?{key}-out"
    yield f"(there {out})"
    yield f"(not (free {out}))"
    if give.of in taken:
        source = f"?{give.of}-in"
        reset = {"modality", *(_RESET if give.modality else ())} if give.modality or give.level else set()
        for predicate in _WORDS.values():
            if predicate not in reset and not (predicate == "level" and give.level):
                yield f"(forall (?w - word) (when ({predicate} {source} ?w) ({predicate} {out} ?w)))"
        for predicate in ("placed", "metric"):
            yield f"(when ({predicate} {source}) ({predicate} {out}))"
        if not give.regrids and not give.grid_of:
            yield f"(grid {out} {source})"
    if give.grid_of in taken:
        yield f"(grid {out} ?{give.grid_of}-in)"
    yield from _said(give, out)


def _said(give: Thing, variable: str) -> Iterable[str]:
    for name, predicate in _WORDS.items():
        for word in getattr(give, name):
            yield f"({predicate} {variable} w-{word})"
    for name in ("placed", "metric"):
        if getattr(give, name):
            yield f"({name} {variable})"


__all__ = ["Facts", "changed", "domain", "index_bands", "lacking", "main_key", "results", "with_defaults"]
