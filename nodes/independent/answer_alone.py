"""Answer of one participant who sees no other answer to the same question."""

from collections.abc import Callable
from dataclasses import replace

from ...models.failures import NoAnswerError
from ...prompts import Templates, get_term
from ...state.fence import quote_words
from ...state.independent import ANSWER_PURPOSE, IndependentBranch, IndependentSettings
from ...state.positions import Position, build_answer_format
from ...state.positions.answer import append_unit
from ...state.random_streams import derive_stream_seed
from ...state.schemas import Update
from ...state.statement import Participant
from ..ask import CallOptions, Prompt, build_participant_call, with_turn
from ..ask.ask_with_retries import ask
from ..ask.call_records import record_calls
from ..ask.prompt import build_prompt
from ..positions.form import build_position_form, format_position_question, make_plain_parser, make_position

ANSWER_ALONE_FIELDS = "name persona ask language"
"""Fields that the template of a first answer may use."""
REPEAT_FIELDS = f"{ANSWER_ALONE_FIELDS} last"
"""Fields that the template of a later answer may use."""
NO_ANSWER = "no answer"
"""Consequence of an incident after which an answer is missing."""


def answer_alone(templates: Templates) -> Callable[..., object]:
    """Build the node in which one participant gives one answer; one branch per answer."""

    async def answer_alone(state: IndependentBranch, settings: IndependentSettings) -> Update:
        """Ask one participant for its position, with at most its own last answer in the prompt.

        Reads what was given, record, positions, heard, and who is asked for which answer; writes positions, calls,
        incidents.
        """
        participant = next(candidate for candidate in state["participants"] if candidate.name == state["who"])
        prompt = _build_prompt(state, templates, participant, settings)
        try:
            answer = await ask(prompt, _build_call(state, participant, settings))
        except NoAnswerError as failure:
            return Update(calls=failure.calls, incidents=failure.with_consequence(NO_ANSWER).incidents)
        fields = {
            "who": participant.name,
            "when": "round",
            "round": _get_round_number(state, settings),
            "turn": state["draw"],
        }
        return Update(positions=[make_position(answer.value, build_answer_format(settings), **fields)]) | record_calls(
            participant.name, answer
        )

    return answer_alone


def _build_call(state: IndependentBranch, participant: Participant, settings: IndependentSettings) -> CallOptions:
    """Build the call with a separate seed, so that samples differ. Only samples use the run's temperature."""
    answer_format, draw = build_answer_format(settings), state["draw"]
    call = with_turn(
        build_participant_call(state, participant, ANSWER_PURPOSE), draw, _get_round_number(state, settings)
    )
    call = replace(
        call,
        schema=build_position_form(answer_format),
        parse_plain=make_plain_parser(answer_format),
        hidden=True,
        draw=draw,
    )
    seed = (
        derive_stream_seed(settings.seed or 0, "call", settings.arm, participant.name, ANSWER_PURPOSE, draw, draw)
        % 2**31
    )
    return replace(call, seed=seed, temperature=call.temperature if settings.arm == "samples" else 0.0)


def _get_round_number(state: IndependentBranch, settings: IndependentSettings) -> int:
    """Return the number of the round, or 0 for an arm without rounds."""
    return state["draw"] if settings.arm in ("alone", "noise") else 0


def _build_prompt(
    state: IndependentBranch, templates: Templates, participant: Participant, settings: IndependentSettings
) -> Prompt:
    """Build a prompt with the question. In an arm with rounds, add the last answer and visible statements."""
    language = participant.language or settings.language
    values = {
        "name": participant.name,
        "persona": participant.persona,
        "ask": format_position_question(build_answer_format(settings), language),
        "language": language,
    }
    last_position = next(
        (position for position in reversed(state["positions"]) if position.who == participant.name), None
    )
    if settings.arm not in ("alone", "noise"):
        return build_prompt(state, templates, "answer", values)
    prompt = build_prompt(state, templates, "again", values | {"last": _format_last_answer(last_position, language)})
    return replace(
        prompt,
        history=[
            statement
            for statement in state["heard"]
            if _is_visible(statement.speaker, statement.round, participant, state)
        ],
    )


def _is_visible(speaker: str, round: int, participant: Participant, state: IndependentBranch) -> bool:
    return speaker != participant.name and round <= state["draw"]


def _format_last_answer(position: Position | None, language: str) -> object:
    if position is None:
        return get_term(language, "positions", "no_last")
    answer = quote_words(append_unit(position.answer, position.unit))
    if position.certainty is None:
        return get_term(language, "positions", "last_alone", answer=answer)
    return get_term(language, "positions", "last", answer=answer, certainty=f"{position.certainty:g}")
