"""The report: everything of a run on one page, in the run's language, and nothing in it that a model could make act."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest
from command import document, moot
from moot.app.display.transcript import render_transcript
from moot.app.protocols.justice.report import format_cents
from moot.app.report import render_html, render_markdown
from moot.app.report.blocks import MISSING
from moot.prompts import LANGUAGES, get_term, load_phrases, load_table
from moot.state.count import VOTING_RULES
from moot.state.count.count_result import CountStatus
from moot.state.debate import DebateSettings
from moot.state.ending import Evidence, Outcome
from moot.state.session.log import SessionEvent
from moot.state.statement import MODERATOR, Participant, Statement
from records.documents import SCRIPT, WORDS, by_hand, run


class Read(HTMLParser):
    """A page as a reader of its markup finds it: tags with attributes, headings with texts, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.headings: list[tuple[str, str]] = []
        self.text = ""
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append((tag, ""))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside in ("style", "script"):
            return
        self.text += data
        if self._inside.startswith("h") and self.headings:
            self.headings[-1] = (self.headings[-1][0], self.headings[-1][1] + data)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def anchors(self) -> set[str]:
        return {attributes["id"] for _, attributes in self.tags if "id" in attributes}


EVERYWHERE = {"talk", "record", "about", "cost", "rules"}
SECTIONS = {
    "debate": {"closing"},
    "consensus": {"closing", "stands", "votes", "memory"},
    "discussion": {"log"},
    "panel": {"closing", "papers"},
    "justice": {"result", "stands", "votes", "payoffs", "rankings", "applications", "memory"},
}


@pytest.mark.long
@pytest.mark.parametrize("protocol", SECTIONS)
def test_every_protocol_has_its_sections_and_every_link_of_the_page_leads_somewhere(
    protocol: str, documents: dict[str, dict[str, Any]]
) -> None:
    page = Read(render_html(documents[protocol]))
    anchors = page.anchors()
    assert anchors >= EVERYWHERE | SECTIONS[protocol]
    others = {name for names in SECTIONS.values() for name in names} - SECTIONS[protocol]
    assert not anchors & others
    inward = {one["href"][1:] for one in page.all("a") if one["href"].startswith("#")}
    assert inward <= anchors
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = {name for _, one in page.tags for name in one.get("aria-labelledby", "").split()}
    assert named <= anchors


