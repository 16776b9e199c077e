"""What a plan comes to: its cells, its runs with their names and seeds, and what each run is given.

Draws come from named streams of the plan's seed. A run's seed depends on its item and repeat alone, so that all
conditions share the draws. Where more items or repeats are added, nothing that was drawn before moves.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any

from pydantic import JsonValue

from ...state.draw import stream
from ...state.refused import Refused
from ..protocols import protocol
from ..request import Request, layered
from ..saved.names import LONGEST
from .items import Item, slug
from .plan import ARMS, Plan, Settings, Swap
from .swap import swapped
from .tasks.confederates import seated

ALL = "all"
"""The one cell of a plan without conditions and factors."""


@dataclass(frozen=True)
class Cell:
    """One condition: its label, its part in the names of runs, and the knobs that make it."""

    label: str
    slug: str
    settings: Settings = field(default_factory=dict)


FORK = "influence"
"""The arm of a run that goes on anew from the first round of its talk."""


@dataclass(frozen=True)
class Fork:
    """Which of a talk's forks it is. `seat`: whose first statements are silenced, from 1; 0: nobody's."""

    seat: int
    number: int


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
    talk: str = ""
    """The run of the talk that an arm is compared with; empty: it is the talk."""
    donor: str = ""
    """The talk on another item whose statements are shown; empty: none is."""
    fork: Fork | None = None
    """Which of the talk's forks it is; none: it is none."""

    @property
    def needs(self) -> list[str]:
        """The runs that have to end before it."""
        return [one for one in (self.talk, self.donor) if one]


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
    if plan.until:
        place = {item.id: number for number, item in enumerate(in_order(plan))}
        found.sort(key=lambda one: place[one.item.id])
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
    cycles = {cell.slug: donors(plan, cell, repeat) for cell in conditions if "noise" in plan.arms}
    for place, item in enumerate(plan.items):
        seed = run_seed(plan, item, repeat)
        chosen = conditions if plan.assignment == "crossed" else [conditions[_drawn_cell(plan, place, repeat)]]
        for cell, swap in product(chosen, swaps):
            talk = Trial(_name(plan, cell, item, repeat, swap), cell, item, repeat, seed, swap)
            yield talk
            for arm in runs_beside(plan):
                other = cycles[cell.slug].get(item.id) if arm == "noise" else None
                donor = _name(plan, cell, other, repeat, swap) if other else ""
                yield replace(talk, run=f"{talk.run}-{arm}", arm=arm, talk=talk.run, donor=donor)
            for fork in forks_of(plan, cell):
                name = f"{talk.run}-{'without' if fork.seat else 'fork'}-"
                name += f"{fork.seat}-{fork.number}" if fork.seat else str(fork.number)
                yield replace(talk, run=name, arm=FORK, talk=talk.run, fork=fork)


def forks_of(plan: Plan, cell: Cell) -> list[Fork]:
    """The forks of each talk of a cell: as many without each participant as without none."""
    if plan.influence is None:
        return []
    if any(item.scripted for item in plan.items):
        raise Refused("influence", plan.influence.forks, "who is scripted has none; leave it out")
    named = _named(plan, cell)
    seats = len(named) if isinstance(named, list) else 2 if plan.protocol == "debate" else 0
    if not seats:
        raise Refused("influence", plan.influence.forks, "name the participants in settings: each is silenced in turn")
    return [Fork(seat, number) for seat in range(seats + 1) for number in range(1, plan.influence.forks + 1)]


def _name(plan: Plan, cell: Cell, item: Item, repeat: int, swap: Sequence[str]) -> str:
    return "-".join([plan.name, cell.slug, slug(item.id), f"r{repeat}", *swap])


def runs_beside(plan: Plan) -> list[str]:
    """The arms that are runs of their own: what everyone answers at first is a part of the talk.

    In a debate the vote takes a third ballot, from no side.
    """
    parts = ("single",) if plan.protocol == "debate" else ("single", "vote")
    return [arm for arm in ARMS if arm in plan.arms and arm not in parts]


def in_order(plan: Plan) -> list[Item]:
    """The items in the order in which a plan with `until` takes them."""
    return stream(plan.seed, "item order").sample(plan.items, len(plan.items))


def donors(plan: Plan, cell: Cell, repeat: int) -> dict[str, Item]:
    """By item of a cell and repeat, the item whose talk is shown instead: a seeded derangement, one drawn cycle.

    An item that is added is put behind a drawn one of those before it, and moves no other.
    """
    here = [place for place in range(len(plan.items)) if _is_in(plan, place, cell, repeat)]
    after = {here[0]: here[0]} if here else {}
    for count, place in enumerate(here[1:], 1):
        before = here[stream(plan.seed, "derangement", repeat, plan.items[place].id).randrange(count)]
        after[place], after[before] = after[before], place
    return {plan.items[one].id: plan.items[other] for one, other in after.items()} if len(here) > 1 else {}


def _is_in(plan: Plan, place: int, cell: Cell, repeat: int) -> bool:
    return plan.assignment == "crossed" or cells(plan)[_drawn_cell(plan, place, repeat)] == cell


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
    """What a talk is given, also for its arms. `model`: the model of those for whom the plan names none."""
    made = protocol(plan.protocol)
    item = _input(plan, trial.item, trial.talk or trial.run)
    if trial.item.scripted:
        item["participants"] = seated(plan.protocol, _named(plan, trial.cell), trial.item)
    apart = getattr(made.drawing.context_schema, "blind_round", None) is None
    asking: Settings = {"positions": "ends"} if plan.compared and apart else {}
    given = layered(made, [asking, dict(plan.settings), dict(trial.cell.settings), item, {"seed": trial.seed}])
    return swapped(given.with_model(str(given.rules.model) or model), trial.swap)


def each_cell(plan: Plan, drawn: Sequence[Trial], model: str) -> list[Request]:
    """A request of each condition. `model`: the model of those for whom the plan names none."""
    return [asked(plan, one, model) for one in {one.cell.slug: one for one in drawn}.values()]


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
    return found | _answer(plan, item, known)


def _named(plan: Plan, cell: Cell) -> Any:
    """The participants as the settings name them; none: they do not."""
    return {**plan.settings, **cell.settings}.get("participants")


def _answer(plan: Plan, item: Item, known: Collection[str]) -> dict[str, Any]:
    """What is answered, where the item says so and the plan does not."""
    if item.options:
        return {"answer": "option"}
    if item.unit is None or "answer" in plan.settings or "answer" not in known:
        return {}
    return {"answer": {"number": item.unit, "tolerance": f"{item.tolerance:.12f} relative"}}
