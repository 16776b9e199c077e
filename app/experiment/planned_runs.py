"""Runs that a plan asks for: conditions, names, seeds, and the request for each run.

Random draws come from named streams of the plan's seed. A run's seed depends only on its item and repeat, so all
conditions share it. Additional items or repeats do not change earlier draws.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations, product
from typing import Any

from pydantic import JsonValue

from ...state import InputError, make_rng
from ..protocols import get_hooks, get_protocol
from ..run.request import RunRequest, merge_layers
from ..saved.runs import MAX_NAME_LENGTH
from .items import Item, make_slug, make_task_items
from .plan import ARMS, Plan, SettingValues, Swap
from .tasks import TASKS
from .tasks.confederates import build_control_request, build_scripted_participants

END_STATES = ("done", "failed")


@dataclass(frozen=True)
class PlanCondition:
    """Condition of a plan: its label, its short form for the names of runs, and its settings."""

    label: str
    slug: str
    settings: SettingValues = field(default_factory=dict)


SAMPLED_ARMS = ("samples", "each", "think")
"""Arms of independent draws, whose number depends on the talk's spending."""
REUSING_ARMS = ("notes", "rethought", "alone")
"""Arms that start from the statements or answers of the arm `written` if the plan has that arm."""
FORK_ARM = "influence"
"""Arm of a run that forks its talk after the first round."""


@dataclass(frozen=True)
class Fork:
    """Which fork of a deliberation a planned run is.

    `seat`: seat whose first statements are left out, from 1; 0 for a control fork.
    """

    seat: int
    number: int


@dataclass(frozen=True)
class PlannedRun:
    """Run that a plan asks for: its name, condition, item, repeat and seed.

    `swap`: elements in reversed order, such as sides, order or options. `arm`: arm of the run; empty for a
    deliberation. `talk`: deliberation that an arm is compared with; empty for a deliberation. `donor`: deliberation on
    another item that provides statements, or empty. `source`: run of the arm `written` whose statements this run
    reuses, or empty. `fork`: position of a fork; `None` for other runs.
    """

    run: str
    condition: PlanCondition
    item: Item
    repeat: int
    seed: int
    swap: tuple[Swap, ...] = ()
    arm: str = ""
    talk: str = ""
    donor: str = ""
    source: str = ""
    fork: Fork | None = None

    @property
    def prerequisites(self) -> list[str]:
        """Return the names of the runs that must end before this one."""
        return [run for run in (self.talk, self.donor, self.source) if run]


def list_conditions(plan: Plan) -> list[PlanCondition]:
    """Return the conditions of a plan in order.

    Factors are crossed; the last factor varies fastest.
    """
    if plan.factors:
        conditions = []
        for levels in product(*(enumerate(values, 1) for values in plan.factors.values())):
            words = [_format_level(index, value) for index, value in levels]
            label = ", ".join(f"{path}={word}" for path, word in zip(plan.factors, words, strict=True))
            slug = "-".join(make_slug(word) or str(index) for word, (index, _) in zip(words, levels, strict=True))
            settings = {path: value for path, (_, value) in zip(plan.factors, levels, strict=True)}
            conditions.append(PlanCondition(label, slug, settings))
        return conditions
    if plan.conditions:
        return [PlanCondition(label, make_slug(label), settings) for label, settings in plan.conditions.items()]
    return [PlanCondition("all", "all")]


def split_settings(settings: SettingValues) -> tuple[SettingValues, SettingValues]:
    """Split a condition's settings into those of the protocol and those of the task (`items.NAME`)."""
    task_settings = {path.removeprefix("items."): settings[path] for path in settings if path.startswith("items.")}
    return {path: value for path, value in settings.items() if not path.startswith("items.")}, task_settings


def get_task_settings(plan: Plan, condition: PlanCondition) -> SettingValues:
    """Return the settings of the plan's task under a condition.

    Raises `InputError` if the condition changes a setting that must stay the same in this task.
    """
    _, changes = split_settings(condition.settings)
    task_type = TASKS.get(str(plan.task.get("task")))
    names = task_type.factors if task_type else ()
    for name, value in changes.items():
        if name not in names:
            raise InputError(
                f"items.{name}",
                value,
                f"conditions may set only {' and '.join(names)} of this task"
                if names
                else "a condition cannot set items of a list",
            )
    return plan.task | changes


