"""View of a run from a seat: only the visible statements and the open question."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ....prompts import get_term
from ....state import MODERATOR, OWNER, Participant, Settings, Statement
from ...people import (
    OpenQuestion,
    describe_other_participants,
    describe_sending,
    find_question,
    get_last_visible_turn,
    list_awaited_names,
    list_notices,
    list_open_questions,
    list_visible_statements,
)
from ...report import RoundEntry, build_document, build_opening, build_overview, build_page, list_rounds
from ...saved import SavedRun, Seat
from ...session.locking import is_session
from ..run_events import describe_next_step


def list_statements_of_others(saved_run: SavedRun, name: str) -> list[Statement]:
    """Return the statements of other participants that a seat may see.

    The list grows only at its end, unless the run loses statements.
    """
    return [statement for statement in list_visible_statements(saved_run, name) if statement.speaker != name]


def find_participant(saved_run: SavedRun, name: str) -> Participant | None:
    """Return the participant of a seat, or `None` if this person no longer takes part."""
    return next(
        (participant for participant in saved_run.state.get("participants", []) if participant.name == name), None
    )


def build_question_key(question: OpenQuestion) -> str:
    """Return a key for a question that is the same for all its attempts."""
    return f"{question['purpose']} {question['turn']} {question['round']}"


def is_last_statement(saved_run: SavedRun, name: str, text: str) -> bool:
    """Return whether a text equals the last statement of a participant."""
    statements: list[Statement] = [statement for statement in saved_run.state["history"] if statement.speaker == name]
    return bool(statements) and statements[-1].content == text.strip()


def get_concession_line(saved_run: SavedRun, name: str) -> str:
    """Return the line with which a person can concede, in the person's language.

    The line is empty if no statement is requested from the person, or if the settings offer no concession.
    """
    question, participant = find_question(saved_run, name), find_participant(saved_run, name)
    settings: Settings = saved_run.state["settings"]
    if not question or question["purpose"] != "statement" or not settings.offers_concession:
        return ""
    return get_term((participant and participant.language) or settings.language, "sides", "concede")


def is_hidden(saved_run: SavedRun, name: str) -> bool:
    """Return whether the session currently skips a participant, who can rejoin."""
    return not saved_run.has_ended and name in saved_run.state.get("hidden", [])


def list_missing_people(saved_run: SavedRun, seats: Sequence[Seat]) -> list[str]:
    """Return the names of the people in a run who have not taken their seat and have no statement."""
    state = saved_run.state
    present_names = {seat.record.who for seat in seats if seat.record.arrival}
    present_names |= {statement.speaker for statement in state["history"]}
    return [
        participant.name
        for participant in state["participants"]
        if participant.kind == "person" and participant.name not in present_names
    ]


def build_seat_context(saved_run: SavedRun, seat: Seat, seats: Sequence[Seat]) -> dict[str, Any]:
    """Return the template values of the page of a seat. `seats`: all seats of the run that have data."""
    report_page, name = build_page(build_document(saved_run)), seat.record.who
    participants = saved_run.state["participants"]
    missing_people = list_missing_people(saved_run, seats)
    questions = [question for question in list_open_questions(saved_run) if question["who"] != OWNER]
    is_open = saved_run.has_ended or is_session(saved_run)  # a session has invitations of its own
    counts_answers = bool(questions) and (questions[0]["purpose"] != "statement" or len(questions) > 1)
    question = find_question(saved_run, name)
    has_ended, synthesis = saved_run.has_ended, report_page.document["synthesis"]
    return {
        "page": report_page,
        "tell": report_page.say,
        "topic": build_opening(report_page).topic,
        "me": find_participant(saved_run, name),
        "said": _list_conversation_lines(saved_run, seat, list_rounds(report_page)),
        "heard": len(list_statements_of_others(saved_run, name)),
        "asked": question,
        "others": [question for question in questions if question["who"] != name],
        "awaited": [awaited_name for awaited_name in list_awaited_names(saved_run) if awaited_name != name],
        "company": describe_other_participants(
            saved_run.state, name, question["language"] if question else report_page.language
        ),
        "kinds": {participant.name: participant.kind for participant in participants},
        "missing": missing_people,
        "is_new": not is_open and not seat.record.arrival,
        "is_early": not is_open and seat.record.arrival == "here" and bool(set(missing_people) - {name}),
        "sent": seat.record if seat.record.sent and not (question and question["fault"]) else None,
        "sent_line": describe_sending(seat.record.sent, report_page.language),
        "answered": (len(participants) - len(questions), len(participants)) if counts_answers else None,
        "out": is_hidden(saved_run, name),
        "act": get_concession_line(saved_run, name),
        "passes": not is_session(saved_run),  # a session accepts only texts
        "doing": describe_next_step(saved_run),
        "text": "" if is_last_statement(saved_run, name, seat.record.text) else seat.record.text,
        "ended": build_opening(report_page) if has_ended else None,
        "glance": build_overview(report_page) if has_ended else [],
        "closing": report_page.renderer.render_synthesis(synthesis) if has_ended and synthesis else "",
    }


def _list_conversation_lines(saved_run: SavedRun, seat: Seat, all_rounds: Sequence[RoundEntry]) -> list[dict[str, Any]]:
    """Return the lines of the conversation that a seat may see: turns, and notices to all participants."""
    name, last_visible_turn = seat.record.who, get_last_visible_turn(saved_run, seat.record.who)
    visible_keys = {
        (statement.turn, statement.speaker == MODERATOR) for statement in list_visible_statements(saved_run, name)
    }
    unread_turns = {
        statement.turn for statement in list_statements_of_others(saved_run, name)[seat.record.read_count :]
    }
    lines: list[dict[str, Any]] = [
        {"entry": entry, "unread": entry.turn in unread_turns and entry.who != name, "is_own": entry.who == name}
        for talk_round in all_rounds
        for entry in talk_round.entries
        if (
            (entry.turn, entry.is_protocol_line) in visible_keys
            if entry.text
            else entry.who == name or entry.turn <= last_visible_turn
        )
    ]
    turns = [line["entry"].turn for line in lines]
    for number, notice in reversed(list(enumerate(list_notices(saved_run)))):
        line = {"entry": None, "notice": "\n".join(notice.list_lines()), "number": number, "unread": False}
        lines.insert(bisect_right(turns, notice.turn), line)
    return lines
