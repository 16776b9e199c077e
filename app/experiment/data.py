"""The data of an experiment: the tables of its runs put together, each row under the name of its run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..document import document
from ..saved import Store, load
from ..saved.experiments import Standing, Stored
from ..tables.columns import RUNS, Columns
from ..tables.justice_tables import Row
from ..tables.tables import Table, tables
from .answer import answer_of, credit
from .begin import stored_plan
from .draw import Trial, cells, trials
from .knobs import differing
from .plan import Plan

RENAMED = {"turns": "statements"}
"""Tables of a run that have another name among those of an experiment."""

PLACE: Columns = {
    "run": "Name of the run; the key of every table.",
    "experiment": "Name of the experiment.",
    "condition": "Label of the condition.",
    "arm": "Which arm it is; empty: the talk itself.",
    "silenced": "Of a fork: whose first statements were silenced; empty: nobody's.",
    "fork": "Of a fork: its number among those that silence the same; empty: it is none.",
    "item": "Id of the item.",
    "repeat": "Which repeat, from 1.",
    "swap": "What is the other way round: sides, order, options; empty: nothing.",
    "seed": "Seed of its draws, the same under every condition.",
    "state": "planned, begun, stopped, failed or done.",
    "why": "Why it failed or stopped.",
}
MEASURED: Columns = {
    "answer": "What it answered: an option's id, a side, a number; tied ones between semicolons; empty: nothing.",
    "truth": "The right answer, as `answer` gives it: the id of one of the item's options; empty: not known.",
    "right": "1: the answer is right; 0: it is not, or the run failed; between: several were tied; empty: not known. "
    "Of samples: of all that were drawn; the table arms has as many as the report compares with the talk.",
    "input_tokens": "Prompt tokens of all calls.",
    "cached_tokens": "Those of them that the provider served from its cache.",
    "output_tokens": "Completion tokens of all calls.",
    "seconds": "Wall time while it was running, in seconds.",
}


@dataclass(frozen=True)
class Outcome:
    """One planned run with what came of it. `document`: none where nothing of it is saved."""

    trial: Trial
    standing: Standing | None
    document: Mapping[str, Any] | None

    @property
    def state(self) -> str:
        """planned, begun, stopped, failed or done."""
        return self.standing.state if self.standing else "planned"

    @property
    def done(self) -> bool:
        """Whether it came to a result."""
        return self.state == "done"


async def outcomes(store: Store, stored: Stored) -> list[Outcome]:
    """Every planned run, in the plan's order."""
    standings = await store.experiments.standings(stored.name)
    begun = {one.run for one in await store.runs.all() if one.experiment == stored.name}
    return [await _outcome(store, one, standings.get(one.run), begun) for one in trials(stored_plan(stored))]


async def _outcome(store: Store, trial: Trial, standing: Standing | None, begun: set[str]) -> Outcome:
    saved = await load(store, trial.run) if trial.run in begun else None
    return Outcome(trial, standing, document(saved) if saved is not None and saved.begun else None)


def is_rehearsed(found: Sequence[Outcome]) -> bool:
    """Whether no model took part in any run."""
    told = [one.document for one in found if one.document is not None]
    return bool(told) and all(one["rehearsal"] for one in told if one["calls"])


def data(plan: Plan, found: Sequence[Outcome]) -> dict[str, Table]:
    """All tables by name; `runs` has a row for each planned run, also for those of which nothing is saved."""
    told = [one for one in found if one.document is not None]
    each = [tables(one.document) for one in told if one.document is not None]
    names = dict.fromkeys(name for one in each for name in one if name != "runs")
    whole = {"runs": _runs(plan, found, [one["runs"] for one in each])}
    for name in names:
        columns = {key: meaning for one in each if name in one for key, meaning in one[name].columns.items()}
        whole[RENAMED.get(name, name)] = Table(columns, [row for one in each if name in one for row in one[name].rows])
    return whole


def _runs(plan: Plan, found: Sequence[Outcome], saved: Sequence[Table]) -> Table:
    """A row for each planned run. `saved`: the table of each run of which something is saved, with its own columns."""
    by_run = {row["run"]: row for one in saved for row in one.rows}
    knobs = differing([one.document for one in found if one.document is not None])
    of_run = {run: {path: values[place] for path, values in knobs.items()} for place, run in enumerate(by_run)}
    factors = list(dict.fromkeys(path for cell in cells(plan) for path in cell.settings))
    chosen = {f"factor.{path}": f"Factor {path} of the condition; empty: not set by it." for path in factors}
    varied = {f"knob.{path}": f"Knob {path}, which differs between runs." for path in knobs}
    known = RUNS | {key: meaning for one in saved for key, meaning in one.columns.items()}
    own = {key: meaning for key, meaning in known.items() if key not in PLACE}
    columns = {**dict(list(PLACE.items())[:3]), **chosen, **dict(list(PLACE.items())[3:]), **own, **MEASURED, **varied}
    rows = []
    for one in found:
        row = dict.fromkeys(columns) | by_run.get(one.trial.run, {}) | place_of(plan, one)
        row |= {f"factor.{path}": _cell(value) for path, value in one.trial.cell.settings.items()}
        row |= {f"knob.{path}": value for path, value in of_run.get(one.trial.run, {}).items()}
        rows.append({key: row[key] for key in columns})
    return Table(columns, rows)


def place_of(plan: Plan, one: Outcome) -> Row:
    """Where a run stands in the plan, how it ended, and what it came to."""
    trial, found = one.trial, one.document
    calls: list[dict[str, Any]] = found["calls"] if found else []
    truth = trial.item.truth
    tried = one.standing is not None
    return {
        "run": trial.run,
        "experiment": plan.name,
        "condition": trial.cell.label,
        "arm": trial.arm,
        "silenced": silenced_in(found),
        "fork": trial.fork.number if trial.fork else None,
        "item": trial.item.id,
        "repeat": trial.repeat,
        "swap": "; ".join(trial.swap),
        "seed": trial.seed,
        "state": one.state,
        "why": one.standing.why if one.standing else "",
        "answer": answer_of(found) if found else "",
        "truth": next(iter(trial.item.right), truth),
        "right": (credit(found, truth) if found and one.done else 0.0) if tried and truth is not None else None,
        **{key: sum(call[key] for call in calls) for key in ("input_tokens", "cached_tokens", "output_tokens")},
        "seconds": found["totalTimeMs"] / 1000 if found else None,
    }


def silenced_in(found: Mapping[str, Any] | None) -> str:
    """Whose statements nobody is shown in a run."""
    pairs = zip(found["turns"], found["course"], strict=True) if found else ()
    return "; ".join(dict.fromkeys(turn["speakerId"] for turn, course in pairs if course["silenced"]))


def _cell(value: object) -> object:
    return "; ".join(map(str, value)) if isinstance(value, list | dict) else value
