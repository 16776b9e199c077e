"""Effect of a deliberation on one question, as a paragraph. One question shows no general effect."""

from .. import ExperimentRun, Plan, has_only_rehearsals
from ..measures import group_answers
from .answers import (
    build_position_history,
    collect_answers,
    compute_credits,
    format_answer,
    group_runs_by_talk,
    resolve_spend,
)


def describe_talk_effect(plan: Plan, runs: list[ExperimentRun]) -> str:
    """Return a paragraph about changed positions, answers, agreement, and each arm's spending.

    If the right answer is known, the paragraph also names the arms that were right.
    """
    (talk,) = group_runs_by_talk(runs)
    answers, history = collect_answers(talk, plan.arms), build_position_history(talk)
    if history is None or answers["talk"].winners is None:
        return (
            f"The deliberation has no result: {talk.run.progress.why if talk.run.progress else 'it has not started'}."
        )
    first, last = history.map_declarations(0), history.map_declarations(-1)
    names = [name for name in first if name in last]
    if not names:
        return "No participant answered both before and after the deliberation."
    parts = [plan.translate("opening.rehearsed")] if has_only_rehearsals(runs) else []
    changed = [
        name for name in names if len(group_answers([first[name].answer, last[name].answer], history.tolerance)) > 1
    ]
    groups = [group_answers(history.list_answers(time), history.tolerance) for time in (0, -1)]
    before, after = (f"{len(own[0]) if own else 0} of {sum(map(len, own))}" for own in groups)
    texts, samples = dict[str, str](), f"samples_{resolve_spend(plan, [talk])}"
    for name in ("vote", "talk", samples):
        winners = answers[name].winners or ()
        texts[name] = " or ".join(format_answer(answer, talk.answer_format) for answer in winners) or "nothing"
    run_answer = (talk.run.document or {}).get("runAnswer") or {}
    author_clause = ", which the synthesizer named" if run_answer.get("by") == "synthesizer" else ""
    is_same = texts["vote"] == texts["talk"]
    movement = f"stayed {texts['talk']}" if is_same else f"changed from {texts['vote']} to {texts['talk']}"
    parts += [
        f"{', '.join(changed)} changed the answer, {len(changed)} of {len(names)}."
        if changed
        else f"None of {len(names)} participants changed the answer.",
        f"The answer {movement}{author_clause}; {plan.translate(f'arms.{samples}')} answered {texts[samples]}.",
        f"The most common answer was held by {before} before the deliberation and by {after} after it.",
    ]
    if talk.run.planned.item.truth is not None:
        labels = ("wrong or without an answer", "right among others, tied", "right")
        names_by_label: dict[str, list[str]] = {label: [] for label in reversed(labels)}
        for arm, credit in compute_credits(talk, plan.arms).items():
            label = labels[0] if not credit else labels[2] if credit == 1 else labels[1]
            names_by_label[label].append(plan.translate(f"arms.{arm}"))
        text = "; ".join(f"{label}: {', '.join(names)}" for label, names in names_by_label.items() if names)
        parts.append(f"On this one question, {text}; one question says nothing about others.")
    spends = []
    for name, answer in answers.items():
        money = "" if answer.spent.cost is None else f", {answer.spent.cost:,.4g}"
        counts = {"calls": f"{answer.spent.calls:,.0f}", "tokens": f"{answer.spent.tokens:,.0f}"}
        spends.append(f"{plan.translate(f'arms.{name}')} {plan.translate('plain.spent', **counts)}{money}")
    return " ".join([*parts, f"Spent: {'; '.join(spends)}."])
