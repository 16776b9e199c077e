"""Further scores of generated tasks; they leave out runs without an answer."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import cast

from ....state.positions import build_answer_format
from ..measures import (
    Answer,
    Unit,
    collect_accuracies,
    compute_kendall_tau,
    compute_kendall_w,
    compute_rank_distance,
    format_full_number,
)
from ..plan import Plan
from ..statistics import estimate_integration, estimate_mean
from ..tasks import (
    Mention,
    TaskItem,
    collect_yielding,
    compute_mention_rate,
    compute_mention_time,
    find_mentions,
    generate_items,
    measure_regret,
    parse_order,
    score_reasoning,
    split_crowd_error,
)
from ..wording import get_plan_language, translate_for_plan
from .answers import TalkWithArms, build_position_history, collect_answers, compute_credits
from .figure import NO_FIGURE, format_estimate

ScoresByItem = dict[str, list[float]]
FigureRows = Iterator[tuple[str, str]]
ScoreFunction = Callable[[TaskItem, Answer], float | None]
"""Score of an item for an answer, or `None`."""
SCORED_ARMS = ("vote", "talk", "informed")
"""Arms whose answers are scored."""


def list_task_scores(plan: Plan, talks: Sequence[TalkWithArms]) -> list[tuple[str, str]]:
    """Return the scores of the plan's task by name; empty for items that no task generated."""
    task = str(plan.task.get("task", ""))
    if task not in TASK_SCORES:
        return []
    items = {item.id: item for item in rebuild_items(plan)}
    return [(name, figure) for name, figure in TASK_SCORES[task](plan, talks, items) if figure != NO_FIGURE]


def rebuild_items(plan: Plan) -> list[TaskItem]:
    """Generate the plan's items again, with all data for their scores."""
    values = {key: value for key, value in plan.task.items() if key != "task"}
    return generate_items(str(plan.task["task"]), values, get_plan_language(plan))


def _score_hidden_profile(plan: Plan, talks: Sequence[TalkWithArms], items: dict[str, TaskItem]) -> FigureRows:
    yield translate_for_plan(plan, "figures.integration"), _format_integration(plan, talks)
    for name, by_phrase in (("number", False), ("phrase", True)):
        rates = _collect_mention_scores(talks, items, partial(compute_mention_rate, by_phrase=by_phrase))
        yield translate_for_plan(plan, f"figures.mentioned_{name}"), format_estimate(estimate_mean(rates), minimum=0)
    yield (
        translate_for_plan(plan, "figures.mentioned_when"),
        format_estimate(estimate_mean(_collect_mention_scores(talks, items, compute_mention_time)), 1),
    )


def _format_integration(plan: Plan, talks: Sequence[TalkWithArms]) -> str:
    """Format (post − pre)/(full − pre), the share of the possible gain from pooling that the talk reached."""
    units = [
        Unit(talk.run.planned.item.id, compute_credits(talk, plan.arms), talk.run.planned.repeat) for talk in talks
    ]
    before, after, informed = (collect_accuracies(units, arm) for arm in ("vote", "talk", "informed"))
    estimate = estimate_integration(before, after, informed, seed=plan.seed)
    return NO_FIGURE if estimate is None else format_estimate(estimate, 1)


def _collect_mention_scores(
    talks: Sequence[TalkWithArms], items: dict[str, TaskItem], measure: Callable[[Sequence[Mention]], float | None]
) -> ScoresByItem:
    values: ScoresByItem = {}
    for talk in talks:
        if talk.run.is_done and talk.run.document is not None:
            item = items[talk.run.planned.item.id]
            statements = [cast(str, turn["content"]) for turn in talk.run.document["turns"]]
            if (value := measure(find_mentions(item.facts, statements))) is not None:
                values.setdefault(item.id, []).append(value)
    return values


def _score_arms(
    plan: Plan, talks: Sequence[TalkWithArms], items: dict[str, TaskItem], name: str, score: ScoreFunction
) -> FigureRows:
    """Return the mean score of each arm's answers; tied answers count with their mean."""
    for arm in SCORED_ARMS:
        values: ScoresByItem = {}
        for talk in talks:
            item, arm_answer = items[talk.run.planned.item.id], collect_answers(talk, plan.arms).get(arm)
            winners = (arm_answer.winners if arm_answer else None) or ()
            scores = [score(item, _get_answer_text(talk, answer)) for answer in winners]
            if known_scores := [value for value in scores if value is not None]:
                values.setdefault(item.id, []).append(sum(known_scores) / len(known_scores))
        yield (
            translate_for_plan(plan, f"figures.{name}", arm=translate_for_plan(plan, f"arms.{arm}")),
            format_estimate(estimate_mean(values), 1),
        )


