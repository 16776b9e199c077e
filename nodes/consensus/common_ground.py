"""Close a group's dialogue: the common ground, every dissent with its holder, open questions, and the outcome."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...prompts import Catalogue, listed, term
from ...state.consensus import dissents, moves
from ...state.consensus.channels import GroupStage
from ...state.ending import Ending
from ...state.ends import EndingRule
from ...state.fence import Fenced, said, said_lines
from ...state.incident import Call, Incident
from ...state.positions import answer_of
from ...state.requirements import reading
from ...state.statement import names
from ...state.text import set_under
from ...state.writes import Update
from ..asking import Asking, asking_role
from ..asking.ask import Answer, Check, ask
from ..asking.brief import Brief, brief, length_in_words
from ..closing import Closing, concluded, ended_by, kept_after_all, of_what_was_said
from ..closing_proof import asked_once_more, by_turns, note, spans
from ..models.failures import Unavailable

RANK = 2
"""The rank of the headings of a synthesis."""


class Dissent(BaseModel):
    """One dissent and who holds it."""

    model_config = ConfigDict(extra="forbid")

    holder: str = Field(max_length=80)
    reason: str = Field(min_length=1, max_length=3000, description="dissent_reason")


class CommonGround(BaseModel):
    """The synthesis of a group's dialogue."""

    model_config = ConfigDict(extra="forbid")

    common_ground: str = Field(min_length=1, max_length=8000, description="common_ground")
    dissent: list[Dissent] = Field(max_length=1000)
    open_questions: list[str] = Field(max_length=100, description="open_questions")
    movement: str = Field(max_length=4000, description="movement")


@cache
def common_ground_of(*seats: str) -> type[CommonGround]:
    """The synthesis of a dialogue among `seats`: nobody else can hold a dissent."""
    holder: Any = Literal.__getitem__(seats)
    one: Any = create_model("Dissent", __base__=Dissent, holder=(holder, ...))
    return create_model("CommonGround", __base__=CommonGround, dissent=(list[one], Field(max_length=1000)))


def holders(value: CommonGround) -> list[str]:
    """Whose dissent a synthesis names."""
    return [one.holder.strip() for one in value.dissent]


def keeps_dissent(held: dict[str, str], language: str) -> Check:
    """The check of a group's synthesis: every dissent of the last round is in it; an omission is refused once."""
    refused: list[str] = []

    def check(answer: Answer) -> str | None:
        named = holders(answer.value) if isinstance(answer.value, CommonGround) else []
        missing = [holder for holder in held if holder not in named]
        if not missing or refused:
            return None
        refused.extend(missing)
        return term(language, "again", "no_dissent", holders=listed(language, missing))

    return check


def both(first: Check, second: Check) -> Check:
    """The first fault that either check finds."""

    def check(answer: Answer) -> str | None:
        return first(answer) or second(answer)

    return check


def rendered(value: CommonGround, missing: dict[str, str], language: str) -> str:
    """The synthesis as Markdown, with localized headings; those of its texts stay below them."""
    held = [(one.holder, one.reason) for one in value.dissent]
    held += [(holder, f"{reason} *") for holder, reason in missing.items()]
    dissent = [_item(term(language, "record", "dissent", holder=holder, reason=reason)) for holder, reason in held]
    legend = [f"\n{term(language, 'synthesis', 'added')}"] if missing else []
    sections = {
        "common_ground": value.common_ground,
        "dissent": "\n".join([*dissent, *legend]),
        "open_questions": "\n".join(_item(f"- {question}") for question in value.open_questions),
        "movement": value.movement,
    }
    heads, nothing = {key: term(language, "synthesis", key) for key in sections}, term(language, "record", "none")
    return "\n\n".join(
        f"{'#' * RANK} {heads[key]}\n\n{set_under(text.strip(), RANK) or nothing}" for key, text in sections.items()
    )


def _item(text: str) -> str:
    """An item of a list, all of its lines in it."""
    return text.strip().replace("\n", "\n  ")


FIELDS = "ending turns words language dissents moves vote others"
"""What the template may ask for."""


def common_ground(words: Catalogue, ending: EndingRule) -> Callable[[GroupStage], object]:
    """The last step of a group's dialogue."""

    async def common_ground(state: GroupStage) -> Update:
        """Write the synthesis with its dissent, the outcome, and what the run answers.

        Reads what was given, floor, round, turn, record, positions, weighings, polls, stop, verdict; writes outcome,
        answer, synthesis, calls, incidents.
        """
        found = ending(state) or Ending(reason="closed", strategy="caller")
        told = told_to_sum_up(state, words, found)
        text, calls, incidents = await of_what_was_said(state, lambda: _summed_up(state, told))
        everything = [*state["calls"], *calls], [*state["incidents"], *incidents]
        outcome = concluded(state, found, *everything, bool(text))
        answer = answer_of(state)
        return Update(outcome=outcome, answer=answer, synthesis=text, calls=calls, incidents=incidents)

    return reading(common_ground, ending)


def told_to_sum_up(state: GroupStage, words: Catalogue, found: Ending) -> Brief:
    """What the synthesizer is told: the record, the ending, the dissents and the moves on record."""
    rules, language = state["rules"], state["rules"].language
    nothing = term(language, "record", "none")
    objections = dissents(state["weighings"])
    shifts = [
        (f"{one.who} ({one.round})" + (f" ← {one.moved_by}" if one.moved_by else ""), one.position)
        for one in moves(state["positions"])
    ]
    values = {
        "ending": Fenced(ended_by(found, state, said)),
        "turns": spans([statement.turn for statement in state["history"]]),
        "words": length_in_words(rules.max_tokens_synthesis, language),
        "dissents": said_lines(objections.items()) if objections else nothing,
        "moves": said_lines(shifts) if shifts else nothing,
        "vote": Fenced(said(found.evidence.quote)) if found.reason == "vote_decided" else nothing,
        "others": listed(language, [one.name for one in state["participants"]]),
    }
    return replace(brief(state, words, "synthesize", values), history=state["history"])


async def _summed_up(state: GroupStage, told: Brief) -> Closing:
    """The text; omitted dissents are asked for once, and then added from the record."""
    turns, held = [statement.turn for statement in state["history"]], dissents(state["weighings"])
    asking = replace(
        asking_role(state, "synthesizer", "synthesis"),
        schema=common_ground_of(*names(state["participants"])),
        hidden=True,
    )
    proof = by_turns(turns, told.language)
    checks = both(asked_once_more(proof, told.language), keeps_dissent(held, told.language))
    value, calls, incidents = await _given(told, asking, checks)
    missing = {holder: reason for holder, reason in held.items() if holder not in holders(value)}
    text, notes = proof.marked(rendered(value, missing, state["rules"].language))
    if missing:
        what = term(told.language, "noted", "dissent_added", holders=listed(told.language, list(missing)))
        notes.append(note(what, "dissent", "added"))
    return text, calls, [*incidents, *notes]


async def _given(told: Brief, asking: Asking, checks: Check) -> tuple[CommonGround, list[Call], list[Incident]]:
    """The synthesis; where one was to be better and asking again brought none, the one there was."""
    given: list[CommonGround] = []

    def check(answer: Answer) -> str | None:
        assert isinstance(answer.value, CommonGround)
        given.append(answer.value)
        return checks(answer)

    try:
        answer = await ask(told, asking, check)
    except Unavailable as lost:
        if not given:
            raise
        return given[-1], lost.calls, kept_after_all(lost)
    return given[-1], answer.calls, answer.incidents
