"""Workflows: found, started, changed, told of and kept. What drives their steps is the copilot's."""

from tools.base import Tool
from tools.workflows.finding import TOOLS as FINDING
from tools.workflows.running import TOOLS as RUNNING

TOOLS: tuple[Tool, ...] = (*FINDING, *RUNNING)
