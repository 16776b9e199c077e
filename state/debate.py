"""Settings of a debate: turns, stopping rule, and the profile that provides personas."""

from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from .plugins import STOPPING_RULE_GROUP, PluginName
from .positions.settings import DECLARATION_RULES, PositionSettings
from .settings import ProfileSettings


class DebateSettings(PositionSettings, ProfileSettings):
    """Settings of a debate: turns, stopping rule, and the profile that provides personas."""

    model_config = ConfigDict(title="Debate")

    named: ClassVar[bool] = True
    offers_concession: ClassVar[bool] = True

    protocol: Literal["debate"] = Field(default="debate", description="Always `debate`.")
    stop_rule: Annotated[str, PluginName(STOPPING_RULE_GROUP, ("asked", "lexical", "judge", *DECLARATION_RULES))] = (
        Field(
            default="asked",
            description="Rule that detects a concession or a stalemate.",
        )
    )
    max_turns: int = Field(default=10, ge=2, le=20, description="Maximum turns, one statement each.")
    profile: str = Field(
        default="classic",
        max_length=80,
        description="Persona profile of the two sides.",
        json_schema_extra={"enum": ["classic", "technical", "business", "scientific", "ethical", "political"]},
    )
