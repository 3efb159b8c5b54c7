"""Python: documents, archives, pictures and sums."""

from tools.python.coordinates import TOOLS as COORDINATES
from tools.python.dates import TOOLS as DATES
from tools.python.sums import TOOLS as SUMS

TOOLS = (*SUMS, *DATES, *COORDINATES)