@pytest.mark.long
@pytest.mark.parametrize("protocol", WORDS)
def test_a_page_needs_nothing_but_itself_and_runs_nothing_but_its_own_script(
    protocol: str, documents: dict[str, dict[str, Any]]
) -> None:
    html = render_html(documents[protocol])
    page = Read(html)
    [script] = re.findall("<script[^>]*>(.*?)</script>", html, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = next(one["content"] for one in page.all("meta") if "Policy" in one.get("http-equiv", ""))
    assert re.findall("script-src ([^;]*)", policy) == [f"'sha256-{digest}'"]
    assert not {"img", "link", "iframe", "object", "embed", "form"} & {tag for tag, _ in page.tags}
    assert not [
        attribute
        for _, attributes in page.tags
        for attribute in attributes
        if attribute.startswith("on") or attribute == "src"
    ]
    assert "url(" not in html
    assert "@import" not in html
    assert any("default-src 'none'" in one.get("content", "") for one in page.all("meta"))


def test_look_ups_stand_folded_below_their_turn_and_in_markdown_by_their_arguments(tmp_path: Path) -> None:
    texts = run([*WORDS["debate"], "--max-turns", "2", "--set", "tools=[library]"], tmp_path)
    (lookup,) = texts["lookups"]
    page = render_html(texts)
    turn = page[page.index('id="turn-1"') : page.index('id="turn-2"')]
    assert re.search(rf'<details id="lookup-{lookup["id"]}">\n<summary>[^<]*library[^<]*</summary>', turn)
    assert lookup["text"] in turn
    assert re.search(r"^- .*L1\\?\.1.*library.*: .*query", render_markdown(texts), re.MULTILINE)


@pytest.mark.parametrize("protocol", [*WORDS, "es", "zh"])
def test_headings_go_down_one_level_at_a_time(protocol: str, documents: dict[str, dict[str, Any]]) -> None:
    levels = [int(tag[1]) for tag, _ in Read(render_html(documents[protocol])).headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


@pytest.mark.parametrize(
    ("language", "said"), [("es", ["Síntesis", "Orden de palabra:"]), ("zh", ["综述", "发言顺序："])]
)
def test_the_page_speaks_the_language_of_the_run(
    language: str, said: list[str], documents: dict[str, dict[str, Any]]
) -> None:
    page = Read(render_html(documents[language]))
    assert page.all("html")[0]["lang"] == language
    assert all(one in page.text for one in said)
    english = {
        load_phrases("report").translate_phrase("en", f"sections.{key}")
        for key in load_phrases("report").list_keys("sections")
    }
    translate_phrases = {
        load_phrases("report").translate_phrase(language, f"sections.{key}")
        for key in load_phrases("report").list_keys("sections")
    }
    assert not {text for _, text in page.headings} & (english - translate_phrases)


def test_another_language_gets_english_words_around_statements_marked_as_its_own() -> None:
    spoken = by_hand()
    spoken["language"] = "fr"
    page = Read(render_html(spoken))
    assert page.all("html")[0]["lang"] == "en"
    assert {one["lang"] for one in page.all("div") if one.get("class") == "prose"} == {"fr"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_report_is_there_in_every_language(language: str) -> None:
    for section in ("talk", "votes", "justice", "events", "kinds", "stages"):
        for key in load_phrases("report").list_keys(section):
            assert load_phrases("report")._texts[language][f"{section}.{key}"].strip()


def test_what_models_write_is_shown_and_cannot_act() -> None:
    html = render_html(by_hand())
    page = Read(html)
    assert page.text.count(SCRIPT) >= 4  # topic, statement, synthesis, memory
    assert "<img src=x onerror=alert(2)>" in page.text
    assert "An <b>optimist</b>." in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
    assert "red and reversed, nothing." in page.text
    assert "{{ 7 * 7 }} {% raw %}" in page.text
    assert not {"img", "b"} & {tag for tag, _ in page.tags}
    assert len(page.all("script")) == 1


def test_links_of_models_lead_to_the_web_or_this_page_and_pass_nothing_on() -> None:
    links = [one for one in Read(render_html(by_hand())).all("a") if not one["href"].startswith("#")]
    assert {link["href"] for link in links} == {"https://example.org/spy.png", "https://example.org/a"}
    assert all(set(link["rel"].split()) == {"noopener", "noreferrer", "nofollow"} for link in links)


def test_cited_turns_are_linked_and_others_are_not() -> None:
    html = render_html(by_hand())
    assert 'PRO gave in [<a href="#turn-3" class="cite">3</a>], CON kept silent [<a href="#turn-2"' in html
    assert '[<a href="#turn-2" class="cite">2</a>; 9]' in html
    assert "<code>[1]</code>" in html
    assert "stolen" not in "".join(one["href"] for one in Read(html).all("a"))


def test_a_cited_paper_is_linked_to_where_it_stands(documents: dict[str, dict[str, Any]]) -> None:
    panel = documents["panel"]
    html = render_html(panel)
    cited = f"[@{panel['papers'][0]['id']}]"
    assert any(cited in turn["content"] for turn in panel["turns"])
    assert f'[<a href="#paper-1" class="cite">@{panel["papers"][0]["id"]}</a>]' in html
    assert panel["papers"][0]["title"] in Read(html).text


def test_the_head_tells_how_it_ended_and_links_the_evidence() -> None:
    html = render_html(by_hand())
    head = html[html.index("<header") : html.index("</header>")]
    assert "PRO conceded to CON in turn 3." in head
    assert "I give in" in head
    assert '<a href="#turn-3">3</a>' in head
    assert "0.9 (threshold 0.6)" in head


def test_a_topic_that_fits_no_heading_is_told_whole_below_one_that_is_clipped() -> None:
    topic = "Should we <b>ban</b> cars?\n" * 200
    page = Read(render_html(by_hand(topic=topic)))
    assert [len(text) <= 200 for tag, text in page.headings if tag == "h1"] == [True]
    assert topic.strip() in page.text
    assert page.text.index("PRO conceded") < page.text.index("Full text") < page.text.index("Participants")
    [title] = re.findall("<title>(.*?)</title>", render_html(by_hand(topic=topic)), re.DOTALL)
    assert len(title) < 400
    assert "Full text" not in Read(render_html(by_hand())).text


def test_what_everyone_was_given_to_read_is_on_the_page_and_in_the_document() -> None:
    text = f"Line one.\n\n{SCRIPT}"
    assert by_hand(material=text)["material"] == text
    html = render_html(by_hand(material=text))
    assert text in Read(html[html.index("<header") : html.index("</header>")]).text
    assert "given to read" not in render_html(by_hand())


def test_lines_of_the_protocol_s_own_are_not_counted_as_statements() -> None:
    statements = [Statement(turn=1, round=1, speaker=who, content="A vote was held.") for who in ("PRO", MODERATOR)]
    assert re.search(r"Statements\s*1\s", Read(render_html(by_hand(history=statements))).text)
    assert "statements so far: 1." in Read(render_html(by_hand(history=statements, outcome=None))).text
    assert "statements so far: 1." in render_transcript(by_hand(history=statements, outcome=None))


def test_an_address_breaks_between_its_parts() -> None:
    html = render_html(by_hand(settings=DebateSettings(model="openai:x@http://127.0.0.1:46417/v1")))
    assert "openai:x@<wbr>http://<wbr>127.0.0.1:46417/v1" in html


def test_a_rehearsal_says_so_before_anything_else(documents: dict[str, dict[str, Any]]) -> None:
    page = render_html(documents["debate"])
    text = Read(page[page.index("<header") :]).text.split()
    assert " ".join(text[:2]) == "Rehearsal: no"
    assert page.count("Rehearsal: no model took part.") == 1


def test_pro_stands_left_con_right_and_a_passed_over_turn_in_its_place() -> None:
    turns = [one for one in Read(render_html(by_hand())).all("li") if one.get("id", "").startswith("turn-")]
    assert [turn["id"] for turn in turns] == ["turn-1", "turn-2", "turn-3"]
    kinds = [turn["class"].split() for turn in turns]
    assert kinds == [["seat-0", "left"], ["seat-1", "right", "passed"], ["seat-0", "left", "decisive"]]
    assert "Missed turn: no answer (attempts: 1)" in render_html(by_hand())
    assert "cut off at its length limit" in render_html(by_hand())


def test_three_or_more_have_a_colour_each_and_the_speaking_order_of_each_round() -> None:
    cast = [Participant(name=name) for name in ("Ada", "Ben", "Cleo")]
    statements = [
        Statement(turn=turn, round=round, speaker=speaker, content="Well, well.")
        for turn, (round, speaker) in enumerate([(1, "Ada"), (1, "Ben"), (1, "Cleo"), (2, "Cleo"), (2, "Ada")], start=1)
    ]
    page = Read(render_html(by_hand(participants=cast, history=statements, incidents=[])))
    turns = [one["class"].split() for one in page.all("li") if one.get("id", "").startswith("turn-")]
    assert turns == [["seat-0"], ["seat-1"], ["seat-2", "decisive"], ["seat-2"], ["seat-0"]]
    orders = re.findall(r"Speaking order:([^\n]*)", page.text)
    assert [re.sub(r"\s+", " ", order).strip() for order in orders] == ["Ada → Ben → Cleo", "Cleo → Ada"]


def test_who_speaks_another_language_than_the_others_is_told(documents: dict[str, dict[str, Any]]) -> None:
    cast = documents["justice"]["participants"]
    mixed = [cast[0] | {"language": "es"}, *cast[1:]]
    text = " ".join(Read(render_html(documents["justice"] | {"participants": mixed})).text.split())
    assert "Ada Language: es Ben Language: en" in text
    assert "Language: en" not in Read(render_html(documents["justice"])).text


def test_a_long_talk_has_a_list_of_its_rounds_and_a_way_back_to_it(documents: dict[str, dict[str, Any]]) -> None:
    statements = [Statement(turn=turn, round=turn, speaker="PRO", content="Well, well.") for turn in range(1, 8)]
    links = [one["href"] for one in Read(render_html(by_hand(history=statements, incidents=[]))).all("a")]
    assert [href for href in links if "round-" in href] == [f"#round-{number}" for number in range(1, 8)]
    assert links.count("#rounds") == 7
    assert "rounds" not in Read(render_html(documents["consensus"])).anchors()


def test_the_round_in_which_consensus_stood_is_marked(documents: dict[str, dict[str, Any]]) -> None:
    consensus = documents["consensus"] | {"terminationReason": "consensus_reached"}
    last = consensus["agreements"][-1]["round"]
    html = render_html(consensus)
    assert html.count('class="mark reached"') == 1
    place = html.index('class="mark reached"')
    assert html.rindex('<h3 id="round-', 0, place) == html.index(f'<h3 id="round-{last}"')
    assert "Consensus reached" in html


@pytest.mark.parametrize("protocol", ["consensus", "justice"])
def test_every_chart_is_named_described_and_followed_by_its_figures(
    protocol: str, documents: dict[str, dict[str, Any]]
) -> None:
    html = render_html(documents[protocol])
    charts = re.findall(r'<figure class="chart.*?</figure>', html, re.DOTALL)
    assert charts
    assert all('class="figures"' in chart for chart in charts)
    for chart in charts:
        assert re.search(r'<svg [^>]*role="img" aria-labelledby="(\S+) (\S+)"', chart)
        assert re.search(r"<desc id=\S+>[^<]{20,}</desc>", chart)
    kinds = {re.sub(r"\d", "", re.findall("<span id=.*?</span>", chart)[0]) for chart in charts}
    assert html.count("<table") >= len(kinds)


@pytest.mark.parametrize(("count", "widths"), [(1, [1]), (8, [8]), (9, [5, 4]), (20, [7, 7, 6])])
def test_many_rounds_stand_in_tables_that_fit_a_sheet_of_paper(
    count: int, widths: list[int], documents: dict[str, dict[str, Any]]
) -> None:
    one = documents["consensus"]["agreements"][0]
    html = render_html(documents["consensus"] | {"agreements": [one | {"round": 2 + place} for place in range(count)]})
    heads = [head.count(">Round ") for head in re.findall(r"<thead.*?</thead>", html)]
    assert [head for head in heads if head][: len(widths)] == widths
    captions = re.findall(r'class="caption"[^>]*>(Agreement per participant[^<]*)', html)
    assert len(set(captions)) == len(widths)
    assert (" · Round 2–" in captions[0]) == (len(widths) > 1)


def weighed(document: dict[str, Any], **changed: Any) -> str:
    """The page of a group that was weighed once."""
    return render_html(document | {"agreements": [document["agreements"][0] | {"scores": {}} | changed]})


def test_agreement_is_drawn_on_a_scale_from_0_to_1_and_ticked_where_nothing_stands_against_it(
    documents: dict[str, dict[str, Any]],
) -> None:
    scores, objections = {"Ada": 0.25, "Ben": 0.9, "Cleo": 0.9}, {"Ben": "It costs too much."}
    shown = weighed(documents["consensus"], scores=scores, objections=objections)
    chart = shown[shown.index('id="stands-1"') :]
    bars = re.findall(r'<rect class="(bar|winner)" width="([\d.]+)"', chart)[:3]
    assert bars == [("bar", "25.0"), ("bar", "90.0"), ("winner", "90.0")]
    assert "(✓: 0.8 or more, no open objection)" in shown
    assert "✓:" not in weighed(documents["consensus"], scores=scores | {"Cleo": 0.1}, objections=objections)


def test_a_mean_says_that_it_counts_who_gave_no_answer(documents: dict[str, dict[str, Any]]) -> None:
    missing = documents["consensus"]["participants"][1]["name"]
    text = " ".join(Read(weighed(documents["consensus"], missing=[missing], score=0.2)).text.split())
    assert "Mean (no answer counts as 0)0.20" in text
    assert f"Agreement after this round: 0.20 · no answer: {missing}" in text
    assert "counts as 0" not in Read(weighed(documents["consensus"], missing=[])).text


def test_cost_is_told_by_stage_with_what_failed_and_the_money() -> None:
    html = render_html(by_hand())
    rows = [re.findall(r">([^<]+)</t[dh]>", row) for row in html[html.index('id="cost"') :].split("<tr")]
    assert ["statements", "2", "1", "20", "10", "2.0", "40.0000"] in rows
    assert ["synthesis", "1", "0", "5", "0", "0.0", "5.0000"] in rows
    assert ["Total", "3", "1", "25", "10", "2.0", "45.0000"] in rows
    assert ["openai:y", "1", "0", "5", "0", "0.0", "5.0000"] in rows


def test_memories_and_incidents_are_on_the_page() -> None:
    text = Read(render_html(by_hand())).text
    assert "I remember" in text
    assert "timeout" in text
    assert "missed" in text


def test_an_unfinished_run_has_a_report_too() -> None:
    page = Read(render_html(by_hand(outcome=None, synthesis="", calls=[])))
    assert "Unfinished; statements so far: 2." in page.text
    assert not {"closing", "cost"} & page.anchors()


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", ["concession", "timeout", "missed"]), ("es", ["concesión", "tiempo agotado", "perdido"])],
)
def test_ending_and_incidents_are_told_in_words_of_the_run_s_language(language: str, told: list[str]) -> None:
    html = render_html(by_hand(settings=DebateSettings(model="openai:x", seed=4, language=language)))
    assert all(word in Read(html).text for word in told)
    assert "concession_" not in html
    assert ("Missed turn" in html) == (language == "en")


@pytest.mark.parametrize(("cents", "told"), [(-12, "−$0.12"), (0, "$0.00"), (123456, "$1,234.56")])
def test_money_stands_with_its_sign_before_the_dollar(cents: int, told: str) -> None:
    assert format_cents(cents) == told


def test_every_ending_has_a_word() -> None:
    endings = set(load_table("terms", "en")["endings"]) - {
        "because",
        "closed_by",
        "consensus_all",
        "consensus_declared",
        "consensus_share",
        "library_empty",
        "unsummed",
        "unvoted",
    }
    endings |= {
        key for key in load_phrases("justice").list_keys("endings") if key in ("consensus", "no_consensus", "imposed")
    }
    assert endings <= set(load_phrases("report").list_keys("reasons"))


def test_every_rule_of_counting_and_every_way_to_settle_has_a_word() -> None:
    assert set(VOTING_RULES) == set(load_phrases("report").list_keys("count_rules"))
    assert set(get_args(CountStatus)) == set(load_phrases("report").list_keys("settled"))


def voted(document: dict[str, Any], **tally: Any) -> str:
    """The section on a vote whose tally said this."""
    poll = document["polls"][-1]
    changed = poll | {"tally": poll["tally"] | tally}
    html = render_html(document | {"polls": [*document["polls"][:-1], changed]})
    return html[html.index('<figure class="bars"') : html.index('<section id="record"')]


def test_of_options_that_tie_only_the_one_that_was_drawn_is_ticked(documents: dict[str, dict[str, Any]]) -> None:
    tie = {"totals": {"A": 2, "B": 2}, "winners": ["A", "B"], "status": "seeded", "winner": "B", "choice": "B"}
    shown = voted(documents["consensus"], **tie)
    assert re.findall(r"<rect class=\"(\w+)\"", shown)[-2:] == ["winner", "bar"]
    assert "(won by lot)" in shown
    undecided = voted(documents["consensus"], **tie | {"status": "tied", "winner": None, "choice": None})
    assert re.findall(r"<rect class=\"(\w+)\"", undecided)[-2:] == ["bar", "bar"]
    assert "no option (tied)" in undecided
    assert "the same ballots, counted by every rule that fits them" in undecided


def test_a_count_names_abstentions_and_ballots_without_a_vote_only_where_there_are_any(
    documents: dict[str, dict[str, Any]],
) -> None:
    some = voted(documents["consensus"], abstentions=1, invalid=2, excluded=0)
    assert "Abstained: 1. Invalid ballots: 2." in some
    assert "Left out" not in some
    own = voted(documents["consensus"], abstentions=0, invalid=0, excluded=1)
    assert "Ballots left out because they name only the voter’s own answer: 1." in own
    assert ("Abstained:" in own, "Invalid ballots:" in own) == (False, False)


def test_totals_beside_each_other_have_as_many_decimals(documents: dict[str, dict[str, Any]]) -> None:
    signs = list(documents["consensus"]["polls"][-1]["options"])
    shown = voted(documents["consensus"], totals={sign: place + 1.5 * (not place) for place, sign in enumerate(signs)})
    assert shown.count(">1.50<") == 2
    assert ">1.00<" in shown
    assert ">1<" not in shown[shown.index('<section id="votes"') :]


def test_an_option_that_was_clipped_keeps_its_ellipsis_and_a_single_one_beats_nobody(
    documents: dict[str, dict[str, Any]],
) -> None:
    consensus = documents["consensus"]
    poll = consensus["polls"][-1] | {"options": {"A": "As was said by every..."}}
    report = poll["report"] | {"condorcet": {"winner": "A", "cycle": []}}
    tally = poll["tally"] | {"winner": "A", "choice": "A", "totals": {"A": 3}}
    html = render_html(consensus | {"polls": [poll | {"tally": tally, "report": report}]})
    assert "As was said by every... (" in html
    assert "head to head" not in html


def test_who_wins_head_to_head_or_that_nobody_does_is_told(documents: dict[str, dict[str, Any]]) -> None:
    consensus = documents["consensus"]
    report = consensus["polls"][-1]["report"]
    for pairs, told in (
        ({"winner": "B", "cycle": []}, "head to head: B."),
        ({"winner": None, "cycle": ["A", "B", "C"]}, "the last beats the first: A &gt; B &gt; C."),
    ):
        poll = consensus["polls"][-1] | {"report": report | {"condorcet": pairs}}
        assert told in render_html(consensus | {"polls": [*consensus["polls"][:-1], poll]})


def event(seq: int, kind: str, who: str, **told: Any) -> dict[str, Any]:
    return SessionEvent.model_validate(
        {"seq": seq, "kind": kind, "who": who, "to": ["Ada", "Ben"], **told}
    ).model_dump()


def session(document: dict[str, Any], **changed: Any) -> str:
    """The words of a session with a person, a program and these events."""
    cast = [
        participant | {"kind": kind}
        for participant, kind in zip(document["participants"], ["person", "program", "model"], strict=True)
    ]
    return " ".join(Read(render_html(document | {"participants": cast} | changed)).text.split())


def test_a_session_tells_people_and_programs_from_models(documents: dict[str, dict[str, Any]]) -> None:
    discussion = documents["discussion"]
    assert "Ada person Ben program Cleo no model" in session(discussion), "it was rehearsed"
    cast = [participant | {"model": "openai:gpt-5-mini"} for participant in discussion["participants"]]
    assert "Ada person Ben program Cleo model" in session(discussion | {"participants": cast})
    assert "Cleo model" not in Read(render_html(discussion)).text


def test_a_figure_there_is_none_of_stands_among_the_figures(documents: dict[str, dict[str, Any]]) -> None:
    justice = documents["justice"]
    changes = [change | {"kendall": {}} for change in justice["measures"]["changes"]]
    html = render_html(justice | {"measures": justice["measures"] | {"changes": changes}})
    assert html.count(f'class="none figure">{MISSING}<') >= 12


def test_who_declined_and_who_left_the_rotation_stands_beside_the_talk(documents: dict[str, dict[str, Any]]) -> None:
    events = [
        event(1, "session_invite_reject", "Bot", text="Out of order."),
        event(2, "participant_hidden", "Ben", turn=4),
        event(3, "participant_restored", "Ben", turn=5),
    ]
    told = session(documents["discussion"], events=events)
    assert told.index("Bot: declined · Out of order.") < told.index("Round 1")
    index, back = told.index("Ben: turns skipped"), told.index("Ben: rejoined")
    assert told.index("Round 2") < index < back < told.index("Every event, in order")


def test_a_warning_is_told_in_the_words_of_the_run_s_language(documents: dict[str, dict[str, Any]]) -> None:
    events = [event(1, "expectation_violated", "Ben", turn=2, turn_within=120, action="warn")]
    told = session(documents["discussion"], events=events, language="zh")
    assert "时限 120 秒：提醒" in told
    assert "Ada、Ben" in told


def test_a_warning_that_was_saved_as_a_text_is_shown_as_it_stands(documents: dict[str, dict[str, Any]]) -> None:
    events = [event(1, "expectation_violated", "Ben", turn=2, text="turn_within 120 s: warn")]
    assert "turn_within 120 s: warn" in session(documents["discussion"], events=events, language="zh")


def test_why_a_session_closed_itself_is_told_in_words(documents: dict[str, dict[str, Any]]) -> None:
    events = [event(1, "session_closed", "", text="max_turns_reached"), event(2, "session_expired", "", text="ttl")]
    told = session(documents["discussion"], events=events)
    assert re.search("session closed ?– ?– ?turn limit", told)
    assert re.search("session expired ?– ?– ?time was up", told)
    mine = session(documents["discussion"], events=[event(1, "session_closed", "Ada", text="max_turns_reached")])
    assert re.search("session closed ?Ada ?– ?max_turns_reached", mine)


def test_an_unfinished_session_says_whom_it_waits_for(documents: dict[str, dict[str, Any]]) -> None:
    open_one = {"terminationReason": None, "headline": "", "evidence": None, "waitingFor": ["Ben"]}
    told = session(documents["discussion"], **open_one)
    assert "Unfinished; statements so far: 6. Waiting for Ben." in told


VOTED = "A trial of one year, then a look back."


@pytest.mark.parametrize(
    ("headline", "quoted"), [(f"A vote decided it: “{VOTED}”.", False), ("A vote decided it: “A trial of…”.", True)]
)
def test_the_option_a_vote_chose_is_told_once_and_in_full(headline: str, quoted: bool) -> None:
    evidence = Evidence(quote=VOTED, figure=3, note="seeded")
    html = render_html(by_hand(outcome=Outcome(reason="vote_decided", evidence=evidence, headline=headline)))
    head = html[html.index("<header") : html.index("</header>")]
    assert head.count(VOTED) == 1
    assert ("<blockquote" in head) == quoted
    assert "by lot" in head
    assert "votes counted: 3" in head


@pytest.mark.parametrize(("quote", "shown"), [("I give in", "I give in …"), ("I give in.", "I give in.")])
def test_a_quotation_that_goes_on_says_so(quote: str, shown: str) -> None:
    outcome = Outcome(reason="concession_detected", evidence=Evidence(turns=[3], quote=quote), headline="PRO conceded.")
    assert f">{shown}</blockquote>" in render_html(by_hand(outcome=outcome))


def test_a_line_of_the_protocol_s_own_does_not_take_the_place_of_the_statement_before() -> None:
    statements = [Statement(turn=1, round=1, speaker=who, content="A vote was held.") for who in ("PRO", MODERATOR)]
    page = Read(render_html(by_hand(history=statements, incidents=[], synthesis="It was [1].")))
    places = [one.get("id", "") for one in page.all("li") if {"seat-0", "nobody"} & set(one.get("class", "").split())]
    assert places == ["who-1", "turn-1", ""]


def test_who_was_passed_over_stands_before_what_the_protocol_said_of_it() -> None:
    statements = [Statement(turn=1, round=1, speaker="PRO", content="Well, well.")]
    statements.append(Statement(turn=2, round=1, speaker=MODERATOR, content="CON is currently unavailable."))
    text = Read(render_html(by_hand(history=statements))).text
    assert text.index("Missed turn: no answer") < text.index("CON is currently unavailable.")


def test_the_ninth_participant_is_told_from_the_first() -> None:
    cast = [Participant(name=f"Seat {place}") for place in range(1, 17)]
    seats = [
        one["class"] for one in Read(render_html(by_hand(participants=cast))).all("li") if "who-" in one.get("id", "")
    ]
    assert len(set(seats)) == len(cast)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, ""),
        ({"wording": {"frame": "loss"}}, "outcomes told as losses"),
        (
            {"wording": {"wording": "neutral"}, "voting": {"decision_rule": "majority"}},
            "neutral wording, majority rule",
        ),
    ],
)
def test_what_sets_an_experiment_apart_stands_in_its_head(
    changed: dict[str, dict[str, str]], told: str, documents: dict[str, dict[str, Any]]
) -> None:
    justice = documents["justice"]
    rules = justice["settings"] | {key: justice["settings"][key] | value for key, value in changed.items()}
    text = " ".join(Read(render_html(justice | {"settings": rules})).text.split())
    assert told in text
    assert ("Condition" in text) == bool(told)


