"""The same questions put to a served vision-language model, over the interface of OpenAI's chat completions.

The model is told the ten tasks and the form of an answer, and is sent the image as a PNG; what it replies is
graded by the same reward. Any server will do that speaks the interface: $OPENAI_BASE_URL and $OPENAI_API_KEY.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.vague.measuring import Figures
from copilot.vague.pictures import write
from copilot.vague.questions import Question
from copilot.vague.reward import reward
from copilot.vague.routing import MEANS
from copilot.vague.tasks import DENSE, LABELS, TASKS

if TYPE_CHECKING:
    from openai import OpenAI

ASKS = (
    "Somebody who is no expert asks about an aerial image. Find out which of these tasks is meant and "
    'answer it. Reply with one JSON object and nothing else: {"task": NAME, "answer": ANSWER}. '
    f"The tasks are {json.dumps(MEANS)}. The answer of scene is a list of one word, of labels a list out of "
    f"{json.dumps(list(LABELS))}, of grounding and referring and detection a list of boxes [left, top, "
    "right, bottom] in pixels, of counting a number, of region a list of one word (a label, yes, no, or a "
    "side: left, right, top, bottom), of change the changed share in percent, of segmentation a list of "
    'labels, of contour ["contour"].'
)
SIDE_PX = 1024


@dataclass(frozen=True)
class Reply:
    """What a model replied."""

    task: str | None
    """None where it replied no JSON object that names one."""
    answer: Any
    seconds: float


def ask(client: OpenAI, model: str, question: Question, files: Sequence[Path]) -> Reply:
    """One question put to the model with its image or images."""
    content: list[dict[str, Any]] = [{"type": "text", "text": "\n".join(question.said)}]
    content += [{"type": "image_url", "image_url": {"url": _as_url(each)}} for each in files]
    started = time.perf_counter()
    messages: Any = [{"role": "system", "content": ASKS}, {"role": "user", "content": content}]
    made = client.chat.completions.create(model=model, temperature=0, messages=messages)
    told = read_reply(made.choices[0].message.content or "")
    return Reply(told.task, told.answer, time.perf_counter() - started)


def read_reply(text: str) -> Reply:
    """The object of a reply, whatever stands around it."""
    start, end = text.find("{"), text.rfind("}")
    try:
        got = json.loads(text[start : end + 1])
    except ValueError:
        return Reply(None, None, 0.0)
    task = got.get("task") if isinstance(got, dict) else None
    return Reply(task if task in TASKS else None, got.get("answer") if isinstance(got, dict) else None, 0.0)


def measure_served(client: OpenAI, model: str, questions: Sequence[Question], folder: Path) -> Figures:
    """The figures of a model that answers everything by itself."""
    found = Figures()
    for question in questions:
        told = ask(client, model, question, write(question.picture, folder))
        right = told.task == question.task
        found.questions += 1
        found.direct += 1
        found.intents[question.task].append(right)
        if len(question.said) > 1:
            found.in_turns.append(right)
        found.missed += question.task in DENSE
        found.rewards[question.task].append(reward(told.answer, question.reference))
        found.look_seconds.append(told.seconds)
    return found


def _as_url(image: Path) -> str:
    """The image as a data URL, at most 1,024 pixels a side."""
    import cv2

    from data.vision.modality import modality_of
    from data.vision.overview import overview_of

    rgb = overview_of(image, modality_of(image).name, most_px=SIDE_PX).rgb
    done, coded = cv2.imencode(".png", rgb[..., ::-1])
    if not done:
        raise ValueError(f"{image.name} cannot be written as a PNG.")
    return f"data:image/png;base64,{base64.b64encode(coded.tobytes()).decode()}"
