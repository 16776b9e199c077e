"""A series of experiments: the same settings, each with a seed of its own; what is saved tells how far it has come."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ...nodes.clock import stamp
from ...nodes.database import is_postgres
from ...state.draw import repeat_seed
from ...state.justice import JusticeRules, Measures, measure, pooled
from ...state.justice.result import JusticeResult, justice_result, rankings_of
from ...state.justice.series import Series, series
from ...state.refused import Refused
from ..display.plain import as_json
from ..display.terminal import Terminal
from ..document import document
from ..run import resume_run, run_to_end
from ..saved import Run, Saved, Store, load
from ..saved.series import run_name, to_finish
from ..tables.export import csv_files, together
from ..tables.tables import tables
from .log import transcripts
from .news import rule_in_short, say

REPORT = "series.json"
"""The file of an export that says what is reported of the series."""


class SeriesReport(BaseModel):
    """What is reported of a series."""

    model_config = ConfigDict(frozen=True)

    runs: list[str] = Field(description="Names of the runs, in order.")
    group: Series = Field(description="How often groups agreed, on what, and what the amounts did.")
    measures: Measures = Field(
        description="The rankings of all runs together; participants as `n:id`, n the run's place in `runs`, from 1."
    )


async def played(store: Store, name: str, rules: JusticeRules, terminal: Terminal) -> list[Saved]:
    """Every run of a series, in order: finished ones read back, an unfinished one taken up, the others begun."""
    done = []
    for repeat in range(1, rules.repeats + 1):
        own = rules.settled(seed=repeat_seed(rules.run_seed, repeat))
        if rules.repeats > 1 and terminal.shows:
            which = {"repeat": repeat, "repeats": rules.repeats, "run": run_name(name, repeat)}
            terminal.screen.line(say(rules.language, "series.run", **which))
        row = Run(run=run_name(name, repeat), protocol="justice", started=stamp(), rules=own.model_dump(mode="json"))
        done.append(await one_played(store, placed(row, name, repeat) if own.repeats > 1 else row, own, terminal))
    return done


def placed(row: Run, series: str, place: int) -> Run:
    """The row of a run that is one of several."""
    return row.model_copy(update={"series": series, "series_run": place})


async def one_played(store: Store, row: Run, rules: JusticeRules, terminal: Terminal) -> Saved:
    """One run to its end, from wherever it stands."""
    name = row.run
    fresh = await store.runs.add(row)
    folder = Path() if is_postgres(store.where) else Path(store.where).parent
    terminal.callbacks = [*transcripts(rules.logging, name, folder)]
    async with store.lock(name):
        saved = None if fresh else await load(store, name)
        if saved is not None and saved.begun:
            return await resume_run(store, saved, terminal)
        played = await run_to_end(store, name, {"experiment_id": name}, terminal)
    terminal.expected = ""  # it was told with the first run, for all
    return played


async def taken_on(store: Store, name: str, repeats: int | None) -> JusticeRules:
    """The settings a series was begun with, and the runs it is to have from now on; none: as many as before.

    Raises `Refused` where there is no such series, and for fewer runs than it was to have.
    """
    row = await store.runs.get(name)
    if row.protocol != "justice" or (row.series_run or 1) > 1:
        raise Refused("--series", name, "that is no series of justice experiments")
    begun = JusticeRules.model_validate(row.rules)
    if repeats is None or repeats == begun.repeats:
        return begun
    if repeats < begun.repeats:
        raise Refused("--repeats", repeats, f"the series {name} is to have {begun.repeats} runs; give at least as many")
    grown = begun.settled(repeats=repeats)
    row = row.model_copy(update={"rules": grown.model_dump(mode="json")})
    await store.runs.save(placed(row, name, 1))
    return grown


async def still_to_play(store: Store, name: str, rules: JusticeRules) -> JusticeRules:
    """The settings with as many runs as are still to be finished, at least one."""
    row = Run(run=name, protocol="justice", started="", series=name)
    return rules.settled(repeats=max(1, (await to_finish(store, row))[0]))


def reported(results: Mapping[str, JusticeResult], ceiling_warning_share: float) -> SeriesReport:
    """What is reported of the runs, by name."""
    rankings = [rankings_of(one.phase1, one.phase2.final_rankings) for one in results.values()]
    finished = [one.phase2 if one.status == "completed" else None for one in results.values()]
    return SeriesReport(
        runs=list(results), group=series(finished), measures=measure(pooled(rankings), ceiling_warning_share)
    )


def results_of(runs: Sequence[Saved]) -> dict[str, JusticeResult]:
    """The documents of saved runs, by name."""
    return {one.run.run: justice_result(one.state) for one in runs}  # type: ignore[arg-type]


def check_folder(folder: Path, name: str) -> None:
    """Refuse a folder that holds what another series or run left there; its own export is written anew."""
    there = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
    tables_there = [one for one in there if one == REPORT or one.endswith(".csv")]
    if tables_there and name not in _exported_before(folder):
        remedy = f"{tables_there[0]} of another export is there already; name another folder"
        raise Refused("--export", str(folder), remedy)


def _exported_before(folder: Path) -> list[str]:
    """The runs of the series whose export a folder holds; none where it is no export."""
    try:
        found = json.loads((folder / REPORT).read_text("utf-8"))
        return [str(one) for one in found["runs"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def exported(folder: Path, runs: Sequence[Saved], report: SeriesReport) -> list[Path]:
    """Write `<run>.json`, `series.json` and, as CSV, the tables of a run with the rows of all; gives the files."""
    texts: dict[str, str] = {f"{name}.json": _json(one) for name, one in results_of(runs).items()}
    texts[REPORT] = _json(report)
    texts |= csv_files(together([tables(document(one)) for one in runs]))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8", newline="")
    except OSError as fault:
        raise Refused("--export", str(folder), f"cannot be written: {fault.strerror}") from None
    return [folder / name for name in texts]


def _json(one: BaseModel) -> str:
    found: dict[str, Any] = one.model_dump(mode="json")
    return as_json(found) + "\n"


def report_lines(report: SeriesReport, language: str) -> list[str]:
    """A series in a few lines."""
    rate = report.group.consensus
    lines = [say(language, "series.runs", count=len(report.runs))]
    if rate.share is not None:
        shares = {"share": f"{rate.share:.0%}", "low": f"{rate.low:.3f}", "high": f"{rate.high:.3f}"}
        lines.append(
            say(language, "series.consensus", **shares, **rate.model_dump(include={"count", "of", "left_out"}))
        )
    lines += [f"  {rule_in_short(one.rule, language)}: {one.runs}" for one in report.group.agreed]
    for name in ("constraint_satisfied", "binding", "decisive"):
        found = getattr(report.group, name)
        if found.of:
            lines.append(say(language, f"series.{name}", count=found.count, of=found.of))
    return lines
