"""Meaning is ranked by an embedding model: named by a spec, asked once for each paper, its failures told plainly."""

import asyncio
import math
import struct
from pathlib import Path
from typing import Any

import pytest
from fakeserver import FakeServer, Fault
from langchain_core.embeddings import Embeddings
from moot.models.embeddings import load_embeddings
from moot.models.failures import RunStoppedError
from moot.papers.library import open_library
from moot.state.errors import InputError
from moot.state.papers.search_result import SearchResult
from moot.storage.database import compute_cosine_distance


def searched(folder: Path, embeddings: str | Embeddings | None, threshold: float | None = 0.0) -> SearchResult:
    """What a library of two papers in `folder` finds for a query."""

    async def search() -> SearchResult:
        async with open_library(str(folder / "moot.db"), embeddings) as library:
            _ = [file async for file in library.add_files([folder / "papers.json"])]
            return await library.search_papers("quiet trams", 10, threshold)

    (folder / "papers.json").write_text('[{"title": "Quiet trams", "abstract": "No noise."}, {"title": "Loud cars"}]')
    return asyncio.run(search())


@pytest.fixture(autouse=True)
def _no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOOT_EMBEDDINGS", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-secret")


def test_a_compatible_server_is_sent_text_and_each_paper_once(tmp_path: Path) -> None:
    with FakeServer() as server:
        spec = f"openai:nomic:v1@{server.url}"
        first, again = searched(tmp_path, spec), searched(tmp_path, spec)
        inputs = [request.body["input"] for request in server.embeds]
        assert {request.body["model"] for request in server.embeds} == {"nomic:v1"}
    assert inputs == [["Quiet trams\nNo noise.", "Loud cars\n"], ["quiet trams"], ["quiet trams"]]
    assert first == again
    assert (first.ranking, [hit.paper.id for hit in first.hits]) == ("semantic", ["quiet", "loud"])


class Told(Embeddings):
    """A model that gives the query (1, 0), and each paper the vector told for its title."""

    def __init__(self, **vectors: list[float]) -> None:
        self.vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.vectors.get(text.split()[0], [1.0, 0.0]) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def test_relevance_is_half_of_one_plus_the_cosine(tmp_path: Path) -> None:
    model = Told(Quiet=[3.0, 4.0], Loud=[-2.0, 0.0])
    found = searched(tmp_path, model)
    assert [(hit.paper.id, hit.relevance) for hit in found.hits] == [("quiet", pytest.approx(0.8)), ("loud", 0.0)]
    assert [hit.paper.id for hit in searched(tmp_path, model, None).hits] == ["quiet"]
    assert searched(tmp_path, model, None).threshold == 0.6


@pytest.mark.long
def test_vectors_of_two_models_never_meet(tmp_path: Path) -> None:
    with FakeServer() as server:
        for model in ("one", "two", "one"):
            assert len(searched(tmp_path, f"{model}@{server.url}").hits) == 2
    assert len(searched(tmp_path, Told()).hits) == 2
    assert [len(request.body["input"]) for request in server.embeds] == [2, 1, 2, 1, 1]


def test_the_environment_names_the_model_and_lexical_overrules_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer() as server:
        monkeypatch.setenv("MOOT_EMBEDDINGS", f"openai:any@{server.url}")
        assert [searched(tmp_path, spec).ranking for spec in (None, "", "lexical")] == [
            "semantic",
            "semantic",
            "lexical",
        ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "said"),
    [(Fault.status(401), "401"), (Fault.status(404), "404"), (Fault.status(400), "400")],
)
def test_a_provider_that_refuses_stops_the_search_and_papers_are_kept(tmp_path: Path, fault: Fault, said: str) -> None:
    with FakeServer(embed_faults={1: fault}) as server:
        spec = f"openai:any@{server.url}"
        with pytest.raises(RunStoppedError, match=f"embeddings = openai:any@.*{said}") as error:
            searched(tmp_path, spec)
        assert "planted" not in str(error.value)
        assert len(searched(tmp_path, spec).hits) == 2


@pytest.mark.long
def test_a_server_that_is_not_there_stops_the_search(tmp_path: Path) -> None:
    with pytest.raises(RunStoppedError, match="embeddings = openai:any@http://127"):
        searched(tmp_path, "openai:any@http://127.0.0.1:9/v1")


class Short(Told):
    """A model that leaves one text out."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return super().embed_documents(texts)[1:]


@pytest.mark.parametrize("model", [Told(Loud=[math.nan, 1.0]), Told(Quiet=[math.inf, 0.0]), Short()])
def test_vectors_that_cannot_be_compared_are_not_kept(tmp_path: Path, model: Embeddings) -> None:
    with pytest.raises(RunStoppedError, match="usable vectors for 2 texts"):
        searched(tmp_path, model)


def test_a_vector_of_zeros_is_near_nothing(tmp_path: Path) -> None:
    assert [hit.paper.id for hit in searched(tmp_path, Told(Loud=[0.0, 0.0])).hits] == ["quiet"]


@pytest.mark.parametrize("spec", ["openai:", "two words", "nobody:some-model"])
def test_a_spec_that_names_nothing_usable_is_refused(spec: str) -> None:
    with pytest.raises(InputError):
        load_embeddings(spec)


def blob(*numbers: float) -> bytes:
    return struct.pack(f"{len(numbers)}f", *numbers)


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ((1, 0), (2, 0), 0),
        ((1, 0), (0, 3), 1),
        ((1, 0), (-1, 0), 2),
        ((3, 4), (4, 3), 1 - 24 / 25),
        ((0, 0), (1, 0), None),
    ],
)
def test_cosine_distance(left: tuple[float, ...], right: tuple[float, ...], distance: Any) -> None:
    assert compute_cosine_distance(blob(*left), blob(*right)) == (
        distance if distance is None else pytest.approx(distance)
    )


def test_vectors_of_different_lengths_are_not_compared() -> None:
    with pytest.raises(ValueError, match="vectors of 1 and 2 numbers"):
        compute_cosine_distance(blob(1), blob(1, 2))
