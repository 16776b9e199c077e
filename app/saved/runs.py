"""Rows of saved runs, in the database of their checkpoints, and the names of runs."""

import json
import logging
import re
import secrets
import unicodedata
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, JsonValue

from ...state import PARTICIPANTS_UNAVAILABLE, FrozenModel, InputError
from ...state.plugins import PROTOCOL_GROUP, map_entry_points
from ...storage import CIPHER_NAME, Cipher
from ..display.plain_text import strip_controls

RUN_VERSION: Literal[2] = 2
"""Newest known version of a stored run."""

RUN_TABLE = (
    "CREATE TABLE IF NOT EXISTS moot_runs ("
    "run TEXT PRIMARY KEY, started TEXT NOT NULL, about TEXT NOT NULL, holder TEXT NOT NULL DEFAULT '')"
)

Rows = list[Sequence[Any]]
Execute = Callable[..., Awaitable[Rows]]
"""Function that runs one SQL statement, with `?` for each value, and returns its rows."""


def make_version_error(key: str, name: str, version: object) -> InputError:
    """Make the error for data that a later or a pre-release version of Moot saved.

    `key`, `name`: what the error names. `version`: version of the data.
    """
    if version == 1:
        return InputError(key, name, "the run was saved by an early version of Moot that this one cannot read")
    return InputError(
        key,
        name,
        f"the run has schema_version {version}, but this Moot reads at most {RUN_VERSION}; install a newer Moot",
    )


class Run(FrozenModel):
    """Row of one run in the table of runs. The deliberation itself is in the checkpoints."""

    schema_version: int = Field(default=RUN_VERSION, ge=1, description="Version of this record and of the run's state.")
    run: str = Field(description="Name of the run.")
    protocol: str = Field(description="Name of the protocol.")
    topic: str = Field(default="", description="Topic or question.")
    started: str = Field(description="Start of the run, ISO 8601, UTC.")
    settings: dict[str, Any] = Field(default_factory=dict, description="Settings of the run, as requested.")
    client_models: list[str] | None = Field(
        default=None,
        description="Models that the server offers to the client; none: the operator started the run.",
    )
    client: str = Field(
        default="", description="Digest of the client's key, if the run is an A2A task; empty: no task."
    )
    context: str = Field(default="", description="Context of the A2A task; empty: no task.")
    paused_ms: int = Field(default=0, ge=0, description="Total time between stops and resumptions, in milliseconds.")
    forked_from: str = Field(default="", description="Run and checkpoint of the original; empty: no fork.")
    forked_turn: int | None = Field(
        default=None, ge=0, description="Last turn taken from the original; `None` if unknown."
    )
    forked_calls: int = Field(default=0, ge=0, description="Number of recorded calls that the original made.")
    forked_with: dict[str, JsonValue] = Field(default_factory=dict, description="Changes of the fork, by key.")
    experiment: str = Field(default="", description="Experiment of the run; empty: none.")
    condition: str = Field(default="", description="Condition in the experiment.")
    item: str = Field(default="", description="Item in the experiment.")
    repeat: int | None = Field(
        default=None, ge=1, description="Repeat in the experiment, from 1; `None` outside experiments."
    )
    due_at: str = Field(
        default="", description="Next deadline of the people that the run waits for, ISO 8601, UTC; empty: no deadline."
    )
    has_questions: bool = Field(default=False, description="Whether the run waits for answers of people.")
    waiting_for: str = Field(default="", description="Model whose server a parked run waits for; empty: not parked.")
    retry_at: str = Field(
        default="",
        description="End of the wait that the server asked for, ISO 8601, UTC; empty: until the server answers.",
    )
    is_driven: bool = Field(
        default=False, description="Whether a room executes the run, or did when the room's process died."
    )
    fault: str = Field(default="", description="Reason for a stop before the end, on one line; empty: no fault.")
    checkpoint: str = Field(
        default="", description="Checkpoint at which Moot counted the figures of the run; empty: none."
    )
    is_finished: bool = Field(default=False, description="Whether the run has ended.")
    turns: int = Field(default=0, ge=0, description="Number of statements, counted when the run ends or stops.")
    ending: str = Field(default="", description="Name of the ending.")
    models: list[str] = Field(default=[], description="Models of the run, listed when it ends or stops.")
    cost: float | None = Field(default=None, ge=0, description="Money spent, if prices are known.")
    tokens: int = Field(default=0, ge=0, description="Tokens of all calls, counted when the run ends or stops.")

    @property
    def package(self) -> str:
        """Return the package that provides the run's protocol; empty for Moot's own protocols."""
        return str(self.settings.get("packages", {}).get("protocol", ""))

    @property
    def missing_package(self) -> str:
        """Return the package of the protocol if it is missing, otherwise an empty text.

        Without the package, Moot cannot load a state of the run.
        """
        return "" if self.protocol in map_entry_points(PROTOCOL_GROUP) else self.package


