"""Transcript file of a justice experiment, and how much its display shows."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from ....state import Call, InputError, Participant, Settings
from ....state.justice import JusticeSettings, TranscriptSettings
from ....storage import get_timestamp, is_postgres
from ...display import (
    CallsMade,
    RetryStarted,
    RunEvent,
    StatementAdded,
    StepReported,
    TurnMissed,
    Watcher,
    describe_retry,
    translate_display_phrase,
)

HIDDEN_EVENTS: dict[str, tuple[type, ...]] = {"minimal": (RetryStarted, StepReported, TurnMissed)}
"""Events that each verbosity level hides. Other levels hide no events."""


class TranscriptLog(AsyncCallbackHandler):
    """Callback that writes the transcript file, with one JSON object per line.

    Keys: `at`, `event` (prompt, reply or memory), `who`, `purpose`, and the texts.
    """

    def __init__(self, settings: TranscriptSettings, path: Path) -> None:
        self.settings, self.path = settings, path
        self._call_labels: dict[UUID, dict[str, str]] = {}

    async def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Write a prompt to the transcript file when it is sent."""
        metadata = kwargs.get("metadata") or {}
        call_labels = {"who": str(metadata.get("speaker", "")), "purpose": str(metadata.get("purpose", ""))}
        self._call_labels[run_id] = call_labels
        texts = {message.type: message.text for message in messages[0]}
        entry: dict[str, Any] = dict(call_labels)
        if self.settings.include_instructions:
            entry["instructions"] = texts.get("system", "")
        if self.settings.include_input_prompts:
            entry["prompt"] = texts.get("human", "")
        if len(entry) > len(call_labels):
            self._write_entry("prompt", entry)

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Write a reply to the transcript file."""
        call_labels = self._call_labels.pop(run_id, {})
        if self.settings.include_agent_responses:
            self._write_entry("reply", {**call_labels, "reply": response.generations[0][0].text})

    async def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        """Write to the transcript file how a step changed memories: added lines, or replaced memories."""
        memories = outputs.get("memory") if isinstance(outputs, dict) else None
        if self.settings.include_memory_updates and memories:
            replacements = {name: getattr(write, "replace", None) for name, write in memories.items()}
            entries = {
                name: {"replace": list(write)} if isinstance(write, list) else memories[name]
                for name, write in replacements.items()
            }
            self._write_entry("memory", {"memory": entries})

    def _write_entry(self, event: str, entry: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"at": get_timestamp(), "event": event, **entry}, ensure_ascii=False) + "\n")


def make_log_callbacks(settings: JusticeSettings, run: str, database: str) -> list[TranscriptLog]:
    """Make the callback that writes the transcript file, as a list; empty if the settings disable it.

    The file lies next to the database, unless the settings name a path. Its name contains the run's name. Raises
    `InputError` for a file that cannot be written.
    """
    transcript_settings = settings.logging.transcript_logging
    if not transcript_settings.enabled:
        return []
    folder = Path() if is_postgres(database) else Path(database).parent
    base_path = Path(transcript_settings.path) if transcript_settings.path else folder / "transcript.jsonl"
    path = base_path.with_name(f"{base_path.stem}-{run}{base_path.suffix or '.jsonl'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise InputError("transcript_logging.path", str(path), f"cannot be written: {error.strerror}") from None
    return [TranscriptLog(transcript_settings, path)]


class VerbosityFilter(Watcher):
    """Display that shows only what the setting `verbosity_level` allows.

    At level `debug`, the display also shows each step's cost.
    """

    def __init__(self, inner: Watcher, level: str) -> None:
        super().__init__()
        self.inner, self.level, self.language = inner, level, "en"
        self.shown_purposes, self.shows_words = inner.shown_purposes, inner.shows_words

    async def show_event(self, event: RunEvent) -> None:
        if isinstance(event, HIDDEN_EVENTS.get(self.level, ())):
            return
        # the remark before an event at the higher levels
        display_phrase, remark = partial(translate_display_phrase, self.language), ""
        match event:
            case CallsMade(calls, tokens) if self.level == "debug":
                remark = display_phrase("detail.spent", calls=calls, tokens=f"{tokens:,}")
            case StatementAdded(statement) if self.level in ("detailed", "debug"):
                remark = display_phrase("detail.statement", turn=statement.turn, round=statement.round)
            case RetryStarted(name, kind) if self.level in ("detailed", "debug"):
                remark = describe_retry(name, kind, self.language)
        if remark:
            await self.inner.show_event(StepReported(remark))
        await self.inner.show_event(event)

    def set_run(self, participants: Sequence[Participant], settings: Settings, calls: Sequence[Call] = ()) -> None:
        self.language = settings.language
        self.inner.set_run(participants, settings, calls)

    def end_display(self) -> None:
        self.inner.end_display()
