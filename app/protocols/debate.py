"""Hooks of the debate: a chart of each side's repetition, and swapped sides in an experiment."""

from collections.abc import Sequence
from dataclasses import replace

from ...models.spec import choose_spec
from ...nodes.seats import SIDES, seat_two_sides
from ...prompts import load_profiles
from ...state.settings import ProfileSettings
from ...state.stalemate import measure_repetitions
from ...state.statement import MODERATOR, Participant
from ..report.blocks import Block, Figure, FoldedBlocks, TableBlock, TableCell, format_figure
from ..report.chart import Axes, build_line_chart
from ..report.page import Page
from ..run.request import RunRequest
from .hooks import Hooks


def build_repetition_chart(page: Page) -> Sequence[Block]:
    """Build a chart of each side's repetition over its turns; empty for fewer than 3 data points."""
    statements = [turn for turn in page.document["turns"] if turn["speakerId"] != MODERATOR]
    texts = [(turn["speakerId"], turn["content"]) for turn in statements]
    repetitions = measure_repetitions(texts, page.document["topic"])
    shares = {statements[repetition.turn]["turnNumber"]: repetition.share for repetition in repetitions}
    if len(shares) < 3:
        return []
    turns = sorted(shares)
    speakers = {turn["turnNumber"]: turn["speakerId"] for turn in statements}
    axes = Axes([str(turn) for turn in turns], page.say("incidents.turn"), 0, 1, [0, 0.25, 0.5, 0.75, 1])
    series = {name: [shares[turn] if speakers[turn] == name else None for turn in turns] for name in page.seats}
    title = page.say("glance.repetition")
    rows: list[list[TableCell]] = [[Figure(turn), speakers[turn], format_figure(shares[turn], 2)] for turn in turns]
    head = [*page.list_headings("incidents", "turn who"), page.say("glance.share")]
    return [
        build_line_chart(title, page.say("glance.repetition_about"), axes, series),
        FoldedBlocks(page.say("page.figures"), [TableBlock(title, head, rows)]),
    ]


def swap_sides(request: RunRequest) -> RunRequest:
    """Exchange the models and personas of the two sides."""
    settings = request.settings
    assert isinstance(settings, ProfileSettings)
    participants = request.participants or [Participant(name=side.upper()) for side in SIDES]
    seats, _ = seat_two_sides(participants, request.input.get("personas") or {}, settings)
    profiles = {profile.seat: profile for profile in load_profiles("debate", settings.language)[settings.profile]}
    updates = []
    for participant, side, seat in zip(participants, SIDES, seats, strict=True):
        profile_role = profiles[side].role if seat.persona == profiles[side].text else ""
        model = choose_spec(settings, participant.name, participant.model)
        updates.append({"persona": seat.persona, "role": participant.role or profile_role, "model": model})
    swapped_seats = [
        seat.model_copy(update=update) for seat, update in zip(participants, reversed(updates), strict=True)
    ]
    input, names = {"participants": swapped_seats, "personas": {}}, [participant.name for participant in participants]
    models = {name: spec for name, spec in settings.models.items() if name not in names}
    return replace(request, settings=settings.with_choices(models=models), input=request.input | input)


HOOKS = Hooks(movement=[build_repetition_chart], seat_count=2, swaps={"sides": swap_sides})
