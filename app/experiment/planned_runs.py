"""Planned runs of a plan: its conditions, its runs with their names and seeds, and the request of each run.

Draws come from named streams of the plan's seed. A run's seed depends only on its item and repeat, so all
conditions share the draws. Additional items or repeats change no earlier draw.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any

from pydantic import JsonValue

from ...state.errors import InputError
from ...state.random_streams import make_rng
from ..protocols.protocol import get_protocol
from ..run.request import RunRequest, merge_layers
from ..saved.names import MAX_NAME_LENGTH
from .items import Item, make_slug
from .plan import ARMS, Plan, SettingValues, Swap
from .swap import swap_request
from .tasks.confederates import cast_confederates

SOLE_CONDITION = "all"
"""Name of the only condition of a plan without conditions and factors."""


@dataclass(frozen=True)
class PlanCondition:
    """One condition: its label, its part in the names of runs, and its settings."""

    label: str
    slug: str
    settings: SettingValues = field(default_factory=dict)


FORK_ARM = "influence"
"""Arm of a run that forks its talk after the first round."""


@dataclass(frozen=True)
class Fork:
    """Position of a fork among the forks of its talk."""

    seat: int
    """Seat whose first statements are silenced, from 1; 0 for a control fork."""
    number: int


@dataclass(frozen=True)
class PlannedRun:
    """Planned run: its name, condition, item, repeat and seed."""

    run: str
    condition: PlanCondition
    item: Item
    repeat: int
    seed: int
    swap: tuple[Swap, ...] = ()
    """Reversed elements of the item: sides, order, options."""
    arm: str = ""
    """Arm of the run; empty for the talk itself."""
    talk: str = ""
    """Run of the talk that an arm is compared with; empty for the talk itself."""
    donor: str = ""
    """Talk on another item whose statements are shown; empty without one."""
    fork: Fork | None = None
    """Fork of the talk; `None` for other runs."""

    @property
    def prerequisites(self) -> list[str]:
        """Return the runs that must end before this one."""
        return [run for run in (self.talk, self.donor) if run]


def list_conditions(plan: Plan) -> list[PlanCondition]:
    """Return the conditions of a plan in order.

    Factors are crossed; the last factor varies fastest.
    """
    if plan.factors:
        return [
            _build_crossed_condition(plan, levels)
            for levels in product(*(enumerate(values, 1) for values in plan.factors.values()))
        ]
    if plan.conditions:
        return [PlanCondition(label, make_slug(label), settings) for label, settings in plan.conditions.items()]
    return [PlanCondition(SOLE_CONDITION, SOLE_CONDITION)]


def _build_crossed_condition(plan: Plan, levels: tuple[tuple[int, JsonValue], ...]) -> PlanCondition:
    level_by_path = dict(zip(plan.factors, levels, strict=True))
    parts = [make_slug(_format_level(index, value)) or str(index) for index, value in levels]
    label = ", ".join(f"{path}={_format_level(index, value)}" for path, (index, value) in level_by_path.items())
    return PlanCondition(label, "-".join(parts), {path: value for path, (_, value) in level_by_path.items()})


def _format_level(index: int, value: JsonValue) -> str:
    """Return a factor's value as a word; a list or mapping by its index among the values."""
    if isinstance(value, list | dict):
        return str(index)
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return str(value)


def plan_runs(plan: Plan) -> list[PlannedRun]:
    """Return every run of a plan, repeat by repeat and item by item.

    This order keeps each part of the list balanced. Raises `InputError` for names that are too long or that two
    runs share.
    """
    planned_runs = [planned_run for repeat in range(1, plan.repeats + 1) for planned_run in _plan_repeat(plan, repeat)]
    if plan.until:
        rank = {item.id: number for number, item in enumerate(order_items(plan))}
        planned_runs.sort(key=lambda planned_run: rank[planned_run.item.id])
    used_names = set[str]()
    for planned_run in planned_runs:
        if len(planned_run.run) > MAX_NAME_LENGTH:
            remedy = (
                f"names of runs have at most {MAX_NAME_LENGTH} letters; shorten the names of plan, condition or item"
            )
            raise InputError("name", planned_run.run, remedy)
        if planned_run.run in used_names:
            raise InputError(
                "name", planned_run.run, "two runs would have this name; name conditions or items otherwise"
            )
        used_names.add(planned_run.run)
    return planned_runs


