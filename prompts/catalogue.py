"""The words a model is told: Markdown templates with `{field}` holes, one file per language, protocol and step.

A graph names its templates and the fields it can fill when it is built. A protocol without a language, a language that
lacks a template, a hole nobody fills and a file nobody uses are refused then. Values are put in as they are: a brace in
a value is never a hole.
"""

import tomllib
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Formatter

LANGUAGES = ("en", "zh", "es")
"""The languages a release has every word in; a protocol can be run with the templates of one."""

_HERE = files(__package__)


class TemplateFault(ValueError):
    """A template that cannot be used; the message names the file and the remedy."""


def base_language(tag: str) -> str:
    """The catalogue for a BCP-47 tag: its primary language where there is one, else English."""
    primary = tag.split("-")[0].lower()
    return primary if primary in LANGUAGES else "en"


class Catalogue:
    """The templates of one protocol, in each of its `languages`; `root`: where those of one from elsewhere stand."""

    def __init__(self, protocol: str, offers: Mapping[str, frozenset[str]], root: Traversable | None = None) -> None:
        self.protocol = protocol
        self.folder = str(root) if isinstance(root, Path) else ""
        self._offers = dict(offers)
        self._texts = {tag: texts for tag in LANGUAGES if (texts := self._read((root or _HERE) / tag))}
        self.languages = list(self._texts)
        self._check_complete()

    def at(self, root: Traversable) -> "Catalogue":
        """The same templates in words of one's own, which stand below `root` as `<language>/<protocol>/<name>.md`."""
        return Catalogue(self.protocol, self._offers, root)

    def language(self, tag: str) -> str:
        """The language of the templates for a language tag: its own, else English, else the one there is."""
        return next(one for one in [base_language(tag), "en", *self.languages] if one in self.languages)

    def fill(self, language: str, name: str, values: Mapping[str, object], folder: str = "") -> str:
        """The template `name` for a language tag, its holes filled; one in the user's `folder` comes first."""
        own = self._own(folder, language) or self._own(folder, language.split("-")[0])
        text = own.get(name) or self._texts[self.language(language)][name]
        return text.format_map({field: str(value) for field, value in values.items()})

    def check(self, folder: str) -> str:
        """A user's folder by its absolute path, so that any process can go on with it; empty: none.

        Raises `TemplateFault` where this protocol cannot fill its templates.
        """
        if not folder:
            return ""
        if not Path(folder).is_dir():
            raise TemplateFault(f"templates = {folder!r}: no such folder; it holds <language>/{self.protocol}/*.md")
        if not self.own(folder):
            raise TemplateFault(
                f"templates = {folder!r}: nothing for this protocol; put <language>/{self.protocol}/*.md"
            )
        return str(Path(folder).absolute())

    def own(self, folder: str) -> dict[str, str]:
        """What a user's folder puts in the place of the built-in words, by `<language>/<protocol>/<name>.md`."""
        languages = sorted(entry.name for entry in Path(folder).iterdir() if entry.is_dir())
        found = {language: self._own(folder, language) for language in languages}
        return {self.path(tag, name): text for tag, texts in found.items() for name, text in texts.items()}

    def built_in(self, language: str) -> dict[str, str]:
        """The built-in words of a language, by `<language>/<protocol>/<name>.md`."""
        return {self.path(language, name): text for name, text in self._texts[language].items()}

    def path(self, language: str, name: str) -> str:
        """Where a template stands, below the folder of all words."""
        return f"{language}/{self.protocol}/{name}.md"

    def _own(self, folder: str, language: str) -> dict[str, str]:
        return _user_texts(self, folder, language) if folder else {}

    def _read(self, root: Traversable) -> dict[str, str]:
        place = root / self.protocol
        if not place.is_dir():
            return {}
        found = [entry for entry in place.iterdir() if entry.name.endswith(".md")]
        texts = {entry.name.removesuffix(".md"): _text_of(entry) for entry in found}
        for name, text in texts.items():
            self._check_holes(self.path(root.name, name), name, text)
        return texts

    def _check_holes(self, path: str, name: str, text: str) -> None:
        if name not in self._offers:
            used = ", ".join(sorted(self._offers))
            raise TemplateFault(f"{path}: no step uses it; the {self.protocol} uses {used}{meant(name, self._offers)}")
        if unknown := holes_in(path, text) - self._offers[name]:
            offered = ", ".join(sorted(self._offers[name]))
            raise TemplateFault(f"{path}: nothing fills {{{sorted(unknown)[0]}}}; offered are {offered}")

    def _check_complete(self) -> None:
        for tag, texts in (self._texts or {"en": dict[str, str]()}).items():
            for name in self._offers:
                if name not in texts:
                    raise TemplateFault(f"{tag}/{self.protocol}/{name}.md is missing; a language has all templates")


