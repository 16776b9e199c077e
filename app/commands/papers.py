"""`moot papers`: manage the paper library on the command line."""

import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...models import LEXICAL
from ...papers.library import open_library
from ...state import InputError
from ...state.papers import Paper
from ..display.plain_text import flatten_line, format_json
from ..run import RELEVANCE_HELP, flatten_options

papers = typer.Typer(
    help="Manage the paper library: add, list, search, remove.",
    no_args_is_help=True,
    add_completion=False,
)

LibraryOption = Annotated[str, typer.Option("--db", metavar="PATH|URL", help="An SQLite file, or postgresql://…")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print only one JSON document.")]
EmbedderOption = Annotated[
    str,
    typer.Option(
        metavar="SPEC",
        help="Embedding model, such as openai:text-embedding-3-small; `lexical`: rank by shared words.",
    ),
]


@papers.command()
@flatten_options
async def add(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files and folders.")] = None,
    samples: Annotated[bool, typer.Option("--samples", help="Add Moot's sample papers.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Replace papers with the same id or file.")] = False,
    embeddings: EmbedderOption = "",
    db: LibraryOption = "",
) -> None:
    """Index papers from PDF, Markdown, text, BibTeX, RIS and JSON files.

    Skip papers that the library has. Report a broken file and index the others.
    """
    with as_file(files(__package__.partition(".")[0]) / "examples" / "papers") as folder:
        sources = [*(paths or []), *([folder] if samples else [])]
        if not sources:
            raise InputError("paths", None, "name files or folders, or --samples")
        statuses: list[str] = []
        async with open_library(db, embeddings) as library:
            async for entry in library.replace_files(sources) if replace else library.add_files(sources):
                outcome = f"{entry.path}: {entry.reason}" if entry.status == "broken" else f"{entry.id} ({entry.path})"
                print(f"{entry.status:<6} {flatten_line(outcome)}")
                statuses.append(entry.status)
            if library.has_plain_vectors:
                print(
                    "MOOT_DB_KEY encrypts papers and titles, but not their vectors: anyone with the database can see "
                    "which papers are similar.",
                    file=sys.stderr,
                )
    shown_statuses = ("added", "replaced", "known", "broken") if replace else ("added", "known", "broken")
    print(", ".join(f"{statuses.count(status)} {status}" for status in shown_statuses))
    if set(statuses) <= {"broken"}:
        raise typer.Exit(1)


@papers.command()
@flatten_options
async def remove(
    ids: Annotated[list[str], typer.Argument(metavar="ID…", help="Ids of papers, from `moot papers list`.")],
    db: LibraryOption = "",
) -> None:
    """Remove papers from the library; runs keep what they read."""
    async with open_library(db, LEXICAL) as library:
        for paper_id in await library.remove_papers([id_text.removeprefix("@") for id_text in ids]):
            print(f"removed {flatten_line(paper_id)}")


@papers.command("list")
@flatten_options
async def list_papers(db: LibraryOption = "", json: JsonOption = False) -> None:
    """List the papers of the library."""
    async with open_library(db, LEXICAL) as library:
        library_papers = await library.list_papers()
    if json:
        return print(format_json([_make_record(paper) for paper in library_papers]))
    _show_table(
        ["id", "year", "authors", "title"],
        [
            [
                paper.id,
                str(paper.year or ""),
                ("; ".join(paper.authors[:2]) + ("; …" if len(paper.authors) > 2 else "")),
                paper.title,
            ]
            for paper in library_papers
        ],
    )
    print(f"{len(library_papers)} papers", file=sys.stderr)


@papers.command()
@flatten_options
async def search(
    query: Annotated[str, typer.Argument(help="Query.")],
    n: Annotated[int, typer.Option("--n", help="Maximum papers to show, 1–50.")] = 10,
    threshold: Annotated[float | None, typer.Option(help=RELEVANCE_HELP, show_default=False)] = None,
    embeddings: EmbedderOption = "",
    db: LibraryOption = "",
    json: JsonOption = False,
) -> None:
    """List the papers that answer a query, most relevant first."""
    async with open_library(db, embeddings) as library:
        results = await library.search_papers(query, n, threshold)
    if json:
        records = [_make_record(hit.paper) | {"relevance": hit.relevance} for hit in results.hits]
        return print(format_json({"query": query, **results.model_dump(exclude={"hits"}), "papers": records}))
    _show_table(
        ["relevance", "id", "title"], [[f"{hit.relevance:.2f}", hit.paper.id, hit.paper.title] for hit in results.hits]
    )
    ranking = f"{results.ranking} ranking of {results.searched} papers, threshold {results.threshold:.2f}"
    ranking += f"; papers without a vector, not compared: {results.unembedded}" if results.unembedded else ""
    if results.best is None and not results.hits:
        ranking = "the library is empty: add papers with `moot papers add PATH`"
    elif not results.hits:
        ranking += f": no paper reaches it; the best has {results.best:.2f}"
    print(ranking, file=sys.stderr)


def _make_record(paper: Paper) -> dict[str, object]:
    return paper.model_dump(exclude={"text", "sha"})


def _show_table(headings: list[str], rows: list[list[str]]) -> None:
    """Print columns on a terminal. In a pipe, print one line per row, separated by tabs."""
    cells = [[flatten_line(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        print("".join("\t".join(row) + "\n" for row in cells), end="")
        return
    table = Table(*headings, box=None)
    for row in cells:
        table.add_row(*map(Text, row))
    Console().print(table)
