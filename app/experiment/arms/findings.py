"""Findings from a plan's talks and their arms under one condition: accuracies, gains and effects of the talk.

Figures `as_wrong` count failures as wrong (intention to treat). Figures `per_protocol` leave them out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..data import ExperimentRun
from ..measures import (
    Conformity,
    Flips,
    PositionHistory,
    Unit,
    collect_opinion_shifts,
    count_flips,
    measure_oracle_gap,
)
from ..plan import Plan
from ..planned_runs import list_conditions
from ..statistics import IntervalEstimate, estimate_mean
from .accuracy import ArmRow, GainRow, build_arm_rows, build_gain_rows, make_unit
from .answers import TalkWithArms, build_position_history, collect_answers, group_runs_by_talk
from .certificates import CertifiedTalk, certify_talks, get_certificate_alpha
from .curve import CurvePoint, compute_sample_curve, count_shortfalls
from .influence import InfluenceRow, build_influence_rows
from .movement import Moment, build_moments, compare_conformity, compute_alpha_at_time
from .speaking_shares import estimate_speaking_gini, estimate_speaking_shares


@dataclass(frozen=True)
class Findings:
    """Findings under one condition. Each figure is computed when it is first read."""

    plan: Plan
    label: str
    talks: Sequence[TalkWithArms]

    @cached_property
    def units(self) -> list[Unit]:
        """Return the credits of the arms of each talk that has any."""
        units = [make_unit(talk, self.plan.arms) for talk in self.talks]
        return [unit for unit in units if unit.credits]

    @property
    def graded(self) -> bool:
        """Return whether an item has a right answer."""
        return bool(self.units)

    @cached_property
    def arms(self) -> list[ArmRow]:
        """Return the arms that were run, in the order of a report."""
        return build_arm_rows(self.units, [collect_answers(talk, self.plan.arms) for talk in self.talks])

    @cached_property
    def gains(self) -> list[GainRow]:
        """Return every comparison whose two arms were run."""
        return build_gain_rows(self.units, self.plan, self.label)

    @cached_property
    def runs(self) -> list[PositionHistory]:
        """Return the position histories of the talks that have a result."""
        histories = (build_position_history(talk, midpoint=self.plan.midpoint) for talk in self.talks)
        return [history for history in histories if history is not None and history.time_count]

    @cached_property
    def _runs_with_truth(self) -> list[PositionHistory]:
        return [run for run in self.runs if run.truth is not None]

    @cached_property
    def flips(self) -> Flips | None:
        """Return the changes from first to last answers; `None` without a truth or without a second answer."""
        return count_flips(self._runs_with_truth) if any(run.time_count > 1 for run in self._runs_with_truth) else None

    @cached_property
    def conformity(self) -> tuple[Conformity, Conformity | None]:
        """Return the conformity in the talks and, if it was run, in the arm `alone` over the same steps."""
        return compare_conformity(self.talks, self.runs)

    @cached_property
    def oracle_gap(self) -> IntervalEstimate | None:
        """Return the share of talks with a right member at the end, minus the plurality's credit."""
        return estimate_mean(measure_oracle_gap(self._runs_with_truth)) if self._runs_with_truth else None

    @cached_property
    def opinion(self) -> dict[str, IntervalEstimate]:
        """Return shift, size, polarisation and variance ratio of opinions between against and for."""
        estimates = {name: estimate_mean(values) for name, values in collect_opinion_shifts(self.runs).items()}
        return {name: estimate for name, estimate in estimates.items() if estimate.n}

    @cached_property
    def moments(self) -> list[Moment]:
        """Return every moment at which all participants were asked."""
        return build_moments(self.runs)

    @cached_property
    def speaking_shares(self) -> dict[str, IntervalEstimate]:
        """Return the share of spoken tokens of each participant."""
        return estimate_speaking_shares(self.talks)

    @cached_property
    def speaking_gini(self) -> IntervalEstimate:
        """Return the Gini coefficient of spoken tokens: 0 equal shares, 1 a single speaker."""
        return estimate_speaking_gini(self.talks)

    @cached_property
    def certificates(self) -> list[CertifiedTalk]:
        """Return the certificate of each talk with samples; empty without samples."""
        return certify_talks(self.plan, self.talks)

    @property
    def certificate_alpha(self) -> float:
        """Return the chance of a false certificate, which holds for each talk."""
        return get_certificate_alpha(self.plan)

    @cached_property
    def influences(self) -> list[InfluenceRow]:
        """Return the influence of each participant's first statements; empty without forks."""
        return build_influence_rows(self.talks)

    @cached_property
    def alpha(self) -> tuple[float | None, float | None]:
        """Return Krippendorff's alpha of the participants' answers over the talks, first and last."""
        return compute_alpha_at_time(self.runs, 0), compute_alpha_at_time(self.runs, -1)

    @cached_property
    def curve(self) -> list[CurvePoint]:
        """Return the accuracy and spend of the majority for each number of samples."""
        return compute_sample_curve(self.talks, self.plan.seed)

    @cached_property
    def shortfalls(self) -> dict[str, int]:
        """Return the number of talks whose calls or tokens exceed those of their samples, by measure."""
        return count_shortfalls(self.talks)


def build_findings(plan: Plan, runs: Sequence[ExperimentRun]) -> list[Findings]:
    """Return the findings of each condition."""
    talks = [talk for talk in group_runs_by_talk(runs) if talk.run.progress]
    return [
        Findings(plan, condition.label, [talk for talk in talks if talk.run.planned.condition == condition])
        for condition in list_conditions(plan)
    ]
