"""`copilot models`: the models, their cards and weights."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from copilot.cli.modelzoo import how_to_load
from copilot.cli.output import Json, fail, print_json, progress

if TYPE_CHECKING:
    from data.models.registry import Model, Registry

app = typer.Typer(
    help="The models: list, fetch, check, train, evaluate and export them.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(help="The model's name, as `copilot models list` shows it.")]


@app.command("list")
def list_models(
    task: Annotated[str | None, typer.Option(help="Only those for this task, such as land-cover.")] = None,
    as_json: Json = False,
) -> None:
    """The models there are: what they do, whether they are ready, and how they were measured."""
    found = _registry()
    models = found.models if task is None else found.of_task(task.strip().lower().replace(" ", "-"))
    for problem in found.problems:
        typer.echo(problem, err=True)
    if as_json:
        print_json([_plain(each) for each in models])
        return
    for each in models:
        state = "ready" if each.ready else "broken" if each.broken else "to fetch"
        own = ", yours" if each.own else ""
        typer.echo(f"{each.name:<30} {state + own:<14} {each.card.kind:<12} {each.card.title}")
        for one in each.card.measured[:3]:
            typer.echo(f"{'':<30} {one.metric} {one.value:g} on {one.data} (n = {one.n:,})")
    if not models:
        typer.echo(f"There is no model for {task}; `copilot models list` shows all.", err=True)


@app.command()
def show(
    name: Name,
    mlm: Annotated[
        bool, typer.Option("--mlm", help="As STAC's machine-learning-model extension has it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """A model's card."""
    from data.models.card import as_mlm

    model = _model(name, as_json)
    if mlm or as_json:
        print_json(as_mlm(model.card) if mlm else _plain(model))
        return
    for key, value in _plain(model).items():
        typer.echo(f"{key}: {value}")


@app.command()
def pull(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to the licence without being asked.")] = False,
    as_json: Json = False,
) -> None:
    """Fetch a model's published weights into the models folder; its licence is shown first.

    Of a foundation model of `copilot modelzoo` it says how the library that holds it fetches and loads it.
    """
    from data.models import pulling
    from data.raster.errors import RasterError

    if (how := how_to_load(name)) is not None and name not in {each.name for each in _registry().models}:
        _not_run_here(name, *how, as_json)
    model = _model(name, as_json)
    card, folder = model.card, _folder()
    try:
        target = pulling.place_of(model, folder)
        size = f"{card.weights.size_bytes / 1e6:,.1f} MB" if card.weights.size_bytes else "a size not known"
        checked = "its SHA-256 is known" if card.weights.sha256 else "its SHA-256 is not known beforehand"
        typer.echo(
            f"{card.name}: {card.title}. Licence: {card.licence}. Trained on: {card.trained_on}.", err=True
        )
        typer.echo(f"From {card.weights.url}, {size}, {checked}, to {target}.", err=True)
        if not yes and not typer.confirm("Fetch it?", err=True):
            fail("Nothing was fetched; --yes agrees without a question.", as_json)
        with progress(f"Fetching {card.name}") as advance:
            path, digest = pulling.pull(model, folder, advance)
    except RasterError as error:
        fail(str(error), as_json)
    if as_json:
        print_json({"model": card.name, "path": str(path), "sha256": digest, "licence": card.licence})
        return
    typer.echo(f"{card.name} is in {path}; SHA-256 {digest}.")


@app.command()
def check(name: Name, as_json: Json = False) -> None:
    """Load a model, run it on a rendered scene, and hold its figure against the card's."""
    from data.models.checking import check_model
    from data.raster.errors import RasterError

    model = _model(name, as_json)
    try:
        found = check_model(model, _folder())
    except RasterError as error:
        fail(str(error), as_json)
    if as_json:
        print_json(found)
    else:
        typer.echo(str(found["says"]))
    if not found["ok"]:
        raise typer.Exit(1)


