"""Rules: every knob of a run, validated, with unit, bounds and default.

A rules class is the context schema of its protocol's graph. The first node copies it into the state, models named by
their specs: a checkpoint alone is enough to go on. A protocol's own knobs are a subclass, in the module of its name.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .installed.named import Named, loaded, refuse_missing
from .installed.packages import ENDINGS, ORDERS, PROTOCOLS, brought, package_of
from .refused import LANGUAGE_TAG, Refused
from .settings import Budget, MemorySettings, ModelChoice, Prices, Timeouts, ViewSettings


def mark_idle(schema: dict[str, Any], kind: type["Rules"]) -> None:
    """Say in a form which knobs do nothing; without a default it sends none of them of its own accord."""
    for key in schema["properties"].keys() & kind.idle.keys():
        schema["properties"][key] |= {"description": f"Does nothing: {kind.idle[key]}; leave it out."}
        schema["properties"][key].pop("default", None)


class Rules(BaseModel):
    """The knobs all protocols share."""

    model_config = ConfigDict(frozen=True, extra="forbid", title="Rules", json_schema_extra=mark_idle)

    kinds: ClassVar[dict[str, type["Rules"]]] = {}
    reserve: ClassVar[int] = 1
    """Calls kept back for the closing text."""
    idle: ClassVar[dict[str, str]] = {}
    """Knobs that other protocols have and that do nothing here, by dotted name, each with why."""
    own_words: ClassVar[dict[str, str]] = {}
    """Knobs that the protocol also calls by a word of its own: that word, and the name of the knob."""
    anonymous: ClassVar[bool] = False
    """Whether nobody who takes part learns, while it goes on, who said what."""
    direct: ClassVar[bool] = False
    """Whether the closing text may be the whole answer, with nobody speaking before it."""

    protocol: str = Field(default="", description="Name of the protocol; set by its rules class.")
    schema_version: Literal[1] = Field(default=1, description="Version of the stored state.")
    packages: dict[str, str] = Field(
        default_factory=dict, description="Packages that bring what is chosen by name, by knob; filled in."
    )
    model: ModelChoice = Field(
        default="", description="Default model spec, such as `openai:gpt-5-mini`; empty: found from the environment."
    )
    models: dict[str, ModelChoice] = Field(
        default_factory=dict, description="Model per participant's name or role (synthesizer, judge, summarizer)."
    )
    language: str = Field(
        default="en",
        pattern=LANGUAGE_TAG,
        max_length=35,
        description="BCP-47 tag of prompts and replies; en, zh and es have complete catalogues.",
    )
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1, description="Seed of every draw; none: drawn once.")
    temperature: float = Field(default=0.7, ge=0, le=2, description="Sampling temperature of statements.")
    max_tokens_per_turn: int = Field(default=400, ge=1, le=100_000, description="Visible tokens of one statement.")
    max_tokens_synthesis: int = Field(default=800, ge=1, le=100_000, description="Visible tokens of the synthesis.")
    reasoning_allowance: int = Field(
        default=4000, ge=0, le=200_000, description="Tokens added to a cap for models that reason before they answer."
    )
    statement_tries: int = Field(default=3, ge=1, le=10, description="Calls per turn, transport and content together.")
    timeouts: Timeouts = Field(default=Timeouts(), description="How long a server may be silent, in seconds.")
    person_deadline: float | None = Field(
        default=86_400,
        gt=0,
        le=315_360_000,
        description="Seconds a person is waited for, who then is passed over, or abstains; none: for ever.",
    )
    waits: list[Annotated[float, Field(ge=0, le=600)]] = Field(
        default=[1.0, 1.5], min_length=1, max_length=10, description="Seconds before the second, third … try."
    )
    statement_min_length: int = Field(default=10, ge=1, le=1000, description="Fewest characters of a statement.")
    statement_min_length_cjk: int = Field(
        default=5, ge=1, le=1000, description="The same in Chinese, Japanese, Korean."
    )
    budget: Budget = Field(default=Budget(), description="Hard caps on calls, tokens and money.")
    prices: Prices | None = Field(
        default=None, description="Prices per million tokens; none: looked up by model where they are known."
    )
    public_history_max_length: int = Field(
        default=100_000, ge=100, le=100_000_000, description="Characters of statements a prompt shows at most."
    )
    memory: MemorySettings = Field(default=MemorySettings(), description="How participants remember.")
    templates: str = Field(default="", max_length=4000, description="Folder of templates that replace the built-in.")

    record: str = Field(default="", max_length=4000, description="File to which every answer is written, JSON lines.")
    replay: str = Field(
        default="", max_length=4000, description="Recording that answers in place of every model; FILE#N: its Nth run."
    )
    place: str = Field(default="", max_length=300, description="Which run of a recording it is; empty: found or given.")

    @classmethod
    def refuse_idle(cls, given: Mapping[str, Any]) -> None:
        """Raise `Refused` for the first knob among those given that does nothing in this protocol."""
        for key, why in cls.idle.items():
            head, _, inside = key.partition(".")
            within = given.get(head) if inside else given
            if isinstance(within, Mapping) and (inside or head) in within:
                raise Refused(key, within[inside or head], f"{why}; leave it out")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: object) -> None:
        if name := str(cls.model_fields["protocol"].default):
            _check_alone(cls, name)
            Rules.kinds[name] = cls

    @model_validator(mode="before")
    @classmethod
    def _with_packages(cls, given: Any) -> Any:
        """Put on record which packages bring what is chosen; one that is missing here stays on record."""
        if not isinstance(given, dict):
            return given
        on_record, packages = given.get("packages") or {}, dict[str, str]()
        if (protocol := cls.model_fields["protocol"].default) in brought(PROTOCOLS):
            packages["protocol"] = package_of(brought(PROTOCOLS)[protocol][0])
        for knob, mark in named_knobs(cls).items():
            name = given.get(knob, cls.model_fields[knob].default)
            if name in brought(mark.group):
                packages[knob] = package_of(brought(mark.group)[name][0])
            elif name not in mark.own and knob in on_record:
                packages[knob] = on_record[knob]
        return {**given, "packages": packages} if packages or "packages" in given else given

    def check_seats(self, names: Sequence[str]) -> None:
        """Raise `Refused` for a rule that those who take part cannot be under; a protocol says which."""

    def settled(self, **choices: object) -> Self:
        """A copy that can be stored: models named by spec, `choices` filled in."""
        return type(self).model_validate(self.model_dump() | choices)


@cache
def named_knobs(kind: type[Rules]) -> Mapping[str, Named]:
    """The knobs that name one of several things, with the names there are."""
    fields = kind.model_fields.items()
    return {name: mark for name, field in fields for mark in field.metadata if isinstance(mark, Named)}


def refuse_lacking(rules: Rules) -> None:
    """Raise `Refused` for what a run chose by name and a package brought that is not installed here."""
    for knob, package in rules.packages.items():
        mark = named_knobs(type(rules)).get(knob)
        refuse_missing(knob, mark.group if mark else PROTOCOLS, getattr(rules, knob), package)


def _check_alone(kind: type[Rules], name: str) -> None:
    """Refuse a second class of rules for a protocol: what is saved would be read back as the wrong one."""
    if not kind.__module__.startswith(f"{__package__}."):
        _load_own(name)
    held = Rules.kinds.get(name, kind)
    if (held.__module__, held.__qualname__) != (kind.__module__, kind.__qualname__):
        remedy = f"{held.__module__}.{held.__qualname__} are its rules; give {kind.__qualname__} a name of its own"
        raise Refused("protocol", name, remedy)


def _load_own(protocol: str) -> None:
    """Load the rules of one of Moot's own protocols, if that is one."""
    if protocol not in Rules.kinds and protocol.isidentifier() and find_spec(f".{protocol}", __package__):
        import_module(f".{protocol}", __package__)


