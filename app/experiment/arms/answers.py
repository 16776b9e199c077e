"""Answer and spend of each arm of a talk, read from the documents of its runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ....state.call_record import Call
from ....state.independent import ANSWER_PURPOSE
from ....state.positions import SYNTHESIZER, AnswerFormat, PositionSettings, build_answer_format
from ....state.settings import parse_settings
from ..data import ExperimentRun
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
from .truth import find_truth

ArmDocument = Mapping[str, Any]
ANSWERING_ARMS = (
    *("single", "vote", "talk", "samples_calls", "samples_tokens"),
    *("alone", "noise", "informed"),
)
"""Arms with an answer, in the order of a report; samples stand twice, for the talk's calls and its tokens."""


@dataclass(frozen=True)
class ArmAnswer:
    """Answer of an arm and its spend."""

    winners: Sequence[Answer] | None
    """Winning answers, several for a tie; `None` if the arm failed."""
    spent: Spend


@dataclass(frozen=True)
class TalkWithArms:
    """One planned talk with the runs of its arms and its forks."""

    run: ExperimentRun
    arm_runs: Mapping[str, ExperimentRun] = field(default_factory=dict)
    """Run of each arm, by arm."""
    forks: Sequence[ExperimentRun] = ()
    """Runs that fork the talk after its first round."""

    @cached_property
    def settings(self) -> PositionSettings | None:
        """Return the settings of the talk, or `None` if the talk has no record."""
        settings = parse_settings(self.run.document["settings"]) if self.run.document else None
        return settings if isinstance(settings, PositionSettings) else None

    @property
    def seats(self) -> list[str]:
        """Return the names of the models that took part, in seat order."""
        participants = self.run.document["participants"] if self.run.document else []
        return [participant["name"] for participant in participants if participant["kind"] == "model"]


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
    """Return the answers of the talk and of each of `arms` that has ended."""
    reader = _AnswerReader(talk)
    answers: dict[str, ArmAnswer] = {}
    for name in ANSWERING_ARMS:
        arm = name.partition("_")[0]
        if arm != "talk" and arm not in arms:
            continue
        if (answer := reader.find_answer(name)) is not None:
            answers[name] = answer
    return answers


