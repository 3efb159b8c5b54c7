"""Candidate solutions of a task: other orders, other calls for the same effect, calls without effect.

A task is kept when nine of ten candidates end as its gold does; how the end is compared is the checker's
business (copilot/bench/check). A chain counts once, however many ways lead to it. Where the order and the
equivalences give fewer than ten, chains are added that an agent might well make: one that looks before it
acts, one that says something twice, one that sets something else first and corrects it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random
from typing import Any, Protocol

from copilot.bench.build.alternatives import Chain, Means, Moment, swaps
from copilot.bench.check import Gold, Player, Run, check
from copilot.bench.check.play import Played
from copilot.bench.task import GoldCall
from state.codec import canonical, to_json
from state.model import State

CANDIDATES = 10
"""How many are run for each task, beside the gold itself."""
AGREEING = 9
"""How many of them have to end as the gold does."""
_ORDERS = 4
_SWAPS = 5

LOOKS = (
    GoldCall("map_state"),
    GoldCall("list_layers"),
    GoldCall("db_list"),
)
"""Calls that only read, whatever the state is."""
IDEMPOTENT = frozenset(
    """db_load filter_date filter_coords filter_class filter_lccclass filter_attribute set_basemap set_view
    fit_bounds fit_selection fit_layer open_page open_panel display_hover select_image show_image reset_map
    style_layer scatter_plot cluster_plot heatmap_plot density_plot footprint_plot choropleth_plot
    time_slider_plot label_plot db_count notify""".split()
)
"""Said twice in a row, these are said once."""
_LAST = frozenset({"ask_user", "reject_task"})
"""Nothing is done after them in the same turn."""
_EVERYTHING = frozenset({"database", "map", "ui", "artifacts"})
_READS: dict[str, frozenset[str]] = {
    "db_load": frozenset(),
    "filter_date": frozenset(),
    "filter_attribute": frozenset(),
    "filter_class": frozenset({"database.classes"}),
    "filter_lccclass": frozenset({"database.classes"}),
    "filter_coords": frozenset({"map.layers"}),
    "db_list": frozenset({"database.loaded"}),
    "db_schema": frozenset(),
    "db_sql": frozenset({"artifacts"}),
    "set_basemap": frozenset(),
    "toggle_control": frozenset({"map.controls"}),
    "display_hover": frozenset(),
    "open_page": frozenset(),
    "set_view": frozenset({"map.camera"}),
    "fit_bounds": frozenset(),
    "zoom_map": frozenset({"map.camera", "database.place"}),
    "pan_map": frozenset({"map.camera", "database.place"}),
    "open_panel": frozenset({"ui.panels"}),
    "close_panel": frozenset({"ui.panels"}),
    "open_tab": frozenset({"ui.tabs"}),
    "draw_bbox": frozenset({"map.layers"}),
    "draw_polygon": frozenset({"map.layers"}),
    "draw_circle": frozenset({"map.layers"}),
    "draw_marker": frozenset({"map.layers"}),
    "measure_distance": frozenset(),
}
"""What of the state a tool looks at: an aspect, or a part that stands for all of its aspects. Tools that are
not here look at everything, so nothing is moved past them."""


@dataclass(frozen=True)
class Candidate:
    """One way to solve a task, and how it came about."""

    kind: str
    """order, swap, look, repeat, detour or agent; `swap+order` for both."""
    reason: str
    calls: Chain


@dataclass(frozen=True)
class Vote:
    """How a task's candidates ended."""

    candidates: tuple[Candidate, ...]
    agreeing: tuple[bool, ...]

    @property
    def holds(self) -> bool:
        """Whether there were enough of them and enough ended as the gold does."""
        return len(self.candidates) >= CANDIDATES and sum(self.agreeing) >= AGREEING * len(self.agreeing) / 10

    @property
    def dissent(self) -> tuple[Candidate, ...]:
        """Those that ended otherwise."""
        pairs = zip(self.candidates, self.agreeing, strict=True)
        return tuple(each for each, agrees in pairs if not agrees)


