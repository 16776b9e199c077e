"""Templates and phrases of the justice experiment, checked when the graph is built."""

from collections.abc import Callable
from typing import TypeVar

from ...prompts import PhrasedTemplates, Phrases, TemplateError, load_phrases
from ...state.justice import CERTAINTIES, PRINCIPLES, Unreadable, get_ballot_number, read_principle, read_ranking

T = TypeVar("T")
SELF_FIELDS = "you explanation own language"
TASK_FIELDS = f"{SELF_FIELDS} principles definitions certainties round least most"
TEMPLATE_FIELDS = {
    "system": "participants size together talk language",
    "talk": "explanation agreement why words language",
    "explain_alone": "principles credit pay",
    "explain_group": "principles credit decision chance",
    "comprehension": f"{TASK_FIELDS} table number rule",
    "rank": f"{TASK_FIELDS} occasion",
    "study": f"{TASK_FIELDS} table probabilities picks",
    "apply": f"{TASK_FIELDS} table probabilities",
    "reason": f"{SELF_FIELDS} round max_rounds others",
    "speak": f"{SELF_FIELDS} round max_rounds others thoughts",
    "initiate": f"{SELF_FIELDS} round max_rounds consent agreement",
    "confirm": f"{SELF_FIELDS} round max_rounds consent agreement proposed otherwise",
    "ballot": f"{SELF_FIELDS} agreement definitions",
    "amount": f"{SELF_FIELDS} agreement number principle least most",
    "integrate": f"{SELF_FIELDS} event bound principles words",
    "results": "rule probabilities table class cause alternatives reminder",
    "feedback": "round picked class income paid probabilities table alternatives",
}
PHRASES = load_phrases("justice")


def check_readable(phrases: Phrases) -> None:
    """Refuse a custom phrase if an answer with it would be unparsable or ambiguous."""
    for tag, overrides in phrases.overrides.items():
        for certainty in CERTAINTIES:
            key = f"certainties.{certainty}"
            ranking = _read_or_none(read_ranking, f"1\n2\n3\n4\n{overrides.get(key)}", tag)
            if key in overrides and (ranking is None or ranking.certainty != certainty):
                raise _make_phrase_error(
                    phrases, tag, key, "an answer in this word could not be read; keep the built-in word"
                )
        for principle in PRINCIPLES:
            key, number = f"definitions.{principle}", get_ballot_number(principle)
            if key in overrides and not overrides[key].startswith(f"{number}."):
                raise _make_phrase_error(
                    phrases, tag, key, f'it must begin with "{number}.", the number that stands for it'
                )
            key = f"principles.{principle}"
            if key in overrides and _read_or_none(read_principle, overrides[key], tag) not in (principle, None):
                raise _make_phrase_error(phrases, tag, key, "an answer in this name would be read as another principle")


def _read_or_none(read: Callable[[str, str], T], text: str, tag: str) -> T | None:
    try:
        return read(text, tag)
    except Unreadable:
        return None


def _make_phrase_error(phrases: Phrases, tag: str, key: str, remedy: str) -> TemplateError:
    return TemplateError(f"{phrases.kind}.{tag}.toml: {key} = {phrases.overrides[tag][key]!r}: {remedy}")


TEMPLATES = PhrasedTemplates(
    "justice", {name: frozenset(fields.split()) for name, fields in TEMPLATE_FIELDS.items()}, PHRASES, check_readable
)
