"""What answers given alone come to."""

from collections.abc import Sequence

from ...prompts import term
from ...state.ending import Ending, Evidence, Outcome, promised
from ...state.ends import UNAVAILABLE
from ...state.independent import AnswersAlone, IndependentRules
from ...state.positions import Position, question_of
from ...state.positions.answer import plurality
from ...state.writes import Update
from ..closing import is_rehearsed

ANSWERED = "answered_alone"


async def count_answers(state: AnswersAlone, rules: IndependentRules) -> Update:
    """Put the answer that most gave so far on record.

    Reads positions; writes answer.
    """
    given = last_given(state["positions"], rules)
    return Update(answer=plurality([one.answer for one in given], question_of(rules)))


async def conclude_alone(state: AnswersAlone, rules: IndependentRules) -> Update:
    """Put on record that it is over, and whether anybody answered.

    Reads rules, record and positions; writes outcome.
    """
    count = sum(one.turn > 0 for one in state["positions"])
    reason = ANSWERED if count or not rules.rounds else UNAVAILABLE
    strategy = "protocol" if reason == ANSWERED else "availability"
    found = Ending(reason=reason, strategy=strategy, evidence=Evidence(figure=count, note="answers given"))
    outcome = Outcome(
        reason=reason,
        strategy=found.strategy,
        evidence=found.evidence,
        promise=promised(found),
        status="completed" if reason == ANSWERED else "failed",
        headline=term(rules.language, "headline", reason, count=count),
        rehearsal=is_rehearsed(state["calls"]),
        replayed=bool(rules.replay),
    )
    return Update(outcome=outcome)


def last_given(positions: Sequence[Position], rules: IndependentRules) -> list[Position]:
    """The answers that count: round by round those of the last one, else all."""
    if rules.arm not in ("alone", "noise"):
        return list(positions)
    latest = {one.who: one for one in positions}
    return list(latest.values())
