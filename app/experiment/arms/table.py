"""What each arm of each talk answered, as the report counts it: a row for each, under the talk's run."""

from collections.abc import Iterator, Sequence

from ...tables.columns import RUN, Columns
from ...tables.justice_tables import Row
from ...tables.tables import Table
from ..data import Outcome
from ..plan import Plan
from .answered import TalkWithArms, credits, given, together

ARMS: Columns = RUN | {
    "arm": "single, vote, talk, samples_calls and samples_tokens (the samples that the talk's calls or tokens would "
    "buy, in the order drawn), alone, noise or informed; of the talk whose run this is.",
    "failed": "Whether it came to no answer, since a run of it failed.",
    "answer": "What it answered, as in the table runs; tied ones between semicolons; empty: nothing.",
    "right": "1: the answer is right; 0: it is not, or it failed; between: several were tied; empty: not known.",
    "calls": "Model calls it took.",
    "tokens": "Prompt and completion tokens of them.",
    "cost": "Their price, in the currency of the prices; empty where one has none.",
}


def arms(plan: Plan, found: Sequence[Outcome]) -> Table:
    """A row for each arm that has ended."""
    return Table(ARMS, [row for one in together(found) for row in _of_talk(plan, one)])


def _of_talk(plan: Plan, talk: TalkWithArms) -> Iterator[Row]:
    right = credits(talk, plan.arms)
    for name, one in given(talk, plan.arms).items():
        yield {
            "run": talk.talk.trial.run,
            "arm": name,
            "failed": one.winners is None,
            "answer": "; ".join(map(str, one.winners or ())),
            "right": right[name] or 0.0 if name in right else None,
            "calls": one.spent.calls,
            "tokens": one.spent.tokens,
            "cost": one.spent.cost,
        }
