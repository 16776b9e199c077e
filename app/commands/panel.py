"""`moot panel`: experts discuss research papers and reach one conclusion."""

from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ..protocols.panel.experts import parse_experts
from ..protocols.panel.question_language import with_question_language
from ..protocols.protocol import get_protocol
from ..run.command_options import (
    RELEVANCE_HELP,
    Material,
    OptionalText,
    PanelRunOptions,
    People,
    ViewOptions,
    flatten_options,
    parse_seats,
)
from ..run.request import build_request
from ..run.start import build_topic_input, execute_request

QueryArgument = Annotated[
    OptionalText,
    Argument(metavar="QUERY", help="The question; may stand in the config file instead.", show_default=False),
]

PAPERS_PANEL, EXPERTS_PANEL = "What is read", "Who discusses"


@dataclass(frozen=True)
class ReadingOptions:
    """Papers to read: the named files, or else those of the library."""

    papers: Annotated[
        list[Path],
        Option(
            metavar="PATH",
            help="Files and folders to read for this run instead of the library.",
            rich_help_panel=PAPERS_PANEL,
        ),
    ] = field(default_factory=list)
    samples: Annotated[
        bool,
        Option(
            "--samples",
            help="Read the sample papers that come with Moot, instead of the library.",
            rich_help_panel=PAPERS_PANEL,
        ),
    ] = False
    n_papers: Annotated[
        int | None, Option("--n-papers", metavar="N", help="Papers at most, 1-50.", rich_help_panel=PAPERS_PANEL)
    ] = None
    threshold: Annotated[
        float | None, Option(metavar="X", help=RELEVANCE_HELP, show_default=False, rich_help_panel=PAPERS_PANEL)
    ] = None
    embeddings: Annotated[
        OptionalText,
        Option(metavar="SPEC", help="Embedding model that ranks papers; lexical: none.", rich_help_panel=PAPERS_PANEL),
    ] = None

    def collect_values(self) -> dict[str, Any]:
        """Collect the choice of papers, by the names of the settings."""
        values = {"n_papers": self.n_papers, "min_similarity_threshold": self.threshold, "embeddings": self.embeddings}
        with as_file(files(__package__.partition(".")[0]) / "examples" / "papers") as sample_folder:
            sources = [str(path.absolute()) for path in [*self.papers, *([sample_folder] if self.samples else [])]]
        return {key: value for key, value in values.items() if value is not None} | (
            {"sources": sources} if sources else {}
        )


@dataclass(frozen=True)
class PanelOptions:
    """Participants, length and output language of the panel."""

    experts: Annotated[
        list[str],
        Option(
            metavar="NAMES",
            help='Names, separated by commas, or one "Name: role and focus".',
            rich_help_panel=EXPERTS_PANEL,
        ),
    ] = field(default_factory=list)
    people: People = field(default_factory=list)
    cycles: Annotated[
        int | None,
        Option(
            metavar="N",
            help="How often each expert speaks [default: 1].",
            show_default=False,
            rich_help_panel=EXPERTS_PANEL,
        ),
    ] = None
    output_language: Annotated[
        OptionalText,
        Option(
            metavar="TAG",
            help="Language of everything shown.",
            show_default=False,
            rich_help_panel=EXPERTS_PANEL,
        ),
    ] = None


@flatten_options
def panel(
    query: QueryArgument = None,
    material: Material = None,
    *,
    reading: ReadingOptions,
    table: PanelOptions,
    options: PanelRunOptions,
    view: ViewOptions,
) -> None:
    """Experts discuss research papers and reach one conclusion.

    Everything is shown in the language of the question, Chinese if that cannot be told, unless --language is given.
    """
    input = build_topic_input(query, material)
    input = {"query": input.pop("topic"), **input, **reading.collect_values()}
    input |= {
        "participants": [*parse_experts(table.experts), *parse_seats(table.people)] or None,
        "cycles": table.cycles,
        "output_language": table.output_language,
    }
    request = build_request(
        get_protocol("panel"), {key: value for key, value in input.items() if value is not None}, options
    )
    execute_request(with_question_language(request), view)
