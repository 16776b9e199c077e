"""Phase 1, in which each participant works alone.

The nodes record failures instead of raising errors, so that other branches continue.
"""

from collections.abc import Callable
from dataclasses import replace

from ...models import PromptLimits
from ...state import MemoryReplacement, fit_memory
from ...state.justice import (
    APPLICATION_COUNT,
    QUESTION_COUNT,
    DistributionId,
    JusticeUpdate,
    Phase1State,
    apply_choice,
    deal_case,
    make_question,
)
from ..ask import CallOptions
from .addressee import Addressee, get_justice_settings, get_participant
from .answer_requests import make_choice, request_choice, request_distribution, request_ranking, select_ranking
from .memories import (
    describe_alternatives,
    describe_selections,
    explain_selection,
    format_comment_line,
    format_ranking_line,
    list_comprehension_lines,
)
from .prompts import build_phase1_prompt, fill_template
from .question import ask_for_text, ask_question, build_call_options


def rank(stage: str) -> Callable[[Phase1State], object]:
    """Build the node that asks for a ranking of the four principles, at one stage of Phase 1."""

    async def rank(state: Phase1State) -> JusticeUpdate:
        """Ask for a ranking. Replace an unusable one by a marked default.

        Reads who, settings, memory_lines, applications, calls; writes rankings, memory_lines, calls, incidents.
        """
        addressee = make_phase1_addressee(state)
        values = {"occasion": addressee.translate_phrase(f"occasions.{stage}")}
        prompt = build_phase1_prompt(addressee, "rank", values, is_first=stage == "initial_ranking")
        reply, result = await ask_question(
            prompt, build_phase1_call(state, addressee, "ranking"), request_ranking(addressee)
        )
        ranking = select_ranking(reply, result)
        return JusticeUpdate(
            rankings={stage: ranking},
            memory_lines=make_memory_write(result.prompt_limits, [format_ranking_line(addressee, stage, ranking)]),
            calls=result.calls,
            incidents=result.incidents,
        )

    return rank


async def ask_comprehension(state: Phase1State) -> JusticeUpdate:
    """Ask the next question of the comprehension test until the answer is right or no attempt is left.

    Reads who, settings, memory_lines, applications, comprehension, calls; writes comprehension, memory_lines, calls,
    incidents.
    """
    addressee, answers = make_phase1_addressee(state), state["comprehension"]
    choices: list[DistributionId] = []
    table = addressee.settings.tables.base
    question = make_question(table, addressee.presentation.principles[len(answers)])
    values = {
        "table": addressee.format_table(table, has_averages=True),
        "number": len(answers) + 1,
        "rule": addressee.format_rule(question.rule),
        "answer": question.answer,
        "you": addressee.describe_situation(addressee.translate_phrase("you.before")),
    }
    prompt = build_phase1_prompt(addressee, "comprehension", values, is_first=False)
    call = build_phase1_call(state, addressee, "comprehension", addressee.settings.checks.comprehension_tries)
    _, result = await ask_question(prompt, call, request_distribution(addressee, question.answer, choices))
    answer = question.with_replies(result.replies, choices, result.read_as)
    return JusticeUpdate(
        comprehension=[answer],
        memory_lines=make_memory_write(result.prompt_limits, list_comprehension_lines(addressee, [*answers, answer])),
        calls=result.calls,
        incidents=result.incidents,
    )


async def study(state: Phase1State) -> JusticeUpdate:
    """Show which distribution of the base set each principle selects, and ask for a comment.

    Reads who, settings, memory_lines, applications, calls; writes comment, memory_lines, calls, incidents.
    """
    addressee = make_phase1_addressee(state)
    table = addressee.settings.tables.base
    values = {
        "table": addressee.format_table(table),
        "picks": describe_selections(addressee, table),
        "probabilities": addressee.describe_probabilities(table, is_after_choice=False),
    }
    prompt = build_phase1_prompt(addressee, "study", values, is_first=False)
    comment, result = await ask_for_text(
        prompt, build_phase1_call(state, addressee, "explanation"), addressee, "no comment"
    )
    return JusticeUpdate(
        comment=comment,
        memory_lines=make_memory_write(result.prompt_limits, [format_comment_line(addressee, comment)]),
        calls=result.calls,
        incidents=result.incidents,
    )


