"""Answers and spending of the arms of a deliberation, read from saved runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil
from statistics import fmean
from typing import Any

from ....models import choose_spec
from ....state import (
    ANSWER_PURPOSE,
    SYNTHESIZER,
    AnswerFormat,
    Call,
    PositionSettings,
    build_answer_format,
    parse_settings,
)
from ...export import RUN_COLUMN, ColumnMeanings, DataTable, TableRow
from .. import SAMPLED_ARMS, ExperimentRun, Plan, find_truth
from ..measures import (
    Answer,
    DeclaredAnswer,
    PositionHistory,
    Spend,
    SpendKey,
    Unit,
    compute_credit,
    count_samples_for_spend,
    format_full_number,
    interpolate_credit,
    pick_plurality,
    sum_spends,
)

SPEND_KEYS: tuple[SpendKey, ...] = ("money", "tokens", "calls")
ANSWERING_ARMS = (
    *("single", "vote", "written", "notes", "rethought", "talk"),
    *(f"{arm}_{key}" for arm in SAMPLED_ARMS for key in SPEND_KEYS),
    *("alone", "noise", "informed"),
)
"""Arms with an answer, in the order of a report. Samples appear once for each amount that they can match.

The arm `each` appears once more for each model, as `each_AMOUNT:MODEL`.
"""
BLIND_PURPOSES = ("ballot", "estimate", "statement")
"""Purposes of the calls in a blind round that is part of the talk."""


ARM_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "arm": "Name of the arm; talk: the deliberation; samples_… and think_…: samples, in the order drawn, that together "
    "take as much money, or as many tokens or calls, as the deliberation; each_…:MODEL: the same of one model alone.",
    "failed": "Failure of the arm: no_answer, cap, refused, unreachable, stopped, not_begun; empty: the answer counts.",
    "short": "Whether the samples of the arm cost less than the deliberation.",
    "answer": "Answer, as in the table runs; for single: the answers of all participants, as A|A|B; empty: no answer.",
    "right": "1: the answer is right; 0: wrong, or the arm failed; between: a tie, the mean of several answers "
    "(single), or an interpolation between two numbers of samples; empty: unknown.",
    "calls": "Model calls of the arm.",
    "tokens": "Prompt and completion tokens of these calls.",
    "cost": "Price of these calls, in the currency of the prices; empty if a price is unknown.",
}


@dataclass(frozen=True)
class ArmAnswer:
    """Answer of an arm to one question, with its spending.

    `winners`: winning answers, several if tied; `None` without an answer. `failure`: kind of the arm's failure, or
    empty. `credit`: the arm's credit if it is a mean, else `None`. `is_short`: whether the samples spent less than the
    deliberation.
    """

    winners: Sequence[Answer] | None
    spent: Spend
    failure: str = ""
    credit: float | None = None
    is_short: bool = False


@dataclass(frozen=True)
class TalkWithArms:
    """Planned deliberation with the runs of its arms and its forks.

    `arm_runs`: run of each arm, by arm. `forks`: runs that fork the deliberation after its first round.
    """

    run: ExperimentRun
    arm_runs: Mapping[str, ExperimentRun] = field(default_factory=dict)
    forks: Sequence[ExperimentRun] = ()

    @cached_property
    def settings(self) -> PositionSettings | None:
        """Return the settings of the deliberation, or `None` if it has no record."""
        settings = parse_settings(self.run.document["settings"]) if self.run.document else None
        return settings if isinstance(settings, PositionSettings) else None

    @cached_property
    def answer_format(self) -> AnswerFormat:
        """Return the format of the participants' answers."""
        return build_answer_format(self.settings) if self.settings else AnswerFormat()

    @cached_property
    def truth(self) -> Answer | None:
        """Return the right answer in the format of the participants' answers; `None` if either is unknown."""
        return find_truth(self.run.planned.item, self.answer_format) if self.settings else None

    @property
    def model_seats(self) -> list[Mapping[str, Any]]:
        """Return the participants that are models, in seat order, as recorded."""
        return [participant for participant in self.run.participants if participant["kind"] == "model"]

    @property
    def seats(self) -> list[str]:
        """Return the names of the models that took part, in seat order."""
        return [seat["name"] for seat in self.model_seats]

    @cached_property
    def models(self) -> list[str]:
        """Return the participants' models, each once, in seat order; empty without a record."""
        if (settings := self.settings) is None:
            return []
        return list(dict.fromkeys(choose_spec(settings, seat["name"], seat["model"]) for seat in self.model_seats))

    def parse_answer(self, record: Mapping[str, Any]) -> Answer:
        """Parse a recorded answer: a number, or the id of an option."""
        return float(record["answer"]) if self.answer_format.is_numeric else str(record["answer"])

    def list_winners(self, run: ExperimentRun) -> list[Answer]:
        """Return the answer of the deliberation or an arm as a list: several if tied, none without an answer."""
        answer = (run.document or {}).get("runAnswer") or {}
        winners = answer.get("tied") or [answer.get("answer") or ""]
        return [self.parse_answer({"answer": winner}) for winner in winners if winner]

    def pick_answer(self, positions: Sequence[Mapping[str, Any]]) -> list[Answer] | None:
        """Return the most common answer among positions as a list, with several answers if tied.

        Return `None` if no position has an answer.
        """
        answers = [self.parse_answer(position) for position in positions if position["answer"]]
        return pick_plurality(answers, self.answer_format.tolerance) if answers else None

    def compute_credit(self, answers: Sequence[Answer]) -> float | None:
        """Return the credit of winning answers: 1 if right, a fraction if tied with a right one, otherwise 0.

        Return `None` if the right answer is unknown.
        """
        return None if self.truth is None else compute_credit(answers, self.truth, self.answer_format.tolerance)

    def compute_spend(self, calls: Sequence[Call]) -> Spend:
        """Return the calls, tokens and cost of `calls`. The cost is `None` without prices."""
        prices = self.settings.prices if self.settings else None
        return Spend(len(calls), sum(call.tokens for call in calls), prices.compute_cost(calls) if prices else None)

    def list_blind_positions(self) -> list[Mapping[str, Any]]:
        """Return the first answers, which participants gave before the deliberation or in its blind round."""
        blind_round = self.settings.blind_round if self.settings else None
        return [
            position
            for position in self.run.positions
            if position["when"] == "before" or (blind_round and position["round"] == blind_round)
        ]

    def pool_first_answers(self, names: Sequence[str]) -> ArmAnswer:
        """Return the most common first answer of the participants `names`, with their spending."""
        blind_round = self.settings.blind_round if self.settings else None
        calls = [call for call in self.run.calls if call.who in names]
        if blind_round is None:
            calls = [call for call in calls if call.purpose == ANSWER_PURPOSE and call.turn == 0]
        else:
            calls = [call for call in calls if call.purpose in BLIND_PURPOSES and call.round == blind_round]
        positions = [position for position in self.list_blind_positions() if position["who"] in names]
        winners, progress = self.pick_answer(positions), self.run.progress
        failure = "" if winners or progress is None else progress.failure or "no_answer"
        return ArmAnswer(winners, self.compute_spend(calls), failure)

    def average_first_answers(self) -> ArmAnswer:
        """Return all first answers, with their mean credit and their mean spending."""
        group_answer, positions = self.pool_first_answers(self.seats), self.list_blind_positions()
        answers = [self.parse_answer(position) for position in positions if position["answer"]]
        if not answers:
            return group_answer
        credits = [credit for answer in answers if (credit := self.compute_credit([answer])) is not None]
        mean_credit = fmean(credits) if credits else None
        return ArmAnswer(answers, group_answer.spent.divide(len(answers)), credit=mean_credit)

    def find_target_spend(self, arm: str = "samples") -> Spend | None:
        """Return the spending that the samples in `arm` must match; `None` if their run has no record.

        The samples match the deliberation's spending or, if the deliberation failed, the spending of others.
        """
        run = self.arm_runs.get(arm)
        if run is None or run.document is None:
            return None
        settings = run.document["settings"]
        return Spend(settings["talk_calls"], settings["talk_tokens"], settings["talk_cost"])

    def list_samples(self, arm: str = "samples", model: str = "") -> list[ArmAnswer]:
        """Return the answer and the spending of each sample, in the order in which they were drawn.

        `arm`: arm with the samples. `model`: model of the samples, or empty for all. A failed sample has no answer. The
        list is empty if the run of the samples is missing or failed.
        """
        run = self.arm_runs.get(arm)
        if run is None or not run.is_done or run.document is None:
            return []
        calls, samples = [call for call in run.calls if model in ("", call.model)], []
        for draw in sorted({call.turn for call in calls}):
            positions = [position for position in run.positions if position["turn"] == draw]
            answers = [self.parse_answer(position) for position in positions if position["answer"]]
            samples.append(ArmAnswer(answers, self.compute_spend([call for call in calls if call.turn == draw])))
        return samples


