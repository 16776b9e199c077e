"""The words of the justice experiment: its templates and its phrases, checked when the graph is built."""

from ...prompts import Phrases, TemplateFault, Wording, phrases
from ...state.justice import CERTAINTIES, PRINCIPLES, Unreadable, number_of, read_principle, read_ranking

YOU = "you explanation own language"
FORM = f"{YOU} principles definitions certainties round least most"
OFFERS = {
    "system": "participants size together talk language",
    "talk": "explanation agreement why words language",
    "explain_alone": "principles credit pay",
    "explain_group": "principles credit decision chance",
    "comprehension": f"{FORM} table number rule",
    "rank": f"{FORM} occasion",
    "study": f"{FORM} table probabilities picks",
    "apply": f"{FORM} table probabilities",
    "reason": f"{YOU} round max_rounds others",
    "speak": f"{YOU} round max_rounds others thoughts",
    "initiate": f"{YOU} round max_rounds consent agreement",
    "confirm": f"{YOU} round max_rounds consent agreement proposed otherwise",
    "ballot": f"{YOU} agreement definitions",
    "amount": f"{YOU} agreement number principle least most",
    "integrate": f"{YOU} event bound principles words",
    "results": "rule probabilities table class cause alternatives reminder",
    "feedback": "round picked class income paid probabilities table alternatives",
}
"""By template, the fields its step can fill."""
PHRASES = phrases("justice")


def readable(words: Phrases) -> None:
    """Refuse words of one's own by which an answer could not be read, or would be read as another."""
    for tag, own in words.own.items():
        for each in CERTAINTIES:
            if (key := f"certainties.{each}") in own and _certainty(own[key], tag) != each:
                raise _unreadable(words, tag, key, "an answer in this word could not be read; keep the built-in word")
        for principle in PRINCIPLES:
            key, number = f"definitions.{principle}", number_of(principle)
            if key in own and not own[key].startswith(f"{number}."):
                raise _unreadable(words, tag, key, f'it must begin with "{number}.", the number that stands for it')
            key = f"principles.{principle}"
            if key in own and _principle(own[key], tag) not in (principle, None):
                raise _unreadable(words, tag, key, "an answer in this name would be read as another principle")


def _certainty(text: str, tag: str) -> str | None:
    try:
        return read_ranking(f"1\n2\n3\n4\n{text}", tag).certainty
    except Unreadable:
        return None


def _principle(text: str, tag: str) -> str | None:
    try:
        return read_principle(text, tag)
    except Unreadable:
        return None


def _unreadable(words: Phrases, tag: str, key: str, remedy: str) -> TemplateFault:
    return TemplateFault(f"{words.kind}.{tag}.toml: {key} = {words.own[tag][key]!r}: {remedy}")


WORDS = Wording("justice", {name: frozenset(fields.split()) for name, fields in OFFERS.items()}, PHRASES, readable)