class _AnswerReader:
    """Reader of the answers of one talk and its arms."""

    def __init__(self, talk: TalkWithArms) -> None:
        self.talk, self.settings = talk, talk.settings
        self.answer_format = build_answer_format(talk.settings) if talk.settings else AnswerFormat()
        self.blind_round = talk.settings.blind_round if talk.settings else None

    def find_answer(self, name: str) -> ArmAnswer | None:
        """Return the answer of an arm, or `None` while it has not ended."""
        if self.talk.run.state not in ("done", "failed"):
            return None
        readers: dict[str, Callable[[], ArmAnswer | None]] = {
            "single": self._read_single,
            "vote": self._read_vote,
            "talk": self._read_talk,
        }
        return readers[name]() if name in readers else self._read_arm_run(name)

    def _read_single(self) -> ArmAnswer:
        first_seat = self.talk.seats[:1]
        return self._read_first_answers(first_seat)

    def _read_vote(self) -> ArmAnswer | None:
        first_answers = self._read_first_answers(self.talk.seats)
        vote_run = self.talk.arm_runs.get("vote")
        if vote_run is None:
            return first_answers
        if vote_run.state not in ("done", "failed"):
            return None
        spend = sum_spends([first_answers.spent, self._compute_spend(_parse_calls(vote_run.document))])
        if not vote_run.is_done or first_answers.winners is None:
            return ArmAnswer(None, spend)
        answers = [
            *self._parse_answers(self._list_blind_positions()),
            *self._parse_answers(_list_positions(vote_run.document)),
        ]
        return ArmAnswer(pick_plurality(answers, self.tolerance), spend)

    def _list_blind_positions(self) -> list[Mapping[str, Any]]:
        positions, blind_round = _list_positions(self.talk.run.document), self.blind_round or 0
        return [
            position
            for position in positions
            if position["when"] == "before" or (blind_round and position["round"] == blind_round)
        ]

    def _read_first_answers(self, names: Sequence[str]) -> ArmAnswer:
        """Return the plurality of the first answers of the named participants."""
        positions = [position for position in self._list_blind_positions() if position["who"] in names]
        calls = [
            call
            for call in _parse_calls(self.talk.run.document)
            if _is_blind_call(call, self.blind_round) and call.who in names
        ]
        answers = self._parse_answers(positions)
        return ArmAnswer(pick_plurality(answers, self.tolerance) if answers else None, self._compute_spend(calls))

    def _read_talk(self) -> ArmAnswer:
        return ArmAnswer(
            list_winners(self.talk.run.document, self.answer_format) if self.talk.run.is_done else None,
            self._compute_spend(_parse_calls(self.talk.run.document)),
        )

    def _read_arm_run(self, name: str) -> ArmAnswer | None:
        arm, _, measure = name.partition("_")
        run = self.talk.arm_runs.get(arm)
        if run is None or run.state not in ("done", "failed"):
            return None
        if arm == "samples":
            return self._read_samples(run, measure)
        blind_spend = self._read_first_answers(self.talk.seats).spent if arm in ("alone", "noise") else Spend(0, 0, 0.0)
        spend = sum_spends([blind_spend, self._compute_spend(_parse_calls(run.document))])
        return ArmAnswer(list_winners(run.document, self.answer_format) if run.is_done else None, spend)

    def _read_samples(self, run: ExperimentRun, measure: str) -> ArmAnswer:
        if not run.is_done:
            return ArmAnswer(None, self._compute_spend(_parse_calls(run.document)))
        samples = list_drawn_samples(run, self)
        talk_spend = self._compute_spend(_parse_calls(self.talk.run.document))
        count = count_samples_for_spend(
            [sample.spent for sample in samples], talk_spend, "calls" if measure == "calls" else "tokens"
        )
        counted_samples = samples[: count or len(samples)]
        answers = [answer for sample in counted_samples for answer in sample.winners or ()]
        return ArmAnswer(
            pick_plurality(answers, self.tolerance) if answers else [],
            sum_spends([sample.spent for sample in counted_samples]),
        )

    @property
    def tolerance(self) -> float:
        """Return the share by which two numbers may differ."""
        return self.answer_format.tolerance

    def _parse_answers(self, positions: Sequence[Mapping[str, Any]]) -> list[Answer]:
        return [parse_answer(position, self.answer_format) for position in positions if position["answer"]]

    def _compute_spend(self, calls: Sequence[Call]) -> Spend:
        prices = self.settings.prices if self.settings else None
        return Spend(len(calls), sum(call.tokens for call in calls), prices.compute_cost(calls) if prices else None)

    def read_sample(self, draw: int, document: ArmDocument) -> ArmAnswer:
        """Read the answer and the spend of one sample, by its number in the order drawn."""
        positions = [position for position in _list_positions(document) if position["turn"] == draw]
        return ArmAnswer(
            self._parse_answers(positions),
            self._compute_spend([call for call in _parse_calls(document) if call.turn == draw]),
        )


def list_drawn_samples(run: ExperimentRun, reader: _AnswerReader) -> list[ArmAnswer]:
    """Return the answer and the spend of each sample, in the order drawn.

    A failed sample has no answer.
    """
    assert run.document is not None
    draws = {call.turn for call in _parse_calls(run.document)}
    return [reader.read_sample(draw, run.document) for draw in sorted(draws)]


def list_samples(talk: TalkWithArms) -> list[ArmAnswer]:
    """Return the samples of a talk; empty if their run is missing or failed."""
    run = talk.arm_runs.get("samples")
    return (
        list_drawn_samples(run, _AnswerReader(talk))
        if run is not None and run.is_done and run.document is not None
        else []
    )