def list_condition_items(plan: Plan, condition: PlanCondition) -> Sequence[Item]:
    """Return the items under a condition, in the plan's order.

    Raises `InputError` if this version no longer makes the plan's items.
    """
    task_settings = get_task_settings(plan, condition)
    if task_settings == plan.task:
        return plan.items
    if _make_items(json.dumps(plan.task), plan.language) != plan.items:
        raise InputError(
            "items",
            len(plan.items),
            "this version of Moot generates other items; use the version that the plan started with",
        )
    return _make_items(json.dumps(task_settings), plan.language)


@lru_cache(maxsize=16)
def _make_items(task_settings: str, language: str) -> list[Item]:
    return [Item.model_validate(values) for values in make_task_items(json.loads(task_settings), language)]


def _format_level(index: int, value: JsonValue) -> str:
    """Return a factor's value as a word for a condition's name.

    For a list or mapping, the word is its position `index` among the values.
    """
    if isinstance(value, list | dict):
        return str(index)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def plan_runs(plan: Plan) -> list[PlannedRun]:
    """Return every run of a plan, repeat by repeat and item by item.

    So every part of the list is balanced over the conditions. With `until`, all repeats of an item stand together, in
    the drawn order of the items. Raises `InputError` for names that are too long or not unique, and for an unknown
    condition in `compare`.
    """
    against, labels = (
        plan.compare.against if plan.compare else "",
        [condition.label for condition in list_conditions(plan)],
    )
    if against and against not in labels:
        raise InputError("compare.against", against, f"there is no such condition; choose one of {', '.join(labels)}")
    planned_runs = [planned_run for repeat in range(1, plan.repeats + 1) for planned_run in _plan_repeat(plan, repeat)]
    if plan.until:
        rank = {item.id: number for number, item in enumerate(order_items(plan))}
        planned_runs.sort(key=lambda planned_run: rank[planned_run.item.id])
    names = Counter(planned_run.run for planned_run in planned_runs)
    longest_name, (common_name, count) = max(names, key=len, default=""), (names.most_common(1) or [("", 0)])[0]
    if len(longest_name) > MAX_NAME_LENGTH:
        raise InputError(
            "name",
            longest_name,
            (
                f"a run's name would be longer than {MAX_NAME_LENGTH} letters; shorten the name of the plan, "
                "condition or item"
            ),
        )
    if count > 1:
        raise InputError("name", common_name, "two runs would have this name; rename a condition or item")
    return planned_runs


def _plan_repeat(plan: Plan, repeat: int) -> Iterator[PlannedRun]:
    conditions = list_conditions(plan)
    swaps = [tuple(names) for count in range(len(plan.swap) + 1) for names in combinations(plan.swap, count)]
    donors_by_condition = {
        condition.slug: draw_donors(plan, condition, repeat) for condition in conditions if "noise" in plan.arms
    }
    items_by_condition = {condition.slug: list_condition_items(plan, condition) for condition in conditions}
    for index, item in enumerate(plan.items):
        seed = make_rng(plan.seed, "run", item.id, repeat).randrange(2**31)  # the same under every condition
        is_drawn = plan.assignment == "random"
        drawn_conditions = [conditions[_draw_condition_index(plan, index, repeat)]] if is_drawn else conditions
        for condition, swap in product(drawn_conditions, swaps):
            run = _build_run_name(plan, condition, item, repeat, swap)
            talk = PlannedRun(run, condition, items_by_condition[condition.slug][index], repeat, seed, swap)
            yield talk
            for arm in list_separate_arms(plan) if not item.control else ():
                donor_item = donors_by_condition[condition.slug].get(item.id) if arm == "noise" else None
                donor = _build_run_name(plan, condition, donor_item, repeat, swap) if donor_item else ""
                source = f"{talk.run}-written" if arm in REUSING_ARMS and "written" in plan.arms else ""
                yield replace(talk, run=f"{talk.run}-{arm}", arm=arm, talk=talk.run, donor=donor, source=source)
            for fork in _list_forks(plan, condition):
                ending = f"without-{fork.seat}-{fork.number}" if fork.seat else f"fork-{fork.number}"
                yield replace(talk, run=f"{talk.run}-{ending}", arm=FORK_ARM, talk=talk.run, fork=fork)


