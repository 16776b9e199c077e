"""Private texts of a justice experiment, which no other participant saw."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....state.justice.result import JusticeResult, parse_justice_result
from .step_messages import translate_justice_phrase

LabeledText = tuple[str, str]
"""Label in the run's language, and the text."""


def collect_private_texts(document: Mapping[str, Any]) -> dict[str, Sequence[LabeledText]]:
    """Collect by name the comment on the explanation, the reasons of choices, and the private thoughts."""
    result = parse_justice_result(document)
    return {phase1.participant_name: _list_texts(result, id) for id, phase1 in result.phase1.items()}


def collect_texts_with_memories(document: Mapping[str, Any]) -> dict[str, Sequence[LabeledText]]:
    """Collect the private texts by name, with each participant's memory at the end."""
    texts, label = collect_private_texts(document), translate_justice_phrase(document["language"], "private.memory")
    memories = {name: [(label, "\n".join(lines))] if lines else [] for name, lines in document["memory"].items()}
    return {name: [*texts.get(name, []), *memories.get(name, [])] for name in {**texts, **memories}}


def _list_texts(result: JusticeResult, participant_id: str) -> list[LabeledText]:
    language, phase1 = result.config.language, result.phase1[participant_id]
    texts = [(translate_justice_phrase(language, "private.comment"), phase1.principle_explanation)]
    for application in phase1.application_results:
        texts.append(
            (
                translate_justice_phrase(language, "private.reason", round=application.round),
                application.choice.reasoning if application.choice else "",
            )
        )
    for thought in result.phase2.private_reasonings:
        if thought.participant == participant_id:
            texts.append((translate_justice_phrase(language, "private.thought", round=thought.round), thought.text))
    return [(label, text) for label, text in texts if text]
