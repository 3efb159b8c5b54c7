"""Which models there are: the repository's cards, and what the user put into the models folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from data.models.card import Card, read_card
from data.raster.errors import RasterError

FOLDER = Path(__file__).parent
CARDS = FOLDER / "cards"
WEIGHTS = FOLDER / "weights"
BARE = (".onnx", ".pt", ".torchscript")
"""The files of weights that a card is made up for when they lie in the models folder without one."""


@dataclass(frozen=True)
class Model:
    """A card and where its weights lie."""

    card: Card
    weights: Path | None
    """The file, or the folder of a Transformers model; None for a method, or when not fetched yet."""
    own: bool = False
    """Whether it is out of the user's models folder."""
    broken: str = ""
    """Why it cannot be used: a sentence; empty for one that can."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.card.name

    @property
    def ready(self) -> bool:
        """Whether everything is here that running it needs."""
        if self.broken:
            return False
        return self.card.kind in ("method", "chat") or (self.weights is not None and self.weights.exists())


@dataclass(frozen=True)
class Registry:
    """The models, and the files in the models folder that are none."""

    models: tuple[Model, ...]
    """By name; a model of the user's stands for the repository's of that name."""
    problems: tuple[str, ...] = ()

    def get(self, name: str) -> Model:
        """The model of that name. Raises RasterError with the nearest ones."""
        wanted = name.strip().casefold()
        found = next((each for each in self.models if each.name.casefold() == wanted), None)
        if found is not None:
            return found
        names = [each.name for each in self.models]
        near = get_close_matches(wanted, names, n=2, cutoff=0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else "`copilot models list` shows them."
        raise RasterError(f"There is no model {name[:60]!r}; {hint}")

    def of_task(self, *tasks: str) -> tuple[Model, ...]:
        """The models for any of these tasks."""
        return tuple(each for each in self.models if set(tasks) & set(each.card.tasks))


def registry(folder: Path | None = None) -> Registry:
    """Every model: those of the repository and those of the models folder, which may be missing.

    A card that cannot be read is left out and told among the problems, so one mistake hides nothing else.
    """
    return _registry(folder, _stamp(CARDS), _stamp(WEIGHTS), _stamp(folder) if folder else ())


@lru_cache(maxsize=8)
def _registry(folder: Path | None, *stamps: tuple[tuple[str, int, int], ...]) -> Registry:
    models: dict[str, Model] = {}
    problems: list[str] = []
    for home in (None, folder) if folder is not None else (None,):
        carded: set[str] = set()
        for path in sorted(_cards(home)):
            try:
                model = _model(read_card(path), home, folder)
            except RasterError as error:
                problems.append(str(error))
                continue
            models[model.name] = model
            if model.weights is not None:
                carded.add(model.weights.name)
        if home is not None and home.is_dir():
            for model in _bare(home, carded):
                models.setdefault(model.name, model)
    return Registry(tuple(models[name] for name in sorted(models)), tuple(problems))


def _cards(home: Path | None) -> Iterator[Path]:
    where = CARDS if home is None else home
    return where.glob("*.toml") if where.is_dir() else iter(())


def _model(card: Card, home: Path | None, folder: Path | None) -> Model:
    if card.kind in ("method", "chat"):
        return Model(card, None, home is not None)
    file = card.weights.file or f"{card.name}{_suffix(card)}"
    where = WEIGHTS if home is None else home
    if home is None and card.weights.url is not None and folder is not None:
        where = folder  # published weights are fetched there; the repository holds its own alone
    return Model(card, where / file, home is not None)


def _suffix(card: Card) -> str:
    from urllib.parse import urlsplit

    named = Path(urlsplit(card.weights.url or "").path).suffix
    return named or {"onnx": ".onnx", "torchscript": ".torchscript"}.get(card.kind, ".pt")


def _bare(home: Path, carded: set[str]) -> Iterator[Model]:
    from data.models.peek import inferred_card

    for path in sorted(home.iterdir()):
        is_folder = path.is_dir() and (path / "config.json").is_file()
        if path.name in carded or path.name.startswith(".") or not (is_folder or path.suffix in BARE):
            continue
        card, broken = inferred_card(path)
        yield Model(card, path, own=True, broken=broken)


def plain_name(text: str) -> str:
    """A name that a card may bear, out of a file's."""
    name = re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:64]
    return name if len(name) >= 2 else f"model-{name or 'x'}"


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What changes when a file of the folder does."""
    if not folder.is_dir():
        return ()
    found = []
    for path in sorted(folder.iterdir()):
        try:
            state = path.stat()
        except OSError:  # gone since the folder was read
            continue
        found.append((path.name, state.st_mtime_ns, state.st_size))
    return tuple(found)
