"""Settings of a run, validated, with unit, bounds and default.

A settings class is the context schema of its protocol's graph. The first node copies the settings into the state, with
models as names. So a checkpoint contains everything that a resumed run needs. Each protocol has a subclass, in the
module with the name of the protocol.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from .errors import LANGUAGE_TAG_PATTERN, InputError, check_effect
from .lookups.settings import ToolSettings
from .plugins.entry_points import (
    PROTOCOL_GROUP,
    STOPPING_RULE_GROUP,
    TURN_ORDER_GROUP,
    get_package_name,
    map_entry_points,
)
from .plugins.plugin_names import PluginName, check_installed, load_plugin
from .prices import Prices
from .recipient import Recipient, Stay
from .setting_types import Budget, MemorySettings, ModelChoice, Timeouts, ViewSettings, mark_unused_settings


class Settings(ToolSettings):
    """Settings that all protocols share."""

    model_config = ConfigDict(allow_inf_nan=False, title="Settings", json_schema_extra=mark_unused_settings)

    classes: ClassVar[dict[str, type["Settings"]]] = {}
    reserve: ClassVar[int] = 1
    """Number of calls reserved for the synthesis."""
    unused_settings: ClassVar[dict[str, str]] = {}
    """Settings that have no effect in this protocol, by dotted name, each with the reason."""
    setting_aliases: ClassVar[dict[str, str]] = {}
    """Name of the setting for each alias in this protocol."""
    anonymous: ClassVar[bool] = False
    """Flag for a protocol that hides the authors of statements from participants during the run."""
    offers_concession: ClassVar[bool] = False
    """Flag for a protocol whose speakers can give up their side by the last line of a statement."""
    allows_direct_answer: ClassVar[bool] = False
    """Flag for a protocol whose synthesis can answer directly, without any statement before it."""

    protocol: str = Field(default="", description="Name of the protocol, set by the settings class.")
    schema_version: Literal[2] = Field(default=2, description="Version of the stored state.")
    packages: dict[str, str] = Field(
        default_factory=dict, description="Packages of the chosen plugins, by setting. Moot fills it in."
    )
    model: ModelChoice = Field(
        default="", description="Model, such as `openai:gpt-5-mini`; empty: from the environment."
    )
    models: dict[str, ModelChoice] = Field(
        default_factory=dict, description="Models or agents by participant or role (synthesizer, judge, summarizer)."
    )
    agent_context: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description="Contexts of agents, by participant; without one: run, seat, turn, round and language.",
    )
    agent_calls: int = Field(default=10, ge=1, le=200, description="Maximum model calls of an agent for one answer.")
    agent_steps: int = Field(default=50, ge=1, le=1000, description="Maximum steps of an agent for one answer.")
    stay: Stay | None = Field(
        default=None,
        description=(
            "Servers that may get the run's texts: `local`, or origins such as `https://api.mistral.ai`; none: any."
        ),
    )
    recipients: list[Recipient] | None = Field(default=None, description="Recipients of the texts. Moot fills it in.")
    language: str = Field(
        default="en",
        pattern=LANGUAGE_TAG_PATTERN,
        max_length=35,
        description="Language of prompts and replies, BCP-47 tag. Fully translated: en, es, zh.",
    )
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1, description="Seed of all random draws; none: random.")
    temperature: float = Field(default=0.7, ge=0, le=2, description="Sampling temperature of statements and answers.")
    max_tokens_per_turn: int = Field(
        default=400, ge=1, le=100_000, description="Maximum tokens of a statement, without reasoning."
    )
    max_tokens_synthesis: int = Field(
        default=800, ge=1, le=100_000, description="Maximum tokens of the synthesis, without reasoning."
    )
    reasoning_tokens: int = Field(
        default=4000, ge=0, le=200_000, description="Extra tokens for models that reason before they answer."
    )
    max_attempts: int = Field(
        default=3, ge=1, le=10, description="Attempts per turn. Failed connections and unusable answers count."
    )
    on_outage: Literal["wait", "skip"] = Field(
        default="wait",
        description=(
            "Reaction to a failed server: `wait` parks the run until it answers; `skip` continues without its seats."
        ),
    )
    timeouts: Timeouts = Field(default=Timeouts(), description="Time limits of a call, s.")
    person_deadline: float | None = Field(
        default=86_400,
        gt=0,
        le=315_360_000,
        description=(
            "Time for a person's answer, s; none: unlimited. A late answer counts as missed or as an abstention."
        ),
    )
    retry_delays: list[Annotated[float, Field(ge=0, le=600)]] = Field(
        default=[1.0, 1.5], min_length=1, max_length=10, description="Delays before attempts 2, 3 …, s."
    )
    statement_min_length: int = Field(default=10, ge=1, le=1000, description="Minimum characters of a statement.")
    statement_min_length_cjk: int = Field(
        default=5, ge=1, le=1000, description="Minimum characters of a Chinese, Japanese or Korean statement."
    )
    budget: Budget = Field(default=Budget(), description="Caps on calls, tokens, cost and look-ups.")
    prices: Prices | None = Field(default=None, description="Prices per million tokens; none: Moot looks them up.")
    public_history_max_length: int = Field(
        default=100_000, ge=100, le=100_000_000, description="Maximum characters of statements in a prompt."
    )
    memory: MemorySettings = Field(default=MemorySettings(), description="Memory of the participants.")
    templates: str = Field(
        default="", max_length=4000, description="Folder of templates that replace the built-in ones."
    )
    record: str = Field(default="", max_length=4000, description="File for a recording of all answers, JSON lines.")
    replay: str = Field(
        default="", max_length=4000, description="Recording that replaces all models; FILE#N for its run N."
    )
    recording_id: str = Field(default="", max_length=300, description="Run's name in the recording; empty: automatic.")

    @classmethod
    def check_unused(cls, values: Mapping[str, Any]) -> None:
        """Check that all settings in `values` have an effect in this protocol. Raises `InputError`."""
        for key, reason in cls.unused_settings.items():
            section, _, name = key.partition(".")
            mapping = values.get(section) if name else values
            if isinstance(mapping, Mapping) and (name or section) in mapping:
                raise InputError(key, mapping[name or section], f"{reason}; leave it out")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: object) -> None:
        if name := str(cls.model_fields["protocol"].default):
            if not cls.__module__.startswith(f"{__package__}."):
                _load_builtin(name)
            registered_class = Settings.classes.get(name, cls)
            if (registered_class.__module__, registered_class.__qualname__) != (cls.__module__, cls.__qualname__):
                owner_name = f"{registered_class.__module__}.{registered_class.__qualname__}"
                remedy = f"{owner_name} has this protocol name already; give {cls.__qualname__} another"
                raise InputError("protocol", name, remedy)
            Settings.classes[name] = cls

    @model_validator(mode="before")
    @classmethod
    def _record_packages(cls, values: Any) -> Any:
        """Add to `values` which packages provide the chosen plugins. A missing package stays recorded."""
        if not isinstance(values, dict):
            return values
        recorded_packages, packages = values.get("packages") or {}, dict[str, str]()
        if (protocol := cls.model_fields["protocol"].default) in map_entry_points(PROTOCOL_GROUP):
            packages["protocol"] = get_package_name(map_entry_points(PROTOCOL_GROUP)[protocol][0])
        for setting, plugin_name in get_plugin_settings(cls).items():
            name = values.get(setting, cls.model_fields[setting].default)
            if name in map_entry_points(plugin_name.group):
                packages[setting] = get_package_name(map_entry_points(plugin_name.group)[name][0])
            elif name not in plugin_name.builtin_names and setting in recorded_packages:
                packages[setting] = recorded_packages[setting]
        return {**values, "packages": packages} if packages or "packages" in values else values

    def check_seats(self, names: Sequence[str]) -> None:
        """Check that the participants fit the settings. Protocols override this. Raises `InputError`."""

    def with_subject(self, subject: str) -> Self:
        """Return the settings with values derived from the run's subject. Protocols override this."""
        return self

    def with_choices(self, **choices: object) -> Self:
        """Return a copy with `choices` applied, for storage. Models are stored by their specs."""
        return type(self).model_validate(self.model_dump() | choices)


