"""Plan with what the tools declare: their phrases choose one, the types of their arguments say what to read."""

from copilot.planner.declared.following import followed
from copilot.planner.declared.planning import declared_plan

__all__ = ["declared_plan", "followed"]