def list_winners(document: ArmDocument | None, answer_format: AnswerFormat) -> list[Answer]:
    """Return the answer of a run, or its tied answers; empty if the run has no answer."""
    answer = (document or {}).get("runAnswer") or {}
    if answer.get("tied"):
        return [float(winner) if answer_format.is_numeric else winner for winner in answer["tied"]]
    return [parse_answer(answer, answer_format)] if answer.get("answer") else []


def parse_answer(record: Mapping[str, Any], answer_format: AnswerFormat) -> Answer:
    """Parse a recorded answer: a number, or the id of an option."""
    return float(record["answer"]) if answer_format.is_numeric else str(record["answer"])


def format_answer(answer: Answer, answer_format: AnswerFormat) -> str:
    """Return the text of an option, or a number with all its digits and its unit."""
    if isinstance(answer, str):
        return answer_format.texts.get(answer, answer)
    return f"{format_full_number(answer)} {answer_format.unit}".strip()


def compute_credits(talk: TalkWithArms, arms: Sequence[str]) -> dict[str, float | None]:
    """Return the credit of each arm that has ended: 1 right, 0 wrong, between for a tie.

    The credit of a failed arm is `None`.
    """
    if talk.run.planned.item.truth is None:
        return {}
    answer_format = build_answer_format(talk.settings) if talk.settings else None
    if answer_format is None:
        return dict.fromkeys(collect_answers(talk, arms))
    truth = find_truth(talk.run.planned.item, answer_format)
    if truth is None:
        return {}
    return {
        name: None if answer.winners is None else compute_credit(answer.winners, truth, answer_format.tolerance)
        for name, answer in collect_answers(talk, arms).items()
    }


def build_position_history(talk: TalkWithArms, arm: str = "", midpoint: float | None = None) -> PositionHistory | None:
    """Return the participants' answers over time in the talk or an arm, or `None` if its run is not done."""
    run = talk.arm_runs.get(arm) if arm else talk.run
    if run is None or not run.is_done or run.document is None or talk.settings is None:
        return None
    answer_format = build_answer_format(talk.settings)
    records = [record for record in _list_positions(run.document) if record["answer"] and record["who"] != SYNTHESIZER]
    turns = sorted({record["turn"] for record in records})
    record_by_moment = {(record["who"], record["turn"]): record for record in records}
    rows = {
        name: [_parse_declared_answer(record_by_moment.get((name, turn)), answer_format) for turn in turns]
        for name in talk.seats
    }
    item = talk.run.planned.item
    truth = find_truth(item, answer_format)
    return PositionHistory(item.id, rows, truth, answer_format.signs, answer_format.tolerance, midpoint)


def _parse_declared_answer(record: Mapping[str, Any] | None, answer_format: AnswerFormat) -> DeclaredAnswer | None:
    return None if record is None else DeclaredAnswer(parse_answer(record, answer_format), record["certainty"])


def sum_spends(spends: Sequence[Spend]) -> Spend:
    """Return the total spend; its cost is `None` if one cost is unknown."""
    costs = [spend.cost for spend in spends]
    cost = None if None in costs else sum(amount for amount in costs if amount is not None)
    return Spend(sum(spend.calls for spend in spends), sum(spend.tokens for spend in spends), cost)


def _list_positions(document: ArmDocument | None) -> list[Mapping[str, Any]]:
    return list((document or {}).get("positions") or [])


def _parse_calls(document: ArmDocument | None) -> list[Call]:
    return [Call.model_validate(call) for call in (document or {}).get("calls") or []]


BLIND_PURPOSES = ("ballot", "estimate", "statement")
"""Purposes of the calls of a blind round that is a round of the talk."""


def _is_blind_call(call: Call, round: int | None) -> bool:
    """Return whether a call asks for a first answer.

    `round`: the talk's blind round, or `None` if first answers come before the talk.
    """
    return (
        call.purpose == ANSWER_PURPOSE and call.turn == 0
        if round is None
        else call.round == round and call.purpose in BLIND_PURPOSES
    )