def test_that_no_rule_is_in_force_is_told_in_words(documents: dict[str, dict[str, Any]]) -> None:
    justice = documents["justice"]
    html = render_html(justice | {"phase2": justice["phase2"] | {"rule_in_force": None, "consensus_reached": True}})
    assert "Principle in force: nothing adopted." in html
    assert "by lot" not in html


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("random_distribution_per_participant", "Each participant’s distribution was drawn by lot."),
        ("random_distribution_group", "One distribution for everyone was drawn by lot."),
        ("random_principle", "The principle was drawn by lot, since none was adopted."),
    ],
)
def test_what_was_drawn_because_no_rule_was_adopted_is_told(
    mode: str, told: str, documents: dict[str, dict[str, Any]]
) -> None:
    justice = documents["justice"] | {"phase2": documents["justice"]["phase2"] | {"consensus_reached": False}}
    voting = justice["settings"]["voting"] | {"no_consensus_mode": mode}
    assert told in render_html(justice | {"settings": justice["settings"] | {"voting": voting}})
    imposed = voting | {"decision_rule": "imposed"}
    assert "by lot" not in render_html(justice | {"settings": justice["settings"] | {"voting": imposed}})


def test_that_no_incident_is_on_record_is_not_said_of_a_run_that_is_not_over() -> None:
    assert "No incident was recorded." in Read(render_html(by_hand(incidents=[]))).text
    assert "No incident was recorded." not in Read(render_html(by_hand(incidents=[], outcome=None))).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_experiment_says_that_it_is_a_rehearsal_in_the_words_a_report_takes_out_again(language: str) -> None:
    assert load_phrases("justice").translate_phrase(language, "endings.rehearsal") == get_term(
        language, "headline", "rehearsal"
    )


