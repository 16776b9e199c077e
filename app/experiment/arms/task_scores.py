"""Scores of generated tasks, in addition to accuracy. Runs without an answer are left out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import cast

from .. import Plan, get_task_settings
from ..measures import (
    Answer,
    Unit,
    collect_accuracies,
    compute_footrule,
    compute_kendall_tau,
    compute_kendall_w,
    format_full_number,
    group_by_item,
)
from ..statistics import (
    NO_FIGURE,
    estimate_difference,
    estimate_integration,
    estimate_mean,
    estimate_share,
    format_estimate,
)
from ..tasks import (
    TaskItem,
    collect_yielding,
    compute_mean_first_mention,
    compute_mention_rate,
    find_mentions,
    generate_items,
    measure_regret,
    parse_order,
    score_reasoning,
    split_crowd_error,
)
from .answers import TalkWithArms, build_position_history, collect_answers, compute_credits

FigureRows = Iterator[tuple[str, str]]
Items = dict[str, TaskItem]


PUBLISHED = {"hidden_profile": ("stasser", "lu", "hiddenbench"), "pressure": ("asch",)}
"""Published figures to show with the scores of a task, by key."""


def list_task_scores(
    plan: Plan, talks: Sequence[TalkWithArms], controls: Sequence[TalkWithArms] = ()
) -> list[tuple[str, str]]:
    """Return scores of the plan's task as pairs of name and text, with published ones for comparison.

    `talks`, `controls`: runs under one condition. The list is empty for items that were not generated.
    """
    values = get_task_settings(plan, talks[0].run.planned.condition)
    task = str(values.pop("task", ""))
    if task not in TASK_SCORES:
        return []
    items = {item.id: item for item in generate_items(task, values, plan.language)}
    figures = [*TASK_SCORES[task](plan, [*talks, *controls], items)]
    keys = [*PUBLISHED.get(task, ()), *["shortcut"] * (values.get("profile") == "classic")]
    figures += [(plan.translate(f"published.{key}"), plan.translate(f"published.{key}_figure")) for key in keys]
    return [(name, figure) for name, figure in figures if figure != NO_FIGURE]


def _format_mean(values: Iterable[tuple[str, float | None]], scale: float = 1, minimum: float | None = None) -> str:
    return format_estimate(estimate_mean(group_by_item(values)), scale, minimum)


def _score_hidden_profile(plan: Plan, talks: Sequence[TalkWithArms], items: Items) -> FigureRows:
    units, mentions = [], []
    for talk in talks:
        item, repeat = talk.run.planned.item.id, talk.run.planned.repeat
        units.append(Unit(item, compute_credits(talk, plan.arms), repeat))
        if talk.run.is_done and talk.run.document is not None:
            statements = [cast(str, turn["content"]) for turn in talk.run.document["turns"]]
            mentions.append((item, find_mentions(items[item].facts, statements)))
    # (post − pre)/(full − pre), the share of the possible gain from pooling that the talk reached
    before, after, informed = (collect_accuracies(units, arm) for arm in ("vote", "talk", "informed"))
    estimate = estimate_integration(before, after, informed, seed=plan.seed)
    yield plan.translate("figures.integration"), format_estimate(estimate, 1)
    for key, is_right in (("lure_right", True), ("lure_wrong", False)):  # a lure is right in a third of all items
        ids = [item.id for item in items.values() if item.lure and (item.lure == item.truth) is is_right]
        lured = [unit for unit in units if unit.item in ids]
        for arm in ("vote", "talk") if lured else ():
            accuracies = estimate_share(collect_accuracies(lured, arm))
            name = plan.translate(f"figures.{key}", arm=plan.translate(f"arms.{arm}"))
            yield name, format_estimate(accuracies, minimum=0)
    for name, by_phrase in (("number", False), ("phrase", True)):
        rates = [(item, compute_mention_rate(facts, by_phrase=by_phrase)) for item, facts in mentions]
        yield plan.translate(f"figures.mentioned_{name}"), _format_mean(rates, 100, 0)
    times = ((item, compute_mean_first_mention(facts)) for item, facts in mentions)
    yield plan.translate("figures.mentioned_when"), _format_mean(times)


def _score_arms(
    plan: Plan,
    talks: Sequence[TalkWithArms],
    items: Items,
    name: str,
    score: Callable[[TaskItem, Answer], float | None],
) -> FigureRows:
    """Return the mean score of each arm's answers. Tied answers count with their mean.

    `name`: name of the score. `score`: function that scores an answer to an item; `None` leaves the answer out.
    """
    for arm in ("vote", "talk", "informed"):
        values = []
        for talk in talks:
            item, answer = items[talk.run.planned.item.id], collect_answers(talk, plan.arms).get(arm)
            winners = (answer.winners if answer else None) or ()
            scores = [value for winner in winners if (value := score(item, _get_text(talk, winner))) is not None]
            values.append((item.id, fmean(scores) if scores else None))
        yield plan.translate(f"figures.{name}", arm=plan.translate(f"arms.{arm}")), _format_mean(values)


def _get_text(talk: TalkWithArms, answer: Answer) -> Answer:
    return talk.answer_format.option_texts.get(answer, answer) if isinstance(answer, str) else answer


def _list_answers(
    talks: Sequence[TalkWithArms], items: Items, moment_index: int
) -> Iterator[tuple[TalkWithArms, TaskItem, list[Answer]]]:
    for talk in talks:
        history = build_position_history(talk)
        yield talk, items[talk.run.planned.item.id], history.list_answers(moment_index) if history else []


def _score_ranking(plan: Plan, talks: Sequence[TalkWithArms], items: Items) -> FigureRows:
    yield from _score_arms(
        plan,
        talks,
        items,
        "tau",
        lambda item, answer: compute_kendall_tau(parse_order(str(answer), item.language), item.order),
    )
    yield from _score_arms(
        plan,
        talks,
        items,
        "apart",
        lambda item, answer: compute_footrule(parse_order(str(answer), item.language), item.order),
    )
    for name, moment_index in (("first", 0), ("last", -1)):
        values = []
        for talk, item, answers in _list_answers(talks, items, moment_index):
            orders = [parse_order(str(_get_text(talk, answer)), item.language) for answer in answers]
            ranks = [[float(order.index(thing)) for thing in item.order] for order in orders]
            values.append((item.id, compute_kendall_w(ranks)))
        yield plan.translate(f"figures.w_{name}"), _format_mean(values, 1, 0)


def _score_pressure(plan: Plan, talks: Sequence[TalkWithArms], items: Items) -> FigureRows:
    for when, moment_index in (("before", 0), ("after", -1)):
        answered_items, texts = list[TaskItem](), list[str]()
        for _, item, answers in _list_answers(talks, items, moment_index):
            answered_items += [item] * len(answers)
            texts += map(str, answers)
        yields = collect_yielding(answered_items, texts)
        for count, values in sorted(yields.items()):
            name = plan.translate(f"figures.yielded_{when}" if count else f"figures.control_{when}", count=count)
            yield name, format_estimate(estimate_share(values), minimum=0)
        for count in sorted(yields) if when == "after" and 0 in yields else ():
            if count:
                name = plan.translate("figures.yielded_net", count=count)
                yield name, format_estimate(estimate_difference(yields[count], yields[0]))


def _score_private_signals(plan: Plan, talks: Sequence[TalkWithArms], items: Items) -> FigureRows:
    yield from _score_arms(plan, talks, items, "regret", lambda item, answer: measure_regret(item, float(answer)))
    for name, moment_index in (("first", 0), ("last", -1)):
        errors = [
            (item.id, split_crowd_error(list(map(float, answers)), cast(float, item.truth)))
            for _, item, answers in _list_answers(talks, items, moment_index)
        ]
        for part in ("crowd", "members", "diversity"):
            values = [(item, error.get(part)) for item, error in errors]
            yield plan.translate(f"figures.{part}_{name}"), _format_mean(values)


def _score_reasoning(plan: Plan, talks: Sequence[TalkWithArms], items: Items) -> FigureRows:
    yield from _score_arms(
        plan,
        talks,
        items,
        "score",
        lambda item, answer: score_reasoning(item, answer if isinstance(answer, str) else format_full_number(answer)),
    )


TASK_SCORES: dict[str, Callable[[Plan, Sequence[TalkWithArms], Items], FigureRows]] = {
    "hidden_profile": _score_hidden_profile,
    "private_signals": _score_private_signals,
    "ranking": _score_ranking,
    "pressure": _score_pressure,
    "reasoning": _score_reasoning,
}
