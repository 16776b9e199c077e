"""A synthesis shown as Markdown: citations as they were written, and no line lost as the definition of a link."""

import re

import pytest
from command import document, moot
from command.terminal import typed as at_a_terminal
from fakeserver import FakeServer
from markdown_it import MarkdownIt
from moot.app.display.screen import EmphasisStyler
from moot.app.display.transcript import neutralize_statement, neutralize_synthesis

SHOWN = {
    "[@smith2024]: The shops sold less.": "[@smith2024]: The shops sold less.",
    "[@smith2024]: Agreed.": "[@smith2024] : Agreed.",
    "[@smith2024]:\nhttps://evil.example\nMore.": "[@smith2024] :\nhttps://evil.example\nMore.",
    '[@smith2024]: https://evil.example "A title"': '[@smith2024] : https://evil.example "A title"',
    "As [@smith2024]: it fell.": "As [@smith2024]: it fell.",
    "[other]: https://evil.example": "\\[other]: https://evil.example",
}


@pytest.mark.parametrize("show", [neutralize_synthesis, neutralize_statement])
@pytest.mark.parametrize("text", SHOWN)
def test_a_line_that_begins_with_a_citation_and_a_colon_is_shown_without_a_backslash_and_not_lost(
    text: str, show: object
) -> None:
    assert show(text) == SHOWN[text]  # type: ignore[operator]
    page = MarkdownIt("commonmark").render(SHOWN[text])
    assert all(word in page for word in text.replace('"', "").split() if word.isalpha())
    assert "smith2024" in page or "other" in page


@pytest.mark.long
def test_on_a_terminal_speakers_have_their_colours_and_what_they_wrote_is_rendered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = "It is **plainly** so, and there are many reasons for that which I could give. " * 2 + "\n\n- one\n- two"
    monkeypatch.setenv("COLUMNS", "60")
    with FakeServer(reply=lambda _: content) as server:
        report = document("debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "2")
    text = at_a_terminal(["show", report["run"]]).text
    colours = [re.search(rf"\x1b\[1;(3\d)m\[{turn}\] {name}", text) for turn, name in ((1, "PRO"), (2, "CON"))]
    assert len({colour[1] for colour in colours if colour}) == 2
    bare = re.sub(r"\x1b\[[0-9;]*m|\r", "", text)
    assert "  It is plainly so, and there are many reasons for that" in bare
    assert "• one" in bare
    assert max(len(line.rstrip()) for line in bare.splitlines()) <= 60
    assert f"[1] PRO\n{content[:30]}" in moot("show", report["run"]).stdout, "a pipe has the text as it is"


def test_the_transcript_says_what_the_run_cost_unless_it_was_rehearsed() -> None:
    words = ["debate", "Tea?", "--max-turns", "2", "--set", "prices.input=1", "--set", "prices.output=1"]
    with FakeServer() as server:
        run = document(*words, "--model", f"openai:fake@{server.url}")["run"]
    assert re.search(r"^Cost: \$?[\d.]+, \d+ calls, [\d,]+ tokens$", moot("show", run).stdout, re.MULTILINE)
    rehearsal = document(*words, "--model", "rehearsal")["run"]
    assert "Cost: " not in moot("show", rehearsal).stdout


def test_marks_of_bold_and_of_headings_are_shown_as_such_while_words_come() -> None:
    emphasis = EmphasisStyler()
    pieces = ["## What", " holds\n", "It is **very", " true**, 2**3 and", " #1.", "\n# Next"]
    styled = [emphasis.style_fragment(piece) for piece in pieces]
    assert "".join(one.plain for one in styled) == " What holds\nIt is very true, 2**3 and #1.\n Next"
    parts = [one.plain[span.start : span.end].strip() for one in styled for span in one.spans]
    bold = list(filter(None, parts))
    assert bold == ["What", "holds", "very", "true", "Next"]
