"""Which way the experiment goes: read, decide, write nothing."""

from langgraph.types import Send

from ...state.budget import is_spent
from ...state.deliberation import Given
from ...state.floor import seat_on
from ...state.justice import JusticeRules, answers_to, initiator_of, is_confirmed, number_of, wants_amount
from ...state.justice.channels import Polling
from ...state.requirements import reading
from ...state.statement import names
from ...state.voting import consenting
from ..roads import to_all
from .addressee import by_id


def to_everyone_alone(state: Given, rules: JusticeRules) -> list[Send]:
    """A branch of Phase 1 for everyone."""
    return to_all("alone", rules.ids)


def after_meeting(state: Polling, rules: JusticeRules) -> str:
    """To the discussion, or past it where the rule is imposed."""
    if _spent(state):
        return "budget spent"
    return "imposed" if rules.voting.decision_rule == "imposed" else "discuss"


def to_speaker(state: Polling, rules: JusticeRules) -> str:
    """To whoever holds the floor: to think first, to speak, or, when all have spoken, to everyone's memory."""
    if not state["floor"]:
        return "round done"
    one = rules.participants[seat_on(state["floor"], [each.name for each in rules.participants])]
    return "think" if one.reasoning_enabled and one.kind == "model" else "speak"


def after_round(state: Polling, rules: JusticeRules) -> str | list[Send]:
    """From a remembered round to the question whether to vote, to a vote that is due, or on."""
    round = state["round"]
    if _spent(state):
        return "budget spent"
    if round < rules.voting.min_rounds_before_vote:
        return onward(rules, round)
    if round == rules.discussion.max_rounds and rules.voting.force_vote_in_final_round:
        return to_all("confirm", names(state["participants"]))
    return "vote?"


def onward(rules: JusticeRules, round: int) -> str:
    """To the next round, or after the last to the payment."""
    return "next round" if round < rules.discussion.max_rounds else "over"


def after_initiation(state: Polling, rules: JusticeRules) -> str | list[Send]:
    """To the next one to be asked, to everyone else's consent, or to the record that nobody started a vote."""
    initiator = initiator_of(state["answers"], state["round"])
    if initiator:
        return to_all("confirm", consenting(names(state["participants"]), by_id(rules, initiator).name))
    asked = answers_to(state["answers"], state["round"], "initiation")
    return "ask the next" if len(asked) < len(rules.participants) else "no vote"


@reading
def is_agreed(state: Polling, rules: JusticeRules) -> bool:
    """Whether enough consented to the vote under way."""
    return is_confirmed(state["answers"], state["round"], rules.voting.decision_rule)


def after_ballots(state: Polling, rules: JusticeRules) -> str | list[Send]:
    """To the amount for those whose principle has one, or straight to the count."""
    chosen = wants_amount(state["answers"], state["round"])
    if not chosen:
        return "no amounts"
    return [Send("amount", {"who": by_id(rules, id).name, "number": number_of(one)}) for id, one in chosen.items()]


def after_count(state: Polling, rules: JusticeRules) -> str | list[Send]:
    """From the count to what everyone makes of the agreement, or to the report that there is none, or on."""
    if state["adopted"] is not None:
        return to_all("take_in_adoption", names(state["participants"]))
    return "no consensus" if state["votes"][-1].event == "ballot_completed" else onward(rules, state["round"])


def after_report(state: Polling, rules: JusticeRules) -> str:
    """On to the next round, or to the payment."""
    return onward(rules, state["round"])


def to_results(state: Given) -> list[Send]:
    """A branch for everyone's results."""
    return to_all("take_in_results", names(state["participants"]))


def to_last_rankings(state: Given) -> list[Send]:
    """A branch for everyone's last ranking."""
    return to_all("rank_last", names(state["participants"]))


def _spent(state: Polling) -> bool:
    return is_spent(state["rules"], state["calls"], reserve=0)
