"""The model server counts like a prefix cache that never forgets."""

import pytest
from fakeserver.usage import PrefixTree, tokens, vector
from hypothesis import given, strategies as st


@given(st.lists(st.text("ab", max_size=12)))
def test_the_tree_finds_the_longest_beginning_shared_with_any_earlier_prompt(prompts: list[str]) -> None:
    tree = PrefixTree()
    for i, prompt in enumerate(prompts):
        beginnings = [prompt[:n] for n in range(len(prompt) + 1)]
        shared = [start for start in beginnings if any(earlier.startswith(start) for earlier in prompts[:i])]
        assert tree.add(prompt.encode()) == len(max(shared, key=len, default=""))


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("城市", 2)])
def test_a_token_is_four_bytes(text: str, count: int) -> None:
    assert tokens(text) == count


@pytest.mark.parametrize("text", ["", "?!", "one", "a carbon tax", "城市 禁止 汽车"])
def test_vectors_have_length_one_and_repeat(text: str) -> None:
    assert sum(x * x for x in vector(text, 32)) == pytest.approx(1)
    assert vector(text, 32) == vector(text.upper(), 32)
