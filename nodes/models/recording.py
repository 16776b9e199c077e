"""Recordings: a file with every answer that a run was given, from which the run can be played again without a network.

One JSON object a line. `{"run": …}` begins a run: its place in the file, its protocol, what it was about, its model and
its seed. Every other line is one request that left, found again by `key`, and how it ended: the whole message of the
model, with its finish reason, usage, id and fingerprint, or the fault that came instead; so tries replay too.
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

from ...state.refused import Refused
from ...state.rules import Rules
from ..clock import stamp
from .failures import Fault, Stopped

if sys.platform != "win32":
    import fcntl

SHOWN = 40
"""Lines of a difference that are shown at most."""
NEARNESS = ("who", "purpose", "turn", "round", "try")
"""What a request and the record that comes nearest to it have in common, the weightiest first."""

BEGINS = '{"run"'
"""How the line begins that begins a run."""
FOUND = ("model", "embeddings")
"""Knobs that are found from the environment where they are not given; a replay takes those of its recording."""

R = TypeVar("R", bound=Rules)
Request = dict[str, Any]
Reply = AIMessage | Fault | dict[str, Any]
"""How a request ended: a model's message, what came instead of one, or what else was found out from outside."""


class NotRecorded(Stopped):
    """A replay would have to ask what its recording does not hold. `differs`: from what comes nearest."""

    def __init__(self, said: str, differs: str = "") -> None:
        super().__init__(said)
        self.differs = differs


@dataclass(frozen=True)
class Recorded:
    """What a recording holds. `runs`: by place, what is said of each run. `replies`: by key, request and reply."""

    runs: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    replies: dict[str, tuple[Request, Reply]] = field(default_factory=dict)


