"""Whose word changes the decision: forks without each participant's first statements, beside forks with all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....state.positions import question_of
from ..data import Outcome
from ..measures import Answer, Forks, changed, influence
from ..statistics import Estimate, mean
from .answered import TalkWithArms, winners_of

ENDED = ("done", "failed")


@dataclass(frozen=True)
class InfluenceRow:
    """How often the decision changes without the first statements of one participant."""

    who: str
    influence: Estimate
    """The share of its forks that decide otherwise, minus that of the control forks."""
    changed: Estimate
    control: Estimate
    """The share of forks with nothing silenced that decide otherwise."""
    forks: int
    failed: int
    """Forks without a result, those of the control among them: they are left out."""


def influences(talks: Sequence[TalkWithArms]) -> list[InfluenceRow]:
    """A row for each participant who was silenced, in seat order."""
    told = [one for one in talks if one.talk.done and one.forks]
    tolerance = question_of(told[0].rules).tolerance if told and told[0].rules else 0.0
    found = [_forks(one) for one in told]
    moved, names = influence(found, tolerance), dict.fromkeys(name for one in told for name in _names(one))
    return [_row(name, told, found, mean(moved.get(name, {})), tolerance) for name in names]


def _row(
    name: str, talks: Sequence[TalkWithArms], found: Sequence[Forks], moved: Estimate, tolerance: float
) -> InfluenceRow:
    own, control = (
        mean(changed(found, of, tolerance)) for of in (lambda one: one.silenced.get(name, []), lambda one: one.control)
    )
    ended = [fork for one in talks for fork in one.forks if _name(one, fork) in (name, "") and fork.state in ENDED]
    silent = [fork for one in talks for fork in one.forks if _name(one, fork) == name and fork.state in ENDED]
    return InfluenceRow(name, moved, own, control, len(silent), sum(not fork.done for fork in ended))


def _forks(of: TalkWithArms) -> Forks:
    """What a talk and its forks decided, those without a result left out."""
    silenced: dict[str, list[Answer | None]] = {name: [] for name in _names(of)}
    control: list[Answer | None] = []
    for one in of.forks:
        if one.done:
            (silenced[name] if (name := _name(of, one)) else control).append(_decision(of, one))
    return Forks(of.talk.trial.item.id, _decision(of, of.talk), silenced, control)


def _decision(of: TalkWithArms, one: Outcome) -> Answer | None:
    """The answer; those that tie as one text, a value of its own; none where there is no answer."""
    assert of.rules is not None
    winners = winners_of(one.document, question_of(of.rules))
    return winners[0] if len(winners) == 1 else "; ".join(sorted(map(str, winners))) or None


def _names(of: TalkWithArms) -> Iterator[str]:
    return (name for one in of.forks if (name := _name(of, one)))


def _name(of: TalkWithArms, fork: Outcome) -> str:
    """Who is silenced in a fork; empty: nobody."""
    seat = fork.trial.fork.seat if fork.trial.fork else 0
    return str(of.talk.document["participants"][seat - 1]["name"]) if seat and of.talk.document else ""
