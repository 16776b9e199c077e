"""How debates end: by concession, stalemate or the cap, each with its evidence; and what the synthesis has to show."""

from collections.abc import Callable
from typing import Any

import pytest
from chats.scripted import ScriptedReply
from deliberations.debate import REST, SYNTHESIS, TOPIC, Debaters, SentPrompt, fails, hold, line, transcript, turn_of
from langchain_core.exceptions import ContextOverflowError
from moot.graphs import debate

CONCESSION = (
    "Fair point, and after all that was said I concede: the whole city would be better off without cars downtown."
)
REPEATED = (
    "Downtown streets without private vehicles would certainly become cleaner, quieter, safer, greener and happier."
)


def saying(**lines: str) -> Callable[[SentPrompt], ScriptedReply | None]:
    """A script with other lines in some turns: `saying(turn_5="…")`."""
    return lambda prompt: lines.get(f"turn_{turn_of(prompt)}")


def ends(script: Any, rule: str = "lexical", **context: Any) -> tuple[Any, Debaters]:
    ended, model = hold(script, stop_rule=rule, dynamic_termination=True, **{"max_turns": 12, **context})
    return ended, model


def test_a_concession_in_turn_five_ends_the_debate_there_with_its_words() -> None:
    ended, model = ends(saying(turn_5=CONCESSION))
    assert transcript(ended)[-1] == (5, "Ada")
    outcome = ended["outcome"]
    assert (outcome.reason, outcome.strategy, outcome.status) == ("concession_detected", "lexical", "completed")
    assert outcome.evidence.turns == [5]
    assert outcome.evidence.quote.lower() in CONCESSION.lower()
    assert "Ada conceded in turn 5" in outcome.headline
    assert "Ada conceded in turn 5" in model.prompts[-1].private, "the synthesizer is told how it ended"
    assert len(model.prompts) == 6


def test_nothing_is_decided_before_four_statements_stand() -> None:
    ended, _ = ends(saying(turn_2=CONCESSION, turn_3=CONCESSION))
    assert len(ended["history"]) == 12


def test_evidence_names_turns_as_they_are_numbered_even_after_a_missed_one() -> None:
    def script(prompt: SentPrompt) -> ScriptedReply | None:
        return fails(2)(prompt) or saying(turn_6=CONCESSION)(prompt)

    ended, _ = ends(script)
    assert ended["outcome"].evidence.turns == [6]
    assert ended["history"][-1].turn == 6


def test_statements_that_share_their_words_end_as_repetition() -> None:
    ended, _ = ends(lambda prompt: f"{REPEATED} {REST} Turn {turn_of(prompt)}." if turn_of(prompt) > 2 else None)
    outcome = ended["outcome"]
    assert outcome.reason == "stalemate_repetition"
    assert outcome.evidence.turns == [3, 4, 5, 6]
    assert outcome.evidence.figure > outcome.evidence.threshold == 0.6


def test_two_short_statements_end_as_disengagement() -> None:
    ended, _ = ends(saying(turn_6="No, not at all.", turn_7="As I said before."))
    assert (ended["outcome"].reason, ended["outcome"].evidence.turns) == ("stalemate_disengagement", [6, 7])


@pytest.mark.parametrize("rule", ["asked", "lexical", "judge"])
def test_without_dynamic_termination_it_always_runs_to_the_cap(rule: str) -> None:
    ended, model = hold(lambda prompt: CONCESSION if turn_of(prompt) > 3 else None, stop_rule=rule, max_turns=8)
    assert len(ended["history"]) == 8
    assert ended["outcome"].reason == "max_turns_reached"
    assert (ended["outcome"].evidence.figure, ended["outcome"].evidence.threshold) == (8, 8)
    assert len(model.prompts) == 9, "and no judge is asked"


def judged(prompt: SentPrompt, **verdict: Any) -> ScriptedReply | None:
    whole = {"reason": "continue", "quote": "", "turn": 0, "confidence": 0.9} | verdict
    return whole if prompt.purpose == "judgement" else None


def asked_after(model: Debaters) -> list[int]:
    """The statements the judge had seen whenever it was asked."""
    return [
        judgement.human.count("\n<statement turn=") + judgement.human.startswith("<statement")
        for judgement in judgements(model)
    ]


def judgements(model: Debaters) -> list[SentPrompt]:
    return [prompt for prompt in model.prompts if prompt.purpose == "judgement"]


@pytest.mark.parametrize(("every", "due"), [(4, [4, 8]), (2, [4, 6, 8, 10]), (5, [5, 10]), (100, [])])
def test_the_judge_is_asked_only_when_it_is_due(every: int, due: list[int]) -> None:
    ended, model = ends(judged, "judge", judge_interval=every, max_turns=11)
    assert asked_after(model) == due
    assert len(ended["history"]) == 11


def test_the_judge_s_verdict_ends_the_debate_with_the_words_it_quotes() -> None:
    verdict = {"reason": "concession_detected", "quote": "wherever engines leave", "turn": 1, "confidence": 0.8}
    ended, model = ends(lambda prompt: judged(prompt, **verdict), "judge")
    assert len(ended["history"]) == 4
    outcome = ended["outcome"]
    assert (outcome.reason, outcome.strategy) == ("concession_detected", "judge")
    assert (outcome.evidence.turns, outcome.evidence.quote) == ([1], "wherever engines leave")
    assert (outcome.evidence.figure, outcome.evidence.threshold) == (0.8, 0.6)
    assert len(judgements(model)) == 1


