"""Reading a calibrated stop when a run begins, from its file or from a plan, and whether it was made for such a run."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from pydantic import ValidationError

from ..state.positions import seats_asked
from ..state.positions.calibrated import CalibratedStop, StopInForce, differing, settings_of
from ..state.positions.rules import PositionRules
from ..state.refused import Refused
from ..state.rules import Rules
from ..state.statement import Participant
from .models.spec import spec_for

_at_hand: ContextVar[Mapping[str, CalibratedStop] | None] = ContextVar("moot_stops", default=None)


@contextmanager
def with_stops(stops: Mapping[str, CalibratedStop]) -> Iterator[None]:
    """Within the block, runs that name one of these files take what is given here, and read none."""
    token = _at_hand.set(stops)
    try:
        yield
    finally:
        _at_hand.reset(token)


async def calibrated_stop(rules: Rules, participants: Sequence[Participant]) -> StopInForce | None:
    """The stop that a run is to end by, with what it was not made for; none: it ends by no such.

    Raises `Refused` for a file that is none or was changed, and for a stop of another protocol, other models or another
    number of seats, unless the rules insist on it.
    """
    if not isinstance(rules, PositionRules) or not rules.stop_file:
        return None
    known, name = _at_hand.get() or {}, rules.stop_file
    found = known[name] if name in known else await asyncio.to_thread(read_stop, name)
    models = sorted(models_of(rules, participants))
    made_for = {"protocol": (found.protocol, rules.protocol), "models": (found.models, models)}
    misfits = [
        f"the stop was calibrated for {key} {then}; here {now}" for key, (then, now) in made_for.items() if then != now
    ]
    if misfits and not rules.stop_insist:
        remedy = f"{misfits[0]}; calibrate one for this, or insist with stop_insist: true, which goes on record"
        raise Refused("stop_file", rules.stop_file, remedy)
    others = differing(settings_of(rules), found.settings)
    told = [f"the stop was calibrated with other settings: {', '.join(others)}"] if others else []
    return StopInForce(**found.model_dump(), misfits=[*misfits, *told])


def models_of(rules: PositionRules, participants: Sequence[Participant]) -> list[str]:
    """Who holds each seat that is asked for its position: a model's spec, or the kind of whoever is none."""
    asked = set(seats_asked(rules, participants))
    held = [one for one in participants if one.name in asked]
    return [spec_for(rules, one.name, one.model) if one.kind == "model" else one.kind for one in held]


def read_stop(path: str) -> CalibratedStop:
    """The stop in a file; raises `Refused` for a file that is none, or was changed since it was written."""
    try:
        return whole_stop(Path(path).read_bytes(), path)
    except OSError as fault:
        raise Refused("stop_file", path, f"{fault.strerror}; name the file that `moot calibrate` wrote") from None


def whole_stop(text: str | bytes, path: str) -> CalibratedStop:
    """The stop in the JSON of the file at `path`; raises `Refused` as `read_stop` does."""
    try:
        found = CalibratedStop.model_validate_json(text)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Refused("stop_file", path, f"{where or 'file'}: {first['msg']}; calibrate again") from None
    if found.hash != found.own_hash:
        remedy = "hash: something in it was changed since `moot calibrate` wrote it; put it back, or calibrate again"
        raise Refused("stop_file", path, remedy)
    return found
