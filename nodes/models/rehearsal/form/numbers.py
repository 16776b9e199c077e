"""Numbers within the bounds of a schema."""

import math
from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def integer(node: Json, share: float, meant: int | None) -> int:
    """The whole number `meant`, else the one at `share` of the range, moved into the schema's bounds."""
    step = int(node.get("multipleOf", 1)) or 1
    low, high = bounds(node, 1, 10)
    value = low + (high - low) * share if meant is None else meant
    return min(math.floor(high / step), max(math.ceil(low / step), round(value / step))) * step


def decimal(node: Json, share: float) -> float:
    """The number at `share` of the schema's range, rounded where the bounds allow."""
    low, high = bounds(node, 0, 1)
    value = low + (high - low) * share
    if step := node.get("multipleOf"):
        return float(min(math.floor(high / step), max(math.ceil(low / step), round(value / step))) * step)
    edge = (high - low) / 1000
    low, high = low + edge * ("exclusiveMinimum" in node), high - edge * ("exclusiveMaximum" in node)
    rounded = round(value, 3)
    return rounded if low <= rounded <= high else min(high, max(low, value))


def allowed(node: Json, value: float) -> bool:
    """Whether a number lies within a schema's bounds."""
    low, high = bounds(node, 1 if isinstance(value, int) else 0, math.inf)
    return low <= value <= high


def bounds(node: Json, step: float, span: float) -> tuple[float, float]:
    """Lowest and highest value; `span` apart where the schema leaves an end open, an exclusive end moved by `step`."""
    lows = [node[key] + shift for key, shift in (("minimum", 0), ("exclusiveMinimum", step)) if key in node]
    highs = [node[key] - shift for key, shift in (("maximum", 0), ("exclusiveMaximum", step)) if key in node]
    low = max(lows) if lows else min(0, min(highs) - span) if highs else 0
    return low, min(highs) if highs else low + span
