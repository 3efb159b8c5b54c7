"""Places named in sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from data.gazetteer import gazetteer
from tests.suite.walking import walks

# A sentence, and what it mentions.
SENTENCES = [
    (
        "Plot the fair1m and xview1 images around Pittsburgh, PA from May 2018 with vehicles",
        ["Pittsburgh, PA"],
    ),
    ("ships in the Strait of Hormuz and the Gulf of Oman", ["Strait of Hormuz", "Gulf of Oman"]),
    ("now in Lyon", ["Lyon"]),
    ("and in lyon?", ["lyon"]),
    ("between Lagos and Accra", ["Lagos", "Accra"]),
    ("off the coast of Somalia", ["Somalia"]),
    ("ships near rotterdam in march 2019", ["rotterdam"]),
    ("ships near the port of Rotterdam", ["port of Rotterdam"]),
    ("show me the images in reading order", []),
    ("images near Nice", ["Nice"]),
    ("a nice image, please", []),
    ("fires in Reading", ["Reading"]),
    ("around Split since 2019", ["Split"]),
    ("split the images by most common class", []),
    ("ships in Mobile", ["Mobile"]),
    ("mobile homes", []),
    ("show the most recent images from last may", []),
    ("bridges near Hull", ["Hull"]),
    ("around Marsielle in 2019 please", ["Marsielle"]),
    ("ships in the meditteranean", ["meditteranean"]),
    ("images around pittsburg pa", ["pittsburg pa"]),
    ("port and bridge detections over vancouver", ["vancouver"]),
    ("compare Paris, Texas with Paris, France", ["Paris, Texas", "Paris, France"]),
    ("the state of Georgia and Georgia (country)", ["state of Georgia", "Georgia (country)"]),
    ("how many golf courses are in the USA", ["USA"]),
    ("show us the scenes", []),
    ("images in the red sea and the black sea", ["red sea", "black sea"]),
    ("Lyon, Paris and Marseille", ["Lyon", "Paris", "Marseille"]),
    ("WorldView and Sentinel-2 images of San Francisco, California, USA", ["San Francisco, California, USA"]),
    ("Show me everything over Washington DC", ["Washington DC"]),
    ("cities over a million people within 500 km of Lagos", ["Lagos"]),
    ("planes at Heathrow and JFK", ["Heathrow", "JFK"]),
    ("vessels in the English Channel", ["English Channel"]),
    ("dark vessels in the South China Sea since spring 2020", ["South China Sea"]),
    ("zoom to the Suez Canal", ["Suez Canal"]),
    ("move the map to new york", ["new york"]),
    ("show the images of Santa Rosa, California before October 2017", ["Santa Rosa, California"]),
    ("flooded houses after hurricane harvey in Houston, Texas", ["Houston, Texas"]),
    ("open the airport layer and the harbour layer", []),
    ("a bar chart of the mean cloud cover per date", []),
    ("filter trucks, cars and vans on the lake", []),
    ("clear all filters", []),
    ("Export the table as csv", []),
    ("Show ships", []),
    ("Plot the sale of man made objects", []),
    ("from 2017 to 2019 in Germany, France and Spain", ["Germany", "France", "Spain"]),
    ("anything that floats in Bab-el-Mandeb", ["Bab-el-Mandeb"]),
    ("São Paulo or Rio de Janeiro", ["São Paulo", "Rio de Janeiro"]),
    ("images from the Horn of Africa", ["Horn of Africa"]),
    ("Washington, D.C. and St. Louis, MO", ["Washington, D.C.", "St. Louis, MO"]),
    ("in or near tokyo", ["tokyo"]),
    ("storage tanks in oklahoma", ["oklahoma"]),
    ("oil tankers near Fujairah or in the gulf of aden", ["Fujairah", "gulf of aden"]),
    ("what is in the scene?", []),
    ("In March show me reports", []),
    ("from january to march in washington state", ["washington state"]),
    ("damage after Hurricane Florence in North Carolina", ["North Carolina"]),
    ("vessels around Kotor, Split and Bari", ["Kotor", "Split", "Bari"]),
    ("find planes in los angelos", ["los angelos"]),
    ("ships in the us", ["us"]),
    ("compare the Black Sea to the Baltic", ["Black Sea", "Baltic"]),
    ("buildings destroyed by Hurricane Michael in Panama City, Florida", ["Panama City, Florida"]),
    ("undo that", []),
    ("how many per class?", []),
    ("", []),
]


@walks("text, expected", SENTENCES)
def test_a_sentence_mentions_its_places_and_no_others(text: str, expected: list[str]) -> None:
    assert [mention.text for mention in gazetteer().mentions(text)] == expected


def test_a_mention_carries_what_it_means() -> None:
    (mention,) = gazetteer().mentions("trucks around pittsburgh, pa in 2018")
    assert mention.resolution.best is not None
    assert (mention.start, mention.end, mention.resolution.best.id) == (14, 28, "city:5206379")


def test_an_ambiguous_mention_stays_ambiguous() -> None:
    (mention,) = gazetteer().mentions("show images of Springfield")
    assert mention.resolution.ambiguous


def test_a_misspelled_mention_says_that_it_was_corrected() -> None:
    (mention,) = gazetteer().mentions("ships near Rotterdm")
    assert mention.resolution.corrected
    assert mention.resolution.best is not None
    assert mention.resolution.best.name == "Rotterdam"


WORDS = st.sampled_from(
    "in near of the and Paris Texas , PA Springfield Illinois port state Georgia ( country ) Sea Red Gulf "
    "Oman nice Marsielle 2019 ships".split()
)


@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=14).map(" ".join)))
def test_mentions_are_in_order_never_overlap_and_quote_the_text(text: str) -> None:
    end = 0
    for mention in gazetteer().mentions(text):
        assert end <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
        assert mention.resolution.candidates
        end = mention.end
