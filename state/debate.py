"""The rules of a debate."""

from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from .installed.named import Named
from .installed.packages import ENDINGS
from .positions.rules import DECLARING, PositionRules
from .rules import ProfileRules


class DebateRules(PositionRules, ProfileRules):
    """The knobs of a debate."""

    model_config = ConfigDict(title="Debate")

    named: ClassVar[bool] = True

    protocol: Literal["debate"] = Field(default="debate", description="Always `debate`.")
    stopping: Annotated[str, Named(ENDINGS, ("dialogue", "lexical", "judge", *DECLARING))] = Field(
        default="dialogue",
        description="The rule that finds a concession or a stalemate, in the words or in the positions on record.",
    )
    max_turns: int = Field(default=10, ge=2, le=20, description="Hard cap; one turn is one statement.")
    profile: str = Field(default="classic", max_length=80, description="Persona profile: who argues on either side.")
