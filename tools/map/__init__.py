"""Map: where it looks, what it shows, what is drawn on it and measured."""

from tools.map.adding import TOOLS as ADDING
from tools.map.camera import TOOLS as CAMERA
from tools.map.controls import TOOLS as CONTROLS
from tools.map.drawing import TOOLS as DRAWING
from tools.map.export import TOOLS as EXPORT
from tools.map.layers import TOOLS as LAYERS
from tools.map.measure import TOOLS as MEASURE
from tools.map.plots import TOOLS as PLOTS
from tools.map.styling import TOOLS as STYLING

TOOLS = (*CAMERA, *PLOTS, *LAYERS, *STYLING, *ADDING, *DRAWING, *MEASURE, *CONTROLS, *EXPORT)
