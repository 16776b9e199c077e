"""The paper library: papers from files, kept in the database of the saved runs, found by meaning or by shared terms."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, PutOp, SearchItem, SearchOp

from ...state.incident import EMBEDDING, Call
from ...state.papers import (
    LEXICAL_THRESHOLD,
    SEMANTIC_THRESHOLD,
    Found,
    Hit,
    Indexed,
    Paper,
    Ranking,
    distinct,
    free_id,
    gist,
)
from ...state.refused import Refused
from ..cipher import Cipher, cipher_from_environment
from ..database import IN_MEMORY, default_database, is_postgres
from ..models.embedding_spec import LEXICAL
from ..models.embeddings import Named, embeddings_for, size
from .lexical import lexical_relevance
from .parse.kinds import paper_files
from .parse.program import read_papers
from .store import LENGTH, may_write, open_store

CARDS, TEXTS, VECTORS = ("moot", "papers"), ("moot", "texts"), ("moot", "vectors")
"""Where the store keeps papers without their text, their texts, each in a place of its own, and what was embedded."""
EVERYTHING = 1_000_000
BATCH = 64
"""Papers written or embedded at once."""


@asynccontextmanager
async def open_library(
    database: str | None = None, embeddings: str | Embeddings | None = None
) -> AsyncIterator["Library"]:
    """The library in `database`, a SQLite path or `postgresql://` address; none: `default_database()`.

    `embeddings` is a spec or object; none: `MOOT_EMBEDDINGS`; without that, or with `lexical`, shared terms rank.
    Raises `Refused` for what cannot be used, `Stopped` for a server that does not answer.
    """
    model, cipher = await asyncio.to_thread(embeddings_for, embeddings), cipher_from_environment()
    async with open_store(database or default_database(), model) as store:
        yield Library(store, model, cipher)


class Library:
    """Papers in an open store, encrypted if there is a cipher; the numbers of their vectors are not.

    Never blocks the event loop; several processes may use one database.
    """

    def __init__(self, store: BaseStore, model: Named | None, cipher: Cipher | None = None) -> None:
        self._store, self._model, self._cipher = store, model, cipher
        self.ranking: Ranking = "semantic" if model else "lexical"

    def within(self, affords: Callable[[Sequence[Call]], bool]) -> None:
        """Make no request to the embedding model that `affords` does not allow, given all of them and that one."""
        if self._model:
            self._model.affords = affords

    @property
    def bares_vectors(self) -> bool:
        """Whether vectors are kept as they are beside encrypted texts: they could not be compared otherwise."""
        return self._model is not None and self._cipher is not None

    @property
    def calls(self) -> list[Call]:
        """The requests made to the embedding model."""
        return self._model.calls if self._model else []

    async def papers(self) -> list[Paper]:
        """Every paper in the order they came, its text cut to what searching compares."""
        items = await self._store.asearch(CARDS, limit=EVERYTHING, refresh_ttl=False)
        cards = sorted((card["place"], item.key, card["paper"]) for item in items if (card := self._told(item.value)))
        return distinct([Paper.model_validate(paper) for _, _, paper in cards])

    async def add(self, paths: Sequence[str | Path]) -> AsyncIterator[Indexed]:
        """Index files, and what folders hold; tell what became of each paper once it is stored.

        Raises `Refused` before anything is read for a path that is not there or a folder without papers, `Stopped`
        after all is stored when the embedding model fails; the next `add` or search asks it for what is missing.
        """
        files = await asyncio.to_thread(paper_files, paths)
        ids = {paper.sha: paper.id for paper in await self.papers()}
        async for path, parsed in read_papers(files):
            new = _renamed([paper for paper in distinct(parsed.papers) if paper.sha not in ids], set(ids.values()))
            await self._write(new, len(ids))
            added = {paper.sha for paper in new}
            ids |= {paper.sha: paper.id for paper in new}
            for paper in parsed.papers:
                status: Literal["added", "known"] = "added" if paper.sha in added else "known"
                added.discard(paper.sha)
                yield Indexed(path=str(path), status=status, id=ids[paper.sha])
            for reason in parsed.broken:
                yield Indexed(path=str(path), status="broken", reason=reason)
        if self._model:
            await self._embed(self._model, await self.papers())

    async def remove(self, ids: Sequence[str]) -> list[str]:
        """Take papers out, with their texts and vectors; the ids taken out.

        Raises `Refused` for an id that no paper has, before any is taken out.
        """
        known = {paper.id: paper.sha for paper in await self.papers()}
        if unknown := [id for id in ids if id not in known]:
            raise Refused("id", unknown[0], "no paper of the library has it; see `moot papers list`")
        wanted = list(dict.fromkeys(ids))
        spaces = await self._store.alist_namespaces(prefix=VECTORS, limit=EVERYTHING)
        puts = [PutOp(place, known[id], None) for id in wanted for place in (CARDS, (*TEXTS, known[id]), *spaces)]
        for start in range(0, len(puts), BATCH):
            await self._store.abatch(puts[start : start + BATCH])
        return wanted

    async def replace(self, paths: Sequence[str | Path]) -> AsyncIterator[Indexed]:
        """`add`, where a paper takes the place of those with the same id and of those read from the same file before.

        A file that is broken now replaces nothing.
        """
        files = await asyncio.to_thread(paper_files, paths)
        async for path, parsed in read_papers(files):
            there = await self.papers()
            given, news = {paper.id for paper in parsed.papers}, {paper.sha for paper in parsed.papers}
            old = [one for one in there if one.sha not in news and (one.id in given or one.source == str(path))]
            if old and parsed.papers:
                await self.remove([one.id for one in old])
            async for each in self.add([path]):
                replaced = each.status == "added" and bool(old)
                yield each.model_copy(update={"status": "replaced"}) if replaced else each

    async def search(self, query: str, n: int = 10, threshold: float | None = None) -> Found:
        """At most `n` papers whose relevance to the query reaches `threshold`, best first, texts included.

        Relevance is (1 + cosine) / 2 with embeddings, else that of `moot.nodes.library.lexical`; each ranking has its
        own default threshold. Papers that lack a vector are given one first, where the database lets one be written.
        Raises `Refused` for a blank query, n outside 1–50 or a threshold outside 0–1.
        """
        least = threshold if threshold is not None else SEMANTIC_THRESHOLD if self._model else LEXICAL_THRESHOLD
        _check(query, n, least)
        papers, model = await self.papers(), self._model
        lacking = await self._embed(model, papers) if model else []
        scores = await (self._semantic(model, papers, query, n) if model else self._lexical(papers, query))
        over = (paper for paper in papers if scores.get(paper.sha, -1.0) >= least)
        ranked = sorted(over, key=lambda paper: (-scores[paper.sha], paper.id))
        return Found(
            hits=await self._hits(ranked[:n], scores),
            ranking=self.ranking,
            threshold=least,
            best=max(scores.values(), default=0.0) if papers else None,
            searched=len(papers),
            unembedded=len(lacking),
        )

    async def _lexical(self, papers: Sequence[Paper], query: str) -> dict[str, float]:
        compared = [(paper.title, gist(paper)) for paper in papers]
        found = await asyncio.to_thread(lexical_relevance, compared, query)
        return {paper.sha: relevance for paper, relevance in zip(papers, found, strict=True) if relevance > 0}

    async def _semantic(self, model: Named, papers: Sequence[Paper], query: str, n: int) -> dict[str, float]:
        found = await self._store.asearch((*VECTORS, model.key), query=query, limit=n, refresh_ttl=False)
        known = {paper.sha for paper in papers}
        return {i.key: min(1.0, max(0.0, (1 + i.score) / 2)) for i in found if i.score is not None and i.key in known}

    async def _embed(self, model: Named, papers: Sequence[Paper]) -> list[Paper]:
        """Give the papers that lack one a vector of title and gist; those left without, where it may not be written."""
        lacking = await self.lacking(model, papers)
        if lacking and not await may_write(self._store):
            return lacking
        new = [(paper.sha, compared(paper)) for paper in lacking]
        kept = [(key, self._cipher.seal(text) if self._cipher else text, text) for key, text in new]
        model.plain = {text: plain for _, text, plain in kept}
        puts = [PutOp((*VECTORS, model.key), key, {"gist": text}, index=["gist"]) for key, text, _ in kept]
        for start in range(0, len(puts), BATCH):
            await self._store.abatch(puts[start : start + BATCH])
        return []

    async def lacking(self, model: Named, papers: Sequence[Paper]) -> list[Paper]:
        """The papers that have no vector of this model."""
        space = (*VECTORS, model.key)
        there = {item.key for item in await self._store.asearch(space, limit=EVERYTHING, refresh_ttl=False)}
        return [paper for paper in papers if paper.sha not in there]

    async def _write(self, papers: Sequence[Paper], place: int) -> None:
        """Store papers, the first one in `place`: the number of those before it."""
        puts = []
        for i, paper in enumerate(papers, start=place):
            card = paper.model_copy(update={"text": gist(paper)[len(paper.abstract) :].strip()})
            puts.append(PutOp(CARDS, paper.sha, self._kept({"place": i, "paper": card.model_dump()}), index=False))
            puts.append(PutOp((*TEXTS, paper.sha), paper.sha, self._kept({"text": paper.text}), index=False))
        for start in range(0, len(puts), 2 * BATCH):
            await self._store.abatch(puts[start : start + 2 * BATCH])

    def _kept(self, value: dict[str, Any]) -> dict[str, Any]:
        """A value as it is stored."""
        return {"sealed": self._cipher.seal(json.dumps(value))} if self._cipher else value

    def _told(self, stored: dict[str, Any]) -> dict[str, Any]:
        """The value that was stored."""
        if "sealed" not in stored:
            return stored
        if self._cipher is None:
            raise Refused("MOOT_DB_KEY", None, "this library is encrypted; set the key it was written with")
        return dict(json.loads(self._cipher.unseal(stored["sealed"])))

    async def _hits(self, papers: Sequence[Paper], scores: dict[str, float]) -> list[Hit]:
        # to get an item, PostgreSQL's store asks for a right to write; to search for it, only to read
        texts = await self._store.abatch(
            [SearchOp((*TEXTS, paper.sha), limit=1, refresh_ttl=False) for paper in papers]
        )
        return [
            Hit(paper=paper.model_copy(update={"text": self._told(item.value)["text"]}), relevance=scores[paper.sha])
            for paper, found in zip(papers, texts, strict=True)
            for item in (found if isinstance(found, list) else [])
            if isinstance(item, SearchItem)
        ]


async def requests_foreseen(query: str, database: str, model: Named, sources: Sequence[str] = ()) -> list[Call]:
    """The requests to an embedding model that a search for `query` may make, each made once; none is made here.

    `sources`: files and folders that are searched instead of what is in the database.
    """
    database = IN_MEMORY if sources else database
    async with open_library(database, LEXICAL) as library:
        async for _ in library.add(sources):
            pass
        texts = [compared(paper) for paper in await library.lacking(model, await library.papers())]
    batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    asked = [[LENGTH], *batches, [query]] if is_postgres(database) else [*batches, [query]]
    return [Call(purpose=EMBEDDING, model=model.name, input_tokens=size(texts)) for texts in asked]


def compared(paper: Paper) -> str:
    """What a paper's vector is made of."""
    return f"{paper.title}\n{gist(paper)}"


def _renamed(papers: Sequence[Paper], taken: set[str]) -> list[Paper]:
    """The papers under ids that none of the library has."""
    return [paper.model_copy(update={"id": free_id(paper.id, paper.sha, taken)}) for paper in papers]


def _check(query: str, n: int, threshold: float) -> None:
    if not query.strip():
        raise Refused("query", query, "ask something")
    if not 1 <= n <= 50:
        raise Refused("n_papers", n, "give a number from 1 to 50")
    if not 0 <= threshold <= 1:
        raise Refused("min_similarity_threshold", threshold, "give a number from 0 to 1")
