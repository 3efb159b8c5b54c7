"""The vision tools: each answer is computed from the pixels that it is about."""

from __future__ import annotations

from tools.base import Tool
from tools.vision.aircraft import TOOLS as AIRCRAFT
from tools.vision.changing import TOOLS as CHANGING
from tools.vision.cleaning import TOOLS as CLEANING
from tools.vision.detecting import TOOLS as DETECTING
from tools.vision.extracting import TOOLS as EXTRACTING
from tools.vision.grounding import TOOLS as GROUNDING
from tools.vision.looking import TOOLS as LOOKING
from tools.vision.measuring import TOOLS as MEASURING
from tools.vision.radar import TOOLS as RADAR
from tools.vision.reviewing import TOOLS as REVIEWING
from tools.vision.seeing import TOOLS as SEEING
from tools.vision.segmenting import TOOLS as SEGMENTING
from tools.vision.similarity import TOOLS as SIMILARITY
from tools.vision.upscaling import TOOLS as UPSCALING

TOOLS: tuple[Tool, ...] = (
    *DETECTING,
    *AIRCRAFT,
    *CHANGING,
    *CLEANING,
    *MEASURING,
    *EXTRACTING,
    *RADAR,
    *REVIEWING,
    *SEGMENTING,
    *UPSCALING,
    *SEEING,
    *LOOKING,
    *GROUNDING,
    *SIMILARITY,
)
