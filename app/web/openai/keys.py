"""API keys of the endpoint, read from a file or created by Moot. Moot shows a created key only once."""

import hmac
import secrets
from hashlib import sha256
from pathlib import Path

import platformdirs

from ....state import InputError
from ....storage import get_default_database, is_postgres

MIN_KEY_LENGTH = 16


class ApiKeys:
    """Keys for the endpoint. Each request reads them again, so that a removed key stops working.

    `file`: file with one key per line; `None` for a created key. The user's data folder holds only the digest of a
    created key, in one file for each database. `replaces_key`: whether to replace the existing key. `new_key`: the key
    just created, or empty.
    """

    def __init__(self, file: Path | None = None, replaces_key: bool = False, db: str = "") -> None:
        self.new_key, self.file = "", file
        address = db or get_default_database()
        # The name of the file must not depend on a password.
        address = address.rpartition("@")[2] if is_postgres(address) else str(Path(address).expanduser().resolve())
        key_name = f"api-{_compute_digest(address)[:12]}.key"
        self._digest_path = Path(platformdirs.user_data_dir("moot", appauthor=False)) / key_name
        if file is None and (replaces_key or not self._digest_path.exists()):
            self.new_key = f"moot-{secrets.token_urlsafe(24)}"
            try:
                self._digest_path.parent.mkdir(parents=True, exist_ok=True)
                self._digest_path.touch(mode=0o600)
                self._digest_path.write_text(_compute_digest(self.new_key), "ascii")
            except OSError as error:
                raise InputError(key_name, str(self._digest_path), f"cannot be saved: {error.strerror}") from None
        if file is not None and min(map(len, _read_keys(file)), default=0) < MIN_KEY_LENGTH:
            raise InputError(
                "--api-key-file", str(file), f"write one key per line, each of at least {MIN_KEY_LENGTH} characters"
            )

    def find_key_digest(self, bearer: str) -> str:
        """Return the digest of a key that a client sent, or an empty text if the key is invalid."""
        digest = _compute_digest(bearer)
        try:
            known_digests = (
                [_compute_digest(key) for key in _read_keys(self.file)]
                if self.file
                else self._digest_path.read_text("ascii").split()
            )
        except (InputError, OSError):  # an unreadable file holds no valid key
            return ""
        return digest if any(hmac.compare_digest(known_digest, digest) for known_digest in known_digests) else ""


def _read_keys(file: Path) -> list[str]:
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("--api-key-file", str(file), f"cannot be read: {error}") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _compute_digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()