def group_runs_by_talk(runs: Sequence[ExperimentRun], *, controls: bool = False) -> list[TalkWithArms]:
    """Return each planned deliberation with the runs of its arms, in the plan's order.

    `controls`: whether to return the controls instead, in which a participant answers twice without a deliberation.
    """
    arm_runs: dict[str, dict[str, ExperimentRun]] = {}
    forks: dict[str, list[ExperimentRun]] = {}
    for run in runs:
        if run.planned.fork:
            forks.setdefault(run.planned.talk, []).append(run)
        elif run.planned.arm:
            arm_runs.setdefault(run.planned.talk, {})[run.planned.arm] = run
    talks = [run for run in runs if not run.planned.arm and run.planned.item.control == controls]
    return [TalkWithArms(run, arm_runs.get(run.planned.run, {}), forks.get(run.planned.run, [])) for run in talks]


def collect_answers(talk: TalkWithArms, arms: Sequence[str]) -> dict[str, ArmAnswer]:
    """Return the answers of the deliberation and of each finished arm in `arms`, by arm."""
    answers: dict[str, ArmAnswer] = {}
    names = [f"{name}:{model}" for name in ANSWERING_ARMS for model in (talk.models if name[:5] == "each_" else [""])]
    for name in [name.removesuffix(":") for name in names] if talk.run.has_ended else ():
        arm, measure, _ = split_arm(name)
        has_no_price = measure == "money" and not getattr(talk.find_target_spend(arm), "cost", None)
        if has_no_price or arm not in ("talk", *arms):
            continue
        run = talk.run if arm == "talk" else talk.arm_runs.get(arm)
        if arm == "single":
            answers[name] = talk.average_first_answers()
        elif arm == "vote" and run is None:
            answers[name] = talk.pool_first_answers(talk.seats)
        elif run is not None and run.has_ended:
            answers[name] = _build_arm_answer(talk, name, run)
    return answers


