"""Which way the experiment goes: read, decide, write nothing."""

from langgraph.types import Send

from ...state.budget import is_spent
from ...state.deliberation import Given
from ...state.floor import seat_on
from ...state.justice import JusticeRules, answers_to, initiator_of, is_confirmed, number_of, wants_amount
from ...state.justice.channels import Polling
from .addressee import by_id, settled_rules


def to_everyone_alone(state: Given) -> list[Send]:
    """A branch of Phase 1 for everyone."""
    return [Send("alone", {"who": id}) for id in settled_rules(state["rules"]).ids]


def after_meeting(state: Polling) -> str:
    """To the discussion, or past it where the rule is imposed."""
    if _spent(state):
        return "budget spent"
    return "imposed" if settled_rules(state["rules"]).voting.decision_rule == "imposed" else "discuss"


def to_speaker(state: Polling) -> str:
    """To whoever holds the floor: to think first, to speak, or, when all have spoken, to everyone's memory."""
    if not state["floor"]:
        return "round done"
    people = settled_rules(state["rules"]).participants
    one = people[seat_on(state["floor"], [each.name for each in people])]
    return "think" if one.reasoning_enabled else "speak"


def after_round(state: Polling) -> str | list[Send]:
    """From a remembered round to the question whether to vote, to a vote that is due, or on."""
    rules, round = settled_rules(state["rules"]), state["round"]
    if _spent(state):
        return "budget spent"
    if round < rules.voting.min_rounds_before_vote:
        return onward(rules, round)
    if round == rules.discussion.max_rounds and rules.voting.force_vote_in_final_round:
        return [Send("confirm", {"who": one.name}) for one in rules.participants]
    return "vote?"


def onward(rules: JusticeRules, round: int) -> str:
    """To the next round, or after the last to the payment."""
    return "next round" if round < rules.discussion.max_rounds else "over"


def after_initiation(state: Polling) -> str | list[Send]:
    """To the next one to be asked, to everyone else's consent, or to the record that nobody started a vote."""
    rules, round = settled_rules(state["rules"]), state["round"]
    initiator = initiator_of(state["answers"], round)
    if initiator:
        others = [one for one in rules.participants if one.id != initiator]
        return [Send("confirm", {"who": one.name}) for one in others]
    asked = answers_to(state["answers"], round, "initiation")
    return "ask the next" if len(asked) < len(rules.participants) else "no vote"


def after_consents(state: Polling) -> str | list[Send]:
    """To everyone's ballot, or back to the discussion."""
    rules = settled_rules(state["rules"])
    if not is_confirmed(state["answers"], state["round"], rules.voting.decision_rule):
        return "refused"
    return [Send("ballot", {"who": one.name}) for one in rules.participants]


def after_ballots(state: Polling) -> str | list[Send]:
    """To the amount for those whose principle has one, or straight to the count."""
    rules, round = settled_rules(state["rules"]), state["round"]
    chosen = wants_amount(state["answers"], round)
    if not chosen:
        return "no amounts"
    return [Send("amount", {"who": by_id(rules, id).name, "number": number_of(one)}) for id, one in chosen.items()]


def after_count(state: Polling) -> str | list[Send]:
    """From the count to what everyone makes of the agreement, or to the report that there is none, or on."""
    rules, last = settled_rules(state["rules"]), state["votes"][-1]
    if state["adopted"] is not None:
        return [Send("take_in_adoption", {"who": one.name}) for one in rules.participants]
    return "no consensus" if last.event == "ballot_completed" else onward(rules, state["round"])


def after_report(state: Polling) -> str:
    """On to the next round, or to the payment."""
    return onward(settled_rules(state["rules"]), state["round"])


def to_results(state: Given) -> list[Send]:
    """A branch for everyone's results."""
    return [Send("take_in_results", {"who": one.name}) for one in settled_rules(state["rules"]).participants]


def to_last_rankings(state: Given) -> list[Send]:
    """A branch for everyone's last ranking."""
    return [Send("rank_last", {"who": one.name}) for one in settled_rules(state["rules"]).participants]


def _spent(state: Polling) -> bool:
    return is_spent(state["rules"], state["calls"], reserve=0)
