"""What one reader does: it hears which function of data's to call with what, shuts itself in, and answers.

The answer is JSON, as the function's own annotation of what it returns says, so that whoever asked checks it
and never has to load an object that a stranger's file could have made.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_type_hints

from data.apart import shut
from data.apart.limits import CORES

TELL_S = 0.1
"""How often it is said how far a reader is."""
PATH = "$path"


def plain(value: Any) -> Any:
    """An argument as JSON: a path becomes an object of its own."""
    if isinstance(value, Path):
        return {PATH: os.path.abspath(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def meant(value: Any) -> Any:
    """The argument that `plain` gave as JSON; lists stay lists."""
    if isinstance(value, dict):
        return (
            Path(value[PATH]) if list(value) == [PATH] else {key: meant(each) for key, each in value.items()}
        )
    return [meant(each) for each in value] if isinstance(value, list) else value


def name_of(function: Callable[..., Any]) -> str:
    """How a reader finds a function. Raises TypeError for one that it would not find."""
    module, name = function.__module__, function.__qualname__
    if module == "__main__" or "." in name:
        raise TypeError(f"{module}.{name} is no function of a module, so no reader finds it.")
    return f"{module}:{name}"


def returned(function: Callable[..., Any]) -> Any:
    """pydantic's adapter of what a function returns."""
    from pydantic import TypeAdapter

    return TypeAdapter(get_type_hints(function)["return"])


def read_for(own: socket.socket) -> None:
    """Do the one thing that is asked for on that socket, and answer on it."""
    lines = own.makefile("rb")
    job = json.loads(lines.readline())
    importlib.import_module(job["function"].split(":")[0])  # its libraries are no part of what it may take
    asked = job["limits"]
    os.chdir(job["folder"])
    tempfile.tempdir = os.environ["TMPDIR"] = job["folder"]
    shut.limit(asked["seconds"], asked["memory_bytes"], asked["written_bytes"], asked["open_files"], CORES)
    shut.shut_in(job["reads"], [job["folder"]])
    own.sendall(_answer(job, own) + b"\n")


def _answer(job: Mapping[str, Any], own: socket.socket) -> bytes:
    try:
        module, name = job["function"].split(":")
        function = getattr(importlib.import_module(module), name)
        named = {key: meant(each) for key, each in job["kwargs"].items()}
        if job["tells"]:
            named["progress"] = _teller(own)
        value = function(*map(meant, job["args"]), **named)
        return json.dumps({"answer": returned(function).dump_python(value, mode="json")}).encode()
    except MemoryError:
        return b'{"failed": "memory"}'
    except Exception as error:
        if job["error"] in {kind.__name__ for kind in type(error).__mro__}:
            return json.dumps({"error": str(error)}).encode()
        said = f"{type(error).__name__}: {error}"[:2_000]
        return json.dumps({"failed": "bug", "said": said}).encode()


def _teller(own: socket.socket) -> Callable[..., None]:
    told, doing = time.monotonic(), ""

    def tell(much: float, sentence: str) -> None:
        nonlocal told, doing
        if time.monotonic() - told >= TELL_S or sentence != doing:
            told, doing = time.monotonic(), sentence
            own.sendall(json.dumps({"told": [much, sentence]}).encode() + b"\n")

    return tell
