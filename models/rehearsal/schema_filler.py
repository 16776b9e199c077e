"""Generator of valid, meaningful instances of any JSON schema.

Lists are rankings, approvals, points, or plain lists. A list contains no text twice.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

from ...state import make_rng
from . import summary, views
from .opinion import CONTENT_AGREEMENT
from .reply_context import ReplyContext
from .speech import write_statement

SchemaNode = Mapping[str, Any]
DEPTH_LIMIT = 6
FORMAT_EXAMPLES = {
    "date": "2001-02-03",
    "date-time": "2001-02-03T04:05:06Z",
    "time": "04:05:06Z",
    "duration": "P1D",
    "email": "ada@example.org",
    "uri": "https://example.org/",
    "uuid": "8c9e0f2a-5d5b-4c0e-9d37-2f1f6f0a7b11",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "binary": "eA==",
}
DEFAULT_POINTS = 10
"""Points that a list called `points` distributes if its schema names no maximum."""
_YES_FIELDS = re.compile(
    r"yes|agree|accept|approve|consent|support|for|pro|in favou?r|true|start|1|"
    r"sí|si|a favor|acepto|apoyo|同意|支持|赞成|是",
    re.IGNORECASE,
)
_NO_FIELDS = re.compile(
    r"no|disagree|reject|refuse|oppose|against|con|false|wait|not now|0|"
    r"rechazo|en contra|me opongo|不同意|反对|否|不",
    re.IGNORECASE,
)
_BREAK_OFF_WORDS = re.compile(
    r"abstain|declin|refus|reject|oppos|object|withdraw|clos|stop|default|invalid|leave|cut_off|error"
)

_TEXT_WRITERS: list[tuple[str, Callable[[ReplyContext], str]]] = [
    (r"common|shared", summary.write_common_ground),
    (r"movement|shift", summary.describe_movement),
    (r"question|unsettled|open", lambda context: summary.describe_dispute(context) or context.topic),
    (
        r"objection|reservation|dissent|concern",
        lambda context: views.describe_objection(context, context.brief.speaker),
    ),
    (r"next|yield|addressee|invite|recipient", lambda context: _pick_next_speaker(context)),
    (r"speaker|author|who\b|name|participant|voter", lambda context: context.addressee or context.brief.speaker),
    (r"position|stance|view|opinion|proposal", lambda context: views.describe_position(context, context.brief.speaker)),
    (r"statement|content|message|text|reply|response|argument|contribution", write_statement),
    (r"synthesis|conclusion|summary", summary.write_synthesis),
    (r"topic|motion|query|title", lambda context: context.topic),
    (r"lang", lambda context: context.brief.language),
]
"""Function that writes the text of a field, by a part of the field's name."""
_SHARE_MEASURES: list[tuple[str, Callable[[ReplyContext], float]]] = [
    (r"agree|consensus|common|align", lambda context: context.opinion_state.compute_agreement(context.brief.speaker)),
    (r"confiden|certain|sure|convict|strength|weight", lambda context: context.conviction),
    (r"opinion|support|stance|position|approv|favou?r|score|rating", lambda context: context.opinion),
]
"""Function that computes the number of a field as a share of its range, by a part of the field's name."""
_CHOICE_FUNCTIONS: dict[str, Callable[[ReplyContext], str]] = {
    "against for undecided": lambda context: (
        "undecided" if abs(context.opinion - 0.5) < 0.1 else "for" if context.opinion > 0.5 else "against"
    ),
    "guilty not guilty": lambda context: "guilty" if context.opinion >= 0.5 else "not guilty",
    "none substance wording": views.choose_change,
    "accept object": lambda context: "object" if views.describe_draft_objection(context) else "accept",
    "concede hold partly": views.choose_stance,
}
"""Function that chooses from a closed list, by the list's sorted words."""


