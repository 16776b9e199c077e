"""How well the paper library ranks: nDCG@10 on judged queries over the sample papers, and what a search costs.

    python benchmarks/retrieval.py

The semantic path is measured with hashed n-gram vectors, which know no meanings: its figure shows that the vector
index ranks as the vectors say, not what an embedding model would reach.
"""

import asyncio
import json
import math
import re
import tempfile
import time
import zlib
from pathlib import Path

from langchain_core.embeddings import Embeddings
from moot.papers.library import Library, open_library
from moot.state.papers.search_result import SearchResult
from pydantic import BaseModel, Field

ROOT = Path(__file__).parents[1]
SAMPLES, JUDGED = ROOT / "examples" / "papers", ROOT / "tests" / "data" / "papers" / "judged.jsonl"


class Judged(BaseModel):
    """A query with the papers that answer it: 2 is what was asked for, 1 is of use. No grades: nothing answers it."""

    query: str
    language: str
    grades: dict[str, int] = Field(default_factory=dict)


class HashedNgrams(Embeddings):
    """Deterministic vectors: words, their first five letters and pairs of characters, hashed into 1,024 counts."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One unit vector a text."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of a text."""
        counts = [0.0] * 1_024
        words = re.findall(r"[a-z0-9]{3,}", text.lower())
        ideographs = "".join(re.findall(r"[\u4e00-\u9fff]+", text))
        for gram in {
            *words,
            *(word[:5] for word in words),
            *(ideographs[i : i + 2] for i in range(len(ideographs) - 1)),
        }:
            counts[zlib.crc32(gram.encode()) % 1_024] += 1
        length = math.sqrt(sum(count * count for count in counts)) or 1.0
        return [count / length for count in counts]


def judged() -> list[Judged]:
    """The judged queries, the unanswerable ones last."""
    return [Judged.model_validate_json(line) for line in JUDGED.read_text("utf-8").splitlines()]


def ndcg(found: SearchResult, grades: dict[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulative gain (Järvelin and Kekäläinen, 2002), gain 2^grade − 1, in [0, 1]."""

    def gained(levels: list[int]) -> float:
        return math.fsum((2.0**level - 1) / math.log2(rank + 2) for rank, level in enumerate(levels[:depth]))

    ideal = gained(sorted(grades.values(), reverse=True))
    return gained([grades.get(hit.paper.id, 0) for hit in found.hits]) / ideal


async def quality(library: Library, language: str) -> float:
    """Mean nDCG@10 of the answerable queries in a language."""
    queries = [each for each in judged() if each.language == language and each.grades]
    scores = [ndcg(await library.search_papers(query.query, 10, 0.0), query.grades) for query in queries]
    return sum(scores) / len(scores)


async def _sampled(embeddings: Embeddings | str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(f"{folder}/moot.db", embeddings) as library:
            _ = [file async for file in library.add_files([SAMPLES])]
            for language in ("en", "zh"):
                print(f"{library.ranking:<9} {language}  nDCG@10 {await quality(library, language):.3f}")


async def _timed(papers: int = 1_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lines = [
            json.dumps({"title": f"Paper {i}", "abstract": f"word{i} cars in cities " * 60}) for i in range(papers)
        ]
        Path(folder, "many.jsonl").write_text("\n".join(lines), "utf-8")
        for embeddings in ("lexical", HashedNgrams()):
            async with open_library(f"{folder}/moot.db", embeddings) as library:
                start = time.perf_counter()
                _ = [file async for file in library.add_files([folder])]
                added = time.perf_counter()
                await library.search_papers("cars in word7", 10, 0.0)
                took = time.perf_counter() - added
                print(f"{library.ranking:<9} {papers} papers: add {added - start:.2f} s, search {took * 1000:.0f} ms")


async def main() -> None:
    """Print the figures."""
    await _sampled("lexical")
    await _sampled(HashedNgrams())
    await _timed()


if __name__ == "__main__":
    asyncio.run(main())
