"""`copilot bench build`: make the tasks of a benchmark from the hand-written intents."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from copilot.cli.output import Json, fail, print_json, progress


class Half(StrEnum):
    """Which intents tasks are made of."""

    all = "all"
    dev = "dev"
    held_out = "held-out"


Size = Annotated[str, typer.Argument(help="How many tasks: 500, 10k, 100k, or a number.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed makes the same tasks.")]
Out = Annotated[Path | None, typer.Option(help="The file to write; in the home folder by itself.")]
Jobs = Annotated[int | None, typer.Option(min=1, max=256, help="Processes; one a core by itself.")]
Intents = Annotated[Half, typer.Option(help="All intents, those for development, or those held out.")]
Paraphrase = Annotated[
    str, typer.Option("--paraphrase-with", help="A configured chat model that rewords the requests.")
]
Agents = Annotated[
    list[str] | None,
    typer.Option("--with-agent", help="An agent whose solution has a vote too; may be repeated."),
]


def build(
    size: Size = "500",
    seed: Seed = 0,
    out: Out = None,
    jobs: Jobs = None,
    intents: Intents = Half.all,
    paraphrase_with: Paraphrase = "",
    with_agent: Agents = None,
    as_json: Json = False,
) -> None:
    """Make tasks, keeping those whose ten candidate solutions agree, and write them to a file."""
    import os

    from copilot.bench.build.builder import Split, Wish, built_path
    from copilot.bench.build.builder import build as make
    from copilot.bench.build.intents import load_intents
    from copilot.bench.build.mix import size_named
    from copilot.cli.catalogue import ready_engine

    engine = ready_engine()
    split: Split = intents.value
    try:
        agents = tuple(with_agent or ())
        wish = Wish(size_named(size), seed, split, paraphrase_with, agents, jobs or os.cpu_count() or 1)
        _ready(wish.model, wish.agents, engine)
        path = out or built_path(engine.home, wish.size, split)
        with progress("Drawing rows from the catalogue") as advance:
            header = make(wish, load_intents(), engine, path, lambda n, said: advance(n / wish.size, said))
    except ValueError as error:
        fail(str(error), as_json)
    _print(path, header.stamp.version, header.report, as_json)
    if wish.model:
        print_reworded(wish.model, header.report)


def _ready(model: str, agents: tuple[str, ...], engine: Any) -> None:
    """Raises copilot.models.ModelNotConfigured or copilot.agents.UnknownAgent before anything is made."""
    if model:
        from copilot.models import chat_model

        chat_model(model, engine)
    for name in agents:
        from copilot.agents import get_agent

        get_agent(name)


def _print(path: Path, version: str, report: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json({"file": str(path), "version": version, **report})
        return
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in report["by_category"].items())
    typer.echo(f"{report['tasks']:,} tasks, version {version}: {kinds}; {report['mean_calls']} calls each.")
    dropped = ", ".join(f"{count:,} {why}" for why, count in report["dropped"].items()) or "none"
    candidates = sum(report["candidates"].values())
    typer.echo(
        f"{report['attempts']:,} attempts; {candidates:,} candidate solutions ({report['candidate_calls']:,} "
        f"calls) were run. Dropped: {dropped}."
    )
    for kind, missing in report["short_of"].items():
        typer.echo(f"{missing:,} tasks of {kind} are missing: its intents have no more to give.", err=True)
    typer.echo(str(path))


def print_reworded(model: str, report: dict[str, Any]) -> None:
    """Say how many of the requests a model has worded, and what became of the others."""
    reworded, tasks = report["paraphrased"], report["tasks"]
    rest = "" if reworded == tasks else "; where it said nothing, or lost or added something, people's stand"
    typer.echo(f"{reworded:,} of {tasks:,} requests are in the words of {model}{rest}.", err=True)
