"""What may be loaded from a checkpoint: Moot's own types, and of a protocol from elsewhere those its state names."""

from typing import Annotated

from moot.app.saved.store import types_of
from moot.state.deliberation import Deliberation, delta
from moot.state.reducers import appending
from moot.state.rules import TalkRules
from pydantic import BaseModel


class Charge(BaseModel):
    """Stands in a finding."""

    text: str = ""


class Finding(BaseModel):
    """Stands in the state."""

    charges: list[Charge] | None = None


class Unnamed(BaseModel):
    """Stands nowhere."""


class CourtRules(TalkRules):
    """Rules from elsewhere."""


class Court(Deliberation):
    """A state from elsewhere."""

    findings: Annotated[dict[str, list[Finding]], delta(appending(Finding))]


def test_of_a_protocol_from_elsewhere_the_types_its_state_and_rules_name_are_loaded_and_no_others() -> None:
    own = {name for module, name in [*types_of(Court), *types_of(CourtRules)] if module == __name__}
    assert own == {"Finding", "Charge", "CourtRules"}
    assert ("moot.state.statement", "Statement") in types_of(Court)
