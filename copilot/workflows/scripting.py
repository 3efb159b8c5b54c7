"""What an exported script, notebook or CWL step runs on: files in, a tool's call, its checks, files out.

flow = Scripted("burn_severity/two_dates")
after = flow.add("after", "after.tif")
index = flow.call("index", "spectral_index", raster=after, index="NBR")
flow.check(index, "valid_pct", low=50)
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.workflows import actions
from copilot.workflows.engine import results_of
from copilot.workflows.model import Check, WorkflowError, bound
from copilot.workflows.quality import reading

if TYPE_CHECKING:
    from copilot.engine import Engine
    from state.log import Event


class Done:
    """A step's event and what it made, by key; as text the handle of its main result."""

    def __init__(self, step: str, event: Event, results: Mapping[str, str], main: str) -> None:
        self.step = step
        self.event = event
        self.results = results
        self.main = main

    def __getitem__(self, key: str) -> str:
        return self.results[key]

    def __str__(self) -> str:
        return self.results[self.main]


class Scripted:
    """A session that a script runs a workflow in, step by step."""

    def __init__(self, name: str, engine: Engine | None = None) -> None:
        from copilot.session import Session

        self.session = Session.open(name=name[:100], engine=engine)

    def add(self, name: str, file: str | None) -> str | None:
        """A file's handle in the session; None for no file. Raises WorkflowError."""
        if file is None:
            return None
        event = self.session.call("add_file", file=str(Path(file).resolve()), name=Path(file).stem[:60])
        keys = ("raster", "vector", "table", "document")
        found = next((event.data[key] for key in keys if event.data.get(key)), None)
        if not event.ok or found is None:
            raise WorkflowError(f"{file} cannot be {name}: {event.text}")
        return str(found)

    def call(self, step: str, tool: str, /, **arguments: Any) -> Done:
        """One step's call; arguments that are None are left out. Raises WorkflowError for one that failed."""
        given = {key: _plain(value) for key, value in arguments.items() if value is not None}
        event = self.session.call_tool(tool, given, source="workflow")
        print(f"{step}: {event.text}")
        if not event.ok:
            raise WorkflowError(f"{step} failed: {event.text}")
        wanted = self.session.toolbox.get(tool)
        return Done(step, event, results_of(wanted, event), actions.main_key(wanted))

    def check(
        self,
        done: Done,
        measure: str,
        *,
        of: str = "",
        low: float | None = None,
        high: float | None = None,
        why: str = "",
    ) -> None:
        """One quality check of what a step made. Raises WorkflowError where its limits are missed."""
        handle = done.results.get(of or done.main)
        path = self.session.world().artifacts.find(handle) if handle is not None else None
        found = reading(Check(measure, of, low, high, why), path, done.event.data)
        if not found.met:
            raise WorkflowError(f"{done.step}: {found}.")


def run_step(
    tool: str,
    args: Mapping[str, Any],
    files: Mapping[str, str],
    values: Mapping[str, Any],
    checks: Sequence[Mapping[str, Any]],
    out: Path,
) -> dict[str, str]:
    """One step on files, in a session that is thrown away: its results as files in `out`, by key.

    `args` refer to files and values by `$name`, as in a workflow. What a call says is written to step.json.
    Raises WorkflowError.
    """
    import tempfile

    from copilot.engine import Engine

    with tempfile.TemporaryDirectory(prefix="workflow-step-") as home:
        engine = Engine(home=Path(home), background=None)
        flow = Scripted(tool, engine)
        known = {**values, **{name: flow.add(name, file) for name, file in files.items()}}
        done = flow.call(tool, tool, **{key: bound(value, known) for key, value in args.items()})
        for each in checks:
            flow.check(
                done, each["measure"], of=each.get("of", ""), low=each.get("low"), high=each.get("high")
            )
        made = {}
        for key, handle in done.results.items():
            path = flow.session.world().artifacts.find(handle)
            if path is not None:
                target = out / f"{key}{path.suffix}"
                shutil.copyfile(path, target)
                made[key] = str(target)
        said = {"tool": tool, "said": done.event.text, "data": dict(done.event.data), "files": made}
        (out / "step.json").write_text(json.dumps(said, indent=1, default=str) + "\n", encoding="utf-8")
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, Done):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value if each is not None]
    return value


__all__ = ["Done", "Scripted", "run_step"]
