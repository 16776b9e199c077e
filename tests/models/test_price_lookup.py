"""What models cost: given prices count first, others are looked up, and what has none is named."""

import re

import pytest
from command import document, moot
from fakeserver import FakeServer
from moot.models.price_lookup import add_prices, describe_price_source
from moot.nodes.node_runnables import run_blocking
from moot.state.debate import DebateSettings
from moot.state.errors import InputError
from moot.state.prices import Price, Prices
from moot.state.records import Call
from moot.state.statement import Participant

MINI, SONNET, OWN = "openai:gpt-5-mini", "anthropic:claude-sonnet-4-5", "openai:mine@http://localhost:9/v1"
LONG = Call(purpose="statement", model=SONNET, input_tokens=1_000_000, output_tokens=0)


def prices_of(*models: str, **rules: object) -> Prices:
    """The prices a run of these models is settled with."""
    seats = [Participant(name=f"P{place}", model=model) for place, model in enumerate(models)]
    return run_blocking(add_prices(DebateSettings(model=models[0]).with_choices(**rules), seats)).prices or Prices()


def test_each_model_of_a_run_has_the_price_its_provider_asks_with_the_date_of_the_data() -> None:
    prices = prices_of(MINI, SONNET)
    assert set(prices.looked_up) == {MINI, SONNET}
    assert prices.looked_up[MINI].input < prices.looked_up[MINI].output < prices.looked_up[SONNET].output
    assert re.fullmatch(r"genai-prices \S+, data of 20\d\d-\d\d-\d\d", describe_price_source())
    assert (prices.source, prices.currency_sign) == (describe_price_source(), "$")
    both = [Call(purpose="statement", model=model, output_tokens=1_000_000) for model in (MINI, SONNET)]
    assert prices.compute_cost(both) == prices.looked_up[MINI].output + prices.looked_up[SONNET].output


def test_a_long_prompt_costs_what_the_tier_it_reaches_costs() -> None:
    found = prices_of(SONNET).looked_up[SONNET]
    short = LONG.model_copy(update={"input_tokens": found.tiers[0].above})
    assert found.compute_cost(LONG) == found.tiers[0].input > found.input
    assert found.compute_cost(short) == pytest.approx(found.input * short.input_tokens / 1e6)


def test_given_prices_count_before_those_that_are_looked_up() -> None:
    assert prices_of(MINI, SONNET, prices={"input": 7}).looked_up == {}
    prices = prices_of(MINI, SONNET, prices={"models": {MINI: {"input": 7}}})
    assert (prices.find_price(MINI), set(prices.looked_up)) == (prices.models[MINI], {SONNET})


@pytest.mark.parametrize("model", [OWN, "openai:no-such-model", "ollama:llama3", "object:Chat"])
def test_a_model_without_a_known_price_has_none_and_its_cap_on_money_is_refused(model: str) -> None:
    prices = prices_of(MINI, model)
    assert prices.find_price(model) is None
    assert prices.compute_cost([Call(purpose="statement", model=model, input_tokens=5)]) is None
    with pytest.raises(InputError, match=re.escape(f"no price known for {model}; give prices")):
        prices_of(MINI, model, budget={"cost": 1})


def test_nothing_is_looked_up_for_a_rehearsal_and_a_cap_on_money_holds_without_own_prices() -> None:
    assert prices_of("rehearsal", budget={"cost": 1}) == Prices()
    assert prices_of(MINI, budget={"cost": 1}).source == describe_price_source()


def test_a_checkpoint_says_what_its_run_cost_by() -> None:
    with FakeServer() as server:
        spec = f"openai:gpt-5-mini@{server.url}"
        text = f"prices={{models: {{'{spec}': {{input: 1000000, output: 0}}}}}}"
        report = document("debate", "Tea?", "--model", spec, "--max-turns", "2", "--set", text)
    assert report["settings"]["prices"]["models"][spec]["input"] == 1_000_000
    assert report["totalCost"] == sum(call["input_tokens"] for call in report["calls"])


def test_an_estimate_speaks_money_and_names_what_has_no_price() -> None:
    text = moot("estimate", "debate", "Tea?", "--model", MINI, "--max-turns", "2").stdout
    assert re.search(r"low .*\$0\.\d+", text)
    assert f"Prices in US dollars from {describe_price_source()}." in text
    text = moot("estimate", "debate", "Tea?", "--model", "openai:nobody-s", "--max-turns", "2").stdout
    assert "Price unknown: openai:nobody-s; set prices.input and prices.output." in text


def test_a_price_that_was_looked_up_is_settled_by_the_first_step_and_caps_money(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("moot.models.price_lookup._find_price", lambda spec: Price(input=1_000_000))
    with FakeServer() as server:
        spec = f"openai:gpt-5-mini@{server.url}"
        report = document("debate", "Tea?", "--model", spec, "--max-turns", "8", "--max-cost", "2000")
    assert report["settings"]["prices"]["looked_up"][spec]["input"] == 1_000_000
    assert (report["terminationReason"], 0 < report["totalCost"] <= 2000) == ("budget_spent", True)
