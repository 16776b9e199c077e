"""Hooks of a Delphi: its estimates have a report section and tables of their own."""

from collections.abc import Mapping
from typing import Any

from ....state.delphi import ExpertEstimate, RoundFeedback
from ..hooks import Hooks
from .report import build_estimate_section


def _make_row_reader(key: str) -> Any:
    """Make the function that reads a list's entries from a document. It leaves the reasons out.

    The reasons stand with the estimates already.
    """

    def read_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{name: entry[name] for name in entry if name != "reasons"} for entry in document[key] or []]

    return read_rows


def _describe_columns(kind: type[ExpertEstimate] | type[RoundFeedback]) -> dict[str, str]:
    return {name: str(field.description) for name, field in kind.model_fields.items() if name != "reasons"}


HOOKS = Hooks(
    sections={"estimates": [build_estimate_section]},
    tables={
        "estimates": (_describe_columns(ExpertEstimate), _make_row_reader("estimates")),
        "feedback": (_describe_columns(RoundFeedback), _make_row_reader("feedback")),
    },
)
