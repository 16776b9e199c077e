"""Replacements for CommonMark's inline rules: bold text in Chinese and Japanese, and formulas."""

import re

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.emphasis import tokenize

_IDEOGRAPH = re.compile(
    "[\u2e80-\u303f\u3040-\u30ff\u3100-\u31bf\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_FORMULA = re.compile(
    r"\$\$[^$]{1,500}\$\$|\$(?![\s$])[^$\n]*[^$\s\\]\$(?!\d)|\\\(.{1,500}?\\\)|\\\[(?!\s*[\d@]).{1,500}?\\\]", re.DOTALL
)


def parse_emphasis(state: StateInline, silent: bool) -> bool:
    """Parse emphasis marks next to ideographs, as in `**重点：**下文` and `见**“重点”**`.

    CommonMark ignores a mark between punctuation and a letter. Here it closes the first example and opens the second.
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
    """Parse a formula and keep its text: between dollars, or in escaped parentheses or brackets.

    An escaped bracket before a digit or `@` begins a citation, no formula. As in Pandoc, no space follows the first
    dollar or precedes the last, and no digit follows the last. So prices stay prices.
    """
    match = _FORMULA.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = match[0]
    state.pos = match.end()
    return True
