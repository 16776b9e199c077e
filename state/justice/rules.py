"""The rules of the justice experiment: every knob of a run, grouped, validated, with unit, bounds and default."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, model_validator

from ..memory import EVERYONE
from ..refused import refused_setting, unusable
from ..rules import Rules
from ..settings import Timeouts
from ..statement import MODERATOR, MOST, unfit
from .keys import grouped
from .settings import (
    DEFAULT_PARTICIPANTS,
    Checks,
    DiscussionSettings,
    JusticeMemory,
    JusticeParticipant,
    Language,
    LeastLength,
    Logging,
    ShownLength,
    Tries,
    VoteSettings,
    Wording,
)
from .stakes import Tables


def without_default(schema: dict[str, Any]) -> None:
    """Take the default from a knob that is shown twice, so that a form sends it only where somebody filled it in."""
    schema.pop("default", None)


class JusticeRules(Rules):
    """Every knob of a justice experiment.

    What other protocols keep as `timeouts`, `waits`, `statement_tries` and the like follows here from the settings of
    the discussion and the memory; it is not stored, and the form of the knobs says what it follows from.

    Keys may stand under any of the headings (`discussion`, `voting`, `memory`, `memory_management`, `tables`,
    `wording`, `checks`, `logging`, `phase2_settings`) or at the top; they are put where they belong. Unknown keys are
    refused by name, with the nearest known one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, title="Justice")

    idle: ClassVar[dict[str, str]] = {
        "temperature": "each participant has one of its own, `participants.temperature`",
        "statement_tries": "it follows from `discussion.statement_retry_attempts`",
        "timeouts": "they follow from `discussion.statement_timeout`",
        "waits": "they follow from `discussion.retry_backoff_factor`",
    }

    protocol: Literal["justice"] = Field(default="justice", description="Always `justice`.")
    participants: list[JusticeParticipant] = Field(
        default=DEFAULT_PARTICIPANTS, min_length=2, max_length=MOST, description="Who takes part, in roster order."
    )
    language: Language = Field(default="en", description="Language of prompts and replies.")
    seed: int | None = Field(
        default=None, ge=0, le=2**31 - 1, description="Seed of every draw; none: taken from a hash of these settings."
    )
    repeats: int = Field(default=1, ge=1, le=1000, description="How often the experiment is run.")
    ceiling_warning_share: float = Field(
        default=0.8, ge=0.5, le=1, description="Share with the same first choice from which movement cannot show."
    )
    discussion: DiscussionSettings = Field(default=DiscussionSettings(), description="How the group talks.")
    voting: VoteSettings = Field(default=VoteSettings(), description="How a rule is adopted.")
    memory: JusticeMemory = Field(default=JusticeMemory(), description="How participants remember.")
    tables: Tables = Field(default=Tables(), description="Which incomes are at stake.")
    wording: Wording = Field(default=Wording(), description="What participants are told.")
    checks: Checks = Field(default=Checks(), description="What is checked or balanced about the treatment itself.")
    logging: Logging = Field(default=Logging(), description="How much is logged, and where a transcript goes.")
    max_tokens_synthesis: int = Field(
        default=2000, ge=1, le=100_000, description="Visible tokens of a memory that is written anew."
    )

    temperature: float = Field(default=0.7, ge=0, le=2, exclude=True, description="Sampling temperature.")
    statement_tries: Tries = Field(default=3, exclude=True, description="Calls per turn.")
    timeouts: Timeouts = Field(default=Timeouts(), exclude=True, description="How long a server may be silent.")
    waits: list[Annotated[float, Field(ge=0, le=3600)]] = Field(
        default=[1.0, 1.5], exclude=True, description="Seconds before a further try."
    )
    statement_min_length: LeastLength = Field(
        default=10,
        exclude=True,
        description="The setting of the discussion that bears this name, given at the top.",
        json_schema_extra=without_default,
    )
    statement_min_length_cjk: LeastLength = Field(
        default=5,
        exclude=True,
        description="The setting of the discussion that bears this name, given at the top.",
        json_schema_extra=without_default,
    )
    public_history_max_length: ShownLength = Field(
        default=100_000,
        exclude=True,
        description="The setting of the memory that bears this name, given at the top.",
        json_schema_extra=without_default,
    )

    @model_validator(mode="before")
    @classmethod
    def _in_groups(cls, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        if derived := sorted(value.keys() & cls.idle.keys()):
            raise unusable(derived[0], value[derived[0]], f"{cls.idle[derived[0]]}; leave it out")
        return grouped(value, {key for key, field in cls.model_fields.items() if not field.exclude})

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.voting.min_rounds_before_vote > self.discussion.max_rounds:
            remedy = f"must be at most max_rounds, {self.discussion.max_rounds}"
            raise unusable("min_rounds_before_vote", self.voting.min_rounds_before_vote, remedy)
        _check_distinct(self.participants)
        return self

    @model_validator(mode="after")
    def _as_others_know_it(self) -> Self:
        talk = self.discussion
        self.__dict__.update(
            statement_tries=talk.statement_retry_attempts,
            waits=talk.waits or [0.0],
            statement_min_length=talk.statement_min_length,
            statement_min_length_cjk=talk.statement_min_length_cjk,
            public_history_max_length=self.memory.public_history_max_length,
        )
        return self

    @property
    def ids(self) -> list[str]:
        """The participants' ids in roster order."""
        return [participant.id for participant in self.participants]

    @property
    def run_seed(self) -> int:
        """The seed in force: the one given, else the first 8 hex digits of the settings' SHA-256, modulo 2³¹.

        Hashed is the compact JSON, keys sorted, of the settings that differ from their defaults, so that a default
        spelled out changes nothing.
        """
        if self.seed is not None:
            return self.seed
        settings = self.model_dump(mode="json", exclude_defaults=True, exclude={"repeats", "record", "replay", "place"})
        text = json.dumps(settings, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return int(hashlib.sha256(text.encode("utf-8")).hexdigest()[:8], 16) % 2**31

    @property
    def finish_cap(self) -> int:
        """How often one participant may speak last."""
        return self.discussion.max_finishes_per_participant or ceil(self.discussion.max_rounds / len(self.participants))


def _check_distinct(given: Sequence[JusticeParticipant]) -> None:
    """Refuse names that could be taken for another's or for the protocol's own, and ids that are another's."""
    if found := unfit([one.name for one in given], (MODERATOR, EVERYONE)):
        raise unusable("participants.name", *found)
    seen = {MODERATOR, EVERYONE}
    for one in given:
        if one.id in seen:
            raise unusable("participants.id", one.id, "taken; each must be unique")
        seen.add(one.id)


def read_justice_rules(given: Mapping[str, object]) -> JusticeRules:
    """The rules in `given`; Refused, with key, value and remedy, where they cannot be used."""
    try:
        return JusticeRules.model_validate(given)
    except ValidationError as error:
        raise refused_setting(error) from None
