"""What may be loaded from a checkpoint: Moot's own types, and of a protocol from elsewhere those its state names."""

from typing import Annotated

from moot.app.saved.store import list_model_types
from moot.state.deliberation import DeliberationState, make_delta_channel
from moot.state.reducers import make_append_reducer
from moot.state.settings import StoppingSettings
from pydantic import BaseModel


class Charge(BaseModel):
    """Stands in a finding."""

    text: str = ""


class Finding(BaseModel):
    """Stands in the state."""

    charges: list[Charge] | None = None


class Unnamed(BaseModel):
    """Stands nowhere."""


class CourtRules(StoppingSettings):
    """Rules from elsewhere."""


class Court(DeliberationState):
    """A state from elsewhere."""

    findings: Annotated[dict[str, list[Finding]], make_delta_channel(make_append_reducer(Finding))]


def test_of_a_protocol_from_elsewhere_the_types_its_state_and_rules_name_are_loaded_and_no_others() -> None:
    own = {name for module, name in [*list_model_types(Court), *list_model_types(CourtRules)] if module == __name__}
    assert own == {"Finding", "Charge", "CourtRules"}
    assert ("moot.state.statement", "Statement") in list_model_types(Court)
