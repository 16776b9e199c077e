"""Markdown and plain text: one paper a file, with fields in YAML front matter if it has any."""

import re
from collections.abc import Mapping
from pathlib import Path

import yaml

from ....state.text import clipped
from .parsed import Parsed, Unreadable, paper_from
from .textfile import read_text

_FRONT = re.compile(r"\A---[ \t]*\n(.{0,50000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_NEXT = r"\n#|\n\W{0,3}(?:(?:\d|[IVX]+)\W{0,2}\s*)?(?:introduction|keywords|key words|index terms|引言|关键词|关键字)"
_ABSTRACT = re.compile(
    rf"^\W{{0,6}}(?:abstract\b|摘\s*要|resumen\b)\W{{0,6}}(\S.{{20,4000}}?)(?=\n\s*\n|{_NEXT}|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)

_NAMED = {
    "authors": "authors?|by|作者|著者|autor(?:es|as?)?|por",
    "year": "year|date|published|年份|年|日期|发表(?:时间|日期|年份)|出版(?:时间|日期|年份)|año|fecha|publicado",
}
"""How prose names its authors and year, at the beginning of a line."""
_LINES = {
    key: re.compile(
        rf"^[*_>#\s-]{{0,6}}(?:{names})[*_]{{0,3}}[ \t]*[:：][*_ \t]*(\S.*?)[*_ \t]*$", re.IGNORECASE | re.MULTILINE
    )
    for key, names in _NAMED.items()
}
_SPELT = {"标题": "title", "题目": "title", "título": "title", "titulo": "title"} | dict.fromkeys(
    ("摘要", "resumen"), "abstract"
)
HEAD = 3_000
"""Characters at the beginning of a text in which such lines are looked for."""
TITLE_LENGTH = 150
"""Characters of a title that nobody marked as one."""


def prose(path: Path) -> Parsed:
    """The file as one paper. Title: front matter, first heading, else first line. Raises `Unreadable`."""
    text = read_text(path).replace("\r\n", "\n")
    front = _FRONT.match(text)
    fields = dict(_fields(front[1])) if front else {}
    body = text[front.end() :] if front else text
    found = {"title": title_of(body) or path.stem, "abstract": abstract_of(body), "text": body} | made(body)
    return Parsed(papers=[paper_from(found | {k: v for k, v in fields.items() if v}, path)])


def made(text: str) -> dict[str, object]:
    """Authors and year from lines such as `作者：张伟` or `Year: 2020` at the beginning; those that are there."""
    lines = {key: pattern.search(text[:HEAD]) for key, pattern in _LINES.items()}
    return {key: line[1] for key, line in lines.items() if line}


def title_of(text: str) -> str:
    """The first heading, else the first line that is not blank, clipped where it is too long for a title."""
    heading = _HEADING.search(text)
    return clipped(heading[1] if heading else text.strip().partition("\n")[0].strip(), TITLE_LENGTH)


def abstract_of(text: str) -> str:
    """The paragraph headed Abstract, 摘要 or Resumen; empty when there is none."""
    found = _ABSTRACT.search(text[:40_000])
    return found[1].strip() if found else ""


def _fields(front: str) -> Mapping[str, object]:
    try:
        fields = yaml.safe_load(front)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unreadable(f"its front matter is not YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(fields, dict):
        raise Unreadable("its front matter is not a list of `key: value` lines")
    return {_key(str(key).strip().casefold()): value for key, value in fields.items()}


def _key(key: str) -> str:
    """A field's name as records spell it; `作者` and `autores` are `authors`."""
    named = (name for name, words in _NAMED.items() if re.fullmatch(words, key))
    return key if key in ("author", "date") else _SPELT.get(key) or next(named, key)
