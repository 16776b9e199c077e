"""Measures and votes of a group as sentences and tables, for live runs and saved ones."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from ...prompts import get_term, join_words
from ...state import Settings, clip_text
from ...state.consensus import list_position_changes
from ...state.count import VOTING_RULES
from ...state.positions import Position
from .plain_text import TextRow, align_columns, flatten_line
from .positions import translate_answer
from .wording import get_label, translate_display_phrase, translate_report_phrase

DisplayItem = str | list[TextRow]
"""Sentence, or table with its head in the first row."""

ROUNDS_PER_TABLE, TEXT_LIMIT = 8, 100
"""Maximum rounds side by side in a table, and maximum characters of a position, an option or a reason."""

DocumentEntry = Mapping[str, Any]
"""Position, agreement score or poll from a document."""


def describe_update(update: Mapping[str, Any], settings: Settings) -> Iterator[DisplayItem]:
    """Describe the measures and votes in a step's update. Before the count, a ballot shows only its voter."""
    language = settings.language
    display_phrase = partial(translate_display_phrase, language)
    for position in update.get("positions") or []:
        if position.changed_by and position.change != "none":
            new_position = _shorten_text(position.position)
            yield display_phrase("group.moved", who=position.who, by=position.changed_by, position=new_position)
        if position.objection:
            yield display_phrase("group.objects", who=position.who, text=_shorten_text(position.objection))
    for agreement in update.get("weighings") or []:
        entry, comma = agreement.model_dump(mode="json"), get_term(language, "lists", "comma")
        names = [*entry["scores"], *entry["missing"]]
        scores = comma.join(f"{name} {_format_score(entry, name, language)}" for name in names)
        method, mean = translate_report_phrase(language, f"measured.{entry['strategy']}"), f"{entry['score']:.2f}"
        yield display_phrase("group.agreement", round=entry["round"], how=method, scores=scores, mean=mean)
    for draft in update.get("drafts") or []:
        yield display_phrase("group.draft", number=draft.number, sentence=flatten_line(draft.sentence))
    for answer in update.get("confirmations") or []:
        key = "accepts" if answer.accepts else "no_answer" if answer.fault else "rejects"
        yield display_phrase(f"group.{key}", number=answer.draft, who=answer.who, reason=_shorten_text(answer.reason))
    for review in update.get("reviews") or []:
        yield display_phrase("group.reviewed", who=review.voter)
    for poll in update.get("polls") or []:
        yield from _describe_vote(poll.model_dump(mode="json"), settings.model_dump(mode="json"), language, poll.event)
    for entry in update.get("ballots") or []:
        yield display_phrase("group.cast", who=entry.ballot.voter)


def list_agreement(document: DocumentEntry) -> Iterator[DisplayItem]:
    """Yield the agreement after each round, the changed positions, and the open objections."""
    agreement_scores, language = document.get("weighings") or [], document["language"]
    report_phrase, display_phrase = (
        partial(translate_report_phrase, language),
        partial(translate_display_phrase, language),
    )
    for start in range(0, len(agreement_scores), ROUNDS_PER_TABLE):
        batch = agreement_scores[start : start + ROUNDS_PER_TABLE]
        names = [participant["name"] for participant in document["participants"]]
        head = ["", *(report_phrase("talk.round", number=agreement["round"]) for agreement in batch)]
        rows = [[name, *(_format_score(agreement, name, language) for agreement in batch)] for name in names]
        yield [head, *rows, [report_phrase("stands.mean"), *(f"{agreement['score']:.2f}" for agreement in batch)]]
    positions = [Position.model_validate(entry) for entry in document.get("positions") or []]
    for position in list_position_changes(positions):
        yield display_phrase(
            "group.changed_by" if position.changed_by else "group.shifted",
            round=position.round,
            who=position.who,
            by=position.changed_by,
            position=_shorten_text(position.position),
        )
    for name, text in agreement_scores[-1]["objections"].items() if agreement_scores else ():
        yield display_phrase("group.objects", who=name, text=_shorten_text(text))
    yield from list_drafts(document)


