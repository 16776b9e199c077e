"""Check that citations name papers of the panel, and that quotations occur in their texts."""

from collections.abc import Sequence

from ...prompts import get_term
from ...state import Incident, QuotedLookup
from ...state.papers import (
    Citation,
    PanelStageState,
    PanelTurnState,
    Paper,
    QuotableSources,
    list_cited_ids,
    list_misquotations,
    list_outer_citations,
    list_quotations,
    list_unknown_citations,
)
from ..citation_check import CitationCheck, make_synthesis_incident


def make_paper_check(papers: list[Paper], language: str, spoken_texts: Sequence[str] = ()) -> CitationCheck:
    """Make the check that citations name these papers and quotations occur in their texts.

    Quotations may also occur in `spoken_texts`.
    """
    sources = QuotableSources(papers, spoken_texts)

    def list_foreign_citations(text: str) -> list[Citation]:
        """Return the citations in `text` of unknown papers.

        Ignore authors with a year inside a quoted sentence.
        """
        citations = list_unknown_citations(text, papers)
        author_year_citations = set(
            list_outer_citations([citation for citation in citations if not citation.id], list_quotations(text, papers))
        )
        return [citation for citation in citations if citation.id or citation in author_year_citations]

    def find_faults(text: str) -> str:
        labels = dict.fromkeys(citation.label for citation in list_foreign_citations(text) if citation.is_certain)
        quotes = dict.fromkeys(f"“{quotation.words}”" for quotation in list_misquotations(text, sources))
        known_labels = ", ".join(f"[@{paper.id}]" for paper in papers)
        messages = (
            [get_term(language, "again", "no_such_paper", cited=", ".join(labels), papers=known_labels)]
            if labels
            else []
        )
        messages += [get_term(language, "again", "no_such_passage", quotes="; ".join(quotes))] if quotes else []
        return " ".join(messages)

    def mark_text(text: str) -> tuple[str, list[Incident]]:
        citations, quotations = list_foreign_citations(text), list_misquotations(text, sources)
        citation_notes = dict.fromkeys(
            get_term(language, "panel", "cites_unknown", id=citation.id or citation.label)
            for citation in citations
            if citation.is_certain
        )
        doubtful_notes = dict.fromkeys(
            get_term(language, "panel", "not_in_library", cited=citation.label)
            for citation in citations
            if not citation.is_certain
        )
        quotation_notes = dict.fromkeys(
            get_term(language, "panel", "misquotes", words=quotation.words) for quotation in quotations
        )
        notes = [make_synthesis_incident(note_text, "citation", "marked") for note_text in citation_notes]
        notes += [make_synthesis_incident(note_text, "citation", "kept") for note_text in doubtful_notes]
        notes += [make_synthesis_incident(note_text, "quotation", "marked") for note_text in quotation_notes]
        if papers and not list_cited_ids(text, papers):
            notes.append(make_synthesis_incident(get_term(language, "noted", "no_paper_cited"), "no_citation", "kept"))
        marks = {(citation.end, "?" if citation.is_certain else " [?]") for citation in citations}
        return _insert_marks(text, marks | {(quotation.end, " [?]") for quotation in quotations}), notes

    return CitationCheck(find_faults, mark_text)


def _insert_marks(text: str, marks: set[tuple[int, str]]) -> str:
    fragments, start = list[str](), 0
    for offset, mark in sorted(marks):
        fragments += [text[start:offset], mark]
        start = offset
    return "".join([*fragments, text[start:]])


def build_speaker_check(state: PanelTurnState, lookups: Sequence[QuotedLookup]) -> CitationCheck:
    """Build the citation check for an expert's statement, which may also quote look-ups."""
    return _build_check(state, lookups)


def build_closing_check(state: PanelStageState) -> CitationCheck:
    """Build the citation check for the final text, which may also quote the question and the statements."""
    return _build_check(state, [lookup for statement in state["history"] for lookup in statement.lookups])


def _build_check(state: PanelStageState | PanelTurnState, lookups: Sequence[QuotedLookup]) -> CitationCheck:
    spoken_texts = [state["topic"], state["material"], *(statement.content for statement in state["history"])]
    spoken_texts += [lookup.text for lookup in lookups]
    return make_paper_check(state["papers"], state["settings"].language, spoken_texts)
