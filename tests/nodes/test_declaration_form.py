"""A declaration in labelled lines says the same as one in JSON, and nothing else does."""

import pytest
from langchain_core.messages import AIMessage
from moot.nodes.ask.attempt import SHARED_TEMPLATES
from moot.nodes.ask.reply_schema import ReplySchema, UnusableReplyError, parse_reply
from moot.nodes.consensus.declare import (
    Declaration,
    build_declaration_schema,
    has_contrary_objection,
    make_declaration_form,
)

OTHERS = ("Ben", "Cleo")
LINES = {
    "en": (
        "Position: Ban them.\nAgreement: 0.4\nNew objection: yes\nObjection: It costs too much.\n"
        "Changed by: Ben\nChange: wording\nStill open: 1, 2"
    ),
    "es": (
        "Posición: Ban them.\nAcuerdo: 0.4\nObjeción nueva: sí\nObjeción: It costs too much.\n"
        "Cambiado por: Ben\nCambio: palabras\nSiguen abiertas: 2, 1"
    ),
    "zh": (
        "立场：Ban them.\n认同度：0.4\n新异议：是\n异议：It costs too much.\n受谁影响：Ben\n修改：措辞\n仍未解决：1、2"
    ),
}


def parse(text: str, language: str = "en") -> dict[str, object]:
    """Parse a reply as a declaration of a later round with two open objections."""
    schema = build_declaration_schema(OTHERS, has_last=True, numbers=(1, 2))
    form = make_declaration_form(OTHERS, True, (1, 2), None, language)
    value, _ = parse_reply(AIMessage(text), ReplySchema(schema, SHARED_TEMPLATES, form, language))
    return value.model_dump()


@pytest.mark.parametrize("language", LINES)
def test_its_lines_are_read_in_each_language_after_whatever_was_thought(language: str) -> None:
    declaration = parse(f"I listened to Ben.\n\n{LINES[language]}", language)
    assert sorted(declaration.pop("standing")) == [1, 2]
    assert declaration == {
        "position": "Ban them.",
        "agreement": 0.4,
        "has_objection": True,
        "objection": "It costs too much.",
        "changed_by": "Ben",
        "change": "wording",
    }


def test_no_stands_for_no_objection_and_none_for_nobody_and_nothing_open() -> None:
    declaration = parse(
        "Position: Ban them.\nAgreement: 1\nNew objection: no\nChanged by: None.\nChange: none\nStill open: none"
    )
    assert (declaration["has_objection"], declaration["changed_by"], declaration["standing"]) == (False, "", [])


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("Agreement: 0.4", "Agreement: 40 %"),
        ("Agreement: 0.4", "Agreement: 2"),
        ("Agreement: 0.4", "Agreement: rather high"),
        ("Changed by: Ben", "Changed by: Ben and Cleo"),
        ("Changed by: Ben", "Changed by: Ada"),
        ("Change: wording", "Change: a little"),
        ("Still open: 1, 2", "Still open: 3"),
        ("Position: Ban them.\n", ""),
        *(("Position: Ban them.", f"Position: {text}") for text in ("", " ", "…", "*")),
        ("Position: Ban them.", "New objection: no\nPosition: Ban them."),
        *(
            ("New objection: yes", f"New objection: {text}")
            for text in ("none", "nothing", "N/A", "-", "It costs too much.")
        ),
        ("Agreement: 0.4", "Agreement: 0.9\nAgreement: 0.4"),
        ("Still open: 1, 2", "Still open: none, 1"),
        ("Still open: 1, 2", "Still open: 1, 1"),
        ("Still open: 1, 2", "Still open: 1, 2\nThat is what Ben says."),
    ],
)
def test_a_line_that_says_something_else_is_asked_for_again(line: str, given: str) -> None:
    with pytest.raises(UnusableReplyError):
        parse(LINES["en"].replace(line, given))


@pytest.mark.parametrize(("changed_by", "name"), [("None", None), ("none", None), ("无", ""), ("Ben", "Ben")])
def test_none_is_nobody_unless_a_participant_has_this_name(changed_by: str, name: str | None) -> None:
    schema = build_declaration_schema(("None", "Ben"), has_last=False, numbers=())
    form = make_declaration_form(("None", "Ben"), False, (), None, "en")
    reply = f"Position: Ban them.\nAgreement: 1\nNew objection: no\nChanged by: {changed_by}"
    if name is None:
        with pytest.raises(UnusableReplyError):
            parse_reply(AIMessage(reply), ReplySchema(schema, SHARED_TEMPLATES, form))
    else:
        value, _ = parse_reply(AIMessage(reply), ReplySchema(schema, SHARED_TEMPLATES, form))
        assert value.model_dump()["changed_by"] == name


def test_blanks_are_no_position_in_an_object() -> None:
    reply = (
        '{"position": " \\n", "agreement": 1, "has_objection": false, '
        '"changed_by": "", "change": "none", "standing": []}'
    )
    with pytest.raises(UnusableReplyError):
        parse(reply)
    assert parse(reply.replace('" \\n"', '" Ban them. "'))["position"] == "Ban them."


NO_OBJECTIONS = (
    "",
    " ",
    "-",
    "…",
    "None.",
    "ninguna",
    "无",
    "No objection",
    "No objections.",
    "Sin objeciones",
    "没有异议",
)


@pytest.mark.parametrize(
    ("has_objection", "objection", "is_contrary"),
    [
        (True, "It costs too much.", False),
        *((True, text, True) for text in NO_OBJECTIONS),
        *((False, text, False) for text in ("", " ", "-", "None.", "no", "无", "No objection.")),
        (False, "It costs too much.", True),
    ],
)
def test_an_objection_has_a_text_exactly_if_it_is_announced(
    has_objection: bool, objection: str, is_contrary: bool
) -> None:
    reply = Declaration(position="P", agreement=1, has_objection=has_objection, objection=objection, changed_by="")
    assert has_contrary_objection(reply) == is_contrary
