"""Markdown of models as HTML that can do nothing: no HTML of theirs, no picture, links to the web and the page only."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from .inline import emphasis, formula

_LINK = re.compile(r"(?:https?://|#)\S+\Z", re.IGNORECASE)
_GROUP = re.compile(
    r"[\[【]\s*((?:\d+|@[^\s\[\]【】,;，；、]+)(?:\s*[,;，；、]\s*(?:\d+|@[^\s\[\]【】,;，；、]+))*)\s*[\]】]"
)
_ONE = re.compile(r"\d+|@[^\s,;，；、]+")
_FENCE = re.compile(r"^(\s{0,3})(`{3,}|~{3,})")
OUTWARD = "noopener noreferrer nofollow"
"""What a link to the web passes on: nothing."""


class Writer(MarkdownIt):
    """Markdown to HTML; what is cited as `[3]` or `[@id]` links to `targets`."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        super().__init__("commonmark", {"html": False, "breaks": True})
        self.targets = targets
        self.enable(["table", "strikethrough"]).disable(["image", "reference", "html_block", "html_inline"])
        self.inline.ruler.at("emphasis", emphasis)
        self.inline.ruler.before("escape", "formula", formula)
        self.core.ruler.push("citations", self._cite)
        self.add_render_rule("link_open", _link_open)
        self.add_render_rule("table_open", _table_open)
        self.add_render_rule("table_close", _table_close)

    def validateLink(self, url: str) -> bool:
        """Whether a model may link there: the web, or a place of this page."""
        return bool(_LINK.match(url))

    def _cite(self, state: StateCore) -> None:
        for block in state.tokens:
            if block.type == "inline" and block.children:
                block.children = list(_cited(block.children, self.targets))


class Prose:
    """Texts as HTML. `targets`: places of the page by what cites them, such as `3` or `@doe2020`."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._writer = Writer(targets)

    def said(self, text: str) -> Markup:
        """A statement; its headings become bold lines, since the page's own headings are not its to make."""
        tokens = self._writer.parse(text)
        return self._written([_lowered(token, "p") for token in tokens])

    def closing(self, text: str) -> Markup:
        """A closing text; its highest headings are the third level of the page, all others the fourth."""
        tokens = self._writer.parse(_fenced(text))
        highest = min((token.tag for token in tokens if token.type == "heading_open"), default="")
        return self._written([_lowered(token, "h3" if token.tag == highest else "h4") for token in tokens])

    def _written(self, tokens: Sequence[Token]) -> Markup:
        return Markup(self._writer.renderer.render(tokens, self._writer.options, {}))


def _fenced(text: str) -> str:
    """The text, a code fence that never closes made text, and those below it: it would swallow what follows."""
    last, lines = next(reversed(MarkdownIt().parse(text)), None), text.split("\n")
    if last is None or last.type != "fence" or not last.map or last.level:
        return text
    begun, ending = last.map[0], lines[last.map[1] - 1].strip()
    if last.map[1] - begun > 1 and len(ending) >= len(last.markup) and not ending.strip(last.markup[0]):
        return text
    return "\n".join([*lines[:begun], *(_FENCE.sub(_as_entities, line) for line in lines[begun:])])


def _as_entities(mark: re.Match[str]) -> str:
    return mark[1] + "".join(f"&#{ord(one)};" for one in mark[2])


def _lowered(token: Token, tag: str) -> Token:
    if token.type not in ("heading_open", "heading_close"):
        return token
    lowered = token.copy(tag=tag)
    if tag == "p" and token.nesting == 1:
        lowered.attrSet("class", "heading")
    return lowered


def _cited(tokens: Sequence[Token], targets: Mapping[str, str]) -> Iterator[Token]:
    """The tokens with every citation outside links made a link."""
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type.startswith("link_") else 0
        if token.type == "text" and not depth:
            yield from _linked(token.content, targets)
        else:
            yield token


def _linked(text: str, targets: Mapping[str, str]) -> Iterator[Token]:
    place = 0
    for group in _GROUP.finditer(text):
        for one in _ONE.finditer(text, group.start(1), group.end(1)):
            key = one[0] if one[0].startswith("@") else str(int(one[0]))
            if key in targets:
                yield _text(text[place : one.start()])
                yield Token("link_open", "a", 1, attrs={"href": targets[key], "class": "cite"})
                yield _text(one[0])
                yield Token("link_close", "a", -1)
                place = one.end()
    yield _text(text[place:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _link_open(self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    if not str(tokens[at].attrs["href"]).startswith("#"):
        tokens[at].attrSet("rel", OUTWARD)
        tokens[at].attrSet("class", "out")
    return self.renderToken(tokens, at, options, env)


def _table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0"><table>\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"
