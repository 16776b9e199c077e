"""Rules: every knob of a run, validated, with unit, bounds and default.

A rules class is the context schema of its protocol's graph. The first node copies it into the state, models named by
their specs, so that a checkpoint alone is enough to go on. A protocol adds its own knobs in a subclass.
"""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from .count import CountSettings, RuleName
from .incident import Call
from .settings import MemorySettings


def _model_choice(value: object) -> object:
    if isinstance(value, str):
        return value.strip()
    if callable(getattr(value, "ainvoke", None)):
        return value
    raise ValueError("a model is a spec such as 'openai:gpt-5-mini' or 'rehearsal', or a chat model object")


def _named(value: object) -> str:
    return value if isinstance(value, str) else f"object:{type(value).__name__}"


ModelChoice = Annotated[
    Any,
    PlainValidator(_model_choice),
    PlainSerializer(_named, return_type=str),
    WithJsonSchema({"type": "string", "maxLength": 300}),
]
"""A model spec, or, from Python, a chat model object; stored as its spec or as `object:<class>`."""


LANGUAGE_TAG = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"


class Budget(BaseModel):
    """Hard caps of one run; none: no cap. A call that would pass a cap is not made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int | None = Field(default=None, ge=1, description="Model calls, failed tries included.")
    tokens: int | None = Field(default=None, ge=1, description="Prompt and completion tokens together.")
    cost: float | None = Field(default=None, gt=0, description="Money, in the unit of `prices`.")


class Prices(BaseModel):
    """What a provider asks, per million tokens, in any one currency."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(default=0, ge=0, description="Per million prompt tokens.")
    cached: float | None = Field(default=None, ge=0, description="Per million cached prompt tokens; none: as input.")
    output: float = Field(default=0, ge=0, description="Per million completion tokens.")

    def cost(self, calls: list[Call]) -> float:
        """The price of `calls`, in the currency of the prices."""
        cached_price = self.input if self.cached is None else self.cached
        fresh = sum(call.input_tokens - call.cached_tokens for call in calls)
        cached = sum(call.cached_tokens for call in calls)
        written = sum(call.output_tokens for call in calls)
        return (fresh * self.input + cached * cached_price + written * self.output) / 1e6


class Rules(BaseModel):
    """The knobs all protocols share."""

    model_config = ConfigDict(frozen=True, extra="forbid", title="Rules")

    kinds: ClassVar[dict[str, type["Rules"]]] = {}

    protocol: str = Field(default="", description="Name of the protocol; set by its rules class.")
    schema_version: Literal[1] = Field(default=1, description="Version of the stored state.")
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
    timeouts: list[Annotated[float, Field(gt=0, le=3600)]] = Field(
        default=[60.0, 45.0, 30.0], min_length=1, max_length=10, description="Seconds allowed for each try."
    )
    waits: list[Annotated[float, Field(ge=0, le=600)]] = Field(
        default=[1.0, 1.5], min_length=1, max_length=10, description="Seconds before the second, third … try."
    )
    statement_min_length: int = Field(default=10, ge=1, le=1000, description="Fewest characters of a statement.")
    statement_min_length_cjk: int = Field(
        default=5, ge=1, le=1000, description="The same in Chinese, Japanese, Korean."
    )
    budget: Budget = Field(default=Budget(), description="Hard caps on calls, tokens and money.")
    prices: Prices | None = Field(default=None, description="Prices per million tokens; needed for a cap on money.")
    public_history_max_length: int = Field(
        default=100_000, ge=100, le=100_000_000, description="Characters of statements a prompt shows at most."
    )
    memory: MemorySettings = Field(default=MemorySettings(), description="How participants remember.")
    templates: str = Field(default="", max_length=4000, description="Folder of templates that replace the built-in.")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: object) -> None:
        if name := str(cls.model_fields["protocol"].default):
            Rules.kinds[name] = cls

    @model_validator(mode="after")
    def _money_has_a_price(self) -> Self:
        if self.budget.cost is not None and self.prices is None:
            raise ValueError("budget.cost needs prices: give prices {input, output} per million tokens")
        return self

    def settled(self, **choices: object) -> Self:
        """A copy that can be stored: models named by spec, `choices` filled in."""
        return type(self).model_validate(self.model_dump() | choices)


def revived(value: object) -> Rules:
    """Rules from what a checkpoint or a server's client holds: an instance, or a plain dict naming its protocol."""
    if isinstance(value, Rules):
        return value
    kind = Rules.kinds.get(str(value.get("protocol", ""))) if isinstance(value, dict) else None
    return (kind or Rules).model_validate(value)


