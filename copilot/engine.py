"""What all sessions of a process share: the catalogue, the gazetteer, the store and the home folder."""

from __future__ import annotations

import atexit
import logging
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from copilot.masked import Mask, mask_of
from copilot.owners import KEY_BYTES, Owners, hash_kept, key_in
from copilot.private import OTHERS, close, private_file, private_folder, tighten
from data.catalogue import open_catalogue
from data.catalogue.base import Catalogue
from data.gazetteer import Gazetteer, gazetteer
from data.room import QUOTA_VARIABLE, disk_full, free_bytes, quota_bytes, taken_bytes
from state.store import Store, StoreUnavailable
from tools.base import OutsideError, Reach, Work, work_here
from tools.kept import found_file, kept_folder, safe_file_name
from tools.outside import FOLDERS_VARIABLE, named_folders
from tools.toolbox import Toolbox, toolbox

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from copilot.apart.pool import Readers
    from copilot.mcp.foreign import Foreign
    from copilot.worker.desk import Desk
    from state.jobs import Caller

SERVED_VARIABLE = "AZIMUTH_SERVED"
"""Set to 1 by the app for the processes that it starts: what a visitor began is confined there too."""
ABOUT = "about"
"""The folder, in a session's artifacts, of what is known of each: the call and the inputs it came from."""
_KEPT_OWNERS = 1000
"""Views of the catalogue that are kept, each of a few bytes: what is remembered of one is known by it."""
_log = logging.getLogger(__name__)
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


def default_home() -> Path:
    """Where Azimuth keeps its data: $AZIMUTH_HOME, else the user's data folder."""
    if home := os.environ.get("AZIMUTH_HOME"):
        return Path(home)
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "azimuth"


@dataclass(frozen=True)
class FolderArtifacts:
    """A session's artifacts as files in a folder of its own."""

    folder: Path
    log_bytes: int = 0
    """What the session's record takes, which counts too."""

    def path(self, artifact_id: str, suffix: str) -> Path:
        """Where the artifact's file is, or is to be written.

        Raises ValueError for an id that is a path, OutsideError where there is no room for another file.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{safe_id(artifact_id)}{suffix}"
        if not path.exists():
            self._check_room()
        return path

    def named(self, artifact_id: str, name: str) -> Path:
        """Where the artifact's one file is to be written that keeps its own name.

        Raises ValueError for an id that is a path, OutsideError where there is no room for another file.
        """
        folder = kept_folder(self.folder, safe_id(artifact_id))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / safe_file_name(name, artifact_id)
        if not path.exists():
            self._check_room()
        return path

    def _check_room(self) -> None:
        if free_bytes(self.folder) < 0:
            raise OutsideError(disk_full())
        taken, most = taken_bytes(self.folder) + self.log_bytes, quota_bytes()
        if taken >= most:
            raise OutsideError(
                f"This session's files and record take {taken / 1e9:.3g} GB, and those of a session may take "
                f"{most / 1e9:g} GB (${QUOTA_VARIABLE}); go on in a new session."
            )

    def find(self, artifact_id: str) -> Path | None:
        """The artifact's file, whatever its suffix or name."""
        there = sorted(self.folder.glob(f"{safe_id(artifact_id)}.*"))
        return next((file for each in there if (file := found_file(each)) is not None), None)

    def about(self, artifact_id: str) -> Path:
        """Where what is known of the artifact is written."""
        folder = self.folder / ABOUT
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{safe_id(artifact_id)}.json"


@dataclass(frozen=True)
class ReplayedArtifacts:
    """What a replay makes, in a folder of its own; what it does not make again is read from the session's."""

    made: FolderArtifacts
    recorded: FolderArtifacts

    def path(self, artifact_id: str, suffix: str) -> Path:
        """Where the replay writes the artifact's file."""
        return self.made.path(artifact_id, suffix)

    def named(self, artifact_id: str, name: str) -> Path:
        """Where the replay writes the artifact's file that keeps its own name."""
        return self.made.named(artifact_id, name)

    def find(self, artifact_id: str) -> Path | None:
        """The file that the replay made, else the session's."""
        return self.made.find(artifact_id) or self.recorded.find(artifact_id)

    def about(self, artifact_id: str) -> Path:
        """Where the replay writes what is known of the artifact; until it does, what the session knows."""
        path, known = self.made.about(artifact_id), self.recorded.about(artifact_id)
        if not path.exists() and known.is_file():
            shutil.copyfile(known, path)
        return path


