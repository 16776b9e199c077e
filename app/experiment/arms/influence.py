"""Influence of each participant on the decision, measured by forks without its first statements.

Control forks, which keep all statements, show how often the decision changes by chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..data import ExperimentRun
from ..measures import Answer, ForkDecisions, collect_changed_shares, measure_influence
from ..statistics import IntervalEstimate, estimate_mean
from .answers import TalkWithArms


@dataclass(frozen=True)
class InfluenceRow:
    """Share of decisions that change without the first statements of one participant.

    `influence`: share of changed decisions in the participant's forks, minus that in the control forks. `control`:
    share of control forks with a changed decision. `failed`: number of forks without a result, including control
    forks. The other figures exclude them.
    """

    who: str
    influence: IntervalEstimate
    changed: IntervalEstimate
    control: IntervalEstimate
    forks: int
    failed: int


def build_influence_rows(talks: Sequence[TalkWithArms]) -> list[InfluenceRow]:
    """Return a row for each participant who was silenced, in seat order."""
    forked_talks = [talk for talk in talks if talk.run.is_done and talk.forks]
    tolerance = forked_talks[0].answer_format.tolerance if forked_talks and forked_talks[0].settings else 0.0
    decisions = []
    for talk in forked_talks:
        answers: dict[str, list[Answer | None]] = {_get_silenced_name(talk, fork): [] for fork in talk.forks}
        for fork in talk.forks:
            if fork.is_done:
                answers[_get_silenced_name(talk, fork)].append(_find_decision(talk, fork))
        control_answers = answers.pop("", [])
        decision = _find_decision(talk, talk.run)
        decisions.append(ForkDecisions(talk.run.planned.item.id, decision, answers, control_answers))
    influence_by_name = measure_influence(decisions, tolerance)
    forks = [(_get_silenced_name(talk, fork), fork) for talk in forked_talks for fork in talk.forks]
    control = estimate_mean(collect_changed_shares(decisions, None, tolerance))
    rows = []
    for name in dict.fromkeys(name for name, _ in forks if name):
        influence = estimate_mean(influence_by_name.get(name, {}))
        changed = estimate_mean(collect_changed_shares(decisions, name, tolerance))
        fork_count = sum(fork.has_ended for fork_name, fork in forks if fork_name == name)
        failed_count = sum(fork.state == "failed" for fork_name, fork in forks if fork_name in (name, ""))
        rows.append(InfluenceRow(name, influence, changed, control, fork_count, failed_count))
    return rows


def _find_decision(talk: TalkWithArms, run: ExperimentRun) -> Answer | None:
    """Return the decision of a run, with tied answers joined to one text; `None` without an answer."""
    winners = talk.list_winners(run)
    return winners[0] if len(winners) == 1 else "; ".join(sorted(map(str, winners))) or None


def _get_silenced_name(talk: TalkWithArms, fork: ExperimentRun) -> str:
    seat = fork.planned.fork.seat if fork.planned.fork else 0
    return str(talk.run.document["participants"][seat - 1]["name"]) if seat and talk.run.document else ""
