"""Hooks with which a protocol replaces the defaults of its display, report and settings."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from langchain_core.callbacks import BaseCallbackHandler

from ...state import Call, InputError, Participant, Settings, StoppingSettings
from ..display.wording import translate_report_phrase
from .registry import get_protocol

RunDocument = Mapping[str, Any]
OwnSettings = Any
"""Settings of the protocol, in its own class."""
BlockMaker = Callable[[Any], Sequence[Any]]
"""Function that makes blocks from a report's page, or an empty list if the run has no content."""


def compute_turn_cap(settings: Settings, seat_count: int) -> int | None:
    """Compute the maximum number of turns for this number of seats, or `None` without a cap."""
    if not isinstance(settings, StoppingSettings):
        return None
    caps = [
        settings.get_turn_cap(seat_count),
        settings.max_rounds * seat_count if settings.max_rounds and seat_count else None,
    ]
    return min((cap for cap in caps if cap), default=None)


@dataclass(frozen=True)
class DocumentMeasure:
    """Figure of a run for experiments, computed from its document.

    `is_share`: whether the figure is 0 or 1, so that means are shares. `bounds`: lowest and highest possible figure;
    `None` means 0 and the maximum of the runs.
    """

    name: str
    compute: Callable[[RunDocument], float | None]
    is_share: bool = False
    bounds: tuple[float, float] | None = None


SEAT_SETTINGS = ("model", "language", "seed", "tools")
ANSWER_SETTINGS = ("answer", "options")
TURN_SETTINGS = (*SEAT_SETTINGS, "max_turns", "stop_rule")
"""Settings that the tools of several protocols offer. None of them names a file."""

NOBODY_TO_SILENCE = "in this protocol participants do not see one another's statements; leave it out"


