"""The words of the rehearsal: the same in every language, known again when they are quoted, fitted to any motion."""

from string import Formatter

import pytest
from moot.models.rehearsal.motion import extract_topic_terms, parse_motion
from moot.models.rehearsal.stock import load_stock
from moot.prompts import load_table


@pytest.mark.parametrize(
    ("topic", "language", "plan"),
    [
        ("Should cities ban cars from downtown areas?", "en", "banning cars from downtown areas"),
        ("Remote work should be the default", "en", "making remote work the default"),
        ("Rust or Python for a backend", "en", "choosing Rust"),
        ("Tabs are better than spaces", "en", "choosing tabs"),
        ("Buy or lease the delivery vans", "en", "buying the delivery vans"),
        ("Serverless for a web app", "en", "choosing serverless for a web app"),
        ("Name the cat", "en", "naming the cat"),
        ("Please name our cat.", "en", "naming our cat"),
        ("Let's ban cars", "en", "banning cars"),
        ("Feed every child", "en", "feeding every child"),
        ("Should the city rename the old bridge?", "en", "renaming the old bridge"),
        ("Should we paint or tile the wall?", "en", "painting the wall"),
        ("Names for a cat", "en", "choosing names for a cat"),
        ("All the king's men", "en", "choosing all the king's men"),
        ("Banning cars downtown", "en", "banning cars downtown"),
        ("Don't feed the birds", "en", "the motion"),
        ("Should people in the country pay?", "en", "the motion"),
        ("AI will take our jobs", "en", "the motion"),
        ("How can the hospital cut waiting times?", "en", "acting boldly"),
        ("市中心应该禁止私家车", "en", "the motion"),
        ("¿Deberían las ciudades prohibir los coches en el centro?", "es", "prohibir los coches en el centro"),
        ("El voto debe ser obligatorio", "es", "hacer obligatorio el voto"),
        ("¿Rust o Python para el backend?", "es", "elegir Rust"),
        ("城市是否应该禁止汽车进入市中心？", "zh", "城市禁止汽车进入市中心"),
        ("Rust还是Python更适合后端？", "zh", "选择Rust"),
        ("如何缩短候诊时间？", "zh", "大胆去做"),
        ("", "en", "the motion"),
    ],
)
def test_a_motion_is_put_into_the_words_of_a_sentence(topic: str, language: str, plan: str) -> None:
    assert parse_motion(topic, language).proposals[0] == plan


@pytest.mark.parametrize(
    ("topic", "terms"),
    [("四天工作制好吗", ["四天工作制"]), ("四天工作制好不好", ["四天工作制"]), ("邻里友好", ["邻里友好"])],
)
def test_the_question_at_its_end_is_no_part_of_what_a_topic_is_about(topic: str, terms: list[str]) -> None:
    assert extract_topic_terms(topic, "zh") == terms


def slots(found: object) -> object:
    """The shape of a table of words: keys, lengths, and the slots of each phrase."""
    if isinstance(found, dict):
        return {key: slots(one) for key, one in found.items()}
    if isinstance(found, list):
        return [slots(one) for one in found]
    return {hole for _, hole, _, _ in Formatter().parse(str(found)) if hole} - {"plan", "rest"}


@pytest.mark.parametrize("language", ["es", "zh"])
def test_the_stock_is_as_large_in_every_language(language: str) -> None:
    free = ("keywords", "marks", "leanings", "motion")
    tables = [load_table("rehearsal", tag) for tag in ("en", language)]
    english, other = ({key: one for key, one in words.items() if key not in free} for words in tables)
    assert slots(other) == slots(english)


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_an_argument_is_known_again_by_its_words(language: str) -> None:
    every = [one for side in load_stock(language).arguments.values() for one in side]
    assert len(every) >= 60
    for one in every:
        assert load_stock(language).list_arguments_in(one.claim) == [one]
        assert {name for name in load_stock(language).phrases["slots"] if f"{{{name}}}" in one.ground}
