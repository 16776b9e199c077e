"""How well the default rule does on labelled dialogues, and beside it the reference rule and no rule."""

import pytest
from dialogues import GO_ON, LANGUAGES, conceding, dialogues, last_words, macro, recalls, verdict
from moot.state.ending import find_ending, measure_convergence
from places import ROOT

FULL = {
    "en": "The line would carry twelve thousand passengers a day and take four hundred lorries off the ring road.",
    "es": "La línea llevaría doce mil viajeros diarios y quitaría de la ronda cuatrocientos camiones cada día.",
    "zh": "这条线路每天可以运送一万两千名乘客，还能让环路上少跑四百辆卡车，所以商会也支持这个项目。",
}


@pytest.mark.parametrize("part", ["dev", "held"])
def test_debates_end_for_the_right_reason_and_hardly_ever_too_soon(part: str) -> None:
    found = dialogues("debate", part)
    assert len(found) >= 55
    assert recalls(found)[GO_ON] >= 0.95
    assert macro(found) >= 0.9
    assert min(macro(each for each in found if each.language == language) for language in LANGUAGES) >= 0.85


@pytest.mark.parametrize("part", ["dev", "held"])
def test_groups_end_for_the_right_reason(part: str) -> None:
    found = dialogues("group", part)
    assert len(found) >= 24
    assert recalls(found)[GO_ON] >= 0.95
    assert macro(found) >= 0.9


@pytest.mark.parametrize("other", ["lexical", "never"])
def test_the_default_rule_is_far_better_than_the_reference_and_than_none(other: str) -> None:
    found = dialogues("debate", "held")
    assert macro(found) >= macro(found, other) + 0.4
    assert recalls(found)[GO_ON] >= recalls(found, other)[GO_ON]


def test_no_debate_that_must_go_on_is_stopped_on_its_way() -> None:
    going_on = [each for part in ("dev", "held") for each in dialogues("debate", part) if each.label == GO_ON]
    stopped = [
        each.name
        for each in going_on
        for end in range(4, len(each.turns))
        if find_ending(each.turns[:end], topic=each.topic)
    ]
    assert stopped == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("label", "floor"), [("concession", 0.9), (GO_ON, 0.97)])
def test_last_words_are_read_as_they_are_meant(language: str, label: str, floor: float) -> None:
    texts = [text for spoken, meant, text in last_words() if (spoken, meant) == (language, label)]
    found = [find_ending([("A", "…"), ("B", "…"), ("A", "…"), ("B", text)]) for text in texts]
    conceded = [ending is not None and ending.reason == "concession_detected" for ending in found]
    assert sum(hit == (label == "concession") for hit in conceded) / len(texts) >= floor


def test_the_page_says_what_is_found_in_words_no_rule_was_made_for() -> None:
    page = (ROOT / "docs" / "stopping.md").read_text("utf-8")
    en, es, zh = (conceding("fresh_words", language) for language in LANGUAGES)
    found, stops = en.found + es.found + zh.found, en.stops + es.stops + zh.stops
    assert f"finds {found} of 48 concessions: {en.found} of 24 in English, {es.found} of 12 in Spanish" in page
    assert f"{zh.found} of 12 in Chinese; {found} of its {stops} stops are right" in page
    lexical = [conceding("fresh_words", language, "lexical") for language in LANGUAGES]
    assert (sum(one.found for one in lexical), sum(one.stops for one in lexical)) == (0, 4)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("label", ["stalemate_disengagement", GO_ON])
def test_talk_that_has_run_dry_is_told_from_short_talk(language: str, label: str) -> None:
    pairs = [
        text.split(" | ") for spoken, meant, text in last_words("last_pairs") if (spoken, meant) == (language, label)
    ]
    full = FULL[language]
    found = [find_ending([("A", full), ("B", full[::-1]), ("A", one), ("B", two)]) for one, two in pairs]
    assert sum((ending.reason if ending else GO_ON) == label for ending in found) / len(pairs) >= 0.9


TALK = [("Ann", "Thursday at ten?"), ("Ben", "The vendor review would have to move."), ("Cleo", "Mondays are full.")]


@pytest.mark.parametrize(
    ("round_two", "agreeing"),
    [
        (
            ["So, Thursday at ten.", "Fine with me, the review is moved.", "Good, I'm in favour."],
            ["Ann", "Ben", "Cleo"],
        ),
        (["So, Thursday at ten.", "Fine with me.", "I can't support that, the office is closed."], ["Ben"]),
        (["So, Thursday at ten.", "Agreed, but who opens the door?", "Me too."], []),
        (["I don't agree.", "I agree that it is late.", "Whatever you decide."], []),
        (["Agreed.", "Works for me.", "If the office is open, I agree."], ["Ann", "Ben"]),
    ],
)
def test_agreement_is_what_each_says_for_it_net_of_what_it_says_against(
    round_two: list[str], agreeing: list[str]
) -> None:
    turns = [*TALK, *zip(("Ann", "Ben", "Cleo"), round_two, strict=True)]
    scores = measure_convergence(turns, speakers=["Ann", "Ben", "Cleo", "Dora"]).scores
    assert [name for name, score in scores.items() if score >= 0.8] == agreeing
    assert scores["Dora"] == 0


def test_an_objection_is_quoted_with_its_statement() -> None:
    turns = [*TALK, ("Ann", "Agreed."), ("Ben", "Fine with me."), ("Cleo", "I object: the office is closed.")]
    cleo = measure_convergence(turns, speakers=["Ann", "Ben", "Cleo"]).agreements[2]
    assert (cleo.objection, cleo.evidence.turns) == ("I object: the office is closed.", [6])


def test_consensus_in_everybodys_own_words_is_no_stalemate() -> None:
    agreed = [each for part in ("dev", "held") for each in dialogues("group", part) if each.label == "consensus"]
    assert [each.name for each in agreed if find_ending(each.turns, topic=each.topic)] == []
    assert {verdict(each) for each in agreed} == {"consensus"}
