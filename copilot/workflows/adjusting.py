"""Repairs a workflow at run time: the shortest change of the graph after which the step ends well.

Rules of memory come first, those that helped most before the others; then changes that are searched for over
what tools need and give: a tool whose effect is the property that is missing, put in front, or two of them;
another value of a parameter or another way of the tool; another tool of the same effect; another workflow of
the task that the data fit. Each is proven on what is known, shown as a call, run and checked before going on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from copilot.workflows import actions
from copilot.workflows.changing import Change, changed, noted
from copilot.workflows.diagnosing import Cause, diagnose
from copilot.workflows.engine import Run, Trouble
from copilot.workflows.instantiate import Instance, fit
from copilot.workflows.model import Parameter, Step, Workflow, WorkflowError
from copilot.workflows.searching import CATEGORIES, insertions, is_thing, jointly
from tools.base import Tool
from tools.conditions import KINDS, Thing

if TYPE_CHECKING:
    from copilot.workflows.memory import Memory

MOST_TRIED = 6
"""Changes that are tried for one trouble: each costs at least a call."""
MOST_LEARNED = 3
"""Changes of memory that are tried before those."""
_HOW = frozenset({"method", "resampling", "surface", "air", "values"})
"""Arguments that say how and not what: another unit or quantity would be another result, and `anyway`, which
overrules a tool's own refusal, is a person's to decide."""


@dataclass(frozen=True)
class Proposal:
    """A change with what it is for."""

    change: Change
    cause: Cause
    helped: int = 0
    """How often memory saw it help, less how often it did not."""
    learned: bool = False
    """Whether memory says it."""

    @property
    def rank(self) -> tuple[int, bool, int]:
        """Less is tried sooner: what helped before, sure causes, then the shorter change."""
        return (-self.helped, not self.cause.sure, self.change.cost)


Propose = Callable[[Run, Trouble], Iterable[Change]]
"""What somebody else, such as a served model, would change; each joins the candidates and is proven alike."""


class Repairer:
    """What a run calls when a step did not end well: it tries proposals and notes each on the record."""

    def __init__(
        self,
        siblings: Sequence[Workflow] | Callable[[], Sequence[Workflow]] = (),
        memory: Memory | None = None,
        most: int = MOST_TRIED,
        propose: Propose | None = None,
    ) -> None:
        self._siblings = siblings
        self.memory = memory
        self.most = most
        self.propose = propose
        self.tried: list[tuple[Proposal, bool]] = []

    @cached_property
    def siblings(self) -> dict[str, Workflow]:
        """The other workflows of the task by their ids, looked up when the first is wanted."""
        found = self._siblings() if callable(self._siblings) else self._siblings
        return {each.id: each for each in found}

    def __call__(self, run: Run, trouble: Trouble) -> Instance | None:
        """The instance with which the step ends well; None where nothing that was tried helped."""
        if trouble.outside and self._again(run, trouble):
            return run.instance
        before = run.instance
        for proposal in self._within_bounds(self.proposals(run, trouble)):
            try:
                after = self._noted(before, trouble, proposal)
            except WorkflowError:
                continue
            if not self._shown(run, before, proposal, trouble):
                continue
            run.adopt(after)
            helped = self._ends_well(run, trouble, proposal)
            self.tried.append((proposal, helped))
            if self.memory is not None:
                self.memory.saw(trouble, proposal.cause, proposal.change, helped)
            if helped:
                return after
            run.adopt(before)
        return None

    def _again(self, run: Run, trouble: Trouble) -> bool:
        """Whether a step that something outside made fail goes well when it is called one time more."""
        return run.attempt(run.instance.workflow.step(trouble.step)) is None

    def _within_bounds(self, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
        """As many as are tried: what memory says comes on top, so that it takes nothing from the search."""
        learned = searched = 0
        for each in proposals:
            if each.learned:
                learned += 1
                if learned <= MOST_LEARNED:
                    yield each
            else:
                searched += 1
                if searched > self.most:
                    return
                yield each

    def proposals(self, run: Run, trouble: Trouble) -> Iterator[Proposal]:
        """Changes worth trying, in order, none twice."""
        step = run.instance.workflow.step(trouble.step)
        causes = diagnose(run, trouble)
        if trouble.outside:  # nothing of the data or the values is to blame: the tool is gone round
            yield from self._without_the_tool(run, step, trouble, causes)
            return
        found: list[Proposal] = []
        if self.memory is not None:
            found.extend(self.memory.proposals(trouble, causes))
        for cause in causes:
            found.extend(Proposal(each, cause) for each in self._for(run, step, trouble, cause))
        found.extend(_all_alike(found))
        found.extend(self._joint(run, step, trouble, causes[0]))
        if self.propose is not None:
            found.extend(Proposal(each, causes[0]) for each in self.propose(run, trouble))
        found.extend(self._others(run, trouble, causes))
        seen: set[str] = set()
        for each in sorted(found, key=lambda one: one.rank):
            said = str(each.change.to_json())
            if said not in seen and self._holds(run, step, each.change):
                seen.add(said)
                yield each

    def _without_the_tool(
        self, run: Run, step: Step, trouble: Trouble, causes: Sequence[Cause]
    ) -> Iterator[Proposal]:
        """Another tool of the same effect, or another workflow of the task, that does not need the tool."""
        found = [Proposal(each, causes[-1]) for each in _replacements(run, step)]
        others = [
            each
            for each in self._others(run, trouble, causes)
            if all(one.tool != trouble.tool for one in self.siblings[each.change.workflow].steps)
        ]
        yield from (each for each in (*found, *others) if self._holds(run, step, each.change))

    def _joint(self, run: Run, step: Step, trouble: Trouble, cause: Cause) -> Iterable[Proposal]:
        """For preconditions that do not hold: what makes all of them hold, however many steps it takes."""
        if trouble.kind != "precondition":
            return
        sure = replace(cause, sure=True)
        yield from (Proposal(each, sure) for each in jointly(run, step))
        yield from (Proposal(each, sure) for each in _ways(run, step) if _would_hold(run, step, each))

    def _for(self, run: Run, step: Step, trouble: Trouble, cause: Cause) -> Iterable[Change]:
        if cause.property and cause.argument:
            yield from insertions(run, step, cause)
        if cause.name in ("tight_limit", "method"):
            yield from _parameters(run, step)
            yield from _ways(run, step)
            yield from _replacements(run, step)

    def _others(self, run: Run, trouble: Trouble, causes: Sequence[Cause]) -> Iterable[Proposal]:
        tried = {run.instance.workflow.id, run.instance.workflow.made_of}
        things = {handle: run.thing(handle) for handle in run.instance.inputs.values()}
        for each in self.siblings.values():
            if each.id in tried:
                continue
            found = fit(each, things, run.instance.inputs)
            same = all(run.instance.inputs.get(name) == handle for name, handle in found.inputs.items())
            if same and not found.missing and not found.lacks:
                yield Proposal(
                    Change("workflow", workflow=each.id), causes[-1] if causes else Cause("method")
                )

    def _holds(self, run: Run, step: Step, change: Change) -> bool:
        """Whether the changed graph can be made and is one: the rest is proven by running it."""
        try:
            after = changed(run.instance, change, self.siblings)
            after.workflow.order()
        except WorkflowError:
            return False
        return True

    def _noted(self, before: Instance, trouble: Trouble, proposal: Proposal) -> Instance:
        after = changed(before, proposal.change, self.siblings)
        return noted(
            before,
            after,
            proposal.change,
            step=trouble.step,
            kind=trouble.kind,
            failed=trouble.said,
            because=str(proposal.cause),
        )

    def _shown(self, run: Run, before: Instance, proposal: Proposal, trouble: Trouble) -> bool:
        """The change as a call on the record, where the workflow is one of the session's."""
        if run.session.state.artifact(before.id) is None:
            return True
        event = run.session.call_tool(
            "workflow_adjust",
            {
                "workflow": before.id,
                "change": proposal.change.to_json(),
                "step": trouble.step,
                "failed": trouble.said[:500],
                "because": str(proposal.cause),
            },
            source="workflow",
            turn=run.turn,
        )
        return bool(event.ok)

    def _ends_well(self, run: Run, trouble: Trouble, proposal: Proposal) -> bool:
        """Run everything up to the step again, and the step itself; what is there already is not computed."""
        workflow = run.instance.workflow
        last = trouble.step if trouble.step in workflow.step_ids else workflow.order()[-1].id
        wanted = _upstream(workflow, last)
        steps = [each for each in workflow.order() if each.id in wanted]
        return all(run.attempt(each) is None for each in steps)


