"""The plan of a request: the calls to make, in order, and what could not be understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from copilot.planner.actions import ACTIONS, ON_MAP, SELECTING
from copilot.planner.actions.comparing import OF_EVENTS, in_one_place
from copilot.planner.actions.counting import MEASURED, SHARED, is_share
from copilot.planner.asking import Ask, Reject
from copilot.planner.besides import besides
from copilot.planner.beyond import is_all_of_it, missing_source, undoable, unsaid
from copilot.planner.cases import Cases, known_cases
from copilot.planner.clauses import Clause, clauses, fragments, without_numbering
from copilot.planner.conversation import clarified
from copilot.planner.corrected import corrected
from copilot.planner.declared import declared_plan, followed
from copilot.planner.extremes import extreme_asked
from copilot.planner.feature_rows import features_kept
from copilot.planner.fitting import fitted
from copilot.planner.head import Head
from copilot.planner.here import is_beside_the_catalogue, not_understood, of_what_came_last
from copilot.planner.idioms import in_plain_words
from copilot.planner.joining import joined
from copilot.planner.knowledge import known
from copilot.planner.leftovers import ask_about_unknown_things, leftovers
from copilot.planner.lexicon import FIELDS
from copilot.planner.limits import NARROWING
from copilot.planner.places import camera_on
from copilot.planner.politeness import without_politeness
from copilot.planner.scope import starts_anew
from copilot.planner.selection import (
    excluded_phrases,
    names_a_selection,
    narrows_in_context,
    selection_calls,
)
from copilot.planner.shown_again import shown_again
from copilot.planner.situation import KIND_OF_PLOT, Call, Situation
from copilot.planner.spans import Reader, Span
from copilot.planner.spelling import mended, misspelt_places
from copilot.planner.tidying import tidied
from copilot.planner.unknown import ask_about_ambiguous_classes, ask_about_unknown_names
from copilot.planner.wants import wants

MAX_CALLS = 24
_SQL = re.compile(
    r"\s*(?:(?:please )?(?:run|execute)?\s*(?:this |"
    r"the following )?sql:?\s*)?(?:select\b.+\bfrom|with\b.+\bas\s*\(\s*select)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Plan:
    """What to do for a request."""

    calls: tuple[Call, ...] = ()
    notes: tuple[str, ...] = ()
    """What the answer must say beside the results: misread words, assumptions, parts left out."""
    talk: str | None = None
    """A want that is answered with words alone: "help" or "smalltalk"."""
    asked: str | None = None
    """What a question is about: "most", "fewest", "share" or "any"."""
    labels: tuple[str, ...] = field(default=())
    """What each clause was taken to want, for the trace and the tests."""
    is_sure: bool = True
    """Whether it is probable enough that this is what was meant to do it unasked."""
    instead: tuple[Plan, ...] = ()
    """What else may have been meant, the likeliest first."""
    wish: Mapping[str, Any] | None = None
    """A vague wish on an image, of which each call is planned after the one before (copilot.vague.joining)."""


@dataclass
class _Draft:
    calls: list[Call] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    talk: str | None = None
    asked: str | None = None
    whole: int = 0
    """How many calls belong to clauses that are planned to their end: a question later on keeps those."""

    def done(self) -> Plan:
        return Plan(
            tuple(self.calls), tuple(dict.fromkeys(self.notes)), self.talk, self.asked, tuple(self.labels)
        )


class Planner:
    """Turns requests into plans. Holds no state of a conversation: everything comes with the situation."""

    def __init__(self, head: Head, cases: Cases | None = None) -> None:
        self._head = head
        self.cases = known_cases() if cases is None else cases

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of a request said into a situation."""
        meant = clarified(request, situation)
        situation.choices = {**situation.choices, **meant.choices}
        reader = Reader(situation.gazetteer, situation.today, situation.names())
        said = corrected(_unquoted(without_politeness(meant.request)), reader)
        try:
            following = followed(said, situation)
        except Reject as reject:
            return Plan((Call("reject_task", {"reason": str(reject)}),), labels=("following",))
        if following is not None:
            return Plan(tuple(following.calls), tuple(following.notes), labels=("following",))
        if (sentences := known(said, situation)) is not None:
            return Plan(notes=tuple(sentences), labels=("knowledge",))
        if kept := features_kept(said, situation):
            return Plan(tuple(kept), labels=("features",))
        if (again := shown_again(said, situation)) is not None:
            return Plan((again,), labels=("shown again",))
        worked = fitted(said, self.cases, situation)
        if worked is not None:
            calls = self._of_the_file(said, worked, situation)
            return Plan(tuple(calls), asked=extreme_asked(said), labels=("case",))
        draft = _Draft()

        def by_rules(text: str) -> Sequence[Call]:
            part = _Draft()
            self._fill(part, text, situation)
            draft.notes += part.notes
            return part.calls

        try:
            declared = declared_plan(said, situation, by_rules)
            if declared is not None:
                notes = (*draft.notes, *declared.notes)
                return Plan(
                    tuple(self._of_the_file(said, declared.calls, situation)),
                    tuple(dict.fromkeys(notes)),
                    asked=extreme_asked(said),
                    labels=("declared",),
                )
            self._fill(draft, said, situation)
            draft.calls = self._of_the_file(said, draft.calls, situation)
        except Ask as ask:
            if ask.lacks_data and is_beside_the_catalogue(said, situation):
                reason = not_understood(situation)
                return replace(draft.done(), calls=(Call("reject_task", {"reason": reason}),))
            arguments = {"question": ask.question, "choices": list(ask.choices)}
            return replace(draft.done(), calls=(*draft.calls[: draft.whole], Call("ask_user", arguments)))
        except Reject as reject:
            return replace(draft.done(), calls=(Call("reject_task", {"reason": str(reject)}),))
        return draft.done()

    def _of_the_file(self, said: str, calls: Sequence[Call], situation: Situation) -> list[Call]:
        """The calls, on what was just brought in where neither they nor the request name the catalogue."""
        of_it = is_beside_the_catalogue(said, situation) and not _selects(calls)
        return of_what_came_last(said, calls, situation) if of_it else list(calls)

    def _fill(self, draft: _Draft, request: str, situation: Situation) -> None:
        if _SQL.match(request):
            statement = re.search(r"\b(?:select|with)\b.*", request, re.I | re.S)
            draft.calls.append(Call("db_sql", {"sql": (statement[0] if statement else request).strip(" `")}))
            return
        request, spans, read_as = _read(request, situation)
        draft.notes += [f"I read '{wrong}' as {right}." for wrong, right in read_as.items()]
        found = fragments(clauses(request, spans))
        labels = wants(found, self._head, situation)
        found, labels = joined(found, labels, request)
        unread: list[Clause] = []
        draft.asked = _asked(request)
        self._load_what_comes_later(draft, found, labels, situation)
        for clause, label in zip(found, labels, strict=True):
            if label is None and not names_a_selection(clause) and not narrows_in_context(clause, situation):
                unread.append(clause)
                continue
            if label is None:
                label = (
                    "narrow"
                    if len(found) > 1
                    else "filter"
                    if situation.filters or situation.live_plots
                    else "plot"
                )
            draft.whole = len(draft.calls)
            try:
                _refuse_what_no_tool_does(draft, clause, situation)
                self._add(draft, clause, label, situation, first=not draft.calls)
            except Reject as reject:
                if len(found) == 1:
                    raise
                draft.notes.append(str(reject))
        self._show_what_was_selected(draft, found, situation)
        for call in besides(found, labels, draft.calls):
            draft.calls.append(call)
            situation.imagine(call)
        draft.calls = tidied(draft.calls, found)
        self._finish(draft, unread, found, situation)

    def _load_what_comes_later(
        self, draft: _Draft, found: Sequence[Clause], labels: Sequence[str | None], situation: Situation
    ) -> None:
        """ "A pie of the classes and a line by month for xview1": what is named last holds from the start."""
        named = {name for clause in found for span in clause.of("dataset") for name in span.value}
        first = next(
            (clause for clause, label in zip(found, labels, strict=True) if label in SELECTING), None
        )
        several = sum(bool(clause.of("dataset")) for clause in found) > 1
        if first is None or several or situation.loaded or not named <= set(situation.datasets):
            return
        if not named and any(span.value == "event" for clause in found for span in clause.of("field")):
            named = {OF_EVENTS} & set(situation.datasets)
        if named and not first.of("dataset"):
            call = Call("db_load", {"names": sorted(named)})
            draft.calls.append(call)
            situation.imagine(call)

    def _add(self, draft: _Draft, clause: Clause, label: str, situation: Situation, *, first: bool) -> None:
        draft.labels.append(label)
        if label in ("help", "smalltalk"):
            thanks = re.search(
                r"\b(?:thanks?|thx|cheers|great|perfect|nice|cool|awesome|brilliant|lovely)\b",
                clause.text,
                re.I,
            )
            draft.talk = "thanks" if thanks and label == "smalltalk" else label
            return
        ask_about_unknown_things(clause, label, situation)
        situation.field = next(
            (str(span.value) for span in clause.of("field") if span.value in MEASURED), situation.field
        )
        for call in self._calls(clause, label, situation, first=first):
            if not _says_it_again(call, draft.calls):
                draft.calls.append(call)
                situation.imagine(call)
        draft.notes.extend(leftovers(clause, label))
        if excluded := excluded_phrases(clause):
            draft.notes.append(f"I can't leave out {' or '.join(excluded)}: filters only keep things.")

    def _calls(self, clause: Clause, label: str, situation: Situation, *, first: bool) -> Iterator[Call]:
        selecting = label in SELECTING and (
            names_a_selection(clause) or narrows_in_context(clause, situation)
        )
        if selecting:
            # What is compared is gone through place by place, not selected at once.
            narrowing = clause
            if label == "group_count" and is_share(clause):
                narrowing = clause.without(*SHARED)
            if label == "compare_counts":
                narrowing = narrowing.without("date") if len(clause.of("date")) > 1 else narrowing
                narrowing = narrowing if in_one_place(clause) else narrowing.without("place")
            if first and situation.filters and starts_anew(clause, label, situation):
                yield Call("filter_clear")
                situation.filters.clear()
            place: Call | None = None
            for call in selection_calls(narrowing, situation):
                by_country = call.tool == "filter_attribute" and call.args["field"] == "country"
                if call.tool == "filter_coords" or (by_country and call.args["op"] == "in"):
                    place = call
                yield call
            situation.unshown = place or situation.unshown
        if (
            situation.unshown is not None
            and (label in ON_MAP or (label == "db_load" and clause.of("plot")))
            and (selecting or label in (*KIND_OF_PLOT, "plot"))
        ):
            yield camera_on(situation.unshown, situation)
            situation.unshown = None
        if selecting and label == "group_count" and is_share(clause):
            yield Call("db_count")
            yield from selection_calls(clause.only(*SHARED), situation)
            yield Call("db_count")
            return
        yield from ACTIONS[label](clause, situation)

    def _show_what_was_selected(self, draft: _Draft, found: tuple[Clause, ...], situation: Situation) -> None:
        """A request of bare phrases ("fmow; Mexico; 2018") wants to see what they select."""
        if draft.labels and set(draft.labels) <= {"narrow", "keep"}:
            self._add(
                draft,
                Clause("", len(found[0].text), ()),
                "plot" if not situation.live_plots else "filter",
                situation,
                first=False,
            )

    def _finish(
        self, draft: _Draft, unread: list[Clause], found: tuple[Clause, ...], situation: Situation
    ) -> None:
        draft.notes += situation.notes
        if len(draft.calls) > MAX_CALLS:
            raise Reject(
                f"That is {len(draft.calls)} steps; I take at most {MAX_CALLS} at a time. Please "
                "split the request."
            )
        if draft.calls or draft.talk or draft.labels:
            draft.notes += [f"I did not understand '{clause.text.strip()}'." for clause in unread]
        elif draft.notes:
            raise Reject(" ".join(draft.notes))
        else:
            raise Reject(not_understood(situation))


