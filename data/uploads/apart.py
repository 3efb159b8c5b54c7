"""Files are read in a process of their own: one that breaks a library takes that process down, and no more.

    brought = bring_apart(incoming)      # as data.uploads.bring.bring

The process is started with the first file and kept for the next ones. It has a limit on its memory and
on its time for each file, no keys or addresses in its environment, and ends with the one that started it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from data.uploads.brought import Asked, Brought, Incoming
from data.uploads.errors import UploadError

ROOT = Path(__file__).resolve().parents[2]
MEMORY_BYTES = 8_000_000_000
"""Of address space, of which libraries take a few GB without using them."""
FILE_S = 1_800.0
"""The most time for one file: a JPEG 2000 of 500 million pixels takes a few minutes."""
_KEPT_VARIABLES = (
    "PATH",
    "HOME",
    "LANG",
    "TZ",
    "TMPDIR",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "PROJ_DATA",
    "GDAL_DATA",
)
_READ_BYTES = 1 << 16


class Apart:
    """The process that reads files, one after the other. Safe to use from several threads."""

    def __init__(self, *, memory_bytes: int = MEMORY_BYTES, file_s: float = FILE_S) -> None:
        self._memory_bytes = memory_bytes
        self._file_s = file_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def bring(self, incoming: Incoming) -> Brought:
        """The artifact that the file becomes. Raises UploadError, also when the process breaks down on it."""
        with self._lock:
            answer = self._asked(json.dumps(_job(incoming)).encode() + b"\n", incoming)
        if "error" in answer:
            raise UploadError(str(answer["error"]))
        return _brought(answer)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def _asked(self, job: bytes, incoming: Incoming) -> dict[str, Any]:
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(job)
            process.stdin.flush()
            found: dict[str, Any] = json.loads(self._line(process))
            return found
        except TimeoutError:
            self.close()
            raise UploadError(
                f"{incoming.shown} could not be read in {self._file_s / 60:g} minutes; send less of it."
            ) from None
        except (OSError, EOFError, ValueError):
            self.close()
            raise UploadError(
                f"{incoming.shown} broke down what reads it, so it is broken or meant to; send another."
            ) from None
        except BaseException:
            self.close()  # what it would still answer is of no use to the next file
            raise

    def _line(self, process: subprocess.Popen[bytes]) -> bytes:
        """The answer. Raises TimeoutError, and EOFError when the process ends instead."""
        assert process.stdout is not None
        line, until = b"", time.monotonic() + self._file_s
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not waiting.select(max(0.0, until - time.monotonic())):
                    raise TimeoutError
                piece = os.read(process.stdout.fileno(), _READ_BYTES)
                if not piece:
                    raise EOFError
                line += piece
        return line

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "data.uploads.worker", str(self._memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=clean_environment(),
        )
        return self._process


def clean_environment() -> dict[str, str]:
    """The environment of a process that reads strangers' files: no keys, no addresses, no network."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "CPL_CURL_ENABLED": "NO", "OPENBLAS_NUM_THREADS": "1"}


def _job(incoming: Incoming) -> dict[str, Any]:
    return {
        "path": str(incoming.path.absolute()),
        "name": incoming.name,
        "folder": str(incoming.folder.absolute()),
        "asked": asdict(incoming.asked),
        "beside": {suffix: str(path.absolute()) for suffix, path in incoming.beside.items()},
        "ours": incoming.ours,
    }


def incoming_of(job: Mapping[str, Any]) -> Incoming:
    """The file that a job is about."""
    return Incoming(
        path=Path(job["path"]),
        name=str(job["name"]),
        folder=Path(job["folder"]),
        asked=Asked(**job["asked"]),
        beside={suffix: Path(path) for suffix, path in job["beside"].items()},
        ours=bool(job["ours"]),
    )


def answer_of(brought: Brought) -> dict[str, Any]:
    """What is said of an artifact, as JSON; the time of its item as ISO 8601."""
    item = dict(brought.item)
    when = item.get("datetime")
    item["datetime"] = when.isoformat() if isinstance(when, datetime) else None
    return {**asdict(brought), "path": str(brought.path), "facts": dict(brought.facts), "item": item}


def _brought(answer: Mapping[str, Any]) -> Brought:
    item = dict(answer["item"])
    if item.get("datetime"):
        item["datetime"] = datetime.fromisoformat(item["datetime"])
    bbox, point = answer["bbox"], answer["point"]
    return Brought(
        kind=answer["kind"],
        path=Path(answer["path"]),
        suffix=answer["suffix"],
        summary=answer["summary"],
        what=answer["what"],
        notes=tuple(answer["notes"]),
        bbox=None if bbox is None else (bbox[0], bbox[1], bbox[2], bbox[3]),
        point=None if point is None else (point[0], point[1]),
        bands=answer["bands"],
        facts=answer["facts"],
        item=item,
    )


_apart = Apart()
atexit.register(_apart.close)


def bring_apart(incoming: Incoming) -> Brought:
    """`data.uploads.bring.bring`, in the process that this one keeps for it."""
    return _apart.bring(incoming)
