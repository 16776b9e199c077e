"""How a figure of a report is written."""

import pytest
from moot.app.experiment.arms.charts import EstimateRow, draw_estimates
from moot.app.experiment.statistics import IntervalEstimate, estimate_share, format_estimate

LEVELS = {"a": (0.48, 0.38, 0.58), "b": (0.72, 0.62, 0.8)}


@pytest.mark.parametrize(
    ("low", "value", "high", "how", "text"),
    [
        (-0.3, -0.25, 1.2, {}, "−25.0 [−30.0,\u00a0100.0]"),
        (-0.1, 0.4, 1.2, {"minimum": 0}, "40.0 [0.0,\u00a0100.0]"),
        (0.4, 0.7, 1.03, {"scale": 1, "minimum": 0}, "0.700 [0.400,\u00a01.000]"),
        (-3.0, 0.5, 4.0, {"scale": 1}, "0.500 [−3.000,\u00a04.000]"),
        (996.5, 7380.25, 27631.6, {"scale": 1}, "7,380 [996.500,\u00a027,632]"),
        (None, 0.5, None, {}, "50.0"),
    ],
    ids=["difference of shares", "share", "measure from 0 to 1", "without bounds", "thousands", "without an interval"],
)
def test_no_interval_goes_further_than_its_figure_can(
    low: float | None, value: float, high: float | None, how: dict[str, float], text: str
) -> None:
    assert format_estimate(IntervalEstimate(value, low, high, 24, 8, 0.1), **how) == text


@pytest.mark.parametrize(
    ("values", "text"), [([0.0] * 8, "0.0 [0.0,\u00a032.4]"), ([1.0] * 8, "100.0 [67.6,\u00a0100.0]")]
)
def test_items_that_all_came_out_alike_are_not_told_as_certain(values: list[float], text: str) -> None:
    assert (
        format_estimate(estimate_share({str(item): [element] for item, element in enumerate(values)}), minimum=0)
        == text
    )
    assert format_estimate(estimate_share({"1": values}), minimum=0) == text.partition(" ")[0], (
        "of one item nothing is known"
    )


def test_the_axes_of_a_figure_have_round_ticks_with_their_unit_and_zero_in_the_middle_of_differences() -> None:
    levels = [EstimateRow(name, IntervalEstimate(*ends, 24, 8, 0.1)) for name, ends in LEVELS.items()]
    figure = draw_estimates(
        "x", levels, [EstimateRow("b − a", IntervalEstimate(0.11, 0.02, 0.2, 24, 8, 0.1))], margin=0.03
    )
    assert figure is not None
    assert [tick.text for tick in figure["ticks"]] == ["20 %", "40 %", "60 %", "80 %"]
    assert [tick.text for tick in figure["ends"]] == ["−20", "−10", "0", "+10", "+20"]
    assert [row["unit"] for row in figure["rows"]] == ["%", "%", "points"]
    assert [row["x"] for row in figure["rows"]] == [292.7, 380.7, 360.5]
    assert (figure["band"], figure["zero"]) == ({"x": 283.5, "width": 33.0, "note": ""}, 300.0)
