"""`copilot data`: the catalogue."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from copilot.cli.output import Json, counter, fail, print_json, progress

app = typer.Typer(help="The catalogue: build the sample, ingest, list, remove.", no_args_is_help=True)


@app.command()
def sample(
    scenes: Annotated[
        bool, typer.Option(help="Also ingest the real scenes in the public domain that come with Azimuth.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Build the built-in sample catalogue, unless it is there already, and ingest a few real scenes."""
    from copilot.engine import default_engine
    from data.apart.reader import Reader
    from data.public.ingesting import ensure_scenes
    from data.sample import ensure

    root = default_engine().catalogue_root
    if root is None:
        fail(
            "The catalogue is on PostgreSQL; unset AZIMUTH_CATALOGUE to build the sample in the home folder.",
            as_json,
        )
    with progress("Building the sample catalogue") as advance:
        ensure(root, advance, thorough=True)
    if scenes:
        ensure_scenes(root, Reader("local", patient=True))
    if as_json:
        print_json({"catalogue": str(root)})


@app.command("list")
def list_datasets(as_json: Json = False) -> None:
    """The data sets of the catalogue, and those that people who came over the web keep to themselves."""
    from copilot.engine import default_engine
    from data.catalogue.write import everybodys_broken, private_datasets

    root = default_engine().catalogue_root
    private = private_datasets(root) if root is not None else []
    infos = [*default_engine().catalogue.datasets(), *private]
    for each in everybodys_broken(root) if root is not None else ():
        typer.echo(each.sentence, err=True)
    if as_json:
        print_json([asdict(info) for info in infos])
        return
    for info in infos:
        span = f"{info.start} to {info.end}" if info.start else "no dates"
        whose = f", seen by {str(info.owner)[:12]} alone" if info.private else ""
        counts = f"{info.images:>9,} images {info.detections:>10,} detections"
        typer.echo(f"{info.name:<14} {counts}  {span}  {info.origin}{whose}")
    if not infos:
        typer.echo("The catalogue is empty; `copilot data sample` builds the sample.", err=True)


@app.command()
def ingest(
    source: Annotated[
        Path, typer.Argument(help="A file or folder: annotations, vectors, a table, STAC, or rasters.")
    ],
    name: Annotated[
        str | None, typer.Option(help="The data set's name; from the path when left out.")
    ] = None,
    format: Annotated[str | None, typer.Option(help="The format; found out when left out.")] = None,
    append: Annotated[bool, typer.Option(help="Add to the data set of that name.")] = False,
    replace: Annotated[
        bool, typer.Option(help="Replace a data set of that name that came from elsewhere.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring your own data into the catalogue. Rejected rows are reported, the good ones kept."""
    from copilot.engine import default_engine
    from data.apart.reader import Reader
    from data.ingest import ingest as bring_in
    from tools.outside import is_closed

    root = default_engine().catalogue_root
    if root is None:
        fail(
            "The catalogue is on PostgreSQL; ingest into the home folder first, "
            "then run `copilot data load`.",
            as_json,
        )
    if is_closed(source.expanduser().resolve(), default_engine().own_places()):
        fail(f"'{source}' is Azimuth's own, or holds what is; give a file or a folder elsewhere.", as_json)
    with counter(f"Reading {source.name}") as advance:
        report = bring_in(
            root,
            source,
            name=name,
            format=format,
            append=append,
            replace=replace,
            progress=advance,
            apart=Reader("local", patient=True),
        )
    if as_json:
        print_json(asdict(report))
        return
    counts = f"{report.images:,} rows, {report.detections:,} detections"
    typer.echo(f"{report.dataset.name}: {counts}, read as {report.format} in {report.seconds:.1f} s")
    for each in report.rejected[:20]:
        row = f", row {each.row}" if each.row is not None else ""
        typer.echo(f"  rejected {each.file}{row}: {each.reason}", err=True)
    if report.rejected_count > 20:
        typer.echo(f"  … {report.rejected_count:,} rejected in all", err=True)
    for reason, count in report.notes:
        typer.echo(f"  kept {count:,}, but {reason}", err=True)


Owner = Annotated[
    str | None, typer.Option("--owner", help="Whose, where several people have it: as `data list` shows it.")
]


@app.command()
def share(name: str, owner: Owner = None, as_json: Json = False) -> None:
    """Make a data set that somebody ingested over the web everybody's."""
    from copilot.engine import default_engine
    from data.catalogue.write import share_dataset

    root = default_engine().catalogue_root
    if root is None:
        fail("The catalogue is on PostgreSQL, where every data set is everybody's.", as_json)
    info = share_dataset(root, name, owner)
    if as_json:
        print_json({"shared": info.name, "images": info.images})
    else:
        typer.echo(f"{info.name} ({info.images:,} images) is everybody's now.")


@app.command()
def remove(name: str, owner: Owner = None, as_json: Json = False) -> None:
    """Take an ingested data set out of the catalogue; with an owner, one that only that person sees."""
    from copilot.engine import default_engine
    from data.catalogue.write import owners_root, private_named, remove_dataset

    root = default_engine().catalogue_root
    if root is None:
        fail("The catalogue is on PostgreSQL; its keeper removes data sets there.", as_json)
    whose = private_named(root, name, owner).owner if owner is not None else None
    remove_dataset(owners_root(root, whose), name)
    if as_json:
        print_json({"removed": name})


@app.command()
def load(
    url: Annotated[str, typer.Argument(help="postgresql://user@host/database with PostGIS.")],
    as_json: Json = False,
) -> None:
    """Copy the catalogue of this machine to PostgreSQL, for a team."""
    from copilot.engine import default_engine
    from data.catalogue.postgres import PostgresCatalogue
    from data.catalogue.whole import broken_in

    root = default_engine().catalogue_root
    if root is None:
        fail("AZIMUTH_CATALOGUE is PostgreSQL already; unset it to copy this machine's catalogue.", as_json)
    for each in broken_in(root):
        typer.echo(f"Left out: {each.sentence}", err=True)
    with progress("Copying to PostgreSQL"):
        PostgresCatalogue(url).load(root)
    if as_json:
        print_json({"loaded": url.rsplit("@", 1)[-1]})
