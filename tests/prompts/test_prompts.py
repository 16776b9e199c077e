"""The words are whole, and grammatical, in every language."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import moot.prompts
import pytest
from moot.prompts import LANGUAGES, get_language_name, get_term, join_words, load_profiles

ROOT = Path(str(moot.prompts.__file__)).parent
FOLDERS = sorted({entry.name for tag in LANGUAGES for entry in (ROOT / tag).iterdir()})
TABLES = sorted({file.name.split(".")[0] for file in ROOT.glob("*.toml")})
every_text = pytest.mark.parametrize("place", [*(f"{folder}/" for folder in FOLDERS), *TABLES])
every_translation = pytest.mark.parametrize("tag", [tag for tag in LANGUAGES if tag != "en"])


def texts(tag: str, place: str) -> dict[str, str]:
    """The texts of a folder by file name, or of a table by dotted key, in the table's order."""
    if place.endswith("/"):
        found = {file.name: file.read_text("utf-8") for file in sorted((ROOT / tag / place).glob("*.md"))}
        added = {file.stem: tomllib.loads(file.read_text("utf-8")) for file in (ROOT / tag / place).glob("*.toml")}
        return found | dict(flat(added, ""))
    file = ROOT / f"{place}.{tag}.toml"
    return dict(flat(tomllib.loads(file.read_text("utf-8")), "")) if file.exists() else {}


def flat(value: object, path: str) -> Iterator[tuple[str, str]]:
    """A table's phrases; a list, its key marked [], is a pool that every language fills with its own wordings."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        yield f"{path}[]", "\n".join(text for item in value for _, text in flat(item, ""))
    else:
        yield path, str(value)


def holes(found: dict[str, str]) -> dict[str, set[str | None]]:
    single = {key: text for key, text in found.items() if not key.endswith("[]")}
    return {key: {field for _, field, _, _ in Formatter().parse(text)} - {None} for key, text in single.items()}


def runs(text: str) -> set[tuple[str, ...]]:
    """Three words in a row, not all of them numbers; a hole is passed over, punctuation and `code` are not."""
    pieces = [piece.split() for piece in re.split(r"`[^`]*`|[^\w\s'’-]", re.sub(r"\{\w*\}", " ", text.lower()))]
    found = {run for words in pieces for run in zip(words, words[1:], words[2:], strict=False)}
    return {run for run in found if not all(word.isdigit() for word in run)}


@every_translation
@every_text
def test_every_language_has_the_same_files_keys_and_holes(tag: str, place: str) -> None:
    english, contents = texts("en", place), texts(tag, place)
    assert list(contents) == list(english) != []
    assert holes(contents) == holes(english)
    assert [key for key, text in contents.items() if not text.strip() and english[key].strip()] == []


@every_translation
@every_text
def test_no_english_is_left(tag: str, place: str) -> None:
    contents = texts(tag, place)
    leaks = {key: runs(text) & runs(contents.get(key, "")) for key, text in texts("en", place).items()}
    assert {key: leak for key, leak in leaks.items() if leak} == {}


@every_text
def test_chinese_is_chinese_with_full_width_punctuation(place: str) -> None:
    english = texts("en", place)
    for key, text in texts("zh", place).items():
        worded = re.search("[a-z]", re.sub(r"\{\w*\}", "", english[key]))
        assert not worded or re.search("[一-鿿]", text), key
        assert not re.search(r"[一-鿿][,;:?!()]|[,;:?!()][一-鿿]", text), key


@pytest.mark.parametrize(
    ("language", "names", "said"),
    [
        ("en", [], ""),
        ("en", ["Ana"], "Ana"),
        ("en", ["Ana", "Ben"], "Ana and Ben"),
        ("en", ["Ana", "Ben", "Cy"], "Ana, Ben, and Cy"),
        ("es", ["Ana", "Ben"], "Ana y Ben"),
        ("es", ["Ana", "Ben", "Cy"], "Ana, Ben y Cy"),
        ("zh", ["小安", "小本"], "小安和小本"),
        ("zh", ["小安", "小本", "小西"], "小安、小本和小西"),
        ("ja", ["Ana", "Ben"], "Ana and Ben"),
    ],
)
def test_names_are_listed_with_the_language_s_own_conjunction(language: str, names: list[str], said: str) -> None:
    assert join_words(language, names) == said


@pytest.mark.parametrize(
    ("tag", "named"),
    [
        ("en", "English"),
        ("en-GB", "English"),
        ("es-MX", "español"),
        ("zh", "中文"),
        ("zh-Hant", "繁体中文"),
        ("fr", "the language with the BCP-47 tag “fr”"),
        ("pt-BR", "the language with the BCP-47 tag “pt-BR”"),
    ],
)
def test_a_reply_s_language_is_named_in_the_language_of_its_prompt(tag: str, named: str) -> None:
    assert get_language_name(tag) == named


@pytest.mark.parametrize(
    ("language", "ending", "headline"),
    [
        ("en", "Ana conceded in turn 5", "Ended after turn 5: Ana conceded in turn 5."),
        ("es", "Ana cedió en el turno 5", "Terminó tras el turno 5: Ana cedió en el turno 5."),
        ("zh", "Ana在第5次发言中认输", "第5次发言后结束：Ana在第5次发言中认输。"),
    ],
)
def test_an_ending_reads_as_a_sentence(language: str, ending: str, headline: str) -> None:
    assert get_term(language, "endings", "concession_detected", who="Ana", turn=5) == ending
    assert get_term(language, "headline", "ended", turns=5, ending=ending) == headline


PROFILES = {
    "debate": {
        name: ["pro", "con"] for name in ("classic", "technical", "business", "scientific", "ethical", "political")
    },
    "consensus": {
        "balanced": ["analyst", "creative", "critic"],
        "technical-review": ["engineer", "architect", "tester"],
        "brainstorm": ["dreamer", "realist", "synthesizer"],
        "generic": [
            "pragmatic analyst",
            "creative thinker",
            "critical evaluator",
            "detail-oriented specialist",
            "strategic synthesizer",
        ],
    },
    "panel": {"experts": ["Google Engineer", "MIT Researcher", "Industry Expert", "Paper Analyst"]},
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("protocol", PROFILES)
def test_every_profile_has_its_seats_in_order_each_with_a_role_and_a_persona(language: str, protocol: str) -> None:
    profiles = load_profiles(protocol, language)
    assert {name: [seat.seat for seat in seats] for name, seats in profiles.items()} == PROFILES[protocol]
    for seats in profiles.values():
        assert all(seat.role.strip() and seat.text.strip() for seat in seats)
        assert len({seat.role for seat in seats}) == len({seat.text for seat in seats}) == len(seats)
