"""The words of a protocol that has phrases beside its templates: a user's folder may replace any of both.

What replaces a text keeps every hole of it, so that nothing is left out unnoticed that a reader has to be told.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path

from .catalogue import Catalogue, TemplateFault, holes_in, meant
from .phrases import Phrases

Check = Callable[[Phrases], None]
"""What else phrases have to be fit for; raises `TemplateFault` where they are not."""


class Wording(Catalogue):
    """The templates of a protocol, with its `phrases`; `fit` is asked of a user's own phrases before they are used."""

    def __init__(
        self,
        protocol: str,
        offers: Mapping[str, frozenset[str]],
        phrases: Phrases,
        fit: Check,
        root: Traversable | None = None,
    ) -> None:
        super().__init__(protocol, offers, root)
        self.phrases, self.fit = phrases, fit

    def at(self, root: Traversable) -> "Wording":
        return Wording(self.protocol, self._offers, self.phrases, self.fit, root)

    def own(self, folder: str) -> dict[str, str]:
        """The same, and phrases of one's own by `<kind>.<language>.toml: section.key`.

        Raises `TemplateFault` for a table that is none of these, for an unknown key, and for a hole that is missing.
        """
        templates = super().own(folder)
        for path, text in templates.items():
            self._check_whole(path, text)
        known = self.phrases.files()
        for file in sorted(entry.name for entry in Path(folder).iterdir() if entry.suffix == ".toml"):
            if file not in known:
                raise TemplateFault(f"{file}: no table of words has this name{meant(file, known)}")
        given = self.phrases.within(folder)
        self.fit(given)
        files = {f"{self.phrases.kind}.{tag}.toml": texts for tag, texts in given.own.items()}
        return templates | {f"{file}: {key}": text for file, texts in files.items() for key, text in texts.items()}

    def _check_whole(self, path: str, text: str) -> None:
        tag, _, name = path.removesuffix(".md").split("/")
        built_in = self.built_in(self.language(tag))[self.path(self.language(tag), name)]
        if missing := sorted(holes_in(path, built_in) - holes_in(path, text)):
            raise TemplateFault(f"{path}: {{{missing[0]}}} is missing; keep every hole of the built-in template")


def hashes(words: Iterable[Catalogue], languages: Iterable[str], folder: str) -> tuple[dict[str, str], dict[str, str]]:
    """SHA-256 of the built-in texts in force in these languages, and of those of a user's folder in their place.

    Templates by `<language>/<protocol>/<name>.md`; a table of phrases whole, and each phrase of one's own, by its key.
    """
    built_in, own, tags = dict[str, str](), dict[str, str](), sorted(set(languages))
    for one in words:
        for tag in tags:
            built_in |= one.built_in(one.language(tag))
            if isinstance(one, Wording):
                lines = sorted(f"{key} = {text}" for key, text in one.phrases.built_in(tag).items())
                built_in[f"{one.phrases.kind}.{tag}.toml"] = "\n".join(lines)
        own |= one.own(folder) if folder else {}
    used = {path: text for path, text in own.items() if path.split("/")[0] in tags or path.split(".")[1] in tags}
    return {path: _hash(text) for path, text in built_in.items() if path not in used}, {
        path: _hash(text) for path, text in used.items()
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
