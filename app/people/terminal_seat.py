"""Seat of a person at the terminal, who joins a run, reads new statements, and answers questions."""

import asyncio
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...nodes.ask.ask_external import PASS_KEY
from ...prompts import join_words
from ...state import InputError
from ...storage import get_time
from ..display import (
    ERROR_STYLE,
    QUIET_STYLE,
    TITLE_STYLE,
    Terminal,
    format_statement,
    show_ending,
    show_run_resume,
    strip_controls,
    translate_display_phrase,
)
from ..run import RunInterruptedError, ViewOptions, WaitingForPeopleError, print_if_stopped, run_and_show
from ..saved import RunLockedError, SavedRun, check_run_name, is_incomplete, load_saved_run, open_database
from ..session import GraphDriver, choose_seat, read_input, show_unsent_text
from .answers import NotAskedError, aanswer_question, aresume_waiting_run
from .disclosure import describe_other_participants, describe_sending
from .open_questions import (
    OpenQuestion,
    find_question,
    format_deadline,
    format_question_heading,
    has_overdue_question,
    list_awaited_names,
    list_notices,
    list_open_questions,
    make_waiting_error,
)
from .terminal_form import TerminalForm
from .visible_statements import list_visible_statements

RECHECK_INTERVAL = 1.0
"""Seconds between two checks of deadlines, and of a run that needs nobody and stands still."""
SHORT_PATIENCE = 2.0
"""Seconds to wait for another process before a message about it appears."""


class QuestionSkippedError(Exception):
    """Exception that says that the person skips the question."""


class InputEndedError(Exception):
    """Exception that says that the terminal's input has ended."""


def join_run(run: str, person: str, view: ViewOptions, waits_for_others: bool) -> None:
    """Take a person's seat in a saved run other than a session.

    `waits_for_others`: whether to stay while the run waits for other people. Raises `InputError` if the run stopped
    before its first step was saved.
    """
    terminal = Terminal(view)
    with terminal.add_resume_hint(), print_if_stopped(terminal):
        saved_run = asyncio.run(_load_run(check_run_name(run), terminal))
        has_ended = saved_run.has_ended and not is_incomplete(saved_run)
        if not saved_run.has_begun:
            raise InputError("run", run, "the run stopped before its first step was saved; start a new run")
        name = choose_seat(person, saved_run.state["participants"])
        if not has_ended:
            show_run_resume(terminal, saved_run)
            saved_run = TerminalSeat(run, name, terminal, waits_for_others).answer_until_end()
    show_ending(terminal, saved_run, ended_before=has_ended)


async def _load_run(run: str, terminal: Terminal) -> SavedRun:
    async with open_database(terminal.view.db, create=False) as store:
        saved_run = await load_saved_run(store, run)
        terminal.run, terminal.database = run, terminal.view.db and store.address
        return saved_run


