"""Measures, votes and positions of a group, as sentences and tables for live and saved runs."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from ...prompts import get_term, join_words
from ...state import SYNTHESIZER, VOTING_RULES, Settings, clip_text
from ..report.blocks import Block, BulletList, Heading, Paragraph, TableBlock
from .plain_text import flatten_line
from .wording import get_label, translate_display_phrase, translate_report_phrase

TEXT_LIMIT = 100  # characters


def describe_update(update: Mapping[str, Any], settings: Settings) -> Iterator[Paragraph | TableBlock]:
    """Yield blocks that describe the measures and votes in a step's update.

    `update`: channel values that the step wrote. Before the count, only the voter of a ballot is named.
    """
    language = settings.language
    make_note = partial(_make_note, language)
    for position in update.get("positions") or []:
        if position.changed_by and position.change != "none":
            yield make_note(
                "group.moved", who=position.who, by=position.changed_by, position=shorten_text(position.position)
            )
        if position.objection:
            yield make_note("group.objects", who=position.who, text=shorten_text(position.objection))
    for agreement in update.get("agreements") or []:
        entry, comma = agreement.model_dump(mode="json"), get_term(language, "lists", "comma")
        missing = translate_report_phrase(language, "stands.missing")
        figures = [f"{name} {score:.2f}" for name, score in entry["scores"].items()]
        scores = comma.join([*figures, *(f"{name} {missing}" for name in entry["missing"])])
        method, mean = translate_report_phrase(language, f"measured.{entry['measure']}"), f"{entry['score']:.2f}"
        yield make_note("group.agreement", round=entry["round"], how=method, scores=scores, mean=mean)
    for draft in update.get("drafts") or []:
        yield make_note("group.draft", number=draft.number, sentence=flatten_line(draft.sentence))
    for answer in update.get("confirmations") or []:
        key = "accepts" if answer.accepts else "no_answer" if answer.fault else "rejects"
        yield make_note(f"group.{key}", number=answer.draft, who=answer.who, reason=shorten_text(answer.reason))
    for review in update.get("reviews") or []:
        yield make_note("group.reviewed", who=review.voter)
    for poll in update.get("polls") or []:
        yield from describe_poll(poll.model_dump(mode="json"), settings.model_dump(mode="json"), language, poll.event)
    for entry in update.get("ballots") or []:
        yield make_note("group.cast", who=entry.ballot.voter)


def list_drafts(document: Mapping[str, Any], round: int | None = None) -> Iterator[str]:
    """Yield each draft of the shared position with the names that accept it, then every objection to it.

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
        participant_name = join_words(document["language"], names)
        yield display_phrase(
            f"group.{key}",
            number=draft["number"],
            sentence=sentence,
            seats=seats,
            count=len(names),
            who=participant_name,
        )
        for answer in answers:
            if not answer["accepts"]:
                key = "no_answer" if answer["fault"] else "rejects"
                yield display_phrase(
                    f"group.{key}", number=draft["number"], who=answer["who"], reason=flatten_line(answer["reason"])
                )


def describe_poll(
    poll: Mapping[str, Any], settings: Mapping[str, Any], language: str, event: str = ""
) -> Iterator[Paragraph | TableBlock]:
    """Yield blocks that describe a vote: a heading, then the count or the reason for no count.

    `event`: a single step of the vote to describe; empty for the complete vote. Only the first step has a heading.
    """
    tally, report_phrase = poll["tally"], partial(translate_report_phrase, language)
    if event in ("", "initiated", "not_held"):
        yield Paragraph(describe_vote_start(poll, language))
        if event or not tally:
            yield _list_options(poll, language)
    if tally is None:
        if event != "initiated":
            yield Paragraph(report_phrase(f"poll_events.{poll['event']}"))
            if poll["refused"]:
                yield Paragraph(report_phrase("votes.refused", who=join_words(language, poll["refused"])))
        return
    winner = translate_answer(tally["winner"], "", language) if tally["winner"] else report_phrase("votes.nobody")
    yield from map(Paragraph, describe_count(tally, winner, language))
    yield _list_options(poll, language)
    if cycle := ((poll["report"] or {}).get("condorcet") or {}).get("cycle"):
        yield Paragraph(report_phrase("votes.cycle", cycle=" > ".join(cycle)))
    if reason := explain_no_winner(tally, settings.get("count") or {}, language):
        yield Paragraph(reason)
    if poll["ballots"]:
        head = [report_phrase(f"votes.{key}") for key in ("voter", "ballot", "reason")]
        ballots = [(ballot, format_ballot(ballot, language)) for ballot in poll["ballots"]]
        yield TableBlock(
            "", head, [[ballot["voter"], text, shorten_text(ballot["reason"])] for ballot, text in ballots]
        )
    else:
        yield _make_note(language, "group.secret", count=tally["votes"] + tally["abstentions"] + tally["excluded"])


def describe_vote_start(poll: Mapping[str, Any], language: str) -> str:
    """Return a sentence about when a vote took place and who proposed it."""
    key = "votes.held" if poll["round"] else "votes.held_first"
    sentences = [translate_report_phrase(language, key, number=poll["number"], round=poll["round"])]
    sentences += (
        [translate_report_phrase(language, "votes.proposed", by=poll["initiator"])] if poll["initiator"] else []
    )
    return get_term(language, "headline", "between_sentences").join(sentences)


def describe_count(tally: Mapping[str, Any], winner: str, language: str) -> list[str]:
    """Return lines about a count: its result, its turnout, and the number of ballots without a vote.

    `winner`: name of the winner for display; may be empty.
    """
    values = {
        "winner": winner,
        "turnout": f"{tally['turnout']:.0%}",
        "rule": format_voting_rule(tally["rule"], language),
        "settled": translate_report_phrase(language, f"settled.{tally['status']}"),
    }
    return [
        translate_report_phrase(language, "votes.counted", **values),
        *(
            translate_report_phrase(language, f"votes.left_out_{group}", count=tally[group])
            for group in ("abstentions", "invalid", "excluded")
            if tally[group]
        ),
    ]


