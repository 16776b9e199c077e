"""Record of the look-ups: requests to tools, the results shown, and citations such as `[L3.2]`."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from ..fence import fence_text
from ..frozen_models import FrozenModel

LookupStatus = Literal["ok", "bad_arguments", "error", "timeout", "denied", "too_many", "unknown", "rehearsed"]


class PlannedLookup(FrozenModel):
    """Look-up that may run, with its arguments and its approval.

    `limit`: maximum characters of the result to show.
    """

    id: str
    tool: str
    arguments: dict[str, Any]
    limit: int
    approved_by: str = ""


class QuotedLookup(FrozenModel):
    """Result of a look-up, cut to the length that prompts show."""

    id: str = Field(description="Id for citations, as in `[L3.2]`.")
    tool: str = Field(description="Name of the tool.")
    text: str = Field(description="Text of the result.")

    @cached_property
    def fenced_text(self) -> str:
        """Return the text of the result between the tags that a prompt needs."""
        return fence_text("lookup", self.text, id=self.id, tool=self.tool)


class Lookup(QuotedLookup):
    """One look-up, successful or not. `text`: the result shown to the participant."""

    turn: int = Field(default=0, ge=0, description="Turn of the look-up.")
    round: int = Field(default=0, ge=0, description="Round of the look-up.")
    who: str = Field(default="", description="Participant that looked up.")
    purpose: str = Field(
        default="", description="Purpose of the question that led to the look-up, such as `statement`."
    )
    source: str = Field(
        default="", description="Source of the tool: `library`, `mcp:SERVER`, `object:NAME`, a plugin or `agent`."
    )
    arguments: dict[str, Any] = Field(default_factory=dict, description="Arguments; long arguments are clipped.")
    arguments_sha256: str = Field(default="", description="SHA-256 of the whole arguments.")
    chars: int = Field(default=0, ge=0, description="Characters of the whole result.")
    result_sha256: str = Field(default="", description="SHA-256 of the whole result.")
    status: LookupStatus = Field(default="ok", description="`ok`, or the kind of failure.")
    ms: int = Field(default=0, ge=0, description="Wall time in milliseconds.")
    at: str = Field(default="", description="Time of the record, ISO 8601, UTC.")
    approved_by: str = Field(
        default="", description="`owner` if the run's owner approved or denied the look-up; empty: not asked."
    )
    shared: bool = Field(default=False, description="Whether all participants see the result.")
    replayed: bool = Field(default=False, description="Whether the result came from a recording.")

    def quote(self, limit: int) -> QuotedLookup:
        """Return the result as prompts show it, with at most `limit` characters."""
        return QuotedLookup(id=self.id, tool=self.tool, text=clip_middle(self.text, limit))


def clip_middle(text: str, limit: int) -> str:
    """Return about `limit` characters of `text`: both ends, and between them the number of missing ones."""
    if len(text) <= limit:
        return text
    half = max(1, limit // 2 - 10)
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} …]\n{text[-half:]}"


_ID = re.compile(r"@?(L\d{1,6}[a-z]{0,4}\.\d{1,4})")
_CITATION = re.compile(rf"[\[［【]\s*{_ID.pattern}(?:\s*[,，、;；]\s*{_ID.pattern})*\s*[\]］】](?!\()")


def list_cited_lookup_ids(text: str) -> list[str]:
    """List the ids of the look-ups that a text cites, each once, in order of first mention."""
    return list(dict.fromkeys(id for citation in _CITATION.finditer(text) for id in _ID.findall(citation[0])))


def rewrite_lookup_ids(text: str, write: Callable[[str], str]) -> str:
    """Return `text` with each id in its look-up citations replaced by the result of `write`.

    `write` gets the id. An `@` before the id is dropped.
    """
    return _CITATION.sub(lambda citation: _ID.sub(lambda match: write(match[1]), citation[0]), text)
