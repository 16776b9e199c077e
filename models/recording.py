"""Recordings: files with every answer that a run received, so that it can be replayed offline.

Each line is a JSON object. `{"run": …}` begins a run, with its position in the file, protocol, subject, model and
seed. Every other line is one request, identified by `key`, and its result. A result is the complete message of the
model or the failure, so failed attempts replay too.
"""

import asyncio
import difflib
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TextIO, TypeVar

from langchain_core.messages import AIMessage

from ..state import InputError, Settings
from ..storage import get_timestamp
from .failures import CallFailure, RunStoppedError

if sys.platform != "win32":
    import fcntl

MAX_DIFF_LINES = 40
MATCH_KEYS = ("who", "purpose", "turn", "round", "attempt")
"""Keys by which the most similar record to a request is found, the most important first."""

RUN_PREFIX = '{"run"'
ENVIRONMENT_SETTINGS = ("model", "embeddings")
"""Settings that come from the environment by default. A replay takes their values from its recording."""

R = TypeVar("R", bound=Settings)
RecordedRequest = dict[str, Any]
RecordedReply = AIMessage | CallFailure | dict[str, Any]
"""Result of a request: a model's message, the failure of the call, or the result of another service."""


class ReplayMissError(RunStoppedError):
    """Error for a request that the recording of a replay does not contain.

    `diff`: differences from the most similar recorded request.
    """

    def __init__(self, message: str, diff: str = "") -> None:
        super().__init__(message)
        self.diff = diff


@dataclass(frozen=True)
class Recording:
    """Contents of a recording.

    `runs`: header of each run by its position. `replies`: request and reply by key.
    """

    runs: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    replies: dict[str, tuple[RecordedRequest, RecordedReply]] = field(default_factory=dict)


def hash_request(request: RecordedRequest) -> str:
    """Return the key of a request: the SHA-256 of its canonical JSON."""
    text = json.dumps(request, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


async def prepare_replay(settings: R, topic: str) -> R:
    """Return the settings of a run, with the recorded position, seed and model if it is a replay.

    `topic`: subject that identifies the run in the recording. Raises `InputError` if the file is not a recording or
    does not contain the run, or if the settings also ask to record.
    """
    if settings.record and settings.replay:
        raise InputError(
            "record", settings.record, "a replay makes no calls that could be recorded; leave out record or replay"
        )
    return await asyncio.to_thread(_apply_recorded_run, settings, topic) if settings.replay else settings


async def prepare_recording(settings: R, topic: str) -> R:
    """Return the settings of a run, with its position in the file if it is recorded.

    For such a run, write its header with `topic` to the file. Raises `InputError` if the file cannot be written, or if
    MOOT_DB_KEY requires encryption.
    """
    if settings.record and os.environ.get("MOOT_DB_KEY"):
        raise InputError(
            "record",
            settings.record,
            "a recording is plain text, but MOOT_DB_KEY encrypts runs; leave out record, or unset MOOT_DB_KEY",
        )
    return await asyncio.to_thread(_write_header, settings, topic) if settings.record else settings


def _write_header(settings: R, topic: str) -> R:
    try:
        with _open_for_append(settings.record, os.O_CREAT) as file:
            recording_id = settings.recording_id or f"run {1 + sum(line.startswith(RUN_PREFIX) for line in file)}"
            header = {
                "recording_id": recording_id,
                "protocol": settings.protocol,
                "about": topic,
                "seed": settings.seed,
                "at": get_timestamp(),
            }
            _append_line(file, {"run": header | {key: str(getattr(settings, key, "")) for key in ENVIRONMENT_SETTINGS}})
    except OSError as error:
        raise InputError("record", settings.record, f"{error.strerror}; name a file that can be written") from None
    return settings.with_choices(record=os.path.abspath(settings.record), recording_id=recording_id)


def _apply_recorded_run(settings: R, topic: str) -> R:
    """Return the settings with position, seed and model of the recorded run to replay.

    It is the run that the settings choose or, without a choice, the first with the same protocol and topic.
    """
    path, separator, number = settings.replay.rpartition("#")
    if not (separator and number.isdigit()):
        path, number = settings.replay, ""
    runs = load_recording(path).runs
    criteria = {"protocol": settings.protocol, "about": topic} | (
        {} if settings.seed is None else {"seed": settings.seed}
    )
    recording_id = settings.recording_id or (f"run {number}" if number else "")
    matches = [
        name
        for name, run in runs.items()
        if name == recording_id or (not recording_id and criteria.items() <= run.items())
    ]
    if not matches:
        descriptions = [
            f"{name}: {run['protocol']}, {str(run['about'])[:60]!r}, seed {run['seed']}" for name, run in runs.items()
        ]
        raise InputError(
            "replay", settings.replay, f"the file has no such run; its runs: {'; '.join(descriptions) or 'none'}"
        )
    run = runs[matches[0]]
    overrides = {key: run[key] for key in ENVIRONMENT_SETTINGS if hasattr(settings, key) and not getattr(settings, key)}
    return settings.with_choices(replay=os.path.abspath(path), recording_id=matches[0], seed=run["seed"], **overrides)


async def replay_reply(settings: Settings, request: RecordedRequest) -> RecordedReply | None:
    """Return the recorded reply to a request; `None` if the run is not a replay.

    Raises `ReplayMissError` if the recording does not contain the request.
    """
    if not settings.replay:
        return None
    recording = await asyncio.to_thread(load_recording, settings.replay)
    request = request | _get_run_fields(settings)
    if entry := recording.replies.get(hash_request(request)):
        return entry[1]
    raise await asyncio.to_thread(_make_miss_error, settings.replay, recording, request)


async def record_reply(settings: Settings, request: RecordedRequest, reply: RecordedReply) -> bool:
    """Add a request and its reply to the run's recording, if any. Return `False` if writing fails.

    Such a failure does not stop the run, because the reply is already paid for.
    """
    if not settings.record:
        return True
    try:
        await asyncio.to_thread(_append_reply, settings.record, request | _get_run_fields(settings), reply)
    except (OSError, InputError):
        return False
    return True


def _get_run_fields(settings: Settings) -> RecordedRequest:
    return {"recording_id": settings.recording_id, "seed": settings.seed}


def _append_reply(path: str, request: RecordedRequest, reply: RecordedReply) -> None:
    if isinstance(reply, AIMessage):
        fields: RecordedRequest = {"message": reply.model_dump(mode="json")}
    else:
        fields = {"fault": asdict(reply)} if isinstance(reply, CallFailure) else {"found": reply}
    with _open_for_append(path) as file:
        _append_line(file, {"key": hash_request(request), "request": request, **fields})


def _make_miss_error(path: str, recording: Recording, request: RecordedRequest) -> ReplayMissError:
    def compute_nearness(candidate: RecordedRequest) -> tuple[int, int]:
        matches = [candidate.get(key) == request.get(key) for key in ("recording_id", *MATCH_KEYS)]
        return sum(matches), sum(weight for weight, is_equal in enumerate(reversed(matches)) if is_equal)

    nearest_request = max(
        (candidate for candidate, _ in recording.replies.values()),
        key=compute_nearness,
        default={},
    )
    request_text, nearest_text = (
        json.dumps(content, indent=1, ensure_ascii=False).replace("\\n", "\n") for content in (request, nearest_request)
    )
    nearest_lines, request_lines = nearest_text.splitlines(), request_text.splitlines()
    diff_lines = list(difflib.unified_diff(nearest_lines, request_lines, "recorded", "asked now", lineterm="", n=1))
    diff = "\n".join(diff_lines[:MAX_DIFF_LINES]) + (
        f"\n… {len(diff_lines) - MAX_DIFF_LINES} lines more" if len(diff_lines) > MAX_DIFF_LINES else ""
    )
    context = ", ".join(f"{key} {request[key]}" for key in MATCH_KEYS if request.get(key) not in ("", None))
    message = (
        f"replay = {path}: the recording does not contain this request ({context}); record the run again, "
        "or fork it without replay"
    )
    return ReplayMissError(message, diff)


@contextmanager
def _open_for_append(path: str, creation_flag: int = 0) -> Iterator[TextIO]:
    """Open the recording for appending, with an exclusive lock and readable only by its owner.

    `creation_flag`: flag that creates a missing file; only a run's header does so. Raises `OSError` if it cannot be
    written, `InputError` if it is not a recording.
    """
    if sys.platform == "win32":
        raise InputError(
            "record", path, "a recording could not be locked on Windows; use the Windows Subsystem for Linux"
        )
    descriptor = os.open(path, os.O_RDWR | creation_flag | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+", encoding="utf-8", errors="surrogatepass") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not RUN_PREFIX.encode().startswith(os.pread(descriptor, len(RUN_PREFIX), 0)):
            raise InputError("record", path, "the file is no recording; name another file")
        os.ftruncate(descriptor, _count_complete_bytes(Path(path)))
        yield file


def _count_complete_bytes(path: Path) -> int:
    """Return the number of bytes of complete lines.

    The last line is incomplete if its process was killed.
    """
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 1))
        if file.read() in (b"", b"\n"):
            return end
        file.seek(0)
        return file.read().rfind(b"\n") + 1


