"""A form filled in at a terminal: a question for each field, numbered options, and nothing guessed.

What is entered is checked against the schema field by field, and asked again where it does not fit; whether the whole
may stand is for whoever asked to say.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..display.wording import say

Schema = Mapping[str, Any]
T = TypeVar("T")
ABSTAIN = "abstain"
"""The field that makes the fields that may be empty superfluous; it is asked for first."""


class Misfit(ValueError):
    """What was entered does not fit its field; the message says what would."""


@dataclass(frozen=True)
class Form:
    """A form in one language. `ask` shows a prompt and gives what is entered; `tell` shows a line."""

    schema: Schema
    language: str
    ask: Callable[[str], str]
    tell: Callable[[str], None]

    def filled(self) -> dict[str, Any]:
        """What was entered, by field, in the order of the schema."""
        fields: Schema = self.schema["properties"]
        given: dict[str, Any] = {}
        for name in sorted(fields, key=lambda one: one != ABSTAIN):
            form, may_be_none = resolved(self.schema, fields[name])
            given[name] = None if may_be_none and given.get(ABSTAIN) else self._field(name, form, may_be_none)
        return {name: given[name] for name in fields}

    def _field(self, name: str, form: Schema, may_be_none: bool) -> Any:
        options = options_of(form)
        if options and len(options) == 1:
            return options[0]
        if form.get("type") == "boolean":
            return [True, False][self._picked(name, [self._say("yes"), self._say("no")])]
        if options:
            return self._chosen(name, options, may_be_none)
        if form.get("type") in ("number", "integer"):
            return self._until(self._bounded(name, form), lambda text: self._number(text, form))
        if form.get("type") == "string":
            return self._until(
                self._say("text" if form.get("minLength") else "empty", name=name), lambda text: self._text(text, form)
            )
        return self._listed(name, form)

    def _listed(self, name: str, form: Schema) -> Any:
        """A list of options, or of marks for options; any other form is written as JSON."""
        item = resolved(self.schema, form.get("items", {}))[0]
        options, marks = options_of(item), item.get("properties", {})
        if options:
            self._number_off(options)
            prompt = self._say("several", name=name, count=len(options))
            least = int(form.get("minItems", 0))
            return [options[place] for place in self._until(prompt, lambda text: self._several(text, options, least))]
        if set(marks) == {"option", "score"}:
            return [
                {"option": one, "score": self._until(prompt, lambda text: self._number(text, marks["score"]))}
                for one in options_of(marks["option"])
                if (prompt := self._bounded(f"{name}: {one}", marks["score"]))
            ]
        return self._until(self._say("json", name=name), self._json)

    def _chosen(self, name: str, options: list[Any], may_be_none: bool) -> Any:
        blank = "" in options
        shown = [one for one in options if one != ""]
        place = self._picked(name, shown, or_none=blank or may_be_none)
        return shown[place] if place >= 0 else "" if blank else None

    def _picked(self, name: str, options: list[Any], or_none: bool = False) -> int:
        """The place of the option that was picked; −1: none was."""
        self._number_off(options)
        prompt = self._say("pick_or_none" if or_none else "pick", name=name, count=len(options))

        def place(text: str) -> int:
            if or_none and not text:
                return -1
            if text.isdecimal() and 1 <= int(text) <= len(options):
                return int(text) - 1
            raise Misfit(self._say("not_one", count=len(options)))

        return self._until(prompt, place)

    def _number_off(self, options: list[Any]) -> None:
        for number, option in enumerate(options, 1):
            self.tell(f"  {number}. {option}")

    def _several(self, text: str, options: list[Any], least: int) -> list[int]:
        parts = [one.strip() for one in text.replace("，", ",").split(",") if one.strip()]
        places = [int(one) - 1 if one.isdecimal() else -1 for one in parts]
        fits = all(0 <= place < len(options) for place in places) and len(set(places)) == len(places)
        if not fits or len(places) < least:
            raise Misfit(self._say("not_several", count=len(options)))
        return places

    def _bounded(self, name: str, form: Schema) -> str:
        if {"minimum", "maximum"} <= form.keys():
            return self._say("number", name=name, least=f"{form['minimum']:g}", most=f"{form['maximum']:g}")
        return self._say("text", name=name)

    def _number(self, text: str, form: Schema) -> float | int:
        try:
            value = int(text) if form["type"] == "integer" else float(text)
        except ValueError:
            raise Misfit(self._say("not_number")) from None
        if not math.isfinite(value) or not form.get("minimum", value) <= value <= form.get("maximum", value):
            raise Misfit(self._say("not_number"))
        return value

    def _text(self, text: str, form: Schema) -> str:
        if form.get("minLength") and not text:
            raise Misfit(self._say("not_blank"))
        return text

    def _json(self, text: str) -> Any:
        try:
            return json.loads(text)
        except json.JSONDecodeError as fault:
            raise Misfit(self._say("not_json", fault=fault.msg)) from None

    def _until(self, prompt: str, read: Callable[[str], T]) -> T:
        """What is entered once it can be read."""
        while True:
            try:
                return read(self.ask(prompt).strip())
            except Misfit as misfit:
                self.tell(str(misfit))

    def _say(self, key: str, **values: object) -> str:
        return say(self.language, f"seat.{key}", **values)


def resolved(schema: Schema, form: Schema) -> tuple[Schema, bool]:
    """The form of a field of `schema` with what it refers to in its place, and whether it may be none."""
    if "$ref" in form:
        form = {**schema["$defs"][form["$ref"].rpartition("/")[2]], **form}
    choices = form.get("anyOf", [])
    some = [one for one in choices if one.get("type") != "null"]
    if len(some) == 1:
        return resolved(schema, some[0])[0], len(some) < len(choices)
    return form, len(some) < len(choices)


def options_of(form: Schema) -> list[Any]:
    """What can be chosen, where it is one of a few."""
    return [form["const"]] if "const" in form else list(form.get("enum", []))
