"""What was found in an image: the precision so far, a table to pick from, and verdicts on many at once."""

from __future__ import annotations

import html
from typing import Any

import pandas as pd
import streamlit as st

from copilot.messages import later, number, t
from copilot.session import Session
from copilot.view.detections import detections_in, estimate, review_rows
from data.vision.reviews import Estimate
from pages.downloads import menu
from pages.header import _plain
from pages.here import act
from state.model import Artifact
from tools.base import ToolError

SAMPLE = 30
NOT_AT_RANDOM = later(
    "Those with the lowest scores, or what caught the eye, are not like the others: a "
    "precision from them would speak for them alone"
)
VERDICTS = (later("unreviewed"), later("confirmed"), later("rejected"), later("relabelled"))


def chosen_detections(session: Session, handle: str) -> Artifact | None:
    """The detections of that image that are looked at: the newest until another set is chosen."""
    found = detections_in(session.state, session.world(), handle)
    chosen = st.session_state.get(f"found-{session.id}-{handle}")
    return next((each for each in found if each.id == chosen), found[0] if found else None)


def opened_detection(session: Session) -> tuple[int, tuple[str, int] | None]:
    """A number that grows with each detection that is opened from the table, and which one that is."""
    opened: tuple[int, tuple[str, int]] | None = st.session_state.get(f"opened-{session.id}")
    return (0, None) if opened is None else opened


def show_review(session: Session, artifact: Artifact | None, handle: str) -> None:
    """Draw the section."""
    if artifact is None:
        st.info(
            t(
                "Nothing was looked for in this image yet. Run a detection above; click a result in the "
                "picture to see it near, and confirm it with c, reject it with r, or relabel it with l."
            ),
            icon=":material/frame_inspect:",
        )
        return
    try:
        rows = review_rows(session.state, session.world(), artifact)
        known = estimate(session.state, session.world(), artifact)
    except ToolError as error:
        st.warning(_plain(str(error)), icon=":material/broken_image:")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="review_top"):
        _set(session, artifact, handle)
        st.html(precision_html(known), width="content")
        if known.basis is None and not rows.empty:
            _offer(artifact, known)
        menu(session, artifact, "download-detections", label="Export")
    if rows.empty:
        st.info(t("The detector found nothing here. Try a lower least score, or another model."))
        return
    shown = _filters(artifact, rows)
    _bulk(artifact, shown)
    _table(session, artifact, shown)


def _set(session: Session, artifact: Artifact, handle: str) -> None:
    found = detections_in(session.state, session.world(), handle)
    if len(found) < 2:
        st.html(f"<b class='az-found-name'>{html.escape(artifact.name)}</b>", width="content")
        return
    names = {each.id: f"{each.name} · {each.summary}" for each in found}
    st.selectbox(
        t("Detections"),
        list(names),
        index=list(names).index(artifact.id),
        format_func=lambda each: names[each],
        key=f"found-{session.id}-{handle}",
        label_visibility="collapsed",
        width=360,
    )


def _offer(artifact: Artifact, known: Estimate) -> None:
    """The way to an estimate: a sample drawn at random, and all of it reviewed."""
    if known.drawn:
        return
    st.button(
        t("Review a random sample"),
        icon=":material/casino:",
        key="draw_sample",
        type="tertiary",
        help=t(
            "Draws {SAMPLE:,} of {of:,} at random; when all of them are reviewed, the precision of "
            "the detector is estimated from them",
            SAMPLE=min(SAMPLE, known.of),
            of=known.of,
        ),
        on_click=act,
        args=("list_detections",),
        kwargs={"detections": artifact.id, "sample": SAMPLE},
    )


def precision_html(known: Estimate) -> str:
    """The precision, where the reviews let one estimate it, else what they are; every value is escaped."""
    said, count = known.to_json(), known.of
    if known.basis is None:
        if known.drawn:
            left = t(
                "{drawn_reviewed:,} of the {drawn:,} drawn at random are reviewed",
                drawn_reviewed=known.drawn_reviewed,
                drawn=known.drawn,
            )
            found = t("{count:,} found", count=count)
            return f"<p class='az-precision'><span>{found} · {left}</span></p>"
        if not known.whole.reviewed:
            found = t("{count:,} found, none reviewed yet", count=count)
            return f"<p class='az-precision'><span>{found}</span></p>"
        what = ", ".join(f"{number(said[each])} {t(each)}" for each in VERDICTS[1:] if said[each])
        so_far = t("{reviewed:,} of {count:,} reviewed", reviewed=known.whole.reviewed, count=count)
        why = html.escape(t(NOT_AT_RANDOM), quote=True)
        none = t("{what}; not drawn at random, so no estimate for the others", what=what)
        return f"<p class='az-precision' title='{why}'><b>{so_far}</b> <span>{none}</span></p>"
    several = len(known.by_class) > 1
    parts = "".join(_class_html(name, each) for name, each in said["by_class"].items()) if several else ""
    how = (
        t("all {count:,} reviewed", count=count)
        if known.basis == "all"
        else t(
            "{low:.2f} – {high:.2f}, from {reviewed:,} of {count:,} drawn at random",
            low=said["low"],
            high=said["high"],
            reviewed=said["reviewed"],
            count=count,
        )
    )
    why = html.escape(
        t("confirmed / (confirmed + rejected + relabelled), with the 95 % Wilson interval"), quote=True
    )
    precision = t("Precision {precision:.2f}", precision=said["precision"])
    return f"<p class='az-precision' title='{why}'><b>{precision}</b> <span>{how}</span>{parts}</p>"


