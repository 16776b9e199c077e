"""Citations and quotations: which papers a text names, and whether what it quotes is there."""

import pytest
from doubling import growth
from moot.nodes.panel.paper_check import make_paper_check
from moot.state.papers.citation_parser import list_cited_ids
from moot.state.papers.paper import Paper
from moot.state.papers.quotation import QuotableSources, list_misquotations, list_quotations
from moot.state.papers.unknown_citations import list_unknown_citations
from moot.state.quotation_source import QuotationSource
from sampling import sample_cases

TEXT = """Introduction. Streets are public space.

Closing the centre to cars reduced nitrogen dioxide by 1.5 µg. Retail turnover did not fall; it was un-
changed after two years. The measure is unsafe for nobody.

Buses ran more often — every four minutes — and “park and ride” sites filled up. Traffic, which had grown for decades,
did not come back, as some had feared."""
CARS = Paper(
    title="Closing a city centre", abstract="We study one closed centre.", authors=["Ada Smith"], year=2024, text=TEXT
)
CHINESE = Paper(
    title="城市中心禁车的影响",
    abstract="本文研究市中心禁止私家车后\n的空气质量变化。",
    authors=["张伟"],
    year=2021,
    text="商店的营业额，在两年之内，并没有下降。",
)
SHELF = [CARS, CHINESE]


def wrong(text: str, *said: str) -> list[str]:
    """What a text quotes without ground."""
    return [quotation.words for quotation in list_misquotations(text, QuotableSources(SHELF, said))]


def strange(text: str, certain: bool = True) -> list[str]:
    """What a text certainly, or perhaps, cites without ground."""
    return [
        unknown_citation.label
        for unknown_citation in list_unknown_citations(text, SHELF)
        if unknown_citation.is_certain == certain
    ]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Noise fell [@smith2024-cities].", ["smith2024-cities"]),
        ("Both agree [@b; @a, p. 3] and again [@b].", ["b", "a"]),
        ("空气变好【@张伟2021-城市中心】，噪声也是［@a］。", ["张伟2021-城市中心", "a"]),
        ("噪声下降［＠a］，[@ b] agrees, and so does \\cite{c}.", ["a", "b", "c"]),
        ("It cools \\citep[see][3]{a,b, c} and \\cite*{d}.", ["a", "b", "c", "d"]),
        ("We meet @ noon. Write to a＠b.org.", []),
        ("Write to a@b.org, see [1] and [link](x).", []),
    ],
)
def test_citations_are_read_from_brackets(text: str, ids: list[str]) -> None:
    assert list_cited_ids(text) == ids


def test_a_cited_paper_that_was_not_given_is_named() -> None:
    assert strange("See [@smith2024-closing] and [@doe1999-ghost].") == ["[@doe1999-ghost]"]


@pytest.mark.parametrize(
    "quote",
    [
        "Retail turnover did not fall",
        "retail  turnover\ndid NOT fall,",
        "it was unchanged after two years",
        "Buses ran more often - every four minutes",
        "'park and ride' sites",
        "Streets are public space. … Retail turnover did not fall [...] after two years",
        "Closing a city centre",
        "by 1.5 μg",
        "[r]etail turnover did not fall",
    ],
)
def test_a_quotation_is_found_whatever_its_spacing_marks_hyphens_and_case(quote: str) -> None:
    assert QuotationSource(f"{CARS.title}\n{CARS.abstract}\n{CARS.text}").has_quote(quote)


@pytest.mark.parametrize(
    "quote",
    [
        "Retail turnover fell",
        "[D]etail turnover did not fall",
        "Retail turnover did [] fall",
        "by 15 µg",
        "safe for nobody",
        "after two years … Streets are public",
        "",
        " … ",
        "changed after two years",
    ],
)
def test_words_that_the_paper_does_not_say_are_no_quotation(quote: str) -> None:
    assert not QuotationSource(f"{CARS.title}\n{CARS.abstract}\n{CARS.text}").has_quote(quote)


