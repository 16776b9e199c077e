"""Numbers within the bounds of a schema."""

import math
from collections.abc import Mapping
from typing import Any

SchemaNode = Mapping[str, Any]


def fit_integer(node: SchemaNode, share: float, target: int | None) -> int:
    """Fit `target`, else the integer at `share` of the range, into the schema's bounds."""
    step = int(node.get("multipleOf", 1)) or 1
    low, high = get_bounds(node, 1, 10)
    value = low + (high - low) * share if target is None else target
    return min(math.floor(high / step), max(math.ceil(low / step), round(value / step))) * step


def fit_decimal(node: SchemaNode, share: float) -> float:
    """Return the number at `share` of the schema's range, rounded if the bounds allow it."""
    low, high = get_bounds(node, 0, 1)
    value = low + (high - low) * share
    if step := node.get("multipleOf"):
        return float(min(math.floor(high / step), max(math.ceil(low / step), round(value / step))) * step)
    margin = (high - low) / 1000
    low, high = low + margin * ("exclusiveMinimum" in node), high - margin * ("exclusiveMaximum" in node)
    rounded_value = round(value, 3)
    return rounded_value if low <= rounded_value <= high else min(high, max(low, value))


def is_within_bounds(node: SchemaNode, value: float) -> bool:
    """Return whether a number lies within a schema's bounds."""
    low, high = get_bounds(node, 1 if isinstance(value, int) else 0, math.inf)
    return low <= value <= high


def get_bounds(node: SchemaNode, step: float, span: float) -> tuple[float, float]:
    """Return the lowest and highest value that a schema allows.

    If the schema leaves an end open, the values lie `span` apart. `step` moves an exclusive end inwards.
    """
    lower_bounds = [node[key] + shift for key, shift in (("minimum", 0), ("exclusiveMinimum", step)) if key in node]
    upper_bounds = [node[key] - shift for key, shift in (("maximum", 0), ("exclusiveMaximum", step)) if key in node]
    low = max(lower_bounds) if lower_bounds else min(0, min(upper_bounds) - span) if upper_bounds else 0
    return low, min(upper_bounds) if upper_bounds else low + span
