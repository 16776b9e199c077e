"""A LangGraph server of every protocol, which takes longer to start than most tests on it."""

from collections.abc import Iterator

import pytest
from servers.langgraph import Client, served


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with served(tmp_path_factory.mktemp("server")) as client:
        yield client
