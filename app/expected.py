"""What a run may cost, before it begins."""

from typing import NamedTuple

from ..state.incident import Call
from ..state.rules import Rules
from .protocols import protocol

HEAD = 600
"""Tokens of a prompt's rules, cast and task, about."""

CHARACTERS_PER_TOKEN = 4


class Expected(NamedTuple):
    """Calls and tokens of a run that goes to its cap with statements of full length and no failed tries."""

    calls: int
    input: int
    output: int

    def cost(self, rules: Rules) -> float | None:
        """In the currency of the prices; none without prices."""
        call = Call(purpose="estimate", input_tokens=self.input, output_tokens=self.output)
        return rules.prices.cost([call]) if rules.prices else None


def expected(rules: Rules, material: str, seats: int = 0) -> Expected | None:
    """The most a talk of so many participants costs under these rules; none where there is no cap on turns."""
    face = protocol(rules.protocol).face
    turns = face.turns(rules, seats)
    if turns is None:
        return None
    statement = rules.max_tokens_per_turn
    shared = HEAD + face.reading(rules) + len(material) // CHARACTERS_PER_TOKEN
    prompts = sum(shared + said * statement for said in range(turns + 1))
    calls = min(turns + 1, rules.budget.calls or turns + 1)
    return Expected(calls, prompts, turns * statement + rules.max_tokens_synthesis)


def expectation(rules: Rules, material: str, seats: int = 0) -> str:
    """The same in words: model, calls, tokens, money."""
    most = expected(rules, material, seats)
    if most is None:
        return f"model {rules.model}; no cap on turns, so no bound on its cost"
    cost = most.cost(rules)
    money = "cost unknown without prices" if cost is None else f"{cost:,.4g} at the given prices"
    tokens = most.input + most.output
    return f"model {rules.model}; at most {most.calls} calls and about {tokens:,} tokens; {money}"