def _build_arm_answer(talk: TalkWithArms, name: str, run: ExperimentRun) -> ArmAnswer:
    """Return the answer of an arm that has a separate run.

    The spending of `vote`, `alone` and `noise` includes the calls for the first answers.
    """
    arm, measure, model = split_arm(name)
    spends, failure = [talk.compute_spend(run.calls)], run.progress.failure if run.progress else ""
    if arm in SAMPLED_ARMS and run.is_done:
        key = next(key for key in SPEND_KEYS if key == measure)
        return replace(_pool_samples(talk, arm, key, model), failure=failure)
    first_answers = talk.pool_first_answers(talk.seats) if arm in ("vote", "alone", "noise") else None
    if run.planned.source and (source := talk.arm_runs.get("written")):  # what it reuses was paid there
        reused_calls = [call for call in source.calls if call.purpose == "statement" or arm == "alone"]
        spends.append(talk.compute_spend(reused_calls))
        first_answers = None
    spend = sum_spends([*spends, first_answers.spent] if first_answers else spends)
    if not run.is_done:
        return ArmAnswer(None, spend, failure)
    if arm == "vote" and first_answers is not None:
        winners = talk.pick_answer([*talk.list_blind_positions(), *run.positions]) if first_answers.winners else None
        return ArmAnswer(winners, spend, failure or first_answers.failure)
    return ArmAnswer(talk.list_winners(run) or None, spend, failure)


def split_arm(name: str) -> tuple[str, str, str]:
    """Split the name of an answering arm into the plan's arm, the matched amount, and the model."""
    (arm, _, amount), model = name.partition(":")[0].partition("_"), name.partition(":")[2]
    return arm, amount, model


def _pool_samples(talk: TalkWithArms, arm: str, key: SpendKey, model: str) -> ArmAnswer:
    """Return the majority answer of the samples that together cost as much as the deliberation.

    `arm`, `model`: arm and model of the samples. `key`: measure of spending to match. The credit is interpolated
    between the two numbers of samples that cost slightly less and slightly more.
    """
    samples, target = talk.list_samples(arm, model), talk.find_target_spend(arm)
    spends = [sample.spent for sample in samples]
    count = count_samples_for_spend(spends, target, key) if target else None
    sample_count = len(samples) if count is None else ceil(count)

    def pick_winners(k: int) -> list[Answer]:
        answers = [answer for sample in samples[:k] for answer in sample.winners or ()]
        return pick_plurality(answers, talk.answer_format.tolerance) if answers else []

    credit = None
    if talk.truth is not None:
        majorities = [pick_winners(k) for k in (sample_count - 1, sample_count)]
        credits = [talk.compute_credit(winners) or 0.0 if winners else 0.0 for winners in majorities]
        credit = interpolate_credit(credits, 2 if count is None else count - sample_count + 2)
    return ArmAnswer(
        pick_winners(sample_count), sum_spends(spends[:sample_count]), credit=credit, is_short=count is None
    )


