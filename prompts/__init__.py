"""Prompt texts: templates, personas and terms in every language, and a strict loader."""

from .phrased_templates import PhrasedTemplates, hash_texts
from .phrases import Phrases, fill_person_text, load_phrases
from .profiles import Persona, load_profiles as load_profiles
from .templates import (
    LANGUAGES,
    TemplateError,
    Templates,
    get_base_language,
    get_language_name,
    get_term,
    join_words,
    load_table,
    load_templates as load_templates,
)
