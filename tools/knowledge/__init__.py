"""What is known: foundation models, and which of them to use."""

from tools.base import Tool
from tools.knowledge.models import TOOLS as MODELS
from tools.knowledge.recommending import TOOLS as RECOMMENDING

TOOLS: tuple[Tool, ...] = (*MODELS, *RECOMMENDING)