def format_answer(answer: Answer, answer_format: AnswerFormat) -> str:
    """Return an answer as text: the text of an option, or a number with all its digits and its unit."""
    if isinstance(answer, str):
        return answer_format.option_texts.get(answer, answer)
    return f"{format_full_number(answer)} {answer_format.unit}".strip()


def compute_credits(talk: TalkWithArms, arms: Sequence[str]) -> dict[str, float | None]:
    """Return the credit of each finished arm in `arms`: 1 for right, 0 for wrong, a fraction for a tie.

    The credit of an arm without an answer is `None`.
    """
    credits = dict[str, float | None]()
    for name, answer in collect_answers(talk, arms).items() if talk.run.planned.item.truth is not None else ():
        credits[name] = answer.credit
        if answer.winners is not None and answer.credit is None:
            credits[name] = talk.compute_credit(answer.winners) if answer.winners else 0.0
    return credits


def make_unit(talk: TalkWithArms, arms: Sequence[str]) -> Unit:
    """Return the credits of the finished arms in `arms`, with the deliberation's item, repeat and swap."""
    planned_run, answers, credits = talk.run.planned, collect_answers(talk, arms), compute_credits(talk, arms)
    tied_arms = [name for name, answer in answers.items() if name != "single" and len(answer.winners or ()) > 1]
    return Unit(
        planned_run.item.id,
        credits,
        planned_run.repeat,
        "-".join(planned_run.swap),
        failures={name: answer.failure for name, answer in answers.items() if answer.failure},
        ties=[name for name in tied_arms if 0 < (credits.get(name) or 0) < 1],
    )


def resolve_spend(plan: Plan, talks: Sequence[TalkWithArms]) -> SpendKey:
    """Return the measure of spending that the comparison `net` holds equal.

    The measure is money if every deliberation and sample has a price above 0, otherwise tokens.
    """
    if plan.spend != "auto":
        return plan.spend
    spends = [target for talk in talks for arm in SAMPLED_ARMS if (target := talk.find_target_spend(arm))]
    spends += [sample.spent for talk in talks for arm in SAMPLED_ARMS for sample in talk.list_samples(arm)]
    return "money" if spends and all(spend.cost for spend in spends) else "tokens"


def resolve_comparison(plan: Plan, talks: Sequence[TalkWithArms], name: str) -> str:
    """Return the full name of the comparison `name`. `net` is replaced by its measure of spending."""
    return f"net_{resolve_spend(plan, talks)}" if name == "net" else name


def build_position_history(talk: TalkWithArms, arm: str = "", midpoint: float | None = None) -> PositionHistory | None:
    """Return the history of the participants' answers in the deliberation or in `arm`.

    `midpoint`: number between against and for. Return `None` if the run has no result.
    """
    run = talk.arm_runs.get(arm) if arm else talk.run
    if run is None or not run.is_done or run.document is None or talk.settings is None:
        return None
    records = [record for record in run.positions if record["answer"] and record["who"] != SYNTHESIZER]
    answers, turns = {}, sorted({record["turn"] for record in records})
    for record in records:
        answers[record["who"], record["turn"]] = DeclaredAnswer(talk.parse_answer(record), record["certainty"])
    rows = {name: [answers.get((name, turn)) for turn in turns] for name in talk.seats}
    item, answer_format = talk.run.planned.item.id, talk.answer_format
    return PositionHistory(item, rows, talk.truth, answer_format.signs, answer_format.tolerance, midpoint)


def build_arm_table(plan: Plan, runs: Sequence[ExperimentRun]) -> DataTable:
    """Return a table with a row for each finished arm of each deliberation, with the report's figures."""
    rows: list[TableRow] = []
    for talk in group_runs_by_talk(runs):
        credits = compute_credits(talk, plan.arms)
        for name, answer in collect_answers(talk, plan.arms).items():
            right = (0.0 if answer.failure else credits[name] or 0.0) if name in credits else None
            winners, spent = "|".join(map(str, answer.winners or ())), answer.spent
            cells = (talk.run.planned.run, name, answer.failure, answer.is_short, winners, right)
            rows.append(dict(zip(ARM_COLUMNS, (*cells, spent.calls, spent.tokens, spent.cost), strict=True)))
    return DataTable(ARM_COLUMNS, rows)