@dataclass
class TerminalSeat:
    """Seat of a person at this terminal in a saved run.

    `unsent_text`: text that may not be saved. `unsent_question_id`: question that this text answers. `shown_turns`,
    `shown_lines`: turns and notices already shown.
    """

    run: str
    person: str
    terminal: Terminal
    waits_for_others: bool
    unsent_text: str = ""
    unsent_question_id: str = ""
    shown_turns: set[int] | None = None
    shown_lines: set[str] = field(default_factory=set)

    def answer_until_end(self) -> SavedRun:
        """Answer questions until the run ends. Raises `WaitingForPeopleError` if others must answer first."""
        try:
            self._resume_run(patience=SHORT_PATIENCE)
            asyncio.run(self._take_seat())
            while not (saved_run := asyncio.run(_load_run(self.run, self.terminal))).has_ended:
                self._show_new_entries(saved_run)
                if question := find_question(saved_run, self.person):
                    self._answer_question(question)
                elif self.waits_for_others:
                    self._wait_for_others(saved_run)
                else:
                    raise make_waiting_error(list_open_questions(saved_run))
            self._show_new_entries(saved_run)
            self.terminal.run = ""
            return saved_run
        except KeyboardInterrupt:
            self.terminal.screen.show_line()
            raise RunInterruptedError("stopped") from None
        finally:
            if self.unsent_text:
                show_unsent_text(self.terminal, self.unsent_text, self._is_answered)

    def _is_answered(self) -> bool:
        """Return whether the question that the person began to answer is no longer open."""
        saved_run = asyncio.run(_load_run(self.run, self.terminal))
        return bool(self.unsent_question_id) and self.unsent_question_id not in [
            entry["id"] for entry in list_open_questions(saved_run)
        ]

    async def _take_seat(self) -> None:
        """Record that the person is here, and show who else takes part."""
        async with open_database(self.terminal.view.db, create=False) as store:
            await store.seats.mark_arrival(self.run, self.person)
            saved_run = await load_saved_run(store, self.run)
        for line in describe_other_participants(saved_run.state, self.person, self.terminal.language):
            self.terminal.screen.show_line(line, QUIET_STYLE)

    def _show_new_entries(self, saved_run: SavedRun) -> None:
        """Show the statements and notices since this person's last statement that the person may see."""
        statements, notices = list_visible_statements(saved_run, self.person), list_notices(saved_run)
        if self.shown_turns is None:
            last_own_turn = max(
                (statement.turn for statement in statements if statement.speaker == self.person), default=0
            )
            self.shown_turns = {statement.turn for statement in statements if statement.turn <= last_own_turn}
            self.shown_lines |= {notice.text for notice in notices if notice.turn < last_own_turn}
        new_notices = [notice for notice in notices if notice.text not in self.shown_lines]
        entries = [
            (statement.turn, format_statement(statement.turn, statement.speaker, statement.content))
            for statement in statements
            if statement.turn not in self.shown_turns and statement.speaker != self.person
        ]
        entries += [
            (notice.turn, self._translate_phrase("seat.told", text=strip_controls("\n".join(notice.list_lines()))))
            for notice in new_notices
        ]
        self.shown_turns |= {statement.turn for statement in statements}
        self.shown_lines |= {notice.text for notice in new_notices}
        for _, lines in sorted(entries, key=lambda entry: entry[0]) if self.terminal.shows_run else []:
            self.terminal.screen.show_line(lines)

    def _answer_question(self, question: OpenQuestion) -> None:
        """Ask the person a question and send the answer. Keep a text that comes too late."""
        self._show_question(question)
        try:
            if schema := question["schema"]:
                ask, show_line = partial(self._read_entry, question=question), self.terminal.screen.show_line
                value: Any = TerminalForm(
                    schema, question["language"], ask, show_line, question["options"]
                ).ask_fields()
            else:
                if self.unsent_text:
                    self.terminal.screen.show_line(
                        self._translate_phrase("table.unsent", text=strip_controls(self.unsent_text)), ERROR_STYLE
                    )
                text = self._read_entry(f"{self.person}> ", question)
                value = (text if text.strip() or not self.unsent_text else self.unsent_text).strip()
        except QuestionSkippedError:
            value = {PASS_KEY: True}
        except InputEndedError:
            raise WaitingForPeopleError([self.person]) from None
        if isinstance(value, str):
            self.unsent_text, self.unsent_question_id = value, question["id"]
        submit = partial(
            aanswer_question,
            self.run,
            question["id"],
            self.person,
            value,
            db=self.terminal.view.db,
            driver=self._make_silent_driver(),
        )
        try:
            try:
                questions = asyncio.run(submit(patience=SHORT_PATIENCE))
            except RunLockedError as error:  # as soon as no other process runs the run
                self.terminal.show_note(str(error), QUIET_STYLE)
                questions = asyncio.run(submit())
        except NotAskedError as error:
            self.terminal.screen.show_line(str(error), ERROR_STYLE)
            self.unsent_question_id = ""
            return
        self.unsent_text = "" if isinstance(value, str) else self.unsent_text
        if not any(entry["who"] == self.person and entry["fault"] for entry in questions):
            purpose = "pass" if value == {PASS_KEY: True} else question["purpose"]
            self.terminal.screen.show_line(describe_sending(purpose, question["language"]), QUIET_STYLE)

    def _show_question(self, question: OpenQuestion) -> None:
        language, show_line = question["language"], self.terminal.screen.show_line
        display_phrase = partial(translate_display_phrase, language)
        show_line(format_question_heading(question), TITLE_STYLE)
        for key in ("private", "memory"):
            if question[key] and question[key] not in self.shown_lines:
                show_line(display_phrase(f"seat.{key}", text=strip_controls(question[key])))
                self.shown_lines.add(question[key])
        show_line(question["words"])
        if deadline := format_deadline(question):
            show_line(deadline, QUIET_STYLE)
        if sys.stdin.isatty():
            show_line(display_phrase("seat.how"), QUIET_STYLE)
        if question["fault"]:
            fault, attempt, attempts = strip_controls(question["fault"]), question["attempt"], question["attempts"]
            show_line(display_phrase("seat.wrong", fault=fault, attempt=attempt, attempts=attempts), ERROR_STYLE)

    def _read_entry(self, prompt: str, question: OpenQuestion) -> str:
        """Return the next entry of the person, after executing any commands before it.

        Raises `QuestionSkippedError`, or `InputEndedError` at the end of the input.
        """
        while text := read_input(prompt, self.terminal):
            if text.strip() == "/pass":
                raise QuestionSkippedError
            if text.strip() != "/rules":
                return text
            self.terminal.screen.show_line(question["rules"])
        raise InputEndedError

    def _resume_run(self, patience: float) -> None:
        """Continue the run until it needs a person, unless another process already does so."""
        db, driver = self.terminal.view.db, self._make_silent_driver()
        try:
            asyncio.run(aresume_waiting_run(self.run, db=db, driver=driver, patience=patience))
        except RunLockedError:
            if not self.waits_for_others:
                raise

    def _wait_for_others(self, saved_run: SavedRun) -> None:
        """Wait for the other people. Continue the run if it needs no person or a deadline has passed."""
        names = list_awaited_names(saved_run)
        if name_list := join_words(self.terminal.language, names):
            line = self._translate_phrase("seat.follow", who=name_list)
            if line not in self.shown_lines and self.terminal.shows_run:
                self.terminal.screen.show_line(line, QUIET_STYLE)
                self.shown_lines.add(line)
        if not names or has_overdue_question(saved_run, get_time()):
            self._resume_run(patience=0)
        asyncio.run(self._wait_for_change(saved_run))

    async def _wait_for_change(self, saved_run: SavedRun) -> None:
        """Wait until the saved run changes, a deadline passes, or the run stands still without a question."""
        async with open_database(self.terminal.view.db, create=False) as store, store.changes() as wait_for_change:
            if (await load_saved_run(store, self.run)).checkpoint != saved_run.checkpoint:
                return
            while not await wait_for_change(RECHECK_INTERVAL):
                if not list_awaited_names(saved_run) or has_overdue_question(saved_run, get_time()):
                    return

    def _make_silent_driver(self) -> GraphDriver:
        """Return a function that runs the graph without output.

        This person may not see all new statements.
        """
        silent_terminal = Terminal(replace(self.terminal.view, quiet=True))

        async def drive(store: Any, run: str, graph_input: Any) -> None:
            await run_and_show(store, run, graph_input, silent_terminal)

        return drive

    def _translate_phrase(self, key: str, **values: object) -> str:
        return translate_display_phrase(self.terminal.language, key, **values)
