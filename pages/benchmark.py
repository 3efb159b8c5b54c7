"""Benchmark: runs of agents over tasks, their figures, and each failed task opened up."""

from __future__ import annotations

import html
import shlex
from collections.abc import Sequence
from typing import Any, Literal

import streamlit as st

from copilot.agents import NAMES
from copilot.bench.figures import figures
from copilot.bench.replay import replay
from copilot.bench.report import Graded, apart, by_version
from copilot.bench.run.background import background, command
from copilot.bench.run.store import Runs
from copilot.bench.tables import Table, tables
from copilot.live import live
from copilot.messages import later, t, tn
from copilot.view.benchmark import Trace, choices, chosen, failures, going, headline, kinds, trace
from pages.header import _plain, header
from pages.here import go_to, owner, session, tell, to_map, wish, wished
from pages.look import asset

SIZES = ("500", "10k", "mine")
ABOUT = later("""
Tasks with a known right end, made from hand-written intents and the catalogue's own rows. An agent answers
each in a fresh session; the state it ends in, the output and the numbers of its answer are held against the
task's. Built from templates over the sample catalogue, they tell how well requests of these kinds become
calls, and not how well images are understood.
""")


def show() -> None:
    """Draw the page."""
    header(session())
    st.html(f"<style>{asset('benchmark.css')}</style>")
    with st.container(key="benchmark"):
        st.html(f"<h2 class='az-title'>{t('Benchmark')}</h2>")
        st.caption(t(ABOUT))
        known = choices(_home())
        _runner(open_=not known)
        if not known:
            st.info(
                t(
                    "There is no run yet. Start one above, or on the command line: `python -m copilot bench "
                    "run --tasks 500`."
                ),
                icon=":material/speed:",
            )
            return
        _results(known)


def _home() -> Any:
    return live().engine.home


def _results(known: dict[str, str]) -> None:
    newest = list(known)[:1]
    waited_for = st.session_state.pop("bench_ended", False)
    picked = newest if waited_for else st.session_state.get("bench_runs", newest)
    st.session_state["bench_runs"] = [each for each in picked if each in known]
    ids = st.multiselect(
        t("Runs"),
        list(known),
        format_func=lambda run_id: known.get(run_id, run_id),
        max_selections=2,
        key="bench_runs",
        help=t("One run, or two side by side"),
    )
    if not ids:
        st.info(t("Pick a run, or two to see them side by side."), icon=":material/arrow_upward:")
        return
    runs = chosen(_home(), ids)
    if why := apart(runs):
        st.warning(why, icon=":material/rule:")
    for together in by_version(runs).values():
        _figures(together)
    _failures(runs)


def _figures(runs: Sequence[Graded]) -> None:
    for run in runs:
        if len(runs) > 1:
            st.html(f"<h3 class='az-category'>{html.escape(run.name)}</h3>")
        with st.container(horizontal=True, gap="small"):
            for title, figure, about in headline(run):
                st.metric(title, figure, help=about, border=True)
        if run.stopped:
            st.warning(_plain(run.stopped), icon=":material/front_hand:")
    shown, *rest = tables(runs)
    _table(shown)
    for left, right in zip(*[iter(figures(runs))] * 2, strict=True):
        for column, figure in zip(st.columns(2, gap="medium"), (left, right), strict=True):
            column.plotly_chart(figure, key=f"figure-{runs[0].run.id}-{figure.layout.title.text}")
    for place, table in zip(st.tabs([each.title for each in rest]), rest, strict=True):
        with place:
            _table(table)


def _table(table: Table) -> None:
    """A table as markup; every cell is escaped."""
    head = "".join(f"<th scope='col'>{html.escape(cell)}</th>" for cell in table.head)
    rows = "".join(
        f"<tr{' class=az-published' if row[0].startswith('published: ') else ''}>"
        f"{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>"
        for row in table.rows
    )
    text = " az-text" if table.head[-1] == "request" else ""
    note = f"<p class='az-bench-note'>{html.escape(table.note)}</p>" if table.note else ""
    inside = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    st.html(f"<div class='az-bench{text}'>{inside}</div>{note}")


def _failures(runs: Sequence[Graded]) -> None:
    st.html(f"<h3 class='az-category'>{t('Tasks that failed')}</h3>")
    there = kinds(runs)
    if not any(run.rows for run in runs):
        st.info(t("No task could be graded."), icon=":material/help:")
        return
    if not there:
        st.success(t("Every task was answered rightly."), icon=":material/check_circle:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        words = st.text_input(
            t("Find"), placeholder=t("a word of the request, an intent, an id"), key="bench_find"
        )
        kind = st.selectbox(
            t("Kind of error"),
            ["", *there],
            format_func=lambda name: there.get(name, t("any kind of error")),
            key="bench_kind",
            width=280,
        )
    found = failures(runs, kind, words.strip())
    if not found:
        st.info(t("No failed task matches."), icon=":material/search_off:")
        return
    st.caption(tn("{n:,} task. Tick one to open it.", "{n:,} tasks. Tick one to open it.", len(found)))
    several = ("agent",) if len(runs) > 1 else ()
    picked = st.dataframe(
        found,
        column_order=[*several, "request", "calls", "errors", "task"],
        column_config={
            "calls": st.column_config.NumberColumn(width=60),
            "request": st.column_config.TextColumn(width=420),
            "errors": st.column_config.TextColumn(width=360),
        },
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"bench_failed-{'-'.join(run.run.id for run in runs)}-{kind}-{words}",
        height=min(35 * len(found) + 38, 320),
    )
    rows = picked.selection.rows
    if rows and rows[0] < len(found):
        _task(found[rows[0]]["run"], found[rows[0]]["task"])


