"""`copilot modelzoo`: list, compare, check and export what is known of foundation models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from copilot.cli.output import Json, fail, print_json

if TYPE_CHECKING:
    from data.modelzoo.reading import Zoo
    from data.modelzoo.schema import ModelRecord

app = typer.Typer(
    help="Remote-sensing foundation models: list, compare, check and export what is known of them.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(help="The model's id or name, as `copilot modelzoo list` shows it.")]


@app.command("list")
def list_records(
    words: Annotated[str, typer.Argument(help="Words in the name, description or backbone.")] = "",
    modality: Annotated[list[str] | None, typer.Option(help="Such as sar; more than one for all.")] = None,
    sensor: Annotated[str | None, typer.Option(help="Such as Sentinel-2.")] = None,
    application: Annotated[str | None, typer.Option(help="Such as flood mapping, or segmentation.")] = None,
    largest: Annotated[float | None, typer.Option(min=0, help="Most parameters, millions.")] = None,
    weights: Annotated[bool, typer.Option("--weights", help="Only with published weights.")] = False,
    loadable: Annotated[bool, typer.Option("--loadable", help="Only what a library loads by name.")] = False,
    as_json: Json = False,
) -> None:
    """The models that fit; one that does not say what is asked for is left out."""
    from data.modelzoo.finding import Wanted, find

    zoo = _zoo()
    wanted = Wanted(words, tuple(modality or ()), sensor, application, largest, weights, loadable)
    found = find(zoo.records, wanted)
    for problem in zoo.problems:
        typer.echo(problem, err=True)
    if as_json:
        print_json([_row(each) for each in found])
        return
    for each in found:
        size = "" if each.num_parameters is None else f"{each.num_parameters:,g} M"
        typer.echo(f"{each.model_id:<28} {size:>9}  {', '.join(each.modalities) or 'modalities unknown'}")
    typer.echo(f"{len(found)} of {len(zoo.records)} models.", err=True)


@app.command()
def show(
    name: Name,
    mlm: Annotated[
        bool, typer.Option("--mlm", help="As STAC's machine-learning-model extension has it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """All that is known of a model, with the sources and the confidence of each value."""
    from data.modelzoo.exporting import as_mlm
    from data.modelzoo.loading import next_step

    record = _record(name, as_json)
    if mlm:
        if (properties := as_mlm(record)) is None:
            fail(
                f"{record.model_id} is loaded by no library by name, so MLM says nothing.",
                as_json,
            )
        print_json(properties)
        return
    if as_json:
        print_json(record.model_dump(mode="json"))
        return
    flagged = set(record.flagged())
    for path, value in record.stated():
        known = record.source_of(path)
        proof = "no source" if known is None else f"{', '.join(known.sources)}; {known.confidence:g}"
        typer.echo(f"{path}: {_said(value)}  [{proof}{'; look at it' if path in flagged else ''}]")
    if record.loading:
        typer.echo(next_step(record))
    for key, source in record.sources.items():
        typer.echo(f"{key}: {source.title} ({source.kind}, read {source.read}) {source.url}")


@app.command()
def diff(left: Name, right: Name, as_json: Json = False) -> None:
    """Where two models differ, and their results on the same data."""
    from data.modelzoo import comparing

    one, two = _record(left, as_json), _record(right, as_json)
    differences = comparing.diff(one, two)
    shared = comparing.shared_results(one, two)
    if as_json:
        print_json(
            {
                "left": one.model_id,
                "right": two.model_id,
                "differences": [
                    {"field": each.field, "left": each.left, "right": each.right} for each in differences
                ],
                "shared_results": [vars(each) for each in shared],
            }
        )
        return
    for each in differences:
        if each.field not in ("benchmarks", "pretraining", "loading"):
            typer.echo(f"{each.field}: {_said(each.left)} | {_said(each.right)}")
    for result in shared:
        part = f", {result.sampling_percentage:g} % of the labels" if result.sampling_percentage else ""
        typer.echo(f"{result.dataset}, {result.metric}{part}: {result.left:g} | {result.right:g}")


@app.command()
def check(
    files: Annotated[list[Path] | None, typer.Argument(help="Records; all of the zoo if left out.")] = None,
    as_json: Json = False,
) -> None:
    """Lint records: links, ranges, duplicates, words, a source and the right confidence for each value."""
    from data.modelzoo.errors import ModelZooError
    from data.modelzoo.lint import lint
    from data.modelzoo.reading import read_record

    problems: list[str] = []
    records: list[ModelRecord] = []
    if files:
        for path in files:
            try:
                records.append(read_record(path))
            except ModelZooError as error:
                problems.append(str(error))
    else:
        zoo = _zoo()
        problems, records = [*zoo.problems], [*zoo.records]
    findings = [*problems, *(str(each) for each in lint(records))]
    if as_json:
        print_json({"records": len(records), "findings": findings})
    else:
        for each in findings:
            typer.echo(each)
        typer.echo(f"{len(records)} records, {len(findings)} findings.", err=True)
    if findings:
        raise typer.Exit(1)


@app.command()
def add(
    file: Annotated[Path, typer.Argument(help="A record as JSON.")],
    replace: Annotated[bool, typer.Option("--replace", help="Stand for a record of the same id.")] = False,
    as_json: Json = False,
) -> None:
    """Add a record of your own; it is checked first, and kept in your folder of models."""
    from data.modelzoo.adding import add_record
    from data.modelzoo.errors import ModelZooError

    try:
        record, path = add_record(file, _folder(), replace=replace)
    except ModelZooError as error:
        fail(str(error), as_json)
    if as_json:
        print_json({"model_id": record.model_id, "path": str(path)})
        return
    typer.echo(f"Added {record.model_id} as {path}.")


@app.command()
def export(
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    form: Annotated[Literal["csv", "jsonld"], typer.Option("--form", help="csv or jsonld.")] = "csv",
    as_json: Json = False,
) -> None:
    """Write all records as one CSV table or as JSON-LD."""
    import json

    from data.modelzoo.exporting import as_csv, as_json_ld

    records = _zoo().records
    if form == "csv":
        text = as_csv(records)
    else:
        text = json.dumps(as_json_ld(records), ensure_ascii=False, indent=1) + "\n"
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{out} cannot be written: {error.strerror or error}.", as_json)
    if as_json:
        print_json({"path": str(out), "records": len(records), "form": form})
        return
    typer.echo(f"Wrote {len(records)} records to {out}.")


@app.command()
def counts(as_json: Json = False) -> None:
    """How many records there are, and in how many each field is stated."""
    from data.modelzoo.comparing import filled

    found = filled(_zoo().records)
    if as_json:
        print_json(vars(found))
        return
    for name, number in found.by_field.items():
        typer.echo(f"{name:<26} {number:>4} of {found.records}")
    typer.echo(f"{found.values:,} values, {found.flagged} flagged, {found.disputed} disputed.")


def how_to_load(name: str) -> tuple[str, list[dict[str, str]]] | None:
    """How a model of that id or name is loaded, in words and as plain data; None where there is none."""
    from data.modelzoo.errors import ModelZooError
    from data.modelzoo.loading import in_words, ways

    try:
        record = _zoo().get(name)
    except ModelZooError:
        return None
    return in_words(record), [vars(each) for each in ways(record)]


def _folder() -> Path:
    from copilot.engine import default_home

    return default_home() / "modelzoo"


def _zoo() -> Zoo:
    from data.modelzoo.reading import zoo

    return zoo(_folder())


def _record(name: str, as_json: bool) -> ModelRecord:
    from data.modelzoo.errors import ModelZooError

    try:
        return _zoo().get(name)
    except ModelZooError as error:
        fail(str(error), as_json)


def _row(record: ModelRecord) -> dict[str, Any]:
    """A model in a list: what it takes, how large it is, and where that is known from."""
    return {
        "model_id": record.model_id,
        "model_name": record.model_name,
        "release_date": record.release_date,
        "modalities": list(record.modalities),
        "supported_sensors": list(record.supported_sensors),
        "num_parameters": record.num_parameters,
        "backbone": record.backbone,
        "licence_weights": record.licence_weights,
        "paper_link": record.paper_link,
        "repository": record.repository,
        "weights": record.weights,
        "flagged": list(record.flagged()),
        "sources": {key: source.url for key, source in record.sources.items()},
    }


def _said(value: Any) -> str:
    """A value as one line of text."""
    from data.modelzoo.comparing import plain

    value = plain(value)
    if value is None:
        return "unknown"
    if isinstance(value, list):
        return ", ".join(_said(each) for each in value)
    if isinstance(value, dict):
        return " ".join(f"{name} {_said(inner)}" for name, inner in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)
