"""A participant's statement: what the speaker is told, and how its answer enters the record."""

from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from ..prompts import Catalogue, language_name, listed, term
from ..state.deliberation import Turn
from ..state.fence import unframed
from ..state.floor import seat_on
from ..state.reply import fault_in, is_cjk, repeats
from ..state.rules import Rules
from ..state.statement import Participant, Statement, names
from ..state.window import shown_from
from ..state.writes import Update
from .asking import Asking
from .asking.ask import Answer, Check, ask
from .asking.brief import Brief, brief, length_in_words
from .asking.cost import cost
from .clock import stamp
from .closing import kept_after_all
from .closing_proof import Proof
from .models.failures import Unavailable

FIELDS = "name side persona opponent others turn round words language"
"""What a speaker's template may ask for."""


class Worded(BaseModel):
    """A statement in a form; what else the form asks for is its own."""

    model_config = ConfigDict(extra="forbid")

    statement: str = Field(max_length=100_000)


class Speech(Worded):
    """A statement whose speaker may name who should speak next."""

    next: str = Field(max_length=80, description="next")


async def heard(told: Brief, asking: Asking, one: Participant, rules: Rules, proof: Proof | None = None) -> Update:
    """What a speaker's question brings to the record: a statement, or a turn that was passed over.

    A statement that does not give `proof` of what it says is asked for once more, and then marked.
    """
    refused: list[Answer] = []
    check = sound(told, one, rules)
    try:
        answer = await ask(told, asking, _proven(check, proof, one.name, refused) if proof else check)
    except Unavailable as lost:
        if not refused:
            return cost(one.name, lost)
        incidents = kept_after_all(lost)
        answer = replace(refused[0], calls=lost.calls, incidents=incidents, narrowed=lost.narrowed)
    answer = raw_kept(answer, one.name)
    said = stated(answer, one, asking.turn, asking.round)
    if proof is None:
        return Update(history=[said]) | cost(one.name, answer)
    text, notes = proof.marked(said.content)
    place = {"where": asking.purpose, "who": one.name, "turn": asking.turn, "round": asking.round}
    found = [note.model_copy(update=place) for note in notes if note.consequence == "marked"]
    marked = replace(answer, incidents=[*answer.incidents, *found])
    return Update(history=[said.model_copy(update={"content": text})]) | cost(one.name, marked)


def _proven(check: Check, proof: Proof, speaker: str, refused: list[Answer]) -> Check:
    """`check`, and once what a statement does not prove; the one that was refused for it is put into `refused`."""

    def checked(answer: Answer) -> str | None:
        fault = check(answer)
        if fault or refused:
            return fault
        if fault := proof.faults(said_in(answer, speaker)):
            refused.append(answer)
        return fault or None

    return checked


def said_in(answer: Answer, speaker: str) -> str:
    """The statement in an answer, plain or schema-bound, without a frame around it."""
    return unframed(_raw(answer), speaker)


def _raw(answer: Answer) -> str:
    return answer.value.statement if isinstance(answer.value, Worded) else answer.text


def raw_kept(answer: Answer, speaker: str) -> Answer:
    """The answer; where the record leaves out a frame around its statement, its last call keeps the raw reply."""
    raw = _raw(answer)
    if not answer.calls or said_in(answer, speaker) == raw.strip():
        return answer
    last = answer.calls[-1].model_copy(update={"reply": raw})
    return replace(answer, calls=[*answer.calls[:-1], last])


def holder(state: Turn) -> Participant:
    """The participant who holds the floor."""
    people = state["participants"]
    return people[seat_on(state["floor"], names(people))]


def told_to_speak(state: Turn, words: Catalogue, one: Participant) -> Brief:
    """What a speaker is told: the shared record, its own memory, and its task.

    How to speak stands in the shared head, in the run's language; who speaks another is told so in its task.
    """
    rules = state["rules"]
    others = [other.name for other in state["participants"] if other.name != one.name]
    language = one.language or rules.language
    values = {
        "name": one.name,
        "side": term(language, "debate", one.side) if one.side else "",
        "persona": one.persona,
        "opponent": others[0] if len(others) == 1 else listed(language, others),
        "others": listed(language, others),
        "turn": state["turn"] + 1,
        "round": state["round"],
        "words": length_in_words(rules.max_tokens_per_turn, language),
        "language": language,
    }
    told = brief(state, words, "speak" if state["history"] else "open", values)
    if language != rules.language:
        form = term(language, "record", "own_form", words=values["words"], spoken=language_name(language))
        told = replace(told, task=f"{told.task} {form}")
    return shown(state, told, one)


def shown(state: Turn, told: Brief, one: Participant) -> Brief:
    """The brief with as much of the record as the run's view policy and the participant's model allow.

    Memory is told where the record itself is not shown whole: elsewhere it would only say again what stands there.
    """
    history, rules = state["history"], state["rules"]
    start = shown_from(rules, len(state["participants"]), len(history), state["summary"])
    summary = state["summary"].text if start and start == state["summary"].folded else ""
    told = replace(told, summary=summary, history=history[start:]).within(state["view_limits"].get(one.name))
    if not start and told.view.whole:
        return told
    return replace(told, memory="\n".join(state["memory"].get(one.name, [])))


def sound(told: Brief, one: Participant, rules: Rules) -> Check:
    """The check of a statement; what it finds is told to the speaker in its language."""

    def check(answer: Answer) -> str | None:
        least, least_cjk = rules.statement_min_length, rules.statement_min_length_cjk
        said = said_in(answer, one.name)
        fault = "header_only" if _raw(answer).strip() and not said else fault_in(said, one.name, least, least_cjk)
        if fault is None and repeats(said, f"{told.head}\n{told.task}"):
            fault = "repeated_prompt"
        least = least_cjk if is_cjk(said) else least
        return term(told.language, "again", fault, least=least) if fault else None

    return check


def stated(answer: Answer, one: Participant, turn: int, round: int) -> Statement:
    """The statement as it enters the record."""
    return Statement(
        turn=turn,
        round=round,
        speaker=one.name,
        content=said_in(answer, one.name),
        at=stamp(),
        tokens=answer.tokens,
        cut_off=answer.cut_off,
        named_next=answer.value.next.strip() if isinstance(answer.value, Speech) else "",
    )
