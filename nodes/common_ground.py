"""Close a group's dialogue: the common ground, every dissent with its holder, open questions, and the outcome."""

from collections.abc import Callable
from dataclasses import replace

from ..prompts import Catalogue, listed, term
from ..state.ending import Ending, Evidence
from ..state.ends import EndingRule
from ..state.group_state import GroupStage
from ..state.incident import Call, Incident
from ..state.position import dissents, moves
from ..state.statement import names
from ..state.writes import Update
from .ask import Answer, Check, ask
from .asking import Asking, asking_role
from .brief import Brief, brief, length_in_words
from .closing import Closing, concluded, kept_after_all, of_what_was_said
from .faults import Unavailable
from .ground import CommonGround, both, common_ground_of, holders, keeps_dissent, rendered
from .headline import ended_by
from .proof import asked_once_more, by_turns, note, spans

FIELDS = "ending turns words language dissents moves vote others"
"""What the template may ask for."""


def common_ground(words: Catalogue, ending: EndingRule) -> Callable[[GroupStage], object]:
    """The last step of a group's dialogue."""

    async def common_ground(state: GroupStage) -> Update:
        """Write the synthesis with its dissent, and the outcome.

        Reads what was given, floor, round, turn, record, positions, weighings, polls; writes outcome, synthesis, calls,
        incidents.
        """
        found = by_vote(state) or ending(state) or Ending(reason="closed", strategy="caller")
        told = told_to_sum_up(state, words, found)
        text, calls, incidents = await of_what_was_said(state, lambda: _summed_up(state, told))
        everything = [*state["calls"], *calls], [*state["incidents"], *incidents]
        outcome = concluded(state, found, *everything, bool(text))
        return Update(outcome=outcome, synthesis=text, calls=calls, incidents=incidents)

    return common_ground


def by_vote(state: GroupStage) -> Ending | None:
    """The ending a closing vote gave; none without one."""
    last = state["polls"][-1] if state["polls"] else None
    if last is None or last.tally is None:
        return None
    counted = last.tally
    evidence = Evidence(quote=last.options.get(counted.winner or "", ""), note=counted.settled, figure=counted.votes)
    return Ending(
        reason="vote_decided" if counted.winner else "vote_undecided", strategy=counted.rule, evidence=evidence
    )


def told_to_sum_up(state: GroupStage, words: Catalogue, found: Ending) -> Brief:
    """What the synthesizer is told: the record, the ending, the dissents and the moves on record."""
    rules, language = state["rules"], state["rules"].language
    nothing = term(language, "record", "none")
    objections = [f"- {holder}: {reason}" for holder, reason in dissents(state["weighings"]).items()]
    shifts = [
        f"- {one.who} ({one.round}) ← {one.moved_by}: {one.position}" if one.moved_by else f"- {one.who} ({one.round})"
        for one in moves(state["positions"])
    ]
    values = {
        "ending": ended_by(found, state),
        "turns": spans([statement.turn for statement in state["history"]]),
        "words": length_in_words(rules.max_tokens_synthesis, language),
        "dissents": "\n".join(objections) or nothing,
        "moves": "\n".join(shifts) or nothing,
        "vote": found.evidence.quote if found.reason == "vote_decided" else nothing,
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
