"""Settings of a panel, and the language of a question."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from .errors import OPTIONAL_TAG_PATTERN
from .positions.settings import PositionSettings
from .settings import Settings, mark_unused_settings

_HAN_CHARACTER = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA_CHARACTER = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9d]")

_ENGLISH_WORDS = """
a an and are be been by can could did do does for from had has have how i in is it its may might my no of on or our
should than that the their them there they this to was we were what when where which who why will with would you
"""
_SPANISH_WORDS = """
a al como con cuando cuál cuáles cómo de debe deben debería deberían del donde dónde el en entre es está están este
esta hay la las le les lo los más no nos o para pero por porque pueden puede qué que quién se ser si sin sobre son su
sus también un una unos unas y
"""
_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(_ENGLISH_WORDS.split()),
    "es": frozenset(_SPANISH_WORDS.split()),
}
"""Frequent words of each language. A word of several languages counts for each."""


def detect_language(question: str) -> str:
    """Detect the language of a question: `zh`, `es` or `en`.

    `zh`: mostly Chinese characters and no kana. A Latin word counts as one character; if the question has function
    words, each letter counts. `es`: ¿ or ¡, or more Spanish than English function words. An ñ counts as one function
    word. All other questions are `en`.
    """
    text, han_count = question.casefold(), len(_HAN_CHARACTER.findall(question))
    words = re.findall(r"[^\W\d_]+", _HAN_CHARACTER.sub(" ", text))
    counts = {tag: sum(word in function_words for word in words) for tag, function_words in _FUNCTION_WORDS.items()}
    if han_count > sum(map(len, words) if any(counts.values()) else [1 for _ in words]) and not _KANA_CHARACTER.search(
        question
    ):
        return "zh"
    return "es" if re.search("[¿¡]", text) or counts["es"] + ("ñ" in text) > counts["en"] else "en"


PANEL_ALIASES = {"output_language": "language", "cycles": "max_rounds"}
"""Panel names of shared settings. If both names are set, the value under the panel name applies."""


def _add_aliases(schema: dict[str, Any], settings_class: type[Settings]) -> None:
    """Add the alternative names of a panel's settings to the JSON schema of the settings.

    Without them, a server would drop these settings.
    """
    mark_unused_settings(schema, settings_class)
    properties = schema["properties"]
    for alias, name in PANEL_ALIASES.items():
        value_schema = {
            key: value for key, value in properties[name].items() if key not in ("default", "title", "description")
        }
        description = f"Another name for `{name}`, which it overrides."
        alias_schema = {"anyOf": [value_schema, {"type": "null"}], "default": None}
        properties[alias] = alias_schema | {"title": alias.replace("_", " ").title(), "description": description}


class PanelSettings(PositionSettings):
    """Settings of a panel: where its papers come from, how many experts read them, and how they discuss."""

    model_config = ConfigDict(title="Panel", json_schema_extra=_add_aliases)

    allows_direct_answer: ClassVar[bool] = True
    setting_aliases: ClassVar[dict[str, str]] = PANEL_ALIASES
    unused_settings: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["judge_interval", "models.judge"], "a panel has no judge"),
        "models.summarizer": "a panel never needs a summary",
        "profile": "a panel has no persona profiles",
    }

    protocol: Literal["panel"] = Field(default="panel", description="Always `panel`.")
    language: str = Field(
        default="",
        pattern=OPTIONAL_TAG_PATTERN,
        max_length=35,
        description="Language of the output, BCP-47 tag; empty: the question's language (zh, es or en).",
    )
    stop_rule: Literal["never", "declared", "calibrated"] = Field(
        default="never", description="Rule that compares the recorded positions and ends the panel early."
    )
    max_rounds: int = Field(default=1, ge=1, le=100, description="Contributions per expert.")
    max_tokens_per_turn: int = Field(
        default=800, ge=1, le=100_000, description="Maximum tokens of a contribution, without reasoning."
    )
    max_tokens_synthesis: int = Field(
        default=1600, ge=1, le=100_000, description="Maximum tokens of the conclusion, without reasoning."
    )
    n_papers: int = Field(default=10, ge=1, le=50, description="Maximum papers to retrieve.")
    min_similarity_threshold: float | None = Field(
        default=None, ge=0, le=1, description="Lowest relevance of a paper (0–1); none: 0.6 with embeddings, else 0.1."
    )
    embeddings: str = Field(
        default="", max_length=300, description="Embedding model that ranks papers; empty: that of MOOT_EMBEDDINGS."
    )
    library: str = Field(
        default="", max_length=4000, description="Database of the paper library; empty: the default one."
    )
    sources: list[Annotated[str, Field(max_length=4000)]] = Field(
        default=[], max_length=1000, description="Files and folders of papers, instead of the library."
    )
    hold_discussion: bool | None = Field(
        default=None,
        description=(
            "Whether the experts discuss before the answer; none: as ENABLE_AGENT_DISCUSSIONS says, else true."
        ),
    )
    paper_chars: int = Field(default=12_000, ge=200, le=1_000_000, description="Maximum characters of one paper.")
    context_tokens: int = Field(
        default=128_000,
        ge=2_000,
        le=10_000_000,
        description="Context size of the models, tokens; papers use at most half.",
    )

    def with_subject(self, subject: str) -> Self:
        """Return the settings with the language of the question `subject`, unless they name a language."""
        return self if self.language else self.model_copy(update={"language": detect_language(subject)})

    @model_validator(mode="before")
    @classmethod
    def _resolve_aliases(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        alias_values = {PANEL_ALIASES[key]: values[key] for key in PANEL_ALIASES if values.get(key) is not None}
        return {key: value for key, value in values.items() if key not in PANEL_ALIASES} | alias_values
