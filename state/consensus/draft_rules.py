"""Rules for drafts of the shared position: the group agrees, a draft is due, a draft is accepted."""

from ..budget import is_budget_spent
from ..channel_requirements import mark_reads
from ..settings import StoppingSettings
from .agreement import list_opposing_participants
from .channels import GroupState
from .draft import Draft, find_round_draft, is_share_reached
from .settings import ConvergenceSettings


def allows_group_endings(settings: StoppingSettings) -> bool:
    """Return whether the dialogue may end by agreement or stable positions.

    Always `False` with the calibrated stopping rule, because such endings would void its guarantee.
    """
    return settings.dynamic_termination and settings.stop_rule != "calibrated"


@mark_reads
def has_agreement(state: GroupState, settings: ConvergenceSettings) -> bool:
    """Return whether enough participants agree without an open objection after the last complete round.

    Return `False` if agreement may not end the dialogue (see `allows_group_endings`).
    """
    scores = state["agreements"]
    if not allows_group_endings(settings) or not scores or scores[-1].round != state["round"]:
        return False
    agreeing_names = scores[-1].list_agreeing_participants(
        settings.agreement_threshold, list_opposing_participants(state["positions"])
    )
    return is_share_reached(len(agreeing_names), len(state["participants"]), settings.agreement_share)


@mark_reads
def is_draft_due(state: GroupState, settings: ConvergenceSettings) -> bool:
    """Return whether a draft of the shared position is due.

    It is due if the group agrees, this round has no draft yet, and the limits on drafts and spending allow another
    draft.
    """
    rounds = {draft.round for draft in state["drafts"]}
    rounds |= {incident.round for incident in state["incidents"] if incident.where == "draft"}
    may_draft = settings.confirm and state["round"] not in rounds and len(rounds) < settings.confirmations
    call_count = 1 + len(state["participants"])
    return may_draft and has_agreement(state) and not is_budget_spent(settings, state["calls"], new_calls=call_count)


def list_accepting_participants(state: GroupState, draft: Draft) -> list[str]:
    """List the participants who accept a draft.

    Leave out those whose last answer is “against” while another participant's is “for”.
    """
    opposing_names = list_opposing_participants(state["positions"])
    answers = [answer for answer in state["confirmations"] if answer.draft == draft.number]
    return [answer.who for answer in answers if answer.accepts and answer.who not in opposing_names]


@mark_reads
def find_accepted_draft(state: GroupState, settings: ConvergenceSettings) -> Draft | None:
    """Return the draft of this round if enough participants accept it, or `None`."""
    draft = find_round_draft(state["drafts"], state["round"])
    accepting_count = len(list_accepting_participants(state, draft)) if draft else 0
    return draft if is_share_reached(accepting_count, len(state["participants"]), settings.agreement_share) else None
