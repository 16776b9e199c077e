"""What talking was worth on one question, in one paragraph that claims no more than one question can show."""

from ....state.positions import Question, question_of
from ..data import Outcome, is_rehearsed
from ..measures import Positions, clusters
from ..plan import Plan
from ..words import say
from .answered import Given, TalkWithArms, credits, given, positions, together, worded


def worth(plan: Plan, found: list[Outcome]) -> str:
    """The paragraph: who changed, whether the answer did, agreement before and after, and the spend of each arm.

    With a truth also which answers were right, on this one question; without one nothing is said of right and wrong.
    """
    (talk,) = together(found)
    question = question_of(talk.rules) if talk.rules else Question()
    answers, held = given(talk, plan.arms), positions(talk)
    if held is None or answers["talk"].winners is None:
        return f"The talk came to no result: {talk.talk.standing.why if talk.talk.standing else 'it was not begun'}."
    if not (held.at(0).keys() & held.at(-1).keys()):
        return "Nothing can be said: of nobody an answer from before the talk and one from after it are on record."
    told = [say(plan, "opening.rehearsed")] if is_rehearsed(found) else []
    told += [_changed(held), _answers(talk, answers, question), _agreement(held)]
    told += [_right(talk, plan)] if talk.talk.trial.item.truth is not None else []
    return " ".join([*told, _spends(plan, answers)])


def _changed(held: Positions) -> str:
    first, last = held.at(0), held.at(-1)
    both = [name for name in first if name in last]
    changed = [name for name in both if len(clusters([first[name].answer, last[name].answer], held.tolerance)) > 1]
    if not changed:
        return f"Nobody of {len(both)} changed the answer."
    return f"{', '.join(changed)} changed the answer, {len(changed)} of {len(both)}."


def _answers(talk: TalkWithArms, answers: dict[str, Given], question: Question) -> str:
    before, after = (_said(answers[arm], question) for arm in ("vote", "talk"))
    named = (talk.talk.document or {}).get("runAnswer") or {}
    by = ", which the synthesizer named" if named.get("by") == "synthesizer" else ""
    moved = f"stayed {after}" if before == after else f"changed from {before} to {after}"
    sampled = answers["samples_calls"]
    others = f"Independent samples, {sampled.spent.calls:,} calls, answered {_said(sampled, question)}."
    return f"The answer {moved}{by}. {others}"


def _said(one: Given, question: Question) -> str:
    if not one.winners:
        return "nothing"
    return " or ".join(worded(answer, question) for answer in one.winners)


def _agreement(held: Positions) -> str:
    before, after = (_largest(held, time) for time in (0, -1))
    return f"The most common answer was held by {before} before the talk and by {after} after it."


def _largest(held: Positions, time: int) -> str:
    answers = held.answers(time)
    return f"{len(clusters(answers, held.tolerance)[0]) if answers else 0} of {len(answers)}"


def _right(talk: TalkWithArms, plan: Plan) -> str:
    found = credits(talk, plan.arms)
    right = [say(plan, f"arms.{name}") for name, one in found.items() if one == 1]
    tied = [say(plan, f"arms.{name}") for name, one in found.items() if one is not None and 0 < one < 1]
    wrong = [say(plan, f"arms.{name}") for name, one in found.items() if not one]
    parts = [("right", right), ("right among others, tied", tied), ("wrong or without an answer", wrong)]
    told = "; ".join(f"{what}: {', '.join(names)}" for what, names in parts if names)
    return f"On this one question, {told}; one question says nothing about others."


def _spends(plan: Plan, answers: dict[str, Given]) -> str:
    def spent(one: Given) -> str:
        money = "" if one.spent.cost is None else f", {one.spent.cost:,.4g}"
        return f"{one.spent.calls:,} calls, {one.spent.tokens:,} tokens{money}"

    told = [f"{say(plan, f'arms.{name}')} {spent(one)}" for name, one in answers.items()]
    return f"Spent: {'; '.join(told)}."
