"""`moot panel`: experts discuss research papers and reach one conclusion."""

from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ..protocols.panel.hooks import parse_expert_options
from ..protocols.registry import get_protocol
from ..run import (
    RELEVANCE_HELP,
    Material,
    OptionalText,
    PanelRunOptions,
    People,
    ViewOptions,
    build_request,
    build_topic_input,
    execute_request,
    flatten_options,
    make_option,
    parse_seats,
)

PAPERS_HELP_PANEL, EXPERTS_HELP_PANEL = "What is read", "Who discusses"


@dataclass(frozen=True)
class ReadingOptions:
    """Options for the papers to read: named files, or papers of the library."""

    papers: Annotated[
        list[Path],
        make_option("PATH", "Files and folders of papers, instead of the library.", PAPERS_HELP_PANEL),
    ] = field(default_factory=list)
    samples: Annotated[
        bool,
        Option(
            "--samples",
            help="Read Moot's sample papers instead of the library.",
            rich_help_panel=PAPERS_HELP_PANEL,
        ),
    ] = False
    n_papers: Annotated[int | None, make_option("N", "Maximum papers, 1–50.", PAPERS_HELP_PANEL)] = None
    min_relevance: Annotated[float | None, make_option("X", RELEVANCE_HELP, PAPERS_HELP_PANEL)] = None
    embeddings: Annotated[
        OptionalText,
        make_option("SPEC", "Embedding model that ranks papers; `lexical`: rank by shared words.", PAPERS_HELP_PANEL),
    ] = None

    def collect_values(self) -> dict[str, Any]:
        """Return the values of the options that select papers, by setting."""
        values = {
            "n_papers": self.n_papers,
            "min_similarity_threshold": self.min_relevance,
            "embeddings": self.embeddings,
        }
        with as_file(files(__package__.partition(".")[0]) / "examples" / "papers") as sample_folder:
            sources = [str(path.absolute()) for path in [*self.papers, *([sample_folder] if self.samples else [])]]
        return {key: value for key, value in values.items() if value is not None} | (
            {"sources": sources} if sources else {}
        )


@dataclass(frozen=True)
class PanelOptions:
    """Options for the participants, length and output language of a panel."""

    experts: Annotated[
        list[str],
        make_option("NAMES", 'Names separated by commas, or one "Name: role and focus".', EXPERTS_HELP_PANEL),
    ] = field(default_factory=list)
    people: People = field(default_factory=list)
    cycles: Annotated[int | None, make_option("N", "Contributions per expert [default: 1].", EXPERTS_HELP_PANEL)] = None
    output_language: Annotated[OptionalText, make_option("TAG", "Language of the output.", EXPERTS_HELP_PANEL)] = None


@flatten_options
def panel(
    query: Annotated[
        OptionalText,
        Argument(metavar="QUERY", help="Question; may be in the config file.", show_default=False),
    ] = None,
    material: Material = None,
    *,
    reading_options: ReadingOptions,
    panel_options: PanelOptions,
    options: PanelRunOptions,
    view: ViewOptions,
) -> None:
    """Let experts read papers and answer a question.

    Moot uses the language of the question: Chinese, Spanish or else English. --language chooses another one.
    """
    values = build_topic_input(query, material)
    values = {"query": values.pop("topic"), **values, **reading_options.collect_values()}
    values |= {
        "participants": [*parse_expert_options(panel_options.experts), *parse_seats(panel_options.people)] or None,
        "cycles": panel_options.cycles,
        "output_language": panel_options.output_language,
    }
    execute_request(
        build_request(
            get_protocol("panel"), {key: value for key, value in values.items() if value is not None}, options
        ),
        view,
    )
