"""Forms at the terminal: one entry for each field, and the approvals of the run's owner.

Options have numbers. If an entry does not fit its field, the form asks again. The caller checks the complete form.
"""

import dataclasses
import json
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ...nodes.answer_forms import index_words
from ...prompts import get_term
from ...state import build_unique_mapping, normalize_wording
from ..display import QUIET_STYLE, TITLE_STYLE, Terminal, translate_display_phrase
from ..run.failure import RunInterruptedError
from ..session.terminal_session import read_input
from .entry_fields import ABSTAIN_FIELD, EntryField, InvalidEntryError, Schema, list_fields
from .open_questions import OpenQuestion, format_deadline, format_question_heading


class AbstentionError(Exception):
    """Exception that says that the person abstains."""


@dataclasses.dataclass(frozen=True)
class TerminalForm:
    """Form that a person fills in at the terminal, in one language.

    `ask`: function that shows a prompt and returns the entry. `show_line`: function that shows a line. `option_texts`:
    full texts of options.
    """

    schema: Schema
    language: str
    ask: Callable[[str], str]
    show_line: Callable[[str], None]
    option_texts: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def ask_fields(self) -> dict[str, Any]:
        """Ask for all fields, the decision first. Return their values by name, abstentions included."""
        fields, values = list_fields(self.schema, self.language, self.option_texts), dict[str, Any]()
        abstention = next((field.label for field in fields if field.name == ABSTAIN_FIELD), "")
        has_abstained = False
        for field in (field for field in fields if field.name != ABSTAIN_FIELD):
            if field.name == "objection" and values.get("has_objection") is False:
                continue
            if has_abstained and field.may_be_none:
                values[field.name] = None
                continue
            can_abstain = field.may_be_none and not values
            if abstention:  # a vote: no empty entry decides it
                field = dataclasses.replace(field, may_be_none=False)
            try:
                values[field.name] = self._ask_field(field, abstention if can_abstain else "")
            except AbstentionError:
                has_abstained, values[field.name] = True, None
        return values | ({ABSTAIN_FIELD: has_abstained} if abstention else {})

    def _ask_field(self, field: EntryField, abstention: str = "") -> Any:
        """Ask for one field and return its value.

        `abstention`: label of an abstention, if one is possible here.
        """
        prompt = "" if field.kind in ("only", "marks", "group") else self._build_prompt(field)
        if abstention:
            self.show_line(f"  {get_term(self.language, 'words', ABSTAIN_FIELD)}. {abstention}")
        ask = partial(self._ask_until_valid, field, can_abstain=bool(abstention))
        match field.kind:
            case "only":
                return field.parse_entry("", self.language)
            case "marks":
                return [
                    {
                        "option": option,
                        "score": ask(
                            self._build_bounded_prompt(field, option),
                            can_abstain=bool(abstention) and option == field.numbered_options[0],  # not after a mark
                        ),
                    }
                    for option in field.numbered_options
                ]
            case "group":
                self.show_line(field.label)
                return {subfield.name: self._ask_field(subfield) for subfield in field.parts}
        return ask(prompt)

    def _build_prompt(self, field: EntryField) -> str:
        """Show the numbered options of a field and return its prompt."""
        is_yes_no, name = field.kind == "yes_no", field.label if len(field.label) <= 200 else field.name
        options = [self._translate_phrase("yes"), self._translate_phrase("no")] if is_yes_no else field.numbered_options
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
        return self._translate_phrase(key, name=name, numbers=field.numbers)

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
                abstentions = index_words({ABSTAIN_FIELD: True}).keys() - field.text_wordings
                if can_abstain and normalize_wording(field.drop_label(entry)) in abstentions:
                    raise AbstentionError from None
                self.show_line(str(error))

    def _translate_phrase(self, key: str, **values: object) -> str:
        return translate_display_phrase(self.language, f"seat.{key}", **values)


def can_ask_owner(terminal: Terminal) -> bool:
    """Return whether the owner sits at this terminal and sees the run."""
    return terminal.shows_run and sys.stdin.isatty() and threading.current_thread() is threading.main_thread()


def ask_owner(question: OpenQuestion, terminal: Terminal) -> dict[str, Any]:
    """Ask the owner at this terminal. Return the answer as a dict, by the id of the question.

    The dict is empty if the input ends before the answer. Raises `RunInterruptedError` after Ctrl-C.
    """
    language, show_line = question["language"], terminal.screen.show_line
    show_line(format_question_heading(question), TITLE_STYLE)
    show_line(question["words"])
    if deadline := format_deadline(question):
        show_line(deadline, QUIET_STYLE)
    previous_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if schema := question["schema"]:
            value: Any = TerminalForm(schema, language, partial(_read_entry, terminal), show_line).ask_fields()
        else:
            value = parse_reply_to_agent(_read_entry(terminal, "> "))
    except EOFError:
        return {}
    except KeyboardInterrupt:
        raise RunInterruptedError("stopped") from None
    finally:
        signal.signal(signal.SIGINT, previous_handler)
    return {question["id"]: value}


def _read_entry(terminal: Terminal, prompt: str) -> str:
    if entry := read_input(prompt, terminal):
        return entry
    raise EOFError


def parse_reply_to_agent(reply: Any) -> Any:
    """Return the value of a text that is JSON, or the stripped text.

    A text with a repeated key is no JSON, and `NaN` stays a text. Other values stay unchanged.
    """
    try:
        return json.loads(reply, object_pairs_hook=build_unique_mapping, parse_constant=str)
    except (TypeError, ValueError, RecursionError):
        return reply.strip() if isinstance(reply, str) else reply