class Solved(Protocol):
    """A task with its gold played."""

    @property
    def calls(self) -> Chain:
        """The gold."""

    @property
    def begun(self) -> Played:
        """After the setup."""

    @property
    def played(self) -> Played:
        """After the gold."""


def vote(
    made: Solved, gold: Gold, player: Player, means: Means, rng: Random, others: Iterable[Candidate] = ()
) -> Vote:
    """Run a task's candidates, with what others offer, and hold their ends against the gold's."""
    found = (*candidates(made, means, rng), *others)
    return Vote(found, tuple(agrees(gold, player.play(each.calls, made.begun)) for each in found))


def agrees(gold: Gold, played: Played) -> bool:
    """Whether a way ends as the gold does: the same state as the checker sees it, and the same answers."""
    if played.failed:
        return False
    end = gold.ends[0]
    if played.state == end.state and _brings_all(gold, played):
        return True
    run = Run(played.steps, gold.task.reply, to_json(played.state), end.outcome)
    return check(gold, run).success


def _brings_all(gold: Gold, played: Played) -> bool:
    """Whether every answer of the gold is among the results, as it stands."""
    end = gold.ends[0]
    return all(
        any(made.tool == step.tool and made.data == step.data for made in played.steps)
        for step, answering in zip(end.steps, end.answering, strict=True)
        if answering
    )


def candidates(made: Solved, means: Means, rng: Random) -> list[Candidate]:
    """Ten different chains for a task, or as many as there are."""
    seen = {_key(made.calls)}
    found: list[Candidate] = []

    def add(offered: Iterable[Candidate], most: int) -> None:
        for each in offered:
            if most <= 0 or len(found) >= CANDIDATES:
                return
            if (key := _key(each.calls)) not in seen:
                seen.add(key)
                found.append(each)
                most -= 1

    swapped = list(_swapped(made, means))
    rng.shuffle(swapped)
    add(_reordered(made, rng), _ORDERS)
    add(swapped, _SWAPS)
    add(_both(made, found, swapped), CANDIDATES)
    add(_detours(made), 2)
    add(_looking(made, rng), 3)
    add(_repeated(made, rng), 2)
    add(swapped, CANDIDATES)
    add(_reordered(made, rng), CANDIDATES)
    add(_looking(made, rng), CANDIDATES)
    return found


def _key(calls: Sequence[GoldCall]) -> str:
    return canonical([[call.tool, call.args] for call in calls])


# -- other orders -----------------------------------------------------------------------------


def _reordered(made: Solved, rng: Random) -> Iterator[Candidate]:
    """Orders in which no call is moved past one that it depends on."""
    before = _precedence(made)
    for attempt in range(3 * _ORDERS):
        # Every other one loads as late as it can: what is not loaded yet need not be counted.
        order = _extension(made.calls, before, rng, late=attempt % 2 == 0)
        calls = tuple(made.calls[index] for index in order)
        yield Candidate("order", "calls that do not depend on each other may come in any order", calls)


def _precedence(made: Solved) -> list[set[int]]:
    """For each call, the earlier ones that have to stay before it."""
    steps = made.played.steps
    writes = [frozenset(step.touched) for step in steps]
    reads = [_READS.get(step.tool, _EVERYTHING) for step in steps]
    return [
        {
            i
            for i in range(j)
            if _meet(writes[i], writes[j]) or _meet(writes[i], reads[j]) or _meet(writes[j], reads[i])
        }
        for j in range(len(steps))
    ]


def _meet(some: frozenset[str], others: frozenset[str]) -> bool:
    return any(
        one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")
        for one in some
        for other in others
    )


