"""Settings of the justice experiment, grouped and validated, with unit, bounds and default."""

import hashlib
import json
from collections.abc import Mapping
from math import ceil
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, model_validator

from ..errors import InputError, check_effect, convert_setting_error, make_setting_error
from ..lookups import ToolChoice
from ..memory import EVERYONE
from ..settings import Settings
from ..statement import MAX_PARTICIPANTS, MODERATOR, find_name_fault
from .group_settings import (
    DEFAULT_PARTICIPANTS,
    AttemptLimit,
    CheckSettings,
    HistoryLength,
    JusticeDiscussionSettings,
    JusticeMemorySettings,
    JusticeParticipant,
    JusticeTimeouts,
    JusticeVoteSettings,
    Language,
    LoggingSettings,
    MinLength,
    WordingSettings,
)
from .income_settings import TableSettings
from .setting_keys import group_keys


def drop_default(schema: dict[str, Any]) -> None:
    """Remove from `schema` the default of a setting that appears in two groups of the web form.

    So the form sends the setting only if someone fills it in.
    """
    schema.pop("default", None)


class JusticeSettings(Settings):
    """Settings of a justice experiment.

    Retry delays, timeouts and attempts follow from the settings of the discussion and the memory. They are not stored,
    and the form names their source.

    A key may stand at the top or under any heading: `discussion`, `voting`, `memory`, `memory_management`, `tables`,
    `wording`, `checks`, `logging` or `phase2_settings`. Moot moves it to its group. The error for an unknown key names
    the nearest known one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, title="Justice")

    unused_settings: ClassVar[dict[str, str]] = {
        "temperature": "each participant has its own, in `participants.temperature`",
        "max_attempts": "Moot takes it from `discussion.statement_retry_attempts`",
        **dict.fromkeys(
            [f"timeouts.{key}" for key in ("first_token", "between_tokens", "total", "whole_reply")],
            "Moot takes the limits from `discussion.statement_timeout`",
        ),
        "retry_delays": "Moot computes them from `discussion.retry_backoff_factor`",
    }

    protocol: Literal["justice"] = Field(default="justice", description="Always `justice`.")
    participants: list[JusticeParticipant] = Field(
        default=DEFAULT_PARTICIPANTS,
        min_length=2,
        max_length=MAX_PARTICIPANTS,
        description="Participants, in seat order.",
    )
    tools: list[ToolChoice] = Field(
        default_factory=list, max_length=0, description="Always empty; the experiment has no look-ups."
    )
    language: Language = Field(default="en", description="Language of prompts and replies.")
    seed: int | None = Field(
        default=None, ge=0, le=2**31 - 1, description="Seed of all random draws; none: a hash of the settings."
    )
    repeats: int = Field(default=1, ge=1, le=1000, description="Number of runs.")
    ceiling_warning_share: float = Field(
        default=0.8,
        ge=0.5,
        le=1,
        description=("Share of participants with the same first choice at which Moot warns of it."),
    )
    discussion: JusticeDiscussionSettings = Field(default=JusticeDiscussionSettings(), description="Group discussion.")
    voting: JusticeVoteSettings = Field(default=JusticeVoteSettings(), description="Vote on a rule.")
    memory: JusticeMemorySettings = Field(default=JusticeMemorySettings(), description="Memory of the participants.")
    tables: TableSettings = Field(default=TableSettings(), description="Income tables.")
    wording: WordingSettings = Field(default=WordingSettings(), description="Wording of the instructions.")
    checks: CheckSettings = Field(default=CheckSettings(), description="Checks and counterbalancing.")
    logging: LoggingSettings = Field(default=LoggingSettings(), description="Logging.")
    max_tokens_synthesis: int = Field(
        default=2000, ge=1, le=100_000, description="Maximum tokens of a rewritten memory, without reasoning."
    )

    temperature: float = Field(default=0.7, ge=0, le=2, exclude=True, description="Sampling temperature.")
    max_attempts: AttemptLimit = Field(default=3, exclude=True, description="Calls per turn.")
    timeouts: JusticeTimeouts = Field(default=JusticeTimeouts(), description="Limits of the attempts at a statement.")
    retry_delays: list[Annotated[float, Field(ge=0, le=3600)]] = Field(
        default=[1.0, 1.5], exclude=True, description="Delays before attempts 2, 3 …, s."
    )
    statement_min_length: MinLength = Field(
        default=10,
        exclude=True,
        description="Short form of the setting in `discussion`.",
        json_schema_extra=drop_default,
    )
    statement_min_length_cjk: MinLength = Field(
        default=5,
        exclude=True,
        description="Short form of the setting in `discussion`.",
        json_schema_extra=drop_default,
    )
    public_history_max_length: HistoryLength = Field(
        default=100_000,
        exclude=True,
        description="Short form of the setting in `memory`.",
        json_schema_extra=drop_default,
    )

    @model_validator(mode="before")
    @classmethod
    def _group_keys(cls, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        try:
            cls.check_unused(value)
        except InputError as error:
            raise make_setting_error(error.key, error.value, error.remedy) from None
        return group_keys(value, {key for key, field in cls.model_fields.items() if not field.exclude})

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        if self.voting.min_rounds_before_vote > self.discussion.max_rounds:
            raise make_setting_error(
                "min_rounds_before_vote",
                self.voting.min_rounds_before_vote,
                f"must be at most max_rounds, {self.discussion.max_rounds}",
            )
        if fault := find_name_fault([participant.name for participant in self.participants]):
            raise make_setting_error("participants.name", *fault)
        taken_ids = {MODERATOR, EVERYONE}
        for participant in self.participants:
            if participant.id in taken_ids:
                raise make_setting_error(
                    "participants.id", participant.id, "another participant has this id; give each its own"
                )
            taken_ids.add(participant.id)
        return self

    @model_validator(mode="after")
    def _check_effects(self) -> Self:
        has_test = self.checks.comprehension_test
        has_shuffle = self.discussion.speaking_order != "fixed"
        effects = [
            ("comprehension_tries", self.checks, has_test, "set comprehension_test to true"),
            ("max_finishes_per_participant", self.discussion, has_shuffle, "choose another speaking order than fixed"),
        ]
        for key, group, has_effect, remedy in effects:
            check_effect(group, key, has_effect, remedy)
        return self

    @model_validator(mode="after")
    def _fill_shared_settings(self) -> Self:
        discussion = self.discussion
        self.__dict__.update(
            max_attempts=discussion.statement_retry_attempts,
            retry_delays=discussion.retry_delays or [0.0],
            statement_min_length=discussion.statement_min_length,
            statement_min_length_cjk=discussion.statement_min_length_cjk,
            public_history_max_length=self.memory.public_history_max_length,
        )
        return self

    @property
    def statement_timeouts(self) -> list[float]:
        """Return the time limit of each attempt at a statement, in seconds."""
        attempts = range(1, self.discussion.statement_retry_attempts + 1)
        return [self.discussion.statement_timeout * self.timeouts.get_backoff_factor(attempt) for attempt in attempts]

    @property
    def ids(self) -> list[str]:
        """Return the participants' ids in roster order."""
        return [participant.id for participant in self.participants]

    @property
    def run_seed(self) -> int:
        """Return the configured seed or, without one, a seed derived from the settings.

        A derived seed is the first 8 hex digits of the settings' SHA-256, modulo 2³¹. The hash covers compact JSON,
        with sorted keys, of the settings that differ from their defaults. So writing out a default value does not
        change the seed. `repeats` and the settings of a recording are left out.
        """
        if self.seed is not None:
            return self.seed
        values = self.model_dump(
            mode="json", exclude_defaults=True, exclude={"repeats", "record", "replay", "recording_id"}
        )
        text = json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return int(hashlib.sha256(text.encode("utf-8")).hexdigest()[:8], 16) % 2**31

    @property
    def finish_cap(self) -> int:
        """Return the maximum number of rounds in which the same participant may speak last."""
        return self.discussion.max_finishes_per_participant or ceil(self.discussion.max_rounds / len(self.participants))


def parse_justice_settings(values: Mapping[str, object]) -> JusticeSettings:
    """Parse the settings of an experiment. Raises `InputError` for the first unusable setting."""
    try:
        return JusticeSettings.model_validate(values)
    except ValidationError as error:
        raise convert_setting_error(error) from None
