"""Answer and spending of each arm of a talk, read from saved runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ....state.call_record import Call
from ....state.independent import ANSWER_PURPOSE
from ....state.positions import SYNTHESIZER, AnswerFormat, PositionSettings, build_answer_format
from ....state.settings import parse_settings
from ...export.columns import RUN_COLUMN, ColumnMeanings, TableRow
from ...export.run_rows import DataTable
from ..data import Document, ExperimentRun
from ..items import find_truth
from ..measures import (
    Answer,
    DeclaredAnswer,
    PositionHistory,
    Spend,
    compute_credit,
    count_samples_for_spend,
    format_full_number,
    pick_plurality,
)
from ..plan import Plan

ANSWERING_ARMS = ("single", "vote", "talk", "samples_calls", "samples_tokens", "alone", "noise", "informed")
"""Arms with an answer, in the order of a report; samples stand twice, for the talk's calls and its tokens."""
BLIND_PURPOSES = ("ballot", "estimate", "statement")
"""Purposes of the calls of a blind round that is a round of the talk."""


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


@dataclass(frozen=True)
class ArmAnswer:
    """Answer of an arm, and what it spent.

    `winners`: winning answers, several if tied; `None` if the arm failed.
    """

    winners: Sequence[Answer] | None
    spent: Spend


@dataclass(frozen=True)
class TalkWithArms:
    """Planned talk with the runs of its arms and its forks.

    `arm_runs`: run of each arm, by arm. `forks`: runs that fork the talk after its first round.
    """

    run: ExperimentRun
    arm_runs: Mapping[str, ExperimentRun] = field(default_factory=dict)
    forks: Sequence[ExperimentRun] = ()

    @cached_property
    def settings(self) -> PositionSettings | None:
        """Return the settings of the talk, or `None` if the talk has no record."""
        settings = parse_settings(self.run.document["settings"]) if self.run.document else None
        return settings if isinstance(settings, PositionSettings) else None

    @cached_property
    def answer_format(self) -> AnswerFormat:
        """Return the format of the talk's answers."""
        return build_answer_format(self.settings) if self.settings else AnswerFormat()

    @cached_property
    def truth(self) -> Answer | None:
        """Return the right answer in the format of the talk's answers; `None` if either is unknown."""
        return find_truth(self.run.planned.item, self.answer_format) if self.settings else None

    @property
    def seats(self) -> list[str]:
        """Return the names of the models that took part, in seat order."""
        participants = self.run.document["participants"] if self.run.document else []
        return [participant["name"] for participant in participants if participant["kind"] == "model"]

    def parse_answer(self, record: Mapping[str, Any]) -> Answer:
        """Parse a recorded answer: a number, or the id of an option."""
        return float(record["answer"]) if self.answer_format.is_numeric else str(record["answer"])

    def list_winners(self, run: ExperimentRun) -> list[Answer]:
        """Return the answer of the talk or an arm; several if tied, empty without an answer."""
        answer = (run.document or {}).get("runAnswer") or {}
        winners = answer.get("tied") or [answer.get("answer") or ""]
        return [self.parse_answer({"answer": winner}) for winner in winners if winner]

    def pick_answer(self, positions: Sequence[Mapping[str, Any]]) -> list[Answer] | None:
        """Return the most common answer among the positions; several if tied, `None` without an answer."""
        answers = [self.parse_answer(position) for position in positions if position["answer"]]
        return pick_plurality(answers, self.answer_format.tolerance) if answers else None

    def compute_spend(self, calls: Sequence[Call]) -> Spend:
        """Return the calls, tokens and cost of `calls`. The cost is `None` without prices."""
        prices = self.settings.prices if self.settings else None
        return Spend(len(calls), sum(call.tokens for call in calls), prices.compute_cost(calls) if prices else None)

    def list_blind_positions(self) -> list[Mapping[str, Any]]:
        """Return the first answers, which participants gave before the talk or in its blind round."""
        blind_round = self.settings.blind_round if self.settings else None
        return [
            position
            for position in _list_positions(self.run.document)
            if position["when"] == "before" or (blind_round and position["round"] == blind_round)
        ]

    def read_first_answers(self, names: Sequence[str]) -> ArmAnswer:
        """Return the most common first answer of the named participants."""
        blind_round, calls = self.settings.blind_round if self.settings else None, []
        for call in _parse_calls(self.run.document):
            is_blind = call.purpose == ANSWER_PURPOSE and call.turn == 0
            if blind_round is not None:
                is_blind = call.round == blind_round and call.purpose in BLIND_PURPOSES
            if is_blind and call.who in names:
                calls.append(call)
        positions = [position for position in self.list_blind_positions() if position["who"] in names]
        return ArmAnswer(self.pick_answer(positions), self.compute_spend(calls))

    def list_samples(self) -> list[ArmAnswer]:
        """Return the answer and the spending of each sample, in the order drawn.

        A failed sample has no answer. The list is empty if the run of the samples is missing or failed.
        """
        run = self.arm_runs.get("samples")
        if run is None or not run.is_done or run.document is None:
            return []
        calls, samples = _parse_calls(run.document), []
        for draw in sorted({call.turn for call in calls}):
            positions = [position for position in _list_positions(run.document) if position["turn"] == draw]
            answers = [self.parse_answer(position) for position in positions if position["answer"]]
            samples.append(ArmAnswer(answers, self.compute_spend([call for call in calls if call.turn == draw])))
        return samples