def _read(request: str, situation: Situation) -> tuple[str, tuple[Span, ...], dict[str, str]]:
    """The request with its slips mended, what its phrases name, and which place names were misspelt.

    Raises Ask for names that nothing here has.
    """
    request = in_plain_words(without_numbering(request), situation)
    reader = Reader(situation.gazetteer, situation.today, situation.names())
    spans = reader.read(request)
    if (better := mended(request, spans)) != request:
        request, spans = better, reader.read(better)
    if misspelt := misspelt_places(request, spans, situation.gazetteer):
        for wrong, right in misspelt.items():
            request = request.replace(wrong, right)
        spans = reader.read(request)
    ask_about_unknown_names(request, spans, situation)
    ask_about_ambiguous_classes(request, spans, situation)
    return request, spans, misspelt


_COLUMN_IN_QUOTES = re.compile(r"[\"`]([a-z_]+\w*)[\"`](?=\s*(?:[<>=!]|in\s*\(|like\s*'|between\s+\d))", re.I)


def _unquoted(request: str) -> str:
    """A request with its columns bare, as they are known: '"cloud_pct" <= 5' as it stands in an expression.

    A name of the user's own stays quoted: 'clusters "Winter" = December 2018' names a layer.
    """
    return request if _SQL.match(request) else _COLUMN_IN_QUOTES.sub(_bare_column, request)