@cache
def get_plugin_settings(settings_class: type[Settings]) -> Mapping[str, PluginName]:
    """Map the name of each setting that can name a plugin to the plugins that it accepts."""
    return {
        name: plugin_name
        for name, field in settings_class.model_fields.items()
        for plugin_name in field.metadata
        if isinstance(plugin_name, PluginName)
    }


def check_packages(settings: Settings) -> None:
    """Check that the packages of all chosen plugins are installed. Raises `InputError` for a missing one."""
    for setting, package in settings.packages.items():
        plugin_name = get_plugin_settings(type(settings)).get(setting)
        check_installed(
            setting, plugin_name.group if plugin_name else PROTOCOL_GROUP, getattr(settings, setting), package
        )


def _load_builtin(protocol: str) -> None:
    """Import the settings module of a built-in protocol. Do nothing for other names."""
    if protocol not in Settings.classes and protocol.isidentifier() and find_spec(f".{protocol}", __package__):
        # a room loads its names at first use
        getattr(import_module(f".{protocol}", __package__), f"{protocol.title()}Settings", None)


def parse_settings(value: object) -> Settings:
    """Parse stored or submitted settings: a `Settings` instance, or a dict that names the protocol."""
    if isinstance(value, Settings):
        return value
    settings_class = get_settings_class(str(value.get("protocol", ""))) if isinstance(value, dict) else Settings
    return settings_class.model_validate(value)


