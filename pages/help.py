"""Help: what to ask, what it cannot do, what is real, and what leaves the machine."""

from __future__ import annotations

import streamlit as st

from copilot.messages import later, t
from copilot.models import answering
from pages.header import header, said_of
from pages.here import session
from pages.sampling import examples

ASK = later("""
Write what you want to see, in one sentence or several steps. Places, dates, classes and data sets
can come in any order, and follow-ups build on what is there: *now only 2019*, *and in Lyon?*, *only
the cloud-free ones*, *undo that*, *how many per class?*, *draw that as bars*, *export it*.

- **In here**: draw a rectangle, polygon or circle on the map, then say *show the images in here*.
- **What is this?**: click a footprint or a point; its record opens under the map, and the copilot
  knows which one you mean.
- **Numbers** in an answer carry a small reference. Click it to see the call that the number came
  from, and its layer on the map.
- **Your own files**: add a GeoTIFF, a photo, a GeoPackage, a CSV or a document, then say *find the ships*,
  *compute the NDVI*, *show only the parcels larger than 2 ha*.
- The line above the map is the selection. ✕ drops a part of it. Everything can be undone.
""")
AGENT = later("""
**Settings** say how the model goes about a request: straight on, thinking before
each call, planning everything first, and other ways. The choice stays with the session, as does the
number of examples that the model is shown. The line under a request opens to what was thought and
called, in order; beside the calls stand the tokens so far, and what they cost where a price is known.
""")
CANNOT = later("""
It says so when it can't help, and what would work instead. It does not make up results: there is no
answer without a call behind it. It has no live satellite feed, cannot order images, and looks only
at what is in the catalogue and at the files that you add.
""")
REAL = later("""
The seven built-in data sets are a **sample**: published sizes and class lists, but generated
positions, dates and labels. Their pictures are **rendered** from what the records say, are marked so, and
are no imagery: a result on one says nothing of the world. **Real** are the four scenes of Landsat and NAIP
that come along, and what you ingest yourself on the Data page; both are marked as ingested.
""")
MEASURED = later("""
The **Benchmark** page runs agents over tasks with a known right end, and shows where they fail; a failed
task can be made again on the map. When an answer here is wrong, give it a thumbs-down:
`copilot bench add` makes a test of it.
""")
PRIVACY = later("""
Sessions, data and exports stay in a folder on the machine that runs Azimuth. Usage statistics are
off. The online base maps (OpenStreetMap, satellite, topography) ask their servers for tiles only
while you have chosen one of them. A share link gives a copy of a session to whoever has the link
and can reach this machine. Whether anything leaves it stands at the top of every page:
""")
KEYS = later("""
Every control can be reached with Tab. On the map, the arrow keys pan, + and − zoom, and Tab walks
through clusters and footprints; Enter opens one.
""")


def show() -> None:
    """Draw the page."""
    current = session()
    header(current)
    with st.container(key="prose"):
        st.html(f"<h2 class='az-title'>{t('Help')}</h2>")
        st.markdown(f"### {t('What to ask')}")
        st.markdown(t(ASK))
        st.markdown(
            "\n".join((f"{t('These work as they stand:')}\n", *(f"- *{each}*" for each in examples(current))))
        )
        for title, text in (
            (t("Which agent answers"), AGENT),
            (t("What it cannot do"), CANNOT),
            (t("What is real"), REAL),
            (t("How well it does"), MEASURED),
            (t("What leaves this machine"), PRIVACY),
        ):
            st.markdown(f"### {title}")
            st.markdown(t(text))
        st.text(said_of(answering())[1])
        st.markdown(f"### {t('Keyboard')}")
        st.markdown(t(KEYS))
