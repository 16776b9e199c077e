"""Login to the room: a browser sends the token from the terminal, and gets a signed cookie."""

import hmac
import secrets
from hashlib import sha256
from pathlib import Path

import platformdirs

from ...state import InputError
from ...storage import get_time

COOKIE, COOKIE_DAYS = "moot_room", 30
"""Name of the cookie, and its lifetime in days."""

MIN_TOKEN_LENGTH = 16


class Login:
    """Checker of tokens and signer of cookies.

    `token`: configured token, which can be used any number of times. If it is empty, the room prints a token that can
    be used once. Cookies stay valid after a restart: only this user can read the signing key in the data folder.
    """

    def __init__(self, token: str = "") -> None:
        if token and len(token) < MIN_TOKEN_LENGTH:
            raise InputError("MOOT_ROOM_TOKEN", "…", f"give at least {MIN_TOKEN_LENGTH} characters")
        self._token = token
        self._one_time_token = secrets.token_urlsafe(24)
        self._key = hmac.digest(load_signing_key(), token.encode(), "sha256")

    @property
    def query(self) -> str:
        """Return the query string with the one-time token, for the address that the terminal prints.

        It is empty if a token is configured, because visitors already know that token.
        """
        return "" if self._token else f"enter?token={self._one_time_token}"

    def accept_token(self, token: str) -> bool:
        """Return whether a token allows a login. A printed token can be used only once."""
        token_bytes = token.encode()
        if self._token:
            return hmac.compare_digest(token_bytes, self._token.encode())
        if self._one_time_token and hmac.compare_digest(token_bytes, self._one_time_token.encode()):
            self._one_time_token = ""
            return True
        return False

    def make_cookie(self) -> str:
        """Make a signed cookie for a browser that is logged in."""
        payload = f"{int(get_time().timestamp()) + COOKIE_DAYS * 86_400}.{secrets.token_urlsafe(9)}"
        return f"{payload}.{self._sign_payload(payload)}"

    def is_valid_cookie(self, cookie: str) -> bool:
        """Return whether a cookie was signed here and has not expired."""
        payload, _, signature = cookie.rpartition(".")
        expiry = payload.partition(".")[0]
        return (
            hmac.compare_digest(signature.encode(), self._sign_payload(payload).encode())
            and expiry.isdigit()
            and int(expiry) > get_time().timestamp()
        )

    def _sign_payload(self, payload: str) -> str:
        return hmac.new(self._key, payload.encode(), sha256).hexdigest()


def load_signing_key() -> bytes:
    """Load the key that signs cookies, or create it.

    Raises `InputError` if the key file cannot be read or written.
    """
    path = Path(platformdirs.user_data_dir("moot", appauthor=False)) / "room.key"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
            path.write_bytes(secrets.token_bytes(32))
        return path.read_bytes()
    except OSError as error:
        raise InputError("room.key", str(path), f"cannot be saved: {error.strerror}") from None
