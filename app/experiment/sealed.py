"""What may be said of how an experiment was planned: preregistered, sealed, or exploratory."""

from functools import partial

from ...prompts import phrases
from ..saved.experiments import Stored
from .plan import Plan
from .sealing import differs


def sealed_sentence(plan: Plan, stored: Stored, language: str = "en") -> str:
    """One sentence, with the hash that was sealed or with what makes it exploratory."""
    say = partial(phrases("findings").say, language)
    if stored.seal is None:
        return say("sealed.none")
    if stored.changes:
        added = "; ".join(one.partition(" ")[2] for one in stored.changes)
        return say("sealed.changed", hash=stored.seal["plan"], changes=added)
    if other := differs({"versions": stored.seal["versions"]}, {"versions": stored.versions}):
        told = ", ".join(one.removeprefix("versions ") for one in other)
        return say("sealed.versions", hash=stored.seal["plan"], versions=told)
    if plan.registered:
        return say("sealed.registered", place=plan.registered, hash=stored.hash)
    return say("sealed.sealed", at=stored.seal["at"], hash=stored.hash)
