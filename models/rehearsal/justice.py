"""Rehearsed choices among the four principles of justice, and how proposals change them."""

import re
from functools import lru_cache

from ...state import make_rng
from .reply_context import ReplyContext
from .speech import write_answer

PROPOSED_AMOUNTS = {3: [12_000, 13_000, 14_000, 15_000], 4: [15_000, 17_000, 20_000, 12_000]}
"""Amounts that a participant proposes for principles with an amount: floors and ranges of the usual tables."""
PRINCIPLE_APPEAL = {1: 0.45, 2: 0.4, 3: 0.75, 4: 0.15}
"""Initial appeal of each principle, in the order found by Frohlich and Oppenheimer, Choosing Justice (1992)."""
_PRINCIPLE = re.compile(r"(?:principle|principio|原则)\s*(?:n[o.º°]*\s*)?([1-4])(?!\d)", re.IGNORECASE)
_AMOUNT = re.compile(r"(?<![\d.])\d{1,3}(?:[,，]\d{3})+|(?<![\d.,])\d{4,7}(?![\d,])")

PrincipleRule = tuple[int, int | None]
"""A principle's number, and its amount or `None`."""


def draw_preferences(seed: int, name: str) -> list[int]:
    """Draw the order in which a participant initially prefers the four principles, best first."""
    rng = make_rng(seed, "principles", name)
    appeals = {number: base + 0.8 * rng.random() for number, base in PRINCIPLE_APPEAL.items()}
    return sorted(appeals, key=lambda number: -appeals[number])


@lru_cache(maxsize=1024)
def _draw_rule(seed: int, name: str, number: int) -> PrincipleRule:
    amounts = PROPOSED_AMOUNTS.get(number)
    return number, make_rng(seed, "amount", name, number).choice(amounts) if amounts else None


@lru_cache(maxsize=1024)
def find_proposal(text: str) -> PrincipleRule | None:
    """Return the principle and amount that a statement names last, or `None`."""
    mentions = list(_PRINCIPLE.finditer(text))
    if not mentions:
        return None
    number = int(mentions[-1][1])
    if number not in PROPOSED_AMOUNTS:
        return number, None
    amounts = _AMOUNT.findall(text[mentions[-1].end() :]) or _AMOUNT.findall(text)
    return (number, int(re.sub(r"\D", "", amounts[0]))) if amounts else None


def choose_rule(context: ReplyContext) -> PrincipleRule:
    """Return the rule that the speaker supports after the statements so far.

    Each proposal of another participant may persuade the speaker. A stubborn speaker rarely changes its rule. An amount
    changes more easily than a principle. The last preference is the hardest to adopt.
    """
    speaker = context.brief.speaker
    preferences = draw_preferences(context.seed, speaker)
    choice = _draw_rule(context.seed, speaker, preferences[0])
    openness = 0.1 + 0.45 * make_rng(context.seed, "yields", speaker).random()
    for statement in context.brief.statements:
        proposal = find_proposal(statement.content)
        if proposal is None or proposal == choice:
            continue
        chance = openness * (0.08 if proposal[0] == preferences[-1] else 0.3)
        chance = 0.1 + openness if proposal[0] == choice[0] else chance
        rng = make_rng(context.seed, "won over", speaker, statement.turn, statement.speaker)
        if statement.speaker == speaker or rng.random() < chance:
            choice = proposal
    return choice


def rank_principles(context: ReplyContext) -> list[int]:
    """Return the speaker's ranking of the principles: first the one it supports, then its initial order."""
    first_choice = choose_rule(context)[0]
    return sorted(draw_preferences(context.seed, context.brief.speaker), key=lambda number: number != first_choice)


def _collect_proposals(context: ReplyContext) -> dict[str, PrincipleRule]:
    proposals = ((statement.speaker, find_proposal(statement.content)) for statement in context.brief.statements)
    return {speaker: rule for speaker, rule in proposals if rule}


