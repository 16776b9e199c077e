"""Knobs that cannot act beside a chat model object are told of, once a run."""

import warnings

import pytest
from deliberations.debate import hold
from deliberations.justice import played


def test_what_is_not_sent_to_a_chat_model_object_is_told_once() -> None:
    with pytest.warns(
        UserWarning,
        match="temperature: no effect on Debaters, because a model object keeps its own values; set them there",
    ) as warns:
        hold(temperature=0.2, max_turns=2)
    assert len(warns) == 1


def test_of_an_experiment_too() -> None:
    with pytest.warns(UserWarning, match="reasoning_tokens: no effect on Cast") as warns:
        played(reasoning_tokens=100, max_rounds=1)
    assert len(warns) == 1


def test_every_knob_that_cannot_act_is_named_in_one_warning() -> None:
    given = {"temperature": 0.2, "reasoning_tokens": 9, "timeouts": {"first_token": 5, "total": 50}}
    with pytest.warns(
        UserWarning, match=r"^temperature, reasoning_tokens, timeouts.first_token: no effect on"
    ) as warns:
        hold(max_turns=2, **given)
    assert len(warns) == 1
    with pytest.warns(UserWarning, match=r"^participants.temperature: no effect on Cast") as warns:
        played(max_rounds=1, participants=[{"name": "A", "temperature": 0.1}, "B", "C"])
    assert len(warns) == 1


def test_nothing_is_told_where_nothing_was_given() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hold(max_turns=2)
