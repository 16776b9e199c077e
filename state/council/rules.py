"""The rules of a council."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from ..ballot import AskedKind
from ..count import RULES, CountSettings, Rule, rule_named
from ..installed.named import Named
from ..installed.packages import COUNTS
from ..positions.rules import CALIBRATED, PositionRules
from ..refused import Refused

ONCE = "a council answers once"


class CouncilRules(PositionRules):
    """The knobs of a council."""

    model_config = ConfigDict(title="Council")

    anonymous: ClassVar[bool] = True
    blind_round: ClassVar[int | None] = 1
    idle: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["judge_every", "models.judge"], "no judge ends a council"),
        **dict.fromkeys(
            ["max_turns", "max_rounds", "dynamic_termination", "stopping", "still_rounds", *CALIBRATED], ONCE
        ),
        "models.summarizer": "a council never needs a summary",
        "positions": "members say where they stand with their answers, where `answer` asks for it",
        "profile": "a council has no persona profiles",
    }

    protocol: Literal["council"] = Field(default="council", description="Always `council`.")
    positions: Literal["off"] = Field(default="off", description="Never asked for apart from the answers.")
    stopping: Literal["never"] = Field(default="never", description="There is nothing to stop.")
    dynamic_termination: Literal[False] = Field(default=False, description="Always to the end.")
    rank_own: bool = Field(default=True, description="Whether members rank their own answers among the others.")
    rule: Annotated[str, Named(COUNTS, tuple(RULES), Rule)] = Field(
        default="borda", description="Counting rule of the rankings; where it needs more than a ranking, that is asked."
    )
    ballot: CountSettings = Field(default=CountSettings(), description="Quorum, tie rule and share of the count.")
    chairman: str = Field(
        default="", max_length=80, description="The member who writes the final answer; empty: the synthesizer."
    )
    max_tokens_per_turn: int = Field(
        default=800, ge=1, le=100_000, description="Visible tokens of an answer, and of a ranking with its critiques."
    )
    max_tokens_synthesis: int = Field(default=1600, ge=1, le=100_000, description="Visible tokens of the final answer.")

    def check_seats(self, names: Sequence[str]) -> None:
        """Raise `Refused` for a chairman who is no member, for two who are to write, and for nothing to rank."""
        if len(names) == 2 and not self.rank_own:
            raise Refused("rank_own", False, "two members have one answer each to rank; seat a third, or leave it out")
        if self.chairman and self.chairman not in names:
            remedy = f"name a member ({', '.join(names)}), or leave it out and name a model in models.synthesizer"
            raise Refused("chairman", self.chairman, remedy)
        if self.chairman and "synthesizer" in self.models:
            remedy = f"the chairman {self.chairman} writes the final answer; leave out one of the two"
            raise Refused("models.synthesizer", self.models["synthesizer"], remedy)

    @property
    def asks(self) -> AskedKind:
        """What the rule counts of a member's answers: the ranking, where it can; else what it needs beside it."""
        rule = rule_named(self.rule)
        return "ranking" if "ranking" in rule.kinds else rule.asks

    @property
    def weighted(self) -> bool:
        """Whether members say how certain they are of their ranking."""
        return self.rule == "confidence_weighted"

    @property
    def counting(self) -> CountSettings:
        """The settings of the count; nobody's own answer counts for its author where authors do not rank it."""
        apart = self.ballot.exclude_self or not self.rank_own
        return self.ballot.model_copy(update={"seed": self.seed or 0, "exclude_self": apart})