def decide_on_vote(context: ReplyContext, *, is_consent: bool) -> bool:
    """Decide whether the speaker starts a vote, or consents to one.

    `is_consent`: whether the question is about consent. The speaker starts a vote if all proposals equal its rule, and
    otherwise rarely. It consents if half of the proposals equal its rule, or in the last round, and otherwise usually.
    """
    proposals, choice, values = list(_collect_proposals(context).values()), choose_rule(context), context.brief.values
    if proposals and proposals.count(choice) >= (0.5 if is_consent else 1.0) * len(proposals):
        return True
    if is_consent and values.get("round") == values.get("max_rounds", -1):
        return True
    purpose, chance = ("consent", 0.7) if is_consent else ("vote", 0.1)
    return make_rng(context.seed, purpose, context.brief.speaker, len(context.brief.statements)).random() < chance


def _format_rule(context: ReplyContext, rule: PrincipleRule) -> str:
    number, amount = rule
    return context.get_variants("principles", "names")[number - 1].format(amount=f"{amount:,}" if amount else "")


def write_justice_statement(context: ReplyContext) -> str:
    """Write a statement that quotes an earlier one, and proposes a principle and an amount."""
    choice = choose_rule(context)
    last_own = context.own_statements[-1].content if context.own_statements else ""
    is_persuaded = find_proposal(context.last_text) == choice and bool(last_own) and find_proposal(last_own) != choice
    key, answers = "join" if is_persuaded else "propose", [write_answer(context)] if context.last_statement else []
    turn = context.turn if answers else max(1, context.brief.turn)
    return context.gap.join(
        [*answers, context.fill_phrase("principles", key, name=_format_rule(context, choice), turn=turn)]
    )


def _write_reason(context: ReplyContext, number: int) -> str:
    word, second_word = (
        context.choose_key_word("reason", context.brief.speaker, str(number), part) for part in ("first", "second")
    )
    return context.fill_phrase("principles", "reason", word=word, other=second_word)


def write_rule_summary(context: ReplyContext, *, has_others: bool = False) -> str:
    """Return the rule that the speaker supports, with a reason, as a text.

    `has_others`: whether to add the other participants' rules.
    """
    rule = choose_rule(context)
    choice = context.fill_phrase("principles", "choice", name=_format_rule(context, rule))
    others = [
        context.fill_phrase("principles", "held", other=speaker, name=_format_rule(context, proposal))
        for speaker, proposal in (_collect_proposals(context).items() if has_others else ())
        if speaker != context.brief.speaker
    ]
    return context.gap.join([choice, _write_reason(context, rule[0]), *others])


def answer_in_text(context: ReplyContext) -> str:
    """Answer a question of the experiment in the requested text form."""
    purpose, (number, amount) = context.brief.purpose, choose_rule(context)
    rng = make_rng(context.seed, "certainty", context.brief.speaker, number)
    certainty = rng.choices(context.get_variants("answers", "certainties"), [1, 2, 2, 6, 4])[0]
    match purpose:
        case "initiation" | "confirmation":
            return str(int(decide_on_vote(context, is_consent=purpose == "confirmation")))
        case "amount":
            return f"{amount or _draw_rule(context.seed, context.brief.speaker, 3)[1]:,}"
        case "ballot":
            return str(number)
        case "explanation":
            first, second, *_ = rank_principles(context)
            return context.gap.join([_write_reason(context, first), _write_reason(context, second)])
        case "ranking":
            return context.fill_phrase(
                "principles", "ranking", order=" > ".join(map(str, rank_principles(context))), certainty=certainty
            )
    amount_line = context.fill_phrase("principles", "amount", amount=f"{amount:,}") if amount else ""
    values = {"number": number, "amount": amount_line, "certainty": certainty, "reason": _write_reason(context, number)}
    return context.fill_phrase("principles", "answer", **values)
