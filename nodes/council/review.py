"""Node in which one member ranks and criticizes the anonymous answers.

Each member sees them in a different order.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, create_model, model_validator

from ...models import NoAnswerError
from ...prompts import Templates, get_term
from ...state import (
    Ballot,
    BallotAnswer,
    BallotFormat,
    ClosedModel,
    FencedText,
    Participant,
    Statement,
    Update,
    check_unique,
    fence_text,
    get_participant_by_name,
    make_ballot_schema,
)
from ...state.answers.labelled_lines import AnswerForm
from ...state.council import (
    CouncilSettings,
    CouncilUpdate,
    Critique,
    MemberState,
    Review,
    list_answers_to_rank,
    shuffle_answers,
)
from ..answer_forms import make_answer_form, make_text_field
from ..ask import (
    Prompt,
    ask,
    build_answer_fields,
    build_participant_call,
    build_prompt,
    estimate_words,
    record_calls,
    with_answer_draw,
    with_turn,
)
from ..consensus.vote_options import format_option_letter
from ..voting.ballot_form import make_ballot_fields

REVIEW_FIELDS = "name persona own answers how words language"


class Critiques(ClosedModel):
    """Critiques of the answers, by the letter that stands for each answer. A missing critique is empty."""

    @model_validator(mode="before")
    @classmethod
    def _fill_missing_critiques(cls, value: Any) -> Any:
        return dict.fromkeys(cls.model_fields, "") | value if isinstance(value, dict) else value


class CritiquedRanking(BallotAnswer):
    """Ranking with critiques. A reply without critiques is accepted."""

    critiques: Critiques

    @model_validator(mode="before")
    @classmethod
    def _add_empty_critiques(cls, value: Any) -> Any:
        return {"critiques": {}} | value if isinstance(value, dict) else value


@cache
def build_review_schema(signs: tuple[str, ...], kind: BallotFormat, is_weighted: bool) -> type[BallotAnswer]:
    """Build the schema of a review: critiques, a ranking, and the fields that the voting rule needs."""
    ballot_schema = make_ballot_schema(kind, signs, is_weighted=is_weighted)
    fields: dict[str, Any] = {sign: (str, Field(description="critique")) for sign in signs}
    letter_type: Any = Literal.__getitem__(signs)
    ranking_field = Field(min_length=len(signs), max_length=len(signs), description="whole_ranking")
    return create_model(
        "ReviewForm",
        __base__=(ballot_schema, CritiquedRanking),
        critiques=(create_model("Critiques", __base__=Critiques, **fields), ...),
        ranking=(Annotated[list[letter_type], ranking_field, AfterValidator(check_unique)], ...),
    )


def make_review_form(signs: Sequence[str], settings: CouncilSettings, language: str) -> AnswerForm:
    """Make the text form of a review: a ranking, the lines that the voting rule needs, and critiques."""
    fields, kind = (
        make_ballot_fields("ranking", signs, language, is_weighted=settings.is_weighted),
        settings.ballot_format,
    )
    if kind != "ranking":
        fields += make_ballot_fields(kind, signs, language)
    critiques = [make_text_field(f"critiques.{sign}", "critique", language, sign=sign) for sign in signs]
    return make_answer_form(language, *critiques, *fields, act="ranking")


def review(templates: Templates) -> Callable[..., object]:
    """Build the node in which one member ranks and criticizes the answers. Each member has a branch."""

    async def review(state: MemberState, settings: CouncilSettings) -> Update:
        """Ask one member to rank the answers without knowing their authors.

        Reads the task, round, record, view_limits, and who; writes reviews, calls, incidents, view_limits.
        """
        member = get_participant_by_name(state["participants"], state["who"])
        ordered_answers = shuffle_answers(
            list_answers_to_rank(member.name, state["history"], settings.rank_own_answer),
            member.name,
            settings.seed or 0,
        )
        answers_by_letter = {format_option_letter(index): statement for index, statement in enumerate(ordered_answers)}
        letters = tuple(answers_by_letter)
        call = replace(
            with_turn(build_participant_call(state, member, "review"), 0, state["round"]),
            schema=build_review_schema(letters, settings.ballot_format, settings.is_weighted),
            answer_form=make_review_form(letters, settings, member.language or settings.language),
            is_hidden=True,
        )
        call = with_answer_draw(call)
        turns = [statement.turn for statement in ordered_answers]
        try:
            answer = await ask(_build_prompt(state, templates, member, answers_by_letter), call)
        except NoAnswerError as failure:
            ballot = Ballot.make_invalid(member.name, failure.last_reply, failure.incidents[-1].what)
            update = CouncilUpdate(
                reviews=[Review(shown_turns=turns, ballot=ballot, **build_answer_fields(call, failure))]
            )
            return update | record_calls(member.name, failure.with_consequence("no valid ranking"))
        assert isinstance(answer.value, BallotAnswer)
        fields: dict[str, Any] = answer.value.model_dump(include={"ranking", "critiques"})
        critiques = {letter: text.strip() for letter, text in fields["critiques"].items()}
        return CouncilUpdate(
            reviews=[
                Review(
                    shown_turns=[statement.turn for statement in answers_by_letter.values()],
                    ranking=[answers_by_letter[letter].turn for letter in fields["ranking"]],
                    critiques=[
                        Critique(turn=answers_by_letter[letter].turn, text=text)
                        for letter, text in critiques.items()
                        if text
                    ],
                    ballot=answer.value.make_ballot(member.name).rename_options(
                        {letter: statement.speaker for letter, statement in answers_by_letter.items()}
                    ),
                    **build_answer_fields(call, answer),
                )
            ]
        ) | record_calls(member.name, answer)

    return review


def _build_prompt(
    state: MemberState, templates: Templates, member: Participant, answers: Mapping[str, Statement]
) -> Prompt:
    settings, language = state["settings"], member.language or state["settings"].language
    assert isinstance(settings, CouncilSettings)
    values = {
        "name": member.name,
        "persona": member.persona,
        "own": get_term(language, "memory", "own_answer") if settings.rank_own_answer else "",
        "answers": FencedText(
            "\n".join(fence_text("statement", answer.content, speaker=letter) for letter, answer in answers.items())
        ),
        "how": ""
        if settings.ballot_format == "ranking"
        else get_term(language, "memory", f"how_{settings.ballot_format}"),
        "words": estimate_words(settings.max_tokens_per_turn // (2 * len(answers)), language),
        "language": language,
    }
    options = {letter: answer.content for letter, answer in answers.items()}
    return replace(build_prompt(state, templates, "review", values), options=options).with_limit(
        state["view_limits"].get(member.name)
    )