class SchemaFiller:
    """Generator of an instance of one JSON schema, from the values of a reply's context."""

    def __init__(self, context: ReplyContext, root: SchemaNode) -> None:
        self.context, self.root = context, root

    def fill_node(self, node: Any, name: str = "", path: str = "") -> Any:
        """Build a valid instance of the schema `node`.

        `name`: name of its property, which determines the content. `path`: path of the property in the schema.
        """
        node = self.resolve_node(node)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return order_values(self.context, name, node["enum"], path)[0]
        node_type = node.get("type", "object" if "properties" in node else "array" if "items" in node else "string")
        options = [{**node, "type": type_name} for type_name in node_type] if isinstance(node_type, list) else []
        if options := node.get("anyOf") or node.get("oneOf") or options:
            return self._fill_one_of(list(map(self.resolve_node, options)), name, path)
        match node_type:
            case "boolean":
                return _decide_yes_no(self.context, name, path)
            case "integer" | "number":
                return self._fill_number(node, name, path, is_integer=node_type == "integer")
            case "string":
                return self._fill_text(node, name, path)
            case "array":
                return self._fill_list(node, name, path)
            case "object":
                return self._fill_object(node, name, path)
        return None

    def resolve_node(self, node: Any) -> dict[str, Any]:
        """Return the schema `node` with its references followed and its parts merged."""
        merged_node = dict(node) if isinstance(node, Mapping) else {}
        while "$ref" in merged_node:
            target: Any = self.root
            for step in str(merged_node.pop("$ref")).removeprefix("#").strip("/").split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")] if step else target
            merged_node = {**target, **merged_node}
        for part in merged_node.pop("allOf", []):
            merged_node = {**self.resolve_node(part), **merged_node}
        return merged_node

    def _fill_one_of(self, options: list[dict[str, Any]], name: str, path: str) -> Any:
        """Build an instance of the first option that is not null or an abstention.

        Return `None` if null is an option, and there is nothing to say or the schema is too deep.
        """
        values, is_deep = [option for option in options if option.get("type") != "null"], path.count("/") > DEPTH_LIMIT
        if len(values) == len(options):
            votes = [option for option in values if "abstain" not in str(option.get("title")).casefold()]
            scalars = [option for option in votes if is_deep and option.get("type") not in ("object", "array")]
            return self.fill_node((scalars or votes or values)[0], name, path)
        value = None if is_deep or not values else self.fill_node(values[0], name, path)
        return None if value == "" else value

    def _fill_number(self, node: SchemaNode, name: str, path: str, *, is_integer: bool) -> float:
        purpose, unit = self.context.brief.purpose, self.root.get("properties", {}).get("unit", {}).get("const", "")
        if not is_integer and name in ("low", "answer", "high") and purpose == "estimate":
            return views.estimate_quantile(self.context, name, str(unit))
        if not is_integer and name == "answer" and purpose in views.ANSWER_PURPOSES:
            return views.compute_number(self.context, str(unit))
        low, high = _get_bounds(node, 1, 10) if is_integer else _get_bounds(node, 0, 1)
        value = low + (high - low) * _compute_share(self.context, name, path)
        if is_integer and "turn" in name.casefold():
            value = _quote_evidence(self.context, path)[1]
        if step := (int(node.get("multipleOf", 1)) or 1) if is_integer else node.get("multipleOf"):
            value = min(math.floor(high / step), max(math.ceil(low / step), round(value / step))) * step
            return int(value) if is_integer else float(value)
        margin = (high - low) / 1000
        low, high = low + margin * ("exclusiveMinimum" in node), high - margin * ("exclusiveMaximum" in node)
        return round(value, 3) if low <= round(value, 3) <= high else min(high, max(low, value))

    def _fill_text(self, node: SchemaNode, name: str, path: str) -> str:
        if node.get("format") in FORMAT_EXAMPLES:
            return FORMAT_EXAMPLES[node["format"]]
        content = _write_text(self.context, name, path)
        if pattern := node.get("pattern"):
            candidates = [
                content,
                *["a", "A", "1", "a1", "A1", "abc", "ABC", "2001-02-03", "12:30", "#aabbcc", "1.0", "10.0.0.1"],
            ]
            return next((text for text in candidates if re.search(pattern, text)), content)
        min_length, max_length = node.get("minLength", 0), node.get("maxLength", 100_000)
        while len(content) < min_length:
            content = f"{content} {content}" if content else "…"
        if len(content) <= max_length:
            return content
        # Cut between words if enough text remains.
        words = content[:max_length].rpartition(" ")[0].rstrip(" ,;:")
        return words if len(words) >= max(1, min_length) else content[:max_length]

    def _fill_object(self, node: SchemaNode, name: str, path: str) -> dict[str, Any]:
        """Build an instance of an object schema with all its properties.

        In a schema that is too deep, fill only the required ones.
        """
        is_deep, key_names = path.count("/") > DEPTH_LIMIT, self.resolve_node(node.get("propertyNames")).get("enum", [])
        values = {
            key: self.fill_node(child, key, f"{path}/{key}")
            for key, child in node.get("properties", {}).items()
            if not is_deep or key in node.get("required", [])
        }
        if values.get("close") is False and "reason" in values:
            values["reason"] = ""
        keys = [*key_names, *self.context.brief.roles, *(f"key {index}" for index in range(1, 100))]
        wanted_count = max(node.get("minProperties", 0), min(len(key_names), node.get("maxProperties", 100)))
        for key in [key for key in keys if key not in values][: max(0, wanted_count - len(values))]:
            values[key] = self.fill_node(node.get("additionalProperties", {}), key, f"{path}/{key}")
        return values

    def _fill_list(self, node: SchemaNode, name: str, path: str) -> list[Any]:
        """Build an instance of a list schema.

        A list with fixed options is in the speaker's order, with all options or the better half. Any other list has the
        required number of items, or 2.
        """
        children, item_node = enumerate(node.get("prefixItems", [])), self.resolve_node(node.get("items", {}))
        values = [self.fill_node(child, name, f"{path}/{index}") for index, child in children]
        low, high = node.get("minItems", 0), node.get("maxItems", 50)
        if not node.get("items") or len(values) >= high:
            return values
        if name == "standing":
            return views.list_standing_objections(self.context)
        if "enum" in item_node:
            options = order_values(self.context, name, item_node["enum"], path)
            count = (len(options) + 1) // 2 if re.search("approv|select", name.casefold()) else len(options)
            return [*values, *options[: min(high, max(low, count))]]
        for key, child in item_node.get("properties", {}).items():
            if len(self.resolve_node(child).get("enum", [])) > 1:
                return self._fill_ratings(item_node, key, name, path)[:high]
        wanted_count = min(high, max(low, 2 if path.count("/") < 3 else 0))
        items: list[Any] = []
        for index in range(len(values), wanted_count):
            value = self.fill_node(item_node, name, f"{path}/{index}")
            if value in items and index >= low:
                break
            is_text = item_node.get("type") == "string" and not item_node.keys() & {"pattern", "format", "const"}
            if value in items and is_text:
                value = f"{value} {index}"[-item_node.get("maxLength", 100_000) :]
            items.append(value)
        return [*values, *items]

    def _fill_ratings(self, item_node: SchemaNode, key: str, name: str, path: str) -> list[Any]:
        """Build one item for each option, with the marks that the speaker gives it.

        `key`: property that names the option. If an option is a participant, that participant fills the item. A list of
        points distributes exactly the total.
        """
        context, properties = self.context, item_node["properties"]
        options = order_values(context, name, self.resolve_node(properties[key])["enum"], path)
        if re.search("dissent|objection", name):
            options = [option for option in options if str(option) in summary.collect_dissents(context)]
        entries = []
        for option in options:
            holder_brief = replace(context.brief, speaker=str(option))
            holder = (
                ReplyContext(context.seed, holder_brief, context.opinion_state)
                if option in context.brief.roles
                else context
            )
            entry = SchemaFiller(holder, self.root).fill_node(item_node, name, f"{path}/{option}")
            entries.append(entry | {key: option})
        score_key = next((name for name in properties if name in ("score", "points", "mark", "rating")), "")
        if not score_key:
            return entries
        leanings = [_score_option(context, str(option)) for option in options]
        max_score = self.resolve_node(properties[score_key]).get("maximum", DEFAULT_POINTS)
        ratings = [round(max_score * min(1.0, leaning / 2)) for leaning in leanings]
        if name == "points":
            ratings = [int(DEFAULT_POINTS * leaning / (sum(leanings) or 1)) for leaning in leanings]
            ratings[0] += DEFAULT_POINTS - sum(ratings)
        return [entry | {score_key: rating} for entry, rating in zip(entries, ratings, strict=True)]