FIGURES = (
    "In 2019, 1,250 shops closed. Rents rose by 2.5 percent, and at −5 degrees by 7. Of 10 500 people, 15 in 2019 were "
    "under 20 – 25, <5 % of 3/5 were over 10² years, 4½ had 2*3 rooms, and 2. 5 had\n6 children, 15 cars. 5 -3 left."
)


@pytest.mark.parametrize(
    ("quote", "is_found"),
    [
        ("1,250 shops closed", True),
        ("Rents rose by 2.5 percent", True),
        ("at -5 degrees by 7.", True),
        ("—at −5 degrees by 7", True),
        ("In 2019, 1,250 shops", True),
        ("250 shops closed", False),
        ("closed. Rents rose by 2", False),
        ("5 percent, and at", False),
        ("5 degrees by 7", False),
        ("… 5 degrees by 7", False),
        ("-1,250 shops closed", False),
        ("Rents rose by -2.5 percent", False),
        ("Of 10 500 people, 15 in 2019", True),
        ("in 2019 were under 20 – 25", True),
        ("<5% of 3/5 were over 10² years", True),
        ("4½ had 2*3 rooms", True),
        ("5 had 6 children", True),
        ("Of 10500 people", False),
        ("Of 10", False),
        ("500 people", False),
        ("1 5 in 2019", False),
        ("under 20–25", False),
        ("were under 20", False),
        ("5 % of 3/5", False),
        ("5 were over 10² years", False),
        ("of 3/5 were over 10", False),
        ("over 102 years", False),
        ("had 23 rooms", False),
        ("2.5 had", False),
        ("5-3 left", False),
    ],
)
def test_a_quotation_keeps_whole_numbers_with_their_signs(quote: str, is_found: bool) -> None:
    assert QuotationSource(FIGURES).has_quote(quote) == is_found


def test_a_chinese_quotation_may_begin_anywhere_and_ignores_line_breaks() -> None:
    assert QuotationSource(CHINESE.abstract).has_quote("禁止私家车后的空气质量变化")
    assert not QuotationSource(CHINESE.abstract).has_quote("禁止私家车后的噪声变化")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Sales held: "retail turnover did not fall" [@smith2024-closing].', []),
        ('Sales held: "retail turnover rose by half" [@smith2024-closing].', ["retail turnover rose by half"]),
        ("As [@smith2024-closing] puts it, “turnover rose by half”.", ["turnover rose by half"]),
        ('The "park and walk" idea [@smith2024-closing] and a "miracle" [@smith2024-closing].', ["park and walk"]),
        ("研究认为“禁止私家车后空气质量恶化了”[@张伟2021-城市中心]。", ["禁止私家车后空气质量恶化了"]),
        ('It is said "nobody has ever read this" [@doe1999-ghost].', []),
    ],
)
def test_a_quotation_is_held_against_the_papers_cited_next_to_it(text: str, found: list[str]) -> None:
    assert wrong(text) == found


def test_a_quotation_belongs_to_the_citation_that_follows_it() -> None:
    text = 'From [@a] we know this, but "the exact opposite holds" [@b].'
    assert [q.ids for q in list_quotations(text)] == [["b"]]


