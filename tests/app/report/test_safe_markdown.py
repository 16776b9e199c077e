"""What participants write, as the report shows it."""

import re

import pytest
from moot.app.report.safe_markdown import ProseRenderer

BOLD = {
    "**主要发现：**我从论文说起": "<strong>主要发现：</strong>我从论文说起",
    "**回应：**Google 说": "<strong>回应：</strong>Google 说",
    "他说**“重要”**的话": "他说<strong>“重要”</strong>的话",
    "**結論。**次に": "<strong>結論。</strong>次に",
    "a **b** c **d**e": "a <strong>b</strong> c <strong>d</strong>e",
    "五 * 三 * 二": "五 * 三 * 二",
    "文_件_名": "文_件_名",
}


@pytest.mark.parametrize("written", BOLD)
def test_bold_text_needs_no_spaces_where_a_language_has_none(written: str) -> None:
    assert render_statement(written) == BOLD[written]


FORMULAS = {
    r"Let $a_1 \le b\,c_1$ be": r"Let <code>$a_1 \le b\,c_1$</code> be",
    r"so $$\sum_{i} x_i*y*z$$.": r"so <code>$$\sum_{i} x_i*y*z$$</code>.",
    r"\(a\_b\) or \[\{x\}\]": r"<code>\(a\_b\)</code> or <code>\[\{x\}\]</code>",
    r"`$x$` is \*not\*": r"<code>$x$</code> is *not*",
    "$5 or *$6*, $14,000/$15,000": "$5 or <em>$6</em>, $14,000/$15,000",
    "US$ *or* A$": "US$ <em>or</em> A$",
    r"see \[1\] and [1]": 'see [<a href="#turn-1" class="cite">1</a>] and [<a href="#turn-1" class="cite">1</a>]',
}


@pytest.mark.parametrize("written", FORMULAS)
def test_a_formula_keeps_every_character_and_a_price_is_none(written: str) -> None:
    assert render_statement(written) == FORMULAS[written]


@pytest.mark.long
@pytest.mark.parametrize("piece", ["$", "$$", "\\(", "\\[", "**中", "[1"])
def test_a_long_statement_of_openings_that_never_close_is_shown_in_time(piece: str) -> None:
    assert len(render_statement(piece * (60_000 // len(piece)))) >= 30_000


SWALLOWING = {
    "never closed": "All agree:\n```json\n{}\n\n## Dissent\n\n- Ann: no",
    "closed by a shorter one": "All agree:\n````\n{}\n```\n\n## Dissent\n\n- Ann: no",
    "met before": "All agree: ```json\n{}\n```\n\n## Dissent\n\n- Ann: no",
    "of another kind": "All agree:\n~~~\n```\n{}\n\n## Dissent\n\n- Ann: no",
}


@pytest.mark.parametrize("text", SWALLOWING.values(), ids=SWALLOWING)
def test_a_code_fence_that_never_closes_hides_no_dissent(text: str) -> None:
    synthesis = ProseRenderer({}).render_synthesis(text)
    assert "<h3>Dissent</h3>" in synthesis
    assert "<li>Ann: no</li>" in synthesis
    assert re.search("(```|~~~)(json)?<br", synthesis)


@pytest.mark.parametrize("text", ["```\n# x\n```", "a\n~~~~\n# x\n~~~~~\n", "```\n# x\n```\n\nend"])
def test_a_code_block_that_closes_is_shown_as_one(text: str) -> None:
    assert "<code># x\n</code>" in ProseRenderer({}).render_synthesis(text)


@pytest.mark.parametrize("text", ["## A\n### B\n## C", "# A\n#### B\n# C"])
def test_a_closing_text_keeps_its_outline_below_that_of_the_page(text: str) -> None:
    assert re.findall(r"<(h\d)>(\w)", ProseRenderer({}).render_synthesis(text)) == [
        ("h3", "A"),
        ("h4", "B"),
        ("h3", "C"),
    ]


def render_statement(text: str) -> str:
    return str(ProseRenderer({"1": "#turn-1"}).render_statement(text)).strip().removeprefix("<p>").removesuffix("</p>")
