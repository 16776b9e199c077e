"""Prompt texts in every language: templates, personas and terms, and a loader that checks them."""

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