def _append_line(file: TextIO, line: Mapping[str, Any]) -> None:
    end = os.lseek(file.fileno(), 0, os.SEEK_END)
    remaining_bytes = (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
    try:
        while remaining_bytes:
            remaining_bytes = remaining_bytes[os.write(file.fileno(), remaining_bytes) :]
    except OSError:
        os.ftruncate(file.fileno(), end)
        raise


def load_recording(path: str) -> Recording:
    """Load a recording. If a request has two replies, the later one counts, because its run used it.

    Raises `InputError` if the file is not a recording.
    """
    try:
        file_status = os.stat(path)
    except OSError as error:
        raise InputError("replay", path, f"{error.strerror}; name a file that --record wrote") from None
    return _parse_recording(path, file_status.st_mtime_ns, file_status.st_size)


@lru_cache(maxsize=4)
def _parse_recording(path: str, modified_ns: int, size: int) -> Recording:
    recording = Recording()
    for line_number, line in enumerate(Path(path).read_bytes()[: _count_complete_bytes(Path(path))].splitlines(), 1):
        try:
            content = json.loads(line.decode("utf-8", "surrogatepass"))
            if "run" in content:
                header = content["run"]
                keys = ("recording_id", "protocol", "about", "seed", *ENVIRONMENT_SETTINGS)
                recording.runs.setdefault(header["recording_id"], {key: header[key] for key in keys})
                continue
            reply: RecordedReply
            if "message" in content:
                reply = AIMessage.model_validate(content["message"])
            else:
                reply = CallFailure(**content["fault"]) if "fault" in content else content["found"]
            recording.replies[content["key"]] = content["request"], reply
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(
                "replay", path, f"line {line_number} is not from --record; use the recording without changes"
            ) from None
    return recording
