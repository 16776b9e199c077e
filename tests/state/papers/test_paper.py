"""Papers: ids and excerpts."""

import re

import pytest
from hypothesis import given, strategies as st
from moot.state.papers.citation_key import make_safe_id
from moot.state.papers.paper import (
    OMISSION_MARK,
    PASSAGE_LENGTH,
    Paper,
    extract_gist,
    make_excerpt,
    remove_duplicates,
    split_passages,
)
from moot.state.terms import extract_terms
from pydantic import ValidationError

TEXT = """Introduction. Streets are public space.

Closing the centre to cars reduced nitrogen dioxide by 1.5 µg. Retail turnover did not fall; it was un-
changed after two years. The measure is unsafe for nobody.

Buses ran more often — every four minutes — and “park and ride” sites filled up."""
CARS = Paper(
    title="Closing a city centre", abstract="We study one closed centre.", authors=["Ada Smith"], year=2024, text=TEXT
)


@pytest.mark.parametrize(
    ("title", "authors", "year", "id"),
    [
        ("Cities without cars", ["Ada Smith"], 2024, "smith2024-cities"),
        ("The cost of a parking place", ["Müller, Jörg", "Smith, Ada"], 2019, "muller2019-cost"),
        ("城市中心禁车的影响", ["张伟"], 2021, "张伟2021-城市中心"),
        ("On what is", [], None, "on"),
        ("Cities without cars", [], None, "cities"),
        ("???", [], None, "paper"),
    ],
)
def test_an_id_is_made_of_author_year_and_first_telling_word(
    title: str, authors: list[str], year: int | None, id: str
) -> None:
    assert Paper(title=title, authors=authors, year=year).id == id


def test_two_papers_never_share_an_id_and_one_paper_never_has_two() -> None:
    first, again = Paper(title="Cities I"), Paper(title="Cities I", url="https://example.org/elsewhere")
    paper = Paper(title="Cities II")
    assert [p.id for p in remove_duplicates([first, again, paper])] == ["cities", f"cities-{paper.sha[:4]}"]


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("smith:2024/a+b", "smith:2024/a+b"),
        ("../etc passwd", "etc-passwd"),
        ("a]; [@b", "a-b"),
        ("  ", ""),
        ("x" * 99, "x" * 80),
    ],
)
def test_a_files_own_key_is_made_citable(given: str, safe: str) -> None:
    assert make_safe_id(given) == safe


@pytest.mark.parametrize(
    "fields",
    [{"title": ""}, {"title": "T", "year": 0}, {"title": "T", "url": "javascript:x"}, {"title": "T", "id": "a b"}],
)
def test_a_paper_out_of_bounds_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Paper.model_validate(fields)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Banning cars", ["banning", "car"]),
        ("cities, buses and glasses", ["city", "buse", "glasse"]),
        ("城市是否应该禁止汽车？", ["城市", "禁止", "止汽", "汽车"]),
        ("ＡＩ 与 LLM辩论", ["ai", "llm", "辩论"]),
        ("车", ["车"]),
        ("¿Qué es la democracia?", ["democracia"]),
        ("", []),
    ],
)
def test_terms_are_words_without_function_words_and_pairs_of_ideographs(text: str, found: list[str]) -> None:
    assert extract_terms(text) == found


def test_an_excerpt_gives_the_abstract_then_what_matches_the_question_and_marks_its_cuts() -> None:
    excerpt = make_excerpt(CARS, 150, "How often do buses run?")
    assert excerpt.startswith("We study one closed centre.\n[…]\nBuses ran")
    assert len(excerpt) <= 150
    assert make_excerpt(CARS, 10_000).count(OMISSION_MARK) == 0
    assert len(make_excerpt(CARS, 20)) <= 20


ABSTRACT = "We studied one closed city centre. Nitrogen dioxide fell."
REPEATS = [
    f"Abstract\n{ABSTRACT} Keywords: air, streets.\n\nBuses ran.",
    "ABSTRACT. We studied one closed city cen-\ntre. Nitrogen\ndioxide fell.\nIntroduction. Buses ran.",
    f"# Title\n\n**Abstract:** *{ABSTRACT}*\n\nBuses ran.\n\n{ABSTRACT.upper()}\n\nEnd.",
]


@pytest.mark.parametrize("text", REPEATS)
def test_an_abstract_that_the_text_repeats_is_shown_once(text: str) -> None:
    excerpt = make_excerpt(Paper(title="T", abstract=ABSTRACT, text=text), 2_000)
    assert "Buses ran." in excerpt
    assert len(re.findall(r"nitrogen\s+dioxide", excerpt, re.IGNORECASE)) == 1


def test_a_short_abstract_cuts_no_word_out_of_a_sentence() -> None:
    assert "Some buses ran." in make_excerpt(Paper(title="T", abstract="Buses", text="Some buses ran."), 2_000)


@given(
    abstract=st.text(max_size=400), text=st.text(alphabet="abc. 。\n汽车", max_size=3_000), limit=st.integers(4, 2_000)
)
def test_an_excerpt_never_exceeds_its_limit(abstract: str, text: str, limit: int) -> None:
    assert len(make_excerpt(Paper(title="T", abstract=abstract, text=text), limit, "汽车 abc")) <= limit


@given(st.text(alphabet="abc.!? 。\n", max_size=3_000))
def test_passages_are_bounded_and_lose_no_letter(text: str) -> None:
    passages = split_passages(text)
    assert all(0 < len(passage) <= PASSAGE_LENGTH for passage in passages)
    assert "".join("".join(passages).split()) == "".join(text.split())


def test_searching_compares_the_abstract_once_and_then_the_text_within_a_bound() -> None:
    assert extract_gist(CARS).startswith("We study one closed centre.\nIntroduction.")
    assert extract_gist(Paper(title="T", abstract="Short.", text="Heading\nShort.\nMore")) == "Short.\nHeading\n\nMore"
    assert len(extract_gist(Paper(title="T", text="x" * 10_000))) == 2_000
