"""Answers that cannot be used are asked for again with what was wrong; prompts that are too long are halved."""

import pytest
from chats.asker import Asker, make_prompt, make_statements
from fakeserver import FakeServer, Fault, Reply, script, short_window
from langchain_core.messages import AIMessage
from moot.models.failures import NoAnswerError, PromptLimits
from moot.nodes.ask.ask_with_retries import record_calls
from moot.nodes.ask.call_options import Answer, get_fingerprint
from moot.state.history_view import ViewLimit
from moot.state.memory import fold_memory
from moot.state.records import Call

LIMIT = ViewLimit(history=500)
LONG = "A whole statement about cars in the centre of the city."


def not_empty(answer: Answer) -> str | None:
    return None if answer.text.strip() else "it was empty."


def answered(server: FakeServer, streaming: bool = False, **rules: object) -> Answer:
    answer = Asker(server, streaming=streaming, **rules).ask(check=not_empty)
    assert isinstance(answer, Answer)
    return answer


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    ("fault", "kind", "reason"),
    [
        (Fault.content("empty"), "rejected", "it was empty."),
        (Fault.content("blank"), "rejected", "it was empty."),
        (Fault.content("content_filter"), "refusal", "it was a refusal"),
        (Fault.policy(), "refusal", "it was a refusal"),
    ],
    ids=["empty", "blank", "content filter", "content policy"],
)
def test_unusable_content_is_asked_for_again_with_what_was_wrong(
    fault: Fault, kind: str, reason: str, streaming: bool
) -> None:
    with FakeServer(reply=script([fault, fault, LONG])) as server:
        answer = answered(server, streaming)
        first, second, third = (request.human for request in server.chats)
    assert answer.text == LONG
    assert [incident.kind for incident in answer.incidents] == [kind, kind]
    assert "<again>" not in first
    assert reason in second.rpartition("<again>")[2]
    assert second.startswith(first), "the prompt only grows, so that it stays cached"
    assert second == third


def test_a_refusal_in_its_own_field_is_told_and_never_kept_as_a_statement() -> None:
    with FakeServer(reply=lambda _: Reply(refusal="I'm sorry, I can't help with that.")) as server:
        lost = Asker(server).ask(check=not_empty)
    assert isinstance(lost, NoAnswerError)
    assert lost.kind == "refusal"
    assert lost.incidents[0].what == "I'm sorry, I can't help with that."
    assert {incident.category for incident in lost.incidents} == {"validation"}


def test_no_key_that_a_server_repeats_in_a_refusal_or_a_fingerprint_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "pineapple-4711")
    with FakeServer(reply=lambda _: Reply(refusal="Not for pineapple-4711.")) as server:
        lost = Asker(server).ask(check=not_empty)
    assert lost.incidents[0].what == "Not for …."
    assert get_fingerprint(AIMessage("x", response_metadata={"system_fingerprint": "fp_pineapple-4711"})) == "fp_…"
    said = f"{LONG} pineapple-4711"
    with FakeServer(reply=lambda _: said) as server:
        assert Asker(server).ask().text == said, "an answer is kept word for word"


def test_words_that_sound_like_a_refusal_are_no_refusal() -> None:
    with FakeServer(reply=lambda _: "I'm sorry, but I can't agree with that, as an AI sceptic.") as server:
        assert not answered(server).incidents


@pytest.mark.parametrize("streaming", [False, True])
def test_a_cut_off_statement_is_kept_with_an_incident(streaming: bool) -> None:
    with FakeServer(reply=script([Reply(LONG, finish="length")])) as server:
        answer = answered(server, streaming)
    assert (answer.text, answer.cut_off) == (LONG, True)
    assert [(incident.kind, incident.consequence, incident.severity) for incident in answer.incidents] == [
        ("cut_off", "kept", "degraded")
    ]


def test_only_an_empty_cut_off_statement_is_tried_again() -> None:
    with FakeServer(reply=script([Reply("", finish="length", reasoning=400), LONG])) as server:
        answer = answered(server)
    assert (answer.text, answer.cut_off) == (LONG, False)
    assert [incident.kind for incident in answer.incidents] == ["rejected"]


