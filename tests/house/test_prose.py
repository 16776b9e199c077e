"""Pages, help, screens and templates say what they mean in words that everyone uses."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import prose
import pytest
from moot.app.main import COMMANDS, load_command
from places import ROOT

PAGES = {str(page.relative_to(ROOT)): page for page in prose.PAGES if page.name not in prose.GENERATED}
TABLES = {
    str(file.relative_to(ROOT)): file
    for file in [*(ROOT / "prompts").glob("*.en.toml"), *(ROOT / "prompts" / "en").rglob("*.toml")]
    if not file.name.startswith(("rehearsal", "personas"))  # what a made-up speaker says is nobody's explanation
}
TEMPLATES = {str(file.relative_to(ROOT)): file for file in (ROOT / "prompts" / "en").rglob("*.md")}
HELP_LINE = 70

MEANT = {
    "prompts/justice.en.toml group.together": "“talks and votes”: the verb",
}
"""Texts that use one of the words in its plain sense, with the reason."""
ROOMS = ("app", "graphs", "models", "nodes", "papers", "prompts", "state", "storage")
MEANT_IN_SOURCE = {
    ("app/experiment/", "deliberation"): "the arm `talk` of an experiment, compared with its other arms",
    ("models/rehearsal/planted_model.py", "deliberation"): "the same arm, whose effect a rehearsal plants",
}
"""Docstrings that use a forbidden word: the start of their path, the replacement, and the reason."""


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_can_be_read_once(name: str) -> None:
    assert prose.list_faults(PAGES[name].read_text("utf-8")) == []


@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_phrase_uses_no_word_of_our_own(name: str) -> None:
    phrases = list_phrases(tomllib.loads(TABLES[name].read_text("utf-8")))
    assert {
        key: forbidden for key, text in phrases if (forbidden := list_forbidden(text)) and f"{name} {key}" not in MEANT
    } == {}


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_a_template_uses_no_word_of_our_own(name: str) -> None:
    assert list_forbidden(TEMPLATES[name].read_text("utf-8")) == []


@pytest.mark.long
@pytest.mark.parametrize("room", ROOMS)
def test_no_error_line_or_docstring_uses_a_word_of_our_own(room: str) -> None:
    texts = [
        f"{path}:{line}: “{word}”: write {replacement}"
        for file in sorted((ROOT / room).rglob("*.py"))
        for path in [str(file.relative_to(ROOT))]
        for line, text in prose.list_texts(file.read_text("utf-8"))
        for word, replacement in list_forbidden(text)
        if not any(path.startswith(start) and replacement == meant for start, meant in MEANT_IN_SOURCE)
    ]
    assert texts == []


@pytest.mark.parametrize("room", ROOMS)
def test_the_first_line_of_a_docstring_has_100_characters_at_most(room: str) -> None:
    texts = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in sorted((ROOT / room).rglob("*.py"))
        for line, text in prose.list_docstrings(file.read_text("utf-8"))
        if len(text.partition("\n")[0]) > 100
    ]
    assert texts == []


def test_the_texts_of_source_are_its_docstrings_and_messages() -> None:
    source = '"""Whoever."""\nraise ValueError(f"{name}: go on with {command}")\n'
    assert prose.list_texts(source) == [(1, "Whoever."), (2, "X: go on with X")]


@pytest.mark.parametrize("name", sorted(TABLES | TEMPLATES))
def test_a_phrase_or_template_has_no_sentence_of_more_than_35_words(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    texts = [text] if name in TEMPLATES else [phrase for _, phrase in list_phrases(tomllib.loads(text))]
    assert [long for text in texts for long in prose.list_long_sentences(fill_holes(text))] == []


def test_the_docs_have_20000_words_at_most() -> None:
    words = [word for page in prose.PAGES for word in page.read_text("utf-8").split() if re.search(r"\w", word)]
    assert len(words) <= 20_000


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_help_of_a_command_uses_no_word_of_our_own(name: str) -> None:
    for command, text in list_help(name, load_command(name)):
        assert list_forbidden(text) == [], f"{command}: {text}"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_help_of_a_command_begins_with_a_short_line(name: str) -> None:
    _, line = COMMANDS[name]
    assert line == load_command(name).help.partition("\n")[0]
    for _, command in list_commands(name, load_command(name)):
        first = " ".join(command.help.split("\n\n")[0].split())
        assert len(first) <= HELP_LINE, first
        assert re.fullmatch(r"[A-Z][a-z]+ .*\.", first), first


def test_the_measure_finds_a_long_sentence_a_forbidden_word_and_a_hard_page() -> None:
    hard = (
        "Notwithstanding institutional considerations, whoever deliberates necessarily " + "internationalization " * 30
    )
    faults = "\n".join(prose.list_faults(f"# Title\n\nA short one.\n\n{hard}.\n\n```sh\nmoot knobs whoever\n```\n"))
    assert "line 5: “whoever”: write anyone who" in faults
    assert "line 5: 36 words (at most 35)" in faults
    assert "Flesch reading ease: " in faults
    assert prose.list_faults("# Title whoever\n\nTo run it, type `knobs`. It is short.\n") == []


def list_forbidden(text: str) -> list[tuple[str, str]]:
    """List the forbidden words of a text without its holes, tags and code."""
    return prose.list_forbidden(re.sub(r"`[^`\n]+`|<\w+>", "X", fill_holes(text)), prose.REPLACEMENTS)


def fill_holes(text: str) -> str:
    """Put a word into each hole of a template. A hole that has its line for itself leaves the line empty."""
    return re.sub(r"\{\w+\}", "X", re.sub(r"^\{\w+\}$", "", text, flags=re.MULTILINE))


def list_phrases(table: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """List the phrases of a table by their dotted keys."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from list_phrases(value, f"{before}{key}.")
        elif isinstance(value, str):
            yield before + key, value


def list_commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """List a command and its subcommands by their names."""
    yield name, command
    for subcommand, inner in getattr(command, "commands", {}).items():
        yield from list_commands(f"{name} {subcommand}", inner)


def list_help(name: str, command: Any) -> Iterator[tuple[str, str]]:
    """List the help of a command, of its options and of its subcommands, by their names."""
    for full_name, part in list_commands(name, command):
        yield full_name, part.help or ""
        for parameter in part.params:
            yield f"{full_name} {parameter.opts[0]}", getattr(parameter, "help", None) or ""