def test_a_verdict_of_little_confidence_does_not_end_it() -> None:
    verdict = {"reason": "stalemate_repetition", "quote": "wherever engines leave", "turn": 1, "confidence": 0.5}
    ended, _ = ends(lambda prompt: judged(prompt, **verdict), "judge", max_turns=6)
    assert len(ended["history"]) == 6


@pytest.mark.parametrize(
    "wrong",
    [
        {"quote": "words nobody said"},
        {"quote": "wherever engines leave", "turn": 2},
        {"quote": " "},
        {"quote": "."},
        {"quote": "ever engines leave"},
        {"turn": 99},
    ],
)
def test_a_quotation_that_does_not_stand_in_its_turn_is_asked_for_again_and_never_ends_it(
    wrong: dict[str, Any],
) -> None:
    verdict = {"reason": "concession_detected", "quote": "wherever engines leave", "turn": 1, "confidence": 1} | wrong
    ended, model = ends(lambda prompt: judged(prompt, **verdict), "judge", max_turns=5)
    assert len(judgements(model)) == 3
    assert f"turn {verdict['turn']} does not contain the quoted words" in judgements(model)[1].private
    assert len(ended["history"]) == 5
    assert [incident.consequence for incident in ended["incidents"]] == [
        "asked again",
        "asked again",
        "continued unjudged",
    ]


def test_a_judge_that_cannot_be_reached_lets_the_debate_go_on_on_record() -> None:
    ended, _ = ends(lambda prompt: TimeoutError() if prompt.purpose == "judgement" else None, "judge", max_turns=6)
    assert len(ended["history"]) == 6
    assert [incident.who for incident in ended["incidents"]] == ["judge"] * 3
    assert ended["synthesis"] == SYNTHESIS


def test_a_judge_with_a_short_window_pays_for_a_refused_prompt_once() -> None:
    def script(prompt: SentPrompt) -> ScriptedReply | None:
        long = prompt.purpose == "judgement" and len(prompt.human) > 2200
        return ContextOverflowError("context length exceeded") if long else judged(prompt)

    ended, _ = ends(script, "judge", judge_interval=1, max_turns=10)
    outcomes = [call.outcome for call in ended["calls"] if call.who == "judge"]
    assert outcomes.count("ok") == 6
    assert outcomes.count("overflow") <= 2
    assert len(ended["history"]) == 10


def test_neither_the_judge_nor_its_verdict_streams() -> None:
    model = Debaters(script=judged)
    context: Any = {"model": model, "max_turns": 6, "stop_rule": "judge"}
    parts = debate.graph.stream({"topic": TOPIC}, context=context, stream_mode="messages")
    speakers = {known["speaker"] for _, known in parts}
    assert judgements(model)
    assert not any(judgement.streamed for judgement in judgements(model))
    assert speakers == {"PRO", "CON", "synthesizer"}


def closing(*texts: str) -> tuple[Any, list[SentPrompt]]:
    """A debate of four turns with these attempts at a synthesis."""
    contents = list(texts)
    ended, model = hold(lambda prompt: contents.pop(0) if prompt.purpose == "synthesis" else None, max_turns=4)
    return ended, [prompt for prompt in model.prompts if prompt.purpose == "synthesis"]


def test_a_cited_turn_that_does_not_exist_is_asked_for_again_once() -> None:
    ended, asked = closing("Ada said so [1], and [7] too.", "Ada said so [1].")
    assert ended["synthesis"] == "Ada said so [1]."
    assert "it cites turns that do not exist: [7]. The only turns there are: 1–4." in asked[1].private
    assert [incident.kind for incident in ended["incidents"]] == ["rejected"]


def test_and_then_it_is_marked() -> None:
    ended, asked = closing("Ada said so [1], and [99] too.", "In 99 words: Ada [1], then [2, 99].")
    assert ended["synthesis"] == "In 99 words: Ada [1], then [2, 99?]."
    assert len(asked) == 2
    assert [incident.kind for incident in ended["incidents"]] == ["rejected", "citation"]
    assert ended["outcome"].status == "completed"


def test_a_missed_turn_is_not_one_that_can_be_cited() -> None:
    texts = ["First [2].", "First [1]."]

    def script(prompt: SentPrompt) -> ScriptedReply | None:
        return texts.pop(0) if prompt.purpose == "synthesis" else fails(2)(prompt)

    ended, model = hold(script, max_turns=4)
    assert ended["synthesis"] == "First [1]."
    assert "The only turns there are: 1, 3–4." in model.prompts[-1].private


def test_missing_citations_are_an_incident_and_no_failure() -> None:
    ended, asked = closing("Both made their case, and neither moved.")
    assert ended["synthesis"] == "Both made their case, and neither moved."
    assert len(asked) == 1
    assert [(incident.kind, incident.consequence) for incident in ended["incidents"]] == [("no_citation", "kept")]


def test_a_synthesis_that_cannot_be_written_is_said_and_leaves_the_rest_whole() -> None:
    ended, _ = hold(lambda prompt: TimeoutError() if prompt.purpose == "synthesis" else None, max_turns=4)
    assert ended["synthesis"] == ""
    assert [statement.content for statement in ended["history"]] == [line(turn) for turn in range(1, 5)]
    outcome = ended["outcome"]
    assert (outcome.reason, outcome.status) == ("participants_unavailable", "failed")
    assert outcome.evidence.note == "max_turns_reached"
    assert outcome.headline == (
        "Not finished: stopped after turn 4 because the synthesizer gave no usable answer. The synthesis could "
        "not be written."
    )
