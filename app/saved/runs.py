"""Saved runs: a row for each, beside its checkpoints in the same database."""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from ...nodes.cipher import NAME, Cipher
from ...state.refused import Refused

VERSION: Literal[1] = 1
"""The newest version of a stored run that is understood."""

TABLE = (
    "CREATE TABLE IF NOT EXISTS moot_runs ("
    "run TEXT PRIMARY KEY, started TEXT NOT NULL, about TEXT NOT NULL, holder TEXT NOT NULL DEFAULT '')"
)

Rows = list[Sequence[Any]]
Execute = Callable[..., Awaitable[Rows]]
"""Runs one SQL statement with `?` for each value, and gives its rows."""


class Run(BaseModel):
    """One run, as the list of runs knows it. The deliberation itself stands in the checkpoints."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    schema_version: int = Field(default=VERSION, ge=1, description="Version of this record and of the run's state.")
    run: str = Field(description="Its name.")
    protocol: str = Field(description="Name of its protocol.")
    topic: str = Field(default="", description="What it is about.")
    started: str = Field(description="When it was begun, ISO 8601, UTC.")
    rules: dict[str, Any] = Field(default_factory=dict, description="The rules as they were given.")
    paused_ms: int = Field(default=0, ge=0, description="Milliseconds between a stop and the next resumption, summed.")
    forked_from: str = Field(default="", description="The run and checkpoint it goes on from; empty: begun anew.")
    forked_turn: int | None = Field(default=None, ge=0, description="After which turn that was; none: not on record.")
    forked_calls: int = Field(default=0, ge=0, description="Calls on its record that the other run made before.")
    forked_with: dict[str, JsonValue] = Field(default_factory=dict, description="What was set there, by its key.")
    experiment: str = Field(default="", description="The experiment it belongs to; empty: none.")
    condition: str = Field(default="", description="The condition it was run under there.")
    item: str = Field(default="", description="The item it was run on there.")
    repeat: int | None = Field(default=None, ge=1, description="Which repeat it is there, from 1; none: in none.")
    due: str = Field(
        default="", description="When the next time of those it waits for is over, ISO 8601, UTC; empty: never."
    )
    fault: str = Field(default="", description="Why it stopped before its end, in one line; empty: nothing was wrong.")
    finished: bool = Field(default=False, description="Whether it has come to its end.")
    turns: int = Field(default=0, ge=0, description="Statements made; counted when it is finished.")
    ending: str = Field(default="", description="The reason it ended.")
    tokens: int = Field(default=0, ge=0, description="Tokens of all calls; counted when it is finished.")

    @property
    def package(self) -> str:
        """The package that brought its protocol; empty: it is one of Moot's own."""
        return str(self.rules.get("packages", {}).get("protocol", ""))


class Runs:
    """The table of runs of one database. `writes`: the table of what their steps wrote."""

    def __init__(self, execute: Execute, cipher: Cipher | None, writes: str) -> None:
        self._execute, self._cipher, self._writes = execute, cipher, writes

    async def add(self, run: Run) -> bool:
        """Enter a new run; false if its name is taken. Raises `Refused` if this key cannot read the others."""
        sealed = "SELECT run, about FROM moot_runs WHERE about NOT LIKE ? LIMIT 1"
        for name, about in await self._execute(sealed, "{%"):
            self._read(name, about)
        about = self._written(run)
        row = "INSERT INTO moot_runs (run, started, about) VALUES (?, ?, ?) ON CONFLICT (run) DO NOTHING RETURNING run"
        return bool(await self._execute(row, run.run, run.started, about))

    async def get(self, name: str) -> Run:
        """The run of this name; raises `Refused` if there is none, or if it is from a newer version of Moot."""
        rows = await self._execute("SELECT about FROM moot_runs WHERE run = ?", name)
        if not rows:
            raise Refused("run", name, "no such run in this database; `moot runs` lists them")
        return self._read(name, rows[0][0])

    async def unfinished(self, name: str) -> bool:
        """Whether there is such a run and it has not come to its end."""
        rows = await self._execute("SELECT about FROM moot_runs WHERE run = ?", name)
        return bool(rows) and not self._read(name, rows[0][0]).finished

    async def plain(self) -> list[str]:
        """The runs of which something was written in plain words before there was a key, newest first."""
        here = f"SELECT 1 FROM {self._writes} WHERE thread_id = run AND type NOT LIKE ?"
        found = f"SELECT run FROM moot_runs WHERE about LIKE ? OR EXISTS ({here}) ORDER BY started DESC, run"
        rows = await self._execute(found, "{%", f"%+{NAME}") if self._cipher else []
        return [name for (name,) in rows]

    async def all(self) -> list[Run]:
        """Every run, newest first."""
        rows = await self._execute("SELECT run, about FROM moot_runs ORDER BY started DESC, run")
        return [self._read(name, about) for name, about in rows]

    async def save(self, run: Run) -> None:
        """Enter what has changed."""
        await self._execute("UPDATE moot_runs SET about = ? WHERE run = ?", self._written(run), run.run)

    async def drop(self, name: str) -> None:
        """Forget a run."""
        await self._execute("DELETE FROM moot_runs WHERE run = ?", name)

    async def hold(self, name: str, holder: dict[str, object] | None) -> None:
        """Write down who runs it now, for those who find it locked."""
        text = json.dumps(holder) if holder else ""
        await self._execute("UPDATE moot_runs SET holder = ? WHERE run = ?", text, name)

    async def holder(self, name: str) -> dict[str, Any]:
        """Who said last that it runs this run: pid, host, since."""
        rows = await self._execute("SELECT holder FROM moot_runs WHERE run = ?", name)
        return dict(json.loads(rows[0][0])) if rows and rows[0][0] else {}

    def _written(self, run: Run) -> str:
        text = run.model_dump_json()
        return self._cipher.seal(text) if self._cipher else text

    def _read(self, name: str, about: str) -> Run:
        if not about.startswith("{"):
            if self._cipher is None:
                raise Refused("MOOT_DB_KEY", None, "this database is encrypted; set the key it was written with")
            about = self._cipher.unseal(about)
        try:
            version = json.loads(about).get("schema_version", VERSION)
            if version > VERSION:
                raise newer("run", name, version)
            return Run.model_validate_json(about)
        except (ValidationError, json.JSONDecodeError) as fault:
            raise Refused("run", name, f"its record cannot be read ({type(fault).__name__})") from None


def newer(key: str, name: str, version: object) -> Refused:
    """The refusal of something saved by a later version of Moot."""
    return Refused(key, name, f"saved with schema_version {version}, this Moot knows {VERSION}; install a newer Moot")
