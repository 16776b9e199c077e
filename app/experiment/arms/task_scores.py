"""What a generated task scores beside right and wrong; runs without an answer are left out of these figures."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import cast

from ....state.positions import question_of
from ..measures import Answer, Unit, accuracies, kendall_tau, kendall_w, rank_distance, written
from ..plan import Plan
from ..statistics import integration, mean
from ..tasks import (
    Item,
    Mention,
    crowd,
    generate,
    mention_rate,
    mention_time,
    mentions,
    order_in,
    reasoning_score,
    regret,
    yielding,
)
from ..words import language_of, say
from .answered import TalkWithArms, credits, given, positions
from .figure import NOTHING, told

Values = dict[str, list[float]]
Rows = Iterator[tuple[str, str]]
Score = Callable[[Item, Answer], float | None]
"""What an item gives for an answer; none: nothing."""
SCORED = ("vote", "talk", "informed")
"""The arms whose answers are scored."""


def task_scores(plan: Plan, talks: Sequence[TalkWithArms]) -> list[tuple[str, str]]:
    """The scores of the plan's task, by name; empty for items that no task made."""
    task = str(plan.task.get("task", ""))
    if task not in SCORES:
        return []
    made = {one.id: one for one in made_again(plan)}
    return [(name, figure) for name, figure in SCORES[task](plan, talks, made) if figure != NOTHING]


def made_again(plan: Plan) -> list[Item]:
    """The items as the task made them, with all that they are scored by."""
    given = {key: value for key, value in plan.task.items() if key != "task"}
    return generate(str(plan.task["task"]), given, language_of(plan))


def _hidden_profile(plan: Plan, talks: Sequence[TalkWithArms], made: dict[str, Item]) -> Rows:
    yield say(plan, "figures.integration"), _integration(plan, talks)
    for name, phrase in (("number", False), ("phrase", True)):
        rates = _mentioned(talks, made, partial(mention_rate, phrase=phrase))
        yield say(plan, f"figures.mentioned_{name}"), told(mean(rates), least=0)
    yield say(plan, "figures.mentioned_when"), told(mean(_mentioned(talks, made, mention_time)), 1)


def _integration(plan: Plan, talks: Sequence[TalkWithArms]) -> str:
    """(post − pre)/(full − pre): of what pooling could gain over the vote, the share that talking did gain."""
    units = [Unit(one.talk.trial.item.id, credits(one, plan.arms), one.talk.trial.repeat) for one in talks]
    pre, post, full = (accuracies(units, arm) for arm in ("vote", "talk", "informed"))
    found = integration(pre, post, full, seed=plan.seed)
    return NOTHING if found is None else told(found, 1)


def _mentioned(
    talks: Sequence[TalkWithArms], made: dict[str, Item], of: Callable[[Sequence[Mention]], float | None]
) -> Values:
    values: Values = {}
    for one in talks:
        if one.talk.done and one.talk.document is not None:
            item = made[one.talk.trial.item.id]
            said = [cast(str, turn["content"]) for turn in one.talk.document["turns"]]
            if (value := of(mentions(item.facts, said))) is not None:
                values.setdefault(item.id, []).append(value)
    return values


def _by_arm(plan: Plan, talks: Sequence[TalkWithArms], made: dict[str, Item], name: str, score: Score) -> Rows:
    """The mean score of the answers of each arm; of those that tie, their mean."""
    for arm in SCORED:
        values: Values = {}
        for one in talks:
            item, found = made[one.talk.trial.item.id], given(one, plan.arms).get(arm)
            winners = (found.winners if found else None) or ()
            scores = [score(item, _worded(one, answer)) for answer in winners]
            if known := [each for each in scores if each is not None]:
                values.setdefault(item.id, []).append(sum(known) / len(known))
        yield say(plan, f"figures.{name}", arm=say(plan, f"arms.{arm}")), told(mean(values), 1)


def _worded(of: TalkWithArms, answer: Answer) -> Answer:
    """An answer in words: the text of an option, or the number."""
    texts = question_of(of.rules).texts if of.rules else {}
    return texts.get(answer, answer) if isinstance(answer, str) else answer


def _ranking(plan: Plan, talks: Sequence[TalkWithArms], made: dict[str, Item]) -> Rows:
    def tau(item: Item, answer: Answer) -> float | None:
        return kendall_tau(order_in(str(answer), item.language), item.order)

    def apart(item: Item, answer: Answer) -> float:
        return rank_distance(order_in(str(answer), item.language), item.order)

    yield from _by_arm(plan, talks, made, "tau", tau)
    yield from _by_arm(plan, talks, made, "apart", apart)
    for name, time in (("first", 0), ("last", -1)):
        yield say(plan, f"figures.w_{name}"), told(mean(_agreement(talks, made, time)), 1, 0)


def _agreement(talks: Sequence[TalkWithArms], made: dict[str, Item], time: int) -> Values:
    """How far the members' orders agree, 0 to 1."""
    values: Values = {}
    for one in talks:
        held = positions(one)
        item = made[one.talk.trial.item.id]
        orders = [order_in(str(_worded(one, each)), item.language) for each in held.answers(time)] if held else []
        found = kendall_w([[float(order.index(thing)) for thing in item.order] for order in orders])
        if found is not None:
            values.setdefault(item.id, []).append(found)
    return values


def _pressure(plan: Plan, talks: Sequence[TalkWithArms], made: dict[str, Item]) -> Rows:
    for when, time in (("before", 0), ("after", -1)):
        held = [(made[one.talk.trial.item.id], positions(one)) for one in talks]
        pairs = [(item, str(answer)) for item, run in held if run for answer in run.answers(time)]
        for many, values in sorted(yielding([item for item, _ in pairs], [answer for _, answer in pairs]).items()):
            yield say(plan, f"figures.yielded_{when}", count=many), told(mean(values), least=0)


def _private_signals(plan: Plan, talks: Sequence[TalkWithArms], made: dict[str, Item]) -> Rows:
    def lost(item: Item, answer: Answer) -> float | None:
        found = regret(item, float(answer))
        return found.regret if found else None

    yield from _by_arm(plan, talks, made, "regret", lost)
    for name, time in (("first", 0), ("last", -1)):
        parts: dict[str, Values] = {"crowd": {}, "members": {}, "diversity": {}}
        for one in talks:
            item, held = made[one.talk.trial.item.id], positions(one)
            answers = [float(each) for each in held.answers(time)] if held else []
            if found := crowd(answers, cast(float, item.truth)):
                for values, part in zip(parts.values(), (found.crowd, found.members, found.diversity), strict=True):
                    values.setdefault(item.id, []).append(part)
        for part_name, part_values in parts.items():
            yield say(plan, f"figures.{part_name}_{name}"), told(mean(part_values), 1)


def _reasoning(plan: Plan, talks: Sequence[TalkWithArms], made: dict[str, Item]) -> Rows:
    def scored(item: Item, answer: Answer) -> float:
        return reasoning_score(item, answer if isinstance(answer, str) else written(answer))

    yield from _by_arm(plan, talks, made, "score", scored)


SCORES: dict[str, Callable[[Plan, Sequence[TalkWithArms], dict[str, Item]], Rows]] = {
    "hidden_profile": _hidden_profile,
    "private_signals": _private_signals,
    "ranking": _ranking,
    "pressure": _pressure,
    "reasoning": _reasoning,
}
