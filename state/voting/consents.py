"""Consent to a vote: the participants to ask, the refusals, and the majority."""

from collections.abc import Mapping, Sequence

COUNTED_AS_NO = "counted as no"
"""Consequence of a missing or unreadable answer to the question of consent."""


def list_consent_voters(voters: Sequence[str], initiator: str | None) -> list[str]:
    """List the voters to ask for consent. The initiator consents by proposing the vote."""
    return [voter for voter in voters if voter != initiator]


def list_refusers(consents: Mapping[str, bool]) -> list[str]:
    """List the voters that refuse consent. A missing answer in `consents` counts as a refusal."""
    return [voter for voter, agrees in consents.items() if not agrees]


def has_enough_votes(yes_votes: int, voters: int, decision_rule: str) -> bool:
    """Return whether `yes_votes` are enough: all `voters`, or, by majority, more than half."""
    return yes_votes * 2 > voters if decision_rule == "majority" else 0 < yes_votes == voters


def is_vote_confirmed(consents: Mapping[str, bool], initiator: str | None, decision_rule: str = "unanimity") -> bool:
    """Return whether the group consents to the vote.

    `consents` holds the answers of all voters but the initiator; a missing answer is `False`. The initiator consents
    by proposing the vote.
    """
    all_consents = {**consents, **({initiator: True} if initiator else {})}
    return has_enough_votes(sum(all_consents.values()), len(all_consents), decision_rule)