def _parameters(run: Run, step: Step) -> Iterator[Change]:
    """Other values of the parameters that the step and those before it take, the nearest first."""
    workflow = run.instance.workflow
    order = [each for each in reversed(workflow.order()) if each.id in _upstream(workflow, step.id)]
    names = dict.fromkeys(ref.name for each in order for ref in each.references)
    for name in names:
        parameter = workflow.parameter(name)
        if parameter is not None:
            now = run.instance.parameters.get(name, parameter.default)
            yield from (Change("parameter", step.id, name, value) for value in _values(parameter, now))


def _values(parameter: Parameter, now: Any) -> Iterator[Any]:
    if parameter.choices:
        at = parameter.choices.index(now) if now in parameter.choices else 0
        near = sorted(range(len(parameter.choices)), key=lambda each: abs(each - at))
        yield from (parameter.choices[each] for each in near if parameter.choices[each] != now)
        return
    low, high = parameter.low, parameter.high
    if low is None or high is None or isinstance(now, bool) or not isinstance(now, (int, float)):
        return
    whole = isinstance(now, int) and isinstance(parameter.default, int)
    for value in (now + (high - now) / 4, now - (now - low) / 2, now * 2 or high / 4, now / 4, low, high):
        within = min(max(value, low), high)
        kept = round(within) if whole else float(f"{within:.4g}")
        if kept != now:
            yield kept


