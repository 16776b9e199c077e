"""Prompt templates: Markdown with `{field}` placeholders, one file per language, protocol and step.

A graph names its templates and their fields when it is built. The loader rejects a missing language or template, an
unknown placeholder and an unused file. Values are inserted unchanged. A brace in a value is not a placeholder.
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
"""Languages in which a release has every text. A protocol can run with templates in only one of them."""

_PROMPTS_FOLDER = files(__package__)


class TemplateError(ValueError):
    """Error in a template. The message names the file and says how to correct it."""


def get_base_language(tag: str) -> str:
    """Return the template language for a BCP-47 tag: its primary language or, if unavailable, English."""
    primary_tag = tag.split("-")[0].lower()
    return primary_tag if primary_tag in LANGUAGES else "en"


class Templates:
    """Templates of one protocol, in each of its `languages`.

    `root`: folder with the templates of an installed protocol.
    """

    def __init__(
        self, protocol: str, template_fields: Mapping[str, frozenset[str]], root: Traversable | None = None
    ) -> None:
        self.protocol = protocol
        self.folder = str(root) if isinstance(root, Path) else ""
        self.template_fields = dict(template_fields)
        self._texts = {tag: texts for tag in LANGUAGES if (texts := self._read_texts((root or _PROMPTS_FOLDER) / tag))}
        self.languages = list(self._texts)
        for tag, texts in (self._texts or {"en": dict[str, str]()}).items():
            for name in self.template_fields:
                if name not in texts:
                    path, place = self.get_path(tag, name), self.folder or "Moot's own prompts"
                    raise TemplateError(f"{path} is missing in {place}; each language needs all templates")

    def with_root(self, root: Traversable) -> "Templates":
        """Return these templates, read from `root` as `<language>/<protocol>/<name>.md`."""
        return Templates(self.protocol, self.template_fields, root)

    def choose_language(self, tag: str) -> str:
        """Return the template language for a language tag: its own, English, or the first available one."""
        return next(
            language for language in [get_base_language(tag), "en", *self.languages] if language in self.languages
        )

    def fill_template(self, language: str, name: str, values: Mapping[str, object], folder: str = "") -> str:
        """Fill the template `name` in a language with `values`, and return the text.

        Templates in the user's `folder` take precedence.
        """
        overrides = self._read_overrides(folder, language) or self._read_overrides(folder, language.split("-")[0])
        text = overrides.get(name) or self._texts[self.choose_language(language)][name]
        return text.format_map({field: str(value) for field, value in values.items()})

    def resolve_folder(self, folder: str) -> str:
        """Return a user's folder as an absolute path; empty without a folder.

        Raises `TemplateError` for a missing folder, a folder without texts of this protocol, or an unusable text.
        """
        if not folder:
            return ""
        if not Path(folder).is_dir():
            raise TemplateError(
                f"templates = {folder!r}: there is no such folder; make one with the files "
                f"<language>/{self.protocol}/*.md"
            )
        if not self.read_overrides(folder):
            raise TemplateError(
                f"templates = {folder!r}: the folder has no templates of this protocol; add the files "
                f"<language>/{self.protocol}/*.md"
            )
        return str(Path(folder).absolute())

    def read_overrides(self, folder: str) -> dict[str, str]:
        """Return the user's texts that replace built-in ones, by `<language>/<protocol>/<name>.md`.

        `folder`: the user's folder. Raises `TemplateError` for an unusable text.
        """
        languages = sorted(entry.name for entry in Path(folder).iterdir() if entry.is_dir())
        texts_by_language = {language: self._read_overrides(folder, language) for language in languages}
        return {
            self.get_path(tag, name): text for tag, texts in texts_by_language.items() for name, text in texts.items()
        }

    def get_builtin_texts(self, language: str) -> dict[str, str]:
        """Return the built-in texts of a language, by `<language>/<protocol>/<name>.md`."""
        return {self.get_path(language, name): text for name, text in self._texts[language].items()}

    def get_path(self, language: str, name: str) -> str:
        """Return the path of a template, relative to the folder of all texts."""
        return f"{language}/{self.protocol}/{name}.md"

    def _read_overrides(self, folder: str, language: str) -> dict[str, str]:
        return _read_user_texts(self, folder, language) if folder else {}

    def _read_texts(self, root: Traversable) -> dict[str, str]:
        folder = root / self.protocol
        if not folder.is_dir():
            return {}
        entries = [entry for entry in folder.iterdir() if entry.name.endswith(".md")]
        texts = {entry.name.removesuffix(".md"): _read_text(entry) for entry in entries}
        for name, text in texts.items():
            path = self.get_path(root.name, name)
            if name not in self.template_fields:
                used_names = ", ".join(sorted(self.template_fields))
                suggestion = suggest_name(name, self.template_fields)
                raise TemplateError(
                    f"{path}: no step uses this template; the {self.protocol} uses {used_names}{suggestion}"
                )
            if unknown_placeholders := parse_placeholders(path, text) - self.template_fields[name]:
                offered_fields = ", ".join(sorted(self.template_fields[name]))
                raise TemplateError(
                    f"{path}: Moot cannot fill {{{sorted(unknown_placeholders)[0]}}}; it can fill {offered_fields}"
                )
        return texts


def parse_placeholders(path: str, text: str) -> set[str]:
    """Return the names of the placeholders in a text.

    Raises `TemplateError`, which names `path`, for an invalid brace.
    """
    try:
        parts = [part for part in Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise TemplateError(f"{path}: {error}; to print a brace, write it twice") from None
    if any(format_spec or conversion for _, _, format_spec, conversion in parts):
        raise TemplateError(f"{path}: a placeholder must be only a name; write {{name}}, without ':' or '!'")
    return {str(field) for _, field, _, _ in parts}


def suggest_name(name: str, known_names: Collection[str]) -> str:
    """Return the nearest known name as the end of an error message, or an empty text."""
    matches = get_close_matches(name, known_names, n=1, cutoff=0.5)
    return f"; did you mean {matches[0]}?" if matches else ""


def _read_text(entry: Traversable) -> str:
    try:
        return entry.read_text("utf-8").strip()
    except UnicodeDecodeError:
        raise TemplateError(f"{entry.name}: not UTF-8; save it as UTF-8") from None


@cache
def _read_user_texts(templates: Templates, folder: str, language: str) -> dict[str, str]:
    if not Path(folder).is_dir():
        raise TemplateError(f"templates = {folder!r}: no such folder; restore it, then resume")
    return templates._read_texts(Path(folder) / language)


@cache
def load_templates(protocol: str, root: Traversable | None = None, /, **template_fields: str) -> Templates:
    """Load the templates of a protocol and check them.

    `root`: folder of an installed protocol's templates, which are `<language>/<protocol>/<name>.md`. `template_fields`:
    for each template the possible fields, separated by spaces. Example: `load_templates("debate", system="topic cast",
    speak="name turn")`.
    """
    return Templates(protocol, {name: frozenset(fields.split()) for name, fields in template_fields.items()}, root)


@cache
def load_table(kind: str, language: str) -> dict[str, dict[str, object]]:
    """Load a table of texts in a language.

    `kind`: name of the table, `terms` or `personas`. A protocol can add entries in its own file,
    `<language>/<protocol>/<kind>.toml`.
    """
    tag = get_base_language(language)
    sections: dict[str, dict[str, object]] = tomllib.loads((_PROMPTS_FOLDER / f"{kind}.{tag}.toml").read_text("utf-8"))
    for protocol in sorted((_PROMPTS_FOLDER / tag).iterdir(), key=lambda entry: entry.name):
        if (path := protocol / f"{kind}.toml").is_file():
            for section, texts in tomllib.loads(path.read_text("utf-8")).items():
                sections[section] = {**texts, **sections.get(section, {})}
    return sections


def make_phrase_error(table: str, language: str, key: str) -> TemplateError:
    """Make the error for a phrase that is missing in a table.

    `table`, `language`: where it is missing. `key`: key of the phrase.
    """
    return TemplateError(f"{key} = None: the table {table} in {language} has no such phrase; add it to that table")


def get_term(language: str, section: str, key: str, **values: object) -> str:
    """Return a short phrase from the table of terms, with its placeholders filled.

    Raises `TemplateError`, with table and language, for a missing phrase.
    """
    terms = load_table("terms", language)
    if key not in terms.get(section, {}):
        raise make_phrase_error("terms", language, f"{section}.{key}")
    return str(terms[section][key]).format_map({field: str(value) for field, value in values.items()})


def get_language_name(tag: str) -> str:
    """Return the name of a prompt's language, in this language."""
    names = load_table("terms", tag)["languages"]
    primary_tag = tag.split("-")[0].lower()
    if tag.lower() in names or primary_tag in names:
        return str(names.get(tag.lower(), names.get(primary_tag)))
    return get_term(tag, "languages", "other", tag=tag)


def join_words(language: str, words: list[str]) -> str:
    """Join words as "A", "A and B" or "A, B, and C", with the conjunction of the language."""
    if len(words) < 2:
        return "".join(words)
    if len(words) == 2:
        return get_term(language, "lists", "two", first=words[0], last=words[1])
    return get_term(
        language, "lists", "many", first=get_term(language, "lists", "comma").join(words[:-1]), last=words[-1]
    )
