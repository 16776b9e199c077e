"""Income tables: the base set, and the four published situations of the original experiments."""

from typing import Final, Literal

from .income import DEFAULT_WEIGHTS, DistributionSet

Situation = Literal["A", "B", "C", "D"]

BASE_DISTRIBUTIONS: Final = DistributionSet.model_validate(
    {
        "distributions": [
            [32000, 27000, 24000, 13000, 12000],
            [28000, 22000, 20000, 17000, 13000],
            [31000, 24000, 21000, 16000, 14000],
            [21000, 20000, 19000, 16000, 15000],
        ],
        "weights": list(DEFAULT_WEIGHTS),
    }
)

SITUATIONS: Final[dict[Situation, DistributionSet]] = {
    "A": DistributionSet.model_validate(
        {
            "distributions": [
                [28000, 25000, 20000, 15000, 12000],
                [35000, 30000, 25000, 15000, 10000],
                [30000, 29000, 28000, 27000, 6000],
                [25000, 22000, 19000, 16000, 13000],
            ],
            "weights": [0.10, 0.20, 0.40, 0.20, 0.10],
        }
    ),
    "B": DistributionSet.model_validate(
        {
            "distributions": [
                [17000, 16000, 15000, 14000, 13000],
                [30000, 25000, 20000, 15000, 12500],
                [40000, 30000, 25000, 20000, 8000],
                [26000, 24000, 22000, 20000, 11000],
            ],
            "weights": [0.063060, 0.208333, 0.283333, 0.345274, 0.10],
        }
    ),
    "C": DistributionSet.model_validate(
        {
            "distributions": [
                [100000, 30000, 20000, 15000, 13000],
                [35000, 30000, 25000, 20000, 8000],
                [30000, 25000, 23000, 15000, 12000],
                [24000, 23000, 22000, 21000, 11000],
            ],
            "weights": [0.013334, 0.043333, 0.583333, 0.26, 0.10],
        }
    ),
    "D": DistributionSet.model_validate(
        {
            "distributions": [
                [35000, 30000, 25000, 20000, 13000],
                [30000, 28000, 26000, 24000, 12000],
                [20000, 18000, 16000, 14000, 12000],
                [30000, 28000, 24000, 20000, 14000],
            ],
            "weights": [0.05, 0.208333, 0.283333, 0.358334, 0.10],
        }
    ),
}


def get_situation(round: int) -> DistributionSet:
    """Return the published set of distributions for a round of Phase 1, 1 to 4.

    Raises `ValueError` for any other round.
    """
    if round not in range(1, 5):
        raise ValueError(f"round {round}: the original situations A to D are rounds 1 to 4")
    return list(SITUATIONS.values())[round - 1]
