"""Texts for people instead of the templates for models: the same facts, without assigned personas."""

from collections.abc import Mapping

from .phrases import load_phrases
from .templates import Templates

PEOPLE = load_phrases("people")


def fill_person_text(
    templates: Templates, language: str, name: str, values: Mapping[str, object], folder: str = ""
) -> str:
    """Fill the text for people that replaces template `name`.

    If there is no text for people, fill the template for models.
    """
    key = "rules" if name == "system" else name
    if key not in PEOPLE.list_keys(templates.protocol):
        return templates.fill_template(language, name, values, folder)
    position, persona = values.get("last_position"), values.get("persona")
    last_position = PEOPLE.translate_phrase(language, "shared.last", position=position) if position else ""
    text = PEOPLE.translate_phrase(language, f"{templates.protocol}.{key}", **{"last": last_position} | dict(values))
    part = PEOPLE.translate_phrase(language, "shared.part", persona=persona) if persona else ""
    lines = [line.strip() for line in f"{text}\n\n{part}".splitlines()]
    return "\n".join(line for index, line in enumerate(lines) if line or (index and lines[index - 1])).strip()
