"""Close a Delphi: the estimate, how it moved, who moved, and the reasons that were kept. No model is asked."""

from collections.abc import Callable

from ...prompts import term
from ...state.delphi import DelphiRules, Feedback, is_enough, movers
from ...state.delphi.channels import Estimated
from ...state.ending import Ending
from ...state.ends import EndingRule
from ...state.fence import one_line
from ...state.positions import question_of
from ...state.requirements import reading
from ...state.statement import names
from ...state.writes import Update
from ..closing import concluded
from .told import feedback_in_words, in_words, number


def conclude(ending: EndingRule) -> Callable[..., object]:
    """The last step of a Delphi."""

    async def conclude(state: Estimated, rules: DelphiRules) -> Update:
        """Write the result and the outcome.

        Reads what was given, floor, round, turn, record, estimates, feedback, verdict; writes outcome, synthesis.
        """
        found = ending(state) or Ending(reason="closed", strategy="caller")
        outcome = concluded(state, found, state["calls"], state["incidents"], whole=True)
        return Update(outcome=outcome, synthesis=result(state, rules))

    return reading(conclude, ending)


def result(state: Estimated, rules: DelphiRules) -> str:
    """The result as Markdown, in the run's language; empty where in no round enough estimated anything."""
    enough = [one for one in state["feedback"] if is_enough(one, state["participants"])]
    if not enough:
        return ""
    language, last, people = rules.language, enough[-1], names(state["participants"])
    told = [feedback_in_words(one.model_copy(update={"reasons": []}), rules, people) for one in state["feedback"]]
    moved = [
        term(language, "delphi", "moved", who=who, before=in_words(before, rules), after=in_words(after, rules))
        for who, (before, after) in movers(state["estimates"]).items()
    ]
    reasons = [
        term(language, "delphi", "reason", estimate=in_words(one, rules), why=one_line(one.reason))
        for one in last.reasons
    ]
    none = term(language, "record", "none")
    sections = {
        "result": "\n\n".join([told[state["feedback"].index(last)], *pooled(last, rules)]),
        "course": "\n".join(f"- {line}" for line in told),
        "movers": "\n".join(f"- {line}" for line in moved) or none,
        "kept": "\n".join(reasons) or none,
    }
    return "\n\n".join(f"## {term(language, 'delphi', key)}\n\n{text}" for key, text in sections.items())


def pooled(last: Feedback, rules: DelphiRules) -> list[str]:
    """The pooled distribution in words; none for options."""
    if not last.pooled:
        return []
    unit = question_of(rules).unit
    values = {f"q{share}": number(value, unit) for share, value in last.pooled.items()}
    return [term(rules.language, "delphi", "pooled", **values)]