RUN_STATES = ("live", "waiting", "parked", "stopped", "failed", "incomplete", "finished")
"""States of runs, in the order of filters."""


def get_run_state(run: Run, is_held: bool) -> str:
    """Return the state of a run, one of `RUN_STATES`. `is_held`: whether a process executes the run.

    `failed`: it stopped with a fault before the first statement. `incomplete`: an outage ended it.
    """
    if run.is_finished and run.ending != PARTICIPANTS_UNAVAILABLE:
        return "finished"
    if is_held:
        return "live"
    if run.waiting_for:
        return "parked"
    if run.is_finished:
        return "incomplete"
    if run.has_questions:
        return "waiting"
    return "failed" if run.fault and not run.turns else "stopped"


@contextmanager
def report_damaged_record(key: str, name: str) -> Iterator[None]:
    """Raise `InputError` in place of errors within the `with` block from a record that is unreadable.

    `key`, `name`: what the error names.
    """
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(key, name, f"the saved record of this run cannot be read ({type(error).__name__})") from None


class DatabaseTable:
    """Table in one database, whose texts a cipher may encrypt.

    Texts saved before encryption was turned on stay readable.
    """

    def __init__(self, execute: Execute, cipher: Cipher | None) -> None:
        self._execute, self._cipher = execute, cipher

    def _encrypt(self, text: str) -> str:
        return self._cipher.encrypt_text(text) if self._cipher and text else text

    def _decrypt(self, text: str) -> str:
        if self._cipher is None and text.startswith(f"{CIPHER_NAME}:"):
            raise InputError("MOOT_DB_KEY", None, "this database is encrypted; set the key that encrypted it")
        return self._cipher.decrypt_text(text) if self._cipher and text and not text.startswith("{") else text


