"""When a group is done: it agrees, or nobody moves any more."""

from ..ending import Ending, Evidence
from ..positions.calibrated import reached
from ..requirements import reading
from ..rules import TalkRules
from .agreement import STILL, is_consensus, is_stable
from .channels import GroupStage
from .rules import ConvergenceRules


def _judges(rules: TalkRules) -> bool:
    """Whether the group's own endings hold: a calibrated stop keeps its promise only where nothing else ends a talk."""
    return rules.dynamic_termination and rules.stopping != "calibrated"


@reading
def agreed(state: GroupStage, rules: ConvergenceRules) -> Ending | None:
    """The last complete round was weighed, and enough participants agree without an open objection."""
    weighings = state["weighings"]
    if not _judges(rules) or not weighings or weighings[-1].round != state["round"]:
        return None
    share = 1.0 if rules.consensus_rule == "all" else 2 / 3
    last, seats = weighings[-1], len(state["participants"])
    if not is_consensus(last, seats, rules.threshold, share):
        return None
    turns = [statement.turn for statement in state["history"] if statement.round == last.round]
    lowest = min(last.scores[name] for name in last.agreeing(rules.threshold))
    note = ", ".join(f"{name} {score:.2f}" for name, score in last.scores.items())
    evidence = Evidence(turns=turns, figure=lowest, threshold=rules.threshold, note=note)
    return Ending(reason="consensus_reached", strategy=last.strategy, evidence=evidence)


@reading
def calibrated_agreement(state: GroupStage, rules: TalkRules) -> Ending | None:
    """The agreement measured after the latest round has reached the threshold that `moot calibrate` found."""
    found, weighings = state["stop"], state["weighings"]
    measured = bool(weighings) and weighings[-1].round == state["round"]
    if found is None or found.signal != "agreement" or not rules.dynamic_termination or not measured:
        return None
    return reached(found, weighings[-1].score)


@reading
def unmoved(state: GroupStage, rules: TalkRules) -> Ending | None:
    """Nobody's position has moved for `STILL` rounds."""
    weighings = state["weighings"]
    if not _judges(rules) or not is_stable(state["positions"], weighings):
        return None
    since = weighings[-1].round - STILL
    turns = [statement.turn for statement in state["history"] if statement.round > since]
    evidence = Evidence(turns=turns, figure=STILL, threshold=STILL, note="rounds without a move")
    return Ending(reason="positions_stable", strategy=weighings[-1].strategy, evidence=evidence)
