"""The rules of a panel."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from .positions.rules import PositionRules
from .refused import LANGUAGE_TAG
from .rules import Rules, mark_idle

OWN_WORDS = {"output_language": "language", "cycles": "max_rounds"}
"""What a panel calls knobs that other protocols have as well; where both are given, its own word counts."""


def _shown(schema: dict[str, Any], kind: type[Rules]) -> None:
    """Name the knobs by a panel's own words too: a server passes on only what the schema names."""
    mark_idle(schema, kind)
    knobs = schema["properties"]
    for own, name in OWN_WORDS.items():
        form = {key: value for key, value in knobs[name].items() if key not in ("default", "title", "description")}
        told = f"The same as `{name}`, which it replaces: {knobs[name]['description']}"
        choice = {"anyOf": [form, {"type": "null"}], "default": None}
        knobs[own] = choice | {"title": own.replace("_", " ").title(), "description": told}


class PanelRules(PositionRules):
    """The knobs of a panel."""

    model_config = ConfigDict(title="Panel", json_schema_extra=_shown)

    direct: ClassVar[bool] = True
    own_words: ClassVar[dict[str, str]] = OWN_WORDS
    idle: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["judge_every", "models.judge"], "no judge ends a panel"),
        "models.summarizer": "a panel never needs a summary",
        "profile": "a panel has no persona profiles",
    }

    protocol: Literal["panel"] = Field(default="panel", description="Always `panel`.")
    language: str = Field(
        default="zh",
        pattern=LANGUAGE_TAG,
        max_length=35,
        description="BCP-47 tag of everything shown; Chinese unless told otherwise.",
    )
    stopping: Literal["never", "declared", "sequential", "calibrated"] = Field(
        default="never", description="The rule that ends the panel before its last cycle, from the positions on record."
    )
    max_rounds: int = Field(
        default=1,
        ge=1,
        le=100,
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
    sources: list[Annotated[str, Field(max_length=4000)]] = Field(
        default=[], max_length=1000, description="Files and folders with papers, read instead of the library."
    )
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

    @model_validator(mode="before")
    @classmethod
    def _in_its_own_words(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        own = {OWN_WORDS[key]: given[key] for key in OWN_WORDS if given.get(key) is not None}
        return {key: value for key, value in given.items() if key not in OWN_WORDS} | own