@dataclass(frozen=True)
class Hooks:
    """Hooks of one protocol, of Moot or of an installed package.

    Each has a default that fits any protocol.

    Texts. `keys`: the protocol's own document keys, from a saved run and its envelope. `answer`: blocks of conclusion
    and discussion, from a document, in full or shortened. They replace the transcript. `closing_blocks`: blocks after
    the headline, from a report's page. `synthesis_heading`: heading of the synthesis, from the run's language.
    `private_texts`: private texts of each participant, by name, as pairs of label and text. `progress_lines`: lines
    about the progress of an unfinished run. `step_lines`: lines about a step, from its name, its update and the run's
    language. `log_line`: a line about an entry that a step streams, or empty.

    Requests. `settings_reader`: reader of settings that have several spellings, from a file's values and the values
    that override them. `setting_key`: dotted key of a setting, from one of its spellings and its value.
    `forked_participants`: participants of a fork, from its settings, and from the settings and participants of the
    original. `seat_reader`: reader of participants named in options and calls. `seat_names`: names of the seats where
    their number is fixed. `names_participants`: whether a run without named participants names its own.
    `tool_settings`: settings that the protocol's tool for assistants offers; `None`: no tool. `callbacks`: callback
    handlers of a run, from its settings, its name and its database.

    Estimates. `turn_cap`: highest number of turns, from the settings and the number of seats, or `None`. `is_bounded`:
    whether settings bound the number of turns. `longest_overrides`: settings that let a rehearsal run to its cap.
    `question_counts`, `attempt_counts`: highest numbers of questions, and of attempts at one, by purpose. `run_count`:
    number of runs that the settings ask for. `list_early_calls`: calls before a run, from its request and the state of
    its rehearsal. `offline_overrides`: settings that let the rehearsal play every participant.

    Report, from its page. `summary`: the result in the run's own terms. `condition`: differences from the default
    settings in words. `charts`: makers of the protocol's own charts. The first with content shows the result.
    `round_charts`: charts of a round, by its number. `round_marks`: marks at the ends of rounds, from the round of each
    turn. `agreement_round`: round in which the group agreed, or 0, in protocols that do not measure agreement.
    `guests`: lines about guests who did not come. `papers`: papers on the page, as in the document, with a `rating` in
    words. `sections`: builders of sections by anchor; the name of a shared section gives their position, and an own
    name is the heading. `record_sections`: builders of folded sections at the end.

    Data. `tables`: meanings of the columns of the protocol's own tables, by name; a shared table's name adds columns to
    it. `table_rows`: rows of these tables, from a document.

    Experiments. `measures`: measures of a run. `has_scripted_seats`: whether scripted programs can take seats. `swaps`:
    functions that swap an element of a request, by the element's name. `unfit_arms`: arms that make no sense for this
    protocol, with the reason. `record_faults`: contradictions in the document of a run that the protocol can find by
    computing figures again.
    """

    keys: Callable[[Any, RunDocument], Mapping[str, Any]] | None = None
    answer: Callable[[RunDocument, bool], Sequence[Any]] | None = None
    closing_blocks: BlockMaker = lambda _: ()
    synthesis_heading: Callable[[str], str] = lambda language: translate_report_phrase(language, "closings.synthesis")
    private_texts: Callable[[RunDocument], Mapping[str, Sequence[tuple[str, str]]]] = lambda _: {}
    progress_lines: Callable[[RunDocument], list[str]] = lambda _: []
    step_lines: Callable[[str, Mapping[str, Any], str], Iterable[str]] = lambda *_: ()
    log_line: Callable[[Mapping[str, Any], str], str] = lambda *_: ""

    settings_reader: Callable[[Mapping[str, Any], Mapping[str, Any]], Settings] | None = None
    setting_key: Callable[[str, Any], str] = lambda key, _: key
    forked_participants: Callable[[OwnSettings, OwnSettings, list[Participant]], list[Participant]] = lambda *a: a[2]
    seat_reader: Callable[[Sequence[str]], list[Any]] | None = None
    seat_names: Sequence[str] = ()
    names_participants: bool = False
    tool_settings: Sequence[str] | None = None
    callbacks: Callable[[OwnSettings, str, str], Sequence[BaseCallbackHandler]] = lambda *_: ()

    turn_cap: Callable[[OwnSettings, int], int | None] = compute_turn_cap
    is_bounded: Callable[[OwnSettings], bool] = lambda _: True
    longest_overrides: Callable[[OwnSettings], dict[str, Any]] | None = None
    question_counts: Callable[[OwnSettings], Mapping[str, int]] | None = None
    attempt_counts: Callable[[OwnSettings], Mapping[str, int]] | None = None
    run_count: Callable[[OwnSettings], int] = lambda _: 1
    list_early_calls: Callable[[Any, Mapping[str, Any]], Awaitable[list[Call]]] | None = None
    offline_overrides: Callable[[OwnSettings], dict[str, Any]] = lambda _: {}

    summary: BlockMaker = lambda _: ()
    condition: Callable[[Any], str] = lambda _: ""
    charts: Sequence[BlockMaker] = ()
    round_charts: Callable[[Any, int], Sequence[Any]] = lambda *_: ()
    round_marks: Callable[[Any, Mapping[int, int]], Mapping[int, Sequence[str]]] = lambda *_: {}
    agreement_round: Callable[[RunDocument], int] = lambda _: 0
    guests: Callable[[Any], Sequence[str]] = lambda _: ()
    papers: Callable[[Any], Sequence[Any]] = lambda _: ()
    sections: Mapping[str, Sequence[BlockMaker]] = field(default_factory=dict)
    record_sections: Mapping[str, Sequence[BlockMaker]] = field(default_factory=dict)

    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    table_rows: Callable[[RunDocument], Mapping[str, Sequence[Mapping[str, Any]]]] = lambda _: {}

    measures: Sequence[DocumentMeasure] = ()
    has_scripted_seats: bool = False
    swaps: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    unfit_arms: Mapping[str, str] = field(default_factory=dict)
    record_faults: Callable[[RunDocument], list[str]] = lambda _: []


def get_hooks(name: str) -> Hooks:
    """Return the hooks of the protocol with this name; empty hooks if it defines none.

    A built-in protocol defines `HOOKS` in its hooks module, a package in the module of its graph. Raises `InputError`
    if a package's `HOOKS` have the wrong type.
    """
    protocol = get_protocol(name)
    if protocol.hooks_module:
        return cast(Hooks, import_module(f"..{protocol.hooks_module}", __package__).HOOKS)
    hooks = getattr(protocol.module, "HOOKS", Hooks()) if protocol.package else Hooks()
    if not isinstance(hooks, Hooks):
        remedy = f"the package {protocol.package} has a {type(hooks).__name__} as HOOKS; it must be a Hooks"
        raise InputError("protocol", name, remedy)
    return hooks
