"""Statement of a participant: its prompt, its check and its record."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import Field

from ..models import NoAnswerError
from ..prompts import LANGUAGES, Templates, get_language_name, get_term, join_words
from ..state import (
    ClosedModel,
    Participant,
    QuotedLookup,
    Settings,
    Statement,
    TurnState,
    Update,
    compute_view_start,
    find_statement_fault,
    get_holder_index,
    has_concession_line,
    is_cjk,
    is_copied_task,
    list_names,
    strip_frame,
)
from ..storage import get_timestamp
from .ask import Answer, CallOptions, Check, Prompt, ask, build_prompt, estimate_words, record_calls
from .citation_check import CitationCheck, combine_citation_checks, make_lookup_check
from .lookups.lookup_turn import share_lookups
from .outcome import list_kept_text_incidents

CitationCheckFactory = Callable[[Sequence[QuotedLookup]], CitationCheck]
"""Function that makes the citation check of a statement, from the look-ups that its speaker was shown."""
CONCESSION_LINES = [get_term(language, "sides", "concede") for language in LANGUAGES]
"""Lines by which a speaker gives up its side, one in each language. Each is valid in every run."""
STATEMENT_FIELDS = "name side persona opponent others turn round words language"


class StatementReply(ClosedModel):
    """Reply with a statement. Subclasses add fields."""

    statement: str = Field(max_length=100_000)


class StatementWithSuccessor(StatementReply):
    """Reply with a statement, whose speaker may name the next speaker."""

    next: str = Field(max_length=80, description="next")


async def ask_for_statement(
    prompt: Prompt,
    call: CallOptions,
    speaker: Participant,
    settings: Settings,
    make_check: CitationCheckFactory | None = None,
) -> Update:
    """Ask a participant for a statement, and return the updates to the record.

    If every attempt fails, record a missed turn. `make_check`: as in `ask_for_cited_statement`.
    """
    try:
        answer, statement = await ask_for_cited_statement(prompt, call, speaker, settings, make_check)
    except NoAnswerError as failure:
        return record_calls(speaker.name, failure)
    act = "" if statement.cut_off else parse_act(statement.content, settings, is_chosen=answer.concedes)
    statement = statement.model_copy(update={"act": act})
    return Update(history=[statement]) | record_calls(speaker.name, answer)


async def ask_for_cited_statement(
    prompt: Prompt,
    call: CallOptions,
    speaker: Participant,
    settings: Settings,
    make_check: CitationCheckFactory | None = None,
) -> tuple[Answer, Statement]:
    """Ask for a statement whose citations are checked. Return the answer and the statement.

    For `make_check`, see `ask_with_citations`, which also says what is raised.
    """
    check = make_statement_check(prompt, speaker, settings)
    answer, text = await ask_with_citations(
        prompt, call, check, lambda answer: extract_statement(answer, speaker.name), speaker.name, make_check
    )
    answer = keep_raw_reply(answer, speaker.name)
    statement = make_statement(answer, speaker.name, call.turn, call.round)
    return answer, statement.model_copy(update={"content": text})


async def ask_with_citations(
    prompt: Prompt,
    call: CallOptions,
    check: Check,
    get_text: Callable[[Answer], str],
    participant_name: str,
    make_check: CitationCheckFactory | None = None,
) -> tuple[Answer, str]:
    """Ask for an answer whose text may cite. Return it, and its text with unproven citations marked.

    `get_text` returns the text of an answer. `participant_name`: name of the author. `make_check`: function that makes
    a citation check in addition to that of look-ups; `None` for no such check. If citations are unproven, ask once more
    before marking them. Raises `NoAnswerError` if no attempt gives an answer.
    """
    rejected_answers: list[Answer] = []

    def make_citation_check(answer: Answer, language: str) -> CitationCheck:
        lookups = [
            lookup
            for lookup in [*call.past_lookups, *answer.lookups]
            if lookup.shared or lookup.who == participant_name
        ]
        checks = [make_check(lookups)] if make_check else []
        return combine_citation_checks(
            *checks, *([make_lookup_check(lookups, language)] if call.settings.tool_definitions else [])
        )

    def find_answer_fault(answer: Answer) -> str | None:
        fault = check(answer)
        if fault or rejected_answers:
            return fault
        if fault := make_citation_check(answer, prompt.language).find_faults(get_text(answer)):
            rejected_answers.append(answer)
        return fault or None

    try:
        answer = await ask(prompt, call, find_answer_fault)
    except NoAnswerError as failure:
        if not rejected_answers:
            raise
        answer = replace(
            share_lookups(rejected_answers[0], call.settings.lookups.shared),
            calls=failure.calls,
            incidents=list_kept_text_incidents(failure),
            prompt_limits=failure.prompt_limits,
        )
    text, notes = make_citation_check(answer, call.settings.language).mark_text(get_text(answer))
    location = {"where": call.purpose, "who": participant_name, "turn": call.turn, "round": call.round}
    mark_incidents = [note.model_copy(update=location) for note in notes if note.consequence == "marked"]
    return replace(answer, incidents=[*answer.incidents, *mark_incidents]), text


def parse_act(content: str, settings: Settings, *, is_chosen: bool = False) -> Literal["", "concede"]:
    """Return `concede` if the statement `content` ends in a formal concession, otherwise an empty text.

    `is_chosen`: whether its author chose to concede apart from the text.
    """
    is_concession = is_chosen or has_concession_line(content, CONCESSION_LINES)
    return "concede" if settings.offers_concession and is_concession else ""


def extract_statement(answer: Answer, speaker: str) -> str:
    """Return the statement in an answer in text or JSON, without frames copied from the prompt."""
    return strip_frame(_get_raw_text(answer), speaker)


def _get_raw_text(answer: Answer) -> str:
    return answer.value.statement if isinstance(answer.value, StatementReply) else answer.text


def keep_raw_reply(answer: Answer, speaker: str) -> Answer:
    """Return the answer with the raw reply in its last call, if the statement differs from the reply."""
    raw_text = _get_raw_text(answer)
    if not answer.calls or extract_statement(answer, speaker) == raw_text.strip():
        return answer
    return replace(answer, calls=[*answer.calls[:-1], answer.calls[-1].model_copy(update={"reply": raw_text})])


def get_floor_holder(state: TurnState) -> Participant:
    """Return the participant who holds the floor."""
    participants = state["participants"]
    return participants[get_holder_index(state["floor"], list_names(participants))]


def build_speaking_prompt(state: TurnState, templates: Templates, speaker: Participant) -> Prompt:
    """Build the prompt for a statement: the shared record, the speaker's memory, and the task.

    The system message describes the form of a statement in the run's language. For a speaker with another language, the
    task repeats the form in that language.
    """
    settings = state["settings"]
    other_names = [participant.name for participant in state["participants"] if participant.name != speaker.name]
    language = speaker.language or settings.language
    values = {
        "name": speaker.name,
        "side": get_term(language, "sides", speaker.side) if speaker.side else "",
        "persona": speaker.persona,
        "opponent": other_names[0] if len(other_names) == 1 else join_words(language, other_names),
        "others": join_words(language, other_names),
        "turn": state["turn"] + 1,
        "round": state["round"],
        "words": estimate_words(settings.max_tokens_per_turn, language),
        "language": language,
    }
    prompt = build_prompt(state, templates, "speak" if state["history"] else "open", values)
    if language != settings.language:
        length_note = get_term(
            language, "record", "own_form", words=values["words"], spoken=get_language_name(language)
        )
        prompt = replace(prompt, task=f"{prompt.task} {length_note}")
    return limit_history(state, prompt, speaker)


def limit_history(state: TurnState, prompt: Prompt, participant: Participant) -> Prompt:
    """Return the prompt with as much history as the view policy and the participant's model allow.

    The participant's memory is added only if part of the history is missing, because it repeats the history.
    """
    history, settings = state["history"], state["settings"]
    start = compute_view_start(settings, len(state["participants"]), len(history), state["summary"])
    summary = state["summary"].text if start and start == state["summary"].statement_count else ""
    prompt = replace(prompt, summary=summary, history=history[start:]).with_limit(
        state["view_limits"].get(participant.name)
    )
    if not start and prompt.view.is_complete:
        return prompt
    return replace(prompt, memory="\n".join(state["memory"].get(participant.name, [])))


def make_statement_check(prompt: Prompt, speaker: Participant, settings: Settings) -> Check:
    """Make the check whether a reply can count as a statement. Faults are in the speaker's language.

    A person's text only has to be non-blank.
    """

    def find_answer_fault(answer: Answer) -> str | None:
        min_length, min_length_cjk = settings.statement_min_length, settings.statement_min_length_cjk
        content = extract_statement(answer, speaker.name)
        if speaker.kind == "person":
            return None if content else get_term(prompt.language, "again", "empty", least=min_length)
        fault = (
            "header_only"
            if _get_raw_text(answer).strip() and not content
            else find_statement_fault(content, speaker.name, min_length, min_length_cjk)
        )
        if fault is None and is_copied_task(content, f"{prompt.head}\n{prompt.task}"):
            fault = "repeated_prompt"
        min_length = min_length_cjk if is_cjk(content) else min_length
        return get_term(prompt.language, "again", fault, least=min_length) if fault else None

    return find_answer_fault


def make_statement(answer: Answer, speaker: str, turn: int, round: int) -> Statement:
    """Make the record of a statement from an answer."""
    return Statement(
        turn=turn,
        round=round,
        speaker=speaker,
        content=extract_statement(answer, speaker),
        at=get_timestamp(),
        tokens=answer.tokens,
        cut_off=answer.cut_off,
        lookups=answer.shared_lookups,
        named_next=answer.value.next.strip() if isinstance(answer.value, StatementWithSuccessor) else "",
    )
