"""Measures and votes of a group as sentences and tables, live after each step or from a document."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ...prompts import get_term, join_words, load_phrases
from ...state.consensus import list_position_changes
from ...state.count import VOTING_RULES
from ...state.positions import Position
from ...state.settings import Settings
from ...state.text import clip_text
from .columns import TextRow
from .plain_text import flatten_line
from .positions import translate_answer
from .wording import translate_display_phrase

DisplayItem = str | list[TextRow]
"""Sentence, or table with its head in the first row."""

ROUNDS_PER_TABLE, TEXT_LIMIT = 8, 100
"""Rounds side by side in a table; characters shown of a position, an option, a reason."""

DocumentEntry = Mapping[str, Any]
"""Position, agreement score or poll from a document."""


def describe_update(update: Mapping[str, Any], settings: Settings) -> Iterator[DisplayItem]:
    """Describe the measures and votes in a step's update. Before the count, a ballot shows only its voter."""
    raw_settings = settings.model_dump(mode="json")
    language = settings.language
    for key, describe in _DESCRIBERS.items():
        for entry in update.get(key) or []:
            yield from describe(entry.model_dump(mode="json"), raw_settings, language)


def list_agreement(document: DocumentEntry) -> Iterator[DisplayItem]:
    """Yield the agreement after each round, the changes of position, and the open objections."""
    agreement_scores, language = document.get("weighings") or [], document["language"]
    names = [participant["name"] for participant in document["participants"]]
    for start in range(0, len(agreement_scores), ROUNDS_PER_TABLE):
        batch = agreement_scores[start : start + ROUNDS_PER_TABLE]
        head = [
            "",
            *(_translate_report_phrase(language, "talk.round", number=agreement["round"]) for agreement in batch),
        ]
        rows = [[name, *(_format_score(agreement, name, language) for agreement in batch)] for name in names]
        yield [
            head,
            *rows,
            [_translate_report_phrase(language, "stands.mean"), *(f"{agreement['score']:.2f}" for agreement in batch)],
        ]
    positions = [Position.model_validate(entry) for entry in document.get("positions") or []]
    yield from (_describe_position_change(change, positions, language) for change in list_position_changes(positions))
    objections = agreement_scores[-1]["objections"] if agreement_scores else {}
    yield from (
        translate_display_phrase(language, "group.objects", who=name, text=_shorten_text(text))
        for name, text in objections.items()
    )


def list_votes(document: DocumentEntry) -> Iterator[DisplayItem]:
    """Yield each vote with its options and count, its result, and its ballots if they are open."""
    polls = {poll["number"]: poll for poll in document.get("polls") or []}
    for poll in polls.values():
        yield from _describe_vote(poll, document["settings"], document["language"])


def list_reviews(document: DocumentEntry) -> Iterator[DisplayItem]:
    """Yield a council's rankings with their agreement with the group, then every critique."""
    language, concordance = document["language"], document.get("concordance") or {}
    entries = document.get("reviews") or []
    if not entries:
        return
    keys = ("ranker", "ranking", "agreement", "self_preference")
    rows = [
        [review["ranker"], _format_ranking(review, language), *_format_agreement(concordance, review["ranker"])]
        for review in entries
    ]
    yield [[_translate_report_phrase(language, f"reviews.{key}") for key in keys], *rows]
    critique_rows = [
        [review["ranker"], f"[{critique['turn']}]", flatten_line(critique["text"])]
        for review in entries
        for critique in review["critiques"]
    ]
    if critique_rows:
        yield [
            [_translate_report_phrase(language, f"reviews.{key}") for key in ("ranker", "turn", "critique")],
            *critique_rows,
        ]


def _format_ranking(review: DocumentEntry, language: str) -> str:
    return " > ".join(f"[{turn}]" for turn in review["ranking"]) or _translate_report_phrase(language, "votes.invalid")


def _format_agreement(concordance: DocumentEntry, ranker: str) -> list[str]:
    """Format a ranking's agreement with the group, and its preference for its author's own answer."""
    tau, gap = concordance["agreement"].get(ranker), concordance["self_preference"].get(ranker)
    return ["–" if tau is None else f"{tau:.2f}", "–" if gap is None else f"{gap:+.2f}"]


def _describe_vote(poll: DocumentEntry, settings: DocumentEntry, language: str) -> Iterator[DisplayItem]:
    yield _format_vote_heading(poll, language)
    if poll["tally"]:
        yield from _describe_count(poll, settings, language)
        return
    yield _list_options(poll, language)
    yield from _explain_missing_count(poll, language)


