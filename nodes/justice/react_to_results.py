"""Reactions to the adopted rule and the results: rewritten memories and last rankings.

A model rewrites a participant's memory to include an event. Without an answer, the event is appended unchanged and
recorded, and the next rewrite includes it. If the rewritten memory is too long, Moot asks again and states how many
characters to cut.
"""

from dataclasses import replace

from ...models import NoAnswerError, PromptLimits
from ...state import BranchInput, MemoryReplacement, MemoryWrite, count_characters, fit_memory
from ...state.justice import PAID_DRAWS, JusticeUpdate, MemoryRewriteState, Payment, SharingRule
from ..ask import Answer, CallOptions, ask, estimate_words, with_turn
from .addressee import Addressee
from .answer_requests import request_ranking, select_ranking
from .memories import describe_alternatives
from .prompts import build_group_prompt, fill_template, make_addressee
from .question import ask_question, build_call_options, record_question_calls


class ReactionBranchState(MemoryRewriteState):
    """Channels of the branch in which one participant reacts."""

    who: BranchInput[str]


async def remember_rule(state: ReactionBranchState) -> JusticeUpdate:
    """Let one participant include the group's agreement in its memory.

    Reads settings, round, history, calls, memory, alone, adopted, unintegrated, view_limits, and who; writes memory,
    unintegrated, calls, incidents, view_limits.
    """
    addressee = make_addressee(state, state["who"])
    assert state["adopted"] is not None
    event = addressee.translate_phrase(
        "memory.consensus", round=state["round"], rule=addressee.format_rule(state["adopted"])
    )
    return await _rewrite_memory(state, addressee, event)


async def remember_results(state: ReactionBranchState) -> JusticeUpdate:
    """Tell one participant its results, and let it include them in its memory.

    Reads settings, round, history, calls, memory, alone, settlement, adopted, unintegrated, view_limits, and who;
    writes memory, unintegrated, calls, incidents, view_limits.
    """
    addressee = make_addressee(state, state["who"])
    return await _rewrite_memory(state, with_group_payoff(state, addressee), build_results_text(state, addressee))


async def rank_last(state: ReactionBranchState) -> JusticeUpdate:
    """Ask for the last ranking, after the results.

    Reads settings, round, history, calls, memory, alone, settlement, view_limits, and who; writes last_rankings,
    calls, incidents, view_limits, memory.
    """
    addressee = with_group_payoff(state, make_addressee(state, state["who"]))
    prompt = build_group_prompt(
        state, addressee, "rank", {"occasion": addressee.translate_phrase("occasions.last_ranking")}
    )
    reply, result = await ask_question(prompt, _build_call(state, addressee, "ranking"), request_ranking(addressee))
    return record_question_calls(addressee, result) | JusticeUpdate(
        last_rankings={addressee.participant.id: select_ranking(reply, result)}
    )


async def _rewrite_memory(state: ReactionBranchState, addressee: Addressee, event: str) -> JusticeUpdate:
    """Ask for the memory with `event` included. For a person or program, only append `event`."""
    participant, settings = addressee.participant, addressee.settings
    pending_events, bound = state["unintegrated"].get(participant.name, []), participant.memory_max_chars
    word_count = estimate_words(settings.max_tokens_synthesis, addressee.language) // 2
    values = {"event": "\n\n".join([*pending_events, event]), "bound": f"{bound:,}", "words": word_count}
    prompt = build_group_prompt(state, addressee, "integrate", values)

    def append_event(limits: PromptLimits) -> list[str] | MemoryReplacement:
        """Return the write that appends the event to the memory, within the maximum length.

        If the endpoint rejected the memory as too long, start from the shortened one.
        """
        event_lines, lines = event.splitlines(), limits.memory or prompt.memory.splitlines()
        if count_characters([*lines, *event_lines]) > bound:
            return MemoryReplacement(replace=fit_memory([*lines, *event_lines], bound))
        return MemoryReplacement(replace=[*limits.memory, *event_lines]) if limits.memory else event_lines

    def find_answer_fault(answer: Answer) -> str | None:
        length = len(answer.text.strip())
        if not length:
            return addressee.translate_phrase("faults.empty")
        if length <= bound:
            return None
        return addressee.translate_phrase("faults.memory_too_long", length=length, bound=bound, cut=length - bound)

    call = _build_call(state, addressee, "memory")
    if call.is_external:
        memory: MemoryWrite = {participant.name: append_event(PromptLimits())}
        return JusticeUpdate(calls=[], memory=memory, unintegrated={participant.name: []})
    try:
        answer = await ask(prompt, call, find_answer_fault)
    except NoAnswerError as failure:
        memory = {participant.name: append_event(failure.prompt_limits)}
        update = JusticeUpdate(memory=memory, unintegrated={participant.name: [*pending_events, event]})
        return record_question_calls(addressee, failure.with_consequence("appended only", category="memory")) | update
    memory = {participant.name: MemoryReplacement(replace=answer.text.strip().splitlines())}
    update = JusticeUpdate(memory=memory, unintegrated={participant.name: []})
    return record_question_calls(addressee, answer) | update