@app.command()
def evaluate(
    name: Name,
    data: Annotated[
        Path | None,
        typer.Option(
            help="A folder of images: with DOTA or COCO labels, or masks, or for upscaling alone; without it "
            "rendered scenes."
        ),
    ] = None,
    scenes: Annotated[int, typer.Option(min=1, max=2000, help="How many rendered scenes.")] = 20,
    as_json: Json = False,
) -> None:
    """Measure a detector, land-cover network or upscaler on rendered scenes it has not seen, or on images."""
    from data.models.evaluating import evaluate as measured
    from data.raster.errors import RasterError

    model = _model(name, as_json)
    try:
        with progress(f"Measuring {name}") as advance:
            found = measured(model, _folder(), advance, labels=data, scenes=scenes)
    except RasterError as error:
        fail(str(error), as_json)
    if as_json:
        print_json(found)
        return
    typer.echo(f"{found['model']}: {found['metric']} {found['value']:.3f} on {found['data']}, ", nl=False)
    objects = f", {found['objects']:,} objects" if "objects" in found else ""
    typer.echo(f"{found['images']:,} images{objects}")
    for label, value in found["by_class"].items():
        typer.echo(f"  {label:<24} {value:.3f}")


@app.command()
def train(
    name: Name,
    minutes: Annotated[float, typer.Option(min=0.1, max=10_000, help="For how long.")] = 30.0,
    seed: Annotated[int, typer.Option(min=0, help="What the training draws from.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="The file that is made; in the models folder when left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a model of the repository anew, by its script in data/models/training. Networks need PyTorch."""
    from contextlib import redirect_stdout
    from importlib import import_module

    model = _model(name, as_json)
    if model.card.training is None:
        fail(f"{model.name} was not trained here; there is no script for it.", as_json)
    try:
        script = import_module(f"data.models.training.{model.card.training}")
        target = out or _folder() / f"{model.name}-trained{getattr(script, 'SUFFIX', '.onnx')}"
        target.parent.mkdir(parents=True, exist_ok=True)
        with redirect_stdout(sys.stderr):
            script.train(target, minutes=minutes, seed=seed)
    except ModuleNotFoundError as error:
        fail(
            f"Training {model.name} needs {error.name}, which is not installed; `make setup-torch` installs "
            "PyTorch and what else training needs.",
            as_json,
        )
    except FileNotFoundError as error:
        fail(str(error), as_json)
    if as_json:
        print_json({"model": model.name, "path": str(target), "minutes": minutes, "seed": seed})
        return
    used = f" It is used when it stands in place of {script.WEIGHTS}." if model.weights is None else ""
    typer.echo(f"Wrote {target}.{used}")


@app.command()
def export(
    name: Name,
    size: Annotated[
        int | None, typer.Option(min=32, max=8192, help="The side of its windows, pixels.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make an ONNX file of a model that needs PyTorch, which then runs without it."""
    from data.models.exporting import export_onnx
    from data.raster.errors import RasterError

    try:
        path = export_onnx(_model(name, as_json), _folder(), size_px=size)
    except RasterError as error:
        fail(str(error), as_json)
    if as_json:
        print_json({"model": name, "path": str(path)})
        return
    typer.echo(f"Wrote {path}; it is a model of its own, {path.stem}.")


def _not_run_here(name: str, said: str, found: list[dict[str, str]], as_json: bool) -> NoReturn:
    """Say how a foundation model is loaded, which is not run here as it is published."""
    if as_json:
        print_json({"model": name, "loading": found, "fetched": False})
    else:
        typer.echo(said)
        typer.echo(
            f"{name} is not run here as it is published; an ONNX, TorchScript or Transformers file that you "
            f"make of it is taken from {_folder()}.",
            err=True,
        )
    raise typer.Exit()


def _folder() -> Path:
    from copilot.engine import default_home

    return default_home() / "models"


def _registry() -> Registry:
    from data.models.registry import registry

    return registry(_folder())


def _model(name: str, as_json: bool) -> Model:
    from data.raster.errors import RasterError

    try:
        return _registry().get(name)
    except RasterError as error:
        fail(str(error), as_json)


def _plain(model: Model) -> dict[str, Any]:
    """A card as JSON, with where its weights are and whether it can be used."""
    return {
        **model.card.model_dump(mode="json"),
        "ready": model.ready,
        "yours": model.own,
        "path": str(model.weights) if model.weights is not None else None,
        "problem": model.broken or None,
    }
