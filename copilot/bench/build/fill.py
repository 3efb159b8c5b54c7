"""Fill an intent's slots from drawn rows, play it, and say what is wrong where it does not hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from copilot.bench.build.intents import BRACES, RESULT, Intent, slot_of
from copilot.bench.build.rows import Pool, Row
from copilot.bench.build.slots import LITERAL, Filler, Slot, Value
from copilot.bench.check.play import Played, Player
from copilot.bench.check.runs import Made
from copilot.bench.task import GoldCall
from tools.phrases import number

TRIES = 25
"""How often an intent's slots are drawn again before it is given up."""
_MOST_WRITTEN = 3_000
"""Rows that a file or a page of a task holds, where another draw of its slots can do with fewer: writing a
hundred thousand takes seconds, at every replay."""
_LIGHT_TRIES = 4
_WRITERS = frozenset(
    {"export_map", "export_csv", "export_geojson", "export_geoparquet", "db_query", "sort_table"}
)
_MOST_SAID = 600
"""A reply that repeats a longer observation is cut."""

Values = Mapping[str, Value]


class NotFilled(Exception):
    """Why an intent could not be filled, in one sentence."""


@dataclass(frozen=True)
class Filled:
    """An intent with its slots filled, played to its end."""

    intent: Intent
    values: Values
    setup: tuple[GoldCall, ...]
    calls: tuple[GoldCall, ...]
    also: tuple[tuple[GoldCall, ...], ...]
    reply: str
    begun: Played
    """After the setup."""
    played: Played
    """After the gold calls."""

    def said(self, wording: str) -> str:
        """One of the intent's wordings with the slots as a person says them."""
        return said(wording, self.values)


@dataclass(frozen=True)
class Drawer:
    """Draws rows for intents out of a pool."""

    pool: Pool
    filler: Filler
    _fitting: dict[frozenset[Any], dict[str, list[tuple[Row, ...]]]] = field(default_factory=dict)

    def values(self, intent: Intent, rng: Random) -> dict[str, Value]:
        """Every slot's value: the slots of a group from one row. Raises NotFilled."""
        values: dict[str, Value] = {}
        datasets = intent.loads
        for group in sorted({slot.group for slot in intent.slots.values() if slot.kind != LITERAL}):
            slots = [each for each in intent.slots.values() if each.kind != LITERAL and each.group == group]
            row = self._row(intent, slots, datasets, values, rng)
            values |= {slot.name: self.filler.value(slot, row, rng) for slot in slots}
            if not intent.loads and any(slot.kind == "dataset" for slot in slots):
                datasets = (row.dataset,)  # another row is of the data set that was loaded for this one
        return values | self._literals(intent, rng)

    def _row(
        self,
        intent: Intent,
        slots: Sequence[Slot],
        datasets: Sequence[str],
        values: Values,
        rng: Random,
    ) -> Row:
        """A row that fits a group's slots and repeats nothing that an earlier group has."""
        own = any(slot.kind == "dataset" for slot in slots)
        strata = self._strata(slots)
        names = [name for name in strata if own or not datasets or name in datasets]
        if not names:
            raise NotFilled(f"no row of {', '.join(datasets) or 'the catalogue'} has {_kinds(slots)}")
        taken = {(intent.slots[name].kind, value.say) for name, value in values.items()}
        for _ in range(TRIES):
            row = rng.choice(rng.choice(strata[rng.choice(names)]))
            found = {(slot.kind, self.filler.value(slot, row, Random(0)).say) for slot in slots}
            if not found & taken:
                return row
        raise NotFilled(f"no second row has another {_kinds(slots)}")

    def _strata(self, slots: Sequence[Slot]) -> dict[str, list[tuple[Row, ...]]]:
        """Data set -> for each of its classes, the rows that fit the slots."""
        key = frozenset((slot.kind, slot.only) for slot in slots)
        if key not in self._fitting:
            found: dict[str, list[tuple[Row, ...]]] = {}
            for (dataset, _), rows in self.pool.by_stratum.items():
                if not all(self.filler.may_fit(slot, rows[0]) for slot in slots):
                    continue
                fitting = tuple(row for row in rows if all(self.filler.fits(slot, row) for slot in slots))
                if fitting:
                    found.setdefault(dataset, []).append(fitting)
            self._fitting[key] = found
        return self._fitting[key]

    def _literals(self, intent: Intent, rng: Random) -> dict[str, Value]:
        """The literal slots; two that have the same choices get different ones."""
        values: dict[str, Value] = {}
        for slot in intent.slots.values():
            if slot.kind != LITERAL:
                continue
            twins = [values[name] for name in values if intent.slots[name].choices == slot.choices]
            left = [choice for choice in slot.choices if choice not in twins] or list(slot.choices)
            values[slot.name] = rng.choice(left)
        return values


def filled(intent: Intent, drawer: Drawer, player: Player, rng: Random) -> Filled:
    """The intent with slots that hold: every call works and has its effect. Raises NotFilled."""
    reasons: dict[str, int] = {}
    heavy: Filled | None = None
    for attempt in range(TRIES):
        if heavy is not None and attempt >= _LIGHT_TRIES:
            return heavy
        values = drawer.values(intent, rng)
        try:
            made = fill(intent, values, player)
        except NotFilled as error:
            reasons[str(error)] = reasons.get(str(error), 0) + 1
        else:
            if not intent.slots or not _is_heavy(made):
                return made
            heavy = heavy or made
        if not intent.slots:
            break
    if heavy is not None:
        return heavy
    most = max(reasons, key=lambda reason: reasons[reason])
    raise NotFilled(most)