def _plan_repeat(plan: Plan, repeat: int) -> Iterator[PlannedRun]:
    conditions = list_conditions(plan)
    swaps = [tuple(names) for count in range(len(plan.swap) + 1) for names in combinations(plan.swap, count)]
    donors_by_condition = {
        condition.slug: draw_donors(plan, condition, repeat) for condition in conditions if "noise" in plan.arms
    }
    for index, item in enumerate(plan.items):
        seed = draw_run_seed(plan, item, repeat)
        drawn_conditions = (
            conditions if plan.assignment == "crossed" else [conditions[_draw_condition_index(plan, index, repeat)]]
        )
        for condition, swap in product(drawn_conditions, swaps):
            talk = PlannedRun(_build_run_name(plan, condition, item, repeat, swap), condition, item, repeat, seed, swap)
            yield talk
            for arm in list_separate_arms(plan):
                donor_item = donors_by_condition[condition.slug].get(item.id) if arm == "noise" else None
                donor = _build_run_name(plan, condition, donor_item, repeat, swap) if donor_item else ""
                yield replace(talk, run=f"{talk.run}-{arm}", arm=arm, talk=talk.run, donor=donor)
            for fork in list_forks(plan, condition):
                fork_name = f"{talk.run}-{'without' if fork.seat else 'fork'}-"
                fork_name += f"{fork.seat}-{fork.number}" if fork.seat else str(fork.number)
                yield replace(talk, run=fork_name, arm=FORK_ARM, talk=talk.run, fork=fork)


def list_forks(plan: Plan, condition: PlanCondition) -> list[Fork]:
    """Return the forks of each talk of a condition: equally many for each silenced seat and as controls."""
    if plan.influence is None:
        return []
    if any(item.scripted for item in plan.items):
        raise InputError("influence", plan.influence.forks, "who is scripted has none; leave it out")
    participants = _get_participants(plan, condition)
    seat_count = len(participants) if isinstance(participants, list) else 2 if plan.protocol == "debate" else 0
    if not seat_count:
        raise InputError(
            "influence", plan.influence.forks, "name the participants in settings: each is silenced in turn"
        )
    return [Fork(seat, number) for seat in range(seat_count + 1) for number in range(1, plan.influence.forks + 1)]


def _build_run_name(plan: Plan, condition: PlanCondition, item: Item, repeat: int, swap: Sequence[str]) -> str:
    return "-".join([plan.name, condition.slug, make_slug(item.id), f"r{repeat}", *swap])


def list_separate_arms(plan: Plan) -> list[str]:
    """Return the arms that need runs of their own.

    First answers are part of the talk. In a debate, the arm `vote` needs a third ballot from neither side.
    """
    talk_parts = ("single",) if plan.protocol == "debate" else ("single", "vote")
    return [arm for arm in ARMS if arm in plan.arms and arm not in talk_parts]


def order_items(plan: Plan) -> list[Item]:
    """Return the items in the drawn order in which a plan with `until` runs them."""
    return make_rng(plan.seed, "item order").sample(plan.items, len(plan.items))


def draw_donors(plan: Plan, condition: PlanCondition, repeat: int) -> dict[str, Item]:
    """Draw for each item the item whose talk its arm `noise` shows, by id; empty with fewer than two items.

    The draw is a derangement with a single cycle. An additional item enters the cycle after a drawn earlier item.
    All other pairs stay.
    """
    indices = [index for index in range(len(plan.items)) if _is_item_in_condition(plan, index, condition, repeat)]
    successors = {indices[0]: indices[0]} if indices else {}
    for count, index in enumerate(indices[1:], 1):
        predecessor = indices[make_rng(plan.seed, "derangement", repeat, plan.items[index].id).randrange(count)]
        successors[index], successors[predecessor] = successors[predecessor], index
    return (
        {plan.items[receiver].id: plan.items[donor] for receiver, donor in successors.items()}
        if len(indices) > 1
        else {}
    )