def _describe_position(entry: DocumentEntry, settings: DocumentEntry, language: str) -> Iterator[DisplayItem]:
    if entry["moved_by"]:
        figures = {"who": entry["who"], "by": entry["moved_by"], "position": _shorten_text(entry["position"])}
        yield translate_display_phrase(language, "group.moved", **figures)
    if entry["objection"]:
        yield translate_display_phrase(
            language, "group.objects", who=entry["who"], text=_shorten_text(entry["objection"])
        )


def _describe_agreement(agreement: DocumentEntry, settings: DocumentEntry, language: str) -> Iterator[DisplayItem]:
    comma = get_term(language, "lists", "comma")
    scores = comma.join(
        f"{name} {_format_score(agreement, name, language)}" for name in [*agreement["scores"], *agreement["missing"]]
    )
    method = _translate_report_phrase(language, f"measured.{agreement['strategy']}")
    yield translate_display_phrase(
        language,
        "group.agreement",
        round=agreement["round"],
        how=method,
        scores=scores,
        mean=f"{agreement['score']:.2f}",
    )


def _describe_poll_step(poll: DocumentEntry, settings: DocumentEntry, language: str) -> Iterator[DisplayItem]:
    """Describe one step of a vote."""
    if poll["event"] in ("initiated", "not_held"):
        yield _format_vote_heading(poll, language)
        yield _list_options(poll, language)
    if poll["tally"]:
        yield from _describe_count(poll, settings, language)
    elif poll["event"] != "initiated":
        yield from _explain_missing_count(poll, language)


def _announce_ballot(entry: DocumentEntry, settings: DocumentEntry, language: str) -> Iterator[DisplayItem]:
    yield translate_display_phrase(language, "group.cast", who=entry["ballot"]["voter"])


def _announce_review(review: DocumentEntry, settings: DocumentEntry, language: str) -> Iterator[DisplayItem]:
    yield translate_display_phrase(language, "group.reviewed", who=review["ranker"])


_DESCRIBERS = {
    "positions": _describe_position,
    "weighings": _describe_agreement,
    "reviews": _announce_review,
    "polls": _describe_poll_step,
    "ballots": _announce_ballot,
}


def _format_vote_heading(poll: DocumentEntry, language: str) -> str:
    initiator = poll["initiator"] or _translate_report_phrase(language, "votes.schedule")
    return _translate_report_phrase(
        language, get_vote_heading_key(poll), number=poll["number"], round=poll["round"], by=initiator
    )


def get_vote_heading_key(poll: DocumentEntry) -> str:
    """Return the key of the phrase that says when a vote was held."""
    return "votes.held" if poll["round"] else "votes.held_first"


def _explain_missing_count(poll: DocumentEntry, language: str) -> Iterator[str]:
    yield _translate_report_phrase(language, f"poll_events.{poll['event']}")
    if poll["refused"]:
        yield _translate_report_phrase(language, "votes.refused", who=join_words(language, poll["refused"]))


def _describe_count(poll: DocumentEntry, settings: DocumentEntry, language: str) -> Iterator[DisplayItem]:
    """Describe a count: result, left-out ballots, each option's total, and the ballots if they are open."""
    tally, translate = poll["tally"], partial(_translate_report_phrase, language)
    winner = translate_answer(tally["winner"], "", language) if tally["winner"] else translate("votes.nobody")
    method = {"rule": _get_rule_name(tally["rule"], language), "settled": translate(f"settled.{tally['settled']}")}
    yield translate("votes.counted", winner=winner, turnout=f"{tally['turnout']:.0%}", **method)
    left_out_counts = {key: tally[key] for key in ("abstentions", "invalid", "excluded")}
    if any(left_out_counts.values()):
        yield translate("votes.left_out", **left_out_counts)
    yield _list_options(poll, language)
    if cycle := ((poll["report"] or {}).get("condorcet") or {}).get("cycle"):
        yield translate("votes.cycle", cycle=" > ".join(cycle))
    if reason := explain_no_winner(tally, settings.get("ballot") or {}, language):
        yield reason
    if poll["ballots"]:
        head = [translate(f"votes.{key}") for key in ("voter", "ballot", "reason")]
        yield [
            head,
            *(
                [ballot["voter"], format_ballot(ballot, language), _shorten_text(ballot["reason"])]
                for ballot in poll["ballots"]
            ),
        ]
    else:
        yield translate_display_phrase(
            language, "group.secret", count=tally["votes"] + tally["abstentions"] + tally["excluded"]
        )


