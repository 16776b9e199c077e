"""Hooks of the Delphi protocol: a report section and tables for its estimates."""

from collections.abc import Mapping
from typing import Any

from ....state.delphi import ExpertEstimate, RoundFeedback
from ..hooks import Hooks
from .report import build_estimate_section


def _make_row_reader(key: str) -> Any:
    """Make a function that reads the rows of a list from a document.

    The rows omit the field `reasons`, because the estimates already contain it.
    """

    def read_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{name: entry[name] for name in entry if name != "reasons"} for entry in document[key] or []]

    return read_rows


def _describe_columns(row_class: type[ExpertEstimate] | type[RoundFeedback]) -> dict[str, str]:
    return {name: str(field.description) for name, field in row_class.model_fields.items() if name != "reasons"}


HOOKS = Hooks(
    sections={"estimates": [build_estimate_section]},
    tables={
        "estimates": (_describe_columns(ExpertEstimate), _make_row_reader("estimates")),
        "feedback": (_describe_columns(RoundFeedback), _make_row_reader("feedback")),
    },
)
