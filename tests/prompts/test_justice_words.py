"""The words of the justice experiment: whole in three languages, and only those of a participant's own language."""

import importlib
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from command import listed, moot
from deliberations.justice import played
from moot.nodes.justice.templates import JUSTICE_PHRASES
from moot.prompts import LANGUAGES, TemplateError, load_phrases
from moot.prompts.phrases import Phrases
from moot.state.justice.principle import PRINCIPLES

REPLIES: dict[str, dict[str, str]] = {
    "es": {
        "ranking": "Orden: 2 > 3 > 1 > 4\nCerteza: seguro",
        "explanation": "Los principios escogen distribuciones distintas.",
        "choice": "Principio: 3\nCantidad: 15.000\nCerteza: muy seguro\nRazón: protege a todos",
        "reasoning": "Creo que los demás quieren un mínimo.",
        "statement": "Propongo que adoptemos el principio 3 con una cantidad de 14.000.",
        "initiation": "1",
        "confirmation": "1 (sí)",
        "ballot": "3",
        "amount": "14.000",
        "memory": "Lo que conservo: llegamos a un acuerdo.",
    },
    "zh": {
        "ranking": "排序：2 > 3 > 1 > 4\n把握：确定",
        "explanation": "各种原则选出的方案各不相同。",
        "choice": "原则：3\n金额：15,000\n把握：非常确定\n理由：它保护所有人",
        "reasoning": "我想别人要的是最低收入的保障。",
        "statement": "我提议我们采纳原则 3，金额为 14000。",
        "initiation": "1",
        "confirmation": "1",
        "ballot": "我想了很久。\n原则：3",
        "amount": "14,000",
        "memory": "我要保留的是：我们达成了一致。",
    },
}


def triples(text: str) -> set[str]:
    words = re.findall(r"[a-z]+", text.casefold())
    return {" ".join(words[at : at + 3]) for at in range(len(words) - 2)}


def english() -> set[str]:
    root = files("moot.prompts")
    texts = [path.read_text("utf-8") for path in (root / "en" / "justice").iterdir()]
    sections = tomllib.loads((root / "justice.en.toml").read_text("utf-8"))
    texts += [text for section in sections.values() for text in section.values()]
    bare = [re.sub(r"\{\w+\}", " . ", text) for text in texts]
    return {triple for text in bare for line in re.split(r"[.:;,\n]", text) for triple in triples(line)}


@pytest.mark.long
@pytest.mark.parametrize("language", ["es", "zh"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"wording": "neutral", "frame": "loss"},
        {"decision_rule": "majority", "guidance_style": "structured", "include_internal_reasoning": True},
        {"reveal_class_probabilities": "before_choice", "no_consensus_mode": "random_principle"},
        {"comprehension_test": True, "principle_order": "counterbalanced", "initiation_order": "drawn"},
    ],
)
def test_no_prompt_speaks_english_to_somebody_else(language: str, settings: dict[str, Any]) -> None:
    ours = english()
    lines = REPLIES[language] | ({"ballot": "1"} if "no_consensus_mode" in settings else {})
    lines = {**lines, ("A", "statement"): "x", ("B", "ballot"): "?", ("C", "amount"): "1"}  # type: ignore[dict-item]
    play = played(lines, language=language, **settings)
    assert play.result.status == "completed"
    leaked = {triple for prompt in play.cast.prompts for triple in triples(prompt.text) & ours}
    assert leaked == set()


@pytest.mark.parametrize("language", ["es", "zh"])
def test_amounts_are_read_in_their_own_formats(language: str) -> None:
    result = played(REPLIES[language], language=language).result
    assert result.phase2.constraint_amount == 14000
    choices = [application_result.choice for application_result in result.phase1["A"].application_results]
    assert [choice.constraint_amount for choice in choices if choice] == [15000] * 4
    assert [choice.certainty for choice in choices if choice] == ["very_sure"] * 4
    assert not result.incidents


