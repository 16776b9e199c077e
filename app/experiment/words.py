"""The words of an experiment's report, in the language of its plan."""

import re
from collections.abc import Iterable

from ...prompts import phrases
from .plan import Plan

KIND = "findings"


def language_of(plan: Plan) -> str:
    """The tag of the language that the plan's settings name; else English."""
    return str(plan.settings.get("language") or "en")


def say(plan: Plan, key: str, /, **values: object) -> str:
    """The phrase `section.key` in the plan's language."""
    return phrases(KIND).say(language_of(plan), key, **values)


def sentences(plan: Plan, told: Iterable[str]) -> str:
    """Sentences in a row, those that say something."""
    return say(plan, "opening.space").join(filter(None, told))


def measure_words(plan: Plan, name: str) -> tuple[str, str]:
    """What a measure of runs is called in the plan's language, and what it is; an unknown name stays."""
    head, _, reason = name.partition(": ")
    key, number = re.sub(r"\d", "N", head), "".join(re.findall(r"\d", head))
    if key not in phrases(KIND).keys("measures"):
        return name, ""
    known = reason in phrases("report").keys("reasons")
    told = phrases("report").say(language_of(plan), f"reasons.{reason}") if known else reason
    return say(plan, f"measures.{key}", number=number, reason=told), say(plan, f"measured.{key}")
