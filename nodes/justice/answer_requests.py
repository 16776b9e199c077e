"""Requests for answers in the experiment: schemas, text forms, faults, and replacements."""

from contextlib import suppress
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from ...prompts import LANGUAGES, get_term
from ...state import (
    COUNTED_AS_NO,
    AnswerField,
    StrictModel,
    UnclearAnswerError,
    check_unique,
    index_options,
    normalize_wording,
    parse_amount,
    parse_ranking,
    parse_word,
)
from ...state.justice import (
    CERTAINTIES,
    DISTRIBUTION_IDS,
    PRINCIPLES,
    Certainty,
    DistributionId,
    PrincipleChoice,
    Ranking,
    get_ballot_number,
    get_principle,
    make_default_ranking,
    needs_amount,
)
from ..answer_forms import index_words, list_labels, make_answer_form
from ..ask import QuestionResult
from ..voting.ballot_form import ConsentReply
from .addressee import Addressee
from .question import AnswerRequest
from .templates import JUSTICE_PHRASES

COMPREHENSION_FAILURE = "not answered rightly"
"""Consequence of a comprehension question without a right answer in the last attempt."""

BallotNumber = Annotated[
    Literal["1", "2", "3", "4"], BeforeValidator(lambda value: str(value) if type(value) is int else value)
]


def _convert_amount(value: object) -> object:
    """Return the amount that a text contains. Return any other value unchanged."""
    with suppress(UnclearAnswerError):
        return parse_amount(value) if isinstance(value, str) else value
    return value


class RankingReply(StrictModel):
    """Reply with a ranking of the principles, best first."""

    ranking: Annotated[list[BallotNumber], Field(min_length=4, max_length=4), AfterValidator(check_unique)]
    certainty: Certainty


class ChoiceReply(StrictModel):
    """Reply with the choice of a principle. `amount` stays text if it is not an amount in digits."""

    principle: BallotNumber
    amount: Annotated[int | str | None, BeforeValidator(_convert_amount)] = None
    certainty: Certainty
    reason: str = ""


class PrincipleReply(StrictModel):
    """Reply with a vote for a principle."""

    principle: BallotNumber


class AmountReply(StrictModel):
    """Reply with the amount of the principle that a participant votes for."""

    amount: Annotated[int, BeforeValidator(_convert_amount)]


class DistributionReply(StrictModel):
    """Reply to the comprehension test: the distribution that a principle selects."""

    distribution: DistributionId


def request_ranking(addressee: Addressee) -> AnswerRequest[RankingReply]:
    """Build the request for a ranking of the principles with its certainty."""
    language, numbers = addressee.language, _index_principles(addressee)
    examples = ["1 > 2 > 3 > 4", "4 > 3 > 2 > 1"]  # two opposite ones, so that none is suggested
    field = AnswerField(
        "ranking",
        list_labels("ranking", language),
        lambda text: parse_ranking(text, numbers),
        examples,
        is_complete=False,
    )
    form = make_answer_form(language, field, _make_certainty_field(addressee), act="ranking")
    return AnswerRequest(RankingReply, form, "ranking defaulted")


def select_ranking(reply: RankingReply | None, result: QuestionResult) -> Ranking:
    """Return the ranking in a reply, or the default ranking without a usable reply.

    `result`: all replies to the question, which the ranking keeps.
    """
    if reply is None:
        return make_default_ranking(result.replies)
    return Ranking(
        order=[get_principle(int(number)) for number in reply.ranking],
        certainty=reply.certainty,
        read_as=result.read_as,
        raw_replies=result.replies,
    )


def request_choice(addressee: Addressee) -> AnswerRequest[ChoiceReply]:
    """Build the request for a principle with its amount, a certainty and a reason."""
    language, none_words = addressee.language, index_words({"none": None})

    def parse_optional_amount(text: str) -> object:  # an unclear amount has a number of attempts of its own
        return None if normalize_wording(text) in none_words else _convert_amount(text)

    def find_fault(reply: ChoiceReply) -> str:
        if not needs_amount(get_principle(int(reply.principle))):
            return ""
        if reply.amount is None or isinstance(reply.amount, str):
            key = "amount_missing" if reply.amount is None else "amount_unclear"
            return addressee.translate_phrase(f"faults.{key}")
        return _find_amount_fault(addressee, reply.amount)

    examples = [*_list_amount_examples(addressee), get_term(language, "words", "none")]
    amount_field = AnswerField(
        "amount", list_labels("amount", language), parse_optional_amount, examples, is_complete=False, is_required=False
    )
    fields = [_make_principle_field(addressee), amount_field, _make_certainty_field(addressee)]
    return AnswerRequest(ChoiceReply, make_answer_form(language, *fields), "choice defaulted", find_fault)


def make_choice(reply: ChoiceReply | None) -> PrincipleChoice | None:
    """Return the choice in a usable reply; `None` without one."""
    if reply is None:
        return None
    principle, amount = get_principle(int(reply.principle)), reply.amount
    return PrincipleChoice(
        principle=principle,
        constraint_amount=amount if isinstance(amount, int) and needs_amount(principle) else None,
        certainty=reply.certainty,
        reasoning=reply.reason,
    )