class RunTable(DatabaseTable):
    """Table of runs. `writes_table`: name of LangGraph's table with the writes of nodes."""

    def __init__(self, execute: Execute, cipher: Cipher | None, writes_table: str) -> None:
        super().__init__(execute, cipher)
        self._writes_table = writes_table
        self._listed_runs: dict[str, tuple[str, Run | None]] = {}

    async def add_run(self, run: Run) -> bool:
        """Insert a new run, unless its name is taken. Return whether it was inserted.

        Raises `InputError` if the encryption key cannot read the saved runs.
        """
        query = "SELECT run, about FROM moot_runs WHERE about LIKE ? LIMIT 1"
        for name, encoded_run in await self._execute(query, f"{CIPHER_NAME}:%"):
            self._decode_run(name, encoded_run)
        encoded_run = self._encrypt(run.model_dump_json())
        statement = (
            "INSERT INTO moot_runs (run, started, about) VALUES (?, ?, ?) ON CONFLICT (run) DO NOTHING RETURNING run"
        )
        return bool(await self._execute(statement, run.run, run.started, encoded_run))

    async def get_run(self, name: str) -> Run:
        """Return the run with this name.

        Raises `InputError` if it does not exist, or if another version of Moot saved it.
        """
        if not (rows := await self._execute("SELECT about FROM moot_runs WHERE run = ?", name)):
            raise InputError("run", name, "no such run in this database; `moot runs` lists them")
        return self._decode_run(name, rows[0][0])

    async def has_run(self, name: str) -> bool:
        """Return whether a run with this name exists."""
        return bool(await self._execute("SELECT 1 FROM moot_runs WHERE run = ?", name))

    async def has_current_figures(self, run: Run) -> bool:
        """Return whether a row shows the figures (turns, tokens, cost) of the run's newest checkpoint."""
        query = "SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
        return bool(run.checkpoint) and (await self._execute(query, run.run))[0][0] == run.checkpoint

    async def list_unencrypted_runs(self) -> list[str]:
        """List the names of runs with data saved before encryption was turned on, newest first."""
        subquery = f"SELECT 1 FROM {self._writes_table} WHERE thread_id = run AND type NOT LIKE ?"
        query = f"SELECT run FROM moot_runs WHERE about LIKE ? OR EXISTS ({subquery}) ORDER BY started DESC, run"
        rows = await self._execute(query, "{%", f"%+{CIPHER_NAME}") if self._cipher else []
        return [name for (name,) in rows]

    async def list_runs(self) -> list[Run]:
        """Return every run, newest first.

        A row that has not changed since the last call is not parsed again. A row that cannot be read is left out, with
        a warning. Raises `InputError` without the key of the database.
        """
        rows = await self._execute("SELECT run, about FROM moot_runs ORDER BY started DESC, run")
        known_runs = self._listed_runs
        self._listed_runs = {
            name: known_runs[name]
            if known_runs.get(name, ("",))[0] == encoded_run
            else (encoded_run, self._try_decode(name, encoded_run))
            for name, encoded_run in rows
        }
        return [run for _, run in self._listed_runs.values() if run]

    async def save_run(self, run: Run) -> None:
        """Save the changed row of a run."""
        await self._execute(
            "UPDATE moot_runs SET about = ? WHERE run = ?", self._encrypt(run.model_dump_json()), run.run
        )

    async def delete_row(self, name: str) -> None:
        """Delete the row of a run."""
        await self._execute("DELETE FROM moot_runs WHERE run = ?", name)

    async def save_holder(self, name: str, holder: dict[str, object] | None) -> None:
        """Save which process executes a run. Other processes name it if they find the run locked.

        `holder`: pid, host and start of the process; `None` for no process.
        """
        await self._execute("UPDATE moot_runs SET holder = ? WHERE run = ?", json.dumps(holder) if holder else "", name)

    async def load_holder(self, name: str) -> dict[str, Any]:
        """Return the process that last executed a run: pid, host and start.

        The mapping is empty if no process was recorded.
        """
        rows = await self._execute("SELECT holder FROM moot_runs WHERE run = ?", name)
        return dict(json.loads(rows[0][0])) if rows and rows[0][0] else {}

    def _try_decode(self, name: str, encoded_run: str) -> Run | None:
        try:
            return self._decode_run(name, encoded_run)
        except InputError as error:
            if error.key == "MOOT_DB_KEY":
                raise
            logging.getLogger(__name__).warning("moot: left out: %s", error)
            return None

    def _decode_run(self, name: str, encoded_run: str) -> Run:
        with report_damaged_record("run", name):
            encoded_run = self._decrypt(encoded_run)
            if (version := json.loads(encoded_run).get("schema_version", RUN_VERSION)) != RUN_VERSION:
                raise make_version_error("run", name, version)
            return Run.model_validate_json(encoded_run)


@dataclass(frozen=True)
class RunIndex:
    """Open table of runs.

    `is_held`: function that returns whether a process executes a run.
    """

    runs: RunTable
    is_held: Callable[[str], Awaitable[bool]]


_STOP_WORDS = re.compile(
    "a|an|and|are|as|at|be|by|can|could|did|do|does|for|from|has|have|how|in|is|it|its|may|might|must|my|not|of|on|or|"
    "our|shall|should|some|than|that|the|their|them|there|these|this|those|to|was|we|were|what|when|where|which|while|"
    "who|why|will|with|would|you|your|"
    "al|como|con|cual|de|del|el|en|es|esta|la|las|lo|los|mas|o|para|pero|por|que|quien|se|ser|si|sin|son|su|sus|un|una|y"
)

MAX_NAME_LENGTH = 80


def make_run_name(protocol: str, topic: str = "") -> str:
    """Make a name such as `debate-ban-cars-k3f9`: the protocol, words of the topic, and random letters.

    The letters do not depend on the run's seed. A topic without words in Latin script gives `debate-k3f9`.
    """
    suffix = "".join(secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(4))
    folded_topic = unicodedata.normalize("NFKD", strip_controls(topic[:4000])).casefold()
    latin_topic = "".join(letter for letter in folded_topic if not unicodedata.combining(letter))
    words = [word for word in re.findall(r"[^\W_]+", latin_topic) if word.isascii() and not _STOP_WORDS.fullmatch(word)]
    return "-".join([protocol, *[word[:12] for word in words[:3]], suffix])


def check_run_name(name: str) -> str:
    """Return `name` if it is a valid run name. Raises `InputError` otherwise."""
    if len(name) > MAX_NAME_LENGTH or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise InputError("run", name, "no run has such a name; `moot runs` lists them")
    return name
