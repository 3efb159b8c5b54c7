"""A browser without a screen: it opens the page over Streamlit's own socket, and writes into the chat."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from http.client import HTTPConnection
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

PAGE_S = 90.0
"""How long a page may take on a busy machine."""


class Page:
    """One tab on one session."""

    def __init__(self, port: int, session: str) -> None:
        self._query = f"session={session}"
        self._chat: str | None = None
        self.text = ""
        """What the page says, element after element."""
        self._open = ExitStack()
        self._socket: ClientConnection = self._open.enter_context(
            connect(
                f"ws://localhost:{port}/_stcore/stream",
                origin=f"http://localhost:{port}",  # type: ignore[arg-type]
                subprotocols=["streamlit"],  # type: ignore[list-item]
                max_size=None,
                open_timeout=PAGE_S,
            )
        )
        self._rerun()

    def ask(self, text: str) -> None:
        """Write into the chat and send it."""
        assert self._chat is not None, "the page shows no chat"
        self._rerun(chat=text)

    def close(self) -> None:
        """Close the tab."""
        self._open.close()

    def _rerun(self, chat: str | None = None) -> None:
        """Let the page's script run, and wait until it has."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        if chat is not None and self._chat is not None:
            state = message.rerun_script.widget_states.widgets.add()
            state.id = self._chat
            state.chat_input_value.data = chat
        self._socket.send(message.SerializeToString())
        ends = time.monotonic() + PAGE_S
        while time.monotonic() < ends:
            came = ForwardMsg()
            came.ParseFromString(self._socket.recv(timeout=PAGE_S))  # type: ignore[arg-type]
            kind = came.WhichOneof("type")
            if kind == "delta" and came.delta.WhichOneof("type") == "new_element":
                element = came.delta.new_element
                self.text += str(element)[:20_000]
                if element.WhichOneof("type") == "chat_input":
                    self._chat = element.chat_input.id
            if kind == "script_finished":
                return
        raise TimeoutError("the page did not come to its end")


def call(port: int, session: str, tool: str, args: dict[str, Any], seconds: float = 300.0) -> tuple[int, Any]:
    """One call over REST, as the page makes it: status and answer. Raises OSError where the app goes."""
    connection = HTTPConnection("localhost", port, timeout=seconds)
    try:
        body = json.dumps({"tool": tool, "args": args})
        headers = {"X-Azimuth": "1", "Content-Type": "application/json", "Origin": f"http://localhost:{port}"}
        connection.request("POST", f"/api/sessions/{session}/calls", body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")
    except ValueError as error:
        raise OSError("a cut answer") from error
    finally:
        connection.close()
