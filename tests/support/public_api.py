"""The public names of Moot, for people to read and a test to hold: `python tests/support/public_api.py` writes them.

Public are the names of `moot`, the graphs of langgraph.json, what goes in and out of them, and the command line.
"""

import inspect
import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import moot
from moot.app.main import COMMANDS, app as command_line, load_command
from places import ROOT
from typer.main import get_command

PAGE = ROOT / "tests" / "house" / "public_api.txt"
COMMAND = ".venv/bin/python tests/support/public_api.py"
HEAD = f"""\
Public names of Moot, kept by semantic versioning. Everything else may change at any time.
Written by: {COMMAND}
"""
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
Schema = Mapping[str, Any]
Lines = list[str]


def text() -> str:
    """The file as it should be."""
    paths = {name: graph["path"] for name, graph in json.loads((ROOT / "langgraph.json").read_text())["graphs"].items()}
    schemas = {name: schemas_of(path) for name, path in paths.items()}
    contexts = [fields(kinds["context"]) for kinds in schemas.values()]
    shared = [line for line in contexts[0] if all(line in context for context in contexts)]
    sections = {"Python: moot": names(), "Graphs": [f"{name}: {path}" for name, path in paths.items()]}
    sections["Every graph: context"] = shared
    for name, kinds in schemas.items():
        for kind, schema in kinds.items():
            sections[f"{name}: {kind}"] = [line for line in fields(schema) if kind != "context" or line not in shared]
    sections["Types of the fields"] = types(schemas)
    sections["Command line"] = ["moot", *options(get_command(command_line)), *commands()]
    return "\n".join([HEAD, *("\n".join([f"## {title}", *lines, ""]) for title, lines in sections.items())])


def names() -> Lines:
    """The names of `moot`: functions with their arguments, classes with theirs and what an object of them has."""
    lines = []
    for name in sorted(moot.__all__):
        thing = getattr(moot, name)
        if not callable(thing):
            lines.append(name)
        elif inspect.isclass(thing) and issubclass(thing, Exception):
            lines.append(f"{name}: {' and '.join(base.__name__ for base in thing.__bases__)}")
        else:
            lines.append(f"{name}({', '.join(map(argument, inspect.signature(thing).parameters.values()))})")
        if inspect.isclass(thing):
            own = {*vars(thing), *getattr(thing, "__annotations__", {})}
            lines += [f"{name}.{part}" for part in sorted(own) if not part.startswith(("_", "model_"))]
    return lines


def argument(parameter: inspect.Parameter) -> str:
    """An argument without its type: its stars, its name, and `=…` where it may be left out."""
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    return f"{stars}{parameter.name}{'=…' if parameter.default is not parameter.empty else ''}"


def schemas_of(path: str) -> dict[str, Schema]:
    """What goes into a graph, what comes out, and its context."""
    module, _, name = path.partition(":")
    graph = getattr(import_module(module), name)
    kinds = {"input": graph.get_input_jsonschema, "output": graph.get_output_jsonschema}
    return {kind: schema() for kind, schema in {**kinds, "context": graph.get_context_jsonschema}.items()}


def types(schemas: Mapping[str, Mapping[str, Schema]]) -> Lines:
    """The types that fields name, each once for all graphs in which it is the same."""
    lines: dict[str, None] = {}
    for kinds in schemas.values():
        for schema in kinds.values():
            for name, definition in sorted(schema.get("$defs", {}).items()):
                lines |= dict.fromkeys(f"{name}.{line}" for line in fields(definition))
                lines |= {} if "properties" in definition else {f"{name}: {type_of(definition)}": None}
    return sorted(lines)


def fields(schema: Schema) -> Lines:
    """The fields of an object, a line for each: name, type and bounds, default."""
    required = schema.get("required", [])
    return sorted(
        f"{name}: {type_of(field)}"
        + (f" = {json.dumps(field['default'], ensure_ascii=False)}" if "default" in field else "")
        + (" (required)" if name in required else "")
        for name, field in schema.get("properties", {}).items()
    )


def type_of(schema: Schema) -> str:
    """A type in a few words."""
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(map(type_of, choices))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"[{type_of(schema.get('items', {}))}]"
    if isinstance(values := schema.get("additionalProperties"), Mapping):
        return f"{{{type_of(values)}}}"
    return " ".join([kind, *(f"{sign} {schema[bound]}" for bound, sign in BOUNDS.items() if bound in schema)])


def commands() -> Lines:
    """Every command with its arguments and options."""
    lines = []
    for name in sorted(COMMANDS):
        command = load_command(name)
        for part, inner in sorted(getattr(command, "commands", {"": command}).items()):
            words = [
                parameter.metavar or parameter.name.upper() for parameter in inner.params if not is_option(parameter)
            ]
            lines += [" ".join(["moot", name, *filter(None, [part]), *words]), *options(inner)]
    return lines


def options(command: Any) -> Lines:
    """The options of a command, with what they take."""
    return [
        "  " + " ".join([", ".join(option.opts + option.secondary_opts), *filter(None, [option.metavar])])
        for option in command.params
        if is_option(option) and not option.hidden
    ]


def is_option(parameter: Any) -> bool:
    return parameter.param_type_name == "option"


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
