"""Checks that each citation in a synthesis or statement names an existing source.

A check describes the faults to the writer, who corrects them once. The check marks the faults that remain.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..models import NoAnswerError
from ..prompts import get_term
from ..state import (
    Incident,
    QuotedLookup,
    Settings,
    Statement,
    list_cited_lookup_ids,
    list_cited_turns,
    mark_invented_turns,
    rewrite_lookup_ids,
)
from ..storage import get_timestamp
from .ask import Answer, CallOptions, Check, Prompt, ask
from .outcome import SynthesisResult, list_kept_text_incidents


@dataclass(frozen=True)
class CitationCheck:
    """Two functions that check the citations in a text.

    `find_faults` describes the faults to the writer, or returns an empty text. `mark_text` returns the incidents, and
    the text with unproven citations marked.
    """

    find_faults: Callable[[str], str]
    mark_text: Callable[[str], tuple[str, list[Incident]]]


def make_synthesis_check(citations: CitationCheck, language: str, rejected_texts: list[str] | None = None) -> Check:
    """Make the check that a synthesis is not empty and that its citations are proven.

    A citation fault leads to one more attempt. The rejected text is added to `rejected_texts`, for use if that attempt
    fails.
    """
    rejected_texts = [] if rejected_texts is None else rejected_texts

    def find_answer_fault(answer: Answer) -> str | None:
        if len(answer.text.strip()) < 3:
            return get_term(language, "again", "empty")
        fault = citations.find_faults(answer.text)
        if not fault or rejected_texts:
            return None
        rejected_texts.append(answer.text)
        return fault

    return find_answer_fault


async def write_synthesis(prompt: Prompt, call: CallOptions, citations: CitationCheck) -> SynthesisResult:
    """Ask for the synthesis. If citations are unproven, ask once more, then mark the remaining faults.

    Raises `NoAnswerError` if no attempt gives a text.
    """
    rejected_texts = list[str]()
    try:
        answer = await ask(prompt, call, make_synthesis_check(citations, prompt.language, rejected_texts))
        text, calls, incidents = answer.text, answer.calls, answer.incidents
    except NoAnswerError as failure:
        if not rejected_texts:
            raise
        text, calls, incidents = rejected_texts[0], failure.calls, list_kept_text_incidents(failure)
    text, notes = citations.mark_text(text.strip())
    return text, calls, [*incidents, *notes]


def make_turn_check(turns: list[int], language: str) -> CitationCheck:
    """Make the check that citations such as [3] name turns that exist."""

    def find_faults(text: str) -> str:
        unknown_turns = [turn for turn in list_cited_turns(text) if turn not in turns]
        if not unknown_turns:
            return ""
        labels = ", ".join(f"[{turn}]" for turn in unknown_turns)
        return get_term(language, "again", "no_such_turn", cited=labels, turns=format_turn_ranges(turns))

    def mark_text(text: str) -> tuple[str, list[Incident]]:
        citations = list_cited_turns(text)
        if unknown_turns := [turn for turn in citations if turn not in turns]:
            labels = ", ".join(f"[{turn}]" for turn in unknown_turns)
            note = make_synthesis_incident(
                get_term(language, "noted", "unknown_turns", cited=labels), "citation", "marked"
            )
            return mark_invented_turns(text, unknown_turns), [note]
        note = make_synthesis_incident(get_term(language, "noted", "no_turn_cited"), "no_citation", "kept")
        return text, [] if citations else [note]

    return CitationCheck(find_faults, mark_text)


def make_lookup_check(lookups: Sequence[QuotedLookup], language: str) -> CitationCheck:
    """Make the check that citations such as [L3.2] name one of `lookups` and quote it exactly."""
    known_ids = [lookup.id for lookup in lookups]

    def list_unknown_ids(text: str) -> list[str]:
        return [id for id in list_cited_lookup_ids(text) if id not in known_ids]

    def list_false_quotations(text: str) -> list[tuple[int, str]]:
        """Return the end position and the words of each quotation that its cited look-up does not contain."""
        cited_ids = {*list_cited_lookup_ids(text)} & {*known_ids}
        if not cited_ids:
            return []
        from ..state.papers import Paper, QuotableSources, list_misquotations

        results = [
            Paper(id=lookup.id, title=lookup.tool, text=lookup.text) for lookup in lookups if lookup.id in cited_ids
        ]
        quotations = list_misquotations(text, QuotableSources(results))
        return [(quotation.end, quotation.words) for quotation in quotations if cited_ids & {*quotation.ids}]

    def find_faults(text: str) -> str:
        messages = list[str]()
        if unknown_ids := list_unknown_ids(text):
            cited_text, known_text = (", ".join(f"[{id}]" for id in ids) for ids in (unknown_ids, known_ids))
            messages.append(get_term(language, "again", "no_such_lookup", cited=cited_text, lookups=known_text or "–"))
        if quotations := list_false_quotations(rewrite_lookup_ids(text, "@{}".format)):
            quotes = "; ".join(dict.fromkeys(f"“{words}”" for _, words in quotations))
            messages.append(get_term(language, "again", "no_such_result", quotes=quotes))
        return " ".join(messages)

    def mark_text(text: str) -> tuple[str, list[Incident]]:
        unknown_ids, text = list_unknown_ids(text), rewrite_lookup_ids(text, "@{}".format)
        quotations = list_false_quotations(text)
        for end, _ in reversed(quotations):
            text = f"{text[:end]} [?]{text[end:]}"
        cited_text = ", ".join(f"[{id}]" for id in unknown_ids)
        descriptions = (
            {"citation": get_term(language, "noted", "unknown_lookups", cited=cited_text)} if unknown_ids else {}
        )
        if quotations:
            descriptions["quotation"] = get_term(
                language, "noted", "misquoted_lookups", words="; ".join(words for _, words in quotations)
            )
        notes = [make_synthesis_incident(description, kind, "marked") for kind, description in descriptions.items()]
        return rewrite_lookup_ids(text, lambda id: f"{id}?" if id in unknown_ids else id), notes

    return CitationCheck(find_faults, mark_text)


def combine_citation_checks(*checks: CitationCheck) -> CitationCheck:
    """Combine checks into one, which reports and marks the faults that any of them finds."""

    def find_faults(text: str) -> str:
        return " ".join(filter(None, (check.find_faults(text) for check in checks)))

    def mark_text(text: str) -> tuple[str, list[Incident]]:
        all_notes = list[Incident]()
        for check in checks:
            text, notes = check.mark_text(text)
            all_notes += notes
        return text, all_notes

    return CitationCheck(find_faults, mark_text)


def make_history_check(history: Sequence[Statement], settings: Settings) -> CitationCheck:
    """Make the check that a synthesis cites existing turns, and look-ups that everyone was shown."""
    check = make_turn_check([statement.turn for statement in history], settings.language)
    if not settings.tool_definitions:
        return check
    lookups = [lookup for statement in history for lookup in statement.lookups]
    return combine_citation_checks(check, make_lookup_check(lookups, settings.language))


def make_synthesis_incident(description: str, kind: str, consequence: str) -> Incident:
    """Make the incident that records a fault in a synthesis."""
    return Incident(
        where="synthesis",
        who="synthesizer",
        what=description,
        kind=kind,
        consequence=consequence,
        at=get_timestamp(),
        category="validation",
        severity="recoverable" if consequence == "kept" else "degraded",
    )


def format_turn_ranges(turns: list[int]) -> str:
    """Format turn numbers as ranges, such as "1–12" or "1–4, 6–9"."""
    ranges: list[list[int]] = []
    for turn in sorted(turns):
        if ranges and turn == ranges[-1][1] + 1:
            ranges[-1][1] = turn
        else:
            ranges.append([turn, turn])
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in ranges)
