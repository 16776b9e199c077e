"""Encryption of saved runs and papers: AES-256-GCM with the key in MOOT_DB_KEY."""

import base64
import binascii
import os
from typing import Any

from ..state import InputError

CIPHER_NAME = "aesgcm"
NONCE_BYTES = 12


class Cipher:
    """Cipher with one key: LangGraph's `CipherProtocol`, and methods for text."""

    def __init__(self, key: bytes) -> None:
        try:
            from cryptography.exceptions import InvalidTag
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError:
            raise InputError(
                "MOOT_DB_KEY", "…", 'encryption needs the package cryptography: pip install "moot[encryption]"'
            ) from None
        self._key, self._mismatch = AESGCM(key), InvalidTag

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """Encrypt bytes. Return the cipher's name, and the nonce followed by the ciphertext."""
        nonce = os.urandom(NONCE_BYTES)
        return CIPHER_NAME, nonce + self._key.encrypt(nonce, plaintext, None)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        """Decrypt bytes. Raises `InputError` if another key encrypted the bytes, or if the bytes are damaged."""
        try:
            return self._key.decrypt(ciphertext[:NONCE_BYTES], ciphertext[NONCE_BYTES:], None)
        except self._mismatch:
            raise InputError("MOOT_DB_KEY", "…", "the data were encrypted with another key; set that key") from None

    def encrypt_text(self, text: str) -> str:
        """Encrypt a text. The result is text too: the cipher's name and base64."""
        name, content = self.encrypt(text.encode())
        return f"{name}:{base64.b64encode(content).decode()}"

    def decrypt_text(self, encrypted_text: str) -> str:
        """Decrypt a text that `encrypt_text` returned."""
        name, _, content = encrypted_text.partition(":")
        return self.decrypt(name, base64.b64decode(content)).decode()


def load_cipher() -> Cipher | None:
    """Load the cipher for MOOT_DB_KEY, or return `None` if it is not set.

    Raises `InputError` for an invalid key.
    """
    if not (encoded_key := os.environ.get("MOOT_DB_KEY", "").strip()):
        return None
    try:
        key = base64.b64decode(encoded_key, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != 32:
        raise InputError(
            "MOOT_DB_KEY",
            f"{len(encoded_key)} characters",
            "give 32 random bytes in base64, such as `openssl rand -base64 32` prints",
        )
    return Cipher(key)


def make_serializer(cipher: Cipher | None) -> Any:
    """Make the serializer of checkpoints, which loads only known types. With `cipher`, it encrypts."""
    from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    strict_serializer = JsonPlusSerializer(allowed_msgpack_modules=None)
    return EncryptedSerializer(cipher, strict_serializer) if cipher else strict_serializer
