"""Python: documents, archives, pictures and sums."""

from tools.python.archives import TOOLS as ARCHIVES
from tools.python.coordinates import TOOLS as COORDINATES
from tools.python.dates import TOOLS as DATES
from tools.python.files_in import TOOLS as FILES_IN
from tools.python.reading import TOOLS as READING
from tools.python.records import TOOLS as RECORDS
from tools.python.sums import TOOLS as SUMS

TOOLS = (*FILES_IN, *READING, *RECORDS, *ARCHIVES, *SUMS, *DATES, *COORDINATES)