def explain_no_winner(tally: DocumentEntry, settings: DocumentEntry, language: str) -> str:
    """Explain why a count chose no option; empty if it chose one or its result is clear by itself."""
    totals, outcome = tally["totals"], tally["settled"]
    if outcome == "no_quorum":
        present = tally["votes"] + tally["abstentions"] + tally["excluded"]
        needed_share = _format_fraction(settings.get("quorum", 0.5))
        return translate_display_phrase(
            language, "group.no_quorum", present=present, voters=tally["voters"], needed=needed_share
        )
    if outcome == "tied":
        return translate_display_phrase(language, "group.tied", options=join_words(language, tally["winners"]))
    if outcome != "short" or not totals or tally["rule"] not in VOTING_RULES:
        return ""
    highest = max(totals.values())
    leading_options = [translate_answer(option, "", language) for option, total in totals.items() if total == highest]
    needed_share = {"supermajority": _format_fraction(settings.get("share", 2 / 3))}.get(tally["rule"], "")
    key = f"needs_{tally['rule'] if tally['rule'] in ('unanimity', 'supermajority') else 'majority'}"
    figures = {
        "votes": tally["votes"],
        "option": join_words(language, leading_options),
        "most": f"{highest:g}",
        "needed": needed_share,
    }
    return translate_display_phrase(language, f"group.{key}", **figures)


def _list_options(poll: DocumentEntry, language: str) -> list[TextRow]:
    """List the options of a vote, with their totals once it is counted."""
    totals = poll["tally"]["totals"] if poll["tally"] else {}
    option_texts = {**poll["options"], **{option: "" for option in totals if option not in poll["options"]}}
    labels = {sign: translate_answer(sign, "", language) for sign in option_texts}
    is_plain = all(labels[sign] == text for sign, text in option_texts.items())
    keys = ["sign", *(["total"] if totals else []), *([] if is_plain else ["option"])]
    rows = [
        {"sign": labels[sign], "total": f"{totals.get(sign, 0):g}", "option": _shorten_text(text)}
        for sign, text in option_texts.items()
    ]
    return [
        [_translate_report_phrase(language, f"votes.{key}") for key in keys],
        *([row[key] for key in keys] for row in rows),
    ]


def format_ballot(ballot: DocumentEntry, language: str) -> str:
    """Format a ballot as a short text."""
    if ballot["invalid"] or ballot["abstain"]:
        return _translate_report_phrase(language, "votes.invalid" if ballot["invalid"] else "votes.abstained")
    if ballot["ranking"] is not None:
        return " > ".join(ballot["ranking"])
    if ballot["scores"] is not None:
        return get_term(language, "lists", "comma").join(
            f"{name} {score:g}" for name, score in ballot["scores"].items()
        )
    approved_options = ballot["approvals"] if ballot["choice"] is None else [ballot["choice"]]
    return get_term(language, "lists", "comma").join(approved_options or []) or "–"


def _describe_position_change(position: Position, positions: Sequence[Position], language: str) -> str:
    """Describe a change of position: participant, round, distance, and the speaker who prompted it."""
    earlier_agreements = [
        earlier_position.agreement
        for earlier_position in positions
        if earlier_position.who == position.who
        and earlier_position.round < position.round
        and earlier_position.agreement is not None
    ]
    figures = {
        "round": position.round,
        "who": position.who,
        "before": f"{earlier_agreements[-1]:.2f}",
        "after": f"{position.agreement:.2f}",
    }
    details = {"by": position.moved_by, "position": _shorten_text(position.position)}
    return translate_display_phrase(
        language, "group.moved_by" if position.moved_by else "group.shifted", **figures, **details
    )


def _format_score(agreement: DocumentEntry, name: str, language: str) -> str:
    score = agreement["scores"].get(name)
    return _translate_report_phrase(language, "stands.missing") if score is None else f"{score:.2f}"


def _format_fraction(share: float) -> str:
    return str(Fraction(share).limit_denominator(1000))


def _shorten_text(text: str) -> str:
    return clip_text(flatten_line(text), TEXT_LIMIT)


def _get_rule_name(rule: str, language: str) -> str:
    """Return a voting rule in words, or its name if it has no phrase."""
    has_phrase = rule in load_phrases("report").list_keys("count_rules")
    return _translate_report_phrase(language, f"count_rules.{rule}") if has_phrase else rule.replace("_", " ")


def _translate_report_phrase(language: str, key: str, **values: object) -> str:
    return load_phrases("report").translate_phrase(language, key, **values)
