"""One call, as the model that was asked saw it."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage

Json = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """One call as the model saw it."""

    messages: list[BaseMessage]
    who: str = ""
    purpose: str = ""
    tags: list[str] = field(default_factory=list)
    kwargs: Json = field(default_factory=dict)
    streamed: bool = False

    @property
    def system(self) -> str:
        return "\n".join(one.text for one in self.messages if one.type == "system")

    @property
    def human(self) -> str:
        return "\n".join(one.text for one in self.messages if one.type == "human")

    @property
    def text(self) -> str:
        """Everything it was told, as one growing text."""
        return f"{self.system}\n{self.human}"

    @property
    def shared(self) -> str:
        """What all calls of a run have in common: everything before the private part."""
        return re.split(r"\n<(?:private|memory|task)>\n", self.text)[0]

    @property
    def private(self) -> str:
        """What only this call was told."""
        return self.text[len(self.shared) :]

    @property
    def schema(self) -> Json | None:
        """The JSON schema its answer must follow, where one was told in words."""
        last = self.human.splitlines()[-1]
        return json.loads(last) if last.startswith('{"') else None
