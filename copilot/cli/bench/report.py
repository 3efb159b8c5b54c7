"""`copilot bench report`: what runs come to, as tables, one JSON value, or a page with figures."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli.output import Json, fail, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from copilot.bench.report import Graded
    from copilot.bench.tables import Table

RunIds = Annotated[list[str] | None, typer.Argument(help="Ids of runs; the newest when left out.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write tables and figures to this file.")]
List = Annotated[bool, typer.Option("--list", help="List the runs there are.")]


def report(runs: RunIds = None, html: Html = None, listed: List = False, as_json: Json = False) -> None:
    """Tables of one or more runs; with two, also which tasks differ. Versions are kept apart."""
    from copilot.bench.report import graded
    from copilot.bench.run.store import Runs
    from copilot.engine import default_engine

    known = Runs(default_engine().home)
    if listed:
        _list(known, as_json)
        return
    newest = (each for each in known.all() if each.parts())  # one without a result has nothing to tell
    found = [known.get(each) for each in dict.fromkeys(runs)] if runs else list(islice(newest, 1))
    if not found:
        fail("There is no run yet; `copilot bench run --tasks 500` makes one.", as_json)
    told = [graded(each) for each in found]
    if html is not None:
        _write(html, told, as_json)
    elif as_json:
        print_json(_plain(told))
    else:
        _print(told)


def _list(known: Any, as_json: bool) -> None:
    from dataclasses import asdict

    from copilot.bench.run.store import Runs
    from copilot.bench.tables import share

    assert isinstance(known, Runs)
    runs = known.all()
    if as_json:
        print_json([{"run": each.id, **asdict(each.settings), **asdict(each.progress)} for each in runs])
        return
    for each in runs:
        settings, progress = each.settings, each.progress
        rate = f"{share(progress.success)} right" if progress.done else "nothing yet"
        typer.echo(f"{each.id}  {progress.done:,} of {settings.total:,} tasks  {rate}  {settings.name}")
    if not runs:
        typer.echo("There is no run yet; `copilot bench run --tasks 500` makes one.", err=True)


def _plain(told: Sequence[Graded]) -> dict[str, Any]:
    from copilot.bench.published import ROWS, SOURCE
    from copilot.bench.report import apart, by_version, differences, summary

    found: dict[str, Any] = {"runs": [summary(each) for each in told]}
    if len(told) == 2 and len(by_version(told)) == 1:
        gaps = differences(*told)
        found["differences"] = {
            "both": gaps.both,
            "neither": gaps.neither,
            "only_first": [row["id"] for row in gaps.only_first],
            "only_second": [row["id"] for row in gaps.only_second],
        }
    if why := apart(told):
        found["apart"] = why
    rows = [{"name": each.name, "success": each.success, "correctness": each.correctness} for each in ROWS]
    return {**found, "published": {"source": SOURCE, "rows": rows}}


def _write(path: Path, told: Sequence[Graded], as_json: bool) -> None:
    from copilot.bench.html import html_report

    try:
        path.write_text(html_report(told), encoding="utf-8")
    except OSError as error:
        fail(f"'{path}' cannot be written: {error.strerror}.", as_json)
    if as_json:
        print_json({"html": str(path)})
    else:
        typer.echo(f"Written to {path}.")


def _print(told: Sequence[Graded]) -> None:
    from copilot.bench.report import apart, by_version
    from copilot.bench.tables import tables

    if why := apart(told):
        typer.echo(f"{why}\n")
    for version, together in by_version(told).items():
        typer.echo(f"Version {version}")
        for table in tables(together):
            typer.echo(f"\n{_text(table)}")
        typer.echo("")


def _text(table: Table) -> str:
    """A table in columns: the first to the left, figures to the right."""
    rows = [table.head, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.head))]
    texts = table.head[-1] == "request"
    lines = [
        "  ".join(
            cell.ljust(width) if not column or texts else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    rule = "-" * max(len(line) for line in lines)
    return "\n".join([table.title, lines[0], rule, *lines[1:], *([table.note] if table.note else [])])