def test_the_turns_an_ending_rests_on_are_not_called_rounds() -> None:
    chinese = DebateSettings(model="openai:x", seed=4, language="zh")
    outcome = Outcome(reason="stalemate_repetition", evidence=Evidence(turns=[1, 3]), headline="僵局。")
    html = render_html(by_hand(settings=chinese, outcome=outcome))
    assert '发言 <a href="#turn-1">1</a>、<a href="#turn-3">3</a>' in html
    assert "轮次" not in html


def test_a_blind_round_is_told_to_be_one(documents: dict[str, dict[str, Any]]) -> None:
    content, consensus = "nobody saw the statements of the others", documents["consensus"]
    text = Read(render_html(consensus)).text
    assert text.count(content) == 1
    assert text.index("Round 1") < text.index(content) < text.index("Round 2")
    seeing = consensus | {"settings": consensus["settings"] | {"blind_first_round": False}}
    assert content not in Read(render_html(seeing)).text


def test_an_order_of_speaking_is_shown_where_there_was_one(documents: dict[str, dict[str, Any]]) -> None:
    shown = {name: Read(render_html(report)).text.count("Speaking order:") for name, report in documents.items()}
    rounds = {
        name: max(turn["round"] for turn in report["course"]) for name, report in documents.items() if report["course"]
    }
    assert shown["delphi"] == 0
    assert shown["consensus"] == rounds["consensus"] - 1
    assert shown["jury"] == rounds["jury"]


