"""Sentence about the planning of an experiment: preregistered, sealed or exploratory."""

from functools import partial

from ...prompts import load_phrases
from ..saved.experiments import SavedExperiment
from .plan import Plan
from .seal import list_seal_differences


def format_seal_sentence(plan: Plan, stored: SavedExperiment, language: str = "en") -> str:
    """Return one sentence with the sealed hash, or with the reason that makes the experiment exploratory."""
    translate = partial(load_phrases("findings").translate_phrase, language)
    if stored.seal is None:
        return translate("sealed.none")
    if stored.changes:
        added = "; ".join(change.partition(" ")[2] for change in stored.changes)
        return translate("sealed.changed", hash=stored.seal["plan"], changes=added)
    if differences := list_seal_differences({"versions": stored.seal["versions"]}, {"versions": stored.versions}):
        names = ", ".join(difference.removeprefix("versions ") for difference in differences)
        return translate("sealed.versions", hash=stored.seal["plan"], versions=names)
    if plan.registered:
        return translate("sealed.registered", place=plan.registered, hash=stored.hash)
    return translate("sealed.sealed", at=stored.seal["at"], hash=stored.hash)
