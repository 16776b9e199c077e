"""Templates and phrases of the justice experiment, checked when the graph is built."""

from ...prompts import PhrasedTemplates, Phrases, TemplateError, load_phrases
from ...state.answers.text import normalize_wording
from ...state.justice import CERTAINTIES, PRINCIPLES, get_ballot_number

SELF_FIELDS = "you explanation own language"
TASK_FIELDS = f"{SELF_FIELDS} principles definitions round least most"
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
JUSTICE_PHRASES = load_phrases("justice")


def check_phrases(phrases: Phrases) -> None:
    """Check that a user's phrases give each answer its own wording, and number the definitions.

    Raises `InputError`.
    """
    for tag, overrides in phrases.overrides.items():
        for section, names in (("certainties", CERTAINTIES), ("principles", PRINCIPLES)):
            wordings = [normalize_wording(phrases.translate_phrase(tag, f"{section}.{name}")) for name in names]
            for name, wording in zip(names, wordings, strict=True):
                if (key := f"{section}.{name}") in overrides and wordings.count(wording) > 1:
                    raise _make_phrase_error(phrases, tag, key, "another answer has the same wording")
        for principle in PRINCIPLES:
            key, number = f"definitions.{principle}", get_ballot_number(principle)
            if key in overrides and not overrides[key].startswith(f"{number}."):
                raise _make_phrase_error(
                    phrases, tag, key, f'must begin with "{number}.", the number of this principle'
                )


def _make_phrase_error(phrases: Phrases, tag: str, key: str, remedy: str) -> TemplateError:
    return TemplateError(f"{phrases.kind}.{tag}.toml: {key} = {phrases.overrides[tag][key]!r}: {remedy}")


TEMPLATES = PhrasedTemplates(
    "justice",
    {name: frozenset(fields.split()) for name, fields in TEMPLATE_FIELDS.items()},
    JUSTICE_PHRASES,
    check_phrases,
)
