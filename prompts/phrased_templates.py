"""Templates of a protocol with its phrases. A user's folder may replace single templates and phrases.

A replacement must contain every placeholder of the original text, so that no information is lost.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path

from .phrases import Phrases
from .templates import TemplateError, Templates, parse_placeholders, suggest_name


class PhrasedTemplates(Templates):
    """Templates of a protocol, with its `phrases`.

    `check_phrases`: function that checks a user's phrases before use.
    """

    def __init__(
        self,
        protocol: str,
        template_fields: Mapping[str, frozenset[str]],
        phrases: Phrases,
        check_phrases: Callable[[Phrases], None],
        root: Traversable | None = None,
    ) -> None:
        super().__init__(protocol, template_fields, root)
        self.phrases, self.check_phrases = phrases, check_phrases

    def with_root(self, root: Traversable) -> "PhrasedTemplates":
        """Return the same templates and phrases, read from the folder `root`."""
        return PhrasedTemplates(self.protocol, self.template_fields, self.phrases, self.check_phrases, root)

    def read_overrides(self, folder: str) -> dict[str, str]:
        """Return the user's templates and phrases in `folder`, by key.

        The key of a phrase is `<kind>.<language>.toml: section.key`. Raises `TemplateError` for an unknown table or
        key, and for a missing placeholder.
        """
        templates = super().read_overrides(folder)
        for path, text in templates.items():
            tag, _, name = path.removesuffix(".md").split("/")
            language = self.choose_language(tag)
            builtin_text = self.get_builtin_texts(language)[self.get_path(language, name)]
            if missing_placeholders := sorted(parse_placeholders(path, builtin_text) - parse_placeholders(path, text)):
                raise TemplateError(
                    f"{path}: {{{missing_placeholders[0]}}} is missing; keep every placeholder of the built-in template"
                )
        known_files = self.phrases.list_files()
        for file in sorted(entry.name for entry in Path(folder).iterdir() if entry.suffix == ".toml"):
            if file not in known_files:
                raise TemplateError(f"{file}: no table of phrases has this name{suggest_name(file, known_files)}")
        phrases = self.phrases.with_folder(folder)
        self.check_phrases(phrases)
        files = {f"{self.phrases.kind}.{tag}.toml": texts for tag, texts in phrases.overrides.items()}
        return templates | {f"{file}: {key}": text for file, texts in files.items() for key, text in texts.items()}


def hash_texts(
    template_sets: Iterable[Templates], languages: Iterable[str], folder: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the SHA-256 of each built-in text in use, and of each of the user's texts.

    `languages`: languages of the texts. `folder`: the user's folder. The key of a template is
    `<language>/<protocol>/<name>.md`. A built-in table of phrases has one hash. Each phrase of the user has its own
    hash.
    """
    builtin_texts, overrides, tags = dict[str, str](), dict[str, str](), sorted(set(languages))
    for templates in template_sets:
        for tag in tags:
            builtin_texts |= templates.get_builtin_texts(templates.choose_language(tag))
            if isinstance(templates, PhrasedTemplates):
                lines = sorted(f"{key} = {text}" for key, text in templates.phrases.get_builtin_texts(tag).items())
                builtin_texts[f"{templates.phrases.kind}.{tag}.toml"] = "\n".join(lines)
        overrides |= templates.read_overrides(folder) if folder else {}
    used_overrides = {
        path: text for path, text in overrides.items() if path.split("/")[0] in tags or path.split(".")[1] in tags
    }
    return {path: _hash_text(text) for path, text in builtin_texts.items() if path not in used_overrides}, {
        path: _hash_text(text) for path, text in used_overrides.items()
    }


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
