"""Findings about deliberations and their arms under one condition: accuracies, gains and effects.

Figures named `as_wrong` count failures as wrong (intention to treat). Figures named `per_protocol` leave failures out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic_core import to_jsonable_python

from .. import FINDING_KEYS, ExperimentRun, Plan, PlanCondition, compare_conditions, list_conditions
from ..measures import (
    Answer,
    Conformity,
    Flips,
    ForkDecisions,
    PositionHistory,
    Unit,
    collect_changed_shares,
    collect_entropies,
    collect_opinion_shifts,
    collect_simpsons,
    collect_top_shares,
    compute_gini,
    compute_krippendorff_alpha,
    count_flips,
    group_by_item,
    measure_conformity,
    measure_influence,
    measure_oracle_gap,
)
from ..statistics import IntervalEstimate, estimate_difference, estimate_mean
from .accuracy import ArmRow, BestModelGain, GainRow, build_arm_rows, build_gain_rows, measure_best_gain
from .answers import (
    SPEND_KEYS,
    TalkWithArms,
    build_position_history,
    collect_answers,
    group_runs_by_talk,
    make_unit,
    resolve_comparison,
    split_arm,
)
from .early_stop import list_counted_items, list_stopped_differences
from .samples import (
    CertifiedTalk,
    CurvePoint,
    Shortfall,
    certify_talks,
    compute_sample_curve,
    find_shortfall,
)


@dataclass(frozen=True)
class Moment:
    """Time at which all participants were asked, with figures over all runs.

    A run that ended earlier counts with its last answers. `certainty`: mean certainty as a share, 0 to 1.
    """

    name: str
    accuracy: IntervalEstimate | None
    entropy: IntervalEstimate
    simpson: IntervalEstimate
    majority: IntervalEstimate
    certainty: IntervalEstimate


@dataclass(frozen=True)
class InfluenceRow:
    """Share of decisions that change without the first statements of one participant.

    `influence`: share of changed decisions in the participant's forks, minus the share in the control forks. `control`:
    share of control forks with a changed decision. `failed`: number of forks without a result, including control
    forks. The other figures exclude them.
    """

    who: str
    influence: IntervalEstimate
    changed: IntervalEstimate
    control: IntervalEstimate
    forks: int
    failed: int


@dataclass(frozen=True)
class Findings:
    """Findings under one condition, each computed at its first use.

    `stop`: differences of the counted items after an early stop, in the drawn order; empty without a stop. `controls`:
    runs in which a participant answers twice without a deliberation.
    """

    plan: Plan
    label: str
    talks: Sequence[TalkWithArms]
    stop: Sequence[float] = ()
    controls: Sequence[TalkWithArms] = ()

    def add_condition(self, text: str) -> str:
        """Return a text after its condition if there are several conditions; an empty text stays empty."""
        has_several = text and len(list_conditions(self.plan)) > 1
        return self.plan.translate("sentence.under", condition=self.label, text=text) if has_several else text

    @property
    def stop_alpha(self) -> float | None:
        """Return the α of the plan's early stop, or `None` if the experiment did not stop."""
        return next(bound.alpha for bound in self.plan.until.values()) if self.stop else None

    @cached_property
    def units(self) -> list[Unit]:
        """Return the arms' credits for each item and repeat that has any."""
        return [unit for talk in self.talks if (unit := make_unit(talk, self.plan.arms)).credits]

    @property
    def graded(self) -> bool:
        """Return whether the right answer of any item is known."""
        return bool(self.units)

    @cached_property
    def arms(self) -> list[ArmRow]:
        """Return accuracy and spending of each arm that has runs, in the order of a report."""
        answers = [collect_answers(talk, self.plan.arms) for talk in self.talks]
        return build_arm_rows(self.units, answers, self.stop_alpha)

    @cached_property
    def gains(self) -> list[GainRow]:
        """Return the comparison of each pair of arms that both have runs."""
        return build_gain_rows(self.units, self.plan, self.stop_alpha)

    @cached_property
    def runs(self) -> list[PositionHistory]:
        """Return the history of the participants' answers in each deliberation that has a result."""
        histories = (build_position_history(talk, midpoint=self.plan.midpoint) for talk in self.talks)
        return [history for history in histories if history is not None and history.moment_count]

    @cached_property
    def _runs_with_truth(self) -> list[PositionHistory]:
        return [run for run in self.runs if run.truth is not None]

    @cached_property
    def flips(self) -> Flips | None:
        """Return the changes from first to last answers in the deliberations.

        Return `None` if right answers are unknown or participants answered only once.
        """
        return (
            count_flips(self._runs_with_truth) if any(run.moment_count > 1 for run in self._runs_with_truth) else None
        )

    @cached_property
    def alone_flips(self) -> Flips | None:
        """Return the changes from first to last answers in the arm `alone`, for comparison with `flips`.

        Return `None` if either is missing.
        """
        runs = [run for run in self._alone_runs if run.truth is not None] if self.flips else []
        return count_flips(runs) if runs else None

    @cached_property
    def flip_gap(self) -> IntervalEstimate | None:
        """Return the net change of the talk minus that of the arm `alone`; `None` without either."""
        return estimate_difference(self.flips.net, self.alone_flips.net) if self.flips and self.alone_flips else None

    @cached_property
    def _alone_runs(self) -> list[PositionHistory]:
        histories = []
        for talk in self.talks:
            talk_history, history = build_position_history(talk), build_position_history(talk, "alone")
            if talk_history is None or history is None:
                continue
            if talk_history.moment_count <= 2 < history.moment_count:  # the talk has only first and last answers
                rows = {name: [row[0], row[-1]] for name, row in history.declarations.items()}
                history = replace(history, declarations=rows)
            histories.append(history)
        return histories

    @cached_property
    def conformity(self) -> tuple[Conformity, Conformity | None]:
        """Return the conformity in the deliberations, and in the arm `alone` over the same steps.

        The second is `None` without the arm `alone`.
        """
        return measure_conformity(self.runs), measure_conformity(self._alone_runs) if self._alone_runs else None

    @cached_property
    def oracle_gap(self) -> IntervalEstimate | None:
        """Return the share of deliberations in which any member ends right, minus the group's mean credit.

        Return `None` if no right answer is known.
        """
        return estimate_mean(measure_oracle_gap(self._runs_with_truth)) if self._runs_with_truth else None

    @cached_property
    def opinion(self) -> dict[str, IntervalEstimate]:
        """Return how opinions between against and for change, by figure, each with an interval.

        The figures are shift, size, polarization and variance ratio (see `OpinionShift`).
        """
        estimates = {name: estimate_mean(values) for name, values in collect_opinion_shifts(self.runs).items()}
        return {name: estimate for name, estimate in estimates.items() if estimate.n}

    @cached_property
    def moments(self) -> list[Moment]:
        """Return figures for every time at which all participants were asked."""
        return _build_moments(self.runs)

    @cached_property
    def _token_counts(self) -> list[tuple[str, dict[str, float]]]:
        """Return the item of each deliberation, with the tokens of each participant's statements.

        Failed attempts do not count.
        """
        counts_by_talk = []
        for talk in self.talks:
            if talk.run.is_done and talk.run.document is not None:
                counts = dict.fromkeys(talk.seats, 0.0)
                for call in talk.run.document["calls"]:
                    if call["purpose"] == "statement" and call["outcome"] == "ok" and call["who"] in counts:
                        counts[call["who"]] += call["output_tokens"]
                counts_by_talk.append((talk.run.planned.item.id, counts))
        return counts_by_talk

    @cached_property
    def speaking_shares(self) -> dict[str, IntervalEstimate]:
        """Return each participant's share of all spoken tokens, by name."""
        totals = [(item, counts, total) for item, counts in self._token_counts if (total := sum(counts.values()))]
        return {
            name: estimate_mean(
                group_by_item((item, counts[name] / total) for item, counts, total in totals if name in counts)
            )
            for name in dict.fromkeys(name for _, counts, _ in totals for name in counts)
        }

    @cached_property
    def speaking_gini(self) -> IntervalEstimate:
        """Return the Gini coefficient of spoken tokens: 0 for equal shares, 1 for a single speaker."""
        return estimate_mean(
            group_by_item((item, compute_gini(list(counts.values()))) for item, counts in self._token_counts)
        )

    @cached_property
    def certificates(self) -> list[CertifiedTalk]:
        """Return the certificate for each deliberation with samples; empty without samples."""
        return certify_talks(self.plan, self.talks)

    @cached_property
    def influences(self) -> list[InfluenceRow]:
        """Return the influence of each participant's first statements; empty without forks."""
        return build_influence_rows(self.talks)

    @cached_property
    def alpha(self) -> tuple[float | None, float | None]:
        """Return Krippendorff's alpha of the first answers and of the last answers, over the deliberations.

        A value is `None` if it cannot be computed (see `compute_krippendorff_alpha`).
        """
        return _compute_answer_alpha(self.runs, 0), _compute_answer_alpha(self.runs, -1)

    @cached_property
    def curve(self) -> list[CurvePoint]:
        """Return accuracy and spending of the samples' majority, for each number of samples."""
        return compute_sample_curve(self.talks, self.plan.seed)

    @cached_property
    def net(self) -> str:
        """Return the full name of the comparison with samples of equal cost."""
        return resolve_comparison(self.plan, self.talks, "net")

    def find_gain_row(self, name: str) -> GainRow | None:
        """Return the comparison with this name, or `None` without data for it.

        A comparison with samples takes those of equal cost.
        """
        name = self.net.replace("net", name) if name in ("net", "net_think") else name
        return next((row for row in self.gains if row.name == name), None)

    @cached_property
    def best(self) -> BestModelGain | None:
        """Return the gain of deliberations over the best single model, or over the plan's declared best model.

        Return `None` without the arm `each`, or if a comparison has no test.
        """
        prefix = self.net.replace("net", "net_each") + ":"
        rows = [row for row in self.gains if row.name.startswith(prefix)]
        return measure_best_gain(
            self.units, [row for row in rows if self.plan.best in ("", row.name.removeprefix(prefix))]
        )

    def find_shortfall(self, name: str) -> Shortfall | None:
        """Return by how much samples cost less than the deliberations that they are compared with.

        `name`: name of the samples in a comparison. Return `None` for another name, or if the samples reach the same
        spending.
        """
        arm, measure, model = split_arm(name)
        key = next((key for key in SPEND_KEYS if key == measure), None)
        return find_shortfall(self.talks, arm, model, key) if key else None


