"""One call, as the model that was asked saw it."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage
from moot.prompts import LANGUAGES, load_table

Json = dict[str, Any]
LABEL_KEYS = {label: key for tag in LANGUAGES for key, label in load_table("terms", tag)["labels"].items()}


@dataclass(frozen=True)
class SentPrompt:
    """One call as the model saw it."""

    messages: list[BaseMessage]
    who: str = ""
    purpose: str = ""
    tags: list[str] = field(default_factory=list)
    kwargs: Json = field(default_factory=dict)
    streamed: bool = False

    @property
    def system(self) -> str:
        return "\n".join(message.text for message in self.messages if message.type == "system")

    @property
    def human(self) -> str:
        return "\n".join(message.text for message in self.messages if message.type == "human")

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

    @property
    def lines(self) -> dict[str, tuple[str, list[str]]]:
        """The lines of the form that its answer must end with: the label and the answers shown, by the label's key."""
        shown: dict[str, tuple[str, list[str]]] = {}
        for label, answer in re.findall(r"`([^`:：]+)[:：] ?([^`]*)`", self.human.rpartition("</task>")[2]):
            shown.setdefault(LABEL_KEYS.get(label, label), (label, []))[1].append(answer)
        return shown

    @property
    def fields(self) -> list[str]:
        """The keys of its answer: of the schema, or of the lines without the reason."""
        return [key for key in self.lines if key != "reason"] or list((self.schema or {"properties": {}})["properties"])
