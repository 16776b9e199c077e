"""Table of the answers of each arm of each talk, as the report counts them."""

from collections.abc import Iterator, Sequence

from ...export.columns import RUN_COLUMN, ColumnMeanings
from ...export.justice_rows import TableRow
from ...export.run_rows import DataTable
from ..data import ExperimentRun
from ..plan import Plan
from .answers import TalkWithArms, collect_answers, compute_credits, group_runs_by_talk

ARM_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "arm": "single, vote, talk, samples_calls and samples_tokens (the samples that the talk's calls or tokens would "
    "buy, in the order drawn), alone, noise or informed; of the talk whose run this is.",
    "failed": "Whether it came to no answer, since a run of it failed.",
    "answer": "What it answered, as in the table runs; tied ones between semicolons; empty: nothing.",
    "right": "1: the answer is right; 0: it is not, or it failed; between: several were tied; empty: not known.",
    "calls": "Model calls it took.",
    "tokens": "Prompt and completion tokens of them.",
    "cost": "Their price, in the currency of the prices; empty where one has none.",
}


def build_arm_table(plan: Plan, runs: Sequence[ExperimentRun]) -> DataTable:
    """Return a row for each arm that has ended."""
    return DataTable(ARM_COLUMNS, [row for talk in group_runs_by_talk(runs) for row in _list_talk_rows(plan, talk)])


def _list_talk_rows(plan: Plan, talk: TalkWithArms) -> Iterator[TableRow]:
    credits = compute_credits(talk, plan.arms)
    for name, answer in collect_answers(talk, plan.arms).items():
        yield {
            "run": talk.run.planned.run,
            "arm": name,
            "failed": answer.winners is None,
            "answer": "; ".join(map(str, answer.winners or ())),
            "right": credits[name] or 0.0 if name in credits else None,
            "calls": answer.spent.calls,
            "tokens": answer.spent.tokens,
            "cost": answer.spent.cost,
        }
