"""How a vote comes about, whatever is voted on: who is asked for consent, who refused it, what carries."""

from collections.abc import Mapping, Sequence

COUNTED_AS_NO = "counted as no"
"""What becomes of a consent that could not be had or read."""


def consenting(voters: Sequence[str], initiator: str | None) -> list[str]:
    """Who is asked for consent: all but the initiator, whose proposal is its consent."""
    return [voter for voter in voters if voter != initiator]


def refusing(consents: Mapping[str, bool]) -> list[str]:
    """Who did not consent. `consents` holds the answers of all who were asked; no answer is a no."""
    return [voter for voter, agrees in consents.items() if not agrees]


def carried(yes: int, voters: int, decision_rule: str) -> bool:
    """Whether `yes` of all `voters` are enough: every one, or, by majority, more than half. None of none is not."""
    return yes * 2 > voters if decision_rule == "majority" else 0 < yes == voters


def confirmed(consents: Mapping[str, bool], initiator: str | None, decision_rule: str = "unanimity") -> bool:
    """Whether the group goes on to the ballot.

    `consents` holds the answers of all who were asked (no answer: False); the initiator's proposal is its consent.
    """
    said = {**consents, **({initiator: True} if initiator else {})}
    return carried(sum(said.values()), len(said), decision_rule)
