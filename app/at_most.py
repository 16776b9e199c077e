"""The most calls a run can take: every question that may be asked, with every try it has."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..nodes.asking.tries import HALVINGS
from ..nodes.models.diagnosis import SETTINGS
from ..nodes.models.embeddings import TRIES
from ..state.consensus import ConvergenceRules
from ..state.incident import EMBEDDING, Call
from ..state.justice import JusticeRules
from ..state.rules import Rules
from ..state.voting import VotingRules

AGAIN = 300
"""Tokens that a prompt takes in addition when it says what was wrong with the answer before."""


def played_longest(rules: Rules) -> dict[str, Any]:
    """What to change in rules so that a rehearsal plays as long as any run may: nothing ends it before its cap."""
    if isinstance(rules, JusticeRules):
        late = {"min_rounds_before_vote": rules.discussion.max_rounds, "force_vote_in_final_round": True}
        return {"voting": rules.voting.model_dump() | late}
    return {"dynamic_termination": False} if hasattr(rules, "dynamic_termination") else {}


def every_question(calls: list[Call], rules: Rules, seats: int) -> list[Call]:
    """The calls of a run to its cap, and those questions that other runs ask and this one did not."""
    asked = list(calls)
    rounds = max((call.round for call in calls), default=0)
    for purpose, most in _questions(rules, seats, rounds).items():
        alike = [call for call in calls if call.purpose == purpose]
        if calls and len(alike) < most:
            model = max(alike or calls, key=lambda call: call.tokens).model_copy(update={"purpose": purpose})
            asked += [model] * (most - len(alike))
    return asked


def every_try(calls: list[Call], rules: Rules) -> list[Call]:
    """Each question as often as it may be asked; later tries are told what was wrong with the one before."""
    return [one for call in calls for one in _tried(call, _tries(rules).get(call.purpose, rules.statement_tries))]


def refused_unread(calls: list[Call]) -> list[Call]:
    """Calls that bring nothing and cost no tokens: each question's halvings, and everybody's refused settings.

    A setting that was refused is left out from there on, so that nobody meets more than one refusal of it.
    """
    asked = [call for call in calls if call.purpose != EMBEDDING]
    unread = Call(purpose="refused")
    return [unread] * (HALVINGS * len(asked) + len(SETTINGS) * len({(call.who, call.model) for call in asked}))


def _tried(call: Call, tries: int) -> Iterator[Call]:
    yield call
    for _ in range(1, tries):
        yield call.model_copy(update={"input_tokens": call.input_tokens + AGAIN})


def _questions(rules: Rules, seats: int, rounds: int) -> Mapping[str, int]:
    """By purpose, how many questions a run asks at most, where that is not what a rehearsal to the cap asks."""
    if not isinstance(rules, JusticeRules):
        votes = isinstance(rules, VotingRules) and rules.votes
        embedded = isinstance(rules, ConvergenceRules) and rules.convergence == "embedding"
        return {"consent": seats * votes, EMBEDDING: rounds * embedded}
    talk, vote, models = rules.discussion, rules.voting, [one for one in rules.participants if one.kind == "model"]
    if vote.decision_rule == "imposed":
        return {}
    polls = talk.max_rounds - vote.min_rounds_before_vote + 1
    forced, seats, others = vote.force_vote_in_final_round, len(models), min(len(models), len(rules.participants) - 1)
    return {
        "initiation": seats * (polls - forced),
        "confirmation": others * (polls - forced) + seats * forced,
        "ballot": seats * polls,
        "amount": seats * polls,
        "memory": 2 * seats,
    }


def _tries(rules: Rules) -> Mapping[str, int]:
    """By purpose, how often a question is asked at most, where it is not as often as a statement."""
    if not isinstance(rules, JusticeRules):
        return {EMBEDDING: TRIES}
    talk, vote = rules.discussion, rules.voting
    alone = 1 + talk.max_participant_retries
    return {
        "comprehension": rules.checks.comprehension_tries,
        "ranking": alone,
        "explanation": alone,
        "choice": alone + talk.max_constraint_correction_attempts,
        "reasoning": talk.reasoning_max_retries,
        "initiation": vote.voting_retry_limit,
        "confirmation": vote.voting_retry_limit,
        "ballot": vote.principle_extraction_retries,
        "amount": vote.amount_extraction_retries,
        "memory": rules.memory.max_memory_retries,
    }
