"""Recipients of the texts that a run sends out, and the addresses of their servers."""

import re
from functools import lru_cache
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, WithJsonSchema

from .frozen_models import ClosedModel

LOCAL = "local"
"""Entry of `stay` for servers of this machine, and for code that is declared to send nothing elsewhere."""
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
"""Hosts of this machine. No proxy gets their requests."""
PORT = r"[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]"
BASE_URL = re.compile(rf"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:({PORT}))?(/[^\s?#\\@]*)?")
"""Pattern of a base URL that every client reads in the same way."""


@lru_cache(256)
def parse_origin(url: str) -> str:
    """Return scheme, host and port of a URL; empty if it is not the address of a server."""
    if not BASE_URL.fullmatch(url):
        return ""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def is_loopback(origin: str) -> bool:
    """Return whether the host of `origin` is this machine."""
    return origin.partition("://")[2].rpartition(":")[0].strip("[]") in LOOPBACK_HOSTS


def _parse_stay(value: object) -> object:
    if isinstance(value, str):
        value = [entry.strip() for entry in value.split(",")]
    entries = [str(entry).rstrip("/") for entry in (value if isinstance(value, list) else [value])]
    origins = [entry if entry == LOCAL else parse_origin(entry) for entry in entries]
    if not origins or "" in origins or any(entry.count("/") > 2 for entry in entries):
        raise ValueError(
            "give local, or origins without a path such as https://api.mistral.ai or http://gpu-box:8000, "
            "or a list of them"
        )
    return origins


Stay = Annotated[
    list[str],
    BeforeValidator(_parse_stay),
    Field(max_length=100),
    WithJsonSchema({"type": "array", "items": {"type": "string", "maxLength": 300}, "maxItems": 100}),
]
"""Origins that calls may go to, each as `parse_origin` returns it, or `local`."""


class Destination(ClosedModel):
    """Server or code that receives the texts of a call."""

    name: str = Field(description="Name of the server or code, as runs print it.")
    origin: str = Field(default="", description="Scheme, host and port of the address; empty if unknown.")
    path: str = Field(default="", description="Path of the address; empty if unknown.")
    is_code: bool = Field(
        default=False,
        description="Whether the recipient is a tool, an agent or a model object, and may send the words anywhere.",
    )
    is_declared: bool = Field(
        default=False,
        description="Whether you declare that the recipient sends nothing from this machine (`local: true`).",
    )

    @property
    def is_local(self) -> bool:
        """Return whether the texts of a call stay on this machine."""
        return self.is_declared or is_loopback(self.origin)

    @property
    def address(self) -> str:
        """Return the address of the destination, or its name if the address is unknown."""
        return f"{self.origin}{self.path}" or self.name


class Recipient(ClosedModel):
    """Part of a run that sends texts away, such as a participant, with the destination of its calls."""

    kind: Literal[
        "model", "person", "program", "lookups", "synthesizer", "judge", "summarizer", "embeddings", "traces", "proxy"
    ] = Field(description="For seats the kind of writer, else the kind of text that is sent.")
    names: list[str] = Field(default_factory=list, description="Names of the seats; empty for other parts.")
    destination: Destination | None = Field(default=None, description="Destination of calls that leave the process.")
    same_as: str = Field(
        default="", description="First seat that has the same model as this role; empty: no such seat."
    )