def _build_call(state: ReactionBranchState, addressee: Addressee, purpose: str) -> CallOptions:
    discussion = addressee.settings.discussion
    attempts = (
        addressee.settings.memory.max_memory_retries if purpose == "memory" else 1 + discussion.max_participant_retries
    )
    call = build_call_options(addressee, purpose, state["calls"], attempts, [discussion.statement_timeout])
    call = with_turn(call, 0, state["round"])
    return replace(call, max_tokens=addressee.settings.max_tokens_synthesis) if purpose == "memory" else call


async def reconvene(state: MemoryRewriteState) -> JusticeUpdate:
    """Join the parallel branches, after every participant has received its results.

    Reads and writes nothing.
    """
    return JusticeUpdate()


def with_group_payoff(state: MemoryRewriteState, addressee: Addressee) -> Addressee:
    """Return the addressee with its payoff from the group phase added to its bank."""
    payoff = state["settlement"].payoffs[addressee.participant.id].payoff_cents
    return replace(addressee, bank=addressee.bank + payoff, draw_count=PAID_DRAWS)


def build_results_text(state: MemoryRewriteState, addressee: Addressee) -> str:
    """Build the text of one participant's results, in the order that the experiment prescribes."""
    settlement, id = state["settlement"], addressee.participant.id
    assert settlement.distribution_set is not None
    income_class, payoff = settlement.assigned_classes[id], settlement.payoffs[id]
    payoff_text = addressee.describe_payoff(payoff.payoff_cents, PAID_DRAWS)
    name = addressee.translate_phrase(f"classes.{income_class}")
    distribution = settlement.chosen_distribution[id]
    values = {"distribution": distribution, "class": name, "income": f"{payoff.income:,}", "paid": payoff_text}
    return fill_template(
        addressee,
        "results",
        {
            "rule": explain_paid_rule(settlement, state["adopted"], addressee),
            "probabilities": addressee.describe_probabilities(settlement.distribution_set, is_after_choice=True),
            "table": addressee.format_table(settlement.distribution_set),
            "class": name,
            "cause": addressee.translate_phrase("results.cause", **values),
            "alternatives": describe_alternatives(
                addressee, settlement.alternative_earnings[id].outcomes, PAID_DRAWS, payoff.payoff_cents
            ),
            "reminder": addressee.join_sentences(
                addressee.translate_phrase("results.reminder"), with_group_payoff(state, addressee).describe_bank()
            ),
        },
    )


def explain_paid_rule(settlement: Payment, adopted: SharingRule | None, addressee: Addressee) -> str:
    """Return the text that says which rule determined the payment.

    It also says how the amount of the rule mattered or, without a rule, that the draw was random.
    """
    rule, distribution = settlement.rule_in_force, settlement.chosen_distribution[addressee.participant.id]
    if rule is None:
        is_individual = addressee.settings.voting.no_consensus_mode == "random_distribution_per_participant"
        return addressee.translate_phrase(
            "results.per_participant" if is_individual else "results.for_all", distribution=distribution
        )
    is_imposed = addressee.settings.voting.decision_rule == "imposed"
    key = "imposed" if is_imposed else "adopted" if adopted else "drawn"
    parts = [addressee.translate_phrase(f"results.{key}", rule=addressee.format_rule(rule), distribution=distribution)]
    if settlement.constraint_satisfied is False:
        parts.append(addressee.translate_phrase("results.unsatisfied"))
    elif settlement.binding is not None:
        parts.append(addressee.translate_phrase("results.binding" if settlement.binding else "results.not_binding"))
    return addressee.join_sentences(*parts)
