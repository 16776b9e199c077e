"""Views of a rehearsed speaker outside of its statements, such as positions and reasons.

Their words stay the same in a run.
"""

import re
from collections.abc import Mapping, Sequence
from statistics import fmean

from ...state import make_rng
from .opinion import CONTENT_AGREEMENT
from .reply_context import ReplyContext
from .speech import UNEASY_CONVICTION

ANSWER_PURPOSES = ("declaration", "position", "answer", "estimate")
"""Purposes of calls that ask for the speaker's own answer."""
DRAFT_OBJECTION_SHARE = 0.1
"""Share of speakers who raise a new objection to a first draft."""
_SENTENCE = re.compile(r"[^.!?;。！？；\n]+")
_NOTE_LINE = re.compile(r"^- (.+?(?:[(（]\D*(\d{3})[)）])?)\s*$", re.MULTILINE)


def describe_position(context: ReplyContext, name: str) -> str:
    """Return the position of `name` as a sentence. In a group that agrees, it is the shared position."""
    if len(context.brief.roles) > 1 and context.opinion_state.is_united() and not context.opinion_state.sides.get(name):
        return describe_joint_position(context)
    attitude = context.get_attitude(name)
    return context.fill_phrase(
        "answers", f"position_{attitude}", word=context.choose_key_word("position", name, attitude)
    )


def describe_joint_position(context: ReplyContext) -> str:
    """Return the position that a united group shares, as a sentence."""
    return context.fill_phrase("answers", "position_agreed", word=context.choose_key_word("common"))


def describe_objection(context: ReplyContext, name: str) -> str:
    """Return the objection of `name` to the others' view as a text.

    The text is empty for a participant without a side whose opinion is near the others'.
    """
    if context.opinion_state.compute_agreement(name) >= CONTENT_AGREEMENT and not context.opinion_state.sides.get(name):
        return ""
    return context.fill_phrase("answers", "objection", word=context.choose_key_word("objection", name))


def choose_change(context: ReplyContext) -> str:
    """Return `none` if the speaker's position has the same words as its last one, otherwise `substance`."""
    position = describe_position(context, context.brief.speaker)
    return "none" if position == context.brief.values.get("last_position") else "substance"


def list_standing_objections(context: ReplyContext) -> list[int]:
    """Return the numbers of the speaker's objections that are still open.

    The list is empty if the speaker no longer objects.
    """
    holders = context.brief.values.get("holders")
    if not isinstance(holders, Mapping) or not describe_objection(context, context.brief.speaker):
        return []
    return [number for number, holder in holders.items() if holder == context.brief.speaker]


def describe_draft_objection(context: ReplyContext) -> str:
    """Return the speaker's objection to a draft, or an empty text.

    It is the speaker's open objection. To a first draft, the speaker sometimes raises a new objection instead.
    """
    speaker, is_first = context.brief.speaker, context.brief.values.get("draft_number") == 1
    if is_first and make_rng(context.seed, "draft", speaker).random() < DRAFT_OBJECTION_SHARE:
        return context.fill_phrase("answers", "objection", word=context.choose_key_word("draft", speaker))
    return describe_objection(context, speaker)


def describe_reason(context: ReplyContext, path: str = "") -> str:
    """Return a reason for the speaker's decision. `path` distinguishes several reasons."""
    return context.fill_phrase(
        "answers", "reason", word=context.choose_key_word("reason", context.brief.speaker, context.attitude, path)
    )


def write_private_notes(context: ReplyContext) -> str:
    """Return a sentence with up to three private notes of the speaker that no statement contains yet.

    The order of the notes differs between speakers. If the private text is no list of notes, the first statement shares
    its first figure.
    """
    notes = _NOTE_LINE.findall(context.brief.private)
    texts = [text for text, number in notes if (number or text) not in context.record_text]
    make_rng(context.seed, "notes", context.brief.speaker).shuffle(texts)
    figure = re.match(r".*?\d[^.。\n]*", context.brief.private, re.DOTALL)
    if figure and not notes and not context.own_statements:
        texts = [figure[0]]
    return context.fill_phrase("facts", "told", notes="; ".join(texts[:3])) if texts else ""


def choose_stance(context: ReplyContext) -> str:
    """Return `concede` if the speaker gave up its side, `partly` if it is uncertain, otherwise `hold`."""
    if any(statement.act == "concede" for statement in context.own_statements):
        return "concede"
    if not context.side or context.conviction >= UNEASY_CONVICTION:
        return "hold"
    return "concede" if context.conviction < 0.5 else "partly"


def rank_options(context: ReplyContext, options: Sequence[object]) -> list[object]:
    """Return the options, ordered by how much the speaker's information supports them, best first.

    Its own preference breaks ties.
    """
    choices = context.brief.values.get("choices")
    meanings = choices if isinstance(choices, Mapping) else {}
    sentences = {
        sentence.strip(" -") for sentence in _SENTENCE.findall("\n".join(_list_information(context)).casefold())
    }
    contradictions = context.get_variants("facts", "against")

    def compute_option_support(option: object) -> tuple[int, float]:
        """Return how much the speaker's information supports an option, and its own preference for it."""
        text = meanings.get(str(option), str(option)).casefold()
        word = re.compile(rf"(?<![a-z0-9]){re.escape(text)}(?![a-z0-9])")
        support = 0
        for sentence in filter(word.search, sentences):
            support += -1 if any(mark in sentence for mark in contradictions) else 1
        return support, make_rng(context.seed, "option", context.brief.speaker, str(option)).random()

    return sorted(options, key=compute_option_support, reverse=True)


def compute_number(context: ReplyContext, unit: str) -> float:
    """Return the mean of the numbers in this unit in the speaker's information.

    Without any number, draw one.
    """
    numbers = _list_numbers("\n".join(_list_information(context)), unit)
    rng = make_rng(context.seed, "figure", context.brief.speaker)
    return round(fmean(numbers), 3) if numbers else float(rng.randrange(1, 100))


def estimate_quantile(context: ReplyContext, quantile: str, unit: str) -> float:
    """Estimate the 5 % (`low`), 50 % (`answer`) or 95 % (`high`) quantile of a number for the speaker.

    The center is the mean of the material's numbers in this unit, or a random number of the run. The speaker's own
    draw shifts it, by half as much in each later round.
    """
    numbers = _list_numbers(context.brief.material, unit)
    centre = fmean(numbers) if numbers else float(make_rng(context.seed, "estimate").randrange(20, 200))
    deviation = make_rng(context.seed, "estimate", context.brief.speaker).uniform(-0.4, 0.4)
    share = deviation / 2 ** max(0, context.brief.round - 1) + {"low": -0.2, "high": 0.3}.get(quantile, 0.0)
    return float(round(centre + (abs(centre) or 1.0) * share, 3))


def _list_numbers(text: str, unit: str) -> list[float]:
    number = r"(?<![a-z0-9_.])-?\d+(?:\.\d+)?"
    pattern = rf"({number})\s*{re.escape(unit.casefold())}(?![a-z0-9_])" if unit else f"({number})"
    return [float(match) for match in re.findall(pattern, text.casefold())]


def _list_information(context: ReplyContext) -> list[str]:
    brief, texts = context.brief, [str(context.brief.values.get(key, "")) for key in ("persona", "last")]
    return [brief.material, brief.private, brief.memory, *texts, context.record_text]