def _get_answer_text(talk: TalkWithArms, answer: Answer) -> Answer:
    """Return the text of an option; a number stays a number."""
    texts = build_answer_format(talk.settings).texts if talk.settings else {}
    return texts.get(answer, answer) if isinstance(answer, str) else answer


def _score_ranking(plan: Plan, talks: Sequence[TalkWithArms], items: dict[str, TaskItem]) -> FigureRows:
    def score_tau(item: TaskItem, answer: Answer) -> float | None:
        return compute_kendall_tau(parse_order(str(answer), item.language), item.order)

    def score_distance(item: TaskItem, answer: Answer) -> float:
        return compute_rank_distance(parse_order(str(answer), item.language), item.order)

    yield from _score_arms(plan, talks, items, "tau", score_tau)
    yield from _score_arms(plan, talks, items, "apart", score_distance)
    for name, time in (("first", 0), ("last", -1)):
        yield (
            translate_for_plan(plan, f"figures.w_{name}"),
            format_estimate(estimate_mean(_measure_agreement(talks, items, time)), 1, 0),
        )


def _measure_agreement(talks: Sequence[TalkWithArms], items: dict[str, TaskItem], time: int) -> ScoresByItem:
    """Return the agreement of the members' orders at index `time` for each item, 0 to 1."""
    values: ScoresByItem = {}
    for talk in talks:
        history = build_position_history(talk)
        item = items[talk.run.planned.item.id]
        orders = (
            [parse_order(str(_get_answer_text(talk, answer)), item.language) for answer in history.list_answers(time)]
            if history
            else []
        )
        concordance = compute_kendall_w([[float(order.index(thing)) for thing in item.order] for order in orders])
        if concordance is not None:
            values.setdefault(item.id, []).append(concordance)
    return values


def _score_pressure(plan: Plan, talks: Sequence[TalkWithArms], items: dict[str, TaskItem]) -> FigureRows:
    for when, time in (("before", 0), ("after", -1)):
        item_histories = [(items[talk.run.planned.item.id], build_position_history(talk)) for talk in talks]
        pairs = [
            (item, str(answer)) for item, history in item_histories if history for answer in history.list_answers(time)
        ]
        for count, values in sorted(
            collect_yielding([item for item, _ in pairs], [answer for _, answer in pairs]).items()
        ):
            yield (
                translate_for_plan(plan, f"figures.yielded_{when}", count=count),
                format_estimate(estimate_mean(values), minimum=0),
            )


def _score_private_signals(plan: Plan, talks: Sequence[TalkWithArms], items: dict[str, TaskItem]) -> FigureRows:
    def score_regret(item: TaskItem, answer: Answer) -> float | None:
        regret = measure_regret(item, float(answer))
        return regret.excess_error if regret else None

    yield from _score_arms(plan, talks, items, "regret", score_regret)
    for name, time in (("first", 0), ("last", -1)):
        parts: dict[str, ScoresByItem] = {"crowd": {}, "members": {}, "diversity": {}}
        for talk in talks:
            item, history = items[talk.run.planned.item.id], build_position_history(talk)
            answers = [float(answer) for answer in history.list_answers(time)] if history else []
            if identity := split_crowd_error(answers, cast(float, item.truth)):
                for values, part in zip(
                    parts.values(), (identity.crowd, identity.members, identity.diversity), strict=True
                ):
                    values.setdefault(item.id, []).append(part)
        for part_name, part_values in parts.items():
            yield (
                translate_for_plan(plan, f"figures.{part_name}_{name}"),
                format_estimate(estimate_mean(part_values), 1),
            )


def _score_reasoning(plan: Plan, talks: Sequence[TalkWithArms], items: dict[str, TaskItem]) -> FigureRows:
    def score_answer(item: TaskItem, answer: Answer) -> float:
        return score_reasoning(item, answer if isinstance(answer, str) else format_full_number(answer))

    yield from _score_arms(plan, talks, items, "score", score_answer)


TASK_SCORES: dict[str, Callable[[Plan, Sequence[TalkWithArms], dict[str, TaskItem]], FigureRows]] = {
    "hidden_profile": _score_hidden_profile,
    "private_signals": _score_private_signals,
    "ranking": _score_ranking,
    "pressure": _score_pressure,
    "reasoning": _score_reasoning,
}