def holes_in(path: str, text: str) -> set[str]:
    """The names of a text's holes; raises `TemplateFault`, with the text's `path`, for a brace that makes none."""
    try:
        parts = [part for part in Formatter().parse(text) if part[1] is not None]
    except ValueError as fault:
        raise TemplateFault(f"{path}: {fault}; write a literal brace twice") from None
    if any(form or conversion for _, _, form, conversion in parts):
        raise TemplateFault(f"{path}: a hole is a name and nothing else; write {{name}}, without ':' or '!'")
    return {str(field) for _, field, _, _ in parts}


def meant(given: str, known: Collection[str]) -> str:
    """The nearest known name, as the end of a message; empty where none is near."""
    near = get_close_matches(given, known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else ""


def _text_of(entry: Traversable) -> str:
    try:
        return entry.read_text("utf-8").strip()
    except UnicodeDecodeError:
        raise TemplateFault(f"{entry.name}: not UTF-8; save it as UTF-8") from None


@cache
def _user_texts(catalogue: Catalogue, folder: str, language: str) -> dict[str, str]:
    if not Path(folder).is_dir():
        raise TemplateFault(f"templates = {folder!r}: no such folder; put it back, and go on")
    return catalogue._read(Path(folder) / language)


@cache
def catalogue(protocol: str, root: Traversable | None = None, /, **offers: str) -> Catalogue:
    """The checked templates of a protocol: `catalogue("debate", system="topic cast", speak="name turn")`.

    Each keyword is a template's name, its value the fields the step can fill, separated by spaces. The templates of a
    protocol from elsewhere stand below its `root`, as `<language>/<protocol>/<name>.md`.
    """
    return Catalogue(protocol, {name: frozenset(fields.split()) for name, fields in offers.items()}, root)


@cache
def table(kind: str, language: str) -> dict[str, dict[str, object]]:
    """A table of words (`terms`, `personas`) in the catalogue language of a tag, with what protocols add to it.

    What a protocol adds to a section stands in a file of its own, `<language>/<protocol>/<kind>.toml`.
    """
    tag = base_language(language)
    whole: dict[str, dict[str, object]] = tomllib.loads((_HERE / f"{kind}.{tag}.toml").read_text("utf-8"))
    for protocol in sorted((_HERE / tag).iterdir(), key=lambda one: one.name):
        if (added := protocol / f"{kind}.toml").is_file():
            for section, words in tomllib.loads(added.read_text("utf-8")).items():
                whole[section] = {**words, **whole.get(section, {})}
    return whole


def term(language: str, section: str, key: str, **values: object) -> str:
    """A short phrase from the table of terms, its holes filled."""
    phrase = str(table("terms", language)[section][key])
    return phrase.format_map({field: str(value) for field, value in values.items()})


def language_name(tag: str) -> str:
    """The language a reply is asked in, named in the language of its prompt."""
    named = table("terms", tag)["languages"]
    primary = tag.split("-")[0].lower()
    if tag.lower() in named or primary in named:
        return str(named.get(tag.lower(), named.get(primary)))
    return term(tag, "languages", "other", tag=tag)


def listed(language: str, words: list[str]) -> str:
    """ "A", "A and B", "A, B, and C", with the language's own conjunction."""
    if len(words) < 2:
        return "".join(words)
    if len(words) == 2:
        return term(language, "lists", "two", first=words[0], last=words[1])
    comma = term(language, "lists", "comma")
    return term(language, "lists", "many", first=comma.join(words[:-1]), last=words[-1])