def _task(run_id: str, task_id: str) -> None:
    result = Runs(_home()).get(run_id).result(task_id)
    if result is None:
        st.warning(t("This task has no result any more."))
        return
    with st.container(border=True, key="bench_task"):
        st.html(trace_html(trace(result)))
        with st.container(horizontal=True, gap="small"):
            for label, gold, icon in (
                (t("Replay on the map"), False, ":material/replay:"),
                (t("Show the right way on the map"), True, ":material/check:"),
            ):
                key = f"replay-{gold}"
                kind: Literal["primary", "secondary"] = "secondary" if gold else "primary"
                st.button(label, icon=icon, key=key, type=kind, on_click=wish, args=(key,))
                if wished(key):
                    _replay(result, gold)


def _replay(result: dict[str, Any], gold: bool) -> None:
    """Open a new session in which the calls were made, on the map."""
    what = t("right way") if gold else "trace"
    opened = live().create(owner(), t("Benchmark {id}, {what}", id=result["id"], what=what))
    left_out = replay(opened, result, gold=gold)
    if left_out:
        tell(t("{left_out} calls reach outside of the session, and were not made again.", left_out=left_out))
    go_to(opened.id)
    to_map(opened.id)


def trace_html(task: Trace) -> str:
    """A task opened up, as markup; every value is escaped."""
    wrong = "".join(
        f"<li><b>{html.escape(kind)}</b> {html.escape(' '.join(said))}</li>" for kind, said in task.wrong
    )
    made = "".join(
        f"<li{'' if ok else ' class=az-bench-bad'}>{f'<code>{html.escape(call)}</code>' if call else ''}"
        f"<p>{html.escape(text)}</p></li>"
        for call, text, ok in task.made
    )
    gold = "".join(f"<li><code>{html.escape(call)}</code></li>" for call in task.gold)
    setup = "".join(f"<li><code>{html.escape(call)}</code></li>" for call in task.setup)
    before = f"<h4>{t('Made before the request')}</h4><ol>{setup}</ol>" if setup else ""
    facts = " · ".join(f"{name} {value}" for name, value in task.facts)
    nothing, none = f"<li>{t('Nothing.')}</li>", f"<li>{t('No call.')}</li>"
    return (
        f"<div class='az-bench-trace'><h3 class='az-category'>{html.escape(task.request)}</h3>"
        f"<small>{html.escape(task.task)} · {html.escape(facts)}</small>"
        f"<h4>{t('What is wrong')}</h4><ul>{wrong or nothing}</ul>{before}<div class='az-bench-columns'>"
        f"<div><h4>{t('What was done')}</h4><ol>{made or none}</ol>"
        f"<h4>{t('What was said')}</h4><blockquote>{html.escape(task.reply)}</blockquote></div>"
        f"<div><h4>{t('A right way')}</h4><ol>{gold}</ol>"
        f"<h4>{t('A right answer')}</h4><blockquote>{html.escape(task.gold_reply or '–')}</blockquote></div>"
        "</div></div>"
    )


def _runner(open_: bool) -> None:
    with st.expander(t("Run the benchmark"), expanded=open_, icon=":material/play_arrow:"):
        st.caption(
            t(
                "With the embedded planner, in the background: nothing leaves this machine, and you can "
                "go on working. Other models are run from the command line, where a limit can be set."
            )
        )
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            tasks = st.selectbox(t("Tasks"), SIZES, key="bench_tasks", format_func=_size, width=220)
            agent = st.selectbox(t("Agent"), NAMES, key="bench_agent", width=180)
            st.button(
                t("Run"),
                icon=":material/play_arrow:",
                type="primary",
                key="bench_start",
                on_click=_start,
                args=(tasks, agent),
            )
        st.code(shlex.join(["python", "-m", "copilot", *command(tasks, agent)]), language="bash")
        _progress()


def _start(tasks: str, agent: str) -> None:
    if not background(_home()).start(tasks, agent):
        tell(t("A run is going on already; wait for it, or cancel it."))


@st.fragment(run_every=2.0)
def _progress() -> None:
    """How far the run is; the page is drawn anew when it ends."""
    runner = background(_home())
    now = runner.running()
    if now is None:
        if st.session_state.pop("bench_going", False):
            st.session_state["bench_ended"] = True
            st.rerun()
        if problem := runner.problem():
            st.error(_plain(problem), icon=":material/error:")
        return
    st.session_state["bench_going"] = True
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.progress(min(1.0, now.fraction), text=going(now))
        st.button(t("Cancel"), icon=":material/stop:", key="bench_cancel", on_click=runner.stop)


def _size(name: str) -> str:
    return {"500": t("500 tasks"), "10k": t("10,000 tasks"), "mine": t("my own suite")}[name]