RIGHT, WRONG = "Retail turnover did not fall", "turnover rose by half"
SHAPES = [
    "„{}“ [@smith2024-closing]",
    "'{}' [@smith2024-closing]",
    "<q>{}</q> [@smith2024-closing]",
    "``{}'' [@smith2024-closing]",
    '``{}" [@smith2024-closing]',
    "`{}' [@smith2024-closing]",
    "＂{}＂ [@smith2024-closing]",
    "<blockquote>{}</blockquote> [@smith2024-closing]",
    "[@smith2024-closing]:\n\n    {}\n\nSo it is.",
    "〝{}〞 [@smith2024-closing]",
    "„{}” [@smith2024-closing]",
    "‘{}’ [@smith2024-closing]",
    "「{}」[@smith2024-closing]",
    "『{}』[@smith2024-closing]",
    "«{}» [@smith2024-closing]",
    "»{}« [@smith2024-closing]",
    "”{}” [@smith2024-closing]",
    "“{} [@smith2024-closing]”",
    "“{}” (@smith2024-closing)",
    "“{}” — [see @smith2024-closing, p. 3]",
    "“{}” [-@smith2024-closing]",
    "“{}” @smith2024-closing",
    "“{}” [@smith2024-closing [p. 3]]",
    "> {}\n\n[@smith2024-closing]",
    "> {}\n> @smith2024-closing.",
    "> {}^[smith2024-closing]",
    "> {}[^smith2024-closing].",
    "“{}”^[smith2024-closing]",
    "> {}\n> — Smith and others [@smith2024-closing]",
    "As [@smith2024-closing] has it:\n> {}\n\nSo it is.",
    "She calls it ‘well’ and says “‘{}’” there [@smith2024-closing].",
    "“{}”, as one reads on and on and on in the long, long passages of that most instructive report, and then again, "
    "much later, in [@smith2024-closing].",
    "“{}”, it says. The shops did well. Nobody complained. It is all in [@smith2024-closing].",
    "“{}”, it says.\n\nThat is all there is to say.",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_quotation_is_checked_whatever_its_marks_and_however_far_its_source(shape: str) -> None:
    assert wrong(shape.format(RIGHT)) == []
    assert [WRONG in words for words in wrong(shape.format(WRONG))][:1] == [True]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_quotation_may_go_over_a_line_break(shape: str) -> None:
    broken = "\n    " if ":\n\n    {" in shape else "\n> " if shape.startswith(">") or "\n> {" in shape else "\n"
    assert wrong(shape.format(RIGHT.replace("did ", f"did{broken}"))) == []
    assert len(wrong(shape.format(WRONG.replace("rose ", f"rose{broken}")))) >= 1


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Retail turnover did not fall … after two years", []),
        ("Retail turnover did ... fall", ["Retail turnover did ... fall"]),
        ("Retail turnover did […] fall", ["Retail turnover did […] fall"]),
        ("Traffic … did not come back", []),
        ("Traffic, which had grown for decades, … come back", ["Traffic, which had grown for decades, … come back"]),
        ("Retail turnover … rose again", ["Retail turnover … rose again"]),
        ("was unchanged … Retail turnover", ["was unchanged … Retail turnover"]),
        ("商店的营业额……下降", ["商店的营业额……下降"]),
        ("商店的营业额……并没有下降", []),
    ],
)
def test_words_may_be_left_out_but_no_negation(quote: str, found: list[str]) -> None:
    paper = "张伟2021-城市中心" if quote[0] > "一" else "smith2024-closing"
    assert wrong(f"“{quote}”[@{paper}]") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("*Retail turnover did not fall* [@smith2024-closing].", []),
        ("*Retail turnover rose by half* [@smith2024-closing].", ["Retail turnover rose by half"]),
        ("<em>Retail turnover rose by half</em> [@smith2024-closing].", ["Retail turnover rose by half"]),
        ("\\textit{Retail turnover did not fall} [@smith2024-closing].", []),
        ("\\textit{Retail turnover rose by half} [@smith2024-closing].", ["Retail turnover rose by half"]),
        ("\\enquote{Retail turnover rose by half} [@smith2024-closing].", ["Retail turnover rose by half"]),
        ("It says: _retail turnover rose by half_.", ["retail turnover rose by half"]),
        ("‟Turnover rose by half” [@smith2024-closing].", ["Turnover rose by half"]),
        ("❝Turnover rose by half❞ [@smith2024-closing].", ["Turnover rose by half"]),
        ("*turnover rose by half* [@smith2024-closing]. *Ban cars downtown within five years.*", []),
        ("研究说《商店的营业额在两年之内下降了》[@张伟2021-城市中心]。", ["商店的营业额在两年之内下降了"]),
        ("研究说《商店的营业额，在两年之内，并没有下降》[@张伟2021-城市中心]。", []),
        ("见《城市规划原理与实践研究》和[@张伟2021-城市中心]。", []),
    ],
)
def test_italics_and_title_marks_hold_a_quotation_where_they_make_a_claim(text: str, found: list[str]) -> None:
    assert wrong(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("'the retailers' losses grew at once' [@smith2024-closing]", True),
        ("It doesn't matter what the shops' owners say in the '90s, it isn't so for dogs' and cats' sake.", False),
        ("Write ``code, as you like it`` or ```text that is code``` [@smith2024-closing].", False),
        ("‘the retailers’ losses grew at once’ [@smith2024-closing]", True),
        ("It doesn’t matter what the shops’ owners say, it isn’t so [@smith2024-closing].", False),
        ("The ‘green’ city and the shops’ owners [@smith2024-closing].", False),
        ("Call `run` for all of the shops' owners and `f()` for the other dogs' owners [@smith2024-closing].", False),
        ('A 5" pipe and a 6" pipe are not the same [@smith2024-closing].', False),
        ("“never closed, whatever it says [@smith2024-closing].", False),
    ],
)
def test_apostrophes_and_stray_marks_are_no_quotations(text: str, found: bool) -> None:
    assert bool(wrong(text)) == found


