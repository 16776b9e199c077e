"""A closing text shown as Markdown: citations as they were written, and no line lost as the definition of a link."""

import pytest
from markdown_it import MarkdownIt
from moot.app.display.transcript import as_prose, closing

SHOWN = {
    "[@smith2024]: The shops sold less.": "[@smith2024]: The shops sold less.",
    "[@smith2024]: Agreed.": "[@smith2024] : Agreed.",
    "[@smith2024]:\nhttps://evil.example\nMore.": "[@smith2024] :\nhttps://evil.example\nMore.",
    '[@smith2024]: https://evil.example "A title"': '[@smith2024] : https://evil.example "A title"',
    "As [@smith2024]: it fell.": "As [@smith2024]: it fell.",
    "[other]: https://evil.example": "\\[other]: https://evil.example",
}


@pytest.mark.parametrize("show", [closing, as_prose])
@pytest.mark.parametrize("text", SHOWN)
def test_a_line_that_begins_with_a_citation_and_a_colon_is_shown_without_a_backslash_and_not_lost(
    text: str, show: object
) -> None:
    assert show(text) == SHOWN[text]  # type: ignore[operator]
    page = MarkdownIt("commonmark").render(SHOWN[text])
    assert all(word in page for word in text.replace('"', "").split() if word.isalpha())
    assert "smith2024" in page or "other" in page
