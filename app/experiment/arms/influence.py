"""Influence of each participant on the decision: forks that silence the participant against control forks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....state.positions import build_answer_format
from ..data import ExperimentRun
from ..measures import Answer, ForkDecisions, collect_changed_shares, measure_influence
from ..statistics import IntervalEstimate, estimate_mean
from .answers import TalkWithArms, list_winners

FORK_END_STATES = ("done", "failed")


@dataclass(frozen=True)
class InfluenceRow:
    """Share of decisions that change without the first statements of one participant."""

    who: str
    influence: IntervalEstimate
    """Share of its forks that decide otherwise, minus that of the control forks."""
    changed: IntervalEstimate
    control: IntervalEstimate
    """Share of forks with all statements that decide otherwise."""
    forks: int
    failed: int
    """Forks without a result, control forks included. The other figures leave them out."""


def build_influence_rows(talks: Sequence[TalkWithArms]) -> list[InfluenceRow]:
    """Return a row for each participant who was silenced, in seat order."""
    forked_talks = [talk for talk in talks if talk.run.is_done and talk.forks]
    tolerance = (
        build_answer_format(forked_talks[0].settings).tolerance if forked_talks and forked_talks[0].settings else 0.0
    )
    decisions = [_collect_decisions(talk) for talk in forked_talks]
    influence_by_name, names = (
        measure_influence(decisions, tolerance),
        dict.fromkeys(name for talk in forked_talks for name in _list_silenced_names(talk)),
    )
    return [
        _build_influence_row(name, forked_talks, decisions, estimate_mean(influence_by_name.get(name, {})), tolerance)
        for name in names
    ]


def _build_influence_row(
    name: str,
    talks: Sequence[TalkWithArms],
    decisions: Sequence[ForkDecisions],
    influence_estimate: IntervalEstimate,
    tolerance: float,
) -> InfluenceRow:
    silenced_changes, control_changes = (
        estimate_mean(collect_changed_shares(decisions, select_forks, tolerance))
        for select_forks in (
            lambda item_decisions: item_decisions.silenced.get(name, []),
            lambda item_decisions: item_decisions.control,
        )
    )
    ended_forks = [
        fork
        for talk in talks
        for fork in talk.forks
        if _get_silenced_name(talk, fork) in (name, "") and fork.state in FORK_END_STATES
    ]
    silenced_forks = [
        fork
        for talk in talks
        for fork in talk.forks
        if _get_silenced_name(talk, fork) == name and fork.state in FORK_END_STATES
    ]
    return InfluenceRow(
        name,
        influence_estimate,
        silenced_changes,
        control_changes,
        len(silenced_forks),
        sum(not fork.is_done for fork in ended_forks),
    )


def _collect_decisions(talk: TalkWithArms) -> ForkDecisions:
    """Return the decisions of a talk and of its forks that have a result."""
    silenced_decisions: dict[str, list[Answer | None]] = {name: [] for name in _list_silenced_names(talk)}
    control_decisions: list[Answer | None] = []
    for fork in talk.forks:
        if fork.is_done:
            (silenced_decisions[name] if (name := _get_silenced_name(talk, fork)) else control_decisions).append(
                _get_decision(talk, fork)
            )
    return ForkDecisions(talk.run.planned.item.id, _get_decision(talk, talk.run), silenced_decisions, control_decisions)


def _get_decision(talk: TalkWithArms, run: ExperimentRun) -> Answer | None:
    """Return the answer of a run, tied answers as one text, or `None` without an answer."""
    assert talk.settings is not None
    winners = list_winners(run.document, build_answer_format(talk.settings))
    return winners[0] if len(winners) == 1 else "; ".join(sorted(map(str, winners))) or None


def _list_silenced_names(talk: TalkWithArms) -> Iterator[str]:
    return (name for fork in talk.forks if (name := _get_silenced_name(talk, fork)))


def _get_silenced_name(talk: TalkWithArms, fork: ExperimentRun) -> str:
    """Return the name of the participant that a fork silences; empty for a control fork."""
    seat = fork.planned.fork.seat if fork.planned.fork else 0
    return str(talk.run.document["participants"][seat - 1]["name"]) if seat and talk.run.document else ""
