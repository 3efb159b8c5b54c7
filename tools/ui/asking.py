"""What is said to the user outside an answer: a notice, a question with choices, a refusal."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from state.model import Question, State
from tools.base import Step, World, tool
from tools.phrases import listed
from tools.ui.texts import clean_text

MOST_CHOICES = 10
Sentence = Annotated[str, Field(min_length=1, max_length=1000)]
Choices = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=200)]],
    Field(max_length=MOST_CHOICES, description="Answers to choose from, each complete in itself."),
]


@tool("ui", changes_state=True)
def notify(
    state: State, world: World, *, text: Annotated[Sentence, Field(description="What the user should know.")]
) -> Step:
    """Show the user a notice above the map.

    Example: copilot call notify text="The export is ready."

    Asked as: show a notice | notify me | put up a message | remind the team that this is a sample | display a
    banner | pop up a note saying done | alert
    """
    notice = clean_text(text, "notice")
    return Step(state.with_ui(notice=notice), f"The notice says: {notice}", {"notice": notice})


@tool("ui", changes_state=True, asks=True)
def ask_user(
    state: State,
    world: World,
    *,
    question: Annotated[Sentence, Field(description="What is not clear, as one question.")],
    choices: Choices | None = None,
) -> Step:
    """Ask the user a question, with choices where there are some, and wait for the answer.

    Example: copilot call ask_user question="Which Paris?" choices='["Paris, France","Paris, Texas"]'

    Asked as: ask me which one | ask before you go on | which Paris is meant | a question with choices | let
    me choose | not sure what is meant | ambiguous place
    """
    text = clean_text(question, "question")
    offered = tuple(dict.fromkeys(clean_text(each, "choice") for each in choices or ()))
    said = f"{text} {listed(offered, MOST_CHOICES)}" if offered else text
    data = {"question": text, "choices": list(offered)}
    return Step(state.with_ui(question=Question(text, offered)), said, data)


@tool("ui", changes_state=True)
def reject_task(
    state: State,
    world: World,
    *,
    reason: Annotated[
        Sentence, Field(description="What cannot be done and why, and what could be done instead.")
    ],
) -> Step:
    """Say that a task cannot be done here, and why.

    Example: copilot call reject_task reason="There are no images of the Moon."

    Asked as: this cannot be done | book a flight | send an e-mail | forecast the weather | order new imagery
    | train a model | out of scope | delete files on disk | write me a poem
    """
    notice = clean_text(reason, "reason")
    return Step(state.with_ui(notice=notice), f"This cannot be done: {notice}", {"reason": notice})


TOOLS = (notify, ask_user, reject_task)
