"""One participant takes its turn."""

from collections.abc import Callable
from dataclasses import replace

from ..prompts import Catalogue, listed, term
from ..state.deliberation import Turn, Update
from ..state.reply import fault_in, repeats
from ..state.rules import Rules
from ..state.statement import Participant, Statement
from .ask import Answer, Check, ask
from .asking import asking_participant, at
from .brief import Brief, brief, length_in_words
from .clock import stamp
from .faults import Unavailable

FIELDS = "name side persona opponent others turn round words language"
"""What a speaker's template may ask for."""


def speak(words: Catalogue) -> Callable[[Turn], object]:
    """The step in which the one who holds the floor speaks; an opening statement has a template of its own."""

    async def speak(state: Turn) -> Update:
        """Ask whoever holds the floor, and record the statement or the missed turn.

        Reads topic, cast, rules, floor, history, memory; writes history, floor, turn, calls, incidents.
        """
        speaker = holder(state)
        turn = state["turn"] + 1
        told = told_to_speak(state, words, speaker)
        asking = at(asking_participant(state, speaker), turn, state["round"])
        taken = Update(floor=state["floor"][1:], turn=turn)
        try:
            answer = await ask(told, asking, sound(told, speaker, state["rules"]))
        except Unavailable as lost:
            return taken | Update(calls=lost.calls, incidents=lost.incidents)
        taken |= Update(history=[stated(answer, speaker, turn, state["round"])], calls=answer.calls)
        if answer.view_limit:
            taken["view_limits"] = {speaker.name: answer.view_limit}
        return taken | Update(incidents=answer.incidents) if answer.incidents else taken

    return speak


def holder(state: Turn) -> Participant:
    """The participant who holds the floor."""
    return next(one for one in state["participants"] if one.name == state["floor"][0])


def told_to_speak(state: Turn, words: Catalogue, one: Participant) -> Brief:
    """What a speaker is told: the shared record, its own memory, and its task."""
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
        "words": length_in_words(rules.max_tokens_per_turn),
        "language": language,
    }
    told = brief(state, words, "speak" if state["history"] else "open", values)
    bound = state["view_limits"].get(one.name, told.bound)
    memory = "\n".join(state["memory"].get(one.name, []))
    return replace(told, history=state["history"], bound=min(bound, told.bound), memory=memory)


def sound(told: Brief, one: Participant, rules: Rules) -> Check:
    """The check of a statement; what it finds is told to the speaker in its language."""

    def check(answer: Answer) -> str | None:
        least, least_cjk = rules.statement_min_length, rules.statement_min_length_cjk
        fault = fault_in(answer.text, one.name, least, least_cjk)
        if fault is None and repeats(answer.text, told.task):
            fault = "repeated_prompt"
        return term(told.language, "again", fault, least=least) if fault else None

    return check


def stated(answer: Answer, one: Participant, turn: int, round: int) -> Statement:
    """The statement as it enters the record."""
    return Statement(
        turn=turn,
        round=round,
        speaker=one.name,
        content=answer.text.strip(),
        at=stamp(),
        tokens=answer.tokens,
        cut_off=answer.cut_off,
    )
