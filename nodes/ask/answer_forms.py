"""Forms of answers in text, shown in the language of the seat and accepted in every language."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from ...prompts import LANGUAGES, get_base_language, get_term
from ...state.answer_form import AnswerField, AnswerForm, normalize_wording

T = TypeVar("T")


def list_labels(label: str, language: str, **values: object) -> list[str]:
    """List the wordings of a label in every language, `language` first."""
    tags = dict.fromkeys([get_base_language(language), *LANGUAGES])
    return [get_term(tag, "labels", label, **values) for tag in tags]


def index_words(meanings: Mapping[str, T]) -> dict[str, T]:
    """Map the wordings of some words in every language to their meanings. `meanings`: by the words' keys."""
    return {
        normalize_wording(get_term(tag, "words", key)): meaning
        for key, meaning in meanings.items()
        for tag in LANGUAGES
    }


def make_answer_field(
    key: str,
    label: str,
    language: str,
    parse: Callable[[str], object],
    examples: Sequence[str],
    *,
    is_complete: bool = True,
    is_required: bool = True,
) -> AnswerField:
    """Make a labelled line of an answer. `label`: key of the label; a question shows it in `language`.

    `parse` returns the value of the schema's key, or a mapping with several keys of the schema.
    """
    return AnswerField(key, list_labels(label, language), parse, examples, is_complete, is_required)


def make_answer_form(
    language: str, *fields: AnswerField, act: str = "answer", notes: Mapping[str, Sequence[str]] | None = None
) -> AnswerForm:
    """Make the form of an answer with these lines, which a line with the reason may follow.

    `act`: key of the phrase for what is answered. `notes`: labels of further free texts, by the schema's keys;
    `critiques.A` is the key `A` within `critiques`.
    """
    return AnswerForm(fields, {**(notes or {}), "reason": list_labels("reason", language)}, act)


def format_form(form: AnswerForm, language: str, note_keys: Collection[str] = ()) -> str:
    """Format the part of a question that states the lines of an answer. `note_keys`: keys of the notes to ask for."""
    notes = [
        get_term(language, "forms", "note", label=labels[0]) for key, labels in form.notes.items() if key in note_keys
    ]
    lines = [*_list_lines(form, language), *notes]
    if len(lines) == 1:
        return get_term(language, "forms", "question", line=lines[0])
    return get_term(language, "forms", "questions", lines="\n".join(f"- {line}" for line in lines))


def format_repeated_question(form: AnswerForm, language: str, fault: str = "") -> str:
    """Format the short question after a reply without a usable answer. `fault`: fault of an answer that was read."""
    act = get_term(language, "forms", form.act)
    sentence = get_term(language, "forms", "unusable" if fault else "unread", act=act, fault=fault.rstrip(".。"))
    lines = _list_lines(form, language)
    if len(lines) == 1:
        return get_term(language, "forms", "again", fault=sentence, line=lines[0])
    return get_term(language, "forms", "again_lines", fault=sentence, lines="\n".join(f"- {line}" for line in lines))


def _list_lines(form: AnswerForm, language: str) -> list[str]:
    return [_format_field(field, language) for field in form.fields]


def _format_field(field: AnswerField, language: str) -> str:
    lines = [get_term(language, "forms", "line", label=field.labels[0], answer=answer) for answer in field.examples]
    text = get_term(language, "forms", "or").join(lines)
    return text if field.is_complete else get_term(language, "forms", "like", lines=text)
