"""Words: templates, personas and terms in every language, and a strict loader."""

from .catalogue import (
    LANGUAGES,
    Catalogue,
    TemplateFault,
    base_language,
    catalogue,
    language_name,
    listed,
    table,
    term,
)
from .profiles import Persona, profiles

__all__ = [
    "LANGUAGES",
    "Catalogue",
    "Persona",
    "TemplateFault",
    "base_language",
    "catalogue",
    "language_name",
    "listed",
    "profiles",
    "table",
    "term",
]
