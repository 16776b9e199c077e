"""Answers from a person's seat: the form on its page, and sending what a person entered.

The form has the same fields as the form of `moot join` at the terminal.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from time import monotonic
from typing import Any

from ....models import RunStoppedError
from ....state import InputError, SendError, parse_settings
from ...display.terminal import Terminal
from ...people import (
    ABSTAIN_FIELD,
    EntryField,
    InvalidEntryError,
    NotAskedError,
    OpenQuestion,
    aanswer_question,
    list_fields,
    list_open_questions,
)
from ...run.execution import InterruptHandler
from ...saved import RunLockedError, SavedRun, Store, load_saved_run
from ...session import AsyncSession, GraphDriver
from .. import Room, make_translator
from .view import is_hidden

PostedForm = Mapping[str, Sequence[str]]
"""Values that a page sent, by field name."""


class InvalidFormError(ValueError):
    """Error for a submitted form. It contains the faults as texts, by field name."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = faults


def get_widget(field: EntryField) -> str:
    """Return the kind of input element for a field."""
    if field.name == ABSTAIN_FIELD:
        return "tick"
    if field.kind == "several":
        return "places" if field.name == "ranking" else "boxes"
    if field.ends:
        return "scale"
    return "list" if field.kind == "choice" and len(field.options) > 12 else str(field.kind)


def describe_answer(question: OpenQuestion, value: Any) -> list[str]:
    """Return an answer that was sent as lines of text, one for each field with an entry."""
    if not isinstance(value, dict) or not question["schema"]:
        return [value] if isinstance(value, str) else []
    lines = []
    for field in list_fields(question["schema"], question["language"], question["options"]):
        entry = value.get(field.name)
        entries = entry if isinstance(entry, list) else list(entry.values()) if isinstance(entry, dict) else [entry]
        texts = [
            f"{field.get_option_text(subfield['option'])}: {subfield['score']}"
            if isinstance(subfield, dict)
            else field.get_option_text(subfield)
            for subfield in entries
            if subfield not in (None, "", True, False)
        ]
        lines += [f"{field.label} {', '.join(texts)}"] if texts else []
        lines += [field.label] if entry is True else []
    return lines


def parse_form(schema: Mapping[str, Any], posted_form: PostedForm, language: str) -> dict[str, Any]:
    """Parse a submitted form into values by field name.

    `schema`: JSON schema of the question. Raises `InvalidFormError`.
    """
    faults, fields = dict[str, str](), list_fields(schema)
    values = {field.name: _parse_field(field, "", posted_form, language, faults) for field in fields}
    blank_names = {field.name for field in fields if field.may_be_none and ABSTAIN_FIELD in values}
    if not values.get(ABSTAIN_FIELD):
        missing_names = [name for name in blank_names - faults.keys() if values[name] is None]
        faults |= dict.fromkeys(missing_names, make_translator(language)("seat.choose"))
    else:  # an abstention leaves the optional fields blank
        filled_names = {name.partition(".")[0] for name, entries in posted_form.items() if any(entries)}
        values |= dict.fromkeys(blank_names)
        faults = {name: fault for name, fault in faults.items() if name not in blank_names}
        if blank_names & filled_names:
            faults[ABSTAIN_FIELD] = make_translator(language)("seat.both")
    if faults:
        raise InvalidFormError(faults)
    return values


def _parse_field(field: EntryField, prefix: str, posted_form: PostedForm, language: str, faults: dict[str, str]) -> Any:
    name = prefix + field.name
    if field.kind == "group":
        return {
            subfield.name: _parse_field(subfield, f"{name}.", posted_form, language, faults) for subfield in field.parts
        }
    try:
        if field.kind == "marks":
            entries = [
                _get_only_value(posted_form, f"{name}.{number}", language)
                for number in range(1, len(field.options) + 1)
            ]
            return [
                {"option": option, "score": field.parse_entry(entry, language)}
                for option, entry in zip(field.options, entries, strict=True)
            ]
        entry = _build_entry(field, name, posted_form, language)
        may_choose_none = get_widget(field) == "boxes" and not field.min_options
        has_none = may_choose_none and _get_only_value(posted_form, f"{name}.none", language) == "1"
        if has_none and not entry:
            return []
        if has_none or ("" in field.options and not entry):
            raise InvalidEntryError
        return field.parse_entry(entry, language)
    except InvalidEntryError as error:
        is_chosen = get_widget(field) in ("yes_no", "choice", "list", "boxes")
        faults[name] = make_translator(language)("seat.choose") if is_chosen else str(error)


