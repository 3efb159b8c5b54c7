"""Python: documents, archives, pictures and sums."""

from tools.python.archives import TOOLS as ARCHIVES
from tools.python.coordinates import TOOLS as COORDINATES
from tools.python.dates import TOOLS as DATES
from tools.python.files_in import TOOLS as FILES_IN
from tools.python.lettering import TOOLS as LETTERING
from tools.python.photos import TOOLS as PHOTOS
from tools.python.pictures import TOOLS as PICTURES
from tools.python.reading import TOOLS as READING
from tools.python.records import TOOLS as RECORDS
from tools.python.sums import TOOLS as SUMS
from tools.python.tones import TOOLS as TONES
from tools.python.unpacking import TOOLS as UNPACKING

TOOLS = (
    *FILES_IN,
    *READING,
    *RECORDS,
    *ARCHIVES,
    *UNPACKING,
    *PICTURES,
    *TONES,
    *LETTERING,
    *PHOTOS,
    *SUMS,
    *DATES,
    *COORDINATES,
)
