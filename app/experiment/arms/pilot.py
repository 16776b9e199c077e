"""Figures of a pilot: its gain, the share of pairs that differ, and the correlation of repeats of an item."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from ....state.errors import InputError
from ..data import ExperimentRun
from ..measures import COMPARISONS, Unit, collect_gains
from ..plan import DetectionSettings, Plan
from ..statistics import estimate_item_correlation
from .accuracy import make_unit
from .answers import TalkWithArms, group_runs_by_talk


def estimate_from_pilot(plan: Plan, pilot: Plan, runs: Sequence[ExperimentRun]) -> tuple[DetectionSettings, str]:
    """Return the figures to detect by a pilot, and a sentence about them.

    Keys that the plan sets itself stay. Raises `InputError` if the pilot compares no arms or has no pair that differs.
    """
    name = next(iter(plan.until), plan.primary if plan.primary in COMPARISONS else "net")
    talks = [talk for talk in group_runs_by_talk(runs) if talk.run.progress]
    units = [
        replace(unit, item=f"{talk.run.planned.condition.slug} {unit.item}") for talk, unit in _make_units(pilot, talks)
    ]
    values = collect_gains(units, *COMPARISONS[name])
    differences = [value for row in values.values() for value in row]
    if not differences:
        needed = " and ".join(arm.partition("_")[0] for arm in COMPARISONS[name])
        raise InputError("detect.from", pilot.name, f"its runs do not compare {needed}, with a truth; name another")
    if not any(differences):
        raise InputError("detect.from", pilot.name, "no pair of it differs; give gain and discordance yourself")
    figures: dict[str, float] = {
        "gain": fmean(differences),
        "discordance": fmean(float(difference != 0) for difference in differences),
    }
    if (correlation_estimate := estimate_item_correlation(values)) is not None:
        figures["within_item"] = correlation_estimate
    overrides = plan.detect.model_dump(include=plan.detect.model_fields_set)
    sentence = f"from the pilot {pilot.name}, {name}, {len([row for row in values.values() if row])} items: "
    sentence += f"gain {100 * figures['gain']:+.1f} points, {100 * figures['discordance']:.1f} % of pairs differing, "
    correlation_text = "no repeats to tell the correlation within items"
    if correlation_estimate is not None:
        correlation_text = f"correlation within items {correlation_estimate:.2f}"
    return DetectionSettings.model_validate(figures | overrides), sentence + correlation_text


def _make_units(pilot: Plan, talks: Sequence[TalkWithArms]) -> list[tuple[TalkWithArms, Unit]]:
    return [(talk, make_unit(talk, pilot.arms)) for talk in talks]