NEUTRAL = {"en": r"\b(justice|fair\w*|just|unjust)\b", "es": r"justici|just[oa]|equitativ", "zh": "正义|公平|公正"}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_neutral_wording_holds_in_every_language(language: str) -> None:
    play = played(REPLIES.get(language), language=language, wording="neutral")
    for prompt in play.cast.prompts:
        assert not re.search(NEUTRAL[language], prompt.text, re.IGNORECASE)
    plain = played(REPLIES.get(language), language=language)
    assert any(re.search(NEUTRAL[language], prompt.text, re.IGNORECASE) for prompt in plain.cast.prompts)


def test_each_may_have_a_language_of_its_own_and_the_history_stays_as_it_was_said() -> None:
    cast: list[Any] = ["A", {"name": "Luz", "language": "es"}, {"name": "雪", "language": "zh"}]
    lines: dict[Any, Any] = {("Luz", purpose): text for purpose, text in REPLIES["es"].items()}
    lines |= {("雪", purpose): text for purpose, text in REPLIES["zh"].items()}
    play = played(lines, participants=cast)
    assert play.result.phase2.consensus_reached is True
    assert not play.result.incidents
    last = {prompt.who: prompt for prompt in play.cast.list_prompts("ballot")}
    for one in last.values():
        assert REPLIES["es"]["statement"] in one.human
        assert REPLIES["zh"]["statement"] in one.human
    assert "En la ronda 1 A sostuvo" in last["Luz"].private
    assert "在第 1 轮，A主张" in last["雪"].private


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_definition_begins_with_its_number(language: str) -> None:
    for number, principle in enumerate(PRINCIPLES, start=1):
        assert JUSTICE_PHRASES.translate_phrase(language, f"definitions.{principle}").startswith(f"{number}. ")


GOALS = {"en": "most just for a society", "es": "más justo para una sociedad", "zh": "最公正"}
JUST = {
    "en": r"\b(fair\w*|just|unjust\w*|societ\w*)\b",
    "es": r"\b(just[oa]s?|injust\w*|equitativ\w*|sociedad)\b",
    "zh": "公平|公正|公道|正当|社会",
}
"""What a prompt would say to have its reader be just."""
TOGETHER = ("reasoning", "statement", "initiation", "confirmation", "ballot", "amount")


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_is_told_to_be_just_where_it_is_paid_for_its_own_choice(language: str) -> None:
    settings = {"max_rounds": 2, "force_vote_in_final_round": False, "comprehension_test": True}
    play = played(REPLIES.get(language), language=language, **settings)
    met = next(place for place, prompt in enumerate(play.cast.prompts) if prompt.purpose in TOGETHER)
    alone, together = play.cast.prompts[:met], play.cast.list_prompts(*TOGETHER)
    assert len(alone) == 3 * 12, "of each four questions, three rankings, an explanation and four applications"
    assert {one.purpose for one in together} == set(TOGETHER)
    assert all(GOALS[language] in one.private for one in together), "the goal belongs to the group"
    for one in alone:
        assert not re.search(JUST[language], one.text, re.IGNORECASE), one.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[a]\none = "{x}"\n', "jury.es.toml: a.two is missing"),
        ('[a]\none = "{x}"\ntwo = ""\nthree = ""\n', "a.three is missing"),
        ('[a]\none = "{y}"\ntwo = ""\n', "jury.es.toml: a.one must have the placeholders {x}"),
    ],
)
def test_a_language_that_lacks_a_key_or_a_hole_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    whole = tomllib.loads('[a]\none = "{x}"\ntwo = ""\n')
    module = importlib.import_module("moot.prompts.phrases")
    monkeypatch.setattr(module, "load_table", lambda _, tag: tomllib.loads(text) if tag == "es" else whole)
    with pytest.raises(TemplateError, match=re.escape(said)):
        Phrases("jury")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_name_no_amount_since_an_example_would_be_an_anchor(language: str) -> None:
    root = files("moot.prompts")
    texts = [path.read_text("utf-8") for path in (root / language / "justice").iterdir()]
    texts.append((root / f"justice.{language}.toml").read_text("utf-8"))
    rate = "10,000"  # of income, for each dollar of pay
    assert {match for text in texts for match in re.findall(r"\d[\d.,]*\d{3}", text)} == {rate}