def revived(value: object) -> Rules:
    """Rules from what a checkpoint or a server's client holds: an instance, or a plain dict naming its protocol."""
    if isinstance(value, Rules):
        return value
    kind = rules_class(str(value.get("protocol", ""))) if isinstance(value, dict) else Rules
    return kind.model_validate(value)


def rules_class(protocol: str) -> type[Rules]:
    """The rules of a protocol: registered already, in the module here that bears its name, or brought by a package.

    Those all protocols share, if there is none of this name.
    """
    _load_own(protocol)
    if protocol not in Rules.kinds and protocol in brought(PROTOCOLS):
        loaded("protocol", PROTOCOLS, protocol)
    return Rules.kinds.get(protocol, Rules)


class TalkRules(Rules):
    """The knobs of protocols in which a cap or a stopping rule ends the talk."""

    max_turns: int | None = Field(default=None, ge=1, le=100_000, description="Hard cap on turns; none: no cap.")
    max_rounds: int | None = Field(default=None, ge=1, le=10_000, description="Hard cap on rounds; none: no cap.")
    dynamic_termination: bool = Field(default=True, description="False: always run to the cap.")
    stopping: Annotated[str, Named(ENDINGS, ("dialogue", "lexical", "judge"))] = Field(
        default="dialogue", description="The rule that finds a concession or a stalemate."
    )
    judge_every: int = Field(default=4, ge=1, le=100, description="Turns between questions to the judge.")

    @property
    def names_next(self) -> bool:
        """Whether a speaker may name who should speak next."""
        return False

    @property
    def votes(self) -> bool:
        """Whether a vote closes the talk."""
        return False

    def turn_cap(self, seats: int) -> int | None:
        """The cap on turns in force among `seats` participants; none: no cap."""
        return self.max_turns


class ProfileRules(TalkRules):
    """The knob of protocols whose seats come with personas."""

    profile: str = Field(default="", max_length=80, description="Persona profile; empty: generic roles.")


class TurnOrderRules(TalkRules):
    """The knobs of protocols in which everyone speaks once a round, in an order of the run's choice."""

    turn_order: Annotated[str, Named(ORDERS, ("round_robin", "least_spoken", "yield_floor", "shuffled"))] = Field(
        default="round_robin", description="Who speaks when."
    )
    max_finishes_per_participant: int | None = Field(
        default=None, ge=1, le=10_000, description="How often one may speak last when shuffled; none: an equal share."
    )

    @property
    def names_next(self) -> bool:
        """Whether a speaker may name who should speak next."""
        return self.turn_order == "yield_floor"


class BlindRules(TalkRules):
    """The knob of protocols whose first round may be held without anyone hearing the others."""

    blind_first_round: bool = Field(
        default=True, description="Whether opening views are given at once, unseen by the others."
    )


class GroupRules(TalkRules):
    """The knobs of protocols that may go on for long."""

    view: ViewSettings = Field(default=ViewSettings(), description="How much of the history a prompt shows.")
