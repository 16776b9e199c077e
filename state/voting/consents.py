"""Consent to a vote on any topic: the participants to ask, the refusals, and the majority."""

from collections.abc import Mapping, Sequence

COUNTED_AS_NO = "counted as no"
"""Consequence of a missing or unreadable consent."""


def list_consent_voters(voters: Sequence[str], initiator: str | None) -> list[str]:
    """Return the voters to ask for consent: all but the initiator, whose proposal is its consent."""
    return [voter for voter in voters if voter != initiator]


def list_refusers(consents: Mapping[str, bool]) -> list[str]:
    """Return the voters without consent. `consents` holds the answers of all of them; a missing answer is a no."""
    return [voter for voter, agrees in consents.items() if not agrees]


def has_enough_votes(yes_votes: int, voters: int, decision_rule: str) -> bool:
    """Return whether `yes_votes` of all `voters` are enough: all, or, by majority, more than half."""
    return yes_votes * 2 > voters if decision_rule == "majority" else 0 < yes_votes == voters


def is_vote_confirmed(consents: Mapping[str, bool], initiator: str | None, decision_rule: str = "unanimity") -> bool:
    """Return whether the group continues to the ballot.

    `consents` holds the answers of all voters but the initiator; a missing answer is `False`. A proposal
    counts as the consent of its initiator.
    """
    all_consents = {**consents, **({initiator: True} if initiator else {})}
    return has_enough_votes(sum(all_consents.values()), len(all_consents), decision_rule)