def _bare_column(match: re.Match[str]) -> str:
    return match[1] if match[1].lower() in _COLUMNS else match[0]


_COLUMNS = frozenset({*FIELDS, *FIELDS.values()})


def _refuse_what_no_tool_does(draft: _Draft, clause: Clause, situation: Situation) -> None:
    """Raise Reject for a clause that no tool does; note it where only a part of the clause is so."""
    if (reason := missing_source(clause, situation)) is not None:
        raise Reject(reason)
    if (reason := undoable(clause)) is not None:
        if is_all_of_it(clause):
            raise Reject(f"{reason}.")
        draft.notes.append(f"{reason}.")
    if (reason := unsaid(clause)) is not None:
        if not clause.of(*NARROWING):
            raise Reject(f"{reason}.")
        draft.notes.append(f"{reason}.")


def _asked(request: str) -> str | None:
    """Which of several numbers a question is about, for the answer to say it first."""
    if _SHARE.search(request):
        return "share"
    return extreme_asked(request) or ("any" if _ANY.search(request) else None)


_SHARE = re.compile(
    r"\b(?:percentage|percent|share|proportion|fraction) (?:is (?:that|this|it) )?of\b|\bwhat (?:percentage|share|fraction)\b",
    re.I,
)
_ANY = re.compile(
    r"^\W*(?:is|are) there (?:any|an?|some)\b|^\W*(?:do|have) (?:we|you|i) have any\b|^\W*any\b", re.I
)
_TWICE_IS_ONCE = frozenset(
    {
        "reset_map",
        "clear_layers",
        "clear_drawings",
        "filter_clear",
        "set_basemap",
        "open_panel",
        "toggle_control",
    }
)
"""What gives the same when it is said in two ways: "scratch everything, clean slate"."""
_SELECTS = ("db_load", "db_unload", "db_ingest", "filter_", "undo", "redo", "goto_turn")


def _selects(calls: Sequence[Call]) -> bool:
    """Whether some calls select images of the catalogue."""
    return any(each.tool.startswith(_SELECTS) for each in calls)


def _says_it_again(call: Call, planned: Sequence[Call]) -> bool:
    """Whether a plot or a count was planned already, with nothing since that changes what it gives."""
    if planned and planned[-1] == call and call.tool in _TWICE_IS_ONCE:
        return True
    if (
        call.tool not in KIND_OF_PLOT
        and not call.tool.startswith(("db_count", "group_count", "show_image"))
        and not call.tool.endswith("_figure")
    ):
        return False
    for earlier in reversed(planned):
        if earlier == call:
            return True
        if earlier.tool.startswith(_SELECTS):
            return False
    return False
