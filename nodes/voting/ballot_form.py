"""Text forms of ballots and consents."""

from collections.abc import Callable, Mapping, Sequence

from ...prompts import get_term
from ...state import (
    CUMULATIVE_POINTS,
    AnswerField,
    AnswerForm,
    BallotFormat,
    StrictModel,
    index_options,
    normalize_wording,
    parse_list,
    parse_ranking,
    parse_scores,
    parse_word,
)
from ..answer_forms import index_words, list_labels, make_answer_form, make_word_field

LABEL_KEYS: Mapping[BallotFormat, str] = {
    "choice": "vote",
    "ranking": "ranking",
    "approvals": "approve",
    "scores": "scores",
    "points": "scores",
}
BALLOT_WEIGHTS = {str(certainty): certainty for certainty in range(1, 6)}


class ConsentReply(StrictModel):
    """Reply to the question whether to vote now."""

    agrees: bool


def make_consent_form(language: str) -> AnswerForm:
    """Make the text form of an answer to the question whether to vote now."""
    return make_answer_form(language, make_word_field("agrees", "consent", language, {"yes": True, "no": False}))


def make_ballot_fields(
    kind: BallotFormat,
    options: Mapping[str, str] | Sequence[str],
    language: str,
    *,
    is_weighted: bool = False,
    may_abstain: bool = False,
) -> list[AnswerField]:
    """Make the lines of a text ballot.

    `kind`: kind of ballot. `options`: texts by sign, or signs without texts. `is_weighted`: whether it asks for a
    certainty. A word of the form, such as "abstain", can also be a wording of an option. If it is an option's sign, it
    means the option. If it is an option's text, it is ambiguous and not parsed.
    """
    all_signs, names = index_options(options), list(options)
    form_words = index_words({"abstain": True} if may_abstain else {}) | index_words(
        {"none": False} if kind == "approvals" else {}
    )
    own_wordings = set(map(normalize_wording, names))
    signs = {
        wording: sign for wording, sign in all_signs.items() if wording not in form_words or wording in own_wordings
    }
    texts = (*names, *options.values()) if isinstance(options, Mapping) else names
    option_wordings = {*all_signs, *map(normalize_wording, texts)}
    meanings = {word: is_abstention for word, is_abstention in form_words.items() if word not in option_wordings}
    parsers: Mapping[BallotFormat, Callable[[str], object]] = {
        "choice": lambda text: parse_word(text, signs),
        "ranking": lambda text: parse_ranking(text, signs),
        "approvals": lambda text: parse_list(text, signs),
        "scores": lambda text: parse_scores(text, signs),
        "points": lambda text: parse_scores(text, signs),
    }

    def parse(text: str) -> object:
        is_abstention = meanings.get(normalize_wording(text))
        if is_abstention is None:
            return parsers[kind](text)
        return {"abstain": True} if is_abstention else []

    examples = [
        *_list_examples(kind, names, language),
        *([get_term(language, "words", "abstain")] if may_abstain else []),
    ]
    fields = [
        AnswerField(
            kind,
            list_labels(LABEL_KEYS[kind], language),
            parse,
            examples,
            is_complete=kind == "choice",
        )
    ]
    if is_weighted:  # an abstention has no certainty
        fields.append(
            AnswerField(
                "weight",
                list_labels("certainty", language),
                lambda text: parse_word(text, BALLOT_WEIGHTS),
                list(BALLOT_WEIGHTS),
                is_required=False,
            )
        )
    return fields


def _list_examples(kind: BallotFormat, names: Sequence[str], language: str) -> list[str]:
    """Return examples of answers: every possible choice or, for other kinds of ballot, two opposite ones.

    Opposite examples do not suggest an answer.
    """
    if kind == "choice":
        return list(names)
    if kind == "ranking":
        return list(dict.fromkeys([" > ".join(names), " > ".join(reversed(names))]))
    if kind == "approvals":
        return [", ".join(names), get_term(language, "words", "none")]
    scores = [CUMULATIVE_POINTS, *(0 for _ in names[1:])]
    orders = (scores, scores[::-1])
    return list(
        dict.fromkeys(
            ", ".join(f"{name}={score}" for name, score in zip(names, order, strict=True)) for order in orders
        )
    )