def group_runs_by_talk(runs: Sequence[ExperimentRun]) -> list[TalkWithArms]:
    """Return each talk with the runs of its arms, in the plan's order."""
    arm_runs: dict[str, dict[str, ExperimentRun]] = {}
    forks: dict[str, list[ExperimentRun]] = {}
    for run in runs:
        if run.planned.fork:
            forks.setdefault(run.planned.talk, []).append(run)
        elif run.planned.arm:
            arm_runs.setdefault(run.planned.talk, {})[run.planned.arm] = run
    talks = [run for run in runs if not run.planned.arm]
    return [TalkWithArms(run, arm_runs.get(run.planned.run, {}), forks.get(run.planned.run, [])) for run in talks]


def collect_answers(talk: TalkWithArms, arms: Sequence[str]) -> dict[str, ArmAnswer]:
    """Return the answers of the talk and of each finished arm in `arms`."""
    answers: dict[str, ArmAnswer] = {}
    for name in ANSWERING_ARMS if talk.run.has_ended else ():
        arm = name.partition("_")[0]
        run = talk.run if arm == "talk" else talk.arm_runs.get(arm)
        if arm not in ("talk", *arms):
            continue
        if arm == "single" or (arm == "vote" and run is None):
            answers[name] = talk.read_first_answers(talk.seats[:1] if arm == "single" else talk.seats)
        elif run is not None and run.has_ended:
            answers[name] = _read_arm_run(talk, name, run)
    return answers


def _read_arm_run(talk: TalkWithArms, name: str, run: ExperimentRun) -> ArmAnswer:
    """Return the answer of an arm that has a run of its own.

    The spending of `vote`, `alone` and `noise` includes the calls for the first answers.
    """
    arm, _, measure = name.partition("_")
    spends = [talk.compute_spend(_parse_calls(run.document))]
    if arm == "samples" and run.is_done:
        talk_spend, samples = talk.compute_spend(_parse_calls(talk.run.document)), talk.list_samples()
        spends = [sample.spent for sample in samples]
        count = count_samples_for_spend(spends, talk_spend, "calls" if measure == "calls" else "tokens")
        answers = [answer for sample in samples[:count] for answer in sample.winners or ()]
        winners = pick_plurality(answers, talk.answer_format.tolerance) if answers else []
        return ArmAnswer(winners, sum_spends(spends[:count]))
    first_answers = talk.read_first_answers(talk.seats) if arm in ("vote", "alone", "noise") else None
    spend = sum_spends([*spends, first_answers.spent] if first_answers else spends)
    if not run.is_done:
        return ArmAnswer(None, spend)
    if arm == "vote":
        positions = [*talk.list_blind_positions(), *_list_positions(run.document)]
        is_failed = first_answers is None or first_answers.winners is None
        return ArmAnswer(None if is_failed else talk.pick_answer(positions), spend)
    return ArmAnswer(talk.list_winners(run), spend)


def format_answer(answer: Answer, answer_format: AnswerFormat) -> str:
    """Return the text of an option, or a number with all its digits and its unit."""
    if isinstance(answer, str):
        return answer_format.texts.get(answer, answer)
    return f"{format_full_number(answer)} {answer_format.unit}".strip()


def compute_credits(talk: TalkWithArms, arms: Sequence[str]) -> dict[str, float | None]:
    """Return the credit of each finished arm: 1 for right, 0 for wrong, a fraction for a tie.

    The credit of a failed arm is `None`.
    """
    if talk.run.planned.item.truth is None:
        return {}
    credits: dict[str, float | None] = {}
    for name, answer in collect_answers(talk, arms).items():
        credits[name] = None
        if answer.winners is not None and talk.truth is not None:
            credits[name] = compute_credit(answer.winners, talk.truth, talk.answer_format.tolerance)
    return credits


def build_position_history(talk: TalkWithArms, arm: str = "", midpoint: float | None = None) -> PositionHistory | None:
    """Build the participants' answers over time in the talk or an arm; `None` if its run is not done."""
    run = talk.arm_runs.get(arm) if arm else talk.run
    if run is None or not run.is_done or run.document is None or talk.settings is None:
        return None
    records = [record for record in _list_positions(run.document) if record["answer"] and record["who"] != SYNTHESIZER]
    answers, turns = {}, sorted({record["turn"] for record in records})
    for record in records:
        answers[record["who"], record["turn"]] = DeclaredAnswer(talk.parse_answer(record), record["certainty"])
    rows = {name: [answers.get((name, turn)) for turn in turns] for name in talk.seats}
    item, answer_format = talk.run.planned.item.id, talk.answer_format
    return PositionHistory(item, rows, talk.truth, answer_format.signs, answer_format.tolerance, midpoint)


def sum_spends(spends: Sequence[Spend]) -> Spend:
    """Return the total spending. The cost is `None` if one cost is unknown."""
    costs = [spend.cost for spend in spends]
    cost = None if None in costs else sum(amount for amount in costs if amount is not None)
    return Spend(sum(spend.calls for spend in spends), sum(spend.tokens for spend in spends), cost)


def _list_positions(document: Document | None) -> list[Mapping[str, Any]]:
    return list((document or {}).get("positions") or [])


def _parse_calls(document: Document | None) -> list[Call]:
    return [Call.model_validate(call) for call in (document or {}).get("calls") or []]


def build_arm_table(plan: Plan, runs: Sequence[ExperimentRun]) -> DataTable:
    """Return a row for each finished arm of each talk, with the figures of the report."""
    rows: list[TableRow] = []
    for talk in group_runs_by_talk(runs):
        credits = compute_credits(talk, plan.arms)
        for name, answer in collect_answers(talk, plan.arms).items():
            row = {
                "run": talk.run.planned.run,
                "arm": name,
                "failed": answer.winners is None,
                "answer": "; ".join(map(str, answer.winners or ())),
                "right": credits[name] or 0.0 if name in credits else None,
                "calls": answer.spent.calls,
                "tokens": answer.spent.tokens,
                "cost": answer.spent.cost,
            }
            rows.append(row)
    return DataTable(ARM_COLUMNS, rows)
