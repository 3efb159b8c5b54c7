"""Random calls over all tools, with arguments drawn from the state: `python -m benches.fuzz.calls 20000`.

Each episode begins with a copy of one session that has a file of each kind, makes calls, and looks after each
that what must hold for every call does. What does not is printed as a line of JSON, with the calls before it.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from benches.fuzz.drawing import Drawn, tools
from copilot.bench.build.example_files import FOLDER
from copilot.bench.standin import chat_model, web_settings
from copilot.engine import Engine
from copilot.session import Session
from state.codec import canonical, digest, to_json
from state.log import Event, ReplayDiverged
from tests.tools import prepared
from tests.tools.world import NAMES, TODAY, write_small_catalogue
from tools.base import Tool
from tools.bounds import MAX_DATA_BYTES, MAX_SAID_CHARS
from tools.run import MAX_STATE_BYTES

CALLS_AN_EPISODE = 40
EXAMPLES = {
    prepared.SCENE.id: "scene.tif", prepared.AIRFIELD.id: "airfield.tif", prepared.APRON.id: "apron.tif",
    prepared.PAN.id: "pan.tif", prepared.DEM.id: "dem.tif", prepared.SAR.id: "sar.tif",
    prepared.RAW.id: "raw.tif", prepared.FIELDS.id: "fields.geojson", prepared.PHOTO.id: "photo.jpg",
    **prepared.DOCUMENTS, prepared.NOTE.id: "note.txt", prepared.VECTOR.id: "fiji.geojson",
    prepared.RASTER.id: "heights.tif", prepared.LATER.id: "later.tif", prepared.SAR_LATER.id: "sar_later.tif",
}  # fmt: skip
"""Ids in the docstrings' examples: the files that they stand for."""


