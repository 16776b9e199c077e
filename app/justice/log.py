"""What a justice experiment logs: a transcript file of prompts, replies and memories, and how much a display tells."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from ...nodes.clock import stamp
from ...nodes.database import is_postgres
from ...state.incident import Call
from ...state.justice import JusticeRules, Logging, TranscriptLogging
from ...state.refused import Refused
from ...state.rules import Rules
from ...state.statement import Participant
from ..display.events import AskedAgain, Event, Happened, PassedOver, Said, Spent
from ..display.watcher import Watcher
from ..display.wording import asked_again, say

LEFT_OUT: dict[str, tuple[type, ...]] = {"minimal": (AskedAgain, Happened, PassedOver)}
"""Events a display leaves out, by level; those not named here leave out nothing."""


class TranscriptLog(AsyncCallbackHandler):
    """Appends one JSON object per line: `at`, `event` (prompt, reply or memory), `who`, `purpose`, and the texts."""

    def __init__(self, settings: TranscriptLogging, path: Path) -> None:
        self.settings, self.path = settings, path
        self._asked: dict[UUID, dict[str, str]] = {}

    async def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """A prompt is sent."""
        known = kwargs.get("metadata") or {}
        asked = {"who": str(known.get("speaker", "")), "purpose": str(known.get("purpose", ""))}
        self._asked[run_id] = asked
        texts = {one.type: one.text for one in messages[0]}
        entry: dict[str, Any] = dict(asked)
        if self.settings.include_instructions:
            entry["instructions"] = texts.get("system", "")
        if self.settings.include_input_prompts:
            entry["prompt"] = texts.get("human", "")
        if len(entry) > len(asked):
            self._write("prompt", entry)

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """A reply came."""
        asked = self._asked.pop(run_id, {})
        if self.settings.include_agent_responses:
            self._write("reply", {**asked, "reply": response.generations[0][0].text})

    async def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        """A step wrote memories."""
        written = outputs.get("memory") if isinstance(outputs, dict) else None
        if self.settings.include_memory_updates and written:
            self._write("memory", {"memory": {who: _lines(lines) for who, lines in written.items()}})

    def _write(self, event: str, entry: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"at": stamp(), "event": event, **entry}, ensure_ascii=False) + "\n")


def _lines(written: Any) -> Any:
    """Lines that were added, or that replaced a memory."""
    replaced = getattr(written, "replace", None)
    return {"replace": list(replaced)} if isinstance(replaced, list) else written


def listening(rules: Rules, run: str, database: str) -> list[TranscriptLog]:
    """The log of one run, if its rules want one: beside the database's file unless they name a place."""
    assert isinstance(rules, JusticeRules)
    return transcripts(rules.logging, run, Path() if is_postgres(database) else Path(database).parent)


def transcripts(logging: Logging, run: str, folder: Path) -> list[TranscriptLog]:
    """The log of one run, if one is kept: at the path of the settings, its run's name added, or in `folder`."""
    settings = logging.transcript_logging
    if not settings.enabled:
        return []
    given = Path(settings.path) if settings.path else folder / "transcript.jsonl"
    path = given.with_name(f"{given.stem}-{run}{given.suffix or '.jsonl'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a", encoding="utf-8").close()
    except OSError as fault:
        raise Refused("transcript_logging.path", str(path), f"cannot be written: {fault.strerror}") from None
    return [TranscriptLog(settings, path)]


class Level(Watcher):
    """A display that tells as much as `verbosity_level` says; at `debug` also what each step spent."""

    def __init__(self, inner: Watcher, level: str) -> None:
        super().__init__()
        self.inner, self.level, self.showed, self.follows = inner, level, inner.showed, inner.follows
        self.language = "en"

    async def tell(self, event: Event) -> None:
        if isinstance(event, LEFT_OUT.get(self.level, ())):
            return
        if line := self._remark(event):
            await self.inner.tell(Happened(line))
        await self.inner.tell(event)

    def _remark(self, event: Event) -> str:
        """What is told of an event before it, at the higher levels; empty: nothing."""
        match event:
            case Spent(calls, tokens) if self.level == "debug":
                key = "detail.spent_once" if calls == 1 else "detail.spent"
                return say(self.language, key, calls=calls, tokens=f"{tokens:,}")
            case Said(said) if self.level in ("detailed", "debug"):
                return say(self.language, "detail.statement", turn=said.turn, round=said.round)
            case AskedAgain(who, kind) if self.level in ("detailed", "debug"):
                return asked_again(who, kind, self.language)
        return ""

    def seated(self, participants: Sequence[Participant], rules: Rules, made: Sequence[Call] = ()) -> None:
        self.language = rules.language
        self.inner.seated(participants, rules, made)

    def stop(self) -> None:
        self.inner.stop()