async def apply(state: Phase1State) -> JusticeUpdate:
    """Draw a set, ask for a principle, draw the class and pay. Write the full feedback to memory.

    Reads who, settings, memory_lines, applications, calls; writes applications, memory_lines, calls, incidents.
    """
    addressee, round = make_phase1_addressee(state), len(state["applications"]) + 1
    case = deal_case(addressee.settings, state["who"], round)
    values = {
        "round": round,
        "table": addressee.format_table(case.table),
        "probabilities": addressee.describe_probabilities(case.table, is_after_choice=False),
    }
    prompt = build_phase1_prompt(addressee, "apply", values, is_first=False)
    discussion = addressee.settings.discussion
    call = build_phase1_call(state, addressee, "choice")
    call = replace(call, max_rejections=discussion.max_constraint_correction_attempts)
    reply, result = await ask_question(prompt, call, request_choice(addressee))
    application = apply_choice(addressee.settings, case, make_choice(reply), result.replies, result.read_as)
    feedback = {
        "round": application.round,
        "picked": explain_selection(addressee, application),
        "class": addressee.translate_phrase(f"classes.{application.assigned_class}"),
        "income": f"{application.income:,}",
        "paid": addressee.describe_payoff(application.payoff_cents, application.round),
        "probabilities": addressee.describe_probabilities(application.distribution_set, is_after_choice=True),
        "table": addressee.format_table(application.distribution_set),
        "alternatives": describe_alternatives(addressee, application.alternatives, application.round),
    }
    return JusticeUpdate(
        applications=[application],
        memory_lines=make_memory_write(
            result.prompt_limits, fill_template(addressee, "feedback", feedback).splitlines()
        ),
        calls=result.calls,
        incidents=result.incidents,
    )


def make_memory_write(prompt_limits: PromptLimits, additions: list[str]) -> list[str] | MemoryReplacement:
    """Return the memory write that adds lines at the end of a stage.

    `prompt_limits`: limits that endpoints revealed. If an endpoint rejected a prompt as too long, the write replaces
    the memory by the shortened one plus the new lines. So the next prompt starts with a memory that fits.
    """
    return MemoryReplacement(replace=[*prompt_limits.memory, *additions]) if prompt_limits.memory else additions


def make_phase1_addressee(state: Phase1State) -> Addressee:
    """Return the participant of this state as the addressee of a prompt, with its payoffs so far."""
    settings, applications = get_justice_settings(state["settings"]), state["applications"]
    participant = get_participant(settings, state["who"])
    return Addressee(
        settings,
        participant,
        sum(application.payoff_cents for application in applications),
        len(applications),
        "\n".join(fit_memory(state["memory_lines"], participant.memory_max_chars)),
    )


def build_phase1_call(state: Phase1State, addressee: Addressee, purpose: str, attempts: int = 0) -> CallOptions:
    """Build the options of a call in Phase 1. `attempts`: 0 stands for the configured number."""
    discussion = addressee.settings.discussion
    attempts = attempts or 1 + discussion.max_participant_retries
    return build_call_options(addressee, purpose, state["calls"], attempts, [discussion.statement_timeout])


def route_to_first_stage(state: Phase1State) -> str:
    """Route to the comprehension test if the settings enable it, and otherwise to the first ranking."""
    return "test" if get_justice_settings(state["settings"]).checks.comprehension_test else "no test"


def route_after_question(state: Phase1State) -> str:
    """Route to the next question of the comprehension test or, after the last one, out of the test."""
    return "next question" if len(state["comprehension"]) < QUESTION_COUNT else "all asked"


def route_after_application(state: Phase1State) -> str:
    """Route to the next application, or to the last ranking of Phase 1."""
    return "next application" if len(state["applications"]) < APPLICATION_COUNT else "all applied"
