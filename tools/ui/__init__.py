"""UI: what is open and shown, the way back, questions and feedback."""

from tools.ui.asking import TOOLS as ASKING
from tools.ui.feedback import TOOLS as FEEDBACK
from tools.ui.history import TOOLS as HISTORY
from tools.ui.images import TOOLS as IMAGES
from tools.ui.panels import TOOLS as PANELS
from tools.ui.tabs import TOOLS as TABS

TOOLS = (*PANELS, *IMAGES, *TABS, *HISTORY, *ASKING, *FEEDBACK)
