"""Teams: people who are given each other's workflows, rules and variants, each by hand and none by itself.

A team is a folder with the names of its members and a memory. A member is taken in by a member; what is in
the memory of a person stays that person's until it is shared (`Memory.share`).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from copilot.workflows.model import WorkflowError

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


@dataclass(frozen=True)
class Team:
    """People with a memory that they share."""

    name: str
    folder: Path
    members: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file of its memory."""
        return self.folder / "memory.json"


def team(home: Path, name: str, owner: str) -> Team:
    """The team of that name that a person is of. Raises WorkflowError, alike for one that there is not."""
    found = next((each for each in teams_of(home, owner) if each.name == name), None)
    if found is None:
        raise WorkflowError(f"You are of no team {name[:60]!r}; who is of it takes you in.")
    return found


def teams_of(home: Path, owner: str) -> tuple[Team, ...]:
    """The teams that a person is of, by name."""
    root = home / "workflows" / "teams"
    found = [_read(each) for each in sorted(root.iterdir())] if root.is_dir() else []
    return tuple(each for each in found if each is not None and owner in each.members)


def found_team(home: Path, name: str, owner: str) -> Team:
    """A new team with one member. Raises WorkflowError for a name that is taken or is none."""
    if not _NAME.fullmatch(name):
        raise WorkflowError(f"{name[:60]!r} is no name of a team: small letters, digits, - and _.")
    folder = home / "workflows" / "teams" / name
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise WorkflowError(f"There is a team {name!r} already.") from None
    return _write(Team(name, folder, (owner,)))


def take_in(home: Path, name: str, by: str, member: str) -> Team:
    """Make somebody a member of a team, by one who is. Raises WorkflowError."""
    mine = team(home, name, by)
    return _write(Team(mine.name, mine.folder, tuple(dict.fromkeys([*mine.members, member]))))


def leave(home: Path, name: str, owner: str) -> None:
    """Be a member no more. What was shared stays with the team. Raises WorkflowError."""
    mine = team(home, name, owner)
    _write(Team(mine.name, mine.folder, tuple(each for each in mine.members if each != owner)))


def _read(folder: Path) -> Team | None:
    try:
        members = json.loads((folder / "members.json").read_text(encoding="utf-8"))
        return Team(folder.name, folder, tuple(map(str, members)))
    except (OSError, ValueError, TypeError):
        return None


def _write(made: Team) -> Team:
    part = made.folder / ".members.json"
    part.write_text(json.dumps(list(made.members)), encoding="utf-8")
    part.replace(made.folder / "members.json")
    return made


__all__ = ["Team", "found_team", "leave", "take_in", "team", "teams_of"]
