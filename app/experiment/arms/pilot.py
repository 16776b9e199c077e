"""Figures from a pilot: its gain, its share of differing pairs, and the correlation of repeats."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from ....state import InputError
from ..data import ExperimentRun
from ..measures import COMPARISONS, collect_gains
from ..plan import DetectionSettings, Plan
from ..statistics import estimate_item_correlation
from .answers import group_runs_by_talk, make_unit, resolve_comparison


def estimate_from_pilot(plan: Plan, pilot: Plan, runs: Sequence[ExperimentRun]) -> tuple[DetectionSettings, str]:
    """Return detection settings with a pilot's figures, and a sentence about them.

    Settings in the plan override the pilot's figures. Raises `InputError` if the pilot compares no arms or all pairs
    are equal.
    """
    talks, comparison = group_runs_by_talk(runs), next(iter(plan.until), plan.primary)
    comparison = resolve_comparison(pilot, talks, comparison if comparison in COMPARISONS else "net")
    units = []
    for talk in talks:
        if talk.run.progress:
            unit = make_unit(talk, pilot.arms)
            units.append(replace(unit, item=f"{talk.run.planned.condition.slug} {unit.item}"))
    gains_by_item = collect_gains(units, *COMPARISONS[comparison])
    differences = [value for row in gains_by_item.values() for value in row]
    if not differences:
        arms = " and ".join(arm.partition("_")[0] for arm in COMPARISONS[comparison])
        raise InputError("detect.from", pilot.name, f"its runs do not compare {arms}, with a truth; name another")
    if not any(differences):
        raise InputError("detect.from", pilot.name, "no pair of it differs; give gain and discordance yourself")
    discordance = fmean(float(difference != 0) for difference in differences)
    figures = {"gain": fmean(differences), "discordance": discordance}
    correlation_text = "no repeats to tell the correlation within items"
    if (correlation := estimate_item_correlation(gains_by_item)) is not None:
        figures["within_item"] = correlation
        correlation_text = f"correlation within items {correlation:.2f}"
    item_count = len([row for row in gains_by_item.values() if row])
    sentence = (
        f"from the pilot {pilot.name}, {comparison}, {item_count} items: gain {100 * figures['gain']:+.1f} points, "
    )
    sentence += f"{100 * discordance:.1f} % of pairs differing, {correlation_text}"
    overrides = plan.detect.model_dump(include=plan.detect.model_fields_set)
    return DetectionSettings.model_validate(figures | overrides), sentence
