"""The chairman writes the final answer, from the answers, the rankings and the critiques, and cites them."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ...prompts import Catalogue, listed, phrases
from ...state.council import CouncilRules, Review
from ...state.council.channels import Reviewed
from ...state.council.ends import UNRANKED
from ...state.ending import Ending
from ...state.ends import EndingRule
from ...state.fence import Fenced, one_line, said
from ...state.requirements import reading
from ...state.statement import Participant
from ...state.writes import Update
from ..asking import Asking, Brief, asking_participant, length_in_words
from ..asking.brief import brief
from ..asking.question import asking_role
from ..closing import concluded, ended_by, of_what_was_said
from ..closing_proof import by_turns, spans, summed_up
from ..consensus.positions import sign

FIELDS = "name chair ending rankings count turns words language"
"""What the template may ask for."""


def conclude(words: Catalogue, ending: EndingRule) -> Callable[..., object]:
    """The last step of a council."""

    async def conclude(state: Reviewed, rules: CouncilRules) -> Update:
        """Write the final answer and the outcome.

        Reads what was given, floor, round, turn, record, view_limits, verdict, reviews, polls, concordance; writes
        outcome, synthesis, calls, incidents.
        """
        found = ending(state) or UNRANKED
        told, asking = _told(state, words, found, rules), _asking(state, rules)
        proof = by_turns([one.turn for one in state["history"]], rules.language)
        text, calls, incidents = await of_what_was_said(state, lambda: summed_up(told, asking, proof))
        outcome = concluded(state, found, [*state["calls"], *calls], [*state["incidents"], *incidents], bool(text))
        if found == UNRANKED and outcome.status == "completed":
            outcome = outcome.model_copy(update={"status": "partial"})
        return Update(outcome=outcome, synthesis=text, calls=calls, incidents=incidents)

    return reading(conclude, ending)


def chairman(state: Reviewed, rules: CouncilRules) -> Participant | None:
    """The member who is chairman; none: the synthesizer, who took no part."""
    return next((one for one in state["participants"] if one.name == rules.chairman), None)


def _asking(state: Reviewed, rules: CouncilRules) -> Asking:
    """The closing question, to the chairman as to the synthesizer: with what was kept back for it."""
    closing, one = asking_role(state, "synthesizer", "synthesis"), chairman(state, rules)
    if one is None:
        return closing
    own = asking_participant(state, one, "synthesis")
    return replace(own, max_tokens=closing.max_tokens, temperature=closing.temperature, reserve=closing.reserve)


def _told(state: Reviewed, words: Catalogue, found: Ending, rules: CouncilRules) -> Brief:
    """The answers by turn, what was made of them, and how they were counted."""
    one, language = chairman(state, rules), rules.language
    who = {"name": one.name, "persona": one.persona} if one else {"name": "", "persona": ""}
    key = "chair.member" if one else "chair.outside"
    values = {
        "name": who["name"],
        "chair": phrases("council").say(language, key, **who),
        "ending": Fenced(ended_by(found, state, said)),
        "rankings": Fenced("\n".join(line for each in state["reviews"] for line in _ranking(each, language)) or "–"),
        "count": Fenced("\n".join(_count(state, language)) or "–"),
        "turns": spans([each.turn for each in state["history"]]) or "–",
        "words": length_in_words(rules.max_tokens_synthesis, language),
    }
    return replace(brief(state, words, "conclude", values), history=state["history"])


def _ranking(one: Review, language: str) -> Iterator[str]:
    """A member's ranking and critiques, by the turns of the answers; how it saw them, since critiques may say so."""
    say, who = phrases("council").say, one_line(one.ranker)
    if not one.ranking:
        yield say(language, "told.unranked", who=who)
        return
    letters = listed(language, [f"{sign(place)} = [{turn}]" for place, turn in enumerate(one.shown)])
    yield say(language, "told.ranking", who=who, order=" > ".join(f"[{turn}]" for turn in one.ranking), letters=letters)
    yield from (say(language, "told.critique", turn=each.turn, text=said(each.text)) for each in one.critiques)


def _count(state: Reviewed, language: str) -> Iterator[str]:
    """The total of each answer with its mean place, and what the count came to."""
    say, found = phrases("council").say, state["concordance"]
    for poll in state["polls"]:
        totals = poll.tally.totals if poll.tally else {}
        for each in state["history"]:
            if each.speaker in totals and each.speaker in found.mean_place:
                figures = {"total": f"{totals[each.speaker]:g}", "place": f"{found.mean_place[each.speaker]:.2f}"}
                yield say(language, "told.total", turn=each.turn, **figures, rankings=found.ranked_by[each.speaker])
        if poll.report and poll.report.condorcet.cycle:
            yield say(language, "told.cycle", circle=" > ".join(_turns(state, poll.report.condorcet.cycle)))
        if poll.tally and not poll.tally.winner:
            key = "told.tied" if poll.tally.settled == "tied" else "told.undecided"
            yield say(language, key, answers=listed(language, _turns(state, poll.tally.winners)))


def _turns(state: Reviewed, authors: list[str]) -> list[str]:
    turns = {one.speaker: one.turn for one in state["history"]}
    return [f"[{turns[author]}]" for author in authors]
