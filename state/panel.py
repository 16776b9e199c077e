"""The rules of a panel."""

from typing import Literal

from pydantic import AliasChoices, ConfigDict, Field

from .rules import TalkRules
from .settings import LANGUAGE_TAG


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
