"""Many justice experiments in short: how often groups agreed, on what, and how rankings moved."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from ...state.justice import Measures, measure, pooled
from ...state.justice.result import JusticeResult, justice_result, rankings_of
from ...state.justice.series import Series, series
from ..saved import Saved
from .news import rule_in_short, say


class Summary(BaseModel):
    """What is reported of many runs."""

    model_config = ConfigDict(frozen=True)

    runs: list[str] = Field(description="Names of the runs, in order.")
    group: Series = Field(description="How often groups agreed, on what, and what the amounts did.")
    measures: Measures = Field(
        description="The rankings of all runs together; participants as `n:id`, n the run's place in `runs`, from 1."
    )


def summary_of(results: Mapping[str, JusticeResult], ceiling_warning_share: float) -> Summary:
    """What is reported of the runs, by name."""
    rankings = [rankings_of(one.phase1, one.phase2.final_rankings) for one in results.values()]
    finished = [one.phase2 if one.status == "completed" else None for one in results.values()]
    return Summary(
        runs=list(results), group=series(finished), measures=measure(pooled(rankings), ceiling_warning_share)
    )


def results_of(runs: Sequence[Saved]) -> dict[str, JusticeResult]:
    """The documents of saved runs, by name."""
    return {one.run.run: justice_result(one.state) for one in runs}  # type: ignore[arg-type]


def summary_lines(report: Summary, language: str) -> list[str]:
    """The same in a few lines."""
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
