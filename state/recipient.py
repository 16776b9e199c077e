"""Recipients of a run's words, as its record names them."""

from typing import Literal

from pydantic import Field

from .frozen import ClosedModel
from .server_address import is_loopback


class Destination(ClosedModel):
    """Server or code that gets the words of a call."""

    name: str = Field(description="Name in the line about recipients.")
    origin: str = Field(default="", description="Scheme, host and port; empty if unknown.")
    path: str = Field(default="", description="Path of the address; empty if unknown.")
    is_code: bool = Field(
        default=False,
        description="Whether it is a tool, an agent or a model object, which may send the words anywhere.",
    )
    is_declared: bool = Field(
        default=False, description="Whether its owner declares that it sends nothing from this machine (`local: true`)."
    )

    @property
    def is_local(self) -> bool:
        """Return whether the words stay on this machine."""
        return self.is_declared or is_loopback(self.origin)

    @property
    def address(self) -> str:
        """Address, or the name if the address is unknown."""
        return f"{self.origin}{self.path}" or self.name


class Recipient(ClosedModel):
    """Part of a run that needs calls, with the destination of its calls."""

    kind: Literal[
        "model", "person", "program", "lookups", "synthesizer", "judge", "summarizer", "embeddings", "traces"
    ] = Field(description="Kind of writer for seats, else what is sent.")
    names: list[str] = Field(default_factory=list, description="Names of the seats; empty for other parts.")
    destination: Destination | None = Field(default=None, description="Destination of calls that leave the process.")
    same_as: str = Field(default="", description="First seat with the model of this role; empty: none.")
