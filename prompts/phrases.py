"""Phrases: short texts of one kind, such as labels and notes, in each language.

The tables `<kind>.<language>.toml` have the same keys and placeholders. A difference between languages is an error.
Tables with the same names in a user's folder replace single phrases.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter

from .templates import (
    LANGUAGES,
    TemplateError,
    Templates,
    get_base_language,
    load_table,
    make_phrase_error,
    parse_placeholders,
    suggest_name,
)


class Phrases:
    """Phrases of one kind, by `section.key`.

    `kind`: name of their tables. `folder`: the user's folder, whose phrases take precedence.
    """

    def __init__(self, kind: str, folder: str = "") -> None:
        self.kind = kind
        self._texts = {tag: texts for tag in LANGUAGES if (texts := _flatten_table(kind, tag))}
        if not self._texts:
            raise TemplateError(
                f"{kind}.en.toml is missing; write the phrases into this file, or into that of another language"
            )
        self._model = next(iter(self._texts))
        for tag in self._texts:
            self._check_language(tag)
        self.overrides = self._read_overrides(folder) if folder else {}
        for tag, texts in self.overrides.items():
            self._texts[tag] = {**self._texts[tag], **texts}

    def with_folder(self, folder: str) -> "Phrases":
        """Return these phrases with the replacements in a user's folder.

        Raises `TemplateError` for an unknown key or placeholder, and for a missing placeholder.
        """
        return load_phrases(self.kind, folder) if folder else self

    def list_files(self) -> list[str]:
        """Return the file names of the tables of this kind."""
        return [f"{self.kind}.{tag}.toml" for tag in self._texts]

    def get_builtin_texts(self, language: str) -> dict[str, str]:
        """Return the built-in phrases of a language, by `section.key`."""
        return _flatten_table(self.kind, language)

    def translate_phrase(self, language: str, key: str, /, **values: object) -> str:
        """Return the phrase `key` for a language tag, with its placeholders filled by unchanged values.

        If the value of `count` or `calls` is 1, the phrase `KEY_one` is returned instead, if it exists. Raises
        `TemplateError`, with table and language, for a missing phrase.
        """
        texts = self._texts.get(get_base_language(language), self._texts[self._model])
        key = f"{key}_one" if f"{key}_one" in texts and str(values.get("count", values.get("calls"))) == "1" else key
        if key not in texts:
            raise make_phrase_error(self.kind, language, key)
        return texts[key].format_map({name: str(value) for name, value in values.items()})

    def list_keys(self, section: str) -> list[str]:
        """Return the keys of a section, without the section's name."""
        return list(load_table(self.kind, self._model).get(section, ()))

    def _read_overrides(self, folder: str) -> dict[str, dict[str, str]]:
        if not Path(folder).is_dir():
            raise TemplateError(f"templates = {folder!r}: no such folder; restore it, then resume")
        tables = {tag: _read_user_phrases(Path(folder) / f"{self.kind}.{tag}.toml") for tag in self._texts}
        for tag, texts in tables.items():
            for key, text in texts.items():
                file, builtin_texts = f"{self.kind}.{tag}.toml", self._texts[tag]
                if key not in builtin_texts:
                    raise TemplateError(f"{file}: {key} is not among the phrases{suggest_name(key, builtin_texts)}")
                required_placeholders = _list_placeholders(builtin_texts[key])
                if parse_placeholders(f"{file}: {key}", text) != required_placeholders:
                    placeholder_list = _format_placeholders(required_placeholders)
                    raise TemplateError(
                        f"{file}: {key} must have the placeholders {placeholder_list}, as the built-in phrase has"
                    )
        return {tag: texts for tag, texts in tables.items() if texts}

    def _check_language(self, tag: str) -> None:
        texts, reference_texts = self._texts[tag], self._texts[self._model]
        for key in sorted(texts.keys() ^ reference_texts.keys()):
            language = tag if key in reference_texts else self._model
            raise TemplateError(f"{self.kind}.{language}.toml: {key} is missing; every language needs every phrase")
        for key in texts:
            if _list_placeholders(texts[key]) != _list_placeholders(reference_texts[key]):
                placeholder_list = _format_placeholders(_list_placeholders(reference_texts[key]))
                raise TemplateError(
                    f"{self.kind}.{tag}.toml: {key} must have the placeholders {placeholder_list}, as in {self._model}"
                )


def _flatten_table(kind: str, tag: str) -> dict[str, str]:
    try:
        sections = load_table(kind, tag)
    except FileNotFoundError:
        return {}
    return {f"{section}.{key}": str(text) for section, keys in sections.items() for key, text in keys.items()}


def _read_user_phrases(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    try:
        sections = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TemplateError(f"{path.name}: {error}; write it as TOML, in UTF-8") from None
    texts = dict[str, str]()
    for section, keys in sections.items():
        for key, text in keys.items() if isinstance(keys, dict) else [("", keys)]:
            if not isinstance(text, str):
                raise TemplateError(f'{path.name}: {section}.{key} is not a phrase; write [{section}] and key = "text"')
            texts[f"{section}.{key}"] = text
    return texts


def _format_placeholders(names: set[str]) -> str:
    return ", ".join(sorted(f"{{{name}}}" for name in names)) or "none"


def _list_placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@cache
def load_phrases(kind: str, folder: str = "", /) -> Phrases:
    """Load and check the phrases of a kind, such as `justice`.

    Phrases in the user's `folder` take precedence.
    """
    return Phrases(kind, folder)


PEOPLE = load_phrases("people")


def fill_person_text(
    templates: Templates, language: str, name: str, values: Mapping[str, object], folder: str = ""
) -> str:
    """Return the text that people get instead of the template `name`, filled with `values`.

    If there is no text for people, fill the template for models.
    """
    key = "rules" if name == "system" else name
    if key not in PEOPLE.list_keys(templates.protocol):
        return templates.fill_template(language, name, values, folder)
    position, persona = values.get("last_position"), values.get("persona")
    last_position = PEOPLE.translate_phrase(language, "shared.last", position=position) if position else ""
    text = PEOPLE.translate_phrase(language, f"{templates.protocol}.{key}", **{"last": last_position} | dict(values))
    part = PEOPLE.translate_phrase(language, "shared.part", persona=persona) if persona else ""
    lines = [line.strip() for line in f"{text}\n\n{part}".splitlines()]
    return "\n".join(line for index, line in enumerate(lines) if line or (index and lines[index - 1])).strip()
