"""Renderer of Markdown from models as safe HTML: no raw HTML, no pictures, few kinds of links.

Links lead only to the web or this page.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.emphasis import tokenize
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

_SAFE_LINK = re.compile(r"(?:https?://|#)\S+\Z", re.IGNORECASE)
_CITATION_GROUP = re.compile(
    r"[\[【]\s*((?:\d+|@[^\s\[\]【】,;，；、]+)(?:\s*[,;，；、]\s*(?:\d+|@[^\s\[\]【】,;，；、]+))*)\s*[\]】]"
)
_CITATION_KEY = re.compile(r"\d+|@[^\s,;，；、]+")
_FENCE = re.compile(r"^(\s{0,3})(`{3,}|~{3,})")


class ProseRenderer(MarkdownIt):
    """Renderer of Markdown as HTML.

    `targets`: link target of each citation key, such as `3` or `@doe2020`.

    Citations such as `[3]` or `[@id]` become links to these targets.
    """

    def __init__(self, targets: Mapping[str, str]) -> None:
        super().__init__("commonmark", {"html": False, "breaks": True})
        self.targets = targets
        self.enable(["table", "strikethrough"]).disable(["image", "reference", "html_block", "html_inline"])
        self.inline.ruler.at("emphasis", parse_emphasis)
        self.inline.ruler.before("escape", "formula", parse_formula)
        self.core.ruler.push("citations", self._link_citations)
        self.add_render_rule("link_open", _render_link_open)
        self.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>\n')
        self.add_render_rule("table_close", lambda *_: "</table></div>\n")

    def validateLink(self, url: str) -> bool:
        """Return whether a model may link to this address: the web, or a place on this page."""
        return bool(_SAFE_LINK.match(url))

    def render_statement(self, text: str) -> Markup:
        """Render a statement as HTML. Its headings become bold lines, because headings belong to the page."""
        tokens = [_lower_heading(token, "p") for token in self.parse(text)]
        return Markup(self.renderer.render(tokens, self.options, {}))

    def render_synthesis(self, text: str) -> Markup:
        """Render a synthesis as HTML. Its top headings become level 3 of the page, all others level 4."""
        tokens = self.parse(_neutralize_open_fence(text))
        top_tag = min((token.tag for token in tokens if token.type == "heading_open"), default="")
        tokens = [_lower_heading(token, "h3" if token.tag == top_tag else "h4") for token in tokens]
        return Markup(self.renderer.render(tokens, self.options, {}))

    def _link_citations(self, state: StateCore) -> None:
        for block in state.tokens:
            children, depth = list[Token](), 0
            for token in block.children or []:
                depth += token.nesting if token.type.startswith("link_") else 0
                is_plain = token.type == "text" and not depth
                children += _link_text(token.content, self.targets) if is_plain else [token]
            if block.type == "inline" and block.children:
                block.children = children


def _neutralize_open_fence(text: str) -> str:
    """Return Markdown whose unclosed code fence, and all fences after it, are plain text.

    Otherwise they could hide text.
    """
    last_token, lines = next(reversed(MarkdownIt().parse(text)), None), text.split("\n")
    if last_token is None or last_token.type != "fence" or not last_token.map or last_token.level:
        return text
    (start, end), markup = last_token.map, last_token.markup
    last_line = lines[end - 1].strip()
    if end - start > 1 and len(last_line) >= len(markup) and not last_line.strip(markup[0]):
        return text

    def escape_mark(mark: re.Match[str]) -> str:
        return mark[1] + "".join(f"&#{ord(character)};" for character in mark[2])

    return "\n".join([*lines[:start], *(_FENCE.sub(escape_mark, line) for line in lines[start:])])


def _lower_heading(token: Token, tag: str) -> Token:
    if token.type not in ("heading_open", "heading_close"):
        return token
    heading = token.copy(tag=tag)
    if tag == "p" and token.nesting == 1:
        heading.attrSet("class", "heading")
    return heading


def _link_text(text: str, targets: Mapping[str, str]) -> Iterator[Token]:
    position = 0
    for group in _CITATION_GROUP.finditer(text):
        for match in _CITATION_KEY.finditer(text, group.start(1), group.end(1)):
            key = match[0] if match[0].startswith("@") else str(int(match[0]))
            if key in targets:
                yield Token("text", "", 0, content=text[position : match.start()])
                yield Token("link_open", "a", 1, attrs={"href": targets[key], "class": "cite"})
                yield Token("text", "", 0, content=match[0])
                yield Token("link_close", "a", -1)
                position = match.end()
    yield Token("text", "", 0, content=text[position:])


def _render_link_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    if not str(tokens[index].attrs["href"]).startswith("#"):
        tokens[index].attrSet("rel", "noopener noreferrer nofollow")  # no referrer, ignored by search engines
        tokens[index].attrSet("class", "out")
    return self.renderToken(tokens, index, options, env)


_IDEOGRAPH = re.compile(
    "[\u2e80-\u303f\u3040-\u30ff\u3100-\u31bf\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_FORMULA = re.compile(
    r"\$\$[^$]{1,500}\$\$|\$(?![\s$])[^$\n]*[^$\s\\]\$(?!\d)|\\\(.{1,500}?\\\)|\\\[(?!\s*[\d@]).{1,500}?\\\]", re.DOTALL
)


def parse_emphasis(state: StateInline, silent: bool) -> bool:
    """Parse emphasis marks next to Chinese characters, as in `**重点：**下文` and `见**“重点”**`.

    CommonMark does not recognize a mark between punctuation and an ideograph. This parser does: in the first
    example the second `**` closes the emphasis; in the second example the first `**` opens it.
    """
    start, delimiter_count = state.pos, len(state.delimiters)
    if not tokenize(state, silent):
        return False
    before, after = state.src[start - 1 : start], state.src[state.pos : state.pos + 1]
    if state.src[start] == "*" and (_IDEOGRAPH.match(before) or _IDEOGRAPH.match(after)):
        for mark in state.delimiters[delimiter_count:]:
            mark.open, mark.close = mark.open or bool(after.strip()), mark.close or bool(before.strip())
    return True


def parse_formula(state: StateInline, silent: bool) -> bool:
    """Parse a formula between dollars or in escaped parentheses or brackets, and keep its text.

    An escaped bracket before a digit or `@` starts a citation instead. As in Pandoc, a formula must not begin or end
    with a space, and no digit may follow its last dollar. So prices remain prices.
    """
    match = _FORMULA.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = match[0]
    state.pos = match.end()
    return True
