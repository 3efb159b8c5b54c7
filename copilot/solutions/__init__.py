"""Task-Aware Retrieval after RS-Agent: infer the task of a request, and find how such a task is solved."""

from copilot.solutions.infer import Inferred, infer_tasks
from copilot.solutions.prompts import guidance, inference_prompt, read_tasks
from copilot.solutions.search import first_tool, search_solutions
from copilot.solutions.space import RS_AGENT_TASKS, Solution, missing_tools, solutions

__all__ = [
    "RS_AGENT_TASKS",
    "Inferred",
    "Solution",
    "first_tool",
    "guidance",
    "infer_tasks",
    "inference_prompt",
    "missing_tools",
    "read_tasks",
    "search_solutions",
    "solutions",
]