class Kept(logging.Handler):
    """Keeps what is logged as an error, or with a traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        if record.levelno >= logging.ERROR or record.exc_info:
            self.lines.append(logging.Formatter().format(record)[-2000:])


@dataclass
class Tally:
    """What came of the calls so far."""

    made: Counter[str] = field(default_factory=Counter)
    good: Counter[str] = field(default_factory=Counter)
    replays: int = 0
    undone: int = 0
    wrong: list[dict[str, Any]] = field(default_factory=list)
    seconds: Counter[str] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)
    """Of each tool the last sentence of a call that failed."""

    def to_json(self) -> dict[str, Any]:
        """As it is printed."""
        calls, good = sum(self.made.values()), sum(self.good.values())
        never = sorted(name for name in self.made if not self.good[name])
        return {
            "calls": calls,
            "succeeded": round(good / calls, 3) if calls else 0,
            "tools": len(self.made),
            "never": {name: self.refused.get(name, "")[:200] for name in never},
            "below_half": sorted(n for n in self.made if self.good[n] and self.good[n] < self.made[n] / 2),
            "replays": self.replays,
            "undone": self.undone,
            "wrong": len(self.wrong),
            "slowest": {name: round(took) for name, took in self.seconds.most_common(8)},
        }


def home_engine(folder: Path) -> Engine:
    """An engine with a home and a small catalogue of its own."""
    catalogue = folder / "catalogue"
    catalogue.mkdir(parents=True)
    return Engine(folder / "home", catalogue_url=str(write_small_catalogue(catalogue)), today=TODAY)


def example_files(folder: Path) -> dict[str, Path]:
    """The files that the examples are about, by their ids there."""
    folder.mkdir(parents=True)
    for file in FOLDER.iterdir():
        shutil.copy2(file, folder / file.name)
    (folder / "note.txt").write_text(
        "Turbidity rose to 12.5 NTU on 2023-07-14 near Delft.\n", encoding="utf-8"
    )
    prepared.write_vector(folder / "fiji.geojson")
    prepared.write_raster(folder / "heights.tif")
    prepared.write_later(prepared.LATER, folder / "later.tif")
    prepared.write_later(prepared.SAR_LATER, folder / "sar_later.tif")
    return {example: folder / name for example, name in EXAMPLES.items()}


def prepared_session(engine: Engine, files: dict[str, Path]) -> tuple[Session, dict[str, str]]:
    """A session in which every tool has what it needs, and which ids stand for those of the examples."""
    session, ids = Session.open(engine=engine), {}

    def made(tool: str, kind: str, **args: Any) -> str:
        event = session.call(tool, **args)
        assert event.ok, (tool, event.text)
        return next((each.id for each in reversed(session.state.artifacts) if each.kind == kind), "")

    made("db_load", "", names=list(NAMES))
    made("cluster_plot", "")
    made("group_count", "table", by="dataset")
    made("bar_figure", "figure", by="dataset")
    made("open_tab", "", url="https://example.org")
    made("vectorstore_create", "", name="notes", texts=["Turbid water.", "Three ships at the quay."])
    for example, path in files.items():
        if path.suffix == ".zip":
            ids[example] = path.name  # which is read where it lies
            continue
        before = {each.id for each in session.state.artifacts}
        name = "Harbours" if example == prepared.VECTOR.id else path.stem  # as an example calls it
        event = session.call("add_file", file=path.name, name=name)
        assert event.ok, (path.name, event.text)
        ids[example] = next(each.id for each in session.state.artifacts if each.id not in before)
    found = session.call("horizontal_object_detection", image=ids[prepared.AIRFIELD.id])
    assert found.ok, found.text
    kinds = {each.kind: each.id for each in session.state.artifacts}
    ids[prepared.FOUND.id] = kinds["detections"]
    scenes = session.call("stac_search", collections=["sentinel-2-l2a"], place="Rotterdam", cloud_pct=20)
    assert scenes.ok, scenes.text
    ids[prepared.SCENES.id] = session.state.artifacts[-1].id
    made("select_image", "", rank="first")
    return session, ids


def stand_ins() -> dict[str, str]:
    """Settings under which web tools, and those that ask a model, ask a server of this machine alone."""
    chat = chat_model()
    return {**web_settings(), "OPENAI_BASE_URL": chat.base_url or "", "COPILOT_MODEL": chat.model}


class Fuzz:
    """Random calls on copies of one session."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = Random(seed)
        self.engine = home_engine(folder)
        self.files = example_files(folder / "files")
        os.chdir(folder / "files")  # where the examples' files lie under the names that they have there
        self.base, self.ids = prepared_session(self.engine, self.files)
        self.tally = Tally()
        self.log = Kept()
        self._waiting: list[Tool] = []
        logging.getLogger().addHandler(self.log)
        self._hidden = str(folder)

    def close(self) -> None:
        """Hear no more of the log."""
        logging.getLogger().removeHandler(self.log)

    def episode(self, calls: int, *, replayed: bool) -> None:
        """So many calls on a copy, each looked at; then, if wanted, a replay of all of them."""
        session = self.base.fork()
        drawn = Drawn(session, self.random, self.ids)
        began = len(session.events)
        for _ in range(calls):
            tool = self._next_tool()
            args = drawn.call(tool)
            before = _lasting(session)
            event = self._made(session, tool, args)
            if event is None:
                continue
            self._look(session, event)
            changed = event.ok and _lasting(session) != before
            if changed and tool.name not in _HISTORY and self.random.random() < 0.1:
                self._undo(session, before)
        if replayed:
            self._replay(session, began)
        self.engine.remove_session(session.id)

    def _next_tool(self) -> Tool:
        """Each tool as often as any other, in a new order each time."""
        if not self._waiting:
            self._waiting = self.random.sample(tools(), len(tools()))
        return self._waiting.pop()

    def _made(self, session: Session, tool: Tool, args: dict[str, Any]) -> Event | None:
        self.tally.made[tool.name] += 1
        if tool.name == "redo" and self.random.random() < 0.7:
            session.undo()  # without one there is nothing to do again
        started = time.perf_counter()
        try:
            event = session.call_tool(tool.name, args)
        except Exception as error:
            self._tell(
                session, f"{type(error).__name__} came out of {tool.name}: {error}", tool.name, repr(args)
            )
            return None
        self.tally.seconds[tool.name] += time.perf_counter() - started  # type: ignore[assignment]
        if event.ok:
            self.tally.good[tool.name] += 1
        else:
            self.tally.refused[tool.name] = event.text
        return event

    def _look(self, session: Session, event: Event) -> None:
        """What holds after every call."""
        said = canonical(event.data).encode()
        for problem in (
            "a bug" if event.data.get("bug") else "",
            f"logged: {self.log.lines[-1]}" if self.log.lines else "",
            "the state is too large"
            if len(canonical(to_json(session.state)).encode()) > MAX_STATE_BYTES
            else "",
            f"data of {len(said)} bytes" if len(said) > MAX_DATA_BYTES else "",
            f"{len(event.text)} characters said" if len(event.text) > MAX_SAID_CHARS else "",
            "a path of this machine" if self._tells_a_path(session, event) else "",
            "the state changed by a call that failed" if not event.ok and event.state is not None else "",
            "the hash is not the state's" if digest(session.state) != event.hash else "",
            "no sentence" if not event.text.strip() or "Traceback" in event.text else "",
        ):
            if problem:
                self._tell(session, problem, event.tool, event.args, event.text)
        self.log.lines.clear()

    def _tells_a_path(self, session: Session, event: Event) -> bool:
        """Whether words or the state give a path of this machine away that the call was not given itself.

        An export's data name its file for the command line; they are shown to nobody over the web.
        """
        given = self._hidden in json.dumps(event.args, default=str)
        return not given and self._hidden in event.text + canonical(to_json(session.state))

    def _undo(self, session: Session, before: str) -> None:
        self.tally.undone += 1
        event, after = session.events[-1], _lasting(session)
        session.undo()
        if _lasting(session) != before:
            self._tell(session, "undo does not give the state before", event.tool, event.args)
        session.redo()
        if _lasting(session) != after:
            self._tell(session, "redo does not give the state again", event.tool, event.args)

    def _replay(self, session: Session, began: int) -> None:
        self.tally.replays += 1
        try:
            if digest(session.replay()) != session.hash:
                self._tell(session, "a replay ends elsewhere", "", {})
        except ReplayDiverged as error:
            self._tell(session, f"a replay diverged: {error}", "", {})
        for line in self.log.lines:
            self._tell(session, f"logged at a replay: {line}", "", {})
        self.log.lines.clear()

    def _tell(self, session: Session, what: str, tool: str, args: Any, text: str = "") -> None:
        found = {"what": what, "tool": tool, "args": args, "text": text[:400], "events": len(session.events)}
        self.tally.wrong.append(found)
        print(json.dumps(found, default=repr), flush=True)


