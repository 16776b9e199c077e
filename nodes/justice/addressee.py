"""Participant to whom a prompt is addressed, with its language, payoffs and memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ...prompts import get_term
from ...state import Settings, neutralize_text
from ...state.justice import (
    INCOME_CLASSES,
    Counterfactual,
    DistributionSet,
    JusticeParticipant,
    JusticeSettings,
    Language,
    Presentation,
    Ranking,
    SharingRule,
    draw_presentation,
    format_distinct_numbers,
    format_dollars,
    get_ballot_number,
    split_credit,
)
from .templates import JUSTICE_PHRASES

R = TypeVar("R", SharingRule, Counterfactual)


@dataclass(frozen=True)
class Addressee:
    """Participant to whom a prompt is addressed.

    `bank`: payoffs so far, in cents. `draw_count`: paid draws so far. `memory`: the participant's memory as text.
    """

    settings: JusticeSettings
    participant: JusticeParticipant
    bank: int = 0
    draw_count: int = 0
    memory: str = ""

    @property
    def language(self) -> Language:
        """Return the language of this participant's prompts and replies."""
        return self.participant.language or self.settings.language

    def translate_phrase(self, key: str, /, **values: object) -> str:
        """Return the phrase `key` in the participant's language, filled with `values`.

        Forged fences are removed from `values`.
        """
        safe_values = {
            name: neutralize_text(value) if isinstance(value, str) else value for name, value in values.items()
        }
        return JUSTICE_PHRASES.with_folder(self.settings.templates).translate_phrase(self.language, key, **safe_values)

    def translate_in_wording(self, key: str) -> str:
        """Return the phrase `key` in the run's wording, `justice` or `neutral`."""
        return self.translate_phrase(f"{self.settings.wording.wording}.{key}")

    def translate_in_frame(self, key: str, **values: object) -> str:
        """Return the phrase `key` in the run's frame, which describes payoffs as gains or as losses."""
        wording = self.settings.wording
        credit = format_dollars(wording.loss_credit_cents)
        return self.translate_phrase(f"{wording.frame}.{key}", credit=credit, **values)

    def describe_situation(self, stage: str, goal: str = "") -> str:
        """Return a text about the participant's identity, goal and payoffs so far, and the experiment's stage."""
        key = "you.persona" if self.participant.personality else "you.you"
        if self.participant.kind == "person":
            key = "you.person_part" if self.participant.personality else "you.person"
        parts = {
            "name": self.participant.name,
            "personality": self.participant.personality,
            "goal": goal or self.translate_phrase("you.free"),
        }
        return self.translate_phrase(key, **parts, bank=self.describe_bank(), stage=stage)

    def describe_bank(self) -> str:
        """Return a text about the participant's payoffs so far (its bank).

        In the loss frame, it adds the unused shares of the credit.
        """
        wording, balance = self.settings.wording, self.bank
        if wording.frame == "loss":
            balance += sum(split_credit(wording.loss_credit_cents)[self.draw_count :])
        is_above_credit = wording.frame == "loss" and balance > wording.loss_credit_cents
        return self.translate_in_frame("bank_over" if is_above_credit else "bank", held=format_dollars(balance))

    def describe_payoff(self, payoff: int, draw: int, key: str = "paid") -> str:
        """Return a sentence about the payoff of one paid draw.

        `payoff`: in cents. `draw`: number of the draw, from 1. `key`: key of the phrase, `paid` or `outcome`.
        """
        share = split_credit(self.settings.wording.loss_credit_cents)[draw - 1]
        deduction = share - payoff
        addition_key = {"paid": "addition", "outcome": "outcome_addition"}[key]
        values = {
            "paid": format_dollars(payoff),
            "share": format_dollars(share),
            "taken": format_dollars(abs(deduction)),
        }
        return self.translate_in_frame(addition_key if deduction < 0 else key, **values)

    def format_rule(self, rule: SharingRule) -> str:
        """Format a rule as the number and name of its principle, with its amount."""
        name, number = self.translate_phrase(f"principles.{rule.principle}"), get_ballot_number(rule.principle)
        if rule.constraint_amount is None:
            return self.translate_phrase("table.rule", number=number, name=name)
        return self.translate_phrase(
            "table.rule_amount", number=number, name=name, amount=f"{rule.constraint_amount:,}"
        )

    @cached_property
    def presentation(self) -> Presentation:
        """Return the order in which this participant sees principles and distributions."""
        return draw_presentation(self.settings, self.participant.id)[0]

    def format_definitions(self) -> str:
        """Format the definitions of the four principles, in the order that this participant sees."""
        lines = [self.translate_phrase(f"definitions.{principle}") for principle in self.presentation.principles]
        is_fixed = self.settings.checks.principle_order == "fixed"
        return "\n".join(lines if is_fixed else [*lines, self.translate_phrase("table.numbers")])

    def sort_by_presentation(self, items: Sequence[R]) -> list[R]:
        """Sort rules, or results of rules, by the order of principles that this participant sees."""
        return sorted(items, key=lambda item: self.presentation.principles.index(item.principle))

    def format_ranking(self, ranking: Ranking) -> str:
        """Return a ranking as the numbers of the principles, best first."""
        return ", ".join(str(get_ballot_number(principle)) for principle in ranking.order)

    def format_table(self, table: DistributionSet, *, has_averages: bool = False) -> str:
        """Format the incomes of a set, with a row per class and a column per distribution.

        Columns are in the order that this participant sees. `has_averages`: whether to add the average of each
        distribution.
        """
        rows = [[self.translate_phrase("table.head"), *self.presentation.distributions]]
        for name in INCOME_CLASSES:
            incomes = [f"{table[distribution].get_income(name):,}" for distribution in self.presentation.distributions]
            rows.append([self.translate_phrase(f"classes.{name}"), *incomes])
        if has_averages:
            means = [
                table[distribution].compute_average(table.weights) for distribution in self.presentation.distributions
            ]
            rows.append([self.translate_phrase("table.average"), *format_distinct_numbers(means)])
        return "\n".join(" | ".join(row) for row in rows)

    def describe_probabilities(self, table: DistributionSet, *, is_after_choice: bool) -> str:
        """Return a text about the probabilities of the income classes; empty if the settings hide them.

        `is_after_choice`: whether the participant has already chosen.
        """
        reveal_time = self.settings.tables.reveal_class_probabilities
        if reveal_time == "never" or (reveal_time == "after_choice" and not is_after_choice):
            return ""
        if table.weights is None:
            return self.translate_phrase("table.equal")
        shares = [
            self.translate_phrase(
                "table.class_weight",
                name=self.translate_phrase(f"classes.{name}"),
                percent=f"{weight * 100:.4f}".rstrip("0").rstrip("."),
            )
            for name, weight in zip(INCOME_CLASSES, table.weights, strict=True)
        ]
        return self.translate_phrase("table.probabilities", weights=", ".join(shares))

    def join_sentences(self, *sentences: str) -> str:
        """Join sentences as the participant's language requires. Leave out empty ones."""
        return get_term(self.language, "headline", "between_sentences").join(
            sentence for sentence in sentences if sentence
        )


def get_justice_settings(settings: Settings) -> JusticeSettings:
    """Return `settings` typed as the settings of the justice experiment."""
    assert isinstance(settings, JusticeSettings)
    return settings


def get_participant(settings: JusticeSettings, id: str) -> JusticeParticipant:
    """Return the participant with this id."""
    return next(participant for participant in settings.participants if participant.id == id)
