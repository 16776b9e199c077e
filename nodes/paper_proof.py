"""What a conclusion on papers has to show for what it says: papers that exist, and words that stand in them."""

import re

from ..prompts import term
from ..state.citation import cited_ids, misquoted, unknown_ids
from ..state.incident import Incident
from ..state.paper import Paper
from .proof import Proof, note


def by_papers(papers: list[Paper], language: str) -> Proof:
    """Citations such as [@id] name papers on the table, and quoted words stand in the paper cited for them."""

    def faults(text: str) -> str:
        unknown = [f"[@{id}]" for id in unknown_ids(text, papers)]
        invented = [f"“{one.words}”" for one in misquoted(text, papers)]
        known = ", ".join(f"[@{paper.id}]" for paper in papers)
        said = [term(language, "again", "no_such_paper", cited=", ".join(unknown), papers=known)] if unknown else []
        said += [term(language, "again", "no_such_passage", quotes="; ".join(invented))] if invented else []
        return " ".join(said)

    def marked(text: str) -> tuple[str, list[Incident]]:
        unknown, invented = unknown_ids(text, papers), misquoted(text, papers)
        cites = [term(language, "panel", "cites_unknown", id=id) for id in unknown]
        quotes = [term(language, "panel", "misquotes", words=one.words) for one in invented]
        notes = [note(what, "citation", "marked") for what in cites]
        notes += [note(what, "quotation", "marked") for what in quotes]
        if papers and not cited_ids(text):
            notes.append(note(term(language, "noted", "no_paper_cited"), "no_citation", "kept"))
        for id in unknown:
            text = re.sub(rf"(?<=@){re.escape(id)}(?=[\]］】\s;,，；、@])", lambda found: f"{found[0]}?", text)
        for words in {one.words for one in invented}:
            text = re.sub(rf"{re.escape(words)}[”\"»」』]", lambda found: f"{found[0]} [?]", text)
        return text, notes

    return Proof(faults, marked)
