"""What a plan comes to: its cells, its runs with their names and seeds, and what each run is given.

Draws come from named streams of the plan's seed. A run's seed depends on its item and repeat alone, so that all
conditions share the draws. Where more items or repeats are added, nothing that was drawn before moves.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

from pydantic import JsonValue

from ...state.draw import stream
from ...state.refused import Refused
from ..protocols import protocol
from ..request import Request, layered
from ..saved.names import LONGEST
from .items import Item, slug
from .plan import Plan, Settings, Swap
from .swap import swapped

ALL = "all"
"""The one cell of a plan without conditions and factors."""


@dataclass(frozen=True)
class Cell:
    """One condition: its label, its part in the names of runs, and the knobs that make it."""

    label: str
    slug: str
    settings: Settings = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """One planned run. `swap`: what is the other way round in it; `arm`: which arm it is, empty: the talk itself."""

    run: str
    cell: Cell
    item: Item
    repeat: int
    seed: int
    swap: tuple[Swap, ...] = ()
    arm: str = ""


def cells(plan: Plan) -> list[Cell]:
    """The conditions of a plan, in its order; factors are crossed, the last one varying fastest."""
    if plan.factors:
        return [_crossed(plan, levels) for levels in product(*(enumerate(one, 1) for one in plan.factors.values()))]
    if plan.conditions:
        return [Cell(label, slug(label), settings) for label, settings in plan.conditions.items()]
    return [Cell(ALL, ALL)]


def _crossed(plan: Plan, levels: tuple[tuple[int, JsonValue], ...]) -> Cell:
    chosen = dict(zip(plan.factors, levels, strict=True))
    words = [slug(_word(place, value)) or str(place) for place, value in levels]
    label = ", ".join(f"{path}={_word(place, value)}" for path, (place, value) in chosen.items())
    return Cell(label, "-".join(words), {path: value for path, (_, value) in chosen.items()})


def _word(place: int, value: JsonValue) -> str:
    """A factor's value as a word; a list or mapping by its place among the values."""
    if isinstance(value, list | dict):
        return str(place)
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return str(value)


def trials(plan: Plan) -> list[Trial]:
    """Every run of a plan, repeat by repeat and item by item, so that a part of them is balanced too.

    Raises `Refused` for names that are too long, or that two runs would share.
    """
    found = [one for repeat in range(1, plan.repeats + 1) for one in _of_repeat(plan, repeat)]
    seen = set[str]()
    for one in found:
        if len(one.run) > LONGEST:
            remedy = f"names of runs have at most {LONGEST} letters; shorten the names of plan, condition or item"
            raise Refused("name", one.run, remedy)
        if one.run in seen:
            raise Refused("name", one.run, "two runs would have this name; name conditions or items otherwise")
        seen.add(one.run)
    return found


def _of_repeat(plan: Plan, repeat: int) -> Iterator[Trial]:
    conditions = cells(plan)
    swaps = [tuple(some) for count in range(len(plan.swap) + 1) for some in combinations(plan.swap, count)]
    for place, item in enumerate(plan.items):
        seed = run_seed(plan, item, repeat)
        chosen = conditions if plan.assignment == "crossed" else [conditions[_drawn_cell(plan, place, repeat)]]
        for cell, swap in product(chosen, swaps):
            name = "-".join([plan.name, cell.slug, slug(item.id), f"r{repeat}", *swap])
            yield Trial(name, cell, item, repeat, seed, swap)


def run_seed(plan: Plan, item: Item, repeat: int) -> int:
    """The seed of the runs of an item and repeat, under every condition."""
    return stream(plan.seed, "run", item.id, repeat).randrange(2**31)


def _drawn_cell(plan: Plan, place: int, repeat: int) -> int:
    """The number of the cell an item is drawn into in one repeat.

    Items and repeats are taken in blocks of as many as there are cells; each block is a Latin square with drawn rows,
    columns and cells. So in each repeat every cell has as many items, but for one, and each item in turn every cell.
    """
    k = len(cells(plan))
    square = stream(plan.seed, "assignment", place // k, (repeat - 1) // k)
    rows, columns, numbers = (square.sample(range(k), k) for _ in range(3))
    return numbers[(rows[place % k] + columns[(repeat - 1) % k]) % k]


def asked(plan: Plan, trial: Trial, model: str = "") -> Request:
    """What one run is given. `model`: the model of those for whom the plan names none."""
    made = protocol(plan.protocol)
    item = _input(plan, trial.item, trial.run)
    given = layered(made, [dict(plan.settings), dict(trial.cell.settings), item, {"seed": trial.seed}])
    return swapped(given.with_model(str(given.rules.model) or model), trial.swap)


def _input(plan: Plan, item: Item, run: str) -> dict[str, Any]:
    made = protocol(plan.protocol)
    found: dict[str, Any] = {made.about: item.topic} if made.about else {}
    if made.about and not item.topic.strip():
        raise Refused(f"items.{item.id}.topic", item.topic, f"give the {made.about} of each item")
    graph = made.drawing
    known = {*graph.input_schema.__annotations__, *graph.context_schema.model_fields}
    if "experiment_id" in known:
        found["experiment_id"] = run
    for key in ("material", "private", "options"):
        if value := getattr(item, key):
            if key not in known:
                raise Refused(f"items.{item.id}.{key}", value, f"{made.name} has none; leave it out")
            found[key] = value
    if item.options:
        found["answer"] = "option"
    return found
