"""What follows from a plan's talks and their arms under one condition: accuracies, gains, and what the talk did.

`all` counts failures as wrong (intention to treat), `kept` leaves them out (per protocol).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..data import Outcome
from ..draw import cells
from ..measures import Conformity, Flips, Positions, Unit, flips, opinions, oracle_gap
from ..plan import Plan
from ..statistics import Estimate, mean
from .accuracy import ArmRow, GainRow, arm_rows, gain_rows, unit
from .answered import TalkWithArms, given, positions, together
from .certified import Certified, alpha_of, certificates
from .curve import Point, curve, shortfalls
from .influence import InfluenceRow, influences
from .movement import Moment, alpha_at, conformities, moments
from .voices import voice, voices


@dataclass(frozen=True)
class Findings:
    """What follows under one condition. Everything is computed when it is first read."""

    plan: Plan
    label: str
    talks: Sequence[TalkWithArms]

    @cached_property
    def units(self) -> list[Unit]:
        """The credit of each arm of each talk, as far as both are known."""
        found = [unit(one, self.plan.arms) for one in self.talks]
        return [one for one in found if one.credit]

    @property
    def graded(self) -> bool:
        """Whether there is a truth to be right about."""
        return bool(self.units)

    @cached_property
    def arms(self) -> list[ArmRow]:
        """The arms that were run, in the order of a report."""
        return arm_rows(self.units, [given(one, self.plan.arms) for one in self.talks])

    @cached_property
    def gains(self) -> list[GainRow]:
        """Every comparison whose two arms were run."""
        return gain_rows(self.units, self.plan, self.label)

    @cached_property
    def runs(self) -> list[Positions]:
        """The positions of the talks that came to a result."""
        found = (positions(one, midpoint=self.plan.midpoint) for one in self.talks)
        return [one for one in found if one is not None and one.times]

    @cached_property
    def _known(self) -> list[Positions]:
        return [one for one in self.runs if one.truth is not None]

    @cached_property
    def flips(self) -> Flips | None:
        """First answers against last ones; none without a truth, and where nobody is ever asked twice."""
        return flips(self._known) if any(one.times > 1 for one in self._known) else None

    @cached_property
    def conformity(self) -> tuple[Conformity, Conformity | None]:
        """In the talks, and over the same steps in `alone`, where that was run."""
        return conformities(self.talks, self.runs)

    @cached_property
    def oracle_gap(self) -> Estimate | None:
        """Whether some member was right at the end, minus the credit of their plurality."""
        return mean(oracle_gap(self._known)) if self._known else None

    @cached_property
    def opinion(self) -> dict[str, Estimate]:
        """Shift, size, polarisation and variance ratio, where opinions lie between against and for."""
        found = {name: mean(values) for name, values in opinions(self.runs).items()}
        return {name: one for name, one in found.items() if one.n}

    @cached_property
    def moments(self) -> list[Moment]:
        """Every time all were asked."""
        return moments(self.runs)

    @cached_property
    def voices(self) -> dict[str, Estimate]:
        """The share of spoken tokens of each participant."""
        return voices(self.talks)

    @cached_property
    def voice(self) -> Estimate:
        """Gini of the tokens spoken: 0 all alike, 1 one alone."""
        return voice(self.talks)

    @cached_property
    def certified(self) -> list[Certified]:
        """Of each talk with samples, whether the first one's answer is their mode; empty without samples."""
        return certificates(self.plan, self.talks)

    @property
    def alpha_of_certificates(self) -> float:
        """The chance of a certificate that does not hold, each."""
        return alpha_of(self.plan)

    @cached_property
    def influences(self) -> list[InfluenceRow]:
        """How often the decision changes without each participant's first statements; empty without forks."""
        return influences(self.talks)

    @cached_property
    def alpha(self) -> tuple[float | None, float | None]:
        """Krippendorff's alpha of the participants' answers over the talks, at first and at last."""
        return alpha_at(self.runs, 0), alpha_at(self.runs, -1)

    @cached_property
    def curve(self) -> list[Point]:
        """Accuracy of the majority of ever more samples."""
        return curve(self.talks, self.plan.seed)

    @cached_property
    def shortfalls(self) -> dict[str, int]:
        """Talks whose calls, and whose tokens, the samples did not reach, for their limit."""
        return shortfalls(self.talks)


def findings(plan: Plan, found: Sequence[Outcome]) -> list[Findings]:
    """What follows, condition by condition."""
    every = [one for one in together(found) if one.talk.standing]
    return [Findings(plan, cell.label, [one for one in every if one.talk.trial.cell == cell]) for cell in cells(plan)]
