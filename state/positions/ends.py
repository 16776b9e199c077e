"""When positions have come to rest: stopping rules on what participants declare after each round."""

from collections.abc import Sequence
from itertools import pairwise

from ..ending import Ending, Evidence, Promise, find_ending
from ..requirements import reading
from ..statement import Statement
from .calibrated import reached, score
from .channels import Declared
from .position import Position, declared_after, moved_between, unmoved
from .rules import PositionRules, Question, question_of, seats_asked
from .sprt import BOUND, ERROR, is_done, log_ratio

LEAST = 4
"""Fewest statements before a talk can be over."""
TWICE = 2
"""Declarations in a row that make a concession."""


@reading
def declared(state: Declared, rules: PositionRules) -> Ending | None:
    """All but one have given up what they held, or nobody has moved for `still_rounds` declarations."""
    if rules.stopping != "declared" or not rules.dynamic_termination or len(state["history"]) < LEAST:
        return None
    moments, seats = declared_after(state["positions"]), seats_asked(rules, state["participants"])
    return _conceded(state, moments, seats) or _still(moments, seats, rules)


def _conceded(state: Declared, moments: Sequence[dict[str, Position]], seats: Sequence[str]) -> Ending | None:
    """Whether all but one concede: in two declarations in a row, or in one and in their own words."""
    if not moments or len(state["participants"]) != len(seats):
        return None
    gave_up = {who: evidence for who in seats if (evidence := _gives_up(state, moments, who))}
    if not gave_up or len(gave_up) < len(seats) - 1:
        return None
    last = max(gave_up.values(), key=lambda evidence: evidence.turns)
    return Ending(reason="concession_detected", strategy="declared", evidence=last)


def _gives_up(state: Declared, moments: Sequence[dict[str, Position]], who: str) -> Evidence | None:
    """What shows that a participant gave up its case; none: it did not, or not plainly enough."""
    now = moments[-1].get(who)
    if now is None or now.stance != "concede":
        return None
    own = [one for one in state["history"] if one.speaker == who and one.turn <= now.turn]
    before = moments[-2].get(who) if len(moments) > 1 else None
    turns, sure = [own[-1].turn] if own else [], now.certainty
    if before is not None and before.stance == "concede":
        return Evidence(turns=turns, figure=TWICE, threshold=TWICE, note="declarations that concede")
    said = _said_to_concede(state, own[-1]) if own and own[-1].round == now.round else None
    return said and Evidence(turns=turns, quote=said.quote, figure=sure, note="a declared and spoken concession")


def _said_to_concede(state: Declared, last: Statement) -> Evidence | None:
    """The words of a statement that `dialogue` reads as conceding."""
    until = [one for one in state["history"] if one.turn <= last.turn]
    found = find_ending(until, "dialogue", min_turns=1, topic=state["topic"])
    return found.evidence if found and found.reason == "concession_detected" else None


def _still(moments: Sequence[dict[str, Position]], seats: Sequence[str], rules: PositionRules) -> Ending | None:
    """Whether nobody moved in the last `still_rounds` declarations."""
    last, question = moments[-(rules.still_rounds + 1) :], question_of(rules)
    if len(last) <= rules.still_rounds or not all(unmoved(one, then, question, seats) for one, then in pairwise(last)):
        return None
    note = "declarations without a move"
    evidence = Evidence(figure=rules.still_rounds, threshold=rules.still_rounds, note=note)
    return Ending(reason="positions_stable", strategy="declared", evidence=evidence)


@reading
def calibrated(state: Declared, rules: PositionRules) -> Ending | None:
    """The score of the latest round has reached the threshold that `moot calibrate` found."""
    found, moments = state["stop"], declared_after(state["positions"])
    if found is None or found.signal == "agreement" or not rules.dynamic_termination or not moments:
        return None
    last = moments[-1]
    if any(one.when == "before" or one.turn < state["turn"] for one in last.values()):
        return None
    seats = len(seats_asked(rules, state["participants"]))
    return reached(found, score(found.signal, last, question_of(rules), seats, None))


@reading
def sequential(state: Declared, rules: PositionRules) -> Ending | None:
    """Wald's sequential probability ratio test, "still moving" against "done", on whether a round moved anybody."""
    if rules.stopping != "sequential" or not rules.dynamic_termination or len(state["history"]) < LEAST:
        return None
    moments = declared_after(state["positions"])
    moves = moves_of(moments, question_of(rules), seats_asked(rules, state["participants"]))
    if not is_done(moves):
        return None
    evidence = Evidence(
        figure=log_ratio(moves), threshold=BOUND, note="log likelihood ratio of a talk that still moves"
    )
    return Ending(reason="positions_stable", strategy="sequential", evidence=evidence, promise=PROMISE)


PROMISE = Promise(kind="heuristic", alpha=ERROR, beta=ERROR, caveat="independent_rounds")
"""What the test promises holds for rounds that are independent of each other only, which those of a talk seldom are."""


def moves_of(moments: Sequence[dict[str, Position]], question: Question, seats: Sequence[str]) -> list[bool]:
    """Of each round, whether it moved anybody's answer; rounds in which an answer is missing are left out."""
    whole = [(one, then) for one, then in pairwise(moments) if set(seats) == one.keys() == then.keys()]
    return [any(moved_between(one[who], then[who], question) for who in seats) for one, then in whole]