def build_influence_rows(talks: Sequence[TalkWithArms]) -> list[InfluenceRow]:
    """Return a row for each participant whose first statements a fork left out, in seat order."""
    forked_talks = [talk for talk in talks if talk.run.is_done and talk.forks]
    tolerance = forked_talks[0].answer_format.tolerance if forked_talks and forked_talks[0].settings else 0.0
    decisions = []
    for talk in forked_talks:
        answers: dict[str, list[Answer | None]] = {_get_silenced_name(talk, fork): [] for fork in talk.forks}
        for fork in talk.forks:
            if fork.is_done:
                answers[_get_silenced_name(talk, fork)].append(_find_decision(talk, fork))
        control_answers = answers.pop("", [])
        decisions.append(
            ForkDecisions(talk.run.planned.item.id, _find_decision(talk, talk.run), answers, control_answers)
        )
    forks = [(_get_silenced_name(talk, fork), fork) for talk in forked_talks for fork in talk.forks]
    control = estimate_mean(collect_changed_shares(decisions, None, tolerance))
    return [
        InfluenceRow(
            who=name,
            influence=estimate_mean(measure_influence(decisions, name, tolerance)),
            changed=estimate_mean(collect_changed_shares(decisions, name, tolerance)),
            control=control,
            forks=sum(fork.has_ended for fork_name, fork in forks if fork_name == name),
            failed=sum(fork.state == "failed" for fork_name, fork in forks if fork_name in (name, "")),
        )
        for name in dict.fromkeys(name for name, _ in forks if name)
    ]