def _ways(run: Run, step: Step) -> Iterator[Change]:
    """Other ways of the same tool: the other values of its arguments that have a few by name."""
    tool = run.session.engine.toolbox.get(step.tool)
    for name, schema in tool.schema.get("properties", {}).items():
        choices = [each for each in schema.get("enum", ()) if isinstance(each, str)]
        now = step.args.get(name, schema.get("default"))
        if name not in _HOW or not choices or is_thing(now):
            continue
        yield from (Change("argument", step.id, name, each) for each in choices if each != now)


def _would_hold(run: Run, step: Step, change: Change) -> bool:
    tool = run.session.engine.toolbox.get(step.tool)
    arguments = actions.with_defaults(tool, {**run.arguments(step), change.name: change.value})
    return not actions.lacking(tool, arguments, run.facts(step))


def _replacements(run: Run, step: Step) -> Iterator[Change]:
    """Other tools that give the same from the same, and whose needs hold."""
    box = run.session.engine.toolbox
    tool = box.get(step.tool)
    wanted = {(each.kind, each.argument, each.modality) for each in tool.effects if each.kind in KINDS}
    handles = [name for name, value in step.args.items() if is_thing(value) and _takes(tool, name)]
    if len(handles) != 1:
        return
    facts = run.facts(step)
    for other in box:
        gives = {(each.kind, each.argument, each.modality) for each in other.effects if each.kind in KINDS}
        needs = list(other.schema.get("required", ()))
        if (
            other.name == tool.name
            or other.category not in CATEGORIES
            or not wanted <= gives
            or not _means_the_same(tool, other)
            or len(needs) != 1
        ):
            continue
        thing = facts.get(handles[0])
        if not _takes(other, needs[0]) or not isinstance(thing, Thing):
            continue
        if not actions.lacking(other, {needs[0]: "x"}, {needs[0]: thing}):
            yield Change("replace", step.id, handles[0], tool=other.name, args={needs[0]: "$@"})


def _means_the_same(tool: Tool, other: Tool) -> bool:
    """Whether two tools of one effect are after the same thing, not buildings and roads, slope and aspect.

    What was done by both says so; else their names do, but for the words of ways to look.
    """
    if any(set(a.done) & set(b.done) for a in tool.effects for b in other.effects):
        return True
    about, theirs = (set(each.name.split("_")) - _WAYS_TO_LOOK for each in (tool, other))
    return bool(about & theirs) or about == theirs


_WAYS_TO_LOOK = frozenset(
    "detection extraction segmentation classification object image raster map mask optical sar horizontal "
    "rotated semantic remote sensing".split()
)


def _takes(tool: Tool, argument: str) -> bool:
    return any(each.argument == argument for each in tool.preconditions)


def _all_alike(found: Sequence[Proposal]) -> list[Proposal]:
    """Where one step helps several arguments, all of them together: dates are to be alike."""
    groups: dict[tuple[str, str, str], list[Proposal]] = {}
    for each in found:
        change = each.change
        if change.kind == "insert":
            groups.setdefault((change.step, change.tool, each.cause.name), []).append(each)
    made = []
    for group in groups.values():
        if len({each.change.name for each in group}) > 1 and group[0].cause.property == "done":
            parts = tuple(each.change for each in group)
            made.append(Proposal(Change("together", group[0].change.step, parts=parts), group[0].cause))
    return made


def _upstream(workflow: Workflow, step_id: str) -> frozenset[str]:
    found = {step_id}
    for step in reversed(workflow.order()):
        if any(first == step.id and then in found for first, then in workflow.edges):
            found.add(step.id)
    return frozenset(found)


__all__ = ["MOST_TRIED", "Proposal", "Repairer", "insertions"]
