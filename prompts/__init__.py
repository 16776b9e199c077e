"""Words: templates, personas and terms in every language, and a strict loader."""

from .catalogue import LANGUAGES, Catalogue, TemplateFault, base_language, catalogue, language_name, listed, table, term
from .phrases import Phrases, phrases
from .profiles import Persona, profiles
from .wording import Wording, hashes

__all__ = [
    "LANGUAGES",
    "Catalogue",
    "Persona",
    "Phrases",
    "TemplateFault",
    "Wording",
    "base_language",
    "catalogue",
    "hashes",
    "language_name",
    "listed",
    "phrases",
    "profiles",
    "table",
    "term",
]