def _find_decision(talk: TalkWithArms, run: ExperimentRun) -> Answer | None:
    """Return the decision of a run, with tied answers joined to one text; `None` without an answer."""
    winners = talk.list_winners(run)
    return winners[0] if len(winners) == 1 else "; ".join(sorted(map(str, winners))) or None


def _get_silenced_name(talk: TalkWithArms, fork: ExperimentRun) -> str:
    seat = fork.planned.fork.seat if fork.planned.fork else 0
    return str(talk.run.document["participants"][seat - 1]["name"]) if seat and talk.run.document else ""


def build_findings(plan: Plan, runs: Sequence[ExperimentRun]) -> list[Findings]:
    """Return the findings under each condition. After an early stop, only the items up to it count."""
    talks, controls = (group_runs_by_talk(runs, controls=is_control) for is_control in (False, True))
    stop = list_stopped_differences(plan, runs)
    counted_items = list_counted_items(plan, stop)

    def select_counted_talks(condition: PlanCondition, talks: Sequence[TalkWithArms]) -> list[TalkWithArms]:
        begun_talks = [talk for talk in talks if talk.run.progress and talk.run.planned.condition == condition]
        return [talk for talk in begun_talks if talk.run.planned.item.id in counted_items]

    return [
        Findings(
            plan,
            condition.label,
            select_counted_talks(condition, talks),
            stop,
            select_counted_talks(condition, controls),
        )
        for condition in list_conditions(plan)
    ]