def _extension(calls: Chain, before: list[set[int]], rng: Random, *, late: bool) -> list[int]:
    """One order of the calls that keeps what has to come before what."""
    order: list[int] = []
    left = set(range(len(calls)))
    while left:
        free = sorted(index for index in left if not before[index] & left)
        waiting = [index for index in free if calls[index].tool != "db_load"] if late else []
        order.append(rng.choice(waiting or free))
        left.remove(order[-1])
    return order


# -- other calls ------------------------------------------------------------------------------


def _swapped(made: Solved, means: Means) -> Iterator[Candidate]:
    for index, moment in enumerate(_moments(made, means)):
        for reason, chain in swaps(moment):
            if chain:
                calls = (*made.calls[:index], *chain, *made.calls[index + 1 :])
                yield Candidate("swap", f"{moment.call.tool}: {reason}", calls)


def _moments(made: Solved, means: Means) -> Iterator[Moment]:
    before: State = made.begun.state
    steps = zip(made.calls, made.played.steps, made.played.states, strict=True)
    for index, (call, step, after) in enumerate(steps, 1):
        yield Moment(call, before, step, after, means, made.calls[index:])
        before = after


def _both(made: Solved, found: Sequence[Candidate], swapped: Sequence[Candidate]) -> Iterator[Candidate]:
    """A swap of one call within another order."""
    orders = [each for each in found if each.kind == "order"]
    for number, swap in enumerate(swapped):
        if not orders:
            return
        order = orders[number % len(orders)]
        calls = _swap_within(made.calls, swap.calls, order.calls)
        if calls is not None:
            yield Candidate("swap+order", swap.reason, calls)


def _swap_within(gold: Chain, swapped: Chain, order: Chain) -> Chain | None:
    """The order with the call that the swap replaced replaced."""
    first = next((i for i, (one, other) in enumerate(zip(gold, swapped, strict=False)) if one != other), None)
    if first is None or order.count(gold[first]) != 1:
        return None
    last = len(swapped) - (len(gold) - first - 1)
    place = order.index(gold[first])
    return (*order[:place], *swapped[first:last], *order[place + 1 :])


# -- calls without effect ---------------------------------------------------------------------


def _looking(made: Solved, rng: Random) -> Iterator[Candidate]:
    """An agent that looks first, or in between."""
    places = [i for i in range(len(made.calls) + 1) if i == 0 or made.calls[i - 1].tool not in _LAST]
    pairs = [(place, look) for place in places for look in LOOKS]
    rng.shuffle(pairs)
    for place, look in pairs:
        calls = (*made.calls[:place], look, *made.calls[place:])
        yield Candidate("look", "reading changes nothing", calls)
    for looks in (*permutations(LOOKS, 2), *permutations(LOOKS, 3)):
        yield Candidate("look", "reading changes nothing", (*looks, *made.calls))


def _repeated(made: Solved, rng: Random) -> Iterator[Candidate]:
    """An agent that says something twice."""
    places = [i for i, call in enumerate(made.calls) if call.tool in IDEMPOTENT and "name" not in call.args]
    rng.shuffle(places)
    for place in places:
        calls = (*made.calls[: place + 1], *made.calls[place:])
        yield Candidate("repeat", f"{made.calls[place].tool} said twice is said once", calls)


def _detours(made: Solved) -> Iterator[Candidate]:
    """An agent that sets something else first and corrects it."""
    wrong: dict[str, dict[str, Any]] = {
        "filter_date": {"start": "2016-01-01", "end": "2016-12-31"},
        "set_basemap": {"name": "light"},
        "open_page": {"name": "help"},
        "set_view": {"lon": 0.0, "lat": 0.0},
        "filter_coords": {"bbox": [0.0, 40.0, 10.0, 50.0]},
    }
    for place, call in enumerate(made.calls):
        if call.tool in wrong and call.args != wrong[call.tool]:
            calls = (*made.calls[:place], GoldCall(call.tool, wrong[call.tool]), *made.calls[place:])
            yield Candidate("detour", f"{call.tool} replaces what was set before", calls)