def test_what_was_said_may_be_quoted_but_not_as_a_paper_s_words() -> None:
    assert wrong("Bob said “turnover rose by half”. Air improved [@smith2024-closing].") == ["turnover rose by half"]
    assert wrong("Bob said “turnover rose by half”. Air improved [@smith2024-closing].", f"I say {WRONG}.") == []
    assert wrong("“turnover rose by half” [@smith2024-closing]", f"I say {WRONG}.") == ["turnover rose by half"]


@pytest.mark.parametrize(
    "text",
    [
        "So it is (Smith, 2019).",
        "So it is (Jones et al., 2019).",
        "So it is (Jones and Brown, 2019).",
        "So it is (Jones et al., 2019; Smith, 2024).",
        "So it is (see Jones & Brown, 2019, p. 3).",
        "So it is (Smith, 2023).",
        "确实如此（张伟，2019）。",
        "确实如此（李明等，2019）。",
        "确实如此（李明和王芳，2019）。",
        "So it is @jones2019-ghost.",
        "So it is [see @jones2019-ghost, p. 3].",
        "So it is [-@jones2019-ghost].",
        "So it is (@jones2019-ghost).",
        "So it is [@jones2019-ghost [p. 3]].",
        "如@jones2019-ghost，确实如此。",
        "So it is [@smith2024-closing; @jones2019-ghost].",
        "So it is [@smith2024-closing-again].",
        "So it is (Jones and Brown 2019).",
        "So it is [Jones et al., 2019].",
        "Miller (2018) found that cars kill.",
        "Later Miller (2018b) also reported losses.",
        "O’Neill (2018) argues that cars kill.",
        "Smith et al. (2019) like cars.",
        "We follow Smith (2019) here.",
        "It is as in Ada Smith’s (2019) survey.",
        "Smith and colleagues (2019) like cars.",
        "Jones and Brown (2019) found that cars kill.",
        "Jones, Brown and Lee (2019) show that cars kill.",
        "Smith, A. (2019). Another closing.",
        "García Márquez (2018) sostiene que no.",
        "张伟（2019）认为如此。",
        "根据李明等（2019），确实如此。",
        "So it is [7].",
        "树木降温[7]。",
        "研究[12]表明如此。",
        "树木降温【7】。",
        "So it cools[7].",
        "It is about cooling[7, 9].",
        "So it cools[^7].",
        "As Kumar et al. 2021 note, it cools.",
        "So it is (Kumar et al. 2021).",
        "Jones 2018 finds that it cools.",
        "So it is (Jones, n.d.).",
        "So it is (Jones, in press).",
        "So it is (Jones et al., forthcoming).",
        "See arXiv 1706.03762.",
        "So it is [2, 5].",
        "So it is ［７］。",
        "So it is \\citep[7]{smith2024-closing,jones2019-ghost}.",
        "So it is (Smith, 2024, and Jones et al., 2019).",
        "So it is (Smith, 2024; and Jones et al., 2019).",
        "So it is (Smith, 2024, p. 3, and Jones et al., 2019).",
        "So it is \\parencite{smith2024-closing,jones2019-ghost}.",
        "So it is (Jones et al., 2019, Smith, 2024, p. 3).",
        "确实如此（张伟，2021，李明等，2019）。",
        "See doi:10.1000/ghost.7.",
        "See https://doi.org/10.1000/ghost.7, which says so.",
        "See arXiv:1706.03762.",
        "See (https://arxiv.org/abs/1706.03762).",
    ],
)
def test_a_paper_that_is_not_there_is_found_however_it_is_cited(text: str) -> None:
    assert len(strange(text)) == 1
    marked, notes = make_paper_check(SHELF, "en").mark_text(text)
    assert marked.count("?") == 1
    assert marked.replace("?", "") == text
    assert [note.kind for note in notes if note.kind == "citation"] == ["citation"]
    assert make_paper_check(SHELF, "en").find_faults(text)


