"""Whether the model's server answers: asked by `copilot doctor`, and never while a request is answered."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from copilot.models import EMBEDDED, configured_model

_SECONDS = 5.0
_SHOWN_MODELS = 5


def reach() -> tuple[bool, str]:
    """(whether the configured model can be asked, what there is to say of it), from its server's list."""
    import openai

    name, where = configured_model(), _address()
    if name == EMBEDDED:
        return True, "none needed: the embedded planner answers in this process"
    key = os.environ.get("OPENAI_API_KEY") or "none"
    address = os.environ.get("OPENAI_BASE_URL") or None
    try:
        with openai.OpenAI(api_key=key, base_url=address, timeout=_SECONDS, max_retries=0) as client:
            listed = [str(each.id) for each in client.models.list().data]
    except openai.APITimeoutError:
        return False, f"{where} does not answer within {_SECONDS:.0f} s"
    except openai.APIConnectionError:
        return False, f"nothing answers at {where}; start the server, or correct OPENAI_BASE_URL"
    except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
        return False, f"{where} refuses the key ({error.status_code}); correct OPENAI_API_KEY"
    except openai.NotFoundError:
        return True, f"{where} answers; it keeps no list of models, so '{name}' is not confirmed"
    except openai.APIStatusError as error:
        return False, f"{where} answers with status {error.status_code}"
    except Exception:  # whatever else came back is not the protocol; what it holds is nobody's sentence
        return False, f"{where} answers, but not as an OpenAI-compatible server; OPENAI_BASE_URL ends in /v1"
    if name not in listed:
        has = ", ".join(sorted(listed)[:_SHOWN_MODELS]) or "none"
        return False, f"{where} has no model '{name}'; set COPILOT_MODEL to one that it has, such as {has}"
    return True, f"{where} answers and has '{name}'"


def _address() -> str:
    """The server's address without what may be secret in it."""
    parts = urlsplit(os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1")
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return f"{parts.scheme}://{parts.hostname or '?'}{port}{parts.path}"
