"""Settings of a council: its rankings, their count, its chairman, and the length of its texts."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from ..ballot import BallotFormat
from ..count import VOTING_RULES, CountSettings, VotingRule, get_voting_rule
from ..errors import InputError
from ..plugins import VOTING_RULE_GROUP, PluginName
from ..positions.settings import CALIBRATION_SETTINGS, PositionSettings


class CouncilSettings(PositionSettings):
    """Settings of a council: its rankings, their count, its chairman, and the length of its texts."""

    model_config = ConfigDict(title="Council")

    anonymous: ClassVar[bool] = True
    blind_round: ClassVar[int | None] = 1
    unused_settings: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["judge_interval", "models.judge"], "a council has no judge"),
        **dict.fromkeys(
            ["max_turns", "max_rounds", "dynamic_termination", "stop_rule", "stable_rounds", *CALIBRATION_SETTINGS],
            "a council has one round",
        ),
        "models.summarizer": "a council never needs a summary",
        "positions": "the answers of the members are their positions",
        "profile": "a council has no persona profiles",
    }

    protocol: Literal["council"] = Field(default="council", description="Always `council`.")
    positions: Literal["off"] = Field(default="off", description="Always `off`; the answers are the positions.")
    stop_rule: Literal["never"] = Field(default="never", description="Always `never`; a council has no rounds.")
    dynamic_termination: Literal[False] = Field(
        default=False, description="Always false; a council always ends after the rankings."
    )
    rank_own_answer: bool = Field(default=True, description="Whether members also rank their own answer.")
    voting_rule: Annotated[str, PluginName(VOTING_RULE_GROUP, tuple(VOTING_RULES), VotingRule)] = Field(
        default="borda",
        description="Counting rule of the rankings. Members also give scores or points if the rule needs them.",
    )
    count: CountSettings = Field(default=CountSettings(), description="Settings of the count.")
    chairman: str = Field(
        default="", max_length=80, description="Member that writes the final answer; empty: the synthesizer."
    )
    max_tokens_per_turn: int = Field(
        default=800, ge=1, le=100_000, description="Maximum tokens of an answer or a ranking, without reasoning."
    )
    max_tokens_synthesis: int = Field(
        default=1600, ge=1, le=100_000, description="Maximum tokens of the final answer, without reasoning."
    )

    def check_seats(self, names: Sequence[str]) -> None:
        """Check the chairman and the number of answers to rank. Raises `InputError`."""
        if len(names) == 2 and not self.rank_own_answer:
            raise InputError(
                "rank_own_answer",
                False,
                (
                    "with two members, each could rank only the other's answer; add a third member, or leave "
                    "rank_own_answer out"
                ),
            )
        if self.chairman and self.chairman not in names:
            raise InputError(
                "chairman",
                self.chairman,
                f"name a member ({', '.join(names)}), or leave chairman out and name a model in models.synthesizer",
            )
        if self.chairman and "synthesizer" in self.models:
            raise InputError(
                "models.synthesizer",
                self.models["synthesizer"],
                f"the chairman {self.chairman} writes the final answer; leave out chairman or models.synthesizer",
            )

    @property
    def ballot_format(self) -> BallotFormat:
        """Format of the ballots that the voting rule counts: rankings if the rule supports them."""
        rule = get_voting_rule(self.voting_rule)
        return "ranking" if "ranking" in rule.ballot_kinds else rule.ballot_format

    @property
    def is_weighted(self) -> bool:
        """Whether members state how certain they are of their ranking."""
        return self.voting_rule == "confidence_weighted"

    @property
    def count_settings(self) -> CountSettings:
        """Settings of the count, with the run's seed as the default of the tie seed.

        If members do not rank their own answers, the count excludes votes for them.
        """
        return self.count.model_copy(
            update={
                "tie_seed": self.count.tie_seed or self.seed or 0,
                "exclude_self": self.count.exclude_self or not self.rank_own_answer,
            }
        )
