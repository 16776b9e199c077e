"""What a person is asked: in words for people, whatever the protocol and the language."""

import asyncio
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from moot.app.people import OpenQuestion, answer_question, list_open_questions
from moot.app.people.entry_fields import EntryField, list_fields
from moot.app.saved import load_saved_run, open_database
from moot.graphs import consensus, council, debate, delphi, discussion, independent, jury, panel
from moot.nodes.justice.templates import TEMPLATES as JUSTICE
from moot.prompts import LANGUAGES, load_phrases
from moot.prompts.templates import parse_placeholders
from sampling import sample_cases
from seats import begun

CAST = ["--participant", "Ann", "--participant", "Ben", "--participant", "Yan=person"]
PAIR = ["--participant", "Yan=person", "--participant", "Ann"]
PROTOCOLS = {
    "consensus": ["consensus", "Tea?", *CAST, "--max-rounds", "2"],
    "consensus with a vote": ["consensus", "Tea?", *CAST, "--max-rounds", "1", "--vote", "borda"],
    "debate": ["debate", "Ban cars?", *PAIR, "--max-turns", "2", "--set", "positions=rounds"],
    "jury": ["jury", "Did Kim do it?", *CAST, "--max-rounds", "1", "--no-dynamic-termination"],
    "delphi": ["delphi", "How heavy is it?", *CAST, "--set", "answer={number: kg}", "--max-rounds", "2"],
    "council": ["council", "How heavy is it?", *CAST, "--chairman", "Yan"],
    "panel": ["panel", "Do street trees cool cities?", "--samples", "--participant", "Yan=person", "--cycles", "1"],
    "justice": [],
}
GRAPHS = (consensus, council, debate, delphi, discussion, independent, jury, panel)
NAMES = ("guilty", "not guilty", "Ann", "Ben", "D1", "D2", "D3", "D4", "sure", "unsure")
"""Options that are words for people as they are."""
UNASKED = ("reason", "integrate")
"""Templates whose questions go to models alone."""
VALUES: dict[str, Any] = {"agreement": 0.5, "certainty": 60, "low": 1, "answer": 2, "high": 3, "amount": 12_000}
TEXT = "I hold that it should stay as it is, for the sake of all of us here, as the first answer [2] says."


def fill(field: EntryField) -> Any:
    """Something that fits the field."""
    match field.kind:
        case "only" | "choice":
            return field.numbered_options[0]
        case "yes_no":
            return field.name != "abstain"
        case "several":
            return list(field.numbered_options)
        case "number":
            return VALUES[field.name]
        case "group":
            return {part.name: "Good." for part in field.parts}
    return "It is fair."


def questions(*words: str) -> list[OpenQuestion]:
    """All that Yan is asked in a rehearsed run, each answered."""
    run, asked = begun(*words, "--model", "rehearsal", "--seed", "3"), list[OpenQuestion]()

    async def load() -> list[OpenQuestion]:
        async with open_database(create=False) as store:
            return list_open_questions(await load_saved_run(store, run))

    while left := asyncio.run(load()):
        asked.append(left[0])
        schema = left[0]["schema"]
        value = {field.name: fill(field) for field in list_fields(schema)} if schema else TEXT
        answer_question(run, left[0]["id"], "Yan", value if left[0]["attempt"] == 1 else {"pass": True})
    return asked


@pytest.mark.long
@pytest.mark.parametrize(("name", "language"), sample_cases([*product(PROTOCOLS, LANGUAGES)], kinds=2))
def test_a_person_is_asked_in_words_for_people_and_given_no_part(name: str, language: str, tmp_path: Path) -> None:
    words = PROTOCOLS[name] and [*PROTOCOLS[name], "--language", language]
    if name == "justice":
        config = tmp_path / "justice.yaml"
        lines = ["participants: [Ann, Ben, {name: Yan, kind: person}]", "max_rounds: 1", f"language: {language}"]
        config.write_text("\n".join([*lines, "comprehension_test: true"]), "utf-8")
        words = ["justice", str(config)]
    asked = questions(*words)
    assert asked
    labels = load_phrases("people").list_keys("field")
    for question in asked:
        shown = question["words"] + question["rules"]
        assert not re.search(r"[`<{]|persona|perfil|人物设定|JSON|: \.|\b(You are|Eres) Yan|你是Yan", shown), shown
        assert question["purpose"] != "synthesis" or "[2]" in shown
        for field in list_fields(question["schema"], language, question["options"]) if question["schema"] else []:
            assert field.name in labels, field.name
            parts = [*field.parts, field]
            bare = [
                choice
                for part in parts
                for choice in part.numbered_options
                if part.kind != "only" and part.get_option_text(choice) == choice
            ]
            assert not [one for one in bare if one not in NAMES]


def test_every_text_for_people_has_what_its_template_is_offered_and_no_question_lacks_one() -> None:
    phrases = load_phrases("people")
    for templates in [*(graph.TEMPLATES for graph in GRAPHS), JUSTICE]:
        fields = templates.template_fields
        texts = phrases.get_builtin_texts("en")
        for key in phrases.list_keys(templates.protocol):
            holes = parse_placeholders(key, texts[f"{templates.protocol}.{key}"])
            assert holes <= fields["system" if key == "rules" else key] | {"last"}, (templates.protocol, key)
        asked = {name for name, holes in fields.items() if holes & {"name", "you"} and name not in UNASKED}
        assert asked | {"rules"} <= {*phrases.list_keys(templates.protocol)}, templates.protocol
