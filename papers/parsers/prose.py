"""Parsers for Markdown and plain text: one paper per file, with optional fields in YAML front matter."""

import re
from collections.abc import Mapping
from pathlib import Path

from ...state import InputError, clip_text, parse_yaml
from .paper_fields import ParseResult, UnreadableFileError, make_paper, read_text

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,50000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_NEXT_SECTION = (
    r"\n#|\n\W{0,3}(?:(?:\d|[IVX]+)\W{0,2}\s*)?(?:introduction|keywords|key words|index terms|引言|关键词|关键字)"
)
_ABSTRACT = re.compile(
    rf"^\W{{0,6}}(?:abstract\b|摘\s*要|resumen\b)\W{{0,6}}(\S.{{20,4000}}?)(?=\n\s*\n|{_NEXT_SECTION}|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)

_FIELD_NAMES = {
    "authors": "authors?|by|作者|著者|autor(?:es|as?)?|por",
    "year": "year|date|published|年份|年|日期|发表(?:时间|日期|年份)|出版(?:时间|日期|年份)|año|fecha|publicado",
}
"""Labels of authors and year at the beginning of a line of prose."""
_FIELD_LINES = {
    key: re.compile(
        rf"^[*_>#\s-]{{0,6}}(?:{pattern})[*_]{{0,3}}[ \t]*[:：][*_ \t]*(\S.*?)[*_ \t]*$", re.IGNORECASE | re.MULTILINE
    )
    for key, pattern in _FIELD_NAMES.items()
}
_FIELD_SPELLINGS = {"标题": "title", "题目": "title", "título": "title", "titulo": "title"} | dict.fromkeys(
    ("摘要", "resumen"), "abstract"
)


def parse_prose(path: Path) -> ParseResult:
    """Parse the file as one paper.

    The title comes from the front matter, else from the first heading, else from the first line.

    Raises `UnreadableFileError` for a file that is no text, empty or too large, or with a field that is too long.
    """
    text = read_text(path).replace("\r\n", "\n")
    front_matter = _FRONT_MATTER.match(text)
    fields = dict(_parse_front_matter(front_matter[1])) if front_matter else {}
    body = text[front_matter.end() :] if front_matter else text
    defaults = {"title": extract_title(body) or path.stem, "abstract": extract_abstract(body), "text": body}
    for key, pattern in _FIELD_LINES.items():  # such as `作者：张伟` or `Year: 2020` at the beginning
        if match := pattern.search(body[:3_000]):
            defaults[key] = match[1]
    return ParseResult(papers=[make_paper(defaults | {field: value for field, value in fields.items() if value}, path)])


def extract_title(text: str) -> str:
    """Return the first heading or, without one, the first line that is not blank, cut to a title's length."""
    heading = _HEADING.search(text)
    return clip_text(heading[1] if heading else text.strip().partition("\n")[0].strip(), 150)


def extract_abstract(text: str) -> str:
    """Return the paragraph under the heading Abstract, 摘要 or Resumen, or an empty text."""
    match = _ABSTRACT.search(text[:40_000])
    return match[1].strip() if match else ""


def _parse_front_matter(yaml_text: str) -> Mapping[str, object]:
    try:
        fields = parse_yaml(yaml_text, "front matter")
    except InputError as error:
        raise UnreadableFileError(
            f"its front matter (the lines between ---) is {error.remedy.splitlines()[0]}"
        ) from None
    if not isinstance(fields, dict):
        raise UnreadableFileError("its front matter (the lines between ---) must be `key: value` lines")
    return {_normalize_field_name(str(key).strip().casefold()): value for key, value in fields.items()}


def _normalize_field_name(key: str) -> str:
    matches = (name for name, words in _FIELD_NAMES.items() if re.fullmatch(words, key))
    return key if key in ("author", "date") else _FIELD_SPELLINGS.get(key) or next(matches, key)
