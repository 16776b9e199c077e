"""Hooks of the council: the arms that an experiment cannot use with it."""

from .hooks import NOBODY_TO_SILENCE, Hooks

HOOKS = Hooks(
    unfit_arms={
        "vote": "what most of a council answered blind is its answer: the vote is the talk itself; leave it out",
        "influence": NOBODY_TO_SILENCE,
    }
)
