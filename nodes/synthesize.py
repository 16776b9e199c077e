"""Write the closing text, and put the ending on record with its evidence."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..prompts import Catalogue, term
from ..state.deliberation import Stage
from ..state.ending import Ending
from ..state.ends import EndingRule
from ..state.fence import Fenced, said
from ..state.requirements import reading
from ..state.writes import Update
from .asking import asking_role
from .asking.brief import Brief, brief, length_in_words
from .closing import concluded, ended_by, of_what_was_said
from .closing_proof import Proof, by_turns, spans, summed_up
from .models.spec import spec_for

FIELDS = "ending pro con turns words language others"
"""What a synthesis template may ask for."""


Proving = Callable[[Any], Proof]
"""From the channels it names to what the closing text has to prove."""


def turns_of_record(state: Stage) -> Proof:
    """The text cites turns of the record."""
    return by_turns([statement.turn for statement in state["history"]], state["rules"].language)


def only_one(state: Stage) -> str:
    """The one closing template most protocols have."""
    return "synthesize"


def synthesize(
    words: Catalogue,
    ending: EndingRule,
    prove: Proving = turns_of_record,
    template: Callable[[Any], str] = only_one,
) -> Callable[[Any], object]:
    """The last step: a neutral model sums up; the ending that led here is recorded.

    `prove` says what the text must show for itself, `template` which words ask for it.
    """

    async def synthesize(state: Stage) -> Update:
        """Write the synthesis and the outcome.

        Reads what was given, floor, round, turn, record, view_limits, verdict, and what is to be proven; writes
        outcome, synthesis, calls, incidents.
        """
        found = ending(state) or Ending(reason="closed", strategy="caller")
        told = told_to_sum_up(state, words, found, template(state))
        asking = asking_role(state, "synthesizer", "synthesis")
        text, calls, incidents = await of_what_was_said(state, lambda: summed_up(told, asking, prove(state)))
        outcome = concluded(state, found, [*state["calls"], *calls], [*state["incidents"], *incidents], bool(text))
        return Update(outcome=outcome, synthesis=text, calls=calls, incidents=incidents)

    return reading(synthesize, ending, prove, template)


def told_to_sum_up(state: Stage, words: Catalogue, found: Ending, template: str) -> Brief:
    """What the synthesizer is told: the whole record and how it ended."""
    rules, seated = state["rules"], state["participants"]
    values = {
        "ending": Fenced(ended_by(found, state, said)),
        "pro": seated[0].name,
        "con": seated[-1].name,
        "others": ", ".join(one.name for one in seated),
        "turns": spans([one.turn for one in state["history"]]) or term(rules.language, "record", "nothing"),
        "words": length_in_words(rules.max_tokens_synthesis, rules.language),
    }
    told = replace(brief(state, words, template, values), history=state["history"])
    return replace(told, halvings=_halvings(state))


def _halvings(state: Stage) -> int:
    """How often the material was halved for a participant whose model sums up, too."""
    rules, limits = state["rules"], state["view_limits"]
    spec = spec_for(rules, "synthesizer")
    alike = [one.name for one in state["participants"] if spec_for(rules, one.name, one.model) == spec]
    return max((limits[name].halvings for name in alike if name in limits), default=0)