def request_principle(addressee: Addressee) -> AnswerRequest[PrincipleReply]:
    """Build the request for a vote for a principle."""
    form = make_answer_form(addressee.language, _make_principle_field(addressee), act="vote")
    return AnswerRequest(PrincipleReply, form, "ballot missing")


def request_amount(addressee: Addressee) -> AnswerRequest[AmountReply]:
    """Build the request for the amount of a constrained principle, in a vote."""
    language, examples = addressee.language, _list_amount_examples(addressee)
    form = make_answer_form(
        language, AnswerField("amount", list_labels("amount", language), parse_amount, examples, is_complete=False)
    )
    return AnswerRequest(AmountReply, form, "ballot missing", lambda reply: _find_amount_fault(addressee, reply.amount))


def request_consent(addressee: Addressee, label: str) -> AnswerRequest[ConsentReply]:
    """Build the request for consent to a vote now.

    `label`: key of the phrase that labels the answer's line.
    """
    language = addressee.language
    digits: dict[str, str] = {}
    for tag in LANGUAGES:
        digits |= index_options({"1": get_term(tag, "words", "yes"), "0": get_term(tag, "words", "no")})
    examples = [get_term(language, "words", word) for word in ("yes", "no")]
    field = AnswerField("agrees", list_labels(label, language), lambda text: parse_word(text, digits) == "1", examples)
    return AnswerRequest(ConsentReply, make_answer_form(language, field), COUNTED_AS_NO)


def request_distribution(
    addressee: Addressee, right_answer: DistributionId, answers: list[DistributionId]
) -> AnswerRequest[DistributionReply]:
    """Build the request for an answer in the comprehension test. A wrong answer counts as a fault.

    `answers`: list to which each readable answer is added.
    """
    names = index_options(list(DISTRIBUTION_IDS))

    def find_fault(reply: DistributionReply) -> str:
        answers.append(reply.distribution)
        return "" if reply.distribution == right_answer else addressee.translate_phrase("faults.distribution_wrong")

    field = AnswerField(
        "distribution",
        list_labels("distribution", addressee.language),
        lambda text: parse_word(text, names),
        DISTRIBUTION_IDS,
    )
    form = make_answer_form(addressee.language, field)
    return AnswerRequest(DistributionReply, form, COMPREHENSION_FAILURE, find_fault)


def _find_amount_fault(addressee: Addressee, amount: int) -> str:
    voting = addressee.settings.voting
    if voting.amount_min_reasonable <= amount <= voting.amount_max_reasonable:
        return ""
    bounds = {"least": f"{voting.amount_min_reasonable:,}", "most": f"{voting.amount_max_reasonable:,}"}
    return addressee.translate_phrase("faults.amount_out_of_range", **bounds)


def _list_amount_examples(addressee: Addressee) -> list[str]:
    """Return the minimum and maximum amounts as examples, because they suggest no amount in between."""
    voting = addressee.settings.voting
    return [str(voting.amount_min_reasonable), str(voting.amount_max_reasonable)]


def _make_principle_field(addressee: Addressee) -> AnswerField:
    numbers, language = _index_principles(addressee), addressee.language
    labels = [*list_labels("principle", language), *list_labels("answer", language)]
    examples = [str(get_ballot_number(principle)) for principle in addressee.presentation.principles]
    return AnswerField("principle", labels, lambda text: parse_word(text, numbers), examples)


def _make_certainty_field(addressee: Addressee) -> AnswerField:
    words: dict[str, str] = {
        certainty: addressee.translate_phrase(f"certainties.{certainty}") for certainty in CERTAINTIES
    }
    wordings = {
        normalize_wording(JUSTICE_PHRASES.translate_phrase(tag, f"certainties.{certainty}")): certainty
        for tag in LANGUAGES
        for certainty in CERTAINTIES
    }
    certainties = wordings | index_options(words)
    return AnswerField(
        "certainty",
        list_labels("certainty", addressee.language),
        lambda text: parse_word(text, certainties),
        list(words.values()),
    )


def _index_principles(addressee: Addressee) -> dict[str, str]:
    """Map each wording of a principle, in any language, to its number.

    A wording is the number, the name, both, or `principle 3` with or without the name.
    """
    phrases, wordings = JUSTICE_PHRASES.with_folder(addressee.settings.templates), dict[str, str]()
    for tag in [*LANGUAGES, addressee.language]:  # the participant's own names come last, and so prevail
        names = {
            str(get_ballot_number(principle)): phrases.translate_phrase(tag, f"principles.{principle}")
            for principle in PRINCIPLES
        }
        label = get_term(tag, "labels", "principle")
        for prefix in ("", label, f"{label} "):
            signs = index_options({f"{prefix}{number}": name for number, name in names.items()})
            wordings |= {wording: sign.removeprefix(prefix) for wording, sign in signs.items()}
    return wordings