@pytest.mark.parametrize(
    "text",
    [
        "So it is (Smith, 2024), (Smith et al., 2024) and (see Smith, 2024, p. 3).",
        "So it was (in May, 2019), (June, 2019), (since 2019) and (as we all know, 2019).",
        "确实如此（张伟，2021），见@smith2024-closing所述。",
        "See @smith2024-closing. See (@smith2024-closing), [see @smith2024-closing, p. 3].",
        "It is in @smith2024-closing's tables, and **@smith2024-closing**.",
        "It is so^[smith2024-closing], and so it is said[^张伟2021-城市中心].",
        "It is so[^note], and so on^[see there]; x^[n+1] and [^a-z] are none.",
        "A look-up says so^[L12.1].",
        "However, Smith (2024) found it (Smith, 2024, Table 3).",
        "Write to ada@example.org.",
        "The fair (Madrid, 2021) and the summit (Copenhagen, 2009) failed.",
        "At the summit (Copenhagen, 2009), leaders met. In Madrid (2021) they met again.",
        "当时的峰会（哥本哈根，2009）失败了。",
        "It was held in Madrid (2021). They signed the Paris Agreement (2015). 会议在巴黎（2015）。",
        "The Paris Agreement (2015) followed; Windows (2000) did not. So it was (May 2019).",
        "Smith (2024) found it, and Smith et al. (2024) say so; 张伟（2021）认为如此，我们同意张伟等（2021）。",
        "In 95% CI [12, 18] and range [2, 9], see [here](https://example.org) and [1](https://example.org), a[3].",
        "It is about 10.5/3 and version 10.2.",
        "It was so as of May (2021), and as 2021 showed, as Smith (2024) doubts.",
        "95%置信区间[12, 18]，范围为[2, 9]。",
        "In 2018 studies showed it, by 2020 reports said so, and the 2018 study found it; in May 2018 found it was.",
    ],
)
def test_a_paper_that_is_there_is_not_found_strange(text: str) -> None:
    assert strange(text) == strange(text, certain=False) == []


