"""Who is told something: one participant, its language, the run's wording and frame, and what it holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

from ...prompts import language_name, term
from ...state.fence import neutral
from ...state.justice import (
    CERTAINTIES,
    INCOME_CLASSES,
    DistributionSet,
    JusticeParticipant,
    JusticeRules,
    Language,
    Presentation,
    Ranking,
    SharingRule,
    credit_shares,
    deduction,
    dollars,
    number_of,
    presentation,
    told_apart,
)
from ...state.justice.principle import Principle
from ...state.rules import Rules
from .words import PHRASES


class OfPrinciple(Protocol):
    """What is about one principle."""

    @property
    def principle(self) -> Principle: ...


R = TypeVar("R", bound=OfPrinciple)


@dataclass(frozen=True)
class Hearer:
    """One participant as the words need it.

    `bank`: payoffs so far, in cents; `drawn`: paid draws so far.
    `memory`: its own digest, as text.
    """

    rules: JusticeRules
    one: JusticeParticipant
    bank: int = 0
    drawn: int = 0
    memory: str = ""

    @property
    def language(self) -> Language:
        """The language of its prompts and replies."""
        return self.one.language or self.rules.language

    def say(self, key: str, /, **values: object) -> str:
        """A phrase in its language; texts that come from participants lose forged fences."""
        safe = {name: neutral(value) if isinstance(value, str) else value for name, value in values.items()}
        return PHRASES.within(self.rules.templates).say(self.language, key, **safe)

    def worded(self, key: str) -> str:
        """A phrase in the run's wording."""
        return self.say(f"{self.rules.wording.wording}.{key}")

    def framed(self, key: str, **values: object) -> str:
        """A phrase in the run's frame."""
        return self.say(f"{self.rules.wording.frame}.{key}", **values)

    def stands(self, stage: str, goal: str = "") -> str:
        """Who it is, what it seeks, what it holds, and where it is; without a `goal`, to prefer is its own affair."""
        key = "you.persona" if self.one.personality else "you.you"
        parts = {"name": self.one.name, "personality": self.one.personality, "goal": goal or self.say("you.free")}
        return self.say(key, **parts, bank=self.held(), stage=stage)

    def held(self) -> str:
        """What it holds: its bank, or what its payoffs and the undrawn shares leave of the credit."""
        held, wording = self.bank + self._undrawn(), self.rules.wording
        grown = wording.frame == "loss" and held > wording.loss_credit_cents
        return self.framed("bank_over" if grown else "bank", held=dollars(held))

    def _undrawn(self) -> int:
        if self.rules.wording.frame == "gain":
            return 0
        return sum(credit_shares(self.rules.wording.loss_credit_cents)[self.drawn :])

    def credit(self) -> str:
        """What it is paid from."""
        return self.framed("credit", credit=dollars(self.rules.wording.loss_credit_cents))

    def pay(self) -> str:
        """How the income of a class becomes money."""
        return self.framed("pay", credit=dollars(self.rules.wording.loss_credit_cents))

    def paid(self, payoff: int, draw: int, key: str = "paid") -> str:
        """What paid draw number `draw`, from 1, brings, told in the run's frame; `key`: `paid` or `outcome`."""
        share = credit_shares(self.rules.wording.loss_credit_cents)[draw - 1]
        taken = deduction(share, payoff)
        added = {"paid": "addition", "outcome": "outcome_addition"}[key]
        values = {"paid": dollars(payoff), "share": dollars(share), "taken": dollars(abs(taken))}
        return self.framed(added if taken < 0 else key, **values)

    def rule(self, rule: SharingRule) -> str:
        """A principle by number and name, with its amount."""
        name, number = self.say(f"principles.{rule.principle}"), number_of(rule.principle)
        if rule.constraint_amount is None:
            return self.say("table.rule", number=number, name=name)
        return self.say("table.rule_amount", number=number, name=name, amount=f"{rule.constraint_amount:,}")

    @cached_property
    def shown(self) -> Presentation:
        """In which order it is told of principles and distributions."""
        return presentation(self.rules, self.one.id)[0]

    def definitions(self) -> str:
        """The four principles with their numbers, in the order they are shown to it."""
        lines = [self.say(f"definitions.{each}") for each in self.shown.principles]
        ordered = self.rules.checks.principle_order == "fixed"
        return "\n".join(lines if ordered else [*lines, self.say("table.numbers")])

    def listed(self, each: Sequence[R]) -> list[R]:
        """Rules, or what came of them, in the order in which their principles are shown to it."""
        return sorted(each, key=lambda one: self.shown.principles.index(one.principle))

    def certainties(self) -> str:
        """The five certainties, from least to most."""
        return ", ".join(self.say(f"certainties.{each}") for each in CERTAINTIES)

    def order(self, ranking: Ranking) -> str:
        """A ranking as numbers, best first."""
        return ", ".join(str(number_of(each)) for each in ranking.order)

    def table(self, table: DistributionSet, *, averages: bool = False) -> str:
        """The incomes of a set, a row per class, a column per distribution in the order they are shown to it."""
        rows = [[self.say("table.head"), *self.shown.distributions]]
        for name in INCOME_CLASSES:
            incomes = [f"{table[each].income(name):,}" for each in self.shown.distributions]
            rows.append([self.say(f"classes.{name}"), *incomes])
        if averages:
            means = [table[each].average(table.weights) for each in self.shown.distributions]
            rows.append([self.say("table.average"), *told_apart(means)])
        return "\n".join(" | ".join(row) for row in rows)

    def probabilities(self, table: DistributionSet, *, chosen: bool) -> str:
        """The class weights in force, where they may be told before or after the choice; else empty."""
        reveal = self.rules.tables.reveal_class_probabilities
        if reveal == "never" or (reveal == "after_choice" and not chosen):
            return ""
        if table.weights is None:
            return self.say("table.equal")
        shares = [
            self.say(
                "table.class_weight",
                name=self.say(f"classes.{name}"),
                percent=_percent(weight),
            )
            for name, weight in zip(INCOME_CLASSES, table.weights, strict=True)
        ]
        return self.say("table.probabilities", weights=", ".join(shares))

    def joined(self, *sentences: str) -> str:
        """Sentences side by side, those that are empty left out."""
        return term(self.language, "headline", "between_sentences").join(one for one in sentences if one)

    def spoken(self) -> str:
        """Its language, by name."""
        return language_name(self.language)


def _percent(weight: float) -> str:
    """A weight in percent, with at most four decimals."""
    return f"{weight * 100:.4f}".rstrip("0").rstrip(".")


def settled_rules(rules: Rules) -> JusticeRules:
    """The rules of this experiment."""
    assert isinstance(rules, JusticeRules)
    return rules


def by_id(rules: JusticeRules, id: str) -> JusticeParticipant:
    """The participant with this id."""
    return next(one for one in rules.participants if one.id == id)
