"""The pictures of an experiment's report as geometry; the template draws them as inline SVG, 360 units wide."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...report.chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axes, LineChart, Tick, line_chart
from ..measures import Flips, Spend
from ..plan import Plan
from ..words import say
from .findings import Findings
from .movement import Moment

ROOM = WIDTH - LEFT - RIGHT - 10
QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]


@dataclass(frozen=True)
class Dot:
    """One arm: where it stands, the ends of its interval, and its number in the legend."""

    label: str
    number: int
    x: float
    y: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Scatter:
    """Accuracy against what was spent. `curve`: of ever more samples."""

    title: str
    description: str
    dots: list[Dot]
    curve: str
    across: list[Tick]
    up: list[Tick]
    axis: str


@dataclass(frozen=True)
class Band:
    """Participants who went from one answer to another: a band between the two columns."""

    kind: str
    points: str
    label: str
    at: float


@dataclass(frozen=True)
class Side:
    """What a group of participants is called, beside its bands."""

    text: str
    x: float
    y: float
    anchor: str


@dataclass(frozen=True)
class FlipPicture:
    """First answers on the left, last ones on the right, right ones on top."""

    title: str
    description: str
    bands: list[Band]
    sides: list[Side]


def against(found: Findings, by: str) -> Scatter | None:
    """Accuracy by arm against `calls`, `tokens` or `cost`; none where that is not known of all."""
    spent = {row.arm: _amount(row.spent, by) for row in found.arms}
    if not spent or None in spent.values():
        return None
    known = {arm: one for arm, one in spent.items() if one is not None}
    curve = [(point[{"calls": 0, "tokens": 1, "cost": 3}[by]], point[2]) for point in found.curve]
    most = max([*known.values(), *(x for x, _ in curve if x is not None)]) or 1
    dots = [
        Dot(
            label=say(
                found.plan,
                "pictures.dot",
                arm=say(found.plan, f"arms.{row.arm}"),
                share=_percent(row.all.value),
                spent=_number(known[row.arm]),
            ),
            number=number,
            x=_x(known[row.arm] / most),
            y=_y(row.all.value or 0),
            low=None if row.all.low is None else _y(row.all.low),
            high=None if row.all.high is None else _y(row.all.high),
        )
        for number, row in enumerate(found.arms, 1)
    ]
    return Scatter(
        title=say(found.plan, f"pictures.against_{by}"),
        description=say(found.plan, "opening.between").join(one.label for one in dots),
        dots=dots,
        curve=" ".join(f"{_x(x / most)},{_y(y)}" for x, y in curve if x is not None),
        across=[Tick(_x(share), _number(share * most)) for share in (0.0, 0.5, 1.0)],
        up=[Tick(_y(share), f"{100 * share:g} %") for share in QUARTERS],
        axis=say(found.plan, f"heads.{'money' if by == 'cost' else by}"),
    )


def _amount(spent: Spend, by: str) -> float | None:
    found: float | None = getattr(spent, by)
    return found


def _x(share: float) -> float:
    return round(LEFT + 5 + ROOM * share, 1)


def _y(share: float) -> float:
    inside = min(1.0, max(0.0, share))
    return round(HEIGHT - BOTTOM - inside * (HEIGHT - TOP - BOTTOM), 1)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


LEFT_EDGE, RIGHT_EDGE, TALL, APART = 96, 264, 150, 22
FIRST = ("stayed right", "corrupted"), ("corrected", "stayed wrong")
LAST = ("stayed right", "corrected"), ("corrupted", "stayed wrong")


def flip_picture(plan: Plan, flips: Flips) -> FlipPicture | None:
    """The 2×2 table as bands: stayed right, corrupted, corrected, stayed wrong; none where nobody answered twice."""
    counts = {"stayed right": flips.n11, "corrupted": flips.n10, "corrected": flips.n01, "stayed wrong": flips.n00}
    total = sum(counts.values())
    if not total:
        return None
    before, after = _starts(counts, FIRST), _starts(counts, LAST)
    bands = []
    for kind, count in counts.items():
        tall, left, right = TALL * count / total, before[kind], after[kind]
        corners = [(LEFT_EDGE, left), (RIGHT_EDGE, right), (RIGHT_EDGE, right + tall), (LEFT_EDGE, left + tall)]
        points = " ".join(f"{x},{round(y, 1)}" for x, y in corners)
        if count:
            label = say(plan, "pictures.band", kind=say(plan, f"pictures.{kind}"), count=count)
            bands.append(Band(kind, points, label, round((left + right + tall) / 2 + 4, 1)))
    sides = [
        *_labels(plan, counts, FIRST, before, "first", LEFT_EDGE - 6),
        *_labels(plan, counts, LAST, after, "last", RIGHT_EDGE + 6),
    ]
    parts = [say(plan, "pictures.band", kind=say(plan, f"pictures.{kind}"), count=one) for kind, one in counts.items()]
    told = say(plan, "pictures.flips_about", total=total, parts=say(plan, "opening.between").join(parts))
    return FlipPicture(say(plan, "pictures.flips"), told, bands, sides)


def _starts(counts: dict[str, int], groups: Sequence[Sequence[str]]) -> dict[str, float]:
    """The upper edge of each band on one side: those right on top, those wrong apart from them."""
    starts, at, total = {}, 20.0, sum(counts.values())
    for group in groups:
        for kind in group:
            starts[kind] = at
            at += TALL * counts[kind] / total
        at += APART
    return starts


def _labels(
    plan: Plan, counts: dict[str, int], groups: Sequence[Sequence[str]], starts: dict[str, float], when: str, x: float
) -> list[Side]:
    found, total = [], sum(counts.values())
    for name, group in zip(("right", "wrong"), groups, strict=True):
        count = sum(counts[kind] for kind in group)
        middle = starts[group[0]] + TALL * count / total / 2
        label = say(plan, f"pictures.{name}_{when}", count=count)
        found.append(Side(label, x, round(middle + 4, 1), "end" if when == "first" else "start"))
    return found


def rounds(plan: Plan, moments: Sequence[Moment]) -> LineChart | None:
    """Accuracy, diversity and agreement from before the talk on; none with fewer than two moments."""
    if len(moments) < 2:
        return None
    series: dict[str, list[float | None]] = {}
    if all(one.accuracy for one in moments):
        series[say(plan, "pictures.accuracy")] = [one.accuracy.value if one.accuracy else None for one in moments]
    series[say(plan, "pictures.diversity")] = [one.diversity.value for one in moments]
    series[say(plan, "pictures.agreement")] = [one.agreement.value for one in moments]
    names = [say(plan, f"pictures.{one.name}") if one.name in ("before", "after") else one.name for one in moments]
    axes = Axes(names, say(plan, "pictures.round"), 0, 1, QUARTERS)
    told = "; ".join(f"{name}: {', '.join(map(_percent, values))}" for name, values in series.items())
    return line_chart(say(plan, "pictures.rounds"), told, axes, series)
