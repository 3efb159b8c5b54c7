"""Steps that are not tool calls: a model fills in a form, by a forced call whose arguments are typed JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field, ValidationError

from copilot.agents.asking import Tools
from copilot.prompts import aside

if TYPE_CHECKING:
    from collections.abc import Generator

    from copilot.agents.turn import OpenTurn
    from state.log import Event


class PlannedCall(BaseModel):
    """One call of a plan."""

    tool: str = Field(description="The tool's name.")
    args: dict[str, Any] = Field(
        default_factory=dict,
        description="Its arguments. '@selected' stands for the image selected by then; '@N.NAME' for the "
        "value NAME of what call N of this plan came back with.",
    )


class PlanForm(BaseModel):
    """Submit the whole plan: every call the request needs, in order, with its arguments."""

    thought: str = Field(default="", description="In one or two sentences, what the plan does and why.")
    calls: list[PlannedCall] = Field(max_length=40)


class Module(BaseModel):
    """One module of a decomposed request."""

    module: str = Field(description="The module's name.")
    task: str = Field(description="What it is to do, in one sentence with every name and value it needs.")


class ModulesForm(BaseModel):
    """Submit the modules that the request needs, in the order in which they are to work."""

    thought: str = Field(default="", description="In one or two sentences, why these modules.")
    modules: list[Module] = Field(max_length=12)


class ReflectionForm(BaseModel):
    """Submit what you think of this try: whether it does what was asked, and if not, what to do instead."""

    right: bool = Field(description="True when everything that was asked is done, and nothing else.")
    what_failed: str = Field(default="", description="Which call or which part of the request, if any.")
    why: str = Field(default="", description="The cause, from the observations.")
    instead: str = Field(default="", description="What a second try must do otherwise.")
    again: bool = Field(description="True when a second try can do better; the first is then taken back.")


class TaskTypesForm(BaseModel):
    """Submit the types of task that the request is made of."""

    thought: str = Field(default="", description="In one sentence, what in the request tells them.")
    tasks: list[str] = Field(max_length=8, description="Names out of the list, the most important first.")


NAMES = {
    PlanForm: "submit_plan",
    ModulesForm: "submit_modules",
    ReflectionForm: "submit_reflection",
    TaskTypesForm: "submit_task_types",
}
"""The forms by the name of the call that submits them."""

Filled = TypeVar("Filled", bound=BaseModel)


def form_schema(form: type[BaseModel]) -> dict[str, Any]:
    """A form as a function in the OpenAI format."""
    parameters = form.model_json_schema()
    about = parameters.pop("description", "")
    parameters.pop("title", None)
    return {
        "type": "function",
        "function": {"name": NAMES[form], "description": about, "parameters": parameters},
    }


def fill_in(
    turn: OpenTurn,
    form: type[Filled],
    tools: Tools = lambda _: (),
    wrong: Callable[[Filled], str | None] = lambda _: None,
) -> Generator[Event, None, Filled | None]:
    """Have the model fill in a form, shown beside the tools it is about.

    `wrong` says what is wrong with one that has the right types. A model that answers anything else is told
    so once; None when it does so again. What it says beside the form goes on record as a thought.
    """
    name = NAMES[form]
    for _ in range(2):
        answer = turn.ask(lambda model: [form_schema(form), *tools(model)], forced=name)
        yield from turn.noted(answer)
        filled, complaint = _read(answer, form, name)
        if filled is not None and (complaint := wrong(filled)) is None:
            turn.tell(_form_call_id(answer, name), "Taken.", "success")
            _refuse_others(turn, answer, name, "Not run: only the form was asked for.")
            return filled
        if answer.tool_calls or answer.invalid_tool_calls:
            _refuse_others(turn, answer, None, complaint or "")
        else:
            turn.said.append(aside(complaint or ""))
    return None


def _read(answer: AIMessage, form: type[Filled], name: str) -> tuple[Filled | None, str | None]:
    """The form as it was filled in, or what is wrong with it."""
    call = next((each for each in answer.tool_calls if each["name"] == name), None)
    if call is None:
        broken = any(each["name"] == name for each in answer.invalid_tool_calls)
        said = "Its arguments are no JSON object." if broken else "Nothing else can be read now."
        return None, f"Call {name}. {said}"
    try:
        return form.model_validate(call["args"]), None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return None, f"{name} cannot take this as '{where}': {first['msg']}. Submit it again, written right."


def _form_call_id(answer: AIMessage, name: str) -> str | None:
    return next(each["id"] for each in answer.tool_calls if each["name"] == name)


def _refuse_others(turn: OpenTurn, answer: AIMessage, taken: str | None, text: str) -> None:
    """Answer every call of a message but the first of the form's that was taken."""
    for call in _calls(answer):
        if call["name"] == taken:
            taken = None
            continue
        turn.tell(call["id"], text)


def _calls(answer: AIMessage) -> Iterator[Any]:
    yield from answer.invalid_tool_calls
    yield from answer.tool_calls