def _class_html(name: str, said: dict[str, Any]) -> str:
    about = t(
        "{low:.2f} – {high:.2f}, from {reviewed:,}",
        low=said["low"],
        high=said["high"],
        reviewed=said["reviewed"],
    )
    share = f"{said['precision']:.2f}"
    return f"<i title='{about}'>{html.escape(name)} {share} <small>n {said['reviewed']:,}</small></i>"


def _filters(artifact: Artifact, rows: pd.DataFrame) -> pd.DataFrame:
    names = sorted(rows["class"].astype(str).unique())
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="review_filters"):
        classes = st.multiselect(
            t("Classes"),
            names,
            key=f"classes-{artifact.id}",
            placeholder=t("all classes"),
            label_visibility="collapsed",
            width=260,
        )
        verdicts = st.pills(
            t("Verdicts"),
            VERDICTS,
            format_func=t,
            selection_mode="multi",
            key=f"verdicts-{artifact.id}",
            label_visibility="collapsed",
            width="content",
        )
        low, high = st.slider(
            t("Score"),
            0.0,
            1.0,
            (0.0, 1.0),
            0.01,
            key=f"scores-{artifact.id}",
            width=240,
            label_visibility="collapsed",
        )
    kept = rows[(rows["score"] >= low) & (rows["score"] <= high)]
    if classes:
        kept = kept[kept["class"].isin(classes)]
    return kept[kept["verdict"].isin(verdicts)] if verdicts else kept


def _bulk(artifact: Artifact, shown: pd.DataFrame) -> None:
    """One verdict on all that the table shows and nobody has reviewed."""
    left = shown[shown["verdict"] == "unreviewed"] if "verdict" in shown else shown
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="review_bulk"):
        of = f"{len(shown):,} shown, {len(left):,} of them unreviewed"
        st.html(f"<span class='az-count'>{of}</span>", width="content")
        for label, verdict, icon, what in (
            (
                t("Confirm those"),
                "confirm",
                ":material/check:",
                later("Confirm the {left:,} unreviewed in the table; Undo takes it back"),
            ),
            (
                t("Reject those"),
                "reject",
                ":material/close:",
                later("Reject the {left:,} unreviewed in the table; Undo takes it back"),
            ),
        ):
            st.button(
                label,
                key=f"bulk-{verdict}",
                icon=icon,
                type="tertiary",
                disabled=left.empty,
                help=t(what, left=len(left)),
                on_click=_review_all,
                args=(artifact.id, left["no."].tolist(), verdict),
            )


def _review_all(detections: str, numbers: list[int], verdict: str) -> None:
    act(
        "review_detection",
        detections=detections,
        detection_id=[int(each) for each in numbers[:5000]],
        verdict=verdict,
    )


def _table(session: Session, artifact: Artifact, shown: pd.DataFrame) -> None:
    words = shown.drop(columns=[each for each in ("found as",) if _same_classes(shown)])
    blank = {each: words[each].fillna("") for each in ("verdict", "by", "at (UTC)") if each in words}
    event: Any = st.dataframe(
        words.assign(**blank),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"reviewed-{artifact.id}",
        height=min(35 * max(1, len(shown)) + 38, 360),
        width="stretch",
        column_config={
            "no.": st.column_config.NumberColumn(width=60),
            "score": st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="%.2f", width=110),
        },
    )
    picked = event.selection.rows
    if not picked or picked[0] >= len(shown):
        return
    wanted = (artifact.id, int(shown["no."].iloc[picked[0]]))
    number, before = opened_detection(session)
    if wanted != before:
        st.session_state[f"opened-{session.id}"] = (number + 1, wanted)


def _same_classes(shown: pd.DataFrame) -> bool:
    return "found as" not in shown or bool((shown["found as"] == shown["class"]).all())
