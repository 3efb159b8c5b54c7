"""`copilot bench run`: an agent over tasks, on Dask; it can be killed and gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copilot.cli.output import Json, fail, print_json, progress
from tools.phrases import number_of

if TYPE_CHECKING:
    from copilot.bench.run.limits import Limits
    from copilot.bench.run.store import Progress, Run
    from copilot.bench.run.tasks import TaskSet
    from copilot.engine import Engine

Tasks = Annotated[str, typer.Option(help="500, 10k, 100k, a file of tasks, or 'mine': your own suite.")]
Agent = Annotated[str, typer.Option(help="Which agent answers.")]
Model = Annotated[str | None, typer.Option(help="Which model answers; 'embedded' needs no key.")]
Shots = Annotated[int, typer.Option(min=0, max=10, help="Examples in the prompt.")]
Jobs = Annotated[int | None, typer.Option(min=1, max=1024, help="Tasks at a time; one a core by itself.")]
Scheduler = Annotated[str | None, typer.Option(help="A Dask scheduler: tcp://host:8786; else this machine.")]
Epsilon = Annotated[
    float, typer.Option(min=0, help="By what part a number may be off and still count as right.")
]
LimitTokens = Annotated[int | None, typer.Option(min=1, help="Stop when so many tokens are used.")]
LimitUsd = Annotated[float | None, typer.Option(min=0, help="Stop when so much money is spent.")]
Resume = Annotated[str | None, typer.Option(help="Id of a run to go on with, as it began.")]
_OF_THE_RUN = ("tasks", "agent", "model", "shots", "epsilon", "fresh")
"""What a run keeps from its beginning to its end."""
Fresh = Annotated[bool, typer.Option("--fresh", help="Begin anew, even if such a run was cut short.")]


def run(
    context: typer.Context,
    tasks: Tasks = "500",
    agent: Agent = "direct",
    model: Model = None,
    shots: Shots = 0,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    epsilon: Epsilon = 0.01,
    limit_tokens: LimitTokens = None,
    limit_usd: LimitUsd = None,
    resume: Resume = None,
    fresh: Fresh = False,
    as_json: Json = False,
) -> None:
    """Run an agent over tasks of the benchmark, and grade it.

    The same command goes on with a run that was cut short.
    """
    import os

    from copilot.bench.run.limits import Limits
    from copilot.cli.catalogue import ready_engine

    limits = Limits(limit_tokens, limit_usd)
    engine = ready_engine()
    jobs = jobs or os.cpu_count() or 1
    if resume is not None:
        _only_resumed(context, as_json)
        found, taken = _resumed(resume, engine, as_json)
        _kept(limits, found.settings.model, as_json)
    else:
        from copilot.models import configured_model

        model = model or configured_model()
        _kept(limits, model, as_json)
        found, taken = _begun(tasks, agent, model, shots, epsilon, fresh, engine, jobs)
    for need, count in taken.skipped.items():
        left_out = number_of(count, "task")
        typer.echo(f"{left_out} left out, for want of {need}.", err=True)
    try:
        done = _run(found, taken, jobs, scheduler, limits)
    except KeyboardInterrupt:
        typer.echo(f"Interrupted; `copilot bench run --resume {found.id}` goes on.", err=True)
        raise
    _print(found, done, as_json)


def _only_resumed(context: typer.Context, as_json: bool) -> None:
    """Refuse what would change a run on its way."""
    said = [
        f"--{name}"
        for name in _OF_THE_RUN
        if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"
    ]
    if said:
        fail(f"--resume goes on with a run as it began; leave out {' and '.join(said)}.", as_json)


def _kept(limits: Limits, model: str, as_json: bool) -> None:
    """Refuse a limit that could never be reached."""
    from copilot.prices import UnreadablePrices

    try:
        why = limits.cannot_be_kept(model)
    except UnreadablePrices as error:
        why = str(error)
    if why:
        fail(why, as_json)


def _begun(
    wanted: str,
    agent: str,
    model: str,
    shots: int,
    epsilon: float,
    fresh: bool,
    engine: Engine,
    jobs: int,
) -> tuple[Run, TaskSet]:
    """A new run, or the one that the same command began and did not end."""
    from copilot.agents import get_agent
    from copilot.bench.run.runner import chunk_size, code_stamp
    from copilot.bench.run.store import Runs, Settings, now
    from copilot.bench.run.tasks import MINE
    from copilot.bench.task import TODAY
    from copilot.models import chat_model

    get_agent(agent)
    chat_model(model, engine)
    taken = _tasks(wanted, engine, jobs)
    settings = Settings(
        tasks=taken.name,
        version=taken.version,
        digest=taken.digest,
        total=len(taken.tasks),
        agent=agent,
        model=model,
        shots=shots,
        epsilon=epsilon,
        today=(engine.clock() if taken.name == MINE else TODAY).isoformat(),
        catalogue=_absolute(engine.catalogue_address),
        code=code_stamp(),
        skipped=taken.skipped,
        stamp=taken.stamp.to_json() if taken.stamp else {},
        chunk=chunk_size(model, len(taken.tasks)),
        created_at=now(),
    )
    runs = Runs(engine.home)
    if not fresh and (found := runs.unfinished(settings)) is not None:
        typer.echo(f"Going on with {found.id}; --fresh begins anew.", err=True)
        return found, taken
    if not fresh and (older := runs.of_other_code(settings)) is not None:
        typer.echo(
            f"The code has changed since {older.id} was cut short, so this is a new run; "
            f"`copilot bench run --resume {older.id}` goes on with that one.",
            err=True,
        )
    return runs.new(settings), taken


def _resumed(run_id: str, engine: Engine, as_json: bool) -> tuple[Run, TaskSet]:
    from copilot.bench.run.runner import code_stamp
    from copilot.bench.run.store import Runs

    found = Runs(engine.home).get(run_id)
    settings = found.settings
    if found.progress.pid:
        fail(f"The run {run_id} is running now, as process {found.progress.pid}.", as_json)
    taken = _tasks(settings.tasks, engine, missing=tuple(settings.skipped))
    if taken.digest != settings.digest:
        fail(f"The tasks of '{settings.tasks}' are no longer those that {run_id} began with.", as_json)
    if settings.code != code_stamp():
        typer.echo("The code has changed since this run began; its figures will be of both.", err=True)
    return found, taken


def _tasks(wanted: str, engine: Engine, jobs: int = 1, missing: tuple[str, ...] | None = None) -> TaskSet:
    """`missing` is given for a run that is gone on with: its tasks are not built anew either."""
    from copilot.bench.run.tasks import task_set, wanted_tasks

    with progress("Reading the tasks") as advance:

        def tell(count: int, said: str) -> None:
            advance(0.0, f"Building: {said}")

        name, tasks, stamp = wanted_tasks(wanted, engine, jobs, tell, build_anew=missing is None)
    return task_set(name, tasks, missing, stamp)


def _run(found: Run, taken: TaskSet, jobs: int, scheduler: str | None, limits: Limits) -> Progress:
    from copilot.bench.run.runner import carry_on
    from copilot.bench.tables import share

    total = found.settings.total
    typer.echo(f"Run {found.id}: {number_of(total, 'task')}", err=True)
    with progress("Starting the workers") as advance:

        def tell(so_far: Progress) -> None:
            if so_far.done:
                right = share(so_far.success)
                said = f"{so_far.done:,} of {total:,} tasks · {right} right · {so_far.tokens:,} tokens"
                advance(so_far.done / total, said)

        return carry_on(found, taken, jobs=jobs, scheduler=scheduler, limits=limits, tell=tell)


def _print(found: Run, done: Progress, as_json: bool) -> None:
    from copilot.bench.report import graded, summary
    from copilot.bench.tables import number, share, unanswered

    of = graded(found)
    if as_json:
        print_json(summary(of))
    else:
        rates = of.metrics
        typer.echo(
            f"{number_of(rates.tasks, 'task')}, version {of.settings.version}: "
            f"success {share(rates.success)}, correctness {share(rates.correctness)}, "
            f"{number(rates.tokens_per_task)} tokens a task, {of.seconds:.0f} s"
        )
    if of.ungraded:
        typer.echo(
            f"{number_of(of.ungraded, 'task')} could not be graded: their own gold does not work here. "
            "Is it the catalogue that they were built on?",
            err=True,
        )
    if of.unanswered:
        typer.echo(unanswered(of), err=True)
    if done.stopped:
        typer.echo(f"{done.stopped} `copilot bench run --resume {found.id}` goes on.", err=True)
    typer.echo(f"`copilot bench report {found.id}` shows more.", err=True)
    if not of.rows:
        raise typer.Exit(1)


def _absolute(address: str) -> str:
    """An address that the workers find too, wherever they were started."""
    return address if "://" in address else str(Path(address).expanduser().resolve())
