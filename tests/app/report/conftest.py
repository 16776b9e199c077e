"""Runs that the tests of this room look at, each made once."""

from typing import Any

import pytest
from records.documents import CHINESE, SPANISH, WORDS, run


@pytest.fixture(scope="package")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """A run of every protocol, and of one in Spanish and Chinese."""
    folder = tmp_path_factory.mktemp("runs")
    return {name: run(words, folder) for name, words in (WORDS | {"es": SPANISH, "zh": CHINESE}).items()}
