"""Database: load data sets, narrow them, count and read what is left."""

from tools.database.attributes import TOOLS as ATTRIBUTES
from tools.database.dates import TOOLS as DATES
from tools.database.filters import TOOLS as FILTERS
from tools.database.ingesting import TOOLS as INGESTING
from tools.database.loading import TOOLS as LOADING
from tools.database.places import TOOLS as PLACES
from tools.database.reading import TOOLS as READING

TOOLS = (*LOADING, *DATES, *PLACES, *FILTERS, *ATTRIBUTES, *READING, *INGESTING)