def _get_bounds(node: SchemaNode, step: float, span: float) -> tuple[float, float]:
    """Return the lowest and highest value that a schema allows.

    If the schema lacks one of them, the values are `span` apart. An exclusive bound moves inwards by `step`.
    """
    lower_bounds = [node[key] + shift for key, shift in (("minimum", 0), ("exclusiveMinimum", step)) if key in node]
    upper_bounds = [node[key] - shift for key, shift in (("maximum", 0), ("exclusiveMaximum", step)) if key in node]
    low = max(lower_bounds) if lower_bounds else min(0, min(upper_bounds) - span) if upper_bounds else 0
    return low, min(upper_bounds) if upper_bounds else low + span


def order_values(context: ReplyContext, name: str, values: Sequence[object], path: str) -> list[object]:
    """Return the options of a list, in the order in which the speaker prefers them."""
    words, purpose, choice = {str(value) for value in values}, context.brief.purpose, None
    is_about_participants = words <= {*context.brief.roles, ""}
    if choose := _CHOICE_FUNCTIONS.get(" ".join(sorted(words))):
        choice = choose(context)
    elif "continue" in words:
        choice = summary.judge_record(context).reason
    elif name == "answer" and purpose in (*views.ANSWER_PURPOSES, "statement"):
        return views.rank_options(context, values)
    elif is_about_participants and "changed" in name:
        choice = context.opinion_state.get_influencer(context.brief.speaker)
    elif is_about_participants and re.search(r"next|yield|speak", name.casefold()):
        choice = _pick_next_speaker(context)
    if choice is not None:
        return sorted(values, key=lambda value: str(value) != choice)
    if all(_YES_FIELDS.fullmatch(word) or _NO_FIELDS.fullmatch(word) for word in words):
        is_yes = _decide_yes_no(context, name, path)
        return sorted(values, key=lambda value: bool(_YES_FIELDS.fullmatch(str(value))) != is_yes)
    if purpose == "ballot" and context.brief.private:
        return views.rank_options(context, values)
    return sorted(values, key=lambda value: -_score_option(context, str(value)))


