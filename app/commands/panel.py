"""`moot panel`: experts discuss research papers and reach one conclusion."""

from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ..begin import about, begin_asked
from ..options import LEAST, Material, PanelKnobs, People, Text, View, seats_of, spread
from ..panel.experts import experts
from ..panel.question_language import in_its_language
from ..protocols import protocol
from ..request import request

Query = Annotated[
    Text, Argument(metavar="QUERY", help="The question; may stand in the config file instead.", show_default=False)
]

PAPERS, PANEL = "What is read", "Who discusses"


@dataclass(frozen=True)
class Reading:
    """Which papers are read: those of the files named, or else those of the library."""

    papers: Annotated[
        list[Path],
        Option(
            metavar="PATH",
            help="Files and folders to read for this run instead of the library.",
            rich_help_panel=PAPERS,
        ),
    ] = field(default_factory=list)
    samples: Annotated[
        bool,
        Option(
            "--samples",
            help="Read the sample papers that come with Moot, instead of the library.",
            rich_help_panel=PAPERS,
        ),
    ] = False
    n_papers: Annotated[
        int | None, Option("--n-papers", metavar="N", help="Papers at most, 1-50.", rich_help_panel=PAPERS)
    ] = None
    threshold: Annotated[float | None, Option(metavar="X", help=LEAST, show_default=False, rich_help_panel=PAPERS)] = (
        None
    )
    embeddings: Annotated[
        Text, Option(metavar="SPEC", help="Embedding model that ranks papers; lexical: none.", rich_help_panel=PAPERS)
    ] = None

    def knobs(self) -> dict[str, Any]:
        """How papers are chosen, by the names of the knobs."""
        chosen = {"n_papers": self.n_papers, "min_similarity_threshold": self.threshold, "embeddings": self.embeddings}
        with as_file(files(__package__.partition(".")[0]) / "samples" / "papers") as samples:
            read = [str(path.absolute()) for path in [*self.papers, *([samples] if self.samples else [])]]
        return {key: value for key, value in chosen.items() if value is not None} | ({"sources": read} if read else {})


@dataclass(frozen=True)
class Panel:
    """Who discusses, how long, and in which language everything is shown."""

    experts: Annotated[
        list[str],
        Option(
            metavar="NAMES", help='Names, separated by commas, or one "Name: role and focus".', rich_help_panel=PANEL
        ),
    ] = field(default_factory=list)
    people: People = field(default_factory=list)
    cycles: Annotated[
        int | None,
        Option(
            metavar="N", help="How often each expert speaks [default: 1].", show_default=False, rich_help_panel=PANEL
        ),
    ] = None
    output_language: Annotated[
        Text,
        Option(
            metavar="TAG",
            help="Language of everything shown.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None


@spread
def panel(
    query: Query = None, material: Material = None, *, reading: Reading, table: Panel, knobs: PanelKnobs, view: View
) -> None:
    """Experts discuss research papers and reach one conclusion.

    Everything is shown in the language of the question, Chinese if that cannot be told, unless --language is given.
    """
    input = about(query, material)
    input = {"query": input.pop("topic"), **input, **reading.knobs()}
    input |= {
        "participants": [*experts(table.experts), *seats_of(table.people)] or None,
        "cycles": table.cycles,
        "output_language": table.output_language,
    }
    asked = request(protocol("panel"), {key: value for key, value in input.items() if value is not None}, knobs)
    begin_asked(in_its_language(asked), view)
