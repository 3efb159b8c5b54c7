"""Fetch published weights into the models folder: bounded, checked, and whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from data.models.registry import Model
from data.raster.errors import RasterError

MOST_BYTES = 4 * 1024**3
"""Of weights whose card does not say their size."""
_SLACK = 1.02
_SECONDS = 3600.0


def place_of(model: Model, folder: Path) -> Path:
    """Where the fetched weights of a model lie. Raises RasterError for one that is not fetched."""
    if model.card.weights.url is None or model.weights is None:
        what = "needs no weights" if model.card.kind in ("method", "chat") else "has its weights here already"
        raise RasterError(f"{model.name} {what}; there is nothing to fetch.")
    return folder / model.weights.name


def pull(model: Model, folder: Path, tell: Callable[[float, str], None]) -> tuple[Path, str]:
    """Fetch a model's weights; the file and its SHA-256. `tell` hears how far it is, 0 to 1.

    They come to a .part beside the file, which gets its name when the checksum holds: the card's, or that
    of the first download, which is written down beside it. Raises RasterError in one sentence.
    """
    from data.web.errors import WebError
    from data.web.fetch import Fetcher
    from data.web.wire import Limits

    target = place_of(model, folder)
    said = model.card.weights
    most = int(said.size_bytes * _SLACK) + 1 if said.size_bytes else MOST_BYTES
    folder.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    digest, done = sha256(), 0
    try:
        with (
            Fetcher(Limits(most_bytes=most, total_seconds=_SECONDS, connect_seconds=10.0)) as fetcher,
            fetcher.stream(str(said.url), most_bytes=most) as found,
            part.open("wb") as file,
        ):
            length = found.head.headers.get("content-length", "")
            total = int(length) if length.isdecimal() and int(length) > 0 else said.size_bytes
            for chunk in found.chunks():
                file.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                tell(min(1.0, done / total) if total else 0.0, f"{model.name}: {done / 1e6:,.1f} MB")
        _check(model, target, digest.hexdigest(), done)
        part.replace(target)
    except WebError as error:
        raise RasterError(f"{model.name} was not fetched: {_small(str(error))}") from None
    except OSError as error:
        raise RasterError(f"{model.name} cannot be written to {folder}: {error.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)
    if said.sha256 is None:
        _record(target).write_text(f"{digest.hexdigest()}  {target.name}\n", encoding="ascii")
    return target, digest.hexdigest()


def _check(model: Model, target: Path, found: str, size: int) -> None:
    said = model.card.weights
    known, whose = said.sha256, "the card's"
    if known is None and _record(target).is_file():
        known, whose = (
            _record(target).read_text(encoding="ascii").split(" ")[0].strip(),
            "the first download's",
        )
    if known is not None and known != found:
        raise RasterError(
            f"What came for {model.name} is not what was published: its SHA-256 is {found[:12]}…, "
            f"{whose} {known[:12]}…; nothing was kept."
        )
    if size == 0:
        raise RasterError(f"Nothing came for {model.name}; is its address right?")


def _record(target: Path) -> Path:
    """Where the checksum of a first download is written down, for a card that knows none."""
    return target.with_name(f"{target.name}.sha256")


def _small(sentence: str) -> str:
    return sentence if sentence[:1].islower() else f"{sentence[:1].lower()}{sentence[1:]}"
