"""Data tools: sum up, sort, draw and export the selection and the session's tables."""

from tools.data.exports import TOOLS as EXPORTS
from tools.data.figures import TOOLS as FIGURES
from tools.data.rows import TOOLS as ROWS
from tools.data.summaries import TOOLS as SUMMARIES
from tools.data.transcripts import TOOLS as TRANSCRIPTS

TOOLS = (*SUMMARIES, *ROWS, *FIGURES, *EXPORTS, *TRANSCRIPTS)
