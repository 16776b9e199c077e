"""Keys of the endpoint: those of a file, or one that was made here and shown once."""

import hmac
import secrets
from hashlib import sha256
from pathlib import Path

import platformdirs

from ....state.refused import Refused

LEAST = 16
"""Characters of a key."""


class Keys:
    """The keys that open the endpoint. They are read anew for every request: one that is taken away opens no more.

    `file`: a key a line; none: one that is made, of which the user's data folder keeps the digest alone. `anew`: make
    another in its place. `made`: the key that was made now; empty: none was.
    """

    def __init__(self, file: Path | None = None, anew: bool = False) -> None:
        self.made, self._file = "", file
        self._kept = Path(platformdirs.user_data_dir("moot", appauthor=False)) / "api.key"
        if file is None and (anew or not self._kept.exists()):
            self.made = f"moot-{secrets.token_urlsafe(24)}"
            self._keep(_digest(self.made))
        short = [key for key in self._listed() if len(key) < LEAST]
        if file is not None and (short or not self._listed()):
            raise Refused("--api-key-file", str(file), f"write a key a line, each of at least {LEAST} characters")

    def opened_by(self, bearer: str) -> str:
        """The digest of a key that opens the endpoint; empty for one that does not."""
        given, found = _digest(bearer), ""
        for key in self._digests():
            if hmac.compare_digest(key, given):
                found = given
        return found

    def _digests(self) -> list[str]:
        if self._file is not None:
            return [_digest(key) for key in self._listed()]
        return self._kept.read_text("ascii").split() if self._kept.exists() else []

    def _listed(self) -> list[str]:
        if self._file is None:
            return []
        try:
            lines = self._file.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as fault:
            raise Refused("--api-key-file", str(self._file), f"cannot be read: {fault}") from None
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]

    def _keep(self, digest: str) -> None:
        try:
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            self._kept.touch(mode=0o600)
            self._kept.write_text(digest, "ascii")
        except OSError as fault:
            raise Refused("api.key", str(self._kept), f"cannot be kept: {fault.strerror}") from None


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()