def _score_option(context: ReplyContext, option: str) -> float:
    score, word = make_rng(context.seed, "option", context.brief.speaker, option).random(), option.casefold()
    topic = context.topic.casefold()
    if context.side and word in topic and topic.startswith(word) == (context.opinion >= 0.5):
        score += 3  # the motion names its proposal first
    latest_texts = {statement.speaker: statement.content.casefold() for statement in context.brief.statements}
    return score + 0.8 * sum(word in text for text in latest_texts.values()) / max(1, len(latest_texts))


def _write_text(context: ReplyContext, name: str, path: str) -> str:
    word = name.casefold()
    if context.brief.purpose == "acceptance":
        return views.describe_draft_objection(context)
    if "dissent" in path and "reason" in word:
        objection = summary.collect_dissents(context).get(context.brief.speaker)
        objection = objection or views.describe_objection(context, context.brief.speaker)
        return objection or views.describe_reason(context, path)
    if re.search("quot|excerpt|passage|evidence|words|cite", word):
        return _quote_evidence(context, path)[0]
    write = next((write for pattern, write in _TEXT_WRITERS if re.search(pattern, word)), None)
    return write(context) if write else views.describe_reason(context, path)


def _compute_share(context: ReplyContext, name: str, path: str) -> float:
    """Return where a number lies between its bounds, from 0 to 1. For an unknown field name, it is random."""
    word = name.casefold()
    if context.brief.purpose == "judgement" and "confiden" in word:
        return summary.judge_record(context).confidence
    if name == "certainty" and context.brief.purpose in views.ANSWER_PURPOSES:
        return max(context.opinion, 1 - context.opinion)
    measure = next((measure for pattern, measure in _SHARE_MEASURES if re.search(pattern, word)), None)
    return measure(context) if measure else make_rng(context.seed, "number", context.brief.speaker, path).random()


def _decide_yes_no(context: ReplyContext, name: str, path: str) -> bool:
    """Return the answer to a yes-or-no field. Fields that would end the deliberation early get a no.

    Otherwise, a speaker with a side decides by its opinion, and a member of a group by its agreement.
    """
    if context.brief.purpose == "concession":
        return views.choose_stance(context) == "concede"
    if name == "has_objection":
        return bool(views.describe_objection(context, context.brief.speaker))
    if _BREAK_OFF_WORDS.search(name.casefold()):
        return False
    if context.side:
        return context.opinion >= 0.5
    if len(context.brief.roles) > 1 and context.brief.statements:
        threshold = CONTENT_AGREEMENT if context.brief.purpose == "initiation" else 0.65
        return context.opinion_state.compute_agreement(context.brief.speaker) >= threshold
    return make_rng(context.seed, "yes", context.brief.speaker, path).random() < 0.5


def _quote_evidence(context: ReplyContext, path: str) -> tuple[str, int]:
    """Return a clause of a statement, with its turn, as evidence.

    All fields of an object get the same clause and turn.
    """
    statements = context.brief.statements
    if context.brief.purpose == "judgement":
        verdict = summary.judge_record(context)
        return verdict.quote, verdict.turn
    if not statements:
        return "", 0
    statement = statements[-1 - crc32(path.rpartition("/")[0].encode()) % min(len(statements), 4)]
    return context.quote_statement(statement.content), statement.turn


def _pick_next_speaker(context: ReplyContext) -> str:
    last_turns = {statement.speaker: statement.turn for statement in context.brief.statements}
    return min(context.others, key=lambda name: last_turns.get(name, 0), default="")
