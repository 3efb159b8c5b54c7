"""A session's calls run again, to see whether each still ends in the state on record."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from copilot.engine import FolderArtifacts, ReplayedArtifacts
from state.codec import from_json
from state.log import Event, ReplayCutOff, replay
from state.model import State
from tools.base import World
from tools.run import run_call
from tools.toolbox import Toolbox

if TYPE_CHECKING:
    from copilot.session import Session


def replayed(session: Session) -> State:
    """Run every recorded call again from the start. Raises state.log.ReplayDiverged, ReplayCutOff.

    Nothing of the session is touched: what the calls make again goes to a folder that is then thrown away.
    """
    toolbox = session.toolbox
    with tempfile.TemporaryDirectory(prefix="azimuth-replay-") as folder:
        recorded = session.engine.artifacts(session.id)
        artifacts = ReplayedArtifacts(FolderArtifacts(Path(folder)), recorded)
        world = replace(session.world(), artifacts=artifacts)
        return replay(
            State(),
            session.events,
            lambda state, event, before: run_again(toolbox, state, event, replace(world, log=before)),
        )


def run_again(toolbox: Toolbox, state: State, event: Event, world: World) -> State:
    """The state after a recorded call.

    Calls that reach outside are taken from the record, and so are those that something outside made fail.
    Raises ReplayCutOff where something outside fails now.
    """
    if event.outside or event.data.get("bug"):  # which is all that older records say of it
        return from_json(event.state) if event.state else state
    if event.tool in toolbox:
        tool = toolbox.get(event.tool)
        if tool.external or tool.reads_files:
            return from_json(event.state) if event.state else state
    step = run_call(toolbox, state, world, event.tool, event.args)
    if step.outside:
        raise ReplayCutOff(event, step.observation)
    return step.state
