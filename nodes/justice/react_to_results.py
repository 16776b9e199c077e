"""Reactions to the adopted rule and the results: rewritten memories and last rankings.

A model works an event into a participant's memory, and its answer replaces the old memory. If there is no answer,
the event is appended unchanged, which goes on record. It is offered again with the next such event. An answer that
is too long is requested again with the number of characters to cut.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ...models.failures import NoAnswerError, PromptLimits
from ...state.call_record import Call
from ...state.channel_requirements import BranchInput
from ...state.incident import Incident
from ...state.justice import PAID_DRAWS, Payment, SharingRule
from ...state.justice.channels import MemoryRewriteState
from ...state.justice.input_output import JusticeUpdate
from ...state.memory import MemoryReplacement, MemoryWrite, count_characters, fit_memory
from ..ask import CallOptions, Prompt, estimate_words, with_turn
from ..ask.ask_with_retries import Answer, ask
from .addressee import Addressee
from .phase1_memory import describe_differences
from .prompts import build_group_prompt, fill_results, make_addressee
from .question import AttemptLimits, ask_question, build_call_options, record_question_calls
from .reply_parsers import make_ranking_parser, select_ranking


class TakeInState(MemoryRewriteState):
    """Channels of a branch for one participant."""

    who: BranchInput[str]


async def take_in_adoption(state: TakeInState) -> JusticeUpdate:
    """Let one participant work the group's agreement into its memory.

    Reads settings, round, history, calls, memory, alone, adopted, unintegrated, view_limits, and who is asked;
    writes memory, unintegrated, calls, incidents, view_limits.
    """
    addressee = make_addressee(state, state["who"])
    assert state["adopted"] is not None
    event = addressee.translate_phrase(
        "memory.consensus", round=state["round"], rule=addressee.format_rule(state["adopted"])
    )
    return await _rewrite_memory(state, addressee, event)


async def take_in_results(state: TakeInState) -> JusticeUpdate:
    """Tell one participant its results, and let it work them into its memory.

    Reads settings, round, history, calls, memory, alone, settlement, adopted, unintegrated, view_limits, and
    who is asked; writes memory, unintegrated, calls, incidents, view_limits.
    """
    addressee = make_addressee(state, state["who"])
    return await _rewrite_memory(state, with_group_payoff(state, addressee), build_results_text(state, addressee))


async def rank_last(state: TakeInState) -> JusticeUpdate:
    """Ask for the last ranking, after the results.

    Reads settings, round, history, calls, memory, alone, settlement, view_limits, and who is asked; writes
    last_rankings, calls, incidents, view_limits, memory.
    """
    addressee = with_group_payoff(state, make_addressee(state, state["who"]))
    prompt = build_group_prompt(
        state, addressee, "rank", {"occasion": addressee.translate_phrase("occasions.last_ranking")}
    )
    outcome = await ask_question(
        prompt, _build_call(state, addressee, "ranking"), addressee, make_ranking_parser(addressee)
    )
    return record_question_calls(addressee, outcome) | JusticeUpdate(
        last_rankings={addressee.participant.id: select_ranking(outcome)}
    )


async def _rewrite_memory(state: TakeInState, addressee: Addressee, event: str) -> JusticeUpdate:
    memory_event = MemoryEvent(
        owner=addressee.participant.name,
        event=event,
        bound=addressee.participant.memory_max_chars,
        max_attempts=addressee.settings.memory.max_memory_retries,
        empty_fault=addressee.translate_phrase("faults.empty"),
        explain_too_long=lambda length, bound: _explain_length(addressee, length, bound),
        pending=state["unintegrated"].get(addressee.participant.name, []),
    )
    word_count = estimate_words(addressee.settings.max_tokens_synthesis, addressee.language) // 2
    values = {"event": memory_event.full_text, "bound": f"{memory_event.bound:,}", "words": word_count}
    prompt = build_group_prompt(state, addressee, "integrate", values)
    rewrite = await integrate_event(prompt, _build_call(state, addressee, "memory"), memory_event)
    return record_question_calls(addressee, rewrite) | JusticeUpdate(
        memory=rewrite.memory, unintegrated={addressee.participant.name: rewrite.pending}
    )


def _explain_length(addressee: Addressee, length: int, bound: int) -> str:
    return addressee.translate_phrase("faults.memory_too_long", length=length, bound=bound, cut=length - bound)


def _build_call(state: TakeInState, addressee: Addressee, purpose: str) -> CallOptions:
    discussion = addressee.settings.discussion
    attempts = (
        addressee.settings.memory.max_memory_retries if purpose == "memory" else 1 + discussion.max_participant_retries
    )
    limits = AttemptLimits(attempts, [discussion.statement_timeout])
    call = with_turn(build_call_options(addressee, purpose, state["calls"], limits), 0, state["round"])
    return replace(call, max_tokens=addressee.settings.max_tokens_synthesis) if purpose == "memory" else call


async def reconvene(state: MemoryRewriteState) -> JusticeUpdate:
    """Wait until every participant has its results.

    Reads and writes nothing.
    """
    return JusticeUpdate()


@dataclass(frozen=True)
class MemoryEvent:
    """Event that one participant works into its memory.

    `event`: complete, never clipped. `pending`: earlier events that were only appended. `bound`: largest number
    of characters of the memory. `max_attempts`: total attempts at a rewrite that is too long. `empty_fault`: error
    text for an empty rewrite. `explain_too_long`: error text from (length, bound).
    """

    owner: str
    event: str
    bound: int
    max_attempts: int
    empty_fault: str
    explain_too_long: Callable[[int, int], str]
    pending: Sequence[str] = ()

    @property
    def full_text(self) -> str:
        """Return all events for the model, oldest first."""
        return "\n\n".join([*self.pending, self.event])


@dataclass(frozen=True)
class MemoryIntegration:
    """Result of an integration.

    `pending`: events for the next integration. `prompt_limits`: limits of the endpoint that the call revealed.
    """

    memory: MemoryWrite
    pending: list[str]
    calls: list[Call]
    incidents: list[Incident]
    prompt_limits: PromptLimits = field(default_factory=PromptLimits)


async def integrate_event(prompt: Prompt, call: CallOptions, memory_event: MemoryEvent) -> MemoryIntegration:
    """Ask for the memory with the event integrated. Never raises `NoAnswerError`.

    For a person or program outside Moot, append the event without a question.
    """
    if call.is_external:
        return MemoryIntegration(_append_event(memory_event, prompt, PromptLimits()), [], [], [])
    call = replace(call, max_attempts=min(call.max_attempts, max(memory_event.max_attempts, 1)))
    try:
        answer = await ask(prompt, call, _make_length_check(memory_event))
    except NoAnswerError as failure:
        pending_events = [*memory_event.pending, memory_event.event]
        incidents = failure.with_consequence("appended only", category="memory").incidents
        return MemoryIntegration(
            _append_event(memory_event, prompt, failure.prompt_limits),
            pending_events,
            failure.calls,
            incidents,
            failure.prompt_limits,
        )
    memory = {memory_event.owner: MemoryReplacement(replace=answer.text.strip().splitlines())}
    return MemoryIntegration(memory, [], answer.calls, answer.incidents, answer.prompt_limits)


def _append_event(memory_event: MemoryEvent, prompt: Prompt, prompt_limits: PromptLimits) -> MemoryWrite:
    """Append the event to the memory within the bound.

    If the memory was too long for the owner's endpoint, the event follows the rest of it.
    """
    event, lines = memory_event.event.splitlines(), prompt_limits.memory or prompt.memory.splitlines()
    if count_characters([*lines, *event]) > memory_event.bound:
        return {memory_event.owner: MemoryReplacement(replace=fit_memory([*lines, *event], memory_event.bound))}
    return {
        memory_event.owner: MemoryReplacement(replace=[*prompt_limits.memory, *event])
        if prompt_limits.memory
        else event
    }


def _make_length_check(memory_event: MemoryEvent) -> Callable[[Answer], str | None]:
    def find_answer_fault(answer: Answer) -> str | None:
        length = len(answer.text.strip())
        if not length:
            return memory_event.empty_fault
        return memory_event.explain_too_long(length, memory_event.bound) if length > memory_event.bound else None

    return find_answer_fault


def with_group_payoff(state: MemoryRewriteState, addressee: Addressee) -> Addressee:
    """Return the participant with the group's payoff in its bank."""
    payoff = state["settlement"].payoffs[addressee.participant.id].payoff_cents
    return replace(addressee, bank=addressee.bank + payoff, draw_count=PAID_DRAWS)