def explain_no_winner(tally: Mapping[str, Any], settings: Mapping[str, Any], language: str) -> str:
    """Return why a count has no winner; empty if it has one or if there is nothing to explain.

    `settings`: settings of the run.
    """
    totals, outcome, rule = tally["totals"], tally["status"], tally["rule"]
    display_phrase = partial(translate_display_phrase, language)
    if outcome == "no_quorum":
        valid_voter_count = tally["votes"] + tally["abstentions"] + tally["excluded"]
        needed_share = _format_fraction(settings.get("quorum", 0.5))
        return display_phrase("group.no_quorum", present=valid_voter_count, voters=tally["voters"], needed=needed_share)
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


def _list_options(poll: Mapping[str, Any], language: str) -> TableBlock:
    totals = poll["tally"]["totals"] if poll["tally"] else {}
    option_texts = {**poll["options"], **{option: "" for option in totals if option not in poll["options"]}}
    labels = {sign: translate_answer(sign, "", language) for sign in option_texts}
    keys = ["sign", *(["total"] if totals else []), *([] if labels == option_texts else ["option"])]
    rows = [
        {"sign": labels[sign], "total": f"{totals.get(sign, 0):g}", "option": shorten_text(text)}
        for sign, text in option_texts.items()
    ]
    head = [translate_report_phrase(language, f"votes.{key}") for key in keys]
    return TableBlock("", head, [[row[key] for key in keys] for row in rows])


def format_ballot(ballot: Mapping[str, Any], language: str) -> str:
    """Format a ballot as a short text."""
    comma = get_term(language, "lists", "comma")
    if ballot["invalid"] or ballot["abstain"]:
        return translate_report_phrase(language, "votes.invalid" if ballot["invalid"] else "votes.abstained")
    if ballot["ranking"] is not None:
        return " > ".join(ballot["ranking"])
    if ballot["scores"] is not None:
        return comma.join(f"{name} {score:g}" for name, score in ballot["scores"].items())
    return comma.join((ballot["approvals"] if ballot["choice"] is None else [ballot["choice"]]) or []) or "–"


def format_voting_rule(rule: str, language: str) -> str:
    """Return the name of a voting rule in words, or its id if no phrase exists."""
    label = get_label(language, "count_rules", rule)
    return rule.replace("_", " ") if label == rule else label


def _make_note(language: str, key: str, /, **values: object) -> Paragraph:
    return Paragraph(translate_display_phrase(language, key, **values))


def _format_fraction(share: float) -> str:
    return str(Fraction(share).limit_denominator(1000))


def shorten_text(text: str) -> str:
    """Return a text on one line, cut to `TEXT_LIMIT` characters."""
    return clip_text(flatten_line(text), TEXT_LIMIT)


def list_position_blocks(document: Mapping[str, Any]) -> list[Block]:
    """Return a heading, and a line of answers for each moment at which Moot asked; empty without answers."""
    report_phrase = partial(translate_report_phrase, document["language"])
    answers = [entry for entry in document.get("positions") or [] if entry["answer"] and entry["who"] != SYNTHESIZER]
    answers.sort(key=itemgetter("turn"))
    lines = []
    for _, group in groupby(answers, key=itemgetter("turn")):
        moment = list(group)
        texts = report_phrase("positions.between").join(_format_entry(entry, document["language"]) for entry in moment)
        lines.append(report_phrase(f"positions.{moment[0]['when']}", round=moment[0]["round"], positions=texts))
    return [Heading(report_phrase("positions.title")), BulletList(lines)] if lines else []


def _format_entry(entry: Mapping[str, Any], language: str) -> str:
    report_phrase = partial(translate_report_phrase, language)
    values = {"who": entry["who"], "answer": translate_answer(entry["answer"], entry["unit"], language)}
    if entry["certainty"] is None:
        return report_phrase("positions.one", **values)
    values["certainty"] = f"{entry['certainty']:.0f}"
    if not entry["stance"]:
        return report_phrase("positions.sure", **values)
    return report_phrase("positions.standing", **values, stance=report_phrase(f"positions.{entry['stance']}"))


def format_answer(document: Mapping[str, Any]) -> str:
    """Return the run's answer and its source as a text; empty if the document has no answer."""
    run_answer, language = document.get("runAnswer"), document["language"]
    if not run_answer:
        return ""
    report_phrase = partial(translate_report_phrase, language)
    if run_answer["tied"]:
        options, answers = document["settings"].get("options", {}), []
        for option in run_answer["tied"]:
            text = translate_answer(option, run_answer["unit"], language)
            answers.append(text if options.get(option, "") in ("", text) else f"{text} ({options[option]})")
        return report_phrase("positions.tied", answers=get_term(language, "lists", "comma").join(answers))
    answer = translate_answer(run_answer["answer"], run_answer["unit"], language)
    answer = f"{answer} ({run_answer['text']})" if run_answer["text"] not in ("", answer) else answer
    count, total = run_answer["held"].get(run_answer["answer"], 0), sum(run_answer["held"].values())
    key = "held" if run_answer["by"] == "positions" else run_answer["by"]
    return report_phrase(f"positions.{key}", answer=answer, count=count, all=total)


def translate_answer(answer: str, unit: str, language: str) -> str:
    """Return an answer for display: a side in words, a number with its unit, or the id of an option."""
    label = get_label(language, "sides", answer)
    return f"{answer} {unit}".strip() if label == answer else label