def list_drafts(document: DocumentEntry, round: int | None = None) -> Iterator[str]:
    """Yield each draft of the shared position, with the participants that accept it and every objection.

    `round`: round of the drafts; `None` for all rounds.
    """
    display_phrase = partial(translate_display_phrase, document["language"])
    for draft in document.get("drafts") or []:
        if round not in (None, draft["round"]):
            continue
        answers = [answer for answer in document["confirmations"] if answer["draft"] == draft["number"]]
        names = [answer["who"] for answer in answers if answer["accepts"]]
        sentence, seats = flatten_line(draft["sentence"]), len(document["participants"])
        key = "accepted_all" if len(names) == seats else "accepted_some" if names else "accepted_none"
        who = join_words(document["language"], names)
        yield display_phrase(
            f"group.{key}", number=draft["number"], sentence=sentence, seats=seats, count=len(names), who=who
        )
        for answer in answers:
            if not answer["accepts"]:
                key = "no_answer" if answer["fault"] else "rejects"
                reason = flatten_line(answer["reason"])
                yield display_phrase(f"group.{key}", number=draft["number"], who=answer["who"], reason=reason)


def list_votes(document: DocumentEntry) -> Iterator[DisplayItem]:
    """Yield each vote with its options, count and result. Ballots are included if they are public."""
    polls = {poll["number"]: poll for poll in document.get("polls") or []}
    for poll in polls.values():
        yield from _describe_vote(poll, document["settings"], document["language"])


def list_reviews(document: DocumentEntry) -> Iterator[DisplayItem]:
    """Yield a council's rankings, how well each agrees with the group, and every critique."""
    reviews, concordance = document.get("reviews") or [], document.get("concordance") or {}
    report_phrase = partial(translate_report_phrase, document["language"])
    rows, critique_rows = list[TextRow](), list[TextRow]()
    for review in reviews:
        ranking = " > ".join(f"[{turn}]" for turn in review["ranking"]) or report_phrase("votes.invalid")
        agreement, self_preference = (concordance[key].get(review["voter"]) for key in ("agreement", "self_preference"))
        figures = [
            "–" if agreement is None else f"{agreement:.2f}",
            "–" if self_preference is None else f"{self_preference:+.2f}",
        ]
        rows.append([review["voter"], ranking, *figures])
        for critique in review["critiques"]:
            critique_rows.append([review["voter"], f"[{critique['turn']}]", flatten_line(critique["text"])])
    if rows:
        yield [
            [report_phrase(f"reviews.{key}") for key in ("ranker", "ranking", "agreement", "self_preference")],
            *rows,
        ]
    if critique_rows:
        yield [[report_phrase(f"reviews.{key}") for key in ("ranker", "turn", "critique")], *critique_rows]


def _describe_vote(
    poll: DocumentEntry, settings: DocumentEntry, language: str, event: str = ""
) -> Iterator[DisplayItem]:
    """Describe a vote, or one step of it: a heading, then the count or the reason for not counting.

    `event`: the step; empty for the complete vote. Only the first step has a heading.
    """
    tally, report_phrase = poll["tally"], partial(translate_report_phrase, language)
    if event in ("", "initiated", "not_held"):
        yield describe_vote_start(poll, language)
        if event or not tally:
            yield _list_options(poll, language)
    if tally is None:
        if event != "initiated":
            yield report_phrase(f"poll_events.{poll['event']}")
            if poll["refused"]:
                yield report_phrase("votes.refused", who=join_words(language, poll["refused"]))
        return
    winner = translate_answer(tally["winner"], "", language) if tally["winner"] else report_phrase("votes.nobody")
    yield from describe_count(tally, winner, language)
    yield _list_options(poll, language)
    if cycle := ((poll["report"] or {}).get("condorcet") or {}).get("cycle"):
        yield report_phrase("votes.cycle", cycle=" > ".join(cycle))
    if reason := explain_no_winner(tally, settings.get("count") or {}, language):
        yield reason
    if poll["ballots"]:
        head = [report_phrase(f"votes.{key}") for key in ("voter", "ballot", "reason")]
        ballots = [(ballot, format_ballot(ballot, language)) for ballot in poll["ballots"]]
        yield [head, *([ballot["voter"], text, _shorten_text(ballot["reason"])] for ballot, text in ballots)]
    else:
        ballot_count = tally["votes"] + tally["abstentions"] + tally["excluded"]
        yield translate_display_phrase(language, "group.secret", count=ballot_count)


def format_item(item: DisplayItem, indent: str = "") -> list[str]:
    """Format a sentence or a table as lines. `indent`: text before the lines of a table."""
    return [item] if isinstance(item, str) else [f"{indent}{line}" for line in align_columns(item)]


