"""The paper library keeps papers once, ranks them well, and says plainly when nothing answers."""

import asyncio
import runpy
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from moot.papers.bm25 import compute_lexical_relevance
from moot.papers.library import Library, open_library
from moot.state.errors import InputError
from moot.state.papers.search_result import IndexedPaper, SearchResult
from moot.storage.database import get_default_database
from places import ROOT

RETRIEVAL = runpy.run_path(str(ROOT / "benchmarks" / "retrieval.py"))
SAMPLES, HashedNgrams, measure_quality, load_judged_queries = (
    RETRIEVAL[name] for name in ("SAMPLES", "HashedNgrams", "measure_quality", "load_judged_queries")
)
Use = Callable[[Library], Awaitable[Any]]


def using(database: Path | str, use: Use, embeddings: str | Embeddings | None = "lexical") -> Any:
    """What `use` gives for the library in a database."""

    async def opened() -> Any:
        async with open_library(str(database), embeddings) as library:
            return await use(library)

    return asyncio.run(opened())


def adding(*paths: Path) -> Use:
    async def add(library: Library) -> list[IndexedPaper]:
        return [file async for file in library.add_files(paths)]

    return add


def asking(query: str, n: int = 10, threshold: float | None = None) -> Callable[[Library], Awaitable[SearchResult]]:
    return lambda library: library.search_papers(query, n, threshold)


def statuses(indexed: list[IndexedPaper]) -> list[str]:
    return [each.status for each in indexed]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = tmp_path_factory.mktemp("library") / "moot.db"
    assert set(statuses(using(database, adding(SAMPLES)))) == {"added"}
    return database


@pytest.mark.parametrize(
    ("language", "lexical", "hashed"), [("en", 0.88, 0.87), ("zh", 0.92, 0.91)], ids=["English", "Chinese"]
)
def test_judged_queries_are_ranked_well(samples: Path, language: str, lexical: float, hashed: float) -> None:
    assert using(samples, lambda library: measure_quality(library, language)) >= lexical
    assert using(samples, lambda library: measure_quality(library, language), HashedNgrams()) >= hashed


def test_what_no_paper_answers_finds_none_and_says_how_near_the_best_came(samples: Path) -> None:
    for unanswerable in [each for each in load_judged_queries() if not each.grades]:
        found = using(samples, asking(unanswerable.query))
        assert (found.hits, found.threshold, found.ranking, found.searched) == ([], 0.1, "lexical", 18)
        assert found.best is not None
        assert found.best < 0.1


def test_every_answerable_query_finds_its_best_paper_over_the_default_threshold(samples: Path) -> None:
    for answerable in [each for each in load_judged_queries() if each.grades]:
        best = max(answerable.grades, key=lambda id: answerable.grades[id])
        assert best in [hit.paper.id for hit in using(samples, asking(answerable.query)).hits]


def test_a_hit_carries_the_whole_text_and_relevance_falls(samples: Path) -> None:
    found = using(samples, asking("shops in a centre closed to cars", n=3))
    assert "Footfall was counted by sensors" in found.hits[0].paper.text
    assert found.best == found.hits[0].relevance
    assert [hit.relevance for hit in found.hits] == sorted((hit.relevance for hit in found.hits), reverse=True)


def test_the_empty_library_has_no_best(tmp_path: Path) -> None:
    found = using(tmp_path / "new" / "moot.db", asking("anything"))
    assert (found.hits, found.best, found.searched) == ([], None, 0)


def test_the_same_content_is_indexed_once_whatever_file_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Quiet streets\n\nTrams.")
    (tmp_path / "b.md").write_text("# Quiet streets\n\nTrams.")
    (tmp_path / "c.md").write_text("# Quiet streets\n\nOther trams.")
    first = using(tmp_path / "moot.db", adding(tmp_path))
    assert statuses(first) == ["added", "known", "added"]
    assert first[0].id == first[1].id == "quiet"
    assert first[2].id.startswith("quiet-")
    assert statuses(using(tmp_path / "moot.db", adding(tmp_path))) == ["known"] * 3
    assert [paper.id for paper in using(tmp_path / "moot.db", Library.list_papers)] == ["quiet", first[2].id]


