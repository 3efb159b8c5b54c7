"""Jobs: long work of this session, as it goes on and as it ended."""

from __future__ import annotations

import streamlit as st

from copilot.live import Refused, live
from copilot.messages import later, t
from copilot.session import Session
from copilot.view.jobs import standing
from copilot.view.transcript import call_text, duration
from pages.header import _plain
from pages.here import tell
from state.jobs import Job

SHOWN = 30
EVERY_S = 1.0
"""How often a job that goes on is drawn again."""
MARKS = {
    "queued": ("gray", "hourglass_empty", later("waiting")),
    "running": ("blue", "play_arrow", later("running")),
    "done": ("green", "check", later("done")),
    "failed": ("red", "close", later("failed")),
    "cancelled": ("orange", "stop", later("stopped")),
}


def show(session: Session) -> None:
    """Draw the jobs, the newest first; again and again while one goes on or may begin."""
    goes_on = live().running(session.id) is not None or any(each.live for each in _jobs(session.id))
    st.fragment(_draw, run_every=EVERY_S if goes_on else None)(session.id, goes_on)


def _jobs(session_id: str) -> list[Job]:
    return live().engine.desk.jobs.of(session_id, SHOWN)


def _draw(session_id: str, goes_on: bool) -> None:
    jobs = _jobs(session_id)
    if not jobs:
        st.info(
            t(
                "No jobs yet. Work that takes long, such as finding objects in a large image, is listed "
                "here with how far it is; it can be stopped and run again."
            ),
            icon=":material/work_history:",
        )
    for each in jobs:
        with st.container(border=True, key=f"job-{each.id}", gap="xsmall"):
            _job(each)


def _job(job: Job) -> None:
    left, right = st.columns([5, 1], vertical_alignment="center")
    colour, icon, word = MARKS[job.state]
    left.markdown(f"**{_plain(job.title)}** &nbsp; :{colour}-badge[:material/{icon}: {t(word)}]")
    with right:
        _button(job)
    if job.live:
        st.progress(min(1.0, job.fraction), text=_plain(standing(job)))
    elif job.state != "done":
        st.markdown(_plain(job.sentence))
    st.caption(_plain(" · ".join(each for each in _facts(job) if each)))
    with st.expander(t("Log"), icon=":material/notes:"):
        st.code(call_text(job.tool, job.args), language="python", wrap_lines=True)
        st.code(
            "\n".join(f"{at[11:19]}  {said}" for at, said in job.log) or t("Nothing was said."), language=None
        )


def _facts(job: Job) -> tuple[str, ...]:
    """What there is to know of a job beside its sentence, the most telling first."""
    return (
        duration(job.seconds) if job.seconds else "",
        t("{found:,} found so far", found=job.found) if job.live and job.found else "",
        t("turn {turn}", turn=job.turn),
        t("{queued_at} UTC", queued_at=job.queued_at[11:19]),
        t("tried {tries} times", tries=job.tries) if job.tries > 1 else "",
        job.worker,
    )


def _button(job: Job) -> None:
    if job.live:
        st.button(
            t("Stop"),
            icon=":material/stop:",
            key=f"stop-{job.id}",
            on_click=_stop,
            args=(job.id,),
            disabled=bool(job.stop),
            width="stretch",
        )
    elif job.state in ("failed", "cancelled"):
        st.button(
            t("Run again"),
            icon=":material/replay:",
            key=f"again-{job.id}",
            on_click=_again,
            args=(job,),
            width="stretch",
        )


def _stop(job_id: str) -> None:
    live().engine.desk.cancel(job_id)


def _again(job: Job) -> None:
    """Make the same call, in the state as it is now."""
    try:
        live().call(job.session_id, job.tool, job.args)
    except Refused as refused:
        tell(str(refused))
