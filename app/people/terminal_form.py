"""Form at the terminal: one question for each field, with numbered options.

If an entry does not fit its field, the form asks again. The caller checks the complete form.
"""

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ...nodes.answer_forms import index_words
from ...prompts import get_term
from ...state.answers import normalize_wording
from ..display.wording import translate_display_phrase
from .fields import ABSTAIN_FIELD, EntryField, InvalidEntryError, Schema, collect_values, list_fields


class AbstentionError(Exception):
    """Error that signals that the person abstains."""


@dataclasses.dataclass(frozen=True)
class TerminalForm:
    """Form in one language.

    `ask`: shows a prompt and returns the entry. `show_line`: shows a line. `texts`: full texts of options.
    """

    schema: Schema
    language: str
    ask: Callable[[str], str]
    show_line: Callable[[str], None]
    texts: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def ask_fields(self) -> dict[str, Any]:
        """Ask for all fields, the decision first, and return their values, abstentions included."""
        fields, values = list_fields(self.schema, self.language, self.texts), dict[str, Any]()
        abstention = next((field.label for field in fields if field.name == ABSTAIN_FIELD), "")
        has_abstained = False
        for field in (field for field in fields if field.name != ABSTAIN_FIELD):
            try:
                is_omitted = has_abstained and field.may_be_none
                values[field.name] = None if is_omitted else self._ask_field(field, field.may_be_none and abstention)
            except AbstentionError:
                has_abstained, values[field.name] = True, None
        return values | ({ABSTAIN_FIELD: has_abstained} if abstention else {})

    def _ask_field(self, field: EntryField, abstention: str | bool = "") -> Any:
        """Ask for a field. `abstention`: label of an abstention, if one is possible here."""
        if abstention and field.kind == "only":
            field = dataclasses.replace(field, kind="choice")
        prompt = "" if field.kind in ("only", "marks", "group") else self._build_prompt(field)
        if abstention:
            self.show_line(f"  {get_term(self.language, 'words', ABSTAIN_FIELD)}. {abstention}")
        ask = partial(self._ask_until_valid, field, can_abstain=bool(abstention))
        match field.kind:
            case "only":
                return field.parse_entry("", self.language)
            case "marks":
                return [
                    {"option": option, "score": ask(self._build_bounded_prompt(field, option))}
                    for option in field.choices
                ]
            case "group":
                self.show_line(field.label)
                return collect_values(field.parts, self._ask_field)
        return ask(prompt)

    def _build_prompt(self, field: EntryField) -> str:
        """Show the numbered options of a field and return its prompt."""
        is_yes_no, name = field.kind == "yes_no", field.label if len(field.label) <= 200 else field.name
        options = [self._translate_phrase("yes"), self._translate_phrase("no")] if is_yes_no else field.choices
        for number, option in enumerate(options, 1):
            sign = option if field.is_sign(option) else number if field.has_positions else ""
            self.show_line(
                f"  {sign}. {field.get_option_text(option)}" if sign else f"  {field.get_option_text(option)}"
            )
        if field.kind == "number":
            return self._build_bounded_prompt(field)
        key = {
            "several": "several" if field.min_options else "several_or_none",
            "text": "text" if field.schema.get("minLength") else "empty",
            "json": "json",
        }.get(field.kind, "pick_or_none" if field.may_be_empty else "pick")
        return self._translate_phrase(key, name=name, numbers="1–2" if is_yes_no else field.numbers)

    def _build_bounded_prompt(self, field: EntryField, option: str = "") -> str:
        schema, name = field.schema, field.get_option_text(option) if option else field.label
        name = f"{name} {field.ends}".rstrip()
        if {"minimum", "maximum"} <= schema.keys():
            return self._translate_phrase(
                "number", name=name, least=f"{schema['minimum']:g}", most=f"{schema['maximum']:g}"
            )
        return self._translate_phrase("text", name=name)

    def _ask_until_valid(self, field: EntryField, prompt: str, can_abstain: bool) -> Any:
        while True:
            entry = self.ask(prompt)
            try:
                return field.parse_entry(entry, self.language)
            except InvalidEntryError as error:
                if can_abstain and normalize_wording(field.drop_label(entry)) in index_words({ABSTAIN_FIELD: True}):
                    raise AbstentionError from None
                self.show_line(str(error))

    def _translate_phrase(self, key: str, **values: object) -> str:
        return translate_display_phrase(self.language, f"seat.{key}", **values)
