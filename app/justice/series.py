"""A series of experiments: the same settings, each with a seed of its own; what is saved tells how far it has come."""

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
from ..tables.export import csv_files, together
from ..tables.tables import tables
from .log import transcripts
from .news import rule_in_short, say


class SeriesReport(BaseModel):
    """What is reported of a series."""

    model_config = ConfigDict(frozen=True)

    runs: list[str] = Field(description="Names of the runs, in order.")
    group: Series = Field(description="How often groups agreed, on what, and what the amounts did.")
    measures: Measures = Field(
        description="The rankings of all runs together; participants as `n:id`, n the run's place in `runs`, from 1."
    )


def run_name(name: str, repeat: int) -> str:
    """The name of the repeat-th run of a series, from 1; the first has the series's own."""
    return name if repeat == 1 else f"{name}-{repeat}"


async def played(store: Store, name: str, rules: JusticeRules, session: Terminal) -> list[Saved]:
    """Every run of a series, in order: finished ones read back, an unfinished one taken up, the others begun."""
    done = []
    for repeat in range(1, rules.repeats + 1):
        own = rules.settled(seed=repeat_seed(rules.run_seed, repeat))
        if rules.repeats > 1 and session.shows:
            which = {"repeat": repeat, "repeats": rules.repeats, "run": run_name(name, repeat)}
            session.screen.line(say(rules.language, "series.run", **which))
        done.append(await one_played(store, run_name(name, repeat), own, session))
    return done


async def one_played(store: Store, name: str, rules: JusticeRules, session: Terminal) -> Saved:
    """One run to its end, from wherever it stands."""
    row = Run(run=name, protocol="justice", started=stamp(), rules=rules.model_dump(mode="json"))
    fresh = await store.runs.add(row)
    folder = Path() if is_postgres(store.where) else Path(store.where).parent
    session.callbacks = [*transcripts(rules.logging, name, folder)]
    async with store.lock(name):
        saved = None if fresh else await load(store, name)
        if saved is None or not saved.begun:
            return await run_to_end(store, name, {"experiment_id": name}, session)
        return await resume_run(store, saved, session)


async def settings_of(store: Store, name: str) -> JusticeRules:
    """The settings a series was begun with; Refused where there is none of this name."""
    row = await store.runs.get(run_name(name, 1))
    if row.protocol != "justice":
        raise Refused("--series", name, "that is no series of justice experiments")
    return JusticeRules.model_validate(row.rules)


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


def exported(folder: Path, runs: Sequence[Saved], report: SeriesReport) -> list[Path]:
    """Write `<run>.json`, `series.json` and, as CSV, the tables of a run with the rows of all; gives the files."""
    texts: dict[str, str] = {f"{name}.json": _json(one) for name, one in results_of(runs).items()}
    texts["series.json"] = _json(report)
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