def test_a_verdict_is_no_quotation_and_an_option_that_was_chosen_is_told_in_its_words(
    documents: dict[str, dict[str, Any]],
) -> None:
    jury = documents["jury"]
    assert "<blockquote" not in render_html(jury)
    meant = {"guilty": "Kim took it", "not guilty": "Kim did not"}
    strip = Read(render_html(jury | {"settings": jury["settings"] | {"options": meant}})).text
    assert "Kim took it" in strip
    assert "Kim took it" not in Read(render_html(jury)).text


def test_the_course_of_a_choice_names_the_options_by_their_words_and_long_ones_by_their_sign(
    documents: dict[str, dict[str, Any]],
) -> None:
    delphi, long = documents["delphi"], "x" * 150
    estimate = delphi["estimates"][0] | {"answer": "A", "number": None, "reason": "It is cheap."}
    entry = delphi["feedback"][0] | {"median": None, "counts": {"A": 1, "B": 2}, "reasons": [estimate]}
    rules = delphi["settings"] | {"options": {"A": "tea", "B": long}, "answer": "option"}
    text = Read(render_html(delphi | {"settings": rules, "feedback": [entry], "estimates": [estimate]})).text
    course = " ".join(text[text.rindex("Answers, round by round") :].split())
    assert course.startswith("Answers, round by round RoundteaB 112 ")
    assert "teaIt is cheap." in course
    assert long not in course.partition("Positions")[0]