@pytest.mark.long
def test_several_processes_may_add_to_a_new_library_at_once(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.md").write_text(f"# Paper {name}")
    (tmp_path / "all.json").write_text('{"title": "Shared"}')
    moot = "from moot.app.commands.papers import papers; papers()"
    command = [sys.executable, "-c", moot, "add", "--db", "moot.db", "all.json"]
    adders = [subprocess.Popen([*command, f"{name}.md"], cwd=tmp_path, stdout=subprocess.DEVNULL) for name in "abc"]
    assert [adder.wait(60) for adder in adders] == [0, 0, 0]
    papers = using(tmp_path / "moot.db", Library.list_papers)
    assert sorted(paper.title for paper in papers) == ["Paper a", "Paper b", "Paper c", "Shared"]
    assert len({paper.id for paper in papers}) == 4


def test_nothing_blocks_the_event_loop(samples: Path) -> None:
    blockbuster = pytest.importorskip("blockbuster")
    with blockbuster.blockbuster_ctx():
        assert using(samples, asking("cars")).hits
        assert using(samples, asking("cars", threshold=0.0), HashedNgrams()).hits


@pytest.mark.parametrize(
    ("query", "n", "threshold", "key"),
    [
        (" ", 10, None, "query"),
        ("q", 0, None, "n_papers"),
        ("q", 51, None, "n_papers"),
        ("q", 5, 1.1, "min_similarity"),
    ],
)
def test_a_search_out_of_bounds_is_refused(
    samples: Path, query: str, n: int, threshold: float | None, key: str
) -> None:
    with pytest.raises(InputError, match=key):
        using(samples, asking(query, n, threshold))


def test_relevance_is_a_share_of_what_the_query_could_reach() -> None:
    papers = [("", "alpha beta gamma"), ("", "alpha delta epsilon"), ("", "zeta eta theta")]
    both, one, none = compute_lexical_relevance(papers, "alpha beta")
    assert 0.44 < both < 0.47 > one * 2
    assert none == 0
    assert compute_lexical_relevance(papers, "alpha unheard") < compute_lexical_relevance(papers, "alpha")
    assert compute_lexical_relevance([("alpha " * 500, "alpha " * 500)], "alpha")[0] < 1
    assert compute_lexical_relevance(papers, '"; DROP TABLE paper; -- OR NEAR(') == [0.0, 0.0, 0.0]


def test_the_database_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOOT_DB", str(tmp_path / "mine.db"))
    assert get_default_database() == str(tmp_path / "mine.db")
    monkeypatch.delenv("MOOT_DB")
    assert Path(get_default_database()).parts[-2:] == ("moot", "moot.db")


@pytest.mark.parametrize("name", ["file.txt", ""], ids=["no database", "a folder"])
def test_what_is_no_database_is_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.txt").write_text("not a database, and long enough to be taken for one by its size alone" * 20)
    with pytest.raises(InputError, match=r"db = .*cannot be opened"):
        using(tmp_path / name, Library.list_papers)


def replacing(*paths: Path) -> Use:
    async def replace(library: Library) -> list[IndexedPaper]:
        return [replace_file async for replace_file in library.replace_files(list(paths))]

    return replace


def removing(*ids: str) -> Use:
    return lambda library: library.remove_papers(ids)


def ids_in(database: Path) -> list[str]:
    async def list_titles(library: Library) -> list[str]:
        return [paper.id for paper in await library.list_papers()]

    found: list[str] = using(database, list_titles)
    return found


@pytest.mark.parametrize("embeddings", ["lexical", HashedNgrams()], ids=["lexical", "semantic"])
def test_a_paper_that_is_removed_is_neither_listed_nor_found(tmp_path: Path, embeddings: str | Embeddings) -> None:
    database = tmp_path / "moot.db"
    (tmp_path / "a.md").write_text("# Quiet streets\n\nTrams are quiet.", "utf-8")
    (tmp_path / "b.md").write_text("# Loud streets\n\nCars are loud.", "utf-8")
    using(database, adding(tmp_path / "a.md", tmp_path / "b.md"), embeddings)
    assert using(database, removing("quiet"), "lexical") == ["quiet"]
    assert ids_in(database) == ["loud"]
    found = using(database, asking("quiet streets and trams", threshold=0.0), embeddings)
    assert [hit.paper.id for hit in found.hits] == ["loud"]
    with pytest.raises(InputError, match="id = 'quiet': no paper of the library has this id"):
        using(database, removing("loud", "quiet"))
    assert ids_in(database) == ["loud"], "nothing is removed where one is not there"


@pytest.mark.long
def test_a_paper_is_replaced_by_what_its_file_holds_now_and_keeps_its_id(tmp_path: Path) -> None:
    database, file = tmp_path / "moot.db", tmp_path / "a.md"
    file.write_text("# Quiet streets\n\nTrams are quiet.", "utf-8")
    using(database, adding(file))
    file.write_text("# Quiet streets\n\nTrams are very quiet.", "utf-8")
    assert statuses(using(database, replacing(file))) == ["replaced"]
    assert ids_in(database) == ["quiet"]
    (hit,) = using(database, asking("quiet streets", threshold=0.0)).hits
    assert "very quiet" in hit.paper.text
    assert statuses(using(database, replacing(file))) == ["known"]
    file.write_bytes(b"\0")
    assert statuses(using(database, replacing(file))) == ["broken"]
    assert ids_in(database) == ["quiet"], "what is broken replaces nothing"