def _list_forks(plan: Plan, condition: PlanCondition) -> list[Fork]:
    """Return the forks of each deliberation under a condition: equally many per seat and for the control."""
    if plan.influence is None:
        return []
    count = plan.influence.forks
    if any(item.scripted or item.control for item in plan.items):
        raise InputError("influence", count, "scripted participants have no influence to measure; leave it out")
    participants = _get_participants(plan, condition)
    seat_count = len(participants) if isinstance(participants, list) else len(get_hooks(plan.protocol).seat_names)
    if not seat_count:
        raise InputError("influence", count, "name the participants in settings: each is silenced in turn")
    return [Fork(seat, number) for seat in range(seat_count + 1) for number in range(1, count + 1)]


def _build_run_name(plan: Plan, condition: PlanCondition, item: Item, repeat: int, swap: Sequence[str]) -> str:
    return "-".join([plan.name, condition.slug, make_slug(item.id), f"r{repeat}", *swap])


def list_separate_arms(plan: Plan) -> list[str]:
    """Return the arms that need runs of their own.

    First answers are part of the deliberation and need no separate run. With two seats, the arm `vote` needs a run, in
    which a neutral participant casts a third ballot.
    """
    talk_parts = ("single",) if len(get_hooks(plan.protocol).seat_names) == 2 else ("single", "vote")
    return [arm for arm in ARMS if arm in plan.arms and arm not in talk_parts]


def order_items(plan: Plan) -> list[Item]:
    """Return the items in a random order drawn from the plan's seed. Plans with `until` run them in it."""
    return make_rng(plan.seed, "item order").sample(plan.items, len(plan.items))


def draw_donors(plan: Plan, condition: PlanCondition, repeat: int) -> dict[str, Item]:
    """Draw for each item another item, whose deliberation the arm `noise` shows.

    The draw forms one cycle through all items. An additional item is inserted after a random earlier item. All other
    pairs stay the same. The result is empty for fewer than two items.
    """
    indices = [index for index, item in enumerate(plan.items) if not item.control]
    if plan.assignment == "random":
        number = list_conditions(plan).index(condition)
        indices = [index for index in indices if _draw_condition_index(plan, index, repeat) == number]
    successors = {indices[0]: indices[0]} if indices else {}
    for count, index in enumerate(indices[1:], 1):
        predecessor = indices[make_rng(plan.seed, "derangement", repeat, plan.items[index].id).randrange(count)]
        successors[index], successors[predecessor] = successors[predecessor], index
    return {plan.items[receiver].id: plan.items[donor] for receiver, donor in successors.items() if receiver != donor}


