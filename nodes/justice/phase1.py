"""Phase 1: one participant alone. These steps never raise what a sibling would suffer from: they record."""

from collections.abc import Callable

from ...state.justice import (
    APPLICATIONS,
    QUESTIONS,
    ApplicationResult,
    apply_choice,
    asked_about,
    deal,
)
from ...state.justice.channels import Lone
from ...state.justice.income import DistributionId
from ...state.justice.writes import JusticeUpdate
from ...state.memory import Replaced, within
from ..asking import Asking
from ..models.failures import Narrowed
from .addressee import Hearer, by_id, settled_rules
from .briefing import feedback, told_alone
from .question import Within, heard, question
from .readings import a_text, choice_in, distribution_in, ranked, ranking_in
from .recall import alternative_lines, comment_line, comprehension_lines, picked, picks, ranking_line


def rank(stage: str) -> Callable[[Lone], object]:
    """The step in which the four principles are ranked, at one of the stages of Phase 1."""

    async def rank(state: Lone) -> JusticeUpdate:
        """Ask for a ranking; an unusable one is marked as defaulted.

        Reads who, rules, lines, applications, calls; writes rankings, lines, calls, incidents.
        """
        hearer = hearer_alone(state)
        values = {"occasion": hearer.say(f"occasions.{stage}")}
        told = told_alone(hearer, "rank", values, first=stage == "initial_ranking")
        got = await heard(told, asking_alone(state, hearer, "ranking"), hearer, ranking_in(hearer))
        ranking = ranked(got)
        return JusticeUpdate(
            rankings={stage: ranking},
            lines=remembered(got.narrowed, [ranking_line(hearer, stage, ranking)]),
            calls=got.calls,
            incidents=got.incidents,
        )

    return rank


async def comprehension(state: Lone) -> JusticeUpdate:
    """Ask the next question of the comprehension test, until it is answered rightly or its tries are spent.

    Reads who, rules, lines, applications, comprehension, calls; writes comprehension, lines, calls, incidents.
    """
    hearer, asked = hearer_alone(state), state["comprehension"]
    table = hearer.rules.tables.base
    item = asked_about(table, hearer.shown.principles[len(asked)])
    values = {
        "table": hearer.table(table, averages=True),
        "number": len(asked) + 1,
        "rule": hearer.rule(item.rule),
        "you": hearer.stands(hearer.say("you.before")),
    }
    told, given = told_alone(hearer, "comprehension", values, first=False), list[DistributionId]()
    asking = asking_alone(state, hearer, "comprehension", hearer.rules.checks.comprehension_tries)
    got = await heard(told, asking, hearer, distribution_in(item.answer, given))
    answer = item.answered(got.replies, given)
    return JusticeUpdate(
        comprehension=[answer],
        lines=remembered(got.narrowed, comprehension_lines(hearer, [*asked, answer])),
        calls=got.calls,
        incidents=got.incidents,
    )


async def study(state: Lone) -> JusticeUpdate:
    """Show the base set and what each principle picks from it, and hear what strikes the participant.

    Reads who, rules, lines, applications, calls; writes comment, lines, calls, incidents.
    """
    hearer = hearer_alone(state)
    table = hearer.rules.tables.base
    values = {
        "table": hearer.table(table),
        "picks": picks(hearer, table),
        "probabilities": hearer.probabilities(table, chosen=False),
    }
    told = told_alone(hearer, "study", values, first=False)
    got = await heard(told, asking_alone(state, hearer, "explanation"), hearer, a_text("no comment"))
    comment = got.value or ""
    return JusticeUpdate(
        comment=comment,
        lines=remembered(got.narrowed, [comment_line(hearer, comment)]),
        calls=got.calls,
        incidents=got.incidents,
    )


async def apply(state: Lone) -> JusticeUpdate:
    """Deal a set, ask for a principle, draw the class and pay; the feedback goes to memory whole.

    Reads who, rules, lines, applications, calls; writes applications, lines, calls, incidents.
    """
    hearer, round = hearer_alone(state), len(state["applications"]) + 1
    case = deal(hearer.rules, state["who"], round)
    values = {
        "round": round,
        "table": hearer.table(case.table),
        "probabilities": hearer.probabilities(case.table, chosen=False),
    }
    told = told_alone(hearer, "apply", values, first=False)
    talk = hearer.rules.discussion
    tries = 1 + talk.max_participant_retries + talk.max_constraint_correction_attempts
    asking = asking_alone(state, hearer, "choice", tries)
    got = await heard(told, asking, hearer, choice_in(hearer))
    result = apply_choice(hearer.rules, case, got.value, got.replies)
    return JusticeUpdate(
        applications=[result],
        lines=remembered(got.narrowed, feedback_text(hearer, result).splitlines()),
        calls=got.calls,
        incidents=got.incidents,
    )


def feedback_text(hearer: Hearer, result: ApplicationResult) -> str:
    """What a participant is told after an application: distribution and why, class, income, payoff, alternatives."""
    values = {
        "round": result.round,
        "picked": picked(hearer, result),
        "class": hearer.say(f"classes.{result.assigned_class}"),
        "income": f"{result.income:,}",
        "paid": hearer.paid(result.payoff_cents, result.round),
        "probabilities": hearer.probabilities(result.distribution_set, chosen=True),
        "table": hearer.table(result.distribution_set),
        "alternatives": alternative_lines(hearer, result.alternatives, result.round),
    }
    return feedback(hearer, values)


def remembered(narrowed: Narrowed, news: list[str]) -> list[str] | Replaced:
    """What a stage leaves in memory; where its endpoint refused a long prompt, after what is left of the memory.

    So the next prompt begins with what this one could be shown.
    """
    return Replaced(replace=[*narrowed.memory, *news]) if narrowed.memory else news


def hearer_alone(state: Lone) -> Hearer:
    """The participant this is about, with its bank so far."""
    rules, paid = settled_rules(state["rules"]), state["applications"]
    bank = sum(one.payoff_cents for one in paid)
    one = by_id(rules, state["who"])
    return Hearer(rules, one, bank, len(paid), "\n".join(within(state["lines"], one.memory_max_chars)))


def asking_alone(state: Lone, hearer: Hearer, purpose: str, tries: int = 0) -> Asking:
    """A question of Phase 1, with so many tries; 0: as many as any answer has."""
    talk = hearer.rules.discussion
    within = Within(tries or 1 + talk.max_participant_retries, [talk.statement_timeout])
    return question(hearer, purpose, state["calls"], within)


def before_phase_1(state: Lone) -> str:
    """To the comprehension test where there is one."""
    return "test" if settled_rules(state["rules"]).checks.comprehension_test else "no test"


def more_questions(state: Lone) -> str:
    """From a question of the comprehension test to the next, or to Phase 1."""
    return "next question" if len(state["comprehension"]) < QUESTIONS else "all asked"


def more_applications(state: Lone) -> str:
    """From an application to the next, or to the last ranking of Phase 1."""
    return "next application" if len(state["applications"]) < APPLICATIONS else "all applied"
