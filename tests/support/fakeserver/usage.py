"""What a prompt costs, what a prefix cache would have served of it, and vectors for texts."""

import math
import re
import zlib
from typing import Self


def tokens(text: str | bytes) -> int:
    """Tokens of a text: four UTF-8 bytes each, rounded up (a short English word, or a CJK character and a third)."""
    return (len(text.encode(errors="surrogatepass") if isinstance(text, str) else text) + 3) // 4


class Node:
    """One edge of the prefix tree and what may follow it."""

    __slots__ = ("children", "edge")

    def __init__(self, edge: bytes) -> None:
        self.edge = edge
        self.children: dict[int, Self] = {}


class PrefixTree:
    """Every prompt so far, each common beginning stored once, as a server's prefix cache keeps them.

    A growing conversation therefore costs the memory of its news only. (Radix tree as in Zheng et al. 2024, SGLang.)
    """

    def __init__(self) -> None:
        self._root = Node(b"")

    def add(self, prompt: bytes) -> int:
        """Store a prompt; return the length in bytes of the longest beginning it shares with an earlier one."""
        node, at = self._root, 0
        while at < len(prompt) and (child := node.children.get(prompt[at])):
            if not prompt.startswith(child.edge, at):
                shared = _shared(child.edge, prompt, at)
                node, at = _split(node, child, shared), at + shared
                break
            node, at = child, at + len(child.edge)
        if at < len(prompt):
            node.children[prompt[at]] = Node(prompt[at:])
        return at


def _shared(edge: bytes, prompt: bytes, at: int) -> int:
    low, high = 1, len(edge) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if prompt.startswith(edge[:middle], at) else (low, middle - 1)
    return low


def _split(parent: Node, child: Node, at: int) -> Node:
    upper = Node(child.edge[:at])
    child.edge = child.edge[at:]
    upper.children[child.edge[0]] = child
    parent.children[upper.edge[0]] = upper
    return upper


def vector(text: str, size: int) -> list[float]:
    """A unit vector of `size` numbers: words and their letter triples, hashed into signed places.

    Texts that share words lie close, equal texts coincide (Weinberger et al. 2009, feature hashing).
    """
    places = [0.0] * size
    for word in re.findall(r"\w+", text.lower()):
        padded = f"#{word}#"
        for gram in (word, *(padded[i : i + 3] for i in range(len(padded) - 2))):
            code = zlib.crc32(gram.encode())
            places[code % size] += 1.0 if code & 0x40000000 else -1.0
    length = math.hypot(*places)
    return [place / length for place in places] if length else [1.0, *places[1:]]