def test_a_model_that_reports_reasoning_is_given_room_to_reason_from_then_on() -> None:
    with FakeServer(reply=script([Reply("", finish="length", reasoning=400), LONG])) as server:
        answer = answered(server, reasoning_tokens=1234)
        assert [request.cap for request in server.chats] == [400, 400 + 1234]
    assert [call.reasoning_tokens for call in answer.calls] == [400, 0]


@pytest.mark.parametrize("streaming", [False, True])
def test_try_fingerprint_usage_cached_and_reasoning_tokens_are_recorded_per_call(streaming: bool) -> None:
    with FakeServer(reply=lambda _: Reply("x", reasoning=7)) as server:
        asker = Asker(server, streaming=streaming)
        lost = asker.ask(make_prompt(task="Say something. " * 20), lambda _: "too short")
        spent = server.stats()
    assert isinstance(lost, NoAnswerError)
    first, *later = lost.calls
    assert (first.input_tokens > 50, first.cached_tokens, first.reasoning_tokens) == (True, 0, 7)
    assert all(call.cached_tokens >= first.input_tokens - 8 for call in later), "the same beginning is cached"
    assert sum(call.input_tokens for call in lost.calls) == spent["prompt_tokens"]
    assert sum(call.output_tokens for call in lost.calls) == spent["completion_tokens"]
    assert sum(call.cached_tokens for call in lost.calls) == spent["cached_tokens"]
    assert {(call.who, call.purpose, call.turn) for call in lost.calls} == {("Ada", "statement", 1)}
    assert [(call.attempt, call.fingerprint) for call in lost.calls] == [
        (1, "fp_fake"),
        (2, "fp_fake"),
        (3, "fp_fake"),
    ]


@pytest.mark.parametrize(
    ("told", "kept"), [(None, ""), (7, ""), ({"a": 1}, ""), ("f" * 999, "f" * 200), ("\ud800", "\ufffd")]
)
def test_a_fingerprint_is_kept_where_it_can_be_one(told: object, kept: str) -> None:
    assert get_fingerprint(AIMessage("x", response_metadata={"system_fingerprint": told})) == kept


@pytest.mark.parametrize("wording", ["openai", "vllm", "vllm-flat", "llama.cpp", "ollama"])
def test_a_prompt_too_long_is_halved_until_it_fits_in_every_server_s_words(wording: str) -> None:
    with FakeServer(reply=short_window(lambda _: LONG, 400, wording)) as server:
        answer = Asker(server).ask(
            make_prompt(history=make_statements(*[400] * 10), memory="one\ntwo\nthree\nfour\nfive")
        )
        lengths = [request.human.count("w") for request in server.chats]
    assert isinstance(answer, Answer)
    assert len(answer.calls) == len(lengths) == 3
    assert lengths[0] > 2 * lengths[1] - 400 > 2 * (2 * lengths[2] - 400) - 400
    assert [(incident.kind, incident.consequence) for incident in answer.incidents] == [("overflow", "view halved")] * 2
    assert {incident.attempts for incident in answer.incidents} == {1}, "nothing was paid, so no try was used"
    assert answer.prompt_limits.view == ViewLimit(history=1000, halvings=2, fitting_calls=1)
    assert answer.prompt_limits.memory == ["five"]


