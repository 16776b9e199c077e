"""Node that decides how the group phase of the experiment continues, and how it ends."""

from ...state import ROUNDS_NOTE, Branch, Decision, Ending, Evidence, StopBasis, is_budget_spent, list_names
from ...state.justice import GroupDecisionState, JusticeSettings, JusticeUpdate

ENDING_KINDS = {"consensus": "consensus", "imposed": "imposed", "no_consensus": "cap", "budget_spent": "halt"}


async def decide(state: GroupDecisionState, settings: JusticeSettings) -> JusticeUpdate:
    """Decide between another round, a vote, and an ending.

    Reads settings, round, calls, orders, votes, adopted, participants; writes decision.
    """
    ending = find_group_ending(state, settings)
    if ending:
        return JusticeUpdate(decision=Decision(next=ENDING_KINDS[ending.reason], ending=ending))
    if state["round"] < max(1, settings.voting.min_rounds_before_vote) or is_vote_over(state):
        return JusticeUpdate(decision=Decision(next="next round"))
    if state["round"] == settings.discussion.max_rounds and settings.voting.force_vote_in_final_round:
        branches = [Branch(node="confirm", who=name) for name in list_names(state["participants"])]
        return JusticeUpdate(decision=Decision(branches=branches))
    return JusticeUpdate(decision=Decision(next="vote?"))


def is_vote_over(state: GroupDecisionState) -> bool:
    """Return whether the vote of this round is recorded, including a vote that was not held."""
    return bool(state["votes"]) and state["votes"][-1].round == state["round"]


def find_group_ending(state: GroupDecisionState, settings: JusticeSettings) -> Ending | None:
    """Return the ending of the group phase, or `None` to continue.

    The group phase ends with an imposed or adopted rule, a spent budget, or the last round.
    """
    rule, rounds = settings.voting.decision_rule, len(state["orders"])
    if not is_vote_over(state) and is_budget_spent(settings, state["calls"], reserve=0):
        evidence = Evidence(figure=len(state["calls"]), note="calls made")
        return Ending(reason="budget_spent", strategy="budget", evidence=evidence)
    if rule == "imposed":
        evidence = Evidence(figure=rounds, note=ROUNDS_NOTE)
        return Ending(reason="imposed", strategy=rule, evidence=evidence, basis=StopBasis(kind="event"))
    evidence = Evidence(figure=rounds, threshold=settings.discussion.max_rounds, note=ROUNDS_NOTE)
    if is_vote_over(state) and state["adopted"] is not None:
        return Ending(reason="consensus", strategy=rule, evidence=evidence, basis=StopBasis(kind="event"))
    has_vote_to_come = state["round"] >= settings.voting.min_rounds_before_vote and not is_vote_over(state)
    if state["round"] >= settings.discussion.max_rounds and not has_vote_to_come:
        return Ending(reason="no_consensus", strategy="cap", evidence=evidence)
    return None
