"""Fields of a form, derived from its JSON schema, and the parsing of their entries."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from ...nodes.answer_forms import index_words
from ...prompts import LANGUAGES, load_phrases, load_table
from ...state import (
    UnclearAnswerError,
    build_unique_mapping,
    clean_answer,
    drop_pairs,
    fold_wording,
    index_options,
    normalize_wording,
    parse_amount,
    parse_list,
    parse_number,
    parse_ranking,
    parse_word,
    remove_invisible,
)
from ..display.wording import get_label, translate_display_phrase
from ..schema_fields import Schema, SchemaField, list_choices, list_schema_fields

FieldKind = Literal["only", "yes_no", "choice", "several", "marks", "number", "text", "group", "json"]
LABEL_KEYS = {
    "choice": ("vote",),
    "approvals": ("approve",),
    "points": ("scores",),
    "weight": ("certainty",),
    "agrees": ("consent", "vote_now"),
    "answer": ("answer", "estimate", "accept"),
    "principle": ("principle", "answer"),
}
"""Keys of the labels at the start of an entry, by field name. Other fields have their name as label."""
ABSTAIN_FIELD = "abstain"
"""Name of the field of an abstention. An abstention needs no optional fields."""


class InvalidEntryError(ValueError):
    """Error for an entry that does not fit its field. The message describes a valid entry."""


@dataclass(frozen=True)
class EntryField:
    """Field of a form.

    `kind`: kind of the entry. A field of kind `only` has one option and needs no entry, `several` takes options in
    order, and `marks` takes a number for each option. `schema`: JSON schema of the entry; for `marks`, of one mark.
    `options`: possible choices. `parts`: fields of a group. `label`: question that the field asks. `option_texts`: full
    texts of options, by option. `ends`: meaning of the ends of a scale; empty for other fields. `unit`: unit that a
    number may have.
    """

    name: str
    kind: FieldKind
    schema: Schema
    options: Sequence[Any] = ()
    may_be_none: bool = False
    parts: Sequence["EntryField"] = ()
    label: str = ""
    option_texts: Mapping[str, str] = field(default_factory=dict)
    ends: str = ""
    unit: str = ""

    @property
    def min_options(self) -> int:
        """Return the smallest number of options to choose."""
        return int(self.schema.get("minItems", 0))

    @property
    def numbered_options(self) -> list[Any]:
        """Return the options that have a number: all except the empty one."""
        return [option for option in self.options if option != ""]

    @property
    def has_positions(self) -> bool:
        """Return whether a person can enter options by position.

        Return `False` if an option or its text is a number, or begins with a number.
        """
        wordings = [
            wording for option in self.numbered_options for wording in (str(option), self.get_option_text(option))
        ]
        return not any(normalize_wording(wording)[:1].isdecimal() for wording in wordings)

    @property
    def numbers(self) -> str:
        """Return the short entries for the options: the signs of options with texts, otherwise positions."""
        if self.kind == "yes_no":
            return "1–2"
        is_named = any(self.is_sign(option) for option in self.numbered_options) or not self.has_positions
        return ", ".join(map(str, self.numbered_options)) if is_named else f"1–{len(self.numbered_options)}"

    def is_sign(self, option: Any) -> bool:
        """Return whether an option is a short sign, such as `B`, that stands for a text."""
        return len(str(option)) <= 3 and str(option) in self.option_texts

    def get_option_text(self, option: Any) -> str:
        """Return the full text of an option."""
        return self.option_texts.get(str(option), str(option))

    @property
    def text_wordings(self) -> set[str]:
        """Return the texts of the options in normalized form, for comparison with an entry."""
        return set(map(normalize_wording, self.option_texts.values()))

    @property
    def may_be_empty(self) -> bool:
        """Return whether the field may stay empty."""
        return self.may_be_none or "" in self.options

    def parse_entry(self, entry: str, language: str) -> Any:
        """Return the value that a person entered in this field.

        An option is entered by its position, from 1, or by its name, with or without a label as in `Vote: B`. If
        options are numbers, only their names are accepted. Blanks separate names and positions, but no texts: `no B` is
        not two options. A group is parsed part by part. Raises `InvalidEntryError` with a message in `language`.
        """
        entry, make_error = entry.strip(), partial(_make_entry_error, language)
        match self.kind:
            case "only":
                return self.options[0]
            case "choice" if not entry and self.may_be_empty:
                return "" if "" in self.options else None
            case "text" if self.schema.get("minLength") and not entry:
                raise make_error("blank")
            case "json":
                try:
                    return json.loads(entry, object_pairs_hook=build_unique_mapping)
                except (ValueError, RecursionError) as error:
                    raise make_error("json", fault=getattr(error, "msg", "") or error) from None
            case "group" | "text":
                return entry
        names, text = self._index_options(), clean_answer(entry)
        if fold_wording(text) not in names:
            text = clean_answer(self.drop_label(text))
        is_none = fold_wording(text) in index_words({"none": ""}).keys() - names.keys() - self.text_wordings
        try:
            match self.kind:
                case "yes_no" | "choice":
                    return parse_word(text, names)
                case "several":
                    return [] if is_none and not self.min_options else self._parse_options(text, names)
                case "number" if self.may_be_none and (is_none or not text):
                    return None
            return self._parse_number(text)
        except UnclearAnswerError:
            key = {"yes_no": "one", "choice": "one", "several": "several" if self.min_options else "several_or_none"}
            raise make_error(key.get(self.kind, "number"), numbers=self.numbers) from None

    def _parse_options(self, text: str, names: Mapping[str, Any]) -> list[Any]:
        has_separators = re.search(r"[,，;；、>]", text) or fold_wording(text) in names
        parse = parse_ranking if self.name == "ranking" else parse_list
        options = parse(text if has_separators else ",".join(text.split()), names)
        if len({*options}) < max(len(options), self.min_options) or not (
            has_separators or self.text_wordings.isdisjoint(map(fold_wording, text.split()))
        ):
            raise UnclearAnswerError
        return options

    def _parse_number(self, text: str) -> float:
        value = parse_amount(text) if self.name == "amount" else parse_number(text, self.unit)
        is_in_bounds = self.schema.get("minimum", value) <= value <= self.schema.get("maximum", value)
        is_right_type = self.schema["type"] != "integer" or isinstance(value, int)
        if not (math.isfinite(value) and is_in_bounds and is_right_type):
            raise UnclearAnswerError
        return value

    def drop_label(self, entry: str) -> str:
        """Return an entry without the label of this field, such as `Vote:`, at its beginning."""
        label, colon, value = drop_pairs(remove_invisible(entry)).partition(":")
        return value.strip() if colon and fold_wording(label) in self._list_labels() else entry

    def _list_labels(self) -> set[str]:
        """Return the labels that an entry may begin with, in every language, in lower case."""
        keys = LABEL_KEYS.get(self.name, (self.name,))
        tables = [load_table("terms", tag)["labels"] for tag in LANGUAGES]
        return {normalize_wording(str(table.get(key, key))) for table in tables for key in keys}

    def _index_options(self) -> dict[str, Any]:
        """Map every accepted entry for an option to the option.

        Accepted are its names in any language, and its position from 1. A name may follow a label, as in `principle 3`.
        If every text is a term with its definition, as in `Oaks: they give shade`, the term is enough. A text such as
        `none` that is a word of the form is left out.
        """
        if self.kind == "yes_no":
            return index_words({"yes": True, "no": False}) | {"1": True, "2": False, "0": False}
        options = {str(option): option for option in self.numbered_options}
        words = index_words({name: name for name in options.keys() & load_table("terms", "en")["words"].keys()})
        labelled_names = {f"{label} {name.casefold()}": name for label in self._list_labels() for name in options}
        definitions = {name: remove_invisible(text).partition(":") for name, text in self.option_texts.items()}
        terms = {name: term for name, (term, colon, _) in definitions.items() if colon}
        own_names = index_options(terms if terms.keys() == options.keys() else {}) | index_options(
            {name: self.option_texts.get(name, "") for name in options}
        )
        form_words = index_words({"abstain": "", "none": ""}).keys() - set(map(normalize_wording, options))
        names = labelled_names | words | {key: own_names[key] for key in own_names.keys() - form_words}
        positions = enumerate(self.numbered_options, 1) if self.has_positions else []
        meanings = {wording: options[name] for wording, name in names.items()}
        meanings |= {str(position): option for position, option in positions}
        none_words = index_words({"none": ""} if "" in self.options else {})
        # an option that is called "none" could be meant by this word
        return {key: (none_words | meanings)[key] for key in none_words.keys() ^ meanings.keys()}


def list_fields(
    schema: Schema, language: str = "en", option_texts: Mapping[str, str] | None = None
) -> list[EntryField]:
    """Return the fields of a form: the decision first, then the reason, then comments on each option.

    `option_texts`: full texts of options. Words of the protocol have texts in `language`.
    """
    all_texts = {
        key: get_label(language, "choice", key, "people") for key in load_phrases("people").list_keys("choice")
    } | dict(option_texts or {})
    unit = str(schema["properties"].get("unit", {}).get("const", ""))
    entry_fields = [_make_field(schema_field, language, all_texts, unit) for schema_field in list_schema_fields(schema)]
    return sorted(entry_fields, key=lambda entry_field: (entry_field.kind == "group", entry_field.name == "reason"))


def _make_field(field: SchemaField, language: str, texts: Mapping[str, str], unit: str = "") -> EntryField:
    schema, choices = field.schema, field.choices
    kinds: dict[Any, FieldKind] = {"boolean": "yes_no", "number": "number", "integer": "number", "string": "text"}
    kind = kinds.get(schema.get("type"), "json")
    parts: list[EntryField] = []
    if integers := [schema for schema in field.alternatives if schema.get("type") == "integer"]:
        kind, schema = "number", integers[0]  # where a text is accepted only to describe its fault
    mark_schemas = field.item.schema.get("properties", {})
    if choices:
        kind = "only" if len(choices) == 1 and not field.may_be_none else "choice"
    elif kind == "json" and field.item.choices:
        kind, choices = "several", field.item.choices
    elif kind == "json" and set(mark_schemas) == {"option", "score"}:
        kind, schema, choices = "marks", mark_schemas["score"], list_choices(mark_schemas["option"])
    elif kind == "json" and schema.get("properties"):
        kind, parts = "group", [_make_field(subfield, language, texts) for subfield in field.parts]
    label = get_label(language, "field", field.name, "people")
    return EntryField(
        field.name,
        kind,
        schema,
        choices,
        field.may_be_none,
        parts,
        label=texts.get(field.name, label) if label == field.name else label,
        option_texts={str(option): texts[str(option)] for option in choices if str(option) in texts},
        ends=get_label(language, "ends", field.name, "people")
        if kind == "number" and field.name in ("agreement", "certainty")
        else "",
        unit={"certainty": "%", **dict.fromkeys(("low", "answer", "high"), unit)}.get(field.name, ""),
    )


def _make_entry_error(language: str, key: str, **values: object) -> InvalidEntryError:
    return InvalidEntryError(translate_display_phrase(language, f"seat.not_{key}", **values))
