"""A form filled in at a terminal: a question for each field, numbered options, and nothing guessed.

What is entered is checked against the schema field by field, and asked again where it does not fit; whether the whole
may stand is for whoever asked to say.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..display.wording import say
from .fields import Field, Misfit, Schema, fields_of, filled


@dataclass(frozen=True)
class Form:
    """A form in one language. `ask` shows a prompt and gives what is entered; `tell` shows a line.

    `within`: what the names of its fields begin with.
    """

    schema: Schema
    language: str
    ask: Callable[[str], str]
    tell: Callable[[str], None]
    within: str = ""

    def filled(self) -> dict[str, Any]:
        """What was entered, by field, in the order of the schema."""
        return filled(fields_of(self.schema), self._asked)

    def _asked(self, field: Field) -> Any:
        match field.kind:
            case "only":
                return field.read("", self.language)
            case "marks":
                return [{"option": one, "score": self._until(field, self._bounded(field, one))} for one in field.shown]
            case "group":
                return filled(field.parts, replace(self, within=f"{self.within}{field.name}: ")._asked)
        return self._until(field, self._prompt(field))

    def _prompt(self, field: Field) -> str:
        """What a field is asked for with; its options are numbered off before."""
        name, options = (
            self.within + field.name,
            [self._say("yes"), self._say("no")] if field.kind == "yes_no" else field.shown,
        )
        for number, option in enumerate(options, 1):
            self.tell(f"  {number}. {option}")
        match field.kind:
            case "yes_no" | "choice":
                return self._say("pick_or_none" if field.may_be_empty else "pick", name=name, count=len(options))
            case "several":
                return self._say("several", name=name, count=len(options))
            case "number":
                return self._bounded(field)
            case "text":
                return self._say("text" if field.form.get("minLength") else "empty", name=name)
        return self._say("json", name=name)

    def _bounded(self, field: Field, option: str = "") -> str:
        form, name = field.form, self.within + (f"{field.name}: {option}" if option else field.name)
        if {"minimum", "maximum"} <= form.keys():
            return self._say("number", name=name, least=f"{form['minimum']:g}", most=f"{form['maximum']:g}")
        return self._say("text", name=name)

    def _until(self, field: Field, prompt: str) -> Any:
        """What is entered once it can be read."""
        while True:
            try:
                return field.read(self.ask(prompt), self.language)
            except Misfit as misfit:
                self.tell(str(misfit))

    def _say(self, key: str, **values: object) -> str:
        return say(self.language, f"seat.{key}", **values)
