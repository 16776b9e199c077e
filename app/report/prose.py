"""Models' Markdown as safe HTML: without their HTML and pictures, with links to the web or this page only."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from .inline_rules import parse_emphasis, parse_formula

_LINK = re.compile(r"(?:https?://|#)\S+\Z", re.IGNORECASE)
_CITATION_GROUP = re.compile(
    r"[\[【]\s*((?:\d+|@[^\s\[\]【】,;，；、]+)(?:\s*[,;，；、]\s*(?:\d+|@[^\s\[\]【】,;，；、]+))*)\s*[\]】]"
)
_CITATION_KEY = re.compile(r"\d+|@[^\s,;，；、]+")
_FENCE = re.compile(r"^(\s{0,3})(`{3,}|~{3,})")
EXTERNAL_LINK_REL = "noopener noreferrer nofollow"
"""Value of `rel` for links to the web: the site learns no referrer, search engines ignore the link."""


class HtmlWriter(MarkdownIt):
    """Parser from Markdown to HTML. Citations such as `[3]` or `[@id]` link to `targets`."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        super().__init__("commonmark", {"html": False, "breaks": True})
        self.targets = targets
        self.enable(["table", "strikethrough"]).disable(["image", "reference", "html_block", "html_inline"])
        self.inline.ruler.at("emphasis", parse_emphasis)
        self.inline.ruler.before("escape", "formula", parse_formula)
        self.core.ruler.push("citations", self._link_citations)
        self.add_render_rule("link_open", _render_link_open)
        self.add_render_rule("table_open", _render_table_open)
        self.add_render_rule("table_close", _render_table_close)

    def validateLink(self, url: str) -> bool:
        """Return whether a model may link to this address: the web, or a place on this page."""
        return bool(_LINK.match(url))

    def _link_citations(self, state: StateCore) -> None:
        for block in state.tokens:
            if block.type == "inline" and block.children:
                block.children = list(_link_tokens(block.children, self.targets))


class ProseRenderer:
    """Renderer of texts as HTML. `targets`: places on the page by citation key, such as `3` or `@doe2020`."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._writer = HtmlWriter(targets)

    def render_statement(self, text: str) -> Markup:
        """Render a statement. Its headings become bold lines, because only the page makes headings."""
        tokens = self._writer.parse(text)
        return self._render_tokens([_lower_heading(token, "p") for token in tokens])

    def render_synthesis(self, text: str) -> Markup:
        """Render a synthesis. Its top headings become level 3 of the page, all others level 4."""
        tokens = self._writer.parse(_neutralize_open_fence(text))
        top_tag = min((token.tag for token in tokens if token.type == "heading_open"), default="")
        return self._render_tokens([_lower_heading(token, "h3" if token.tag == top_tag else "h4") for token in tokens])

    def _render_tokens(self, tokens: Sequence[Token]) -> Markup:
        return Markup(self._writer.renderer.render(tokens, self._writer.options, {}))


def _neutralize_open_fence(text: str) -> str:
    """Turn an unclosed code fence and every fence below it into text, so that it hides nothing."""
    last_token, lines = next(reversed(MarkdownIt().parse(text)), None), text.split("\n")
    if last_token is None or last_token.type != "fence" or not last_token.map or last_token.level:
        return text
    start, last_line = last_token.map[0], lines[last_token.map[1] - 1].strip()
    if (
        last_token.map[1] - start > 1
        and len(last_line) >= len(last_token.markup)
        and not last_line.strip(last_token.markup[0])
    ):
        return text
    return "\n".join([*lines[:start], *(_FENCE.sub(_escape_mark, line) for line in lines[start:])])


def _escape_mark(mark: re.Match[str]) -> str:
    return mark[1] + "".join(f"&#{ord(character)};" for character in mark[2])


def _lower_heading(token: Token, tag: str) -> Token:
    if token.type not in ("heading_open", "heading_close"):
        return token
    heading = token.copy(tag=tag)
    if tag == "p" and token.nesting == 1:
        heading.attrSet("class", "heading")
    return heading


def _link_tokens(tokens: Sequence[Token], targets: Mapping[str, str]) -> Iterator[Token]:
    """Yield the tokens, with links in place of citations outside links."""
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type.startswith("link_") else 0
        if token.type == "text" and not depth:
            yield from _link_text(token.content, targets)
        else:
            yield token


def _link_text(text: str, targets: Mapping[str, str]) -> Iterator[Token]:
    position = 0
    for group in _CITATION_GROUP.finditer(text):
        for match in _CITATION_KEY.finditer(text, group.start(1), group.end(1)):
            key = match[0] if match[0].startswith("@") else str(int(match[0]))
            if key in targets:
                yield _make_text_token(text[position : match.start()])
                yield Token("link_open", "a", 1, attrs={"href": targets[key], "class": "cite"})
                yield _make_text_token(match[0])
                yield Token("link_close", "a", -1)
                position = match.end()
    yield _make_text_token(text[position:])


def _make_text_token(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _render_link_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    if not str(tokens[index].attrs["href"]).startswith("#"):
        tokens[index].attrSet("rel", EXTERNAL_LINK_REL)
        tokens[index].attrSet("class", "out")
    return self.renderToken(tokens, index, options, env)


def _render_table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0"><table>\n'


def _render_table_close(*_: Any) -> str:
    return "</table></div>\n"
