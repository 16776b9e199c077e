"""Texts that tell a person who else takes part, which servers get their words, and what was sent."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ...models import choose_spec, is_offline, parse_spec
from ...prompts import join_words, load_phrases
from ...state import Participant
from ..display.start_and_end import is_rehearsal

KIND_PHRASES = {"model": ("model", "models"), "program": ("program", "programs"), "person": ("person", "people")}
"""Keys of the phrases for one and for several participants of a kind."""


def describe_other_participants(values: Mapping[str, Any], name: str, language: str) -> list[str]:
    """Return lines about the other participants, and the servers that get this person's words.

    `values`: the run's channels. `name`: name of the person. In an anonymous protocol, the lines contain no names.
    """
    settings, participants = values["settings"], values["participants"]
    others = [participant for participant in participants if participant.name != name]
    phrases, lines = load_phrases("people"), list[str]()
    for kind, keys in KIND_PHRASES.items():
        names = [participant.name for participant in others if participant.kind == kind]
        key = keys[len(names) > 1]
        if kind == "model" and is_rehearsal(settings, participants):
            key = "rehearsal" if len(names) > 1 else "rehearsal_one"
        if names:
            count = phrases.translate_phrase(language, "others.unnamed", count=len(names))
            who = count if settings.anonymous else join_words(language, names)
            lines.append(phrases.translate_phrase(language, f"others.{key}", names=who))
    if hosts := _list_hosts(settings, others):
        lines.append(phrases.translate_phrase(language, "others.read", hosts=", ".join(hosts)))
    return lines


def describe_sending(purpose: str, language: str) -> str:
    """Return the message that an answer was sent, or that the question was skipped.

    `purpose`: purpose of the question, or `pass` for a skipped one.
    """
    key = purpose if purpose in ("statement", "ballot", "pass") else "other"
    return load_phrases("people").translate_phrase(language, f"sent.{key}")


def _list_hosts(settings: Any, others: Sequence[Participant]) -> list[str]:
    specs = [
        choose_spec(settings, participant.name, participant.model)
        for participant in others
        if participant.kind == "model"
    ]
    specs.append(choose_spec(settings, "synthesizer"))
    parsed_specs = [parse_spec(spec) for spec in specs if spec and not is_offline(spec)]
    hosts = (urlsplit(spec.url).hostname if spec.provider == "openai" else spec.provider for spec in parsed_specs)
    return list(dict.fromkeys(filter(None, hosts)))
