"""What may be said of how an experiment was planned: preregistered, sealed, or exploratory."""

from ..saved.experiments import Stored
from .plan import Plan
from .sealing import differs


def sealed_sentence(plan: Plan, stored: Stored) -> str:
    """One sentence, with the hash that was sealed or with what makes it exploratory."""
    if stored.seal is None:
        return "Exploratory: it was not sealed before the first call."
    if stored.changes:
        added = "; ".join(one.partition(" ")[2] for one in stored.changes)
        return f"Exploratory: sealed as {stored.seal['plan']}, and then changed ({added})."
    if other := differs({"versions": stored.seal["versions"]}, {"versions": stored.versions}):
        told = ", ".join(one.removeprefix("versions ") for one in other)
        return f"Exploratory: sealed as {stored.seal['plan']}, and run with other versions ({told})."
    if plan.registered:
        return f"Preregistered at {plan.registered}; sealed before the first call in this database, as {stored.hash}."
    return f"Sealed before the first call in this database, on {stored.seal['at']}, as {stored.hash}."
