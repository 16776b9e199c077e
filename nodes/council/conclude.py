"""Final answer of the chairman. It cites the answers, rankings and critiques."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ...prompts import Templates, join_words, load_phrases
from ...state import Ending, FencedText, Participant, Update, neutralize_line, quote_words
from ...state.council import UNRANKED_ENDING, CouncilClosingState, CouncilSettings, CouncilState, Review
from ..ask import Prompt, build_participant_call, build_prompt, build_role_call, estimate_words
from ..citation_check import format_turn_ranges, make_history_check, write_synthesis
from ..consensus.vote_options import format_option_letter
from ..outcome import build_outcome, describe_ending, write_if_spoken

CONCLUDE_FIELDS = "name chair ending rankings count turns words language"


def conclude(templates: Templates) -> Callable[..., object]:
    """Build the last node of a council, which writes the final answer."""

    async def conclude(state: CouncilClosingState, settings: CouncilSettings) -> Update:
        """Write the final answer and the outcome.

        Reads the task, floor, round, turn, record, view_limits, ending, reviews, polls, concordance; writes outcome,
        synthesis, calls, incidents.
        """
        ending = state["ending"] or UNRANKED_ENDING
        prompt, call = (
            _build_prompt(state, templates, ending, settings),
            build_role_call(state, "synthesizer", "synthesis"),
        )
        if member := find_chairman(state, settings):
            call = replace(
                build_participant_call(state, member, "synthesis"),
                max_tokens=call.max_tokens,
                temperature=call.temperature,
                reserve=call.reserve,
            )
        citations = make_history_check(state["history"], settings)
        text, calls, incidents = await write_if_spoken(state, lambda: write_synthesis(prompt, call, citations))
        outcome = build_outcome(state, ending, [*state["calls"], *calls], [*state["incidents"], *incidents], bool(text))
        if ending == UNRANKED_ENDING and outcome.status == "completed":
            outcome = outcome.model_copy(update={"status": "partial"})
        return Update(outcome=outcome, synthesis=text, calls=calls, incidents=incidents)

    return conclude


def find_chairman(state: CouncilState, settings: CouncilSettings) -> Participant | None:
    """Return the member that is the chairman, or `None` if the synthesizer writes the final answer."""
    return next((member for member in state["participants"] if member.name == settings.chairman), None)


def _build_prompt(state: CouncilState, templates: Templates, ending: Ending, settings: CouncilSettings) -> Prompt:
    member, language = find_chairman(state, settings), settings.language
    name, persona = (member.name, member.persona) if member else ("", "")
    key = "chair.member" if member else "chair.outside"
    values = {
        "name": name,
        "chair": load_phrases("council").translate_phrase(language, key, name=name, persona=persona),
        "ending": FencedText(describe_ending(ending, state, quote_words)),
        "rankings": FencedText(
            "\n".join(line for review in state["reviews"] for line in _format_ranking_lines(review, language)) or "–"
        ),
        "count": FencedText("\n".join(_format_count_lines(state, language)) or "–"),
        "turns": format_turn_ranges([statement.turn for statement in state["history"]]) or "–",
        "words": estimate_words(settings.max_tokens_synthesis, language),
    }
    return replace(build_prompt(state, templates, "conclude", values), history=state["history"])


def _format_ranking_lines(review: Review, language: str) -> Iterator[str]:
    translate, ranker = load_phrases("council").translate_phrase, neutralize_line(review.voter)
    if not review.ranking:
        yield translate(language, "told.unranked", who=ranker)
        return
    letters = join_words(
        language, [f"{format_option_letter(index)} = [{turn}]" for index, turn in enumerate(review.shown_turns)]
    )
    yield translate(
        language, "told.ranking", who=ranker, order=" > ".join(f"[{turn}]" for turn in review.ranking), letters=letters
    )
    yield from (
        translate(language, "told.critique", turn=critique.turn, text=quote_words(critique.text))
        for critique in review.critiques
    )


def _format_count_lines(state: CouncilState, language: str) -> Iterator[str]:
    translate, concordance = load_phrases("council").translate_phrase, state["concordance"]
    for poll in state["polls"]:
        totals = poll.tally.totals if poll.tally else {}
        for statement in state["history"]:
            if statement.speaker in totals and statement.speaker in concordance.mean_place:
                total, mean_rank = totals[statement.speaker], concordance.mean_place[statement.speaker]
                values = {"total": f"{total:g}", "place": f"{mean_rank:.2f}", "turn": statement.turn}
                yield translate(language, "told.total", rankings=concordance.ranked_by[statement.speaker], **values)
        if poll.report and poll.report.condorcet.cycle:
            yield translate(
                language, "told.cycle", circle=" > ".join(_format_turns(state, poll.report.condorcet.cycle))
            )
        if poll.tally and not poll.tally.winner:
            key = "told.tied" if poll.tally.status == "tied" else "told.undecided"
            yield translate(language, key, answers=join_words(language, _format_turns(state, poll.tally.winners)))


def _format_turns(state: CouncilState, authors: list[str]) -> list[str]:
    turn_by_author = {statement.speaker: statement.turn for statement in state["history"]}
    return [f"[{turn_by_author[author]}]" for author in authors]
