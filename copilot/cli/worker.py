"""`copilot worker`: list and stop jobs, look at the workers, give a scheduler a worker."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli.output import Json, fail, print_json

if TYPE_CHECKING:
    from state.jobs import Job

app = typer.Typer(
    help="Background work: list and stop jobs, look at the workers, give a scheduler a worker.",
    no_args_is_help=True,
)


@app.command()
def jobs(
    session: Annotated[str | None, typer.Option("--session", help="Only the jobs of this session.")] = None,
    limit: Annotated[int, typer.Option(help="How many, the newest first.", min=1, max=1000)] = 20,
    as_json: Json = False,
) -> None:
    """The jobs of all sessions, the newest first."""
    from copilot.engine import default_engine
    from copilot.view.jobs import standing
    from copilot.view.transcript import duration

    rows = default_engine().desk.jobs
    found = rows.all(limit) if session is None else rows.of(session, limit)
    if as_json:
        print_json([each.to_json() for each in found])
        return
    for each in found:
        how = f"{100 * each.fraction:.0f} %" if each.state == "running" else each.state
        at = each.queued_at[:16].replace("T", " ")
        typer.echo(f"{each.id}  {at}  {how:9}  {duration(each.seconds):>8}  {each.title}: {standing(each)}")
    if not found:
        typer.echo(
            "No job yet: long work of the app, `copilot ask` and `copilot call` becomes one.", err=True
        )


@app.command()
def cancel(
    job: Annotated[str, typer.Argument(help="The job's id, from `copilot worker jobs`.")],
    as_json: Json = False,
) -> None:
    """Ask whoever waits for a job to stop it; that takes effect within two seconds."""
    from copilot.engine import default_engine

    rows = default_engine().desk.jobs
    found = rows.get(job)
    if found is None:
        fail(f"There is no job '{job}'; `copilot worker jobs` lists them.", as_json)
    if not rows.ask_to_stop(job):
        fail(f"Job '{job}' has ended already: {found.state}.", as_json)
    if as_json:
        print_json({"job": job, "stopping": True})
    else:
        typer.echo(f"{found.title} is being stopped.")


@app.command()
def status(as_json: Json = False) -> None:
    """Where jobs run, with which workers, and how many wait and run."""
    from copilot.engine import default_engine

    live = default_engine().desk.jobs.live()
    address = os.environ.get("COPILOT_SCHEDULER", "").strip()
    workers = _workers(address, as_json) if address else []
    found: dict[str, Any] = {
        "scheduler": address or None,
        "workers": workers,
        "running": _count(live, "running"),
        "queued": _count(live, "queued"),
    }
    if as_json:
        print_json(found)
        return
    typer.echo(f"{found['running']} running, {found['queued']} waiting")
    if not address:
        typer.echo(
            "COPILOT_SCHEDULER is not set: the app starts a worker of its own, commands work by themselves."
        )
    for each in workers:
        gpus = f", {each['gpus']:g} GPU" if each["gpus"] else ""
        typer.echo(f"{each['address']}  {each['threads']} threads{gpus}, {each['running']} running")
    if address and not workers:
        typer.echo(
            f"The scheduler at {address} has no worker; `copilot worker start {address}` gives it one."
        )


@app.command()
def start(
    address: Annotated[str, typer.Argument(help="The scheduler's address, such as tcp://10.0.0.5:8786.")],
    threads: Annotated[int | None, typer.Option(help="Jobs at once; as many as cores.", min=1)] = None,
    memory: Annotated[str | None, typer.Option(help="What a worker may take, such as 8GB.")] = None,
    gpus: Annotated[int, typer.Option(help="GPUs that it declares.", min=0)] = 0,
) -> None:
    """Give a scheduler a worker of this machine, until Ctrl-C; both must see the app's home folder."""
    from copilot.worker.cluster import ClusterFailed, end_cluster, start_cluster

    try:
        process, _ = start_cluster(threads, memory, join=address, gpus=gpus)
    except ClusterFailed:
        fail(f"No Dask scheduler answers at '{address}'; start it with `dask scheduler`.", False)
    typer.echo(f"Working for {address}; Ctrl-C ends it.", err=True)
    try:
        process.wait()
    except KeyboardInterrupt:
        typer.echo("Ended.", err=True)
    finally:
        end_cluster(process)


def _count(jobs: list[Job], state: str) -> int:
    return sum(each.state == state for each in jobs)


def _workers(address: str, as_json: bool) -> list[dict[str, Any]]:
    from copilot.worker.places import OnDask
    from tools.base import ToolError

    place = OnDask(address)
    try:
        return place.workers()
    except ToolError as error:
        fail(str(error), as_json)
    finally:
        place.close()
