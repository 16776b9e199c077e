"""Quality of the paper library's ranking (nDCG@10 on judged queries), and the time of a search.

    python benchmarks/retrieval.py

The semantic search uses hashed n-gram vectors, which carry no meaning. Its figure shows that the index ranks by the
vectors, not how good an embedding model would be.
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
SAMPLES, JUDGED_FILE = ROOT / "examples" / "papers", ROOT / "tests" / "data" / "papers" / "judged.jsonl"


class JudgedQuery(BaseModel):
    """Query with the grades of papers: 2 answers it, 1 helps.

    Without grades, no paper answers it.
    """

    query: str
    language: str
    grades: dict[str, int] = Field(default_factory=dict)


class HashedNgrams(Embeddings):
    """Embedding model that hashes words, their first five letters and ideograph pairs into 1,024 counts."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a unit vector for each text."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a text."""
        counts = [0.0] * 1_024
        words = re.findall(r"[a-z0-9]{3,}", text.lower())
        ideographs = "".join(re.findall(r"[\u4e00-\u9fff]+", text))
        for ngram in {
            *words,
            *(word[:5] for word in words),
            *(ideographs[i : i + 2] for i in range(len(ideographs) - 1)),
        }:
            counts[zlib.crc32(ngram.encode()) % 1_024] += 1
        length = math.sqrt(sum(count * count for count in counts)) or 1.0
        return [count / length for count in counts]


def load_judged_queries() -> list[JudgedQuery]:
    """Load the judged queries, the unanswerable ones last."""
    return [JudgedQuery.model_validate_json(line) for line in JUDGED_FILE.read_text("utf-8").splitlines()]


def compute_ndcg(result: SearchResult, grades: dict[str, int], depth: int = 10) -> float:
    """Compute the normalized discounted cumulative gain of a search, with gain 2^grade − 1.

    `grades`: grades of papers by id. `depth`: number of results that count. Source: Järvelin and Kekäläinen (2002).
    """

    def compute_gain(levels: list[int]) -> float:
        return math.fsum((2.0**level - 1) / math.log2(rank + 2) for rank, level in enumerate(levels[:depth]))

    ideal = compute_gain(sorted(grades.values(), reverse=True))
    return compute_gain([grades.get(hit.paper.id, 0) for hit in result.hits]) / ideal


async def measure_quality(library: Library, language: str) -> float:
    """Measure the mean nDCG@10 of the answerable queries in a language."""
    queries = [query for query in load_judged_queries() if query.language == language and query.grades]
    scores = [compute_ndcg(await library.search_papers(query.query, 10, 0.0), query.grades) for query in queries]
    return sum(scores) / len(scores)


async def _print_quality(embeddings: Embeddings | str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(f"{folder}/moot.db", embeddings) as library:
            _ = [file async for file in library.add_files([SAMPLES])]
            for language in ("en", "zh"):
                print(f"{library.ranking:<9} {language}  nDCG@10 {await measure_quality(library, language):.3f}")


async def _print_times(papers: int = 1_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lines = [
            json.dumps({"title": f"Paper {i}", "abstract": f"word{i} cars in cities " * 60}) for i in range(papers)
        ]
        Path(folder, "many.jsonl").write_text("\n".join(lines), "utf-8")
        for embeddings in ("lexical", HashedNgrams()):
            async with open_library(f"{folder}/moot.db", embeddings) as library:
                start = time.perf_counter()
                _ = [file async for file in library.add_files([folder])]
                added_at = time.perf_counter()
                await library.search_papers("cars in word7", 10, 0.0)
                seconds = time.perf_counter() - added_at
                times = f"add {added_at - start:.2f} s, search {seconds * 1000:.0f} ms"
                print(f"{library.ranking:<9} {papers} papers: {times}")


async def main() -> None:
    """Print the quality of the lexical and the semantic ranking, and the time of a search."""
    await _print_quality("lexical")
    await _print_quality(HashedNgrams())
    await _print_times()


if __name__ == "__main__":
    asyncio.run(main())