def safe_id(text: str) -> str:
    """An id that may become part of a path. Raises ValueError for anything else."""
    if not _ID.fullmatch(text):
        raise ValueError(f"{text!r} is no id.")
    return text


def _sqlite_file(url: str) -> Path | None:
    """The file of an SQLite store's address; None for one in memory, and for another database."""
    path = url.removeprefix("sqlite:///").partition("?")[0] if url.startswith("sqlite:///") else ""
    return Path(path) if path and path != ":memory:" else None


def encode_texts(texts: Sequence[str]) -> NDArray[np.float32]:
    """The embedded encoder for tools: loaded when first used. Raises OutsideError without its files."""
    from copilot.planner.encoder import EncoderError
    from copilot.planner.head import shared_encoder

    try:
        return shared_encoder().encode(texts)
    except EncoderError as error:
        raise OutsideError(str(error)) from error


@dataclass
class Engine:
    """The shared parts, each opened when first used."""

    home: Path = field(default_factory=default_home)
    store_url: str | None = None
    """None: SQLite in the home folder, or $AZIMUTH_STORE."""
    catalogue_url: str | None = None
    """None: the Parquet folder in the home folder, or $AZIMUTH_CATALOGUE."""
    today: date | None = None
    """The clock: None means the real one."""
    served: bool = field(default_factory=lambda: os.environ.get(SERVED_VARIABLE) == "1")
    """Whether strangers reach its sessions, over the web: they read their uploads and the operator's folders.

    `copilot.live.Live`, which all pages and routes go through, sets it; a process that the app starts for
    a visitor inherits it."""
    background: bool | None = False
    """Whether long work runs in worker processes of its own, as the app wants it; None: in this process, and
    without a job that anybody could see."""

    @cached_property
    def store(self) -> Store:
        """The session store."""
        url = self.store_url or os.environ.get("AZIMUTH_STORE")
        if url is None:
            try:
                private_folder(self.home)
                private_file(self.home / "sessions.db")
            except OSError as error:
                raise StoreUnavailable(
                    f"The home folder {self.home} cannot be made ({error.strerror}); "
                    "set AZIMUTH_HOME to one that can."
                ) from error
            url = f"sqlite:///{self.home / 'sessions.db'}"
        elif (file := _sqlite_file(url)) is not None:
            with suppress(OSError):  # what cannot be made is told by the store
                private_file(file)
        return Store(url)

    @cached_property
    def owners(self) -> Owners:
        """What issues and reads browsers' cookies; those of this process alone where no key can be kept."""
        try:
            key = key_in(self.home)
        except OSError as error:
            _log.warning("the key of the browsers' cookies cannot be kept: %s", error)
            key = secrets.token_bytes(KEY_BYTES)
        return Owners(key, self._is_kept)

    def _is_kept(self, owner: str) -> bool:
        return self.uploads(owner).is_dir() or bool(self.store.sessions(owner))

    def prepare(self) -> None:
        """What the app does before it serves anybody: the home is its user's alone, and no cookie is kept."""
        os.umask(OTHERS)
        tighten(self.home)
        for file in self._store_files():
            close(file)
        try:
            hash_kept(self.store, self.home / "uploads")
        except (StoreUnavailable, OSError) as error:
            _log.warning("old cookies could not be hashed; start again when the store is there: %s", error)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The catalogue."""
        return open_catalogue(self.catalogue_address)

    def catalogue_for(self, owner: str) -> Catalogue:
        """The catalogue as that owner sees it; over the web without the paths of this machine."""
        key = (owner, self.served)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = self.catalogue.seen_by(owner, paths=not self.served)
            while len(self._seen) > _KEPT_OWNERS:
                self._seen.pop(next(iter(self._seen)))
        return found

    @cached_property
    def _seen(self) -> dict[tuple[str, bool], Catalogue]:
        return {}

    @property
    def catalogue_root(self) -> Path | None:
        """The folder that the sample and ingested data sets are written to; None on PostgreSQL."""
        return None if "://" in self.catalogue_address else Path(self.catalogue_address)

    @property
    def rendered(self) -> Path:
        """The folder of rendered scenes of the sample's records, which are made anew where they are gone."""
        return self.home / "rendered"

    @property
    def catalogue_address(self) -> str:
        """Where the catalogue is: a folder, or a PostgreSQL URL."""
        return self.catalogue_url or os.environ.get("AZIMUTH_CATALOGUE") or str(self.home / "catalogue")

    @cached_property
    def gazetteer(self) -> Gazetteer:
        """The gazetteer."""
        return gazetteer()

    @property
    def toolbox(self) -> Toolbox:
        """Every tool of Azimuth's."""
        return toolbox()

    def toolbox_for(self, owner: str) -> Toolbox:
        """Every tool that an owner's sessions have: those of servers that were added are among them."""
        return self.foreign.toolbox(owner)

    @cached_property
    def foreign(self) -> Foreign:
        """The servers of others, whose tools join the toolbox of a session."""
        from copilot.mcp.foreign import Foreign

        return Foreign(self.store, lambda: self.toolbox)

    def clock(self) -> date:
        """Today, in UTC."""
        return self.today or datetime.now(UTC).date()

    @cached_property
    def desk(self) -> Desk:
        """Where the jobs of this process's sessions are followed; its worker starts with the first one."""
        from copilot.worker.desk import Desk
        from copilot.worker.places import default_place

        return Desk(self.store, self.home, default_place(bool(self.background)))

    @cached_property
    def readers(self) -> Readers:
        """The processes that read requests beside the app; the first starts with the first request."""
        from copilot.apart.pool import Readers

        return Readers()

    @property
    def has_desk(self) -> bool:
        """Whether anybody has asked for the desk yet."""
        return "desk" in self.__dict__

    def leave(self) -> None:
        """End the workers because this process ends: what runs is found again by the next one."""
        if self.has_desk:
            self.desk.leave()

    def work_for(self, caller: Caller) -> Work:
        """What the tool of that call is given as `world.work`."""
        if self.background is None:
            return work_here
        return lambda title, function, /, *args, **kwargs: self.desk.run(
            caller, title, function, *args, **kwargs
        )

    def artifacts(self, session_id: str, log_bytes: int = 0) -> FolderArtifacts:
        """The artifacts of one session, whose record takes so many bytes."""
        return FolderArtifacts(self._session_folder(session_id) / "artifacts", log_bytes)

    def uploads(self, owner: str) -> Path:
        """The folder that an owner uploads to."""
        return self.home / "uploads" / safe_id(owner)

    @property
    def reach(self) -> Reach:
        """Which files its sessions may name: any on one's own machine, and never Azimuth's own."""
        folders = named_folders(os.environ.get(FOLDERS_VARIABLE, ""))
        return Reach(free=not self.served, folders=folders, closed=self.own_places())

    @property
    def mask(self) -> Mask:
        """What takes this machine's folders out of what is said over the web."""
        return mask_of((*self.own_places(), *self.reach.folders.values()))

    def own_places(self) -> tuple[Path, ...]:
        """What is Azimuth's own on this machine: homes, the catalogue, and the store's file with its log."""
        found = [self.home, default_home()]
        if self.catalogue_root is not None:
            found.append(self.catalogue_root)
        return (*found, *self._store_files())

    def _store_files(self) -> list[Path]:
        """The store's file, or where it would be, with its log."""
        named = _sqlite_file(self.store_url or os.environ.get("AZIMUTH_STORE") or "")
        stores = [self.home / "sessions.db", default_home() / "sessions.db", *([named] if named else [])]
        return [each.with_name(each.name + end) for each in stores for end in ("", "-wal", "-shm")]

    def remove_session(self, session_id: str) -> None:
        """Delete a session with its events and its artifacts."""
        folder = self._session_folder(session_id)
        self.store.remove(session_id)
        shutil.rmtree(folder, ignore_errors=True)

    def _session_folder(self, session_id: str) -> Path:
        return self.home / "sessions" / safe_id(session_id)

    @classmethod
    def in_memory_like(cls, other: Engine) -> Engine:
        """An engine over the same catalogue and clock whose sessions are gone with the process."""
        engine = cls.in_memory(other.catalogue_address, other.today)
        engine.__dict__["catalogue"] = other.catalogue
        engine.served = other.served
        return engine

    @classmethod
    def in_memory(cls, catalogue_url: str, today: date | None = None) -> Engine:
        """An engine whose sessions are gone with the process: for benchmarks and bulk requests."""
        home = Path(tempfile.mkdtemp(prefix="azimuth-"))
        atexit.register(shutil.rmtree, home, ignore_errors=True)
        return cls(home, "sqlite://", catalogue_url, today, background=None)


@cache
def default_engine() -> Engine:
    """The engine of this process."""
    return Engine()
