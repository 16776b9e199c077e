"""Turn of a participant in the group: reason privately, then speak."""

from dataclasses import replace

from ...models import NoAnswerError
from ...state import clip_text, find_statement_fault, is_cjk, is_copied_task, is_unavailable
from ...state.justice import GroupPromptState, JusticeRoundState, JusticeUpdate, PrivateReasoning
from ..ask import Answer, CallOptions, Check, ask, with_turn
from ..statement import extract_statement, keep_raw_reply, make_statement
from .addressee import Addressee
from .memories import make_moderator_statement, make_narrator
from .prompts import build_group_prompt, format_other_names, make_addressee
from .question import append_statement_form, ask_for_text, build_call_options, record_question_calls

PREVIEW_LENGTH = 50


async def reason(state: GroupPromptState) -> JusticeUpdate:
    """Ask the next speaker to reason before it speaks. Other participants never see the text.

    Reads settings, floor, round, turn, history, calls, memory, alone, view_limits; writes reasonings, calls,
    incidents, view_limits, memory.
    """
    addressee = make_addressee(state, state["floor"][0])
    discussion = addressee.settings.discussion
    prompt = build_group_prompt(state, addressee, "reason", collect_turn_values(state, addressee))
    call = build_call_options(
        addressee, "reasoning", state["calls"], discussion.reasoning_max_retries, [discussion.reasoning_timeout]
    )
    call = with_turn(replace(call, is_optional=True), state["turn"] + 1, state["round"])
    text, result = await ask_for_text(prompt, call, addressee, "no reasoning")
    return record_question_calls(addressee, result) | JusticeUpdate(
        reasonings=[PrivateReasoning(round=state["round"], participant=addressee.participant.id, text=text)]
    )


async def speak(state: JusticeRoundState) -> JusticeUpdate:
    """Ask the next speaker for a statement. Record the statement or the missed turn.

    Reads settings, floor, round, turn, record, memory, alone, reasonings, view_limits; writes history, floor, turn,
    calls, incidents, view_limits, memory.
    """
    addressee, turn = make_addressee(state, state["floor"][0]), state["turn"] + 1
    reasonings = [
        reasoning.text
        for reasoning in state["reasonings"]
        if reasoning.round == state["round"] and reasoning.participant == addressee.participant.id
    ]
    reasoning_text = (
        addressee.translate_phrase("group.thoughts", text=reasonings[-1]) if reasonings and reasonings[-1] else ""
    )
    prompt = build_group_prompt(
        state, addressee, "speak", collect_turn_values(state, addressee) | {"thoughts": reasoning_text}
    )
    call = with_turn(build_speaking_call(state, addressee), turn, state["round"])
    instructions = f"{prompt.head}\n{prompt.task.replace(reasoning_text, '')}"
    turn_update = JusticeUpdate(floor=state["floor"][1:], turn=turn)
    try:
        answer = await ask(prompt, call, make_statement_check(instructions, addressee))
    except NoAnswerError as failure:
        update = turn_update | record_question_calls(addressee, failure)
        if not addressee.settings.discussion.quarantine_failed_responses:
            return update
        # a neutral line in the public history, without the text of the failure
        text = make_narrator(state).translate_phrase("group.unavailable", name=addressee.participant.name)
        return update | JusticeUpdate(history=[make_moderator_statement(state, text).model_copy(update={"turn": turn})])
    answer = keep_raw_reply(answer, addressee.participant.name)
    statement = make_statement(answer, addressee.participant.name, turn, state["round"])
    return turn_update | record_question_calls(addressee, answer) | JusticeUpdate(history=[statement])


def collect_turn_values(state: GroupPromptState, addressee: Addressee) -> dict[str, object]:
    """Return the values that the templates of a turn need."""
    return {
        "round": state["round"],
        "max_rounds": addressee.settings.discussion.max_rounds,
        "others": format_other_names(addressee),
    }


def build_speaking_call(state: JusticeRoundState, addressee: Addressee) -> CallOptions:
    """Build the options of the call for a statement. An unavailable participant gets a single attempt."""
    discussion = addressee.settings.discussion
    attempts = 1 if is_unavailable(state, addressee.participant.name) else discussion.statement_retry_attempts
    call = build_call_options(addressee, "statement", state["calls"], attempts, addressee.settings.statement_timeouts)
    return replace(call, is_hidden=False)


def make_statement_check(instructions: str, addressee: Addressee) -> Check:
    """Make the check whether a reply can count as a statement.

    With `enable_intelligent_retries`, the check names the fault and quotes the rejected text. A statement of a model or
    program must not repeat the `instructions`. A person's text may be short and repeat anything.
    """
    discussion, is_person = addressee.settings.discussion, addressee.participant.kind == "person"

    def find_answer_fault(answer: Answer) -> str | None:
        text = extract_statement(answer, addressee.participant.name)
        fault = find_statement_fault(
            text or answer.text,
            addressee.participant.name,
            discussion.statement_min_length,
            discussion.statement_min_length_cjk,
        )
        if is_person:
            fault = None if text else "empty"
        elif fault is None and is_copied_task(text, instructions):
            fault = "repeated_prompt"
        max_length = discussion.statement_length_limit
        if fault is None and max_length and len(text.strip()) > max_length:
            fault = "too_long"
        if fault is None:
            return None
        if not discussion.enable_intelligent_retries:
            return addressee.translate_phrase("faults.plain")
        minimum = discussion.statement_min_length_cjk if is_cjk(text) else discussion.statement_min_length
        bounds = {"least": minimum, "most": max_length or ""}
        reason = addressee.translate_phrase(
            "again.preview",
            reason=addressee.translate_phrase(f"faults.{fault}", **bounds),
            seen=clip_text(" ".join(text.split()), PREVIEW_LENGTH),
        )
        return append_statement_form(addressee, reason)

    return find_answer_fault