def _is_item_in_condition(plan: Plan, index: int, condition: PlanCondition, repeat: int) -> bool:
    return (
        plan.assignment == "crossed" or list_conditions(plan)[_draw_condition_index(plan, index, repeat)] == condition
    )


def draw_run_seed(plan: Plan, item: Item, repeat: int) -> int:
    """Return the seed of the runs of an item and repeat, the same under every condition."""
    return make_rng(plan.seed, "run", item.id, repeat).randrange(2**31)


def _draw_condition_index(plan: Plan, index: int, repeat: int) -> int:
    """Draw the index of an item's condition in one repeat.

    A block has as many items and repeats as there are conditions. Each block is a Latin square with drawn rows,
    columns and numbers. So in each repeat the conditions differ by at most one item, and each item passes through
    all conditions.
    """
    k = len(list_conditions(plan))
    rng = make_rng(plan.seed, "assignment", index // k, (repeat - 1) // k)
    rows, columns, numbers = (rng.sample(range(k), k) for _ in range(3))
    return numbers[(rows[index % k] + columns[(repeat - 1) % k]) % k]


def build_talk_request(plan: Plan, planned_run: PlannedRun, model: str = "") -> RunRequest:
    """Build the request of a talk, which its arms share.

    `model`: default model of the participants.
    """
    protocol_entry = get_protocol(plan.protocol)
    input = _build_request_input(plan, planned_run.item, planned_run.talk or planned_run.run)
    if planned_run.item.scripted:
        input["participants"] = cast_confederates(
            plan.protocol, _get_participants(plan, planned_run.condition), planned_run.item
        )
    has_no_blind_round = getattr(protocol_entry.graph.context_schema, "blind_round", None) is None
    position_settings: SettingValues = {"positions": "ends"} if plan.has_comparisons and has_no_blind_round else {}
    request = merge_layers(
        protocol_entry,
        [
            position_settings,
            dict(plan.settings),
            dict(planned_run.condition.settings),
            input,
            {"seed": planned_run.seed},
        ],
    )
    return swap_request(request.with_model(str(request.settings.model) or model), planned_run.swap)


def build_condition_requests(plan: Plan, planned_runs: Sequence[PlannedRun], model: str) -> list[RunRequest]:
    """Build one talk request for each condition.

    `model`: default model of the participants.
    """
    return [
        build_talk_request(plan, planned_run, model)
        for planned_run in {planned_run.condition.slug: planned_run for planned_run in planned_runs}.values()
    ]


def _build_request_input(plan: Plan, item: Item, run: str) -> dict[str, Any]:
    protocol_entry = get_protocol(plan.protocol)
    input: dict[str, Any] = {protocol_entry.topic_key: item.topic} if protocol_entry.topic_key else {}
    if protocol_entry.topic_key and not item.topic.strip():
        raise InputError(f"items.{item.id}.topic", item.topic, f"give the {protocol_entry.topic_key} of each item")
    graph = protocol_entry.graph
    known_keys = {*graph.input_schema.__annotations__, *graph.context_schema.model_fields}
    if "experiment_id" in known_keys:
        input["experiment_id"] = run
    for key in ("material", "private", "options"):
        if value := getattr(item, key):
            if key not in known_keys:
                raise InputError(f"items.{item.id}.{key}", value, f"{protocol_entry.name} has none; leave it out")
            input[key] = value
    return input | _build_answer_settings(plan, item, known_keys)


def _get_participants(plan: Plan, condition: PlanCondition) -> Any:
    """Return the setting `participants` of a condition, or `None` if it is not set."""
    return {**plan.settings, **condition.settings}.get("participants")


def _build_answer_settings(plan: Plan, item: Item, known_keys: Collection[str]) -> dict[str, Any]:
    """Return the setting `answer` that the item's options or unit imply, else an empty mapping.

    For a unit, the plan's own setting takes precedence.
    """
    if item.options:
        return {"answer": "option"}
    if item.unit is None or "answer" in plan.settings or "answer" not in known_keys:
        return {}
    return {"answer": {"number": item.unit, "tolerance": f"{item.tolerance:.12f} relative"}}
