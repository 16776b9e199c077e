"""Encryption of what is kept, runs and papers: AES-256-GCM with the key in MOOT_DB_KEY."""

import base64
import binascii
import os
from typing import Any

from ..state.refused import Refused

NAME = "aesgcm"
NONCE = 12
KEY_BYTES = 32


class Cipher:
    """Encrypts and decrypts with one key; as langgraph's `CipherProtocol`, and for text."""

    def __init__(self, key: bytes) -> None:
        try:
            from cryptography.exceptions import InvalidTag
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError:
            remedy = 'encryption needs the package cryptography: pip install "moot[encryption]"'
            raise Refused("MOOT_DB_KEY", "…", remedy) from None
        self._key, self._mismatch = AESGCM(key), InvalidTag

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """The cipher's name; nonce and ciphertext."""
        nonce = os.urandom(NONCE)
        return NAME, nonce + self._key.encrypt(nonce, plaintext, None)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        """The plaintext; raises `Refused` if this key did not write it."""
        try:
            return self._key.decrypt(ciphertext[:NONCE], ciphertext[NONCE:], None)
        except self._mismatch:
            raise Refused("MOOT_DB_KEY", "…", "another key wrote this; set the key it was written with") from None

    def seal(self, text: str) -> str:
        """`text`, encrypted, as text."""
        name, content = self.encrypt(text.encode())
        return f"{name}:{base64.b64encode(content).decode()}"

    def unseal(self, sealed: str) -> str:
        """What `seal` was given."""
        name, _, content = sealed.partition(":")
        return self.decrypt(name, base64.b64decode(content)).decode()


def cipher_from_environment() -> Cipher | None:
    """The cipher for MOOT_DB_KEY; none if it is not set. Raises `Refused` if it is no key."""
    given = os.environ.get("MOOT_DB_KEY", "").strip()
    if not given:
        return None
    try:
        key = base64.b64decode(given, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        remedy = "give 32 random bytes in base64, such as `openssl rand -base64 32` prints"
        raise Refused("MOOT_DB_KEY", f"{len(given)} characters", remedy)
    return Cipher(key)


def serializer(cipher: Cipher | None) -> Any:
    """The serializer of checkpoints: strict about types, encrypted if there is a cipher."""
    from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    strict = JsonPlusSerializer(allowed_msgpack_modules=None)
    return EncryptedSerializer(cipher, strict) if cipher else strict