def _is_heavy(made: Filled) -> bool:
    """Whether a call writes more rows than a task needs."""
    writes = any(call.tool in _WRITERS for call in made.calls)
    return writes and made.played.state.database.count > _MOST_WRITTEN


def fill(intent: Intent, values: Values, player: Player) -> Filled:
    """The intent with these values, played. Raises NotFilled."""
    setup, begun = _played(intent.setup, values, player, None, "setup ")
    calls, played = _played(intent.calls, values, player, begun, "")
    before = begun.state
    for call, made, after in zip(calls, played.steps, played.states, strict=True):
        if player.toolbox.get(call.tool).changes_state and after == before:
            raise NotFilled(f"{call.tool}({_shown(call)}) changes nothing: {made.text}")
        before = after
    database = played.state.database
    if database.loaded and not database.count:
        raise NotFilled("the selection is empty at the end")
    also = tuple(_played(chain, values, player, begun, "also: ")[0] for chain in intent.also)
    reply = said(intent.reply, values, {"count": database.count}, begun_steps(setup, player), played.steps)
    return Filled(intent, values, setup, calls, also, reply, begun, played)


def begun_steps(setup: Sequence[GoldCall], player: Player) -> tuple[Made, ...]:
    """What came of the calls of a setup."""
    return tuple(made for _, made, _ in player.begin(setup).past)


def _played(
    calls: Sequence[GoldCall], values: Values, player: Player, begun: Played | None, where: str
) -> tuple[tuple[GoldCall, ...], Played]:
    """The calls filled and played: as a setup without `begun`, else as one turn after it."""
    setup = () if begun is None else tuple(made for _, made, _ in begun.past)
    done: tuple[GoldCall, ...] = ()
    played = player.begin() if begun is None else begun
    for call in calls:
        steps = tuple(made for _, made, _ in played.past) if begun is None else played.steps
        args = argument(call.args, values, *((steps, ()) if begun is None else (setup, steps[: len(done)])))
        done = (*done, GoldCall(call.tool, args))
        played = player.begin(done) if begun is None else player.play(done, begun)
        made = played.past[-1][1]
        if not made.ok:
            raise NotFilled(f"{where}{call.tool}({_shown(done[-1])}) failed: {made.text}")
    if begun is not None and not calls:
        played = player.play((), begun)
    return done, played


def argument(value: Any, values: Values, setup: Sequence[Made] = (), steps: Sequence[Made] = ()) -> Any:
    """A call's argument with its slots filled; a text that is nothing but a slot takes the slot's type."""
    if isinstance(value, Mapping):
        return {key: argument(each, values, setup, steps) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [argument(each, values, setup, steps) for each in value]
    if not isinstance(value, str):
        return value
    if (whole := BRACES.fullmatch(value)) is not None:
        return _inside(whole[1], values, setup, steps, lambda found: found.arg)
    return BRACES.sub(lambda m: str(_inside(m[1], values, setup, steps, lambda found: found.arg)), value)


def said(
    text: str,
    values: Values,
    extra: Mapping[str, int] | None = None,
    setup: Sequence[Made] = (),
    steps: Sequence[Made] = (),
) -> str:
    """A request or a reply with its slots as a person says them."""

    def spoken(inside: str) -> str:
        if extra and inside in extra:
            return number(extra[inside])
        return _spoken(_inside(inside, values, setup, steps, lambda found: found.say))

    return BRACES.sub(lambda match: spoken(match[1]), text)


def _inside(
    inside: str, values: Values, setup: Sequence[Made], steps: Sequence[Made], of: Callable[[Value], Any]
) -> Any:
    """What stands for `{inside}`. Raises NotFilled."""
    if (result := RESULT.fullmatch(inside)) is not None:
        chain, index = (setup if result[1] else steps), int(result[2]) - 1
        if not 0 <= index < len(chain):
            raise NotFilled(f"{{{inside}}} asks for call {index + 1}, and {len(chain)} were made before it")
        return _result(chain[index], result[3], inside)
    found = slot_of(inside)
    if found is None or found[0] not in values:
        raise NotFilled(f"{{{inside}}} is no slot")
    value = values[found[0]]
    if found[1]:
        if found[1] not in value.parts:
            raise NotFilled(f"{{{inside}}} has no such part")
        value = value.parts[found[1]]
    return of(value)


def _result(made: Made, path: str, inside: str) -> Any:
    if path == "text":
        return made.text[:_MOST_SAID]
    value: Any = made.data
    for key in path.split(".")[1:]:
        try:
            value = value[int(key)] if isinstance(value, (list, tuple)) else value[key]
        except (KeyError, IndexError, TypeError, ValueError):
            known = ", ".join(map(str, value)) if isinstance(value, Mapping) else f"{type(value).__name__}"
            raise NotFilled(f"{{{inside}}}: {made.tool} gave no '{key}' ({known})") from None
    return value


def _spoken(value: Any) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, (int, float)):
        return number(value)
    return ", ".join(_spoken(each) for each in value)


def _shown(call: GoldCall) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in call.args.items())[:120]


def _kinds(slots: Sequence[Slot]) -> str:
    return " with ".join(slot.kind for slot in slots)
