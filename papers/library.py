"""Paper library: papers from files, stored with the runs, searched by meaning or shared terms."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, PutOp, SearchItem, SearchOp

from ..models import LEXICAL, NamedEmbeddings, count_text_bytes, load_embeddings
from ..state import EMBEDDING_PURPOSE, Call, InputError, Settings, is_budget_spent
from ..state.papers import (
    LEXICAL_THRESHOLD,
    SEMANTIC_THRESHOLD,
    IndexedPaper,
    Paper,
    RankingMethod,
    SearchHit,
    SearchResult,
    extract_gist,
    make_unique_id,
    remove_duplicates,
)
from ..storage import IN_MEMORY, Cipher, get_default_database, is_postgres, load_cipher
from .bm25 import compute_lexical_relevance
from .parsers.file_types import list_paper_files
from .parsers.parsing_program import read_papers
from .store import PROBE_TEXT, can_write, open_store

RECORD_NAMESPACE, TEXT_NAMESPACE, VECTOR_NAMESPACE = ("moot", "papers"), ("moot", "texts"), ("moot", "vectors")
"""Namespaces of the store: papers without texts, full texts (each in a sub-namespace), and embedded texts."""
NO_LIMIT = 1_000_000
BATCH_SIZE = 64  # papers


@asynccontextmanager
async def open_library(
    database: str | None = None, embeddings: str | Embeddings | None = None
) -> AsyncIterator["Library"]:
    """Open the library in `database`, a SQLite path or PostgreSQL address; default: the default database.

    `embeddings`: name or object; default: `MOOT_EMBEDDINGS`. Without a model, or with `lexical`, shared terms
    determine the ranking. Raises `InputError` for invalid arguments, `RunStoppedError` for an unreachable server.
    """
    model, cipher = await asyncio.to_thread(load_embeddings, embeddings), load_cipher()
    async with open_store(database or get_default_database(), model) as store:
        yield Library(store, model, cipher)


class Library:
    """Papers in an open store. With a cipher, everything except the vectors is encrypted.

    No method blocks the event loop. Several processes may use one database.
    """

    def __init__(self, store: BaseStore, model: NamedEmbeddings | None, cipher: Cipher | None = None) -> None:
        self._store, self._model, self._cipher = store, model, cipher
        self.ranking: RankingMethod = "semantic" if model else "lexical"

    def limit_spending(self, can_afford: Callable[[Sequence[Call]], bool]) -> None:
        """Allow an embedding request only if `can_afford` returns true for all requests including the new one."""
        if self._model:
            self._model.can_afford = can_afford

    @property
    def has_plain_vectors(self) -> bool:
        """Return whether texts are encrypted but their vectors are not.

        Vectors stay unencrypted, because encrypted vectors could not be compared.
        """
        return self._model is not None and self._cipher is not None

    @property
    def calls(self) -> list[Call]:
        """Return the requests made to the embedding model so far."""
        return self._model.calls if self._model else []

    async def list_papers(self) -> list[Paper]:
        """Return every paper in the order added. Texts are cut to the part that a search compares."""
        records = sorted(
            (record["place"], item.key, record["paper"])
            for item in await self._store.asearch(RECORD_NAMESPACE, limit=NO_LIMIT, refresh_ttl=False)
            if (record := self._decode_value(item.value))
        )
        return remove_duplicates([Paper.model_validate(paper) for _, _, paper in records])

    async def add_files(self, paths: Sequence[str | Path]) -> AsyncIterator[IndexedPaper]:
        """Index files and the files in folders. Yield a report on each paper after it is stored.

        Raises `InputError` for a missing path or a folder without papers, before reading any file. If the embedding
        model fails, raises `RunStoppedError` after all papers are stored. The next call or search then requests the
        missing vectors.
        """
        files = await asyncio.to_thread(list_paper_files, paths)
        ids_by_hash = {paper.sha: paper.id for paper in await self.list_papers()}
        async for path, parse_result in read_papers(files):
            used_ids = set(ids_by_hash.values())
            new_papers = [
                paper.model_copy(update={"id": make_unique_id(paper.id, paper.sha, used_ids)})
                for paper in remove_duplicates(parse_result.papers)
                if paper.sha not in ids_by_hash
            ]
            await self._write_papers(new_papers, len(ids_by_hash))
            added_hashes = {paper.sha for paper in new_papers}
            ids_by_hash |= {paper.sha: paper.id for paper in new_papers}
            for paper in parse_result.papers:
                status: Literal["added", "known"] = "added" if paper.sha in added_hashes else "known"
                added_hashes.discard(paper.sha)
                yield IndexedPaper(path=str(path), status=status, id=ids_by_hash[paper.sha])
            for reason in parse_result.faults:
                yield IndexedPaper(path=str(path), status="broken", reason=reason)
        if self._model:
            await self._write_missing_vectors(self._model, await self.list_papers())

    async def remove_papers(self, ids: Sequence[str]) -> list[str]:
        """Remove papers with their texts and vectors, and return the removed ids.

        Raises `InputError` for an unknown id, before any paper is removed.
        """
        hashes_by_id = {paper.id: paper.sha for paper in await self.list_papers()}
        if unknown_ids := [id for id in ids if id not in hashes_by_id]:
            raise InputError("id", unknown_ids[0], "no paper of the library has this id; run `moot papers list`")
        unique_ids = list(dict.fromkeys(ids))
        vector_namespaces = await self._store.alist_namespaces(prefix=VECTOR_NAMESPACE, limit=NO_LIMIT)
        deletions = [
            PutOp(namespace, hashes_by_id[id], None)
            for id in unique_ids
            for namespace in (RECORD_NAMESPACE, (*TEXT_NAMESPACE, hashes_by_id[id]), *vector_namespaces)
        ]
        for start in range(0, len(deletions), BATCH_SIZE):
            await self._store.abatch(deletions[start : start + BATCH_SIZE])
        return unique_ids

    async def replace_files(self, paths: Sequence[str | Path]) -> AsyncIterator[IndexedPaper]:
        """Index files like `add_files`, and remove the older papers that they replace.

        A paper replaces papers with its id and papers read earlier from its file. A broken file replaces nothing.
        """
        async for path, parse_result in read_papers(await asyncio.to_thread(list_paper_files, paths)):
            stored_papers = await self.list_papers()
            new_ids, new_hashes = (
                {paper.id for paper in parse_result.papers},
                {paper.sha for paper in parse_result.papers},
            )
            old_papers = [
                paper
                for paper in stored_papers
                if paper.sha not in new_hashes and (paper.id in new_ids or paper.source == str(path))
            ]
            if old_papers and parse_result.papers:
                await self.remove_papers([paper.id for paper in old_papers])
            async for report in self.add_files([path]):
                is_replaced = report.status == "added" and bool(old_papers)
                yield report.model_copy(update={"status": "replaced"}) if is_replaced else report

    async def search_papers(self, query: str, limit: int = 10, threshold: float | None = None) -> SearchResult:
        """Return the at most `limit` most relevant papers with texts, if their relevance reaches `threshold`.

        With embeddings, relevance is (1 + cosine) / 2; without, it is the score of the lexical ranking. Each ranking
        has its own default threshold. If the database is writable, missing vectors are stored first. Raises
        `InputError` for a blank query, n outside 1–50 or a threshold outside 0–1.
        """
        min_relevance = threshold if threshold is not None else SEMANTIC_THRESHOLD if self._model else LEXICAL_THRESHOLD
        if not query.strip():
            raise InputError("query", query, "ask something")
        if not 1 <= limit <= 50:
            raise InputError("n_papers", limit, "give a number from 1 to 50")
        if not 0 <= min_relevance <= 1:
            raise InputError("min_similarity_threshold", min_relevance, "give a number from 0 to 1")
        papers, model, unembedded_papers = await self.list_papers(), self._model, list[Paper]()
        if model:
            unembedded_papers = await self._write_missing_vectors(model, papers)
            namespace, hashes = (*VECTOR_NAMESPACE, model.key), {paper.sha for paper in papers}
            scores = {
                item.key: min(1.0, max(0.0, (1 + item.score) / 2))
                for item in await self._store.asearch(namespace, query=query, limit=limit, refresh_ttl=False)
                if item.score is not None and item.key in hashes
            }
        else:
            relevances = await asyncio.to_thread(
                compute_lexical_relevance, [(paper.title, extract_gist(paper)) for paper in papers], query
            )
            scores = {paper.sha: share for paper, share in zip(papers, relevances, strict=True) if share > 0}
        ranked_papers = sorted(
            (paper for paper in papers if scores.get(paper.sha, -1.0) >= min_relevance),
            key=lambda paper: (-scores[paper.sha], paper.id),
        )
        return SearchResult(
            hits=await self._load_hits(ranked_papers[:limit], scores),
            ranking=self.ranking,
            threshold=min_relevance,
            best=max(scores.values(), default=0.0) if papers else None,
            searched=len(papers),
            unembedded=len(unembedded_papers),
        )

    async def _write_missing_vectors(self, model: NamedEmbeddings, papers: Sequence[Paper]) -> list[Paper]:
        """Compute and store the vectors that papers lack, from title and beginning.

        If the database is read-only, return the papers without a vector, otherwise an empty list.
        """
        unembedded_papers = await self.list_unembedded_papers(model, papers)
        if unembedded_papers and not await can_write(self._store):
            return unembedded_papers
        plain_texts = [(paper.sha, build_embedding_text(paper)) for paper in unembedded_papers]
        entries = [(key, self._cipher.encrypt_text(text) if self._cipher else text, text) for key, text in plain_texts]
        model.plain_texts = {text: plain_text for _, text, plain_text in entries}
        operations = [
            PutOp((*VECTOR_NAMESPACE, model.key), key, {"gist": text}, index=["gist"]) for key, text, _ in entries
        ]
        for start in range(0, len(operations), BATCH_SIZE):
            await self._store.abatch(operations[start : start + BATCH_SIZE])
        return []

    async def list_unembedded_papers(self, model: NamedEmbeddings, papers: Sequence[Paper]) -> list[Paper]:
        """Return the papers that have no vector of this model."""
        embedded_hashes = {
            item.key
            for item in await self._store.asearch((*VECTOR_NAMESPACE, model.key), limit=NO_LIMIT, refresh_ttl=False)
        }
        return [paper for paper in papers if paper.sha not in embedded_hashes]

    async def _write_papers(self, papers: Sequence[Paper], start: int) -> None:
        """Store papers at consecutive positions. `start`: number of papers already in the library."""
        operations = []
        for position, paper in enumerate(papers, start=start):
            record = paper.model_copy(update={"text": extract_gist(paper)[len(paper.abstract) :].strip()})
            operations.append(
                PutOp(
                    RECORD_NAMESPACE,
                    paper.sha,
                    self._encode_value({"place": position, "paper": record.model_dump()}),
                    index=False,
                )
            )
            operations.append(
                PutOp((*TEXT_NAMESPACE, paper.sha), paper.sha, self._encode_value({"text": paper.text}), index=False)
            )
        for offset in range(0, len(operations), 2 * BATCH_SIZE):
            await self._store.abatch(operations[offset : offset + 2 * BATCH_SIZE])

    def _encode_value(self, value: dict[str, Any]) -> dict[str, Any]:
        return {"sealed": self._cipher.encrypt_text(json.dumps(value))} if self._cipher else value

    def _decode_value(self, stored_value: dict[str, Any]) -> dict[str, Any]:
        """Return a stored value, decrypted if necessary.

        Raises `InputError` for an encrypted value without a key.
        """
        if "sealed" not in stored_value:
            return stored_value
        if self._cipher is None:
            raise InputError("MOOT_DB_KEY", None, "this library is encrypted; set the key that encrypted it")
        return dict(json.loads(self._cipher.decrypt_text(stored_value["sealed"])))

    async def _load_hits(self, papers: Sequence[Paper], scores: dict[str, float]) -> list[SearchHit]:
        # PostgreSQL's store needs the right to write to get an item, but only the right to read to search it
        text_results = await self._store.abatch(
            [SearchOp((*TEXT_NAMESPACE, paper.sha), limit=1, refresh_ttl=False) for paper in papers]
        )
        return [
            SearchHit(
                paper=paper.model_copy(update={"text": self._decode_value(item.value)["text"]}),
                relevance=scores[paper.sha],
            )
            for paper, items in zip(papers, text_results, strict=True)
            for item in (items if isinstance(items, list) else [])
            if isinstance(item, SearchItem)
        ]


async def search_library(
    settings: Settings, query: str, limit: int, threshold: float | None = None
) -> tuple[SearchResult, list[Call], list[IndexedPaper]]:
    """Search the sources in a run's settings or, without sources, the paper library, within the budget.

    Return the result, the requests to the embedding model, and a report on each paper of the sources. For `limit` and
    `threshold`, see `Library.search_papers`.
    """
    sources = getattr(settings, "sources", [])
    async with open_library(
        IN_MEMORY if sources else getattr(settings, "library", "") or get_default_database(),
        getattr(settings, "embeddings", "") or None,
    ) as library:
        library.limit_spending(lambda calls: not is_budget_spent(settings, calls, new_calls=0))
        reports = [report async for report in library.add_files(sources)]
        return await library.search_papers(query, limit, threshold), library.calls, reports


async def list_embedding_requests(
    query: str, database: str, model: NamedEmbeddings, sources: Sequence[str] = ()
) -> list[Call]:
    """Return the embedding requests that a search for `query` may make. None is sent.

    `sources`: files and folders to search instead of the database.
    """
    database = IN_MEMORY if sources else database
    async with open_library(database, LEXICAL) as library:
        async for _ in library.add_files(sources):
            pass
        texts = [
            build_embedding_text(paper)
            for paper in await library.list_unembedded_papers(model, await library.list_papers())
        ]
    batches = [texts[start : start + BATCH_SIZE] for start in range(0, len(texts), BATCH_SIZE)]
    requests = [[PROBE_TEXT], *batches, [query]] if is_postgres(database) else [*batches, [query]]
    return [
        Call(purpose=EMBEDDING_PURPOSE, model=model.name, input_tokens=count_text_bytes(texts)) for texts in requests
    ]


def build_embedding_text(paper: Paper) -> str:
    """Return the text of a paper that is embedded: its title, abstract and beginning."""
    return f"{paper.title}\n{extract_gist(paper)}"
