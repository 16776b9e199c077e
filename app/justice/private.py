"""What only its owner was shown in an experiment, or wrote for no other participant: paid for, and kept apart."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...state.justice.result import JusticeResult, result_in
from .news import say

Text = tuple[str, str]
"""What it is, in the run's language, and the text."""


def private_texts(document: Mapping[str, Any]) -> dict[str, Sequence[Text]]:
    """By name: the comment on the explanation, the reasons of the choices, what was thought before speaking."""
    result = result_in(document)
    return {alone.participant_name: _texts(result, id) for id, alone in result.phase1.items()}


def with_memories(document: Mapping[str, Any]) -> dict[str, Sequence[Text]]:
    """The same, and what each remembers at the end."""
    texts, memory = private_texts(document), say(document["language"], "private.memory")
    kept = {name: [(memory, "\n".join(lines))] if lines else [] for name, lines in document["memory"].items()}
    return {name: [*texts.get(name, []), *kept.get(name, [])] for name in {**texts, **kept}}


def _texts(result: JusticeResult, id: str) -> list[Text]:
    language, alone = result.config.language, result.phase1[id]
    found = [(say(language, "private.comment"), alone.principle_explanation)]
    for one in alone.application_results:
        found.append((say(language, "private.reason", round=one.round), one.choice.reasoning if one.choice else ""))
    for thought in result.phase2.private_reasonings:
        if thought.participant == id:
            found.append((say(language, "private.thought", round=thought.round), thought.text))
    return [(what, text) for what, text in found if text]