def get_settings_class(protocol: str) -> type[Settings]:
    """Return the settings class of a protocol, built in or from a package; `Settings` if it is unknown."""
    _load_builtin(protocol)
    if protocol not in Settings.classes and protocol in map_entry_points(PROTOCOL_GROUP):
        load_plugin("protocol", PROTOCOL_GROUP, protocol)
    return Settings.classes.get(protocol, Settings)


class StoppingSettings(Settings):
    """Settings of protocols with a cap or a stopping rule."""

    max_turns: int | None = Field(default=None, ge=1, le=100_000, description="Maximum turns; none: unlimited.")
    max_rounds: int | None = Field(default=None, ge=1, le=10_000, description="Maximum rounds; none: unlimited.")
    dynamic_termination: bool = Field(default=True, description="Whether a stopping rule may end the run early.")
    stop_rule: Annotated[str, PluginName(STOPPING_RULE_GROUP, ("asked", "lexical", "judge"))] = Field(
        default="asked", description="Rule that detects a concession or a stalemate."
    )
    judge_interval: int = Field(default=4, ge=1, le=100, description="Turns between two questions to the judge.")

    @property
    def can_name_next(self) -> bool:
        """Whether a speaker may name the next speaker."""
        return False

    @property
    def has_vote(self) -> bool:
        """Whether a vote ends the deliberation."""
        return False

    def get_turn_cap(self, seats: int) -> int | None:
        """Return the maximum number of turns for `seats` participants; `None` without a cap."""
        return self.max_turns


class ProfileSettings(StoppingSettings):
    """Setting of protocols whose participants have persona profiles."""

    profile: str = Field(
        default="",
        max_length=80,
        description="Persona profile; empty: generic roles.",
        json_schema_extra={"enum": ["", "balanced", "technical-review", "brainstorm", "generic"]},
    )


class TurnOrderSettings(StoppingSettings):
    """Settings of protocols in which each participant speaks once per round, in a configurable order."""

    turn_order: Annotated[
        str, PluginName(TURN_ORDER_GROUP, ("round_robin", "least_spoken", "yield_floor", "shuffled"))
    ] = Field(default="round_robin", description="Order of the speakers.")
    max_finishes_per_participant: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="With `shuffled`: rounds in which one participant may speak last; none: an equal share.",
    )

    @model_validator(mode="after")
    def _check_finishes(self) -> Self:
        has_effect = self.turn_order not in ("round_robin", "least_spoken", "yield_floor")
        check_effect(self, "max_finishes_per_participant", has_effect, "set turn_order to shuffled")
        return self

    @property
    def can_name_next(self) -> bool:
        """Whether a speaker may name the next speaker."""
        return self.turn_order == "yield_floor"


class BlindRoundSettings(StoppingSettings):
    """Setting of protocols with an optional blind first round."""

    blind_first_round: bool = Field(default=True, description="Whether statements stay hidden until round 1 ends.")

    def is_blind_round(self, round: int) -> bool:
        """Return whether all participants speak at once in this round, without seeing each other's statements."""
        return self.blind_first_round and round == 1


class LongViewSettings(StoppingSettings):
    """Setting of protocols that may have long histories."""

    view: ViewSettings = Field(default=ViewSettings(), description="History in a prompt.")
