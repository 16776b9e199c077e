"""Close a jury: the verdict, the course of its ballots, and what the minority said. No model is asked."""

from collections.abc import Callable

from ...prompts import term
from ...state.ending import Ending
from ...state.ends import EndingRule
from ...state.fence import one_line
from ...state.jury import JuryRules, dissenting
from ...state.jury.channels import Judged
from ...state.positions.position import declared_after
from ...state.requirements import reading
from ...state.voting import Poll
from ...state.writes import Update
from ..closing import concluded, ended_by
from .told import counted


def conclude(ending: EndingRule) -> Callable[..., object]:
    """The last step of a jury."""

    async def conclude(state: Judged, rules: JuryRules) -> Update:
        """Write the result and the outcome.

        Reads what was given, floor, round, turn, record, polls, positions, verdict; writes outcome, synthesis.
        """
        found = ending(state) or Ending(reason="closed", strategy="caller")
        outcome = concluded(state, found, state["calls"], state["incidents"], whole=True)
        return Update(outcome=outcome, synthesis=result(state, rules, found))

    return reading(conclude, ending)


def result(state: Judged, rules: JuryRules, found: Ending) -> str:
    """The result as Markdown, in the run's language; empty where no ballot was counted."""
    language, ended = rules.language, ended_by(found, state)
    polls = [one for one in state["polls"] if one.tally]
    if not polls:
        return ""
    last = (declared_after(state["positions"]) or [{}])[-1]
    said = dissenting(last)
    whose = "even" if said and len(said) == len({one.answer for one in last.values()}) else "minority"
    reasons = [
        f"- {one_line(polls[-1].options.get(option, option))}: {one_line(why) or term(language, 'jury', 'unsaid')}"
        for option, given in said.items()
        for why in given
    ]
    sections = {
        "verdict": ended[:1].upper() + ended[1:] + term(language, "jury", "stop") + unheard(polls[-1], language),
        "course": "\n".join(f"- {counted(one, one.tally, rules)}" for one in polls if one.tally),
        whose: "\n".join(reasons) or term(language, "record", "none"),
    }
    return "\n\n".join(f"## {term(language, 'jury', key)}\n\n{text}" for key, text in sections.items())


def unheard(last: Poll, language: str) -> str:
    """How many jurors the last ballot lacks, which make neither a verdict nor a unanimity; empty: none."""
    assert last.tally is not None
    missing = last.tally.voters - last.tally.votes
    return term(language, "jury", "unheard", count=missing, jurors=last.tally.voters) if missing else ""