class ViewSettings(BaseModel):
    """How much of the history a prompt shows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: Literal["full", "windowed", "windowed_summary"] = Field(
        default="full",
        description="Everything within the bound; the newest statements; or those and a summary of the rest.",
    )
    recent_n: int | None = Field(
        default=None, ge=1, le=10_000, description="Statements a window shows at least; none: twice the participants."
    )


class TalkRules(Rules):
    """The knobs of protocols in which a cap or a stopping rule ends the talk."""

    max_turns: int | None = Field(default=None, ge=1, le=100_000, description="Hard cap on turns; none: no cap.")
    max_rounds: int | None = Field(default=None, ge=1, le=10_000, description="Hard cap on rounds; none: no cap.")
    dynamic_termination: bool = Field(default=True, description="False: always run to the cap.")
    stopping: Literal["dialogue", "lexical", "judge"] = Field(
        default="dialogue", description="The rule that finds a concession or a stalemate."
    )
    judge_every: int = Field(default=4, ge=1, le=100, description="Turns between questions to the judge.")

    @property
    def names_next(self) -> bool:
        """Whether a speaker may name who should speak next."""
        return False


class GroupRules(TalkRules):
    """The knobs of protocols that may go on for long."""

    view: ViewSettings = Field(default=ViewSettings(), description="How much of the history a prompt shows.")


class DebateRules(TalkRules):
    """The knobs of a debate."""

    model_config = ConfigDict(title="Debate")

    protocol: Literal["debate"] = Field(default="debate", description="Always `debate`.")
    max_turns: int = Field(default=10, ge=2, le=20, description="Hard cap; one turn is one statement.")
    profile: str = Field(default="classic", max_length=80, description="Persona profile: who argues on either side.")


class ConsensusRules(GroupRules):
    """The knobs of a consensus dialogue."""

    model_config = ConfigDict(title="Consensus")

    protocol: Literal["consensus"] = Field(default="consensus", description="Always `consensus`.")
    max_turns: int | None = Field(
        default=None, ge=3, le=1000, description="Hard cap on turns, at least one each; none: 4 per participant."
    )
    stopping: Literal["dialogue", "lexical"] = Field(
        default="dialogue", description="The rule that finds a stalemate, after complete rounds."
    )
    profile: str = Field(default="", max_length=80, description="Persona profile; empty: generic roles.")
    turn_order: Literal["round_robin", "least_spoken", "yield_floor", "shuffled"] = Field(
        default="round_robin", description="Who speaks when."
    )
    max_finishes_per_participant: int | None = Field(
        default=None, ge=1, le=10_000, description="How often one may speak last when shuffled; none: an equal share."
    )
    blind_first_round: bool = Field(
        default=True, description="Whether opening views are given at once, unseen by the others."
    )
    convergence: Literal["declared", "lexical", "embedding", "judge"] = Field(
        default="declared", description="How convergence is measured."
    )
    consensus_rule: Literal["all", "supermajority"] = Field(
        default="all", description="Who has to agree; a supermajority is two thirds."
    )
    threshold: float = Field(default=0.8, gt=0, le=1, description="Agreement that counts as consensus.")
    embeddings: str = Field(default="", max_length=300, description="Embedding model spec, for `embedding`.")
    vote: Literal["off"] | RuleName = Field(default="off", description="Counting rule of a closing vote, or `off`.")
    ballot: CountSettings = Field(default=CountSettings(), description="Quorum, tie rule and share of the vote.")
    open_ballot: bool = Field(default=False, description="Whether individual ballots become public.")

    @property
    def names_next(self) -> bool:
        """Whether a speaker may name who should speak next."""
        return self.turn_order == "yield_floor"


class Expectation(BaseModel):
    """How long the expected speaker may take, and what follows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn_within: float = Field(gt=0, le=31_536_000, description="Seconds from the moment the turn began.")
    action: Literal["warn", "hide"] = Field(description="Record it, or take the participant out of the rotation.")


class DiscussionRules(GroupRules):
    """The knobs of a discussion session."""

    model_config = ConfigDict(title="Discussion")

    protocol: Literal["discussion"] = Field(default="discussion", description="Always `discussion`.")
    ordering: Literal["round_robin"] = Field(default="round_robin", description="The only order there is.")
    dynamic_termination: Literal[False] = Field(default=False, description="A session never ends by itself.")
    ttl: float | None = Field(default=None, gt=0, le=315_360_000, description="Seconds the session lives; none: open.")
    expectations: list[Expectation] = Field(
        default=[Expectation(turn_within=120, action="warn"), Expectation(turn_within=600, action="hide")],
        max_length=20,
        description="What happens when the expected speaker takes too long.",
    )
    view: ViewSettings = Field(
        default=ViewSettings(policy="windowed_summary"), description="How much of the history a prompt shows."
    )
    models_may_close: bool = Field(
        default=False, description="Whether a model may close the session, by a field of its reply."
    )


class PanelRules(TalkRules):
    """The knobs of a panel."""

    model_config = ConfigDict(title="Panel")

    protocol: Literal["panel"] = Field(default="panel", description="Always `panel`.")
    language: str = Field(
        default="zh",
        pattern=LANGUAGE_TAG,
        max_length=35,
        validation_alias=AliasChoices("language", "output_language"),
        description="BCP-47 tag of everything shown; Chinese unless told otherwise.",
    )
    dynamic_termination: Literal[False] = Field(default=False, description="Every expert speaks in every cycle.")
    max_rounds: int = Field(
        default=1,
        ge=1,
        le=100,
        validation_alias=AliasChoices("max_rounds", "cycles"),
        description="Cycles: how often each expert speaks.",
    )
    max_tokens_per_turn: int = Field(default=800, ge=1, le=100_000, description="Visible tokens of a contribution.")
    max_tokens_synthesis: int = Field(default=1600, ge=1, le=100_000, description="Visible tokens of the conclusion.")
    n_papers: int = Field(default=10, ge=1, le=50, description="Papers retrieved at most.")
    min_similarity_threshold: float | None = Field(
        default=None, ge=0, le=1, description="Least relevance; none: the default of the ranking in use."
    )
    embeddings: str = Field(default="", max_length=300, description="Embedding model spec; empty: the environment's.")
    library: str = Field(default="", max_length=4000, description="Database of the library; empty: the default one.")
    discuss: bool | None = Field(
        default=None, description="False: one direct answer, no panel; none: ENABLE_AGENT_DISCUSSIONS, else true."
    )
    paper_chars: int = Field(default=12_000, ge=200, le=1_000_000, description="Characters shown of one paper.")
    context_tokens: int = Field(
        default=128_000,
        ge=2_000,
        le=10_000_000,
        description="Tokens the models take in; all papers together are shown in at most half of them.",
    )
