"""A turn in the group: think for yourself, then speak."""

from dataclasses import replace

from ...state.ends import is_lost
from ...state.justice.channels import Meeting, Round
from ...state.justice.phases import Reasoning
from ...state.justice.writes import JusticeUpdate
from ...state.reply import fault_in, is_cjk, repeats
from ...state.statement import Statement
from ..asking import Asking, at
from ..asking.ask import Answer, Check, ask
from ..clock import stamp
from ..models.failures import Unavailable
from ..statement import raw_kept, said_in
from .addressee import Hearer
from .briefing import hearer_in, others_of, told_in_group
from .question import Within, as_written, heard, question, spent, with_preview
from .readings import a_text
from .record import moderated, teller


async def reason(state: Meeting) -> JusticeUpdate:
    """Let the one who holds the floor think before it speaks; nobody else will read it.

    Reads rules, floor, round, turn, history, calls, memory, alone, view_limits; writes reasonings, calls, incidents,
    view_limits, memory.
    """
    hearer = hearer_in(state, state["floor"][0])
    talk = hearer.rules.discussion
    within = Within(talk.reasoning_max_retries, [talk.reasoning_timeout])
    told = told_in_group(state, hearer, "reason", turn_values(state, hearer))
    asking = question(hearer, "reasoning", state["calls"], within)
    got = await heard(told, at(asking, state["turn"] + 1, state["round"]), hearer, a_text("no reasoning"))
    thought = Reasoning(round=state["round"], participant=hearer.one.id, text=got.value or "")
    return spent(hearer, got) | JusticeUpdate(reasonings=[thought])


async def speak(state: Round) -> JusticeUpdate:
    """Ask whoever holds the floor for a statement, and record it or the missed turn.

    Reads rules, floor, round, turn, record, memory, alone, reasonings, view_limits; writes history, floor, turn, calls,
    incidents, view_limits, memory.
    """
    hearer, turn = hearer_in(state, state["floor"][0]), state["turn"] + 1
    own = [one.text for one in state["reasonings"] if one.round == state["round"] and one.participant == hearer.one.id]
    thoughts = hearer.say("group.thoughts", text=own[-1]) if own and own[-1] else ""
    told = told_in_group(state, hearer, "speak", turn_values(state, hearer) | {"thoughts": thoughts})
    asking = at(asking_to_speak(state, hearer), turn, state["round"])
    instructions = f"{told.head}\n{told.task.replace(thoughts, '')}"
    moved = JusticeUpdate(floor=state["floor"][1:], turn=turn)
    try:
        answer = await ask(told, asking, sound(instructions, hearer))
    except Unavailable as lost:
        return _missed(state, hearer, moved | spent(hearer, lost))
    answer = raw_kept(answer, hearer.one.name)
    said = Statement(
        turn=turn,
        round=state["round"],
        speaker=hearer.one.name,
        content=said_in(answer, hearer.one.name),
        at=stamp(),
        tokens=answer.tokens,
        cut_off=answer.cut_off,
    )
    return moved | spent(hearer, answer) | JusticeUpdate(history=[said])


def _missed(state: Round, hearer: Hearer, update: JusticeUpdate) -> JusticeUpdate:
    """A turn that was passed over: a neutral line stands for it in the public history, never the failure's text."""
    if not hearer.rules.discussion.quarantine_failed_responses:
        return update
    line = moderated(state, teller(state).say("group.unavailable", name=hearer.one.name))
    return update | JusticeUpdate(history=[line.model_copy(update={"turn": update["turn"]})])


def turn_values(state: Meeting, hearer: Hearer) -> dict[str, object]:
    """What the templates of a turn ask for."""
    return {
        "round": state["round"],
        "max_rounds": hearer.rules.discussion.max_rounds,
        "others": others_of(hearer),
    }


def asking_to_speak(state: Round, hearer: Hearer) -> Asking:
    """The question for a statement; one that missed several turns in a row is tried once."""
    talk = hearer.rules.discussion
    tries = 1 if is_lost(state, hearer.one.name) else talk.statement_retry_attempts
    return replace(question(hearer, "statement", state["calls"], Within(tries, talk.timeouts)), hidden=False)


def sound(instructions: str, hearer: Hearer) -> Check:
    """The check of a statement; what it finds is told to the speaker with what it wrote.

    To say aloud what one thought is no repetition of the `instructions`.
    """
    talk = hearer.rules.discussion

    def check(answer: Answer) -> str | None:
        text = said_in(answer, hearer.one.name)
        fault = fault_in(text or answer.text, hearer.one.name, talk.statement_min_length, talk.statement_min_length_cjk)
        if fault is None and repeats(text, instructions):
            fault = "repeated_prompt"
        if fault is None and talk.statement_length_limit and len(text.strip()) > talk.statement_length_limit:
            fault = "too_long"
        if fault is None:
            return None
        if not talk.enable_intelligent_retries:
            return hearer.say("faults.plain")
        least = talk.statement_min_length_cjk if is_cjk(text) else talk.statement_min_length
        bounds = {"least": least, "most": talk.statement_length_limit or ""}
        reason = with_preview(hearer, hearer.say(f"faults.{fault}", **bounds), text)
        return as_written(hearer, reason, "statement")

    return check