def _build_moments(runs: Sequence[PositionHistory]) -> list[Moment]:
    count = max((run.moment_count for run in runs), default=0)
    padded_runs = []
    for run in runs:
        rows = {name: [*row, *[row[-1]] * (count - len(row))] for name, row in run.declarations.items()}
        padded_runs.append(replace(run, declarations=rows))
    graded_runs = [run for run in padded_runs if run.truth is not None]
    return [
        Moment(
            name="before" if moment_index == 0 else "after" if count == 2 else str(moment_index),
            accuracy=estimate_mean(
                group_by_item((run.item, run.compute_right_share(moment_index)) for run in graded_runs)
            )
            if graded_runs
            else None,
            entropy=estimate_mean(collect_entropies(padded_runs, moment_index)),
            simpson=estimate_mean(collect_simpsons(padded_runs, moment_index)),
            majority=estimate_mean(collect_top_shares(padded_runs, moment_index)),
            certainty=estimate_mean(
                group_by_item(
                    (run.item, None if entry.certainty is None else entry.certainty / 100)
                    for run in padded_runs
                    for entry in run.map_declarations(moment_index).values()
                )
            ),
        )
        for moment_index in range(count)
    ]


def _compute_answer_alpha(runs: Sequence[PositionHistory], moment_index: int) -> float | None:
    names = dict.fromkeys(name for run in runs for name in run.declarations)
    columns = [run.map_declarations(moment_index) for run in runs]
    rows = [[column[name].answer if name in column else None for column in columns] for name in names]
    is_numeric = any(isinstance(answer, float) for row in rows for answer in row)
    return compute_krippendorff_alpha(rows, "interval" if is_numeric else "nominal") if rows else None


def build_figures(plan: Plan, runs: Sequence[ExperimentRun]) -> dict[str, Any]:
    """Return the figures of the report: findings by condition, and comparisons of conditions."""
    findings = [findings for findings in build_findings(plan, runs) if findings.talks] if plan.has_comparisons else []
    names = [key.partition(".")[2] for key in FINDING_KEYS if key.startswith("conditions.")]
    figures = {
        "conditions": [{key: getattr(condition, key) for key in names} for condition in findings],
        "comparisons": [vars(row) | {"measure": row.measure.name} for row in compare_conditions(plan, runs)],
    }
    return dict(to_jsonable_python(figures, fallback=lambda number: number.item()))
