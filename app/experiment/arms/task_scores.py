"""What a generated task scores beside right and wrong: how much of a hidden profile was pooled and mentioned."""

from collections.abc import Sequence
from typing import cast

from ..measures import Unit, accuracies
from ..plan import Plan
from ..statistics import integration, mean
from ..tasks import Item, generate, mention_rate, mentions
from .answered import TalkWithArms, credits

Values = dict[str, list[float]]


def task_scores(plan: Plan, talks: Sequence[TalkWithArms]) -> list[tuple[str, str]]:
    """The scores of the plan's task, by name; empty for items that no task made."""
    if plan.task.get("task") != "hidden_profile":
        return []
    made = {one.id: one for one in made_again(plan)}
    scores = [_integration(plan, talks)]
    for name, phrase in (("by note number", False), ("by key phrase", True)):
        values = _mentioned(talks, made, phrase)
        if (share := mean(values).value) is not None:
            scores.append((f"unshared facts mentioned {name}, %", f"{100 * share:.1f}"))
    return [(name, figure) for name, figure in scores if figure]


def made_again(plan: Plan) -> list[Item]:
    """The items as the task made them, with all that they are scored by."""
    given = {key: value for key, value in plan.task.items() if key != "task"}
    return generate(str(plan.task["task"]), given, str(plan.settings.get("language") or "en"))


def _integration(plan: Plan, talks: Sequence[TalkWithArms]) -> tuple[str, str]:
    """(post − pre)/(full − pre): of what pooling could gain over the vote, the share that talking did gain."""
    units = [Unit(one.talk.trial.item.id, credits(one, plan.arms), one.talk.trial.repeat) for one in talks]
    pre, post, full = (accuracies(units, arm) for arm in ("vote", "talk", "informed"))
    found = integration(pre, post, full, seed=plan.seed)
    if found is None or found.value is None:
        return "", ""
    reach = "" if found.low is None or found.high is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return "integration: (talk − vote)/(one who knows all − vote)", f"{found.value:.2f}{reach}"


def _mentioned(talks: Sequence[TalkWithArms], made: dict[str, Item], phrase: bool) -> Values:
    values: Values = {}
    for one in talks:
        if one.talk.done and one.talk.document is not None:
            item = made[one.talk.trial.item.id]
            said = [cast(str, turn["content"]) for turn in one.talk.document["turns"]]
            if (rate := mention_rate(mentions(item.facts, said), phrase=phrase)) is not None:
                values.setdefault(item.id, []).append(rate)
    return values
