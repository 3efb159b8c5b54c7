"""What agents do about a request, as candidate solutions of a task beside those that are made by rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from copilot.bench.build.candidates import Candidate
from copilot.bench.task import TODAY, GoldCall
from copilot.engine import Engine
from tools.base import World


@dataclass(frozen=True)
class Solver:
    """Agents over the embedded planner, each in a session of its own."""

    engine: Engine
    names: tuple[str, ...]

    @classmethod
    def over(cls, world: World, address: str, names: Sequence[str]) -> Solver:
        """Solvers over a world's catalogue. Raises copilot.agents.UnknownAgent."""
        from copilot.agents import get_agent

        for name in names:
            get_agent(name)
        engine = Engine.in_memory(address, TODAY)
        engine.__dict__["catalogue"] = world.catalogue  # the rows are in memory once
        return cls(engine, tuple(names))

    def candidates(self, request: str, setup: Sequence[GoldCall]) -> Iterator[Candidate]:
        """The calls that each agent made and that worked; nothing of one that made none."""
        from copilot.models import EMBEDDED
        from copilot.session import Session

        for name in self.names:
            session = Session.open(engine=self.engine)
            try:
                for call in setup:
                    session.call_tool(call.tool, call.args, source="bench")
                answer = session.ask(request, agent=name, model=EMBEDDED, source="bench")
            finally:
                self.engine.remove_session(session.id)
            if calls := tuple(GoldCall(each.tool, dict(each.args)) for each in answer.calls if each.ok):
                yield Candidate("agent", f"what the agent '{name}' did", calls)
