"""The report as a story: the verdict first, then how it was shared out and how it came about, then everything else."""

import re
from typing import Any

import pytest
from moot.app.report import render_html
from moot.prompts import LANGUAGES, get_term, load_phrases
from moot.state.debate import DebateSettings
from moot.state.ending import Evidence, Outcome
from moot.state.records import Call
from moot.state.statement import Participant, Statement
from records.documents import WORDS, by_hand

CAST = [Participant(name="PRO", side="pro"), Participant(name="CON", side="con")]


def verdict(shown: str) -> str:
    [told] = re.findall(r'<p class="verdict"[^>]*>(.*?)</p>', shown, re.DOTALL)
    return str(told)


def plain(shown: str) -> str:
    body = re.sub(r"<(style|script)[^>]*>.*?</\1>", "", shown, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


CONCEDED = Evidence(turns=[3], quote="I give in.")
VERDICTS = [
    ("en", "concession_detected", "PRO conceded to CON in turn 3."),
    ("es", "concession_detected", "PRO cedió ante CON en el turno 3."),
    ("zh", "concession_detected", "PRO在第 3 次发言中向CON让步。"),
    ("en", "stalemate_repetition", "Nobody conceded: after 2 statements both sides only repeated themselves."),
    ("en", "max_turns_reached", "Nobody conceded in 2 statements."),
]


@pytest.mark.parametrize(("language", "reason", "told"), VERDICTS)
def test_a_debate_says_in_one_sentence_what_came_of_it(language: str, reason: str, told: str) -> None:
    outcome = Outcome(reason=reason, evidence=CONCEDED, headline="It ended.", status="completed")
    settings = DebateSettings(model="openai:x", language=language)
    assert verdict(render_html(by_hand(outcome=outcome, settings=settings, participants=CAST, incidents=[]))) == told


FAILED = "Not finished: stopped after turn 3 because CON could no longer be reached."


@pytest.mark.parametrize(("status", "headline"), [("failed", FAILED), ("partial", "Ended after turn 3: PRO conceded.")])
def test_a_run_that_failed_or_lacks_something_tells_that_as_its_verdict(status: Any, headline: str) -> None:
    outcome = Outcome(reason="concession_detected", evidence=CONCEDED, headline=headline, status=status)
    html = render_html(by_hand(outcome=outcome))
    assert verdict(html) == headline
    assert ('class="ended failed"' in html) == (status == "failed")


@pytest.mark.parametrize(
    ("status", "said"),
    [("completed", "PRO conceded to CON in turn 3."), ("partial", "Ended after turn 3: Dr. No conceded.")],
)
def test_what_went_wrong_stands_below_a_verdict_of_one_sentence(status: Any, said: str) -> None:
    missing = "1 of 3 statements missing: Dr. No (timeout) in turn 2. 2 incidents lowered the quality."
    text = f"Ended after turn 3: Dr. No conceded. {missing}"
    outcome = Outcome(reason="concession_detected", evidence=CONCEDED, headline=text, status=status)
    html = render_html(by_hand(outcome=outcome))
    assert f'<p lang="en">{missing}</p>' in html
    assert verdict(html) == said


@pytest.mark.parametrize(
    ("protocol", "told"),
    [
        ("consensus", "The group chose “.*” by vote."),
        ("discussion", "3 participants made 6 statements, the maximum."),
        ("panel", r"4 experts answered from \d papers."),
        ("justice", "The group adopted"),
    ],
)
def test_every_protocol_has_a_verdict(protocol: str, told: str, documents: dict[str, dict[str, Any]]) -> None:
    assert re.search(told, verdict(render_html(documents[protocol])))


def test_a_vote_s_verdict_is_the_option_in_full_told_once(documents: dict[str, dict[str, Any]]) -> None:
    consensus = documents["consensus"]
    option = consensus["polls"][-1]["options"][consensus["polls"][-1]["tally"]["choice"]]
    evidence = Evidence(quote=option, figure=3, note="outright").model_dump()
    html = render_html(consensus | {"terminationReason": "vote_decided", "evidence": evidence})
    assert verdict(html) == f"The group chose “{option.rstrip('.')}” by vote."
    assert "<blockquote" not in html[: html.index("</header>")]


def test_a_consensus_that_nobody_weighed_is_told_by_its_headline(documents: dict[str, dict[str, Any]]) -> None:
    consensus = documents["consensus"] | {"terminationReason": "consensus_reached", "headline": "They agreed."}
    assert re.fullmatch(
        r"The group agreed in round \d: agreement 0\.\d\d, .* was needed \(declared, not confirmed\)\.",
        verdict(render_html(consensus)),
    )
    assert verdict(render_html(consensus | {"agreements": []})) == "They agreed."


def test_the_order_is_that_of_a_story(documents: dict[str, dict[str, Any]]) -> None:
    html = render_html(documents["consensus"])
    order = ['class="verdict"', 'class="bars"', 'id="closing"', 'id="talk"', 'id="votes"', 'id="record"']
    assert [html.index(one) for one in order] == sorted(html.index(one) for one in order)
    record = html[html.index('<section id="record"') :]
    assert re.findall(r'<details id="(\w+)">', record) == ["about", "cost", "memory", "rules"]


def segments(shown: str) -> list[tuple[str, str]]:
    [drawn] = re.findall(r'<figure class="bars" id="glance-1".*?</figure>', shown, re.DOTALL)
    return re.findall(r'<rect class="([\w-]+)" .*?width="([\d.]+)"', drawn)


def test_the_first_bar_shows_ballots_in_proportion_and_what_was_chosen(documents: dict[str, dict[str, Any]]) -> None:
    consensus = documents["consensus"]
    poll = consensus["polls"][-1]
    tally = poll["tally"] | {"rule": "plurality", "totals": {"A": 3, "B": 1, "C": 0}, "winner": "A", "choice": "A"}
    tally |= {"votes": 4}
    options = {"A": "Yes.", "B": "No.", "C": "Later."}
    html = render_html(consensus | {"polls": [poll | {"options": options, "tally": tally, "report": None}]})
    assert segments(html) == [("winner", "75.0"), ("bar", "25.0"), ("bar", "0.0")]
    assert "an option can get at most 4" in plain(html)
    assert "“Yes” wins" in html
    assert "C Later. 0" in plain(html)
    undecided = render_html(
        consensus | {"polls": [poll | {"options": options, "tally": tally | {"winner": None, "choice": None}}]}
    )
    assert [kind for kind, _ in segments(undecided)] == ["bar", "bar", "bar"]
    assert "No option wins" in undecided


def test_a_vote_is_drawn_by_the_figure_of_its_own_rule(documents: dict[str, dict[str, Any]]) -> None:
    consensus = documents["consensus"]
    tally = consensus["polls"][-1]["tally"]
    chart = render_html(consensus).partition('id="glance-1"')[2].partition("</figure>")[0]
    counts = re.findall(r'class="count">([\d.]+)', chart)
    assert sorted(map(float, counts)) == sorted(tally["totals"].values())
    assert "ranked pairs" in plain(chart)
    runoff = tally | {"rule": "instant_runoff", "rounds": [{"A": 1, "B": 2}, {"B": 3}], "winner": "B", "choice": "B"}
    html = render_html(consensus | {"polls": [consensus["polls"][-1] | {"tally": runoff}]})
    assert segments(html)[0] == ("winner", "100.0")
    assert {length for _, length in segments(html)[1:]} == {"0.0"}


def test_one_option_against_another_is_folded_and_a_cycle_is_open(documents: dict[str, dict[str, Any]]) -> None:
    consensus = documents["consensus"]
    head = render_html(consensus).partition("</header>")[0]
    assert '<details class="folded">\n<summary>One against one' in head
    poll = consensus["polls"][-1]
    cycle = poll | {"report": poll["report"] | {"condorcet": {"winner": None, "cycle": ["A", "B", "C"], "top": []}}}
    head = render_html(consensus | {"polls": [cycle]}).partition("</header>")[0]
    assert '<details class="folded" open>\n<summary>One against one' in head
    assert "A &gt; B &gt; C" in head


def test_an_experiment_shows_what_was_paid_and_itself_in_short(documents: dict[str, dict[str, Any]]) -> None:
    html = render_html(documents["justice"])
    paid = [payoff["payoff_cents"] for payoff in documents["justice"]["phase2"]["payoffs"].values()]
    chart = html.partition('id="glance-1"')[2].partition("</figure>")[0]
    assert f"paid ${min(paid) / 100:.2f} to ${max(paid) / 100:.2f}" in plain(chart)
    assert chart.count('class="tick"') == 4 * len(paid)
    result = plain(html[html.index('<section id="result"') : html.index('<section id="talk"')])
    assert f"${sum(paid) / len(paid) / 100:.2f} on average, ${min(paid) / 100:.2f} to ${max(paid) / 100:.2f}" in result
    assert re.search(r"Ranked it first at the end \d of 3", result)
    assert html.index("Principle in force") < html.index('<section id="talk"')


def test_wherever_numbers_stand_for_principles_their_key_stands_first(documents: dict[str, dict[str, Any]]) -> None:
    html = render_html(documents["justice"])
    for name in ("votes", "payoffs", "rankings", "applications"):
        section = html[html.index(f'<section id="{name}"') :]
        assert section.index('aria-label="Principles by number"') < section.index("<table")


def stood(when: str, turn: int, who: str, answer: str, certainty: float = 70, number: float | None = None) -> Any:
    place = {"round": turn // 2, "turn": turn, "when": when, "who": who, "unit": ""}
    return place | {"answer": answer, "certainty": certainty, "number": number}


def test_a_debate_is_drawn_as_a_lane_for_each_side_with_its_private_position() -> None:
    stands = [stood("before", 0, "PRO", "for"), stood("before", 0, "CON", "against", 90)]
    stands += [stood("round", 2, "PRO", "for", 60) | {"stance": "partly"}, stood("round", 2, "CON", "against", 80)]
    stands += [stood("round", 4, "PRO", "undecided", 20), stood("round", 4, "judge", "for")]
    statements = [
        Statement(turn=turn, round=turn, speaker=CAST[(turn + 1) % 2].name, content="Well.") for turn in (1, 2, 3)
    ]
    html = render_html(by_hand(participants=CAST, history=statements, incidents=[]) | {"positions": stands})
    chart = html.partition('id="glance-1"')[2].partition("</figure>")[0]
    assert "PRO conceded in turn 3" in chart
    assert "PRO: 1 partly for 60; 3 concedes undecided 20. CON: 2 holds against 80" in chart
    assert re.findall(r'class="glyph (\w+)"', chart)[:3] == ["partly", "concede", "hold"]
    text = plain(html)
    assert "before after round 1 after round 2 PRO for (70) for (60) undecided (20)" in text
    assert "100 is certainly for, −100 certainly against, and 0 undecided" in text


def test_positions_that_are_numbers_are_drawn_and_not_shared_out() -> None:
    stands = [stood("before", 0, "PRO", "3", number=3), stood("before", 0, "CON", "9", number=9)]
    stands += [stood("after", 4, "PRO", "5", number=5), stood("after", 4, "CON", "6", number=6)]
    html = render_html(by_hand(participants=CAST) | {"positions": stands})
    assert "Positions, at the end" not in html
    assert re.search(r'id="stands-1".*?text-anchor="end">10<.*?>Round</text>', html, re.DOTALL)


def test_the_date_stands_once_and_other_days_are_told() -> None:
    statements = [
        Statement(turn=turn, round=turn, speaker="PRO", content="Well.", at=f"2026-01-0{turn}T00:00:01Z")
        for turn in (1, 2)
    ]
    text = plain(render_html(by_hand(history=statements, incidents=[])))
    assert text.count("2026-01-01") == 1
    assert text.count("2026-01-02 00:00:01") == 1


def test_several_models_stand_in_the_head_and_with_their_costs() -> None:
    calls = [Call(purpose="statement", model=model, input_tokens=5) for model in ("openai:x", "openai:y", "openai:x")]
    html = render_html(by_hand(calls=calls))
    assert "x · y" in plain(html[: html.index("</header>")])
    assert "Calls by model" in html


@pytest.mark.parametrize("protocol", WORDS)
def test_an_ordinary_report_weighs_less_than_150_kb(protocol: str, documents: dict[str, dict[str, Any]]) -> None:
    assert len(render_html(documents[protocol]).encode()) < 150_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_verdicts_are_sentences_in_every_language(language: str) -> None:
    for key in load_phrases("report").list_keys("verdicts"):
        assert load_phrases("report")._texts[language][f"verdicts.{key}"].endswith((".", "。"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["missing", "no_synthesis", "nothing_said", "other", "one_other"])
def test_a_verdict_ends_where_a_headline_goes_on_to_what_is_missing(language: str, key: str) -> None:
    lacking = get_term(language, "headline", key, count=2, turns=9, details="Dr. No: 2")
    term = get_term(language, "headline", "ended", turns=9, ending="Dr. No conceded. 3 others")
    headline = get_term(language, "headline", "between_sentences").join([term, lacking])
    outcome = Outcome(reason="concession_detected", headline=headline, status="partial")
    html = render_html(by_hand(outcome=outcome, settings=DebateSettings(model="openai:x", language=language)))
    assert verdict(html) == term
    assert f">{lacking}</p>" in html


def test_the_chart_of_a_vote_is_drawn_once(documents: dict[str, dict[str, Any]]) -> None:
    counted = [poll for poll in documents["consensus"]["polls"] if poll["tally"]]
    assert render_html(documents["consensus"]).count('<figure class="bars"') == len(counted) > 0