def describe_vote_start(poll: DocumentEntry, language: str) -> str:
    """Describe when a vote took place and who proposed it."""
    key = "votes.held" if poll["round"] else "votes.held_first"
    sentences = [translate_report_phrase(language, key, number=poll["number"], round=poll["round"])]
    sentences += (
        [translate_report_phrase(language, "votes.proposed", by=poll["initiator"])] if poll["initiator"] else []
    )
    return get_term(language, "headline", "between_sentences").join(sentences)


def describe_count(tally: DocumentEntry, winner: str, language: str) -> list[str]:
    """Describe a count: its result with the turnout, and the number of invalid ballots."""
    report_phrase = partial(translate_report_phrase, language)
    method = {
        "rule": format_voting_rule(tally["rule"], language),
        "settled": report_phrase(f"settled.{tally['settled']}"),
    }
    sentences = [report_phrase("votes.counted", winner=winner, turnout=f"{tally['turnout']:.0%}", **method)]
    left_out_counts = {key: tally[key] for key in ("abstentions", "invalid", "excluded")}
    return (
        [*sentences, report_phrase("votes.left_out", **left_out_counts)] if any(left_out_counts.values()) else sentences
    )


def explain_no_winner(tally: DocumentEntry, settings: DocumentEntry, language: str) -> str:
    """Explain why a count has no winner; empty if it has one, or if its result is self-explanatory."""
    totals, outcome, rule = tally["totals"], tally["settled"], tally["rule"]
    display_phrase = partial(translate_display_phrase, language)
    if outcome == "no_quorum":
        present_count = tally["votes"] + tally["abstentions"] + tally["excluded"]
        needed_share = _format_fraction(settings.get("quorum", 0.5))
        return display_phrase("group.no_quorum", present=present_count, voters=tally["voters"], needed=needed_share)
    if outcome == "tied":
        return display_phrase("group.tied", options=join_words(language, tally["winners"]))
    if outcome != "short" or not totals or rule not in VOTING_RULES:
        return ""
    highest_total = max(totals.values())
    leading_options = [
        translate_answer(option, "", language) for option, total in totals.items() if total == highest_total
    ]
    return display_phrase(
        f"group.needs_{rule if rule in ('unanimity', 'supermajority') else 'majority'}",
        votes=tally["votes"],
        option=join_words(language, leading_options),
        most=f"{highest_total:g}",
        needed=_format_fraction(settings.get("supermajority_share", 2 / 3)) if rule == "supermajority" else "",
    )


def _list_options(poll: DocumentEntry, language: str) -> list[TextRow]:
    totals = poll["tally"]["totals"] if poll["tally"] else {}
    option_texts = {**poll["options"], **{option: "" for option in totals if option not in poll["options"]}}
    labels = {sign: translate_answer(sign, "", language) for sign in option_texts}
    keys = ["sign", *(["total"] if totals else []), *([] if labels == option_texts else ["option"])]
    rows = [
        {"sign": labels[sign], "total": f"{totals.get(sign, 0):g}", "option": _shorten_text(text)}
        for sign, text in option_texts.items()
    ]
    head = [translate_report_phrase(language, f"votes.{key}") for key in keys]
    return [head, *([row[key] for key in keys] for row in rows)]


def format_ballot(ballot: DocumentEntry, language: str) -> str:
    """Format a ballot as a short text."""
    comma = get_term(language, "lists", "comma")
    if ballot["invalid"] or ballot["abstain"]:
        return translate_report_phrase(language, "votes.invalid" if ballot["invalid"] else "votes.abstained")
    if ballot["ranking"] is not None:
        return " > ".join(ballot["ranking"])
    if ballot["scores"] is not None:
        return comma.join(f"{name} {score:g}" for name, score in ballot["scores"].items())
    return comma.join((ballot["approvals"] if ballot["choice"] is None else [ballot["choice"]]) or []) or "–"


def _format_score(agreement: DocumentEntry, name: str, language: str) -> str:
    score = agreement["scores"].get(name)
    return translate_report_phrase(language, "stands.missing") if score is None else f"{score:.2f}"


def format_voting_rule(rule: str, language: str) -> str:
    """Format a voting rule in words, or by its name if no phrase exists."""
    label = get_label(language, "count_rules", rule)
    return rule.replace("_", " ") if label == rule else label


def _format_fraction(share: float) -> str:
    return str(Fraction(share).limit_denominator(1000))


def _shorten_text(text: str) -> str:
    return clip_text(flatten_line(text), TEXT_LIMIT)
