"""Payoffs: the money paid for an income.

The loss wording presents the same money as deductions from a credit.
"""

PAID_DRAWS = 5
"""Number of paid draws: four applications and one draw of the group."""


def compute_payoff_cents(income: int) -> int:
    """Compute the payoff of an income in whole cents: $1 per 10,000, with half a cent rounded up.

    Raises `ValueError`.
    """
    if income <= 0:
        raise ValueError(f"income {income}: only an income above 0 is paid")
    return (income + 50) // 100


def format_dollars(cents: int) -> str:
    """Format cents as dollars with two decimals and commas: 1060 → "10.60", −10 → "-0.10"."""
    dollars, remainder = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{dollars:,}.{remainder:02}"


def split_credit(credit: int, draw_count: int = PAID_DRAWS) -> list[int]:
    """Split a credit in cents over the paid draws, as equally as whole cents allow."""
    share, remainder = divmod(credit, draw_count)
    return [share + (position < remainder) for position in range(draw_count)]
