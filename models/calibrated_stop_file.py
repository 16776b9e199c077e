"""Calibrated stop of a run, read from a file or a plan and checked when the run starts."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path

from pydantic import ValidationError

from ..state import (
    ActiveStop,
    CalibratedStop,
    InputError,
    Participant,
    PositionSettings,
    Settings,
    bind_variable,
    describe_fault,
    extract_stop_settings,
    list_asked_seats,
    list_differences,
)
from .model_spec import choose_spec

_loaded_stops: ContextVar[Mapping[str, CalibratedStop] | None] = ContextVar("moot_stops", default=None)


def use_stops(stops: Mapping[str, CalibratedStop]) -> AbstractContextManager[None]:
    """Use `stops`, by path, within the `with` block, instead of reading the files that runs name."""
    return bind_variable(_loaded_stops, stops)


async def find_calibrated_stop(settings: Settings, participants: Sequence[Participant]) -> ActiveStop | None:
    """Return the calibrated stop that the settings name, with the run's differences from the calibration.

    Return `None` if they name none. Raises `InputError` for a file that is invalid or was changed. Unless the settings
    allow differences, also raises `InputError` for a stop calibrated with another protocol, other models or another
    number of seats.
    """
    if not isinstance(settings, PositionSettings) or not settings.calibration_file:
        return None
    stops, path = _loaded_stops.get() or {}, settings.calibration_file
    stop = stops[path] if path in stops else await asyncio.to_thread(read_stop, path)
    models = sorted(list_seat_models(settings, participants))
    comparisons = {"protocol": (stop.protocol, settings.protocol), "models": (stop.models, models)}
    misfits = [
        f"the stop was calibrated for {key} {expected}, but this run has {actual}"
        for key, (expected, actual) in comparisons.items()
        if expected != actual
    ]
    if misfits and not settings.allow_other_calibration:
        raise InputError(
            "calibration_file",
            settings.calibration_file,
            f"{misfits[0]}; calibrate again, or set allow_other_calibration=true (the run records the difference)",
        )
    differences = list_differences(extract_stop_settings(settings), stop.settings)
    warnings = [f"the stop was calibrated with other settings: {', '.join(differences)}"] if differences else []
    return ActiveStop(**stop.model_dump(), differences=[*misfits, *warnings])


def list_seat_models(settings: PositionSettings, participants: Sequence[Participant]) -> list[str]:
    """List the models of the seats that are asked for a position.

    A person or a program is listed by its kind.
    """
    seat_names = set(list_asked_seats(settings, participants))
    seated_participants = [participant for participant in participants if participant.name in seat_names]
    return [
        choose_spec(settings, participant.name, participant.model) if participant.kind == "model" else participant.kind
        for participant in seated_participants
    ]


def read_stop(path: str) -> CalibratedStop:
    """Read the calibrated stop in the file at `path`.

    Raises `InputError` for a file that is invalid or was changed since it was written.
    """
    try:
        return parse_calibrated_stop(Path(path).read_bytes(), path)
    except OSError as error:
        raise InputError(
            "calibration_file", path, f"{error.strerror}; name the file that `moot calibrate` wrote"
        ) from None


def parse_calibrated_stop(text: str | bytes, path: str) -> CalibratedStop:
    """Parse the JSON text of the calibrated stop in the file at `path`.

    Raises `InputError` as `read_stop` does.
    """
    try:
        stop = CalibratedStop.model_validate_json(text)
    except ValidationError as error:
        detail = error.errors()[0]
        location = ".".join(str(part) for part in detail["loc"])
        raise InputError(
            "calibration_file", path, f"{location or 'file'}: {describe_fault(detail['msg'])}; calibrate again"
        ) from None
    if stop.hash != stop.computed_hash:
        raise InputError(
            "calibration_file",
            path,
            "hash: the file was changed after `moot calibrate` wrote it; undo the change, or calibrate again",
        )
    return stop
