"""Worth of talking on one question, in one paragraph that claims only what one question can show."""

from ....state.positions import AnswerFormat, build_answer_format
from ..data import ExperimentRun, has_only_rehearsals
from ..measures import PositionHistory, group_answers
from ..plan import Plan
from ..wording import translate_for_plan
from .answers import (
    ArmAnswer,
    TalkWithArms,
    build_position_history,
    collect_answers,
    compute_credits,
    format_answer,
    group_runs_by_talk,
)


def describe_worth(plan: Plan, runs: list[ExperimentRun]) -> str:
    """Describe in one paragraph who changed, the answers, the agreement, and the spend of each arm.

    With a truth the paragraph also names the arms that were right on this one question.
    """
    (talk,) = group_runs_by_talk(runs)
    answer_format = build_answer_format(talk.settings) if talk.settings else AnswerFormat()
    answers, history = collect_answers(talk, plan.arms), build_position_history(talk)
    if history is None or answers["talk"].winners is None:
        return f"The talk came to no result: {talk.run.progress.why if talk.run.progress else 'it was not begun'}."
    if not (history.list_declarations(0).keys() & history.list_declarations(-1).keys()):
        return "Nothing can be said: of nobody an answer from before the talk and one from after it are on record."
    parts = [translate_for_plan(plan, "opening.rehearsed")] if has_only_rehearsals(runs) else []
    parts += [_describe_changes(history), _describe_answers(talk, answers, answer_format), _describe_agreement(history)]
    parts += [_describe_right_arms(talk, plan)] if talk.run.planned.item.truth is not None else []
    return " ".join([*parts, _describe_spends(plan, answers)])


def _describe_changes(history: PositionHistory) -> str:
    first_declarations, last_declarations = history.list_declarations(0), history.list_declarations(-1)
    names = [name for name in first_declarations if name in last_declarations]
    changed_names = [
        name
        for name in names
        if len(group_answers([first_declarations[name].answer, last_declarations[name].answer], history.tolerance)) > 1
    ]
    if not changed_names:
        return f"Nobody of {len(names)} changed the answer."
    return f"{', '.join(changed_names)} changed the answer, {len(changed_names)} of {len(names)}."


def _describe_answers(talk: TalkWithArms, answers: dict[str, ArmAnswer], answer_format: AnswerFormat) -> str:
    before, after = (_format_winners(answers[arm], answer_format) for arm in ("vote", "talk"))
    run_answer = (talk.run.document or {}).get("runAnswer") or {}
    author_clause = ", which the synthesizer named" if run_answer.get("by") == "synthesizer" else ""
    movement = f"stayed {after}" if before == after else f"changed from {before} to {after}"
    samples_answer = answers["samples_calls"]
    samples_sentence = (
        f"Independent samples, {samples_answer.spent.calls:,} calls, answered "
        f"{_format_winners(samples_answer, answer_format)}."
    )
    return f"The answer {movement}{author_clause}. {samples_sentence}"


def _format_winners(arm_answer: ArmAnswer, answer_format: AnswerFormat) -> str:
    if not arm_answer.winners:
        return "nothing"
    return " or ".join(format_answer(answer, answer_format) for answer in arm_answer.winners)


def _describe_agreement(history: PositionHistory) -> str:
    before, after = (_format_top_share(history, time) for time in (0, -1))
    return f"The most common answer was held by {before} before the talk and by {after} after it."


def _format_top_share(history: PositionHistory, time: int) -> str:
    answers = history.list_answers(time)
    return f"{len(group_answers(answers, history.tolerance)[0]) if answers else 0} of {len(answers)}"


def _describe_right_arms(talk: TalkWithArms, plan: Plan) -> str:
    credits = compute_credits(talk, plan.arms)
    right_arms = [translate_for_plan(plan, f"arms.{name}") for name, credit in credits.items() if credit == 1]
    tied_arms = [
        translate_for_plan(plan, f"arms.{name}")
        for name, credit in credits.items()
        if credit is not None and 0 < credit < 1
    ]
    wrong_arms = [translate_for_plan(plan, f"arms.{name}") for name, credit in credits.items() if not credit]
    parts = [("right", right_arms), ("right among others, tied", tied_arms), ("wrong or without an answer", wrong_arms)]
    text = "; ".join(f"{label}: {', '.join(names)}" for label, names in parts if names)
    return f"On this one question, {text}; one question says nothing about others."


def _describe_spends(plan: Plan, answers: dict[str, ArmAnswer]) -> str:
    def format_spend(answer: ArmAnswer) -> str:
        money = "" if answer.spent.cost is None else f", {answer.spent.cost:,.4g}"
        return f"{answer.spent.calls:,} calls, {answer.spent.tokens:,} tokens{money}"

    spends = [f"{translate_for_plan(plan, f'arms.{name}')} {format_spend(answer)}" for name, answer in answers.items()]
    return f"Spent: {'; '.join(spends)}."