def _build_entry(field: EntryField, name: str, posted_form: PostedForm, language: str) -> str:
    match get_widget(field):
        case "tick":
            return _get_only_value(posted_form, name, language) or "2"
        case "boxes":
            return ",".join(_convert_to_entry(field, number) for number in posted_form.get(name, []))
        case "places":
            numbers = [str(number) for number in range(1, len(field.options) + 1)]
            places = {number: _get_only_value(posted_form, f"{name}.{number}", language) for number in numbers}
            ranked_numbers = sorted(filter(places.get, numbers), key=lambda number: places[number].zfill(9))
            used_places = [places[number] for number in ranked_numbers]
            if used_places != numbers[: len(used_places)] or len(used_places) < field.min_options:
                raise InvalidEntryError(make_translator(language)("seat.places", count=field.min_options))
            return ",".join(_convert_to_entry(field, number) for number in ranked_numbers)
    return _convert_to_entry(field, _get_only_value(posted_form, name, language))


def _convert_to_entry(field: EntryField, position: str) -> str:
    """Return what a person would enter for the option at a position on the page, from 1."""
    options = {str(number): str(option) for number, option in enumerate(field.numbered_options, 1)}
    return position if field.has_positions else options.get(position, position)


def _get_only_value(posted_form: PostedForm, name: str, language: str) -> str:
    """Return the submitted value of a field, or an empty text.

    Raises `InvalidEntryError` for two different values.
    """
    if len({*posted_form.get(name, [])}) > 1:
        raise InvalidEntryError(make_translator(language)("seat.choose"))
    return get_first_value(posted_form, name)


def get_first_value(posted_form: PostedForm, name: str) -> str:
    """Return the first submitted value of a field, or an empty text."""
    return next(iter(posted_form.get(name, [])), "").replace("\r\n", "\n")


MAX_RECORD_WAIT = 60.0
"""Maximum seconds until an action is recorded."""

REFUSALS = (NotAskedError, InputError, RunLockedError, SendError)
"""Exceptions that reject an answer and leave the run unchanged. The seat's page shows them."""


async def submit_answer(room: Room, run: str, id: str, name: str, value: Any) -> bool:
    """Send the answer of `name` to a question of a run. Return whether the answer was saved.

    `id`: id of the question. The run continues in the background. Raises one of `REFUSALS`, or `RunStoppedError`.
    """

    async def send_answer(driver: GraphDriver) -> None:
        await aanswer_question(run, id, name, value, driver=driver, patience=10.0)

    return await _perform_action(
        room,
        run,
        send_answer,
        lambda saved_run, is_sent: is_sent and all(question["id"] != id for question in list_open_questions(saved_run)),
    )


async def rejoin_session(room: Room, run: str, name: str) -> None:
    """Let a hidden participant of a session take turns again.

    Raises the same exceptions as `submit_answer`.
    """

    async def restore_seat(driver: GraphDriver) -> None:
        await AsyncSession(
            run, "", parse_settings((await room.store.runs.get_run(run)).settings), driver=driver
        ).restore_participant(name)

    await _perform_action(room, run, restore_seat, lambda saved_run, _: not is_hidden(saved_run, name))


async def _perform_action(
    room: Room, run: str, act: Callable[[GraphDriver], Awaitable[None]], is_done: Callable[[SavedRun, bool], bool]
) -> bool:
    """Perform an action on a run. Return whether it was saved within `MAX_RECORD_WAIT` seconds.

    `is_done` receives the saved run, and whether an answer was sent to it.
    """
    refusals, send_event = list[Exception](), asyncio.Event()

    async def run_action(terminal: Terminal, interrupts: InterruptHandler) -> None:
        async def drive(store: Store, run: str, graph_input: Any) -> None:
            if graph_input is not None:
                send_event.set()
            await room.driver.continue_run(run, graph_input, terminal, interrupts)

        try:
            await act(drive)
            await room.driver.hand_over_run(run)
        except REFUSALS as refusal:
            refusals.append(refusal)

    async with room.store.changes() as wait_for_change:
        task = await room.driver.drive_run(run, run_action)
        deadline = monotonic() + MAX_RECORD_WAIT
        while not refusals and monotonic() < deadline:
            change = asyncio.ensure_future(wait_for_change(MAX_RECORD_WAIT))
            await asyncio.wait({task, change}, timeout=MAX_RECORD_WAIT, return_when=asyncio.FIRST_COMPLETED)
            change.cancel()
            has_ended, may_be_done = task.done(), send_event.is_set() or task.done()
            if may_be_done and not refusals and is_done(await load_saved_run(room.store, run), send_event.is_set()):
                return True
            if has_ended:
                break
    if refusals:  # it may have come while the run was loaded
        raise refusals[0]
    if task.done() and not task.cancelled() and isinstance(error := task.exception(), RunStoppedError):
        raise error
    return False