def _lasting(session: Session) -> str:
    """The hash of the state without what was only said, which an undo does not take back."""
    return digest(session.state.with_ui(question=None, notice=None))


_HISTORY = frozenset({"undo", "redo", "goto_turn", "go_to_turn", "reset_session", "restore"})


def run(folder: Path, calls: int, seed: int, replay_every: int = 4) -> Iterator[Tally]:
    """Make so many calls; the tally after each episode."""
    fuzz = Fuzz(folder, seed)
    number = 0
    while (left := calls - sum(fuzz.tally.made.values())) > 0:
        fuzz.episode(min(CALLS_AN_EPISODE, left), replayed=number % replay_every == 0)
        number += 1
        yield fuzz.tally


def main() -> None:
    """Run, and print the tally now and then and at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calls", type=int)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--replay-every", type=int, default=4)
    asked = parser.parse_args()
    os.environ.update(stand_ins())
    with tempfile.TemporaryDirectory(prefix="azimuth-fuzz-") as folder:
        os.environ["AZIMUTH_HOME"] = str(Path(folder) / "run" / "home")
        (Path(folder) / "run").mkdir()
        tally = Tally()
        for number, tally in enumerate(
            run(Path(folder) / "run", asked.calls, asked.seed, asked.replay_every), 1
        ):
            if number % 10 == 0:
                print(json.dumps(tally.to_json()), flush=True)
        print(json.dumps({"end": True, **tally.to_json()}), flush=True)
        share = {name: [tally.good[name], made] for name, made in sorted(tally.made.items())}
        print(json.dumps({"per_tool": share}), flush=True)


if __name__ == "__main__":
    main()