def key_of(request: Request) -> str:
    """What a request is found by: SHA-256 of its canonical JSON."""
    told = json.dumps(request, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()


async def replaying(rules: R, about: str) -> R:
    """The rules of a run that may be a replay: then with place, seed and model as recorded. `about`: its topic.

    Raises `Refused` for a file that is no recording, or holds no such run.
    """
    if rules.record and rules.replay:
        raise Refused("record", rules.record, "a replay asks nobody, so there is nothing to record; give one of them")
    return await asyncio.to_thread(_replayed, rules, about) if rules.replay else rules


async def recording(rules: R, about: str) -> R:
    """The rules, settled, of a run that may be recorded: then with its place in the file, where its beginning stands.

    Raises `Refused` for a file that cannot be written.
    """
    if rules.record and os.environ.get("MOOT_DB_KEY"):
        remedy = "a recording is plain text, and MOOT_DB_KEY asks for runs that are not; leave one of them out"
        raise Refused("record", rules.record, remedy)
    return await asyncio.to_thread(_recorded, rules, about) if rules.record else rules


def _recorded(rules: R, about: str) -> R:
    """The rules with a place of their own in the file, which is told there."""
    try:
        with _appending(rules.record) as file:
            place = rules.place or f"run {1 + sum(line.startswith(BEGINS) for line in file)}"
            told = {"place": place, "protocol": rules.protocol, "about": about, "seed": rules.seed, "at": stamp()}
            _append(file, {"run": told | {key: str(getattr(rules, key, "")) for key in FOUND}})
    except OSError as fault:
        raise Refused("record", rules.record, f"{fault.strerror}; name a file that can be written") from None
    return rules.settled(record=os.path.abspath(rules.record), place=place)


def _replayed(rules: R, about: str) -> R:
    """The rules of the run of the file that is meant: the one named, else the first of its kind."""
    path, marked, number = rules.replay.rpartition("#")
    if not (marked and number.isdigit()):
        path, number = rules.replay, ""
    runs = loaded(path).runs
    meant = {"protocol": rules.protocol, "about": about} | ({} if rules.seed is None else {"seed": rules.seed})
    place = rules.place or (f"run {number}" if number else "")
    fitting = [name for name, run in runs.items() if name == place or (not place and meant.items() <= run.items())]
    if not fitting:
        held = [f"{at}: {one['protocol']}, {one['about'][:60]!r}, seed {one['seed']}" for at, one in runs.items()]
        raise Refused("replay", rules.replay, f"holds no such run; it holds {'; '.join(held) or 'none'}")
    run = runs[fitting[0]]
    found = {key: run[key] for key in FOUND if hasattr(rules, key) and not getattr(rules, key)}
    return rules.settled(replay=os.path.abspath(path), place=fitting[0], seed=run["seed"], **found)


async def replayed(rules: Rules, request: Request) -> Reply | None:
    """What the run's recording holds for a request; none where the run is no replay. Raises `NotRecorded`."""
    if not rules.replay:
        return None
    found = await asyncio.to_thread(loaded, rules.replay)
    request = request | _place(rules)
    if held := found.replies.get(key_of(request)):
        return held[1]
    raise await asyncio.to_thread(_missed, rules.replay, found, request)


async def record(rules: Rules, request: Request, reply: Reply) -> bool:
    """Put a request and its reply into the run's recording; whether that could be done. What was paid for is kept."""
    if not rules.record:
        return True
    try:
        await asyncio.to_thread(_put, rules.record, request | _place(rules), reply)
    except (OSError, Refused):
        return False
    return True


def _place(rules: Rules) -> Request:
    return {"place": rules.place, "seed": rules.seed}


def _put(path: str, request: Request, reply: Reply) -> None:
    if isinstance(reply, AIMessage):
        told: Request = {"message": reply.model_dump(mode="json")}
    else:
        told = {"fault": asdict(reply)} if isinstance(reply, Fault) else {"found": reply}
    with _appending(path) as file:
        _append(file, {"key": key_of(request), "request": request, **told})


def _missed(path: str, found: Recorded, request: Request) -> NotRecorded:
    """What says that it is not there, and what differs from the request that comes nearest."""
    near = max((one for one, _ in found.replies.values()), key=lambda one: _nearness(one, request), default={})
    ours, theirs = (json.dumps(one, indent=1, ensure_ascii=False).replace("\\n", "\n") for one in (request, near))
    before, after = theirs.splitlines(), ours.splitlines()
    parted = list(difflib.unified_diff(before, after, "recorded", "asked now", lineterm="", n=1))
    told = "\n".join(parted[:SHOWN]) + (f"\n… {len(parted) - SHOWN} lines more" if len(parted) > SHOWN else "")
    place = ", ".join(f"{key} {request[key]}" for key in NEARNESS if request.get(key) not in ("", None))
    said = f"replay = {path}: it does not hold what would be asked now ({place}); nobody was asked, nor will be"
    said += " until the recording holds that"
    return NotRecorded(said, told)


def _nearness(one: Request, request: Request) -> tuple[int, int]:
    same = [one.get(key) == request.get(key) for key in ("place", *NEARNESS)]
    return sum(same), sum(weight for weight, alike in enumerate(reversed(same)) if alike)


@contextmanager
def _appending(path: str) -> Iterator[TextIO]:
    """The file, open for this process alone; it is the owner's to read. Raises `OSError` where it cannot be written,
    `Refused` where it is no recording."""
    if sys.platform == "win32":
        raise Refused("record", path, "a recording could not be locked on Windows; use the Subsystem for Linux")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+", encoding="utf-8", errors="surrogatepass") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not BEGINS.encode().startswith(os.pread(descriptor, len(BEGINS), 0)):
            raise Refused("record", path, "holds something else; name a file of its own")
        os.ftruncate(descriptor, _whole(Path(path)))
        yield file


def _whole(path: Path) -> int:
    """The bytes of the file's whole lines: the last one is not if whoever wrote it was killed at it."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 1))
        if file.read() in (b"", b"\n"):
            return end
        file.seek(0)
        return file.read().rfind(b"\n") + 1


def _append(file: TextIO, line: Mapping[str, Any]) -> None:
    """Add a line, whole or not at all. Raises `OSError` where there is no room for it."""
    end = os.lseek(file.fileno(), 0, os.SEEK_END)
    rest = (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
    try:
        while rest:
            rest = rest[os.write(file.fileno(), rest) :]
    except OSError:
        os.ftruncate(file.fileno(), end)
        raise


def loaded(path: str) -> Recorded:
    """What a file holds; of two replies to one request the later one, which its run went on with.

    Raises `Refused` for a file that is no recording.
    """
    try:
        found = os.stat(path)
    except OSError as fault:
        raise Refused("replay", path, f"{fault.strerror}; name a file that --record has made") from None
    return _loaded(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)
def _loaded(path: str, changed: int, size: int) -> Recorded:
    held = Recorded()
    for number, line in enumerate(Path(path).read_bytes()[: _whole(Path(path))].splitlines(), 1):
        try:
            _take_in(held, json.loads(line.decode("utf-8", "surrogatepass")))
        except (ValueError, KeyError, TypeError, AttributeError):
            remedy = f"line {number} is none that --record writes; take a recording as it was made"
            raise Refused("replay", path, remedy) from None
    return held


def _take_in(held: Recorded, line: Mapping[str, Any]) -> None:
    if "run" in line:
        held.runs.setdefault(line["run"]["place"], line["run"])
        return
    reply: Reply
    if "message" in line:
        reply = AIMessage.model_validate(line["message"])
    else:
        reply = Fault(**line["fault"]) if "fault" in line else line["found"]
    held.replies[line["key"]] = line["request"], reply