def test_what_a_jury_can_find_stands_in_the_report_in_the_language_of_its_run(
    documents: dict[str, dict[str, Any]],
) -> None:
    jury = documents["jury"]
    meant = {"guilty": "有罪", "not guilty": "无罪"}
    alike = [poll["tally"] and poll["tally"] | {"rule": "unanimity"} for poll in jury["polls"]]
    polls = [poll | {"options": meant, "tally": tally} for poll, tally in zip(jury["polls"], alike, strict=True)]
    unsaid: dict[str, Any] = {"turns": [], "course": [], "memory": {}, "synthesis": "", "topic": "?"}
    unsaid["evidence"] = jury["evidence"] | {"quote": ""}
    html = render_html(jury | unsaid | {"language": "zh", "polls": polls, "headline": "。"})
    assert "有罪" in html
    assert "guilty" not in html


def test_a_ballot_before_the_first_round_is_told_as_that(documents: dict[str, dict[str, Any]]) -> None:
    text = Read(render_html(documents["jury"])).text
    assert "Vote 1, before the first round. " in text
    assert "after round 0" not in text


def test_a_search_that_found_too_little_says_so_in_the_run_s_language() -> None:
    evidence = Evidence(figure=0.0554, threshold=0.1, searched=18)
    outcome = Outcome(reason="no_papers_found", evidence=evidence, headline="没有论文达到阈值。")
    html = render_html(by_hand(outcome=outcome, settings=DebateSettings(model="openai:x", seed=4, language="zh")))
    assert "18 篇论文中的最高相关度：0.0554（阈值 0.1）" in html


