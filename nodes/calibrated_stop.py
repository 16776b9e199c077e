"""Reading a calibrated stop from its file when a run begins, and whether it was made for such a run."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from ..state.positions import seats_asked
from ..state.positions.calibrated import OF_THE_RUN, CalibratedStop
from ..state.positions.rules import PositionRules
from ..state.refused import Refused
from ..state.rules import Rules
from ..state.statement import Participant
from .models.spec import spec_for


async def calibrated_stop(rules: Rules, participants: Sequence[Participant]) -> tuple[CalibratedStop | None, list[str]]:
    """The stop that a run is to end by, and what it was not made for, to be put on record; none: it ends by no such.

    Raises `Refused` for a file that is none, and for a stop of another protocol, other models or another number of
    seats, unless the rules insist on it.
    """
    if not isinstance(rules, PositionRules) or not rules.stop_file:
        return None, []
    found = await asyncio.to_thread(_read, rules.stop_file)
    models = sorted(models_of(rules, participants))
    made_for = {"protocol": (found.protocol, rules.protocol), "models": (found.models, models)}
    misfits = [
        f"the stop was calibrated for {key} {then}; here {now}" for key, (then, now) in made_for.items() if then != now
    ]
    if misfits and not rules.stop_insist:
        remedy = f"{misfits[0]}; calibrate one for this, or insist with stop_insist: true, which goes on record"
        raise Refused("stop_file", rules.stop_file, remedy)
    own = json.loads(rules.model_dump_json(exclude=OF_THE_RUN))
    others = sorted(key for key in {*own, *found.settings} if own.get(key) != found.settings.get(key))
    told = [f"the stop was calibrated with other settings: {', '.join(others)}"] if others else []
    return found, [*misfits, *told]


def models_of(rules: PositionRules, participants: Sequence[Participant]) -> list[str]:
    """Who holds each seat that is asked for its position: a model's spec, or the kind of whoever is none."""
    asked = set(seats_asked(rules, participants))
    held = [one for one in participants if one.name in asked]
    return [spec_for(rules, one.name, one.model) if one.kind == "model" else one.kind for one in held]


def _read(path: str) -> CalibratedStop:
    try:
        return CalibratedStop.model_validate_json(Path(path).read_bytes())
    except OSError as fault:
        raise Refused("stop_file", path, f"{fault.strerror}; name the file that `moot calibrate` wrote") from None
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Refused("stop_file", path, f"{where or 'file'}: {first['msg']}; calibrate again") from None
