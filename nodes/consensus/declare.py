"""Node in which each participant declares its position by filling in a form.

Moot asks all participants at the same time.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, create_model

from ...models import NoAnswerError
from ...prompts import Templates, get_term, join_words
from ...state import (
    AnswerField,
    AnswerForm,
    AnswerFormat,
    BranchInput,
    FencedText,
    Incident,
    Position,
    PositionRecordState,
    PositionSettings,
    StrictModel,
    StrippedText,
    TurnState,
    Update,
    build_answer_format,
    check_unique,
    index_options,
    list_names,
    normalize_wording,
    parse_list,
    parse_number,
    parse_word,
    quote_lines,
    quote_words,
)
from ...state.consensus import ConvergenceState, Objection, is_undeclared_change, list_open_objections
from ...storage import get_timestamp
from ..answer_forms import (
    index_words,
    is_no_objection,
    list_labels,
    make_answer_form,
    make_text_field,
    make_word_field,
)
from ..ask import (
    Answer,
    ask,
    build_participant_call,
    build_prompt,
    make_check,
    record_calls,
    with_answer_draw,
    with_turn,
)
from ..positions.position_form import build_schema_fields, format_position_question, make_position, make_position_fields

DECLARATION_FIELDS = "name others persona round language progress ask"


Change = Literal["none", "wording", "substance"]


class Declaration(StrictModel):
    """Reply of a participant that declares its position."""

    position: StrippedText = Field(min_length=1, max_length=2000, description="position")
    agreement: float = Field(ge=0, le=1, description="agreement")
    has_objection: bool = Field(description="has_objection")
    objection: str = Field(default="", max_length=2000, description="new_objection")
    changed_by: str = Field(description="changed_by")


@cache
def build_declaration_schema(
    other_names: tuple[str, ...], has_last: bool, numbers: tuple[int, ...]
) -> type[Declaration]:
    """Build the schema of a declaration for one participant.

    `other_names`: participants that may have changed the speaker's position. `has_last`: whether to ask for the change
    since the last declaration. `numbers`: open objections that the speaker confirms or drops.
    """
    names_type: Any = Literal.__getitem__(("", *other_names))
    numbers_type: Any = Literal.__getitem__(numbers) if numbers else None
    info = Declaration.model_fields["changed_by"]
    fields: dict[str, Any] = {"changed_by": (names_type, Field(description=info.description))}
    if has_last:
        fields["change"] = (Change, Field(description="change"))
    if numbers:
        standing_type = Annotated[list[numbers_type], AfterValidator(check_unique)]
        fields["standing"] = (standing_type, Field(max_length=len(numbers), description="standing"))
    return create_model("Declaration", __base__=Declaration, **fields)


def make_declaration_form(
    other_names: Sequence[str], has_last: bool, numbers: Sequence[int], question: AnswerFormat | None, language: str
) -> AnswerForm:
    """Make the text form of a declaration. For the parameters, see `build_declaration_schema`.

    `question`: format of the run's answer if the form also asks for it, or `None`.
    """
    none = get_term(language, "words", "none")
    all_names, nobody = index_options(other_names), index_words({"none": ""})
    names = {  # "none" is ambiguous if a participant has this name
        wording: name
        for wording, name in (all_names | nobody).items()
        if not (wording in all_names and wording in nobody)
    }
    signs = index_options([str(number) for number in numbers])

    def parse_objection_numbers(text: str) -> list[int]:
        return [] if normalize_wording(text) in nobody else [int(sign) for sign in parse_list(text, signs)]

    fields = [
        make_text_field("position", "position", language, is_required=True),
        AnswerField("agreement", list_labels("agreement", language), parse_number, ["0", "1"], is_complete=False),
        make_word_field("has_objection", "has_objection", language, {"yes": True, "no": False}),
        make_text_field("objection", "objection", language, condition="if_yes"),
        AnswerField(
            "changed_by",
            list_labels("changed_by", language),
            lambda text: parse_word(text, names),
            [*other_names, none],
        ),
    ]
    if has_last:
        fields.append(make_word_field("change", "change", language, {change: change for change in get_args(Change)}))
    if numbers:
        examples = [", ".join(map(str, numbers)), none]
        fields.append(
            AnswerField(
                "standing", list_labels("standing", language), parse_objection_numbers, examples, is_complete=False
            )
        )
    return make_answer_form(language, *fields, *(make_position_fields(question, language) if question else []))


class DeclarationState(TurnState, PositionRecordState, ConvergenceState):
    """Channels of the branch in which one participant declares its position."""

    who: BranchInput[str]


def declare(templates: Templates) -> Callable[..., object]:
    """Build the node in which one participant declares its position. Each participant has a branch."""

    async def declare(state: DeclarationState, settings: PositionSettings) -> Update:
        """Ask one participant for its position and, with `positions: rounds`, for its answer.

        Reads the task, round, turn, record, positions, confirmations, view_limits, and who; writes positions, calls,
        incidents, view_limits.
        """
        participant = next(member for member in state["participants"] if member.name == state["who"])
        other_names = [name for name in list_names(state["participants"]) if name != participant.name]
        question = build_answer_format(settings) if settings.positions == "rounds" else None
        last_position = next(
            (
                position
                for position in reversed(state["positions"])
                if position.who == participant.name and position.agreement is not None
            ),
            None,
        )
        objections = list_open_objections(state["positions"], state["confirmations"], state["round"] - 1)
        numbers = tuple(objection.number for objection in objections)
        schema = build_declaration_schema(tuple(other_names), last_position is not None, numbers)
        if question:
            schema = create_model("Declaration", __base__=schema, **build_schema_fields(question))
        call = with_turn(build_participant_call(state, participant, "position"), state["turn"], state["round"])
        language = participant.language or settings.language
        answer_form = make_declaration_form(other_names, last_position is not None, numbers, question, language)
        call = with_answer_draw(replace(call, schema=schema, answer_form=answer_form, is_hidden=True))
        question_text = format_position_question(question, language) if question else ""
        values = {
            "name": participant.name,
            "others": join_words(language, other_names),
            "persona": participant.persona,
            "round": state["round"],
            "progress": format_last_declaration(last_position, objections, language),
            "ask": FencedText(f"{question_text}\n") if question else "",
            "last_position": last_position.position if last_position else "",
            "holders": {objection.number: objection.who for objection in objections},
            "language": language,
        }
        options = (question.option_texts if question else {}) | {
            str(objection.number): f"{objection.who}: {objection.text}" for objection in objections
        }
        prompt = build_prompt(state, templates, "declare", values)
        prompt = replace(prompt, history=state["history"], options=options)
        check = make_check(get_term(language, "again", "contrary_objection"), has_contrary_objection)
        try:
            prompt = prompt.with_limit(state["view_limits"].get(participant.name))
            answer = await ask(prompt, call, check)
        except NoAnswerError as failure:
            return record_calls(participant.name, failure.with_consequence("no position"))
        position_fields = {"who": participant.name, "round": state["round"], "turn": state["turn"]}
        position = make_declared_position(answer, question, **position_fields)
        update: Update = Update(positions=[position]) | record_calls(participant.name, answer)
        if last_position and is_undeclared_change(last_position, position):
            incident = Incident(
                where="position",
                who=position.who,
                what=get_term(language, "noted", "unsaid_change"),
                kind="unsaid_change",
                consequence="counted as moved",
                turn=position.turn,
                round=position.round,
                at=get_timestamp(),
                category="logic",
            )
            update["incidents"] = [*update.get("incidents", []), incident]
        return update

    return declare


def has_contrary_objection(reply: Declaration) -> bool:
    """Return whether a reply announces an objection without a text, or contains one without announcing it."""
    return reply.has_objection == is_no_objection(reply.objection, *([] if reply.has_objection else ["no"]))


def format_last_declaration(
    last_position: Position | None, objections: Sequence[Objection], language: str
) -> FencedText:
    """Format the participant's last position and the numbered open objections."""
    lines: list[str] = []
    if last_position:
        lines.append(get_term(language, "declaration", "last", position=quote_words(last_position.position)))
    if objections:
        rows = [(f"({objection.number}) {objection.who}", objection.text) for objection in objections]
        lines += [get_term(language, "declaration", "standing"), str(quote_lines(rows))]
    return FencedText("".join(f"{line}\n" for line in lines))


def make_declared_position(answer: Answer, question: AnswerFormat | None, **position_fields: Any) -> Position:
    """Make the record of a declared position from the reply.

    `question`: format of the answer to the run's question; `None` leaves the answer empty. `position_fields`: the
    position's other fields, such as `turn`.
    """
    reply = answer.value
    assert isinstance(reply, Declaration)
    if not reply.has_objection:
        position_fields["objection"] = ""
    return make_position(reply, question, **position_fields)
