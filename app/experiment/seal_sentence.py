"""Sentence about the planning of an experiment: preregistered, sealed or exploratory."""

from functools import partial

from ...prompts import load_phrases
from ..saved.experiments import SavedExperiment
from .plan import Plan
from .seal import list_seal_differences


def format_seal_sentence(plan: Plan, experiment: SavedExperiment, language: str = "en") -> str:
    """Return a sentence with the sealed hash, or with the reason that makes the experiment exploratory."""
    translate = partial(load_phrases("findings").translate_phrase, language)
    if experiment.seal is None:
        return translate("sealed.none")
    if experiment.changes:
        additions = "; ".join(change.partition(" ")[2] for change in experiment.changes)
        return translate("sealed.changed", hash=experiment.seal["plan"], changes=additions)
    if differences := list_seal_differences(
        {"versions": experiment.seal["versions"]}, {"versions": experiment.versions}
    ):
        names = ", ".join(difference.removeprefix("versions ") for difference in differences)
        return translate("sealed.versions", hash=experiment.seal["plan"], versions=names)
    if plan.registered:
        return translate("sealed.registered", place=plan.registered, hash=experiment.hash)
    return translate("sealed.sealed", at=experiment.seal["at"], hash=experiment.hash)
