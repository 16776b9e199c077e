"""Private texts of a justice experiment, which no other participant saw."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ....state.justice.result import parse_justice_result
from .step_messages import translate_justice_phrase

LabeledText = tuple[str, str]
"""Text with its label in the run's language."""


def collect_private_texts(document: Mapping[str, Any]) -> dict[str, list[LabeledText]]:
    """Collect by name the comment on the explanation, the reasons of choices, and the private thoughts."""
    result, texts_by_name = parse_justice_result(document), dict[str, list[LabeledText]]()
    label = partial(translate_justice_phrase, result.config.language)
    for id, phase1 in result.phase1.items():
        texts = [(label("private.comment"), phase1.principle_explanation)]
        for application in phase1.application_results:
            reasoning = application.choice.reasoning if application.choice else ""
            texts.append((label("private.reason", round=application.round), reasoning))
        for thought in result.phase2.private_reasonings:
            if thought.participant == id:
                texts.append((label("private.thought", round=thought.round), thought.text))
        texts_by_name[phase1.participant_name] = [labeled_text for labeled_text in texts if labeled_text[1]]
    return texts_by_name


def collect_texts_with_memories(document: Mapping[str, Any]) -> dict[str, list[LabeledText]]:
    """Collect the private texts by name, with each participant's memory at the end."""
    texts, label = collect_private_texts(document), translate_justice_phrase(document["language"], "private.memory")
    for name, lines in document["memory"].items():
        texts.setdefault(name, []).extend([(label, "\n".join(lines))] if lines else [])
    return texts
