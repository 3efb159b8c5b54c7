"""Who a browser is: a cookie that this server has issued and signed, and the hash of it that the store keeps.

    cookie, owner = engine.owners.issue()       # for a browser that has none
    engine.owners.of(cookie)                    # its owner; None for one that was made up

A cookie is `token.signature`: 192 random bits, and their HMAC-SHA256 under a key in the home folder that only
its user reads. Sessions, uploads and data sets are known by a hash of the token, from which no cookie can be
made: who reads the store is not thereby anybody. Where the key is gone, all browsers are new ones.

Azimuth up to 0.9 gave tokens without a signature and kept them as they are. `hash_kept` hashes those in
the store; a browser that still shows one is known by it, where something of its owner's is kept.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from state.store import Store

KEY_FILE = "owners.key"
KEY_BYTES = 32
_COOKIE = re.compile(r"([A-Za-z0-9_-]{22,64})\.([A-Za-z0-9_-]{43})")
_OLD_COOKIE = re.compile(r"[A-Za-z0-9_-]{22,64}")
HASHED = re.compile(r"o[0-9a-f]{40}")
"""How an owner who came over the web is called: by the hash of a cookie."""


@dataclass(frozen=True)
class Owners:
    """Issues cookies and reads them."""

    key: bytes
    is_kept: Callable[[str], bool] = lambda owner: False
    """Whether anything of that owner's is kept: what makes a cookie without a signature one that we gave."""

    def issue(self, token: str | None = None) -> tuple[str, str]:
        """A new cookie, or the signed one for an old token, and its owner."""
        token = token or secrets.token_urlsafe(24)
        return f"{token}.{self._signature(token)}", owner_id(token)

    def of(self, cookie: str | None) -> str | None:
        """The owner behind a cookie; None where there is none, or it was not issued here."""
        found = _COOKIE.fullmatch(cookie or "")
        if found is not None:
            mine = hmac.compare_digest(found[2], self._signature(found[1]))
            return owner_id(found[1]) if mine else None
        if is_unsigned(cookie) and cookie is not None and self.is_kept(owner_id(cookie)):
            return owner_id(cookie)
        return None

    def _signature(self, token: str) -> str:
        digest = hmac.digest(self.key, b"azimuth owner " + token.encode(), "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def is_unsigned(cookie: str | None) -> bool:
    """Whether a cookie looks like those of before they were signed."""
    return cookie is not None and _OLD_COOKIE.fullmatch(cookie) is not None


def owner_id(token: str) -> str:
    """What an owner is called where something of theirs is kept."""
    return f"o{hashlib.sha256(token.encode()).hexdigest()[:40]}"


def key_in(home: Path) -> bytes:
    """The key of that home folder, made where there is none yet: only its user can read it.

    Raises OSError where it can be neither read nor made.
    """
    path = home / KEY_FILE
    if not path.exists():
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = home / f".{KEY_FILE}.{secrets.token_hex(6)}"
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        try:
            os.link(part, path)  # whole, and only where nobody was quicker
        except FileExistsError:
            pass
        finally:
            part.unlink()
    key = path.read_bytes()
    if len(key) < KEY_BYTES:
        raise OSError(f"{path} is cut off; remove it, and every browser is a new one.")
    return key


def hash_kept(store: Store, uploads: Path) -> int:
    """Keep hashes in place of the cookies that are kept as they are: of how many owners."""
    kept = {row.owner for row in store.sessions()}
    kept |= {each.name for each in uploads.iterdir()} if uploads.is_dir() else set()
    old = sorted(each for each in kept if is_unsigned(each) and not HASHED.fullmatch(each))
    for owner in old:
        store.change_owner(owner, owner_id(owner))
        folder, target = uploads / owner, uploads / owner_id(owner)
        if folder.is_dir() and not target.exists():
            folder.rename(target)
    return len(old)
