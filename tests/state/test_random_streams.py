"""Every draw has a stream of its own, so that nothing moves another's."""

import random

import pytest
from moot.state.random_streams import derive_stream_seed, draw_value, make_rng


def test_vector_39_a_stream_is_named_by_seed_and_purpose() -> None:
    assert derive_stream_seed(42, "phase2", "multiplier") == 14811067007790521646
    assert make_rng(42, "phase2", "multiplier").uniform(0.5, 2.0) == 1.8306701215565018


def test_a_fresh_stream_starts_anew() -> None:
    assert make_rng(1, "a").random() == make_rng(1, "a").random()


@pytest.mark.parametrize("other", [(2, "a", 1), (1, "b", 1), (1, "a", 2), (1, "a", "1"), (1, "a1"), (1, "名", 1)])
def test_another_seed_or_purpose_is_another_stream(other: tuple[int, str]) -> None:
    assert derive_stream_seed(*other) != derive_stream_seed(1, "a", 1)


def test_a_name_outside_ascii_is_hashed_as_utf8() -> None:
    assert derive_stream_seed(7, "phase2", "class", "小李") == 14254989433743690991


def test_a_draw_can_be_made_again_from_its_record() -> None:
    value, draw = draw_value(42, ["phase2", "multiplier"], "multiplier", lambda rng: rng.uniform(0.5, 2.0))
    assert draw.value == value == random.Random(draw.stream).uniform(0.5, 2.0)
    assert (draw.purpose, draw.kind) == (["phase2", "multiplier"], "multiplier")
