"""What a pilot says of how answers scatter: its gain, how many pairs differ, and how alike repeats of an item are."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from ....state.refused import Refused
from ..data import Outcome
from ..measures import COMPARISONS, Unit, paired
from ..plan import Detect, Plan
from ..statistics import within_item
from .accuracy import unit
from .answered import TalkWithArms, together


def piloted(plan: Plan, pilot: Plan, found: Sequence[Outcome]) -> tuple[Detect, str]:
    """What an experiment should find by its pilot's figures, and what they are, in a sentence.

    What the plan gives itself stays. Raises `Refused` for a pilot in which nothing is compared, or nothing differs.
    """
    name = next(iter(plan.until), plan.primary if plan.primary in COMPARISONS else "net")
    talks = [one for one in together(found) if one.talk.standing]
    units = [replace(one, item=f"{talk.talk.trial.cell.slug} {one.item}") for talk, one in _units(pilot, talks)]
    values = paired(units, *COMPARISONS[name])
    each = [value for row in values.values() for value in row]
    if not each:
        needed = " and ".join(one.partition("_")[0] for one in COMPARISONS[name])
        raise Refused("detect.from", pilot.name, f"its runs do not compare {needed}, with a truth; name another")
    if not any(each):
        raise Refused("detect.from", pilot.name, "no pair of it differs; give gain and discordance yourself")
    own: dict[str, float] = {"gain": fmean(each), "discordance": fmean(float(one != 0) for one in each)}
    if (alike := within_item(values)) is not None:
        own["within_item"] = alike
    given = plan.detect.model_dump(include=plan.detect.model_fields_set)
    told = f"from the pilot {pilot.name}, {name}, {len([row for row in values.values() if row])} items: "
    told += f"gain {100 * own['gain']:+.1f} points, {100 * own['discordance']:.1f} % of pairs differing, "
    correlation = "no repeats to tell the correlation within items"
    if alike is not None:
        correlation = f"correlation within items {alike:.2f}"
    return Detect.model_validate(own | given), told + correlation


def _units(pilot: Plan, talks: Sequence[TalkWithArms]) -> list[tuple[TalkWithArms, Unit]]:
    return [(one, unit(one, pilot.arms)) for one in talks]
