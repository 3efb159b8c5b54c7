"""Tools: the reference, made from the toolbox itself."""

from __future__ import annotations

import html

import streamlit as st

from copilot.live import live
from copilot.messages import t
from copilot.view.catalogue import Argument, arguments_of, by_category, example_of
from pages.header import header
from pages.here import session
from pages.servers import show_servers
from tools.base import Tool


def show() -> None:
    """Draw the page."""
    current = session()
    header(current)
    toolbox = live().engine.toolbox
    with st.container(key="prose"):
        st.html(f"<h2 class='az-title'>{t('Tools')}</h2>")
        st.caption(
            t(
                "What the copilot can call: {toolbox} tools. You can call each from the command line too.",
                toolbox=len(toolbox),
            )
        )
        show_servers(current)
        wanted = st.text_input(
            t("Find a tool"), placeholder=t("filter, export, heat map …"), key="find_tool"
        ).casefold()
        found = [each for each in toolbox if wanted in f"{each.name} {each.summary}".casefold()]
        if not found:
            st.info(t("No tool matches. Shorten the word, or clear the field to see them all."))
        for title, tools in by_category(found).items():
            st.html(f"<h3 class='az-category'>{html.escape(title)} <small>{len(tools)}</small></h3>")
            st.html("".join(tool_html(each, open_=bool(wanted)) for each in tools))


def optional(argument: Argument) -> str:
    """The mark of an argument that may be left out."""
    return "" if argument.required else f" <small>{t('optional')}</small>"


def tool_html(tool: Tool, open_: bool = False) -> str:
    """A tool as markup that opens; every value is escaped."""
    marks = [
        (t("changes the session"), tool.changes_state),
        (t("reaches the network"), tool.external),
        (t("long-running"), tool.long_running),
    ]
    badges = "".join(f"<i>{html.escape(text)}</i>" for text, on in marks if on)
    rows = "".join(
        f"<tr><td><code>{html.escape(each.name)}</code>{optional(each)}</td>"
        f"<td>{html.escape(each.kind)}</td><td>{html.escape(each.about)}</td></tr>"
        for each in arguments_of(tool)
    )
    table = f"<table><tbody>{rows}</tbody></table>" if rows else f"<p>{t('No arguments.')}</p>"
    example = example_of(tool)
    shown = f"<p class='az-example'>{t('Example')} <code>{html.escape(example)}</code></p>" if example else ""
    return (
        f"<details class='az-tool'{' open' if open_ else ''}><summary><code>{html.escape(tool.name)}</code> "
        f"{html.escape(tool.summary)} {badges}</summary>{table}{shown}</details>"
    )
