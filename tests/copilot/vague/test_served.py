"""A served vision-language model through the same harness, against a real server of the interface."""

from __future__ import annotations

import json

import pytest
from openai import OpenAI

from copilot.vague.questions import Question
from copilot.vague.served import measure_served, read_reply
from tests.openai_server import KEY, Asked, Reply, openai_server, says

SCENE = Question("q1", "scene", "me", ("what is this place",), "marina-256-17100002", ["harbor"], {})
MANY = Question("q2", "counting", "me", ("what is this", "how many boats"), "marina-256-17100002", 8, {})


def test_a_served_model_is_sent_the_picture_and_graded_by_the_same_reward(tmp_path):
    seen: list[Asked] = []

    def answers(asked: Asked) -> Reply:
        seen.append(asked)
        told = (
            {"task": "scene", "answer": ["harbor"]} if len(seen) == 1 else {"task": "counting", "answer": 10}
        )
        return says(f"Here it is: {json.dumps(told)}")

    with openai_server(answers) as served:
        client = OpenAI(base_url=served.url, api_key=KEY)
        figures = measure_served(client, "small", [SCENE, MANY], tmp_path).as_json()
    content = seen[1]["messages"][1]["content"]
    assert content[0] == {"type": "text", "text": "what is this\nhow many boats"}
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert (figures["intent"], figures["intent_in_two_turns"]) == (1.0, 1.0)
    assert figures["reward_by_task"] == {"scene": 1.0, "counting": pytest.approx(0.4724, abs=1e-4)}


@pytest.mark.parametrize("text", ["no idea", '["scene"]', '{"task": "singing"}', "{"])
def test_a_reply_that_names_no_task_is_none(text):
    assert read_reply(text).task is None
