"""The data set: its wordings, its questions, and the truth that they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from copilot.vague.build import TEST_EACH, Shelf, dense_train, train
from copilot.vague.lint import bank_problems, problems
from copilot.vague.phrases import prevailing, side_of, singled_out, there
from copilot.vague.pictures import NoPicture, Thing, Truth, truth_of
from copilot.vague.questions import DATASET, filled, read_questions
from copilot.vague.tasks import DENSE, DIRECT, PARTS, TASKS
from copilot.vague.wordings import BankError, Wording, about, read, wordings

BARE = {"water": 0.0, "vegetation": 0.0, "bare ground": 1.0, "paved ground": 0.0, "building": 0.0}
WET = {**BARE, "water": 0.8, "bare ground": 0.2}


def boat(left: int, area: float) -> Thing:
    return Thing("ship", "ship", (left, 40, left + 20, 60), area)


SEEN = Truth(
    "harbour-100-1", 100, 100, "harbor", WET, {**dict.fromkeys(PARTS, BARE), "left": WET, "top left": WET},
    (boat(5, 300.0), boat(40, 100.0), boat(75, 40.0)),
)  # fmt: skip


def test_the_bank_is_sound_and_of_thirty_voices_or_more():
    assert bank_problems() == []
    assert len({**about("train"), **about("test")}) >= 30


def test_the_test_that_is_kept_is_whole():
    assert problems(DATASET / "test.jsonl", TEST_EACH, TASKS) == []
    questions = list(read_questions(DATASET / "test.jsonl"))
    assert len(questions) == 1000
    assert sum(len(each.said) > 1 for each in questions) == 100
    assert {each.voice for each in questions} == set(about("test"))


def test_one_thing_is_singled_out_where_nothing_else_can_be_meant():
    found = dict(singled_out(SEEN, "ship"))
    assert found["biggest {}"] == (5, 40, 25, 60)
    assert found["{} furthest right"] == (75, 40, 95, 60)
    assert "topmost {}" not in found
    assert singled_out(SEEN, "plane") == []


def test_a_part_of_an_image_is_told_by_its_cover():
    assert (prevailing(SEEN, "left"), prevailing(SEEN, "right")) == ("water", "bare ground")
    assert (there(SEEN, "left", "water"), there(SEEN, "right", "water")) == (True, False)
    assert side_of(SEEN, "water") == "left"


def test_a_wording_is_filled_with_what_the_image_holds():
    rng = np.random.default_rng(1)
    done = filled(Wording("counting", "how many {many}?", "me"), SEEN, "train", rng)
    assert done is not None
    assert done.text in ("how many boats?", "how many ships?") and done.reference == 3
    assert filled(Wording("change", "what changed?", "me"), SEEN, "train", rng) is None


def test_a_wording_that_follows_speaks_of_what_was_spoken_of():
    rng = np.random.default_rng(1)
    done = filled(Wording("detection", "mark them", "me", follows=True), SEEN, "test", rng, {"many": "ship"})
    assert done is not None and done.reference == [list(each.box) for each in SEEN.things]
    none = filled(Wording("detection", "mark them", "me", follows=True), SEEN, "test", rng, {"many": "plane"})
    assert none is None


def test_a_rendered_scene_has_its_exact_truth():
    truth = truth_of("harbour-256-17100001")
    assert (truth.width, truth.height, truth.scene) == (256, 256, "harbor")
    assert sum(truth.shares.values()) == pytest.approx(1.0, abs=0.01)
    assert truth == truth_of("harbour-256-17100001")


def test_a_name_that_is_no_recipe_is_a_sentence():
    with pytest.raises(NoPicture, match="harbour-512-17 would have worked"):
        truth_of("moon")


def test_questions_are_made_the_same_way_each_time_and_none_twice():
    shelf = Shelf((truth_of("harbour-256-17100001"), SEEN), (truth_of("pair-change-256-3"),))
    made = [*train(shelf, 12), *dense_train(shelf, 6)]
    assert made == [*train(shelf, 12), *dense_train(shelf, 6)]
    assert {each.task for each in made} == {*DIRECT, *DENSE}
    assert len({(each.said, each.picture) for each in made}) == len(made)


def test_a_line_that_no_task_knows_is_a_sentence(tmp_path):
    path = tmp_path / "me.txt"
    path.write_text("# Me\nsinging | la la\n")
    with pytest.raises(BankError, match=r"me\.txt:2 is 'singing \| la la'"):
        read(path)
    path.write_text("# Me\nscene | what about the {one}\n")
    with pytest.raises(BankError, match=r"leaves \['one'\] open, which scene does not know"):
        read(path)
    assert len(wordings("train")) > 1_100
