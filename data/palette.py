"""The colours of data where they tell classes apart: those of Okabe and Ito (2008), without black.

M. Okabe, K. Ito: Color Universal Design (CUD), https://jfly.uni-koeln.de/color/. They were chosen to be told
apart with each of the common kinds of colour vision; black is left out, as it would vanish on the dark page.
Charts, classes on the map and in the image, and the benchmark take them from here;
.streamlit/config.toml repeats them. tests/data/test_palette.py measures how far they are apart.
"""

from __future__ import annotations

CATEGORIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442")
"""Blue, orange, green, purple, vermilion, sky, yellow: the ones that are told apart best come first."""
