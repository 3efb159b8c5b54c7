"""Trace: every event of the session, by turn."""

from __future__ import annotations

import html

import streamlit as st

from copilot.messages import t
from copilot.session import Session
from copilot.view.transcript import as_python, call_text, duration, spent, trace_steps
from pages.look import asset
from state.log import Event, Turn

SHOWN_TURNS = 30

_reveal = st.components.v2.component("azimuth_reveal", js=asset("reveal.js"), isolate_styles=False)


def show(session: Session) -> None:
    """Draw the events, the newest turn first."""
    turns = session.turns
    if not turns:
        st.info(
            t("Nothing has happened yet. Every call will be listed here with its time and what came back."),
            icon=":material/list_alt:",
        )
        return
    of, wanted = st.session_state.get("trace_call", (None, None))
    wanted = wanted if of == session.id else None
    with st.popover(t("Copy as Python"), icon=":material/code:"):
        st.code(as_python(session.events), language="python", height=260)
    shown = (
        turns[-SHOWN_TURNS:]
        if wanted is None
        else tuple(t for t in turns if t in turns[-SHOWN_TURNS:] or _holds(t, wanted))
    )
    st.html("".join(_turn(each, wanted) for each in reversed(shown)))
    with st.container(key="reveal"):
        _reveal(key="reveal_call", data={"seq": wanted, "asked": st.session_state.get("trace_asked", 0)})
    if len(shown) < len(turns):
        st.caption(
            t(
                "The last {shown} of {turns} turns; the exported script has them all.",
                shown=len(shown),
                turns=len(turns),
            )
        )


def _holds(turn: Turn, seq: int) -> bool:
    return any(each.seq == seq for each in turn.calls)


def _turn(turn: Turn, wanted: int | None) -> str:
    title = turn.request if turn.request is not None else t("on the page")
    rows = "".join(
        _thought(each) if number is None else _call(each, number, each.seq == wanted)
        for number, each in trace_steps(turn)
    )
    reply = ""
    if turn.reply is not None:
        said = (str(turn.reply.outcome), duration(turn.reply.seconds), spent(turn))
        how = f"<small>{' · '.join(each for each in said if each)}</small>"
        reply = f"<p class='az-trace-reply'>{html.escape(turn.reply.text)} {how}</p>"
    number = t("Turn {number}", number=turn.number)
    return (
        f"<section class='az-trace'><h2><span>{number}</span> {html.escape(title)}</h2>"
        f"<table><tbody>{rows}</tbody></table>{reply}</section>"
    )


def _call(event: Event, number: int, wanted: bool) -> str:
    mark = "ok" if event.ok else "failed"
    about = html.escape(t("hash of the state after the call"), quote=True)
    return (
        f"<tr class='az-trace-{mark}{' az-wanted' if wanted else ''}' id='call-{event.seq}'>"
        f"<td>{number}</td><td><code>{html.escape(call_text(event.tool, event.args))}</code>"
        f"<p>{html.escape(event.text[:2000])}</p></td><td>{html.escape(event.source)}</td>"
        f"<td>{duration(event.seconds)}</td><td><time>{html.escape(event.at[11:19])}</time></td>"
        f"<td><code title='{about}'>{html.escape(event.hash[:10])}</code></td></tr>"
    )


def _thought(event: Event) -> str:
    """A thought is one line until it is opened."""
    text = html.escape(event.text)
    first = html.escape(" ".join(event.text.split())[:160])
    return (
        "<tr class='az-trace-thought'><td></td><td colspan='5'><details>"
        f"<summary>{t('Thought')} <span>{first}</span></summary><p>{text}</p></details></td></tr>"
    )