@pytest.mark.parametrize(
    "text",
    [
        "So it was (Madrid, 2021).",
        "[Jones 2018] Trees cool.",
        "In Jones (2018), trees cool.",
        "Trees cool^[jones2018-trees].",
        "Trees cool[^jones2018-trees].",
        "Smith and Jones (2024) found it.",
        "Trees cool (Jones & Smith, 2024).",
        "Trees cool whole streets (Miller, 2018), and roofs do not.",
        "Trees cool whole streets (Miller 2018) and roofs do not.",
        "Trees cool whole streets (Smith, 2024 and Miller, 2018).",
        "Trees cool (Jones & Brown, 2019) when watered.",
        "The Paris Agreement (2015) states that it matters.",
        "So it is, according to Miller (2018).",
        "Según Miller (2018), no es así.",
        "We build upon Miller (2018).",
        "It is false, as Miller (2018) doubts.",
        "As Miller (2018) doubts, it is false.",
        "Es falso, como Miller (2018) duda.",
        "如李雷（2019）所疑，并非如此。",
        "It agrees with Lee’s (2019) work.",
        "确实如此，见李雷（2019）。",
        "Scores in [1, 5] rose.",
        "当时如此（马德里，2021）。",
    ],
)
def test_what_may_be_a_paper_that_is_not_there_is_marked_but_not_asked_for_again(text: str) -> None:
    assert strange(text) == []
    check = make_paper_check(SHELF, "en")
    assert check.find_faults(text) == ""
    marked, notes = check.mark_text(text)
    assert (marked.count(" [?]"), marked.replace(" [?]", "")) == (1, text)
    note = next(note for note in notes if note.kind == "citation")
    assert "not in the library" in note.what
    assert note.severity == "recoverable"


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("Brown and Lee (2020) found it.", True),
        ("It is so (Lee, D., & Brown, C., 2020).", True),
        ("However, García Márquez, Lee and Brown (2020) found it.", True),
        ("It is so (Brown et al., 2020; Smith, 2024).", True),
        ("Smith and Brown (2020) found it.", False),
        ("Smith & Lee (2024) found it.", False),
        ("Según Lee y Smith (2020), es así.", False),
        ("It is so (Brown, Lee and Smith, 2020).", False),
        ("确实如此（张伟和李明，2022）。", True),
        ("确实如此（王芳和李明，2023）。", True),
        ("确实如此（张伟和王芳，2022）。", False),
    ],
)
def test_authors_that_are_named_together_have_written_one_paper(text: str, is_known: bool) -> None:
    kinds = [
        (["Carol Brown", "Lee, Dan", "Gabriel García Márquez"], 2020),
        (["张伟", "李明"], 2022),
        (["王芳", "李明"], 2023),
    ]
    shelf = [CARS, *(Paper(title=f"Trees of {year}", authors=authors, year=year) for authors, year in kinds)]
    marked, _ = make_paper_check(shelf, "en").mark_text(text)
    assert (marked == text) == is_known
    assert bool(make_paper_check(shelf, "en").find_faults(text)) != is_known


def test_a_doi_or_an_arxiv_id_is_resolved_by_the_papers_address_or_first_page() -> None:
    shelf = [
        CARS.model_copy(update={"url": "https://doi.org/10.1000/Closing.7"}),
        CHINESE.model_copy(update={"text": "arXiv:1706.03762v2"}),
    ]
    text = "See doi:10.1000/closing.7. See https://arxiv.org/abs/1706.03762, and 10.1000/closing.8."
    assert [unknown_citation.label for unknown_citation in list_unknown_citations(text, shelf)] == ["10.1000/closing.8"]


def test_whom_a_quoted_sentence_names_with_a_year_is_the_affair_of_its_paper() -> None:
    cites = CARS.model_copy(update={"text": "Others found the same (Jones, 2019) in Ghent."})
    text = "“Others found the same (Jones, 2019) in Ghent” [@smith2024-closing]"
    assert make_paper_check([cites], "en").find_faults(text) == ""


PARTS = [
    "“nobody wrote that down” [@smith2024-closing]. ",
    "[@ghost{}] ",
    "@ghost{}; ",
    "“nobody wrote that down ",
    "‘the retailers’ ",
    "'the retailers' ",
    "``so it is, '",
    "`so it is, ",
    " `so it is, '",
    "<blockquote>so it is ",
    ":\n\n    so it is\n",
    "\\textit{so it is",
    "<q>so it is ",
    "《这是如此",
    "*so it is now and then",
    "*so it is now and then*: ",
    "> nobody wrote that down\n\n",
    "(Jones et al., 2019) ",
    "“so … it … is … now” [@smith2024-closing] ",
    "[@",
    "((",
    "Smith A. B., Brown C. D., ",
    "Jones and Brown (2019) found ",
    "Smith, Brown, Jones, ",
    "(Madrid, 2021) and ",
    "[7, 8] ",
    "Jones et al. 2019 found ",
    "Smith 2019 finds ",
    "It is so^[jones2019] and [^jones2019",
    "10.1000/a.b.",
    "李明和王芳",
]


@pytest.mark.long
@pytest.mark.parametrize("part", sample_cases(PARTS, kinds=0))
def test_marks_are_put_in_time_that_grows_with_the_text_alone(part: str) -> None:
    proof = make_paper_check([CARS], "en")

    def text(size: int) -> str:
        return "".join(part.replace("{}", str(number)) for number in range(size))

    assert growth(proof.mark_text, text, 1500) < 3.2
