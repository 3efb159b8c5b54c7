"""`copilot bench knowflow`: workflows and agents over concrete gold workflows, and over faults."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from copilot.cli.output import Json, fail, print_json

System = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        help="knowflow, no_adjustment, no_memory, named, direct, react, reflexion; may be repeated.",
    ),
]
Only = Annotated[list[str] | None, typer.Option("--only", help="Part of an id; may be repeated.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="So many tasks, drawn by the seed.")]
Seed = Annotated[int, typer.Option(help="Which tasks a limit draws, and the order of lessons.")]
Faults = Annotated[bool, typer.Option("--faults", help="The fault bench instead of the tasks.")]
Learning = Annotated[bool, typer.Option("--learning", help="Faults after 0, 50 and 200 tasks of learning.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure anew what was measured before.")]


def knowflow(
    system: System = None,
    only: Only = None,
    limit: Limit = None,
    seed: Seed = 1,
    faults: Faults = False,
    learning: Learning = False,
    fresh: Fresh = False,
    as_json: Json = False,
) -> None:
    """Measure workflows by their results: TSR, FPA, NTC, NI, InstAcc, ToolAcc, ArgAcc, and repaired faults.

    The same command goes on with a run that was cut short.
    """
    from copilot.bench.knowflow import runner, systems
    from copilot.cli.catalogue import ready_engine
    from copilot.workflows.model import WorkflowError

    chosen = system or ["knowflow"]
    known = systems.FLOWS if faults else systems.SYSTEMS
    if unknown := [each for each in chosen if each not in known]:
        fail(f"There is no system {unknown[0]!r} here; it is one of {', '.join(known)}.", as_json)
    engine = ready_engine()
    wanted = runner.Wanted(tuple(only or ()), limit, seed, fresh)
    found: dict[str, Any] = {}
    try:
        if learning:
            told = runner.learning(wanted, engine.home, engine.catalogue_address, runner.progress)
            found = {f"after {number}": rows for number, rows in told.items()}
        for each in () if learning else chosen:
            run = runner.run_faults if faults else runner.run_tasks
            found[each] = run(each, wanted, engine.home, engine.catalogue_address, runner.progress)
    except WorkflowError as error:
        fail(str(error), as_json)
    plain = runner.summary(found)
    if as_json:
        print_json(plain)
        return
    for name, of in plain.items():
        typer.echo(_line(name, of))
        for part, inner in of.get("by_complexity", {}).items():
            typer.echo(_line(f"  {part}", inner))
        for kind, counts in of.get("by_fault", {}).items():
            typer.echo(f"  {kind:<22} {counts['repaired']} of {counts['cases']}")


def _line(name: str, of: dict[str, Any]) -> str:
    def share(value: float | None) -> str:
        return "–" if value is None else f"{100 * value:.1f} %"

    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.2f}"

    rates = {key: share(of[key]) for key in ("tsr", "fpa", "inst_acc", "tool_acc", "arg_acc")}
    return (
        f"{name:<16} {of['tasks']} tasks: TSR {rates['tsr']}, FPA {rates['fpa']}, NTC {number(of['ntc'])}, "
        f"NI {number(of['ni'])}, InstAcc {rates['inst_acc']}, ToolAcc {rates['tool_acc']}, "
        f"ArgAcc {rates['arg_acc']}, {of['seconds']:.0f} s"
    )
