"""`copilot doctor`: what is configured, what is missing, and what leaves the machine."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from copilot.cli.output import Json, print_json

if TYPE_CHECKING:
    from copilot.engine import Engine

_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    says: str
    required: bool = True


def doctor(as_json: Json = False) -> None:
    """Check the installation and say what is missing."""
    findings = list(_findings())
    if as_json:
        print_json([asdict(each) for each in findings])
    else:
        for each in findings:
            mark = "ok  " if each.ok else "MISS" if each.required else "none"
            typer.echo(f"{mark}  {each.what}: {each.says}")
    if any(not each.ok and each.required for each in findings):
        raise typer.Exit(1)


def _findings() -> Iterator[Finding]:
    from copilot.engine import default_engine, default_home

    yield Finding("python", sys.version_info >= (3, 11), sys.version.split()[0])
    yield Finding("home", os.access(_existing(str(default_home())), os.W_OK), str(default_home()))
    yield from _reach(default_engine())
    yield from _model()
    yield from _catalogue(default_engine())
    yield _encoder()
    yield _spatial()
    yield _store(default_engine())
    assets = (_ROOT / "node_modules" / "leaflet").is_dir()
    yield Finding("map assets", assets, "in node_modules" if assets else "missing: run `make setup`")
    for tool, purpose in (("chromium", "browser tests"), ("psql", "a shared catalogue or session store")):
        path = shutil.which(tool)
        yield Finding(
            tool, path is not None, path or f"not installed; only needed for {purpose}", required=False
        )


def _reach(engine: Engine) -> Iterator[Finding]:
    """What whoever comes over the web may read, and by which names they may come."""
    from copilot.server.hosts import HOSTS_VARIABLE, named_hosts, unread_hosts
    from tools.outside import FOLDERS_VARIABLE, is_closed

    folders = engine.reach.folders
    bad = [str(each) for each in folders.values() if not os.access(each, os.R_OK | os.X_OK)]
    holding = [name for name, each in folders.items() if is_closed(each, engine.own_places())]
    says = ", ".join(f"{name}/ is {each}" for name, each in folders.items())
    if bad:
        says = f"{', '.join(bad)} cannot be read; correct {FOLDERS_VARIABLE}"
    elif holding:
        says += f"; {', '.join(holding)} holds Azimuth's own files, so only folders inside of it are read"
    yield Finding(
        "data folders",
        not bad,
        says or f"none; over the web only uploads are read ({FOLDERS_VARIABLE} opens folders to all)",
    )
    text = os.environ.get(HOSTS_VARIABLE, "")
    unread = unread_hosts(text)
    says = ", ".join(["localhost", *named_hosts(text)])
    if unread:
        says = f"{', '.join(unread)} is no name of a host; write {HOSTS_VARIABLE}=maps.lan,https://maps.example.org"
    yield Finding("names", not unread, says)


def _model() -> Iterator[Finding]:
    from copilot.local_servers import local_servers
    from copilot.models import EMBEDDED, configured_model, describe
    from copilot.reach import reach

    yield Finding("model", True, describe())
    if configured_model() == EMBEDDED:
        yield Finding("key", True, "none needed")
        for server in local_servers():
            yield Finding("local model server", True, server.offer)
        return
    key = os.environ.get("OPENAI_API_KEY")
    yield Finding("key", True, "taken from OPENAI_API_KEY" if key else "none set; some servers need none")
    answers, says = reach()
    yield Finding("model server", answers, says)
    fallback = os.environ.get("COPILOT_FALLBACK_MODEL")
    if not fallback:
        says = f"COPILOT_FALLBACK_MODEL is not set; '{EMBEDDED}' would answer where the model does not"
    elif fallback == EMBEDDED:
        says = "the embedded planner answers where the model does not"
    else:
        says = f"{fallback}, at the same address, answers where the model does not"
    yield Finding("fallback", bool(fallback), says, required=False)


def _catalogue(engine: Engine) -> Iterator[Finding]:
    from data.catalogue.base import CatalogueError
    from data.catalogue.write import everybodys_broken

    try:
        infos = engine.catalogue.datasets()
    except (CatalogueError, OSError) as error:
        yield Finding("catalogue", False, str(error).split("\n", 1)[0])
        return
    total = sum(info.images for info in infos)
    samples = sum(info.origin == "sample" for info in infos)
    says = f"{len(infos)} data sets, {total:,} images ({samples} of the sets are generated samples)"
    yield Finding("catalogue", bool(infos), says if infos else "empty: run `copilot data sample`")
    root = engine.catalogue_root
    for each in everybodys_broken(root) if root is not None else ():
        yield Finding("data set", False, each.sentence)


def _store(engine: Engine) -> Finding:
    from state.store import StoreUnavailable

    try:
        count = len(engine.store.sessions())
    except StoreUnavailable as error:
        return Finding("sessions", False, str(error))
    return Finding("sessions", True, f"{count:,} in the store")


def _encoder() -> Finding:
    from copilot.planner.encoder import EncoderError, check_weights, model_folder

    try:
        check_weights(model_folder() / "model.safetensors")
    except EncoderError as error:
        return Finding("sentence encoder", False, str(error))
    return Finding("sentence encoder", True, "all-MiniLM-L6-v2, checksum right")


def _spatial() -> Finding:
    version = importlib.metadata.version("duckdb-extension-spatial")
    return Finding("duckdb spatial", True, f"{version}, from its own package")


def _existing(path: str) -> str:
    while path and not os.path.exists(path):
        path = os.path.dirname(path)
    return path or "/"
