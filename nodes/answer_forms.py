"""Text forms of answers. A question shows a form in one language.

Moot accepts answers in every language.
"""

from collections.abc import Collection, Mapping
from typing import TypeVar

from ..prompts import LANGUAGES, get_base_language, get_term
from ..state.answers import AnswerField, AnswerForm, normalize_wording, parse_word

T = TypeVar("T")


def list_labels(label: str, language: str, **values: object) -> list[str]:
    """List the wordings of a label in all languages, starting with `language`."""
    tags = dict.fromkeys([get_base_language(language), *LANGUAGES])
    return [get_term(tag, "labels", label, **values) for tag in tags]


def index_words(meanings: Mapping[str, T]) -> dict[str, T]:
    """Map each wording of a word, in any language, to the meaning of the word.

    `meanings`: meanings by the key of the word.
    """
    return {
        normalize_wording(get_term(tag, "words", key)): meaning
        for key, meaning in meanings.items()
        for tag in LANGUAGES
    }


def make_word_field(key: str, label: str, language: str, meanings: Mapping[str, object]) -> AnswerField:
    """Make a labelled line whose answer is one word. `meanings`: values by the key of the word."""
    wordings = index_words(meanings)
    examples = [get_term(language, "words", word) for word in meanings]
    return AnswerField(key, list_labels(label, language), lambda text: parse_word(text, wordings), examples)


def make_text_field(
    key: str, label: str, language: str, *, is_required: bool = False, condition: str = "", **values: object
) -> AnswerField:
    """Make a labelled line of free text, such as a reason.

    `key`: schema key. A key such as `critiques.A` fills the entry `A` of the mapping `critiques`. `condition`: as in
    `AnswerField`. `values`: values for the label's placeholders.
    """
    return AnswerField(
        key, list_labels(label, language, **values), is_required=is_required, is_free=True, condition=condition
    )


def make_answer_form(language: str, *fields: AnswerField, act: str = "answer") -> AnswerForm:
    """Make the form of an answer with these lines. Without a line for the reason, add an optional one.

    `act`: key of the phrase that names the requested act, such as a vote.
    """
    has_reason = any(field.key == "reason" for field in fields)
    return AnswerForm(fields if has_reason else [*fields, make_text_field("reason", "reason", language)], act)


def format_form(form: AnswerForm, language: str, keys: Collection[str]) -> str:
    """Format the lines of an answer for a question.

    `keys`: schema keys of the free-text lines to show. All other lines are always shown.
    """
    fields = [field for field in form.fields if not field.is_free or field.key.partition(".")[0] in keys]
    lines = [format_field(field, language) for field in fields]
    if len(lines) == 1:
        return get_term(language, "forms", "question", line=lines[0])
    return get_term(language, "forms", "questions", lines="\n".join(f"- {line}" for line in lines))


def format_repeated_question(form: AnswerForm, language: str, fault: str = "") -> str:
    """Format the short question that follows a reply without a usable answer.

    `fault`: description of the fault, if the form of the answer was right.
    """
    act = get_term(language, "forms", form.act)
    sentence = get_term(language, "forms", "unusable" if fault else "unread", act=act, fault=fault.rstrip(".。"))
    fields = [field for field in form.fields if field.is_required or field.condition or not field.is_free]
    lines = [format_field(field, language) for field in fields]
    if len(lines) == 1:
        return get_term(language, "forms", "again", fault=sentence, line=lines[0])
    return get_term(language, "forms", "again_lines", fault=sentence, lines="\n".join(f"- {line}" for line in lines))


def format_field(field: AnswerField, language: str) -> str:
    """Format the lines that answer one field, such as "`Vote: A` or `Vote: B`"."""
    lines = [get_term(language, "forms", "line", label=field.labels[0], answer=answer) for answer in field.examples]
    text = get_term(language, "forms", "or").join(lines)
    if field.is_free and not field.is_required:
        return get_term(language, "forms", field.condition or "optional", line=text)
    return text if field.is_complete else get_term(language, "forms", "like", lines=text)


def is_no_objection(text: str, *keys: str) -> bool:
    """Return whether a text has no letter and no digit, or only says that there is no objection.

    `keys`: keys of more words that count as "no objection".
    """
    wordings = index_words(dict.fromkeys(["none", "no_objection", "no_objections", *keys]))
    return not any(map(str.isalnum, text)) or normalize_wording(text) in wordings