def build_results_text(state: MemoryRewriteState, addressee: Addressee) -> str:
    """Build the text of the results for one participant, in the prescribed order."""
    settlement, id = state["settlement"], addressee.participant.id
    assert settlement.distribution_set is not None
    income_class, payoff = settlement.assigned_classes[id], settlement.payoffs[id]
    payoff_text = addressee.describe_payoff(payoff.payoff_cents, PAID_DRAWS)
    name = addressee.translate_phrase(f"classes.{income_class}")
    distribution = settlement.chosen_distribution[id]
    values = {"distribution": distribution, "class": name, "income": f"{payoff.income:,}", "paid": payoff_text}
    return fill_results(
        addressee,
        {
            "rule": explain_paid_rule(settlement, state["adopted"], addressee),
            "probabilities": addressee.describe_probabilities(settlement.distribution_set, is_after_choice=True),
            "table": addressee.format_table(settlement.distribution_set),
            "class": name,
            "cause": addressee.translate_phrase("results.cause", **values),
            "alternatives": compare_payoffs(settlement, addressee),
            "reminder": addressee.join_sentences(
                addressee.translate_phrase("results.reminder"), with_group_payoff(state, addressee).describe_bank()
            ),
        },
    )


def explain_paid_rule(settlement: Payment, adopted: SharingRule | None, addressee: Addressee) -> str:
    """Explain which rule paid and the effect of its amount, or that the draw was random."""
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


def compare_payoffs(settlement: Payment, addressee: Addressee) -> str:
    """Describe the class's payoffs under each principle, with the difference from the actual payoff."""
    id = addressee.participant.id
    outcomes = settlement.alternative_earnings[id].outcomes
    return describe_differences(addressee, outcomes, PAID_DRAWS, settlement.payoffs[id].payoff_cents)