@pytest.mark.parametrize("history", [{}, {"history": []}], ids=["after statements", "before any"])
def test_the_head_says_when_the_run_was_begun(history: dict[str, Any]) -> None:
    text = Read(render_html(by_hand(**history))).text
    assert "Debate · 2026-01-01 00:00:00 UTC · statements: " in text
    assert text.count("2026-01-01") == 1


def test_a_consensus_is_not_singled_out_turn_by_turn() -> None:
    outcome = Outcome(reason="positions_stable", evidence=Evidence(turns=[1, 3]), headline="Nobody moved.")
    assert "decisive" not in {
        part for li in Read(render_html(by_hand(outcome=outcome))).all("li") for part in li.get("class", "").split()
    }


def test_what_justice_must_report_is_there(documents: dict[str, dict[str, Any]]) -> None:
    text = " ".join(Read(render_html(documents["justice"])).text.split())
    for told in (
        "Principle in force:",
        "Who was paid what",
        "What the same class would have been paid under each principle",
        "Mean rank, and how many rank it first",
        "Everyone’s rankings, best first, with their certainty",
        "Kendall distance, 0 to 6",
        "mean shift of certainty",
        "left out (missing or defaulted)",
        "Vote after round 1:",
    ):
        assert told in text
    assert [step for step in ("1 → 2", "2 → 3", "3 → 4", "1 → 4") if f"First places, ranking {step}" in text]


def test_the_page_says_which_moot_made_it() -> None:
    assert f"Made by Moot {version('moot')} from the saved run debate-tea-abcd." in Read(render_html(by_hand())).text


def test_a_fork_names_what_it_goes_on_from(tmp_path: Path) -> None:
    debate = run(WORDS["debate"], tmp_path)
    assert "Forked" not in Read(render_html(debate)).text
    report = document("fork", debate["run"], "--turn", "2", "--db", tmp_path / "runs.db")
    assert re.search(rf">Forked from {debate['run']} step:\d+, after turn 2, nothing changed.</p>", render_html(report))


def test_the_command_writes_the_report(tmp_path: Path) -> None:
    debate = run(WORDS["debate"], tmp_path)
    target = tmp_path / "report.html"
    output = moot("show", debate["run"], "--format", "html", "-o", target, "--db", tmp_path / "runs.db")
    assert (output.exit_code, output.stdout) == (0, "")
    assert target.read_text("utf-8") == render_html(debate)
    assert target.read_text("utf-8").startswith("<!doctype html>\n")
