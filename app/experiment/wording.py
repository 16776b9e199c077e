"""Wording of an experiment's report, in the language of its plan."""

import re
from collections.abc import Iterable

from ...prompts import load_phrases
from .plan import Plan

PHRASE_TABLE = "findings"


def get_plan_language(plan: Plan) -> str:
    """Return the tag of the language in the plan's settings; default: English."""
    return str(plan.settings.get("language") or "en")


def translate_for_plan(plan: Plan, key: str, /, **values: object) -> str:
    """Return the phrase `section.key` in the plan's language."""
    return load_phrases(PHRASE_TABLE).translate_phrase(get_plan_language(plan), key, **values)


def join_sentences(plan: Plan, texts: Iterable[str]) -> str:
    """Join the sentences that are not empty."""
    return translate_for_plan(plan, "opening.space").join(filter(None, texts))


def describe_measure(plan: Plan, name: str) -> tuple[str, str]:
    """Return the name and the meaning of a measure of runs in the plan's language.

    An unknown measure keeps its name and has an empty meaning.
    """
    base_name, _, reason = name.partition(": ")
    key, number = re.sub(r"\d", "N", base_name), "".join(re.findall(r"\d", base_name))
    if key not in load_phrases(PHRASE_TABLE).list_keys("measures"):
        return name, ""
    is_known_reason = reason in load_phrases("report").list_keys("reasons")
    reason_text = (
        load_phrases("report").translate_phrase(get_plan_language(plan), f"reasons.{reason}")
        if is_known_reason
        else reason
    )
    return translate_for_plan(plan, f"measures.{key}", number=number, reason=reason_text), translate_for_plan(
        plan, f"measured.{key}"
    )