def find_donor(plan: Plan, planned_run: PlannedRun, states: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the deliberation whose statements a run of `noise` shows, and those that must end first.

    It is the next one in the drawn cycle that has not failed, if any. `states`: state of each run by name.
    """
    donors, item, talks = draw_donors(plan, planned_run.condition, planned_run.repeat), planned_run.item, list[str]()
    while (item := donors[item.id]).id != planned_run.item.id:
        talks.append(_build_run_name(plan, planned_run.condition, item, planned_run.repeat, planned_run.swap))
        if states.get(talks[-1]) != "failed":
            return talks[-1], talks
    return "", talks


def list_peer_talks(plan: Plan, planned_run: PlannedRun) -> list[str]:
    """Return the other deliberations under a run's condition.

    With `until`, they are only those of earlier items.
    """
    talks = [run for run in plan_runs(plan) if not run.arm and run.condition == planned_run.condition]
    if plan.until:
        earlier_items = [item.id for item in order_items(plan)]
        earlier_items = earlier_items[: earlier_items.index(planned_run.item.id)]
        talks = [talk for talk in talks if talk.item.id in earlier_items]
    return [talk.run for talk in talks if talk.run != planned_run.talk]


def list_requirements(plan: Plan, planned_run: PlannedRun, states: Mapping[str, str]) -> list[str]:
    """Return the names of the runs that must end before `planned_run`.

    `states`: state of each run by name.
    """
    runs = planned_run.prerequisites
    if planned_run.arm in SAMPLED_ARMS and states.get(planned_run.talk) == "failed":
        return [*runs, *list_peer_talks(plan, planned_run)]
    return [*runs, *find_donor(plan, planned_run, states)[1]] if planned_run.donor else runs


def map_blocks(plan: Plan) -> dict[tuple[str, int], tuple[int, int]]:
    """Return the number of the block, and the repeat within it, for each item and repeat.

    In each repeat, the items of a block are under different conditions.
    """
    count = len(list_conditions(plan))
    return {
        (item.id, repeat): (index // count, repeat)
        for index, item in enumerate(plan.items)
        for repeat in range(1, plan.repeats + 1)
    }


def _draw_condition_index(plan: Plan, index: int, repeat: int) -> int:
    """Draw which condition an item has in one repeat, as an index.

    `index`: index of the item. A block has as many items and repeats as there are conditions. Each block is a random
    Latin square. So in each repeat the numbers of items per condition differ by at most one, and each item gets every
    condition.
    """
    k = len(list_conditions(plan))
    rng = make_rng(plan.seed, "assignment", index // k, (repeat - 1) // k)
    rows, columns, numbers = (rng.sample(range(k), k) for _ in range(3))
    return numbers[(rows[index % k] + columns[(repeat - 1) % k]) % k]


def build_talk_request(plan: Plan, planned_run: PlannedRun, model: str = "") -> RunRequest:
    """Build the request for a deliberation, which is also the basis of its arms.

    `model`: default model of the participants. Raises `InputError` for an item that does not fit the protocol.
    """
    protocol, graph = get_protocol(plan.protocol), get_protocol(plan.protocol).graph
    item, topic_key = planned_run.item, protocol.topic_key
    condition_settings, _ = split_settings(planned_run.condition.settings)
    input: dict[str, Any] = {topic_key: item.topic} if topic_key else {}
    if topic_key and not item.topic.strip():
        raise InputError(f"items.{item.id}.topic", item.topic, f"give the {topic_key} of each item")
    known_keys = {*graph.input_schema.__annotations__, *graph.context_schema.model_fields}
    if "experiment_id" in known_keys:
        input["experiment_id"] = planned_run.talk or planned_run.run
    for key in ("material", "private", "options"):
        if value := getattr(item, key):
            if key not in known_keys:
                raise InputError(f"items.{item.id}.{key}", value, f"{protocol.name} has no such input; leave it out")
            input[key] = value
    if item.options:
        input["answer"] = "option"
    elif item.unit is not None and "answer" not in plan.settings and "answer" in known_keys:
        input["answer"] = {"number": item.unit, "tolerance": f"{item.tolerance:.12f} relative"}
    if item.scripted or item.control:
        participants = _get_participants(plan, planned_run.condition)
        input["participants"] = build_scripted_participants(plan.protocol, participants, item)
    has_blind_round = getattr(graph.context_schema, "blind_round", None) is not None
    defaults: SettingValues = {"positions": "ends"} if plan.has_comparisons and not has_blind_round else {}
    request = merge_layers(
        protocol, [defaults, {**plan.settings}, condition_settings, input, {"seed": planned_run.seed}]
    )
    request = swap_request(request.with_model(str(request.settings.model) or model), planned_run.swap)
    return build_control_request(request) if item.control else request


def build_condition_requests(plan: Plan, planned_runs: Sequence[PlannedRun], model: str) -> list[RunRequest]:
    """Build the request for one deliberation under each condition.

    `model`: default model of the participants.
    """
    run_by_condition = {planned_run.condition.slug: planned_run for planned_run in planned_runs}
    return [build_talk_request(plan, planned_run, model) for planned_run in run_by_condition.values()]


def _get_participants(plan: Plan, condition: PlanCondition) -> Any:
    return {**plan.settings, **condition.settings}.get("participants")


def swap_request(request: RunRequest, swap: Sequence[str]) -> RunRequest:
    """Return a request with the named elements in reversed order.

    Raises `InputError` if the protocol has no such element.
    """
    protocol = request.protocol.name
    remedies = {
        "sides": f"{protocol} has no sides; leave sides out",
        "order": f"the seats of {protocol} have a fixed order; leave order out",
        "options": f"this {protocol} has no options to reverse; leave options out",
    }
    for name in swap:
        options = getattr(request.settings, "options", None)
        if swap_element := get_hooks(protocol).swaps.get(name):
            request = swap_element(request)
        elif name == "options" and options:
            request = replace(request, settings=request.settings.with_choices(options=dict(reversed(options.items()))))
        else:
            raise InputError("swap", name, remedies[name])
    return request