@pytest.mark.parametrize("language", LANGUAGES)
def test_higher_stakes_are_told_where_the_rules_raise_them(language: str) -> None:
    for top, higher in ((2.0, True), (1.0, False)):
        play = played(REPLIES.get(language), language=language, max_rounds=1, distribution_range_phase2=[0.5, top])
        systems = [prompt.system for prompt in play.cast.list_prompts("statement")]
        assert [JUSTICE_PHRASES.translate_phrase(language, "group.stakes") in system for system in systems] == [
            higher
        ] * 3
        assert not any("  " in system or "。 " in system for system in systems), (
            "nor is there a gap where it is not told"
        )


def own_ballot(folder: Path, text: str) -> str:
    (folder / "en" / "justice").mkdir(parents=True)
    (folder / "en" / "justice" / "ballot.md").write_text(text, "utf-8")
    return str(folder)


def test_a_folder_of_own_templates_comes_first(tmp_path: Path) -> None:
    folder = own_ballot(tmp_path / "good", "{you} {own} {agreement} My own ballot: {definitions}")
    play = played(templates=folder, max_rounds=1)
    assert all("My own ballot:" in prompt.private for prompt in play.cast.list_prompts("ballot"))
    with pytest.raises(TemplateError, match="Moot cannot fill"):
        played(templates=own_ballot(tmp_path / "bad", "{mood}"))


def test_phrases_are_loaded_once() -> None:
    assert load_phrases("justice") is JUSTICE_PHRASES


def test_the_lowest_income_has_one_word_in_spanish() -> None:
    root = files("moot.prompts")
    texts = [path.read_text("utf-8") for path in (root / "es" / "justice").iterdir()]
    texts += [
        (root / f"{kind}.es.toml").read_text("utf-8") for kind in ("justice", "experiment", "rehearsal", "report")
    ]
    assert not [match for text in texts for match in re.findall(r"\bpisos?\b", text)]


@pytest.mark.long
@pytest.mark.parametrize(("language", "name"), [("es", "moderación"), ("zh", "主持人")])
def test_the_protocols_own_voice_is_called_by_a_word_of_the_runs_language(language: str, name: str) -> None:
    output = moot(
        "justice", "--model", "rehearsal", "--seed", "1", "--max-rounds", "1", "--set", f"language={language}"
    )
    run = listed()[0]["run"]
    outputs = [moot("show", run, "--format", kind).stdout for kind in ("transcript", "md", "html")]
    for text in (output.stdout, *outputs):
        assert name in text
        assert "moderator" not in text


@pytest.mark.parametrize(
    ("kind", "key", "texts"),
    [
        ("report", "opening.spent", ["1 call, 9 tokens", "1 llamada, 9 tokens", "1 次调用，9 个词元"]),
        ("web", "run.spent", ["1 call, 9 tokens", "1 llamada, 9 tokens", "1 次调用，9 个词元"]),
        ("web", "experiment.spent", ["1 call, 9 tokens", "1 llamada, 9 tokens", "1 次调用，9 个词元"]),
        ("display", "detail.spent", ["(1 call, 9 tokens)", "(1 llamada, 9 tokens)", "（1 次调用，9 个词元）"]),
        ("findings", "plain.spent", ["1 call, 9 tokens", "1 llamada, 9 tokens", "1 次调用，9 个词元"]),
        ("findings", "pictures.cost_calls", ["1 call", "1 llamada", "1 次调用"]),
        ("findings", "design.runs", ["1 run", "1 ejecución", "1 次运行"]),
    ],
)
def test_one_call_and_one_run_are_told_in_the_singular(kind: str, key: str, texts: list[str]) -> None:
    values = {"calls": "1", "count": 1, "tokens": 9, "money": ""}
    assert [load_phrases(kind).translate_phrase(tag, key, **values) for tag in ("en", "es", "zh")] == texts
