"""Searching the paper library in PostgreSQL needs no right to write."""

import asyncio
from pathlib import Path

import psycopg
import pytest
from moot.papers.library import open_library
from moot.state.papers.search_result import SearchResult
from servers import postgres

pytestmark = pytest.mark.postgres


async def _searched(database: str) -> SearchResult:
    async with open_library(database, "lexical") as library:
        return await library.search_papers("quiet trams")


async def _added(database: str, paper: Path) -> None:
    async with open_library(database, "lexical") as library:
        assert [file.status async for file in library.add_files([paper])] == ["added"]


@pytest.mark.long
def test_who_may_only_read_can_search(tmp_path: Path) -> None:
    paper = tmp_path / "trams.md"
    paper.write_text("# Quiet trams\n\nTrams are quiet where their rails are ground every spring.\n")
    with postgres.cluster() as cluster:
        database = cluster.fresh()
        asyncio.run(_added(database, paper))
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        found = asyncio.run(_searched(database.replace("postgres@", "reader@")))
        assert found == asyncio.run(_searched(database))
        assert ["ground every spring" in hit.paper.text for hit in found.hits] == [True]
