"""`moot papers`: the paper library on the command line."""

import asyncio
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...nodes.library.library import open_library
from ...nodes.models.embedding_spec import LEXICAL
from ...state.papers import Found, Paper
from ...state.refused import Refused
from ..display.plain import as_json, one_line
from ..options import LEAST

papers = typer.Typer(
    help="The paper library: add papers, list, search, remove them.",
    no_args_is_help=True,
    add_completion=False,
)

Database = Annotated[str, typer.Option("--db", metavar="PATH|URL", help="An SQLite file, or postgresql://…")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, and nothing else.")]
Embedder = Annotated[
    str, typer.Option(metavar="SPEC", help="Embedding model, such as openai:text-embedding-3-small; lexical: none.")
]


BARE = (
    "MOOT_DB_KEY encrypts papers and their titles; the numbers of their vectors are kept as they are, since encrypted "
    "ones could not be compared: whoever reads the database can tell which papers are about the same"
)


@papers.command()
def add(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files, and folders with all that is in them.")] = None,
    samples: Annotated[bool, typer.Option("--samples", help="Add the sample papers that come with Moot.")] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put them in the place of papers with the same id or from the same file.")
    ] = False,
    embeddings: Embedder = "",
    db: Database = "",
) -> None:
    """Index papers from PDF, Markdown, text, BibTeX, RIS and JSON files.

    What the library knows already is left alone; a broken file is reported and the rest go on.
    """
    with as_file(files(__package__.partition(".")[0]) / "samples" / "papers") as folder:
        chosen = [*(paths or []), *([folder] if samples else [])]
        if not chosen:
            raise Refused("paths", None, "name files or folders, or --samples")
        states = asyncio.run(_add(chosen, embeddings, db, replace))
    shown = ("added", "replaced", "known", "broken") if replace else ("added", "known", "broken")
    print(", ".join(f"{states.count(state)} {state}" for state in shown))
    if set(states) <= {"broken"}:
        raise typer.Exit(1)


@papers.command()
def remove(
    ids: Annotated[list[str], typer.Argument(metavar="ID…", help="Ids of papers, as `moot papers list` shows them.")],
    db: Database = "",
) -> None:
    """Take papers out of the library; runs that read them keep what they read."""
    for id in asyncio.run(_remove([one.removeprefix("@") for one in ids], db)):
        print(f"removed {one_line(id)}")


@papers.command("list")
def list_papers(db: Database = "", json: AsJson = False) -> None:
    """List the papers of the library."""
    known = asyncio.run(_known(db))
    if json:
        print(as_json([_record(paper) for paper in known]))
        return
    _show(["id", "year", "authors", "title"], [[p.id, str(p.year or ""), _authors(p), p.title] for p in known])
    print(f"{len(known)} papers", file=sys.stderr)


@papers.command()
def search(
    query: Annotated[str, typer.Argument(help="What the papers should be about.")],
    n: Annotated[int, typer.Option("--n", help="Most papers to show, 1-50.")] = 10,
    threshold: Annotated[float | None, typer.Option(help=LEAST, show_default=False)] = None,
    embeddings: Embedder = "",
    db: Database = "",
    json: AsJson = False,
) -> None:
    """Show the papers that answer a query, most relevant first, with their relevance."""
    found = asyncio.run(_search((query, n, threshold), embeddings, db))
    if json:
        hits = [_record(hit.paper) | {"relevance": hit.relevance} for hit in found.hits]
        print(as_json({"query": query, **found.model_dump(exclude={"hits"}), "papers": hits}))
        return
    rows = [[f"{hit.relevance:.2f}", hit.paper.id, hit.paper.title] for hit in found.hits]
    _show(["relevance", "id", "title"], rows)
    print(_summary(found), file=sys.stderr)


async def _remove(ids: list[str], db: str) -> list[str]:
    async with open_library(db, LEXICAL) as library:
        return await library.remove(ids)


async def _add(paths: list[Path], embeddings: str, db: str, replace: bool) -> list[str]:
    states: list[str] = []
    async with open_library(db, embeddings) as library:
        async for each in library.replace(paths) if replace else library.add(paths):
            outcome = f"{each.path}: {each.reason}" if each.status == "broken" else f"{each.id} ({each.path})"
            print(f"{each.status:<6} {one_line(outcome)}")
            states.append(each.status)
        if library.bares_vectors:
            print(BARE, file=sys.stderr)
    return states


async def _known(db: str) -> list[Paper]:
    async with open_library(db, LEXICAL) as library:
        return await library.papers()


async def _search(asked: tuple[str, int, float | None], embeddings: str, db: str) -> Found:
    async with open_library(db, embeddings) as library:
        return await library.search(*asked)


def _record(paper: Paper) -> dict[str, object]:
    return paper.model_dump(exclude={"text", "sha"})


def _authors(paper: Paper) -> str:
    return "; ".join(paper.authors[:2]) + ("; …" if len(paper.authors) > 2 else "")


def _show(head: list[str], rows: list[list[str]]) -> None:
    """Columns on a terminal; on a pipe one line a row, tabs between."""
    shown = [[one_line(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        print("".join("\t".join(row) + "\n" for row in shown), end="")
        return
    table = Table(*head, box=None)
    for row in shown:
        table.add_row(*map(Text, row))
    Console().print(table)


def _summary(found: Found) -> str:
    """How the papers were ranked, and when none is shown, how near the best one came."""
    kind = f"{found.ranking} ranking of {found.searched} papers, threshold {found.threshold:.2f}"
    kind += f"; {found.unembedded} without a vector were not compared" if found.unembedded else ""
    if found.hits:
        return kind
    if found.best is None:
        return "the library is empty: add papers with `moot papers add PATH`"
    return f"{kind}: none reaches it; the best has {found.best:.2f}"
