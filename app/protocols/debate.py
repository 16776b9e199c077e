"""Hooks of the debate: its chart, and the exchange of sides in an experiment."""

from collections.abc import Sequence
from dataclasses import replace

from ...models import choose_spec
from ...nodes.debate.seats import SIDES, replace_side_personas, seat_two_sides
from ...prompts import load_profiles
from ...state import Participant, ProfileSettings
from ..display.group_results import translate_answer
from ..report import Block, Mark, MarkRow, Page, build_mark_chart
from ..run.request import RunRequest
from .hooks import TURN_SETTINGS, Hooks


def build_lane_chart(page: Page) -> Sequence[Block]:
    """Build the chart of a debate; empty before the first turn.

    It has a lane for each side. Each turn's mark shows that the side holds its position, concedes a part or concedes.
    If the run asked for positions, a mark also shows the private position after the turn.
    """
    document = page.document
    if not (turns := [turn for turn in document["turns"] if turn["speakerId"] in page.seats]):
        return []
    conceded = document["evidence"]["turns"][-1:] if document["terminationReason"] == "concession_detected" else []
    names, rows, yields = dict[int, str](), list[MarkRow](), list[tuple[int, str]]()
    for name, seat in page.seats.items():
        marks, answers = list[Mark](), [entry for entry in document.get("positions") or [] if entry["who"] == name]
        numbers = [turn["turnNumber"] for turn in turns if turn["speakerId"] == name]
        for number in numbers:
            entry = next((answer for answer in answers if answer["turn"] >= number and answer["answer"]), None)
            stance = "concede" if number in conceded else (entry and entry.get("stance")) or "hold"
            certainty = f" {entry['certainty']:.0f}" if entry and entry["certainty"] is not None else ""
            text = f"{translate_answer(entry['answer'], entry['unit'], page.language)}{certainty}" if entry else ""
            marks.append(Mark(stance, number, text=text, colour=seat.colour))
            yields += [(number, name)] if stance == "partly" else []
        names |= dict.fromkeys(numbers, name)
        rows.append(MarkRow(name, "", marks, colour=seat.colour))
    key, (turn, who) = "partly" if yields else "held", min(yields, default=(0, ""))
    if conceded:
        key, turn, who = "conceded", conceded[-1], names.get(conceded[-1], "")
    title = page.say(f"lanes.{key}", turn=turn, who=who)
    legend = [(stance, page.say(f"positions.{stance}")) for stance in ("hold", "partly", "concede")]
    texts = (page.say("lanes.note") if document.get("positions") else "", page.say("incidents.turn"))
    end_text = page.say("lanes.ended") if document["terminationReason"] else ""
    return [build_mark_chart(title, texts, rows, row_height=56, turns=sorted(names), end_text=end_text, legend=legend)]


def swap_sides(request: RunRequest) -> RunRequest:
    """Return the request with the models and personas of the two sides exchanged."""
    settings = request.settings
    assert isinstance(settings, ProfileSettings)
    participants = request.participants or [Participant(name=side.upper()) for side in SIDES]
    seats, _ = seat_two_sides(participants, request.input.get("personas") or {}, settings)
    profiles = {profile.seat: profile for profile in load_profiles("debate", settings.language)[settings.profile]}
    updates = []
    for participant, side, seat in zip(participants, SIDES, seats, strict=True):
        profile_role = profiles[side].role if seat.persona == profiles[side].text else ""
        updates.append(
            {
                "persona": seat.persona,
                "role": participant.role or profile_role,
                "model": choose_spec(settings, participant.name, participant.model),
            }
        )
    swapped_seats = [
        seat.model_copy(update=update) for seat, update in zip(participants, reversed(updates), strict=True)
    ]
    input, names = {"participants": swapped_seats, "personas": {}}, [participant.name for participant in participants]
    models = {name: spec for name, spec in settings.models.items() if name not in names}
    return replace(request, settings=settings.with_choices(models=models), input=request.input | input)


HOOKS = Hooks(
    forked_participants=replace_side_personas,
    charts=[build_lane_chart],
    seat_names=[side.upper() for side in SIDES],
    tool_settings=(*TURN_SETTINGS, "profile"),
    swaps={"sides": swap_sides},
)
