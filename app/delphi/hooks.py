"""The hooks of a Delphi: its estimates stand in its report and in tables of their own."""

from collections.abc import Mapping
from typing import Any

from ...state.delphi import Estimate, Feedback
from ..hooks import Hooks
from .course import course


def _rows(key: str) -> Any:
    """The entries of a list of the document, each as it is; reasons, which stand with the estimates, left out."""

    def rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{name: one[name] for name in one if name != "reasons"} for one in document[key] or []]

    return rows


def _meanings(kind: type[Estimate] | type[Feedback]) -> dict[str, str]:
    return {name: str(field.description) for name, field in kind.model_fields.items() if name != "reasons"}


HOOKS = Hooks(
    sections={"estimates": [course]},
    tables={
        "estimates": (_meanings(Estimate), _rows("estimates")),
        "feedback": (_meanings(Feedback), _rows("feedback")),
    },
)
