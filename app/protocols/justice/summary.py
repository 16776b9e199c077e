"""Summary of many justice experiments: agreements, chosen principles and changes of rankings."""

from collections.abc import Mapping, Sequence
from functools import partial

from pydantic import BaseModel, ConfigDict, Field

from ....state.justice import (
    JusticeResult,
    Measures,
    SeriesSummary,
    build_justice_result,
    collect_rankings,
    combine_rankings,
    compute_measures,
    summarize_runs,
)
from ...saved import SavedRun
from .step_messages import format_rule, translate_justice_phrase


class JusticeSummary(BaseModel):
    """Summary of many runs."""

    model_config = ConfigDict(frozen=True)

    runs: list[str] = Field(description="Names of the runs, in order.")
    group: SeriesSummary = Field(description="Consensus rates, adopted rules and effects of the amounts.")
    measures: Measures = Field(
        description=(
            "Measures of the rankings in all runs. A participant is `n:id`, with the run's "
            "position n in `runs`, from 1."
        )
    )


def summarize_results(results: Mapping[str, JusticeResult], ceiling_warning_share: float) -> JusticeSummary:
    """Summarize the results of several runs. `results`: the result of each run, by run name."""
    rankings = [collect_rankings(result.phase1, result.phase2.final_rankings) for result in results.values()]
    groups = [result.phase2 if result.status == "completed" else None for result in results.values()]
    return JusticeSummary(
        runs=list(results),
        group=summarize_runs(groups),
        measures=compute_measures(combine_rankings(rankings), ceiling_warning_share),
    )


def build_results(runs: Sequence[SavedRun]) -> dict[str, JusticeResult]:
    """Build the results of saved runs, by name."""
    return {run.run.run: build_justice_result(run.state) for run in runs}  # type: ignore[arg-type]


def list_summary_lines(summary: JusticeSummary, language: str) -> list[str]:
    """List the lines of a summary."""
    group, translate = summary.group, partial(translate_justice_phrase, language)
    rate, lines = group.consensus, [translate("series.runs", count=len(summary.runs))]
    if rate.share is not None:
        shares = {"share": f"{rate.share:.0%}", "low": f"{rate.low:.3f}", "high": f"{rate.high:.3f}"}
        lines.append(translate("series.consensus", **shares, **rate.model_dump(include={"count", "of", "left_out"})))
    lines += [f"  {format_rule(agreement.rule, language)}: {agreement.runs}" for agreement in group.agreed]
    for name in ("constraint_satisfied", "binding", "decisive"):
        rate = getattr(group, name)
        if rate.of:
            lines.append(translate(f"series.{name}", count=rate.count, of=rate.of))
    return lines
