"""Node in which one participant answers without seeing other answers to the same question."""

from collections.abc import Callable
from dataclasses import replace

from ...models import NoAnswerError
from ...prompts import Templates, get_term
from ...state import (
    ANSWER_PURPOSE,
    ROUND_ARMS,
    IndependentBranch,
    IndependentSettings,
    Participant,
    Position,
    Update,
    append_unit,
    build_answer_format,
    get_participant_by_name,
    list_names,
    list_read_statements,
    quote_words,
)
from ..answer_forms import make_answer_form
from ..ask import (
    Prompt,
    ask,
    build_participant_call,
    build_prompt,
    record_calls,
    with_answer_draw,
    with_lookups,
    with_turn,
)
from ..consensus.vote_options import format_option_letter
from ..positions.position_form import (
    build_position_schema,
    format_position_question,
    make_position,
    make_position_fields,
)

ANSWER_ALONE_FIELDS = "name persona ask language"
REPEAT_FIELDS = f"{ANSWER_ALONE_FIELDS} last"


def answer_alone(templates: Templates) -> Callable[..., object]:
    """Build the node in which one participant gives one answer. Each answer has a branch."""

    async def answer_alone(state: IndependentBranch, settings: IndependentSettings) -> Update:
        """Ask one participant for its position. The prompt shows at most its own last answer.

        Reads the task, record, positions, lookups, heard, and who and draw; writes positions, calls,
        lookups, incidents.
        """
        participant = get_participant_by_name(state["participants"], state["who"])
        answer_format, draw = build_answer_format(settings), state["draw"]
        language = participant.language or settings.language
        round = draw if settings.arm in ROUND_ARMS else 0
        seed_parts = (settings.arm, participant.name, ANSWER_PURPOSE, draw, draw)
        call = with_turn(build_participant_call(state, participant, ANSWER_PURPOSE), draw, round)
        seat = list_names(state["participants"]).index(participant.name)
        call = with_lookups(
            call,
            participant,
            state["lookups"],
            format_option_letter(seat).lower() if settings.arm in ROUND_ARMS else "",
        )
        call = replace(
            call,
            schema=build_position_schema(answer_format),
            answer_form=make_answer_form(language, *make_position_fields(answer_format, language)),
            is_hidden=True,
            draw=draw,
        )
        call = with_answer_draw(call, *seed_parts)  # so that samples differ
        try:
            prompt = _build_prompt(state, templates, participant, settings)
            answer = await ask(replace(prompt, options=answer_format.option_texts), call)
        except NoAnswerError as failure:
            return record_calls(participant.name, failure.with_consequence("no answer"))
        fields = {"who": participant.name, "when": "round", "round": round, "turn": draw}
        position = make_position(answer.value, answer_format, **fields)
        return Update(positions=[position]) | record_calls(participant.name, answer)

    return answer_alone


def _build_prompt(
    state: IndependentBranch, templates: Templates, participant: Participant, settings: IndependentSettings
) -> Prompt:
    language = participant.language or settings.language
    values = {
        "name": participant.name,
        "persona": participant.persona,
        "ask": format_position_question(build_answer_format(settings), language),
        "language": language,
    }
    if settings.arm not in ("alone", "noise"):
        prompt = build_prompt(state, templates, "answer", values)
        return replace(prompt, history=list_read_statements(state, settings))
    last_position = next(
        (position for position in reversed(state["positions"]) if position.who == participant.name), None
    )
    prompt = build_prompt(state, templates, "again", values | {"last": _format_last_answer(last_position, language)})
    others = [statement for statement in state["heard"] if statement.speaker != participant.name]
    return replace(prompt, history=[statement for statement in others if statement.round <= state["draw"]])


def _format_last_answer(position: Position | None, language: str) -> object:
    if position is None:
        return get_term(language, "positions", "no_last")
    answer = quote_words(append_unit(position.answer, position.unit))
    if position.certainty is None:
        return get_term(language, "positions", "last_alone", answer=answer)
    return get_term(language, "positions", "last", answer=answer, certainty=f"{position.certainty:g}")
