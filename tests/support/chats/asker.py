"""One question over real HTTP: a graph of a single step that asks, for tests of what can happen to one call."""

from collections.abc import Callable
from typing import Annotated, Any

from fakeserver import FakeServer
from langgraph.graph import StateGraph
from moot.graphs.protocol_graph import add_node
from moot.models.failures import NoAnswerError
from moot.nodes.ask.ask_with_retries import ask
from moot.nodes.ask.call_options import Answer, CallOptions, Check
from moot.nodes.ask.prompt import Prompt
from moot.state.debate import DebateSettings
from moot.state.settings import Settings
from moot.state.statement import Statement
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

KEY = "sk-planted-3f9a7c"
Ending = Answer | NoAnswerError


class Verdict(BaseModel):
    """A small closed form."""

    model_config = ConfigDict(extra="forbid")

    choice: Annotated[str, Field(pattern="^(yes|no)$")]
    weight: float = Field(ge=0, le=1)


class Nothing(TypedDict):
    """The state of a graph that only asks."""

    topic: str


def make_prompt(**parts: Any) -> Prompt:
    """A prompt of a few words."""
    return Prompt(**{"head": "A debate.", "task": "Say something about cars.", "language": "en", **parts})


def make_statements(*lengths: int) -> list[Statement]:
    """Statements of these lengths."""
    return [
        Statement(turn=turn, round=1, speaker="Ada", content="w" * length)
        for turn, length in enumerate(lengths, start=1)
    ]


class Asker:
    """Asks one question of a server; `heard` and `events` keep what was streamed meanwhile."""

    def __init__(self, server: FakeServer | str, *, streaming: bool = False, **rules: Any) -> None:
        self.spec = server if isinstance(server, str) else f"openai:any@{server.url}"
        self.rules: Settings = DebateSettings(**{"model": self.spec, "retry_delays": [0], "on_outage": "skip", **rules})
        self.streaming = streaming
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.events: list[dict[str, Any]] = []

    def ask(self, brief: Prompt | None = None, check: Check | None = None, **asking: Any) -> Ending:
        """The answer, or the record of having got none."""
        known = {"who": "Ada", "purpose": "statement", "spec": self.spec, "settings": self.rules, "turn": 1}
        known |= {} if self.streaming else {"is_hidden": True}
        question, ended = CallOptions(**known | asking), []

        async def speak(state: Nothing) -> Nothing:
            try:
                ended.append(await ask(brief or make_prompt(), question, check))
            except NoAnswerError as lost:
                ended.append(lost)
            return state

        modes = ["messages", "custom"] if self.streaming else ["custom"]
        for mode, part in _graph(speak).stream({"topic": "cars"}, stream_mode=modes):
            if mode == "custom":
                self.events.append(part)
            else:
                self.heard.append((part[0].text, part[1]))
        return ended[0]


def _graph(node: Callable[[Any], Any]) -> Any:
    graph = StateGraph(Nothing)
    add_node(graph, "speak", node)
    graph.set_entry_point("speak")
    return graph.compile()
