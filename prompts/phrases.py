"""Phrases of one kind, in each of its languages: `<kind>.<language>.toml` with the same keys and the same holes.

The tables are compared when they are loaded: a key or a hole that one language lacks or has alone is refused. A user's
folder may hold tables of the same names, which replace some phrases, key by key.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter

from .catalogue import LANGUAGES, TemplateFault, base_language, holes_in, meant, table


class Phrases:
    """The phrases of `kind`, by `section.key`; those a user's `folder` holds come first."""

    def __init__(self, kind: str, folder: str = "") -> None:
        self.kind = kind
        self._texts = {tag: texts for tag in LANGUAGES if (texts := _flat(kind, tag))}
        if not self._texts:
            raise TemplateFault(f"{kind}.en.toml is missing; put the phrases there, or in another language")
        self._model = next(iter(self._texts))
        for tag in self._texts:
            self._compare(tag)
        self.own = self._replaced(folder) if folder else {}
        for tag, texts in self.own.items():
            self._texts[tag] = {**self._texts[tag], **texts}

    def within(self, folder: str) -> "Phrases":
        """The same phrases, with those of a user's folder in their place; without a folder as they are.

        Raises `TemplateFault` for a key or a hole that the built-in phrases lack, and for a hole that is missing.
        """
        return phrases(self.kind, folder) if folder else self

    def files(self) -> list[str]:
        """The names that tables of this kind have."""
        return [f"{self.kind}.{tag}.toml" for tag in self._texts]

    def built_in(self, language: str) -> dict[str, str]:
        """The built-in phrases of a language, by `section.key`."""
        return _flat(self.kind, language)

    def say(self, language: str, key: str, /, **values: object) -> str:
        """The phrase `key` for a language tag, its holes filled; values are put in as they are."""
        texts = self._texts.get(base_language(language), self._texts[self._model])
        return texts[key].format_map({name: str(one) for name, one in values.items()})

    def keys(self, section: str) -> list[str]:
        """The keys of a section, without its name."""
        found = (key.partition(".") for key in self._texts[self._model])
        return [key for head, _, key in found if head == section]

    def _replaced(self, folder: str) -> dict[str, dict[str, str]]:
        if not Path(folder).is_dir():
            raise TemplateFault(f"templates = {folder!r}: no such folder; put it back, and go on")
        found = {tag: _user_phrases(Path(folder) / f"{self.kind}.{tag}.toml") for tag in self._texts}
        for tag, texts in found.items():
            for key, text in texts.items():
                self._check_own(f"{self.kind}.{tag}.toml", key, text, self._texts[tag])
        return {tag: texts for tag, texts in found.items() if texts}

    def _check_own(self, file: str, key: str, text: str, known: Mapping[str, str]) -> None:
        if key not in known:
            raise TemplateFault(f"{file}: {key} is not among the phrases{meant(key, known)}")
        needed = _holes(known[key])
        if holes_in(f"{file}: {key}", text) != needed:
            named = ", ".join(sorted(f"{{{hole}}}" for hole in needed)) or "none"
            raise TemplateFault(f"{file}: {key} must have the holes {named}, as the built-in phrase has")

    def _compare(self, tag: str) -> None:
        ours, model = self._texts[tag], self._texts[self._model]
        for key in sorted(ours.keys() ^ model.keys()):
            lacking = tag if key in model else self._model
            raise TemplateFault(f"{self.kind}.{lacking}.toml: {key} is missing; every language needs every phrase")
        for key in ours:
            if _holes(ours[key]) != _holes(model[key]):
                named = ", ".join(sorted(f"{{{hole}}}" for hole in _holes(model[key]))) or "none"
                raise TemplateFault(f"{self.kind}.{tag}.toml: {key} must have the holes {named}, as in {self._model}")


def _flat(kind: str, tag: str) -> dict[str, str]:
    try:
        sections = table(kind, tag)
    except FileNotFoundError:
        return {}
    return {f"{section}.{key}": str(text) for section, keys in sections.items() for key, text in keys.items()}


def _user_phrases(path: Path) -> dict[str, str]:
    """The phrases of a user's table; none where there is no such file."""
    if not path.is_file():
        return {}
    try:
        sections = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise TemplateFault(f"{path.name}: {fault}; write it as TOML, in UTF-8") from None
    found = dict[str, str]()
    for section, keys in sections.items():
        for key, text in keys.items() if isinstance(keys, dict) else [("", keys)]:
            if not isinstance(text, str):
                raise TemplateFault(f'{path.name}: {section}.{key} is no phrase; write [{section}] and key = "text"')
            found[f"{section}.{key}"] = text
    return found


def _holes(text: str) -> set[str]:
    return {hole for _, hole, _, _ in Formatter().parse(text) if hole is not None}


@cache
def phrases(kind: str, folder: str = "", /) -> Phrases:
    """The checked phrases of a kind, with those of a user's `folder` in their place."""
    return Phrases(kind, folder)