def test_one_overflow_narrows_a_view_until_three_of_its_calls_have_fitted_and_then_doubles_it_again() -> None:
    overflow = iter([Fault.overflow()])
    with FakeServer(reply=lambda _: next(overflow, LONG)) as server:
        limit, asker = None, Asker(server)
        for _ in range(8):
            answer = asker.ask(
                make_prompt(history=make_statements(*[10_000] * 20), material="m" * 400).with_limit(limit)
            )
            assert isinstance(answer, Answer)
            limit = answer.prompt_limits.view or limit
        views = [(request.human.count("w" * 100) // 100, request.human.count("mmmm")) for request in server.chats]
    assert views[0][0] > views[1][0]
    assert views == [(views[0][0], 100), *[(views[1][0], 49)] * 3, *[views[0]] * 5], "narrow for three, then as before"
    assert answer.prompt_limits.view is None, "nothing is limited any longer"


def test_calls_that_fitted_before_a_view_was_halved_again_do_not_widen_it() -> None:
    replies = [Fault.overflow(), Fault.content("blank"), Fault.content("blank"), Fault.overflow(), LONG]
    with FakeServer(reply=script(replies)) as server:
        answer = Asker(server).ask(make_prompt(history=make_statements(*[400] * 10)), check=not_empty)
    assert isinstance(answer, Answer)
    assert answer.prompt_limits.view == ViewLimit(history=1000, halvings=2, fitting_calls=1)


def test_after_three_halvings_the_participant_is_passed_over_and_the_smaller_view_is_remembered() -> None:
    with FakeServer(reply=lambda _: Fault.overflow()) as server:
        lost = Asker(server).ask(make_prompt(history=make_statements(*[400] * 10)))
        assert len(server.chats) == 4
    assert isinstance(lost, NoAnswerError)
    assert [incident.consequence for incident in lost.incidents] == ["view halved"] * 3 + ["missed"]
    assert lost.prompt_limits.view == ViewLimit(history=500, halvings=3)


def test_with_nothing_left_to_show_less_of_a_prompt_too_long_is_not_sent_again() -> None:
    with FakeServer(reply=lambda _: Fault.overflow()) as server:
        lost = Asker(server).ask(make_prompt())
        assert len(server.chats) == 1
    assert isinstance(lost, NoAnswerError)
    assert lost.kind == "overflow"


def test_material_of_which_a_half_is_sent_has_something_left_to_show_less_of() -> None:
    with FakeServer(reply=lambda _: Fault.overflow()) as server:
        lost = Asker(server).ask(make_prompt(material="m" * 400))
        assert [request.human.count("mmmm") for request in server.chats] == [100, 49, 24, 11]
    assert isinstance(lost, NoAnswerError)
    assert lost.prompt_limits.view == ViewLimit(history=100_000, halvings=3)


def test_what_an_endpoint_refused_narrows_that_participant_s_view_and_memory_from_then_on() -> None:
    assert record_calls("Ada", Answer("…")) == {"calls": []}
    assert record_calls("Ada", Answer("…", prompt_limits=PromptLimits(LIMIT))) == {
        "calls": [],
        "view_limits": {"Ada": LIMIT},
    }
    found = record_calls("Ada", Answer("…", prompt_limits=PromptLimits(LIMIT, ["newer line"])))
    assert found["view_limits"] == {"Ada": LIMIT}
    assert fold_memory({"Ada": ["older line", "newer line"], "Ben": ["b"]}, [found["memory"]]) == {
        "Ada": ["newer line"],
        "Ben": ["b"],
    }


@pytest.mark.parametrize(
    ("budget", "made", "asked"),
    [
        ({"calls": 5}, 0, 3),
        ({"calls": 5}, 2, 2),
        ({"calls": 5}, 3, 1),
        ({"calls": 5}, 4, 0),
        ({"tokens": 1640}, 0, 1),
        ({"tokens": 100}, 0, 0),
    ],
)
def test_no_call_passes_a_cap_and_one_is_kept_for_the_end(budget: dict[str, int], made: int, asked: int) -> None:
    before = [Call(purpose="statement", input_tokens=10, output_tokens=1)] * made
    with FakeServer(reply=lambda _: Fault.content("empty")) as server:
        lost = Asker(server, budget=budget).ask(check=not_empty, past_calls=before)
        assert len(server.chats) == asked
    assert isinstance(lost, NoAnswerError)
    assert lost.incidents[-1].consequence == "missed"


def test_halvings_count_against_the_cap_on_calls_too() -> None:
    with FakeServer(reply=lambda _: Fault.overflow()) as server:
        lost = Asker(server, budget={"calls": 3}).ask(make_prompt(history=make_statements(*[400] * 10)))
        assert len(server.chats) == 2
    assert isinstance(lost, NoAnswerError)
    assert lost.kind == "budget_spent"
