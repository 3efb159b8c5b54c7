"""Data tools: sum up, shape, test, cluster, draw and export the selection and the session's tables."""

from tools.data.atlas import TOOLS as ATLAS
from tools.data.boxes import TOOLS as BOXES
from tools.data.clusters import TOOLS as CLUSTERS
from tools.data.columns import TOOLS as COLUMNS
from tools.data.delivering import TOOLS as DELIVERING
from tools.data.editing import TOOLS as EDITING
from tools.data.exports import TOOLS as EXPORTS
from tools.data.figures import TOOLS as FIGURES
from tools.data.inspecting import TOOLS as INSPECTING
from tools.data.outlying import TOOLS as OUTLYING
from tools.data.patterns import TOOLS as PATTERNS
from tools.data.relations import TOOLS as RELATIONS
from tools.data.rows import TOOLS as ROWS
from tools.data.shaping import TOOLS as SHAPING
from tools.data.spreadsheets import TOOLS as SPREADSHEETS
from tools.data.sql import TOOLS as SQL
from tools.data.summaries import TOOLS as SUMMARIES
from tools.data.times import TOOLS as TIMES
from tools.data.transcripts import TOOLS as TRANSCRIPTS

TOOLS = (
    *SUMMARIES, *ROWS, *SHAPING, *COLUMNS, *EDITING, *TIMES, *RELATIONS, *OUTLYING, *CLUSTERS, *PATTERNS,
    *FIGURES, *BOXES, *ATLAS, *DELIVERING, *EXPORTS, *INSPECTING, *SPREADSHEETS, *SQL, *TRANSCRIPTS,
)  # fmt: skip
