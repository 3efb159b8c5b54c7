"""What a reply says: its words by ROUGE-L, its numbers and days."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot.bench.check.reply import dates_in, numbers_in, rouge_l, unsaid


@pytest.mark.parametrize(
    ("wanted", "said", "score"),
    [
        ("12 images near Lyon.", "There are 12 images near Lyon, all of them clear.", 1.0),
        ("12 images near Lyon.", "Near Lyon there are 12 images.", 0.5),
        ("12 images near Lyon.", "", 0.0),
        ("", "Anything", 1.0),
        ("24,775 images", "24775 Images", 1.0),
        ("the cat sat on the mat", "the cat on the mat", 5 / 6),
        ("São Paulo", "SAO PAULO", 1.0),
    ],
)
def test_rouge_l_is_the_recall_of_the_longest_common_subsequence_of_words(
    wanted: str, said: str, score: float
):
    assert rouge_l(wanted, said) == pytest.approx(score)


words = st.lists(st.sampled_from("ship port near images of the and".split()), max_size=12).map(" ".join)


def common(one: list[str], other: list[str]) -> int:
    """The length of the longest common subsequence, by the table of the textbook."""
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            rows[i][j] = rows[i - 1][j - 1] + 1 if a == b else max(rows[i - 1][j], rows[i][j - 1])
    return rows[-1][-1]


@given(wanted=words, said=words)
def test_rouge_l_is_what_the_textbook_says(wanted: str, said: str):
    expected = common(wanted.split(), said.split()) / len(wanted.split()) if wanted else 1.0
    assert rouge_l(wanted, said) == expected


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("24,775 images of 1,149,612", (24775, 1149612)),
        ("about 12.5 % (−3 to +7.25)", (12.5, -3, 7.25)),
        ("WorldView-3, Gaofen-2, Boeing737, A220 and 04032.tif", ()),
        ("table-60b99a and xview1:1001.tif", ()),
        ("2 of 3; 4.", (2, 3, 4)),
        ("from 2019-03-14 to 14 March 2020", ()),
        ("in 2019", (2019,)),
        ("https://example.org/12 and #5", ()),
        ("40 km around [4.85, 45.75]", (40, 4.85, 45.75)),
        ("40km, 3.5m, 12ha, 7px and 9x", (40, 3.5, 12, 7)),
        ("135 images ⁽⁴⁾, 12⁽¹⁾; 18:34:44", (135, 12)),
        ("p 0.8065: no different from chance at 12:30", (0.8065,)),
        ("(1,234) 5% 6-8 7—9 10–12", (1234, 5, 7, 9, 10, 12)),
    ],
)
def test_the_numbers_of_a_text_are_those_that_say_how_many(text: str, numbers: tuple[float, ...]):
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    "text",
    ["2019-03-14", "14 March 2019", "the 14th March 2019", "March 14, 2019", "Mar 14th 2019", "14 mar. 2019"],
)
def test_a_day_is_read_however_it_is_written(text: str):
    assert dates_in(f"Taken on {text}, at noon.") == {"2019-03-14"}


@pytest.mark.parametrize(
    ("wanted", "said", "lost"),
    [
        ("10 images.", "There are 10 of them.", []),
        ("10 images.", "There are ten of them.", []),
        ("0 images.", "No images match.", []),
        ("10 images.", "There are 11 of them.", ["10"]),
        ("24,775 images", "24775", []),
        ("24,775 images", "about 24,800", ["24,775"]),
        ("The mean is 23.04 %", "a mean of 23.0 %", []),
        ("The mean is 23.04 %", "a mean of 24 %", ["23.04"]),
        ("5 and 7", "7 and 5", []),
        ("5 and 7", "57", ["5", "7"]),
        ("Taken on 2019-03-14.", "On 14 March 2019.", []),
        ("Taken on 2019-03-14.", "On 15 March 2019.", ["2019-03-14"]),
        ("Boeing737", "Airbus", []),
    ],
)
def test_each_number_of_the_gold_reply_must_be_said(wanted: str, said: str, lost: list[str]):
    assert unsaid(wanted, said, 0.01) == lost
