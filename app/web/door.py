"""Who may come in: a token that is shown in the terminal once becomes a signed cookie of one browser."""

import hmac
import secrets
from hashlib import sha256
from pathlib import Path

import platformdirs

from ...nodes.clock import now
from ...state.refused import Refused

COOKIE, DAYS = "moot_room", 30
"""The cookie's name, and how long it holds."""

LEAST = 16
"""Characters of a token that is set."""


class Door:
    """Knows the tokens and signs the cookies. `token`: one that is set and opens more than once; empty: none is.

    Cookies hold over a restart: the key they are signed with is kept in the user's data folder, for that user alone.
    """

    def __init__(self, token: str = "") -> None:
        if token and len(token) < LEAST:
            raise Refused("MOOT_ROOM_TOKEN", "…", f"give at least {LEAST} characters")
        self._token = token
        self._once = secrets.token_urlsafe(24)
        self._key = hmac.digest(kept_key(), token.encode(), "sha256")

    @property
    def query(self) -> str:
        """What is added to the printed address; nothing where a token is set, which whoever comes knows."""
        return "" if self._token else f"enter?token={self._once}"

    def opens(self, token: str) -> bool:
        """Whether a token lets its bearer in; the one that was printed does so once."""
        given = token.encode()
        if self._token:
            return hmac.compare_digest(given, self._token.encode())
        if self._once and hmac.compare_digest(given, self._once.encode()):
            self._once = ""
            return True
        return False

    def cookie(self) -> str:
        """A cookie of a browser that was let in."""
        said = f"{int(now().timestamp()) + DAYS * 86_400}.{secrets.token_urlsafe(9)}"
        return f"{said}.{self._signed(said)}"

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is one of these, and has not expired."""
        said, _, signature = cookie.rpartition(".")
        until = said.partition(".")[0]
        signed = hmac.compare_digest(signature.encode(), self._signed(said).encode())
        return signed and until.isdigit() and int(until) > now().timestamp()

    def _signed(self, said: str) -> str:
        return hmac.new(self._key, said.encode(), sha256).hexdigest()


def kept_key() -> bytes:
    """The key that was kept, or a new one. Raises `Refused` where it can neither be read nor kept."""
    place = Path(platformdirs.user_data_dir("moot", appauthor=False)) / "room.key"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            place.touch(mode=0o600)
            place.write_bytes(secrets.token_bytes(32))
        return place.read_bytes()
    except OSError as fault:
        raise Refused("room.key", str(place), f"cannot be kept: {fault.strerror}") from None
