"""Repairs a workflow at run time: the shortest change of the graph after which the step ends well.

Rules of memory come first, those that helped most before the others; then changes that are searched for over
what tools need and give: a tool whose effect is the property that is missing, put in front, or two of them;
another value of a parameter or another way of the tool; another tool of the same effect; another workflow of
the task that the data fit. Each is proven on what is known, shown as a call, run and checked before going on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from copilot.workflows import actions
from copilot.workflows.changing import Change, changed
from copilot.workflows.diagnosing import Cause, diagnose
from copilot.workflows.engine import Run, Trouble
from copilot.workflows.instantiate import Instance, fit
from copilot.workflows.model import Parameter, Step, Workflow, WorkflowError, reference
from tools.base import Tool
from tools.conditions import KINDS, Thing

if TYPE_CHECKING:
    from copilot.workflows.memory import Memory

MOST_TRIED = 6
"""Changes that are tried for one trouble: each costs at least a call."""
DEEPEST = 2
"""Steps that are put in one behind the other for one argument."""
_NEVER = ("anyway",)
"""Arguments that overrule a tool's own refusal: that is a person's to decide."""
_CATEGORIES = ("geotools", "vision")


@dataclass(frozen=True)
class Proposal:
    """A change with what it is for."""

    change: Change
    cause: Cause
    helped: int = 0
    """How often memory saw it help, less how often it did not."""

    @property
    def rank(self) -> tuple[int, bool, int]:
        """Less is tried sooner: what helped before, sure causes, then the shorter change."""
        return (-self.helped, not self.cause.sure, self.change.cost)


class Repairer:
    """What a run calls when a step did not end well: it tries proposals and notes each on the record."""

    def __init__(
        self, siblings: Sequence[Workflow] = (), memory: Memory | None = None, most: int = MOST_TRIED
    ) -> None:
        self.siblings = {each.id: each for each in siblings}
        self.memory = memory
        self.most = most
        self.tried: list[tuple[Proposal, bool]] = []

    def __call__(self, run: Run, trouble: Trouble) -> Instance | None:
        """The instance with which the step ends well; None where nothing that was tried helped."""
        if trouble.outside:
            return None
        before = run.instance
        for proposal in islice(self.proposals(run, trouble), self.most):
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

    def proposals(self, run: Run, trouble: Trouble) -> Iterator[Proposal]:
        """Changes worth trying, in order, none twice."""
        step = run.instance.workflow.step(trouble.step)
        causes = diagnose(run, trouble)
        found: list[Proposal] = []
        if self.memory is not None:
            found.extend(self.memory.proposals(trouble, causes))
        for cause in causes:
            found.extend(Proposal(each, cause) for each in self._for(run, step, trouble, cause))
        found.extend(_all_alike(found))
        found.extend(self._others(run, trouble, causes))
        seen: set[str] = set()
        for each in sorted(found, key=lambda one: one.rank):
            said = str(each.change.to_json())
            if said not in seen and self._holds(run, step, each.change):
                seen.add(said)
                yield each

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
        note = {
            "step": trouble.step,
            "kind": trouble.kind,
            "failed": trouble.said,
            "because": str(proposal.cause),
            "change": proposal.change.to_json(),
            "said": str(proposal.change),
        }
        return replace(after, adjustments=(*before.adjustments, note))

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


def insertions(run: Run, step: Step, cause: Cause) -> Iterator[Change]:
    """Steps that, put in front of the argument, give it the property that it lacks; the shortest first."""
    facts = run.facts(step)
    thing = facts.get(cause.argument)
    if not isinstance(thing, Thing):
        return
    for chain in _chains(run, step, cause, thing, DEEPEST):
        parts = [
            Change("insert", step.id, cause.argument, tool=tool.name, args=dict(args)) for tool, args in chain
        ]
        yield parts[0] if len(parts) == 1 else Change("together", step.id, parts=tuple(parts))


Link = tuple[Tool, Mapping[str, Any]]


def _chains(run: Run, step: Step, cause: Cause, thing: Thing, deepest: int) -> Iterator[tuple[Link, ...]]:
    """The tools that give a property, and before them those that give what they lack themselves."""
    for tool, args in _givers(run, step, cause):
        own = _own_argument(tool, args)
        lacks = actions.lacking(tool, actions.with_defaults(tool, args), {own: thing})
        if not lacks:
            yield ((tool, args),)
        elif deepest > 1:
            need = lacks[0]
            words = need.wanted if isinstance(need.wanted, tuple) else (str(need.wanted),)
            before = Cause(need.property, cause.argument, need.property, tuple(map(str, words)))
            for chain in _chains(run, step, before, thing, deepest - 1):
                if all(each[0].name != tool.name for each in chain):
                    yield (*chain, (tool, args))


def _givers(run: Run, step: Step, cause: Cause) -> Iterator[Link]:
    """Tools whose effect on what they are given says the property, with arguments that can be filled."""
    for tool in run.session.engine.toolbox:
        if tool.category not in _CATEGORIES or tool.external or tool.name == step.tool:
            continue
        for effect in tool.effects:
            if not effect.of or effect.kind not in KINDS or not _says(effect, cause):
                continue
            args = _filled(tool, effect, step, cause)
            if args is not None:
                yield tool, args
                break


def _says(effect: Thing, cause: Cause) -> bool:
    if cause.property == "grid_of":
        return bool(effect.grid_of)
    value = getattr(effect, cause.property, None)
    if cause.property in ("done", "bands"):
        return bool(value) and set(cause.wanted) <= set(value or ())
    if cause.property in ("modality", "level"):
        return bool(value) and set(value or ()) <= set(cause.wanted)
    if cause.property in ("placed", "metric"):
        return value is True
    return cause.property == "cloud_pct" and value is not None


def _filled(tool: Tool, effect: Thing, step: Step, cause: Cause) -> dict[str, Any] | None:
    """The arguments of a tool put in front: what the step was given, its neighbour as the reference."""
    args: dict[str, Any] = {effect.of: "$@"}
    for each in effect.when:
        name, _, value = each.partition("=")
        if value != "none" and name not in args:
            args[name] = {"true": True, "false": False}.get(value, value)
    other = next((v for k, v in step.args.items() if k != cause.argument and _is_thing(v)), None)
    named = cause.wanted[0] if cause.property == "grid_of" else ""
    neighbour = step.args.get(named, other)
    handles = {each.argument for each in tool.preconditions if each.argument} - {effect.of}
    required = set(tool.schema.get("required", ()))
    for name in sorted(handles & (required | {effect.grid_of})):
        if neighbour is None:
            return None
        args[name] = neighbour
    return args if required <= set(args) else None


def _is_thing(value: Any) -> bool:
    return isinstance(value, str) and reference(value) is not None


def _own_argument(tool: Tool, args: Mapping[str, Any]) -> str:
    return next((name for name, value in args.items() if value == "$@"), "")


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
        if name in _NEVER or not choices or _is_thing(now):
            continue
        yield from (Change("argument", step.id, name, each) for each in choices if each != now)


def _replacements(run: Run, step: Step) -> Iterator[Change]:
    """Other tools that give the same from the same, and whose needs hold."""
    box = run.session.engine.toolbox
    tool = box.get(step.tool)
    wanted = {(each.kind, each.argument, each.modality) for each in tool.effects if each.kind in KINDS}
    handles = [name for name, value in step.args.items() if _is_thing(value) and _takes(tool, name)]
    if len(handles) != 1:
        return
    facts = run.facts(step)
    for other in box:
        gives = {(each.kind, each.argument, each.modality) for each in other.effects if each.kind in KINDS}
        needs = list(other.schema.get("required", ()))
        if (
            other.name == tool.name
            or other.category not in _CATEGORIES
            or not wanted <= gives
            or len(needs) != 1
        ):
            continue
        thing = facts.get(handles[0])
        if not _takes(other, needs[0]) or not isinstance(thing, Thing):
            continue
        if not actions.lacking(other, {needs[0]: "x"}, {needs[0]: thing}):
            yield Change("replace", step.id, handles[0], tool=other.name, args={needs[0]: "$@"})


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
