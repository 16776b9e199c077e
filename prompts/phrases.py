"""Phrases of one kind, in each of its languages: `<kind>.<language>.toml` with the same keys and the same holes.

The tables are compared when they are loaded: a key or a hole that one language lacks or has alone is refused.
"""

from functools import cache
from string import Formatter

from .catalogue import LANGUAGES, TemplateFault, base_language, table


class Phrases:
    """The phrases of `kind`, by `section.key`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._texts = {tag: texts for tag in LANGUAGES if (texts := _flat(kind, tag))}
        if not self._texts:
            raise TemplateFault(f"{kind}.en.toml is missing; put the phrases there, or in another language")
        self._model = next(iter(self._texts))
        for tag in self._texts:
            self._compare(tag)

    def say(self, language: str, key: str, /, **values: object) -> str:
        """The phrase `key` for a language tag, its holes filled; values are put in as they are."""
        texts = self._texts.get(base_language(language), self._texts[self._model])
        return texts[key].format_map({name: str(one) for name, one in values.items()})

    def keys(self, section: str) -> list[str]:
        """The keys of a section, without its name."""
        found = (key.partition(".") for key in self._texts[self._model])
        return [key for head, _, key in found if head == section]

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


def _holes(text: str) -> set[str]:
    return {hole for _, hole, _, _ in Formatter().parse(text) if hole is not None}


@cache
def phrases(kind: str) -> Phrases:
    """The checked phrases of a kind."""
    return Phrases(kind)
