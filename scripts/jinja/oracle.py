#!/usr/bin/env python3
"""Jinja2 in the environment that transformers gives chat templates, asked over stdin and stdout.

One JSON object a line, answered by one. `{"op": "render", "source", "context"}` is answered with
`{"output", "generations"}`, the latter the stretches of `{% generation %}` blocks as transformers computes them, but in
UTF-16 units; `{"op": "parse", "source"}` with `{"tree"}`, the nodes that Jinja2's parser makes. Anything that fails is
`{"error": {"kind", "type", "message", "line"}}` with kind syntax, raised or runtime. `{"op": "sources", "seed", "count"}`
and `{"op": "templates", "seed", "count"}` make random ones and parse or render them, `{"op": "mutants", "seed", "count",
"source"}` changes a template.

`strftime_now` prints 2026-11-30 12:34:56, or what "now" of the request says in ISO format.
Needs Jinja2 3.1.6 with MarkupSafe 3 and nothing else. scripts/golden-templates.py checks that this environment and
transformers' own give the same everywhere.
"""

import functools
import json
import random
import re
import sys
from contextlib import contextmanager
from datetime import datetime

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

sys.dont_write_bytecode = True

from mutants import Mutants  # noqa: E402
from random_syntax import Sources  # noqa: E402
from random_templates import Templates  # noqa: E402


NOW = "2026-11-30T12:34:56"


def units(text):
    """How long a text is in JavaScript."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class Generation(Extension):
    """The `generation` tag: a call block that notes where in the output its text will stand."""

    tags = {"generation"}

    def __init__(self, environment):
        super().__init__(environment)
        environment.extend(track=self.track)
        self.pieces = None
        self.found = None

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_note"), [], [], body).set_lineno(line)

    @jinja2.pass_eval_context
    def _note(self, _context, caller):
        text = caller()
        if self.pieces is not None:
            start = sum(map(units, self.pieces))
            self.found.append([start, start + units(text)])
        return text

    @contextmanager
    def track(self, pieces, found):
        self.pieces, self.found = pieces, found
        try:
            yield
        finally:
            self.pieces = self.found = None


class Namespace(jinja2.utils.Namespace):
    """No attribute of a namespace may begin with an underscore."""

    def __init__(*args, **kwargs):
        self, args = args[0], args[1:]
        attributes = dict(*args, **kwargs)
        for name in attributes:
            Namespace.check(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name, value):
        Namespace.check(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)

    @staticmethod
    def check(name):
        if isinstance(name, str) and name.startswith("_"):
            raise jinja2.exceptions.SecurityError(f"a namespace attribute begins with an underscore: {name!r}")


class TemplateDict:
    def __call__(self, *args, **kwargs):
        return dict(*args, **kwargs)

    def fromkeys(self, *args, **kwargs):
        return dict.fromkeys(*args, **kwargs)


class Raised(jinja2.exceptions.TemplateError):
    """`raise_exception` of a template."""


def raise_exception(message):
    raise Raised(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def make_environment():
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["dict"] = TemplateDict()
    environment.globals["namespace"] = Namespace
    return environment


class Addresses:
    """Notes whether a filter made text or a number of an object whose `repr` is an address in memory."""

    PLAIN = (str, int, float, type(None), jinja2.runtime.Context, jinja2.Environment, nodes.EvalContext)

    def __init__(self, environment):
        self.seen = False
        environment.filters.update({name: self.watching(filter) for name, filter in environment.filters.items()})

    def watching(self, filter):
        @functools.wraps(filter)
        def watched(*args, **kwargs):
            result = filter(*args, **kwargs)
            if isinstance(result, (str, int)):
                self.seen |= any(" at 0x" in repr(arg) for arg in args if not isinstance(arg, self.PLAIN))
            return result

        return watched


def describe(error, kind):
    return {"kind": kind, "type": type(error).__name__, "message": str(error), "line": getattr(error, "lineno", None)}


def render(environment, source, context, now=NOW):
    """What a template makes of a context, as an answer."""
    environment.globals["strftime_now"] = datetime.fromisoformat(now).strftime
    try:
        template = environment.from_string(source)
    except Exception as error:
        return {"error": describe(error, "syntax")}
    pieces, found = [], []
    try:
        with environment.track(pieces, found):
            for piece in template.generate(**context):
                pieces.append(piece)
        output = "".join(pieces)
    except Raised as error:
        return {"error": describe(error, "raised")}
    except Exception as error:
        return {"error": describe(error, "runtime")}
    return {"output": output, "generations": found}


LOADING = {nodes.Include: "include", nodes.Import: "import", nodes.FromImport: "from", nodes.Extends: "extends"}


def tree(node):
    """A node as [class, [field, value], ...], values being nodes, lists, or JSON.

    Tags that load other templates are only named, and a generation block is a node of its own.
    """
    if type(node) in LOADING:
        return ["LoadTemplate", ["tag", LOADING[type(node)]]]
    if isinstance(node, nodes.CallBlock) and isinstance(node.call.node, nodes.ExtensionAttribute):
        return ["Generation", ["body", tree(node.body)]]
    if isinstance(node, nodes.Tuple) and any(isinstance(item, nodes.Slice) for item in node.items):
        raise SyntaxError("Python cannot compile a slice in a tuple")
    if isinstance(node, nodes.Node):
        return [type(node).__name__, *([name, tree(getattr(node, name))] for name in node.fields)]
    if isinstance(node, (list, tuple)):
        return [tree(item) for item in node]
    if isinstance(node, int) and not isinstance(node, bool):
        return {"int": str(node)}
    if isinstance(node, float):
        return {"float": repr(node)}
    return node


def parse(environment, source):
    """The syntax tree of a source, as an answer."""
    try:
        return {"tree": tree(environment.parse(source))}
    except Exception as error:
        return {"error": describe(error, "syntax")}


def random_sources(environment, seed, count):
    """Random sources, each with its tree or its error."""
    sources = Sources(random.Random(seed))
    for _ in range(count):
        source = sources.source()
        yield {"source": source, **parse(environment, source)}


def texts_of(context):
    """Each variable as JSON, which keeps the order of keys and 1.0 apart from 1, as JavaScript's objects do not."""
    return {name: json.dumps(value, ensure_ascii=False) for name, value in context.items()}


def comparable(result, longest=3000):
    """Addresses of objects are Python's own, and long outputs say no more than short ones."""
    text = result["error"]["message"] if "error" in result else result["output"]
    letters = "".join(text.lower().split())
    return len(text) < longest and (
        "error" in result and result["error"]["kind"] != "raised" or not re.search("object|tcejbo|at0x|x0ta", letters)
    )


def random_templates(environment, seed, count):
    """Random templates with what they make of their context, which ten of them share."""
    templates = Templates(random.Random(seed))
    addresses = Addresses(environment)
    made = 0
    while made < count:
        context = templates.context()
        cases = []
        while len(cases) < 10 and made + len(cases) < count:
            source = templates.source()
            addresses.seen = False
            result = render(environment, source, json.loads(json.dumps(context)))
            if not addresses.seen and comparable(result):
                cases.append({"source": source, **result})
        made += len(cases)
        yield {"variables": texts_of(context), "cases": cases}


def mutants(environment, seed, count, source):
    """Changed forms of a template, each with what it makes of a context that may be changed too."""
    made = Mutants(random.Random(seed))
    while count > 0:
        changed, context = made.source(source), made.context()
        result = render(environment, changed, json.loads(json.dumps(context)))
        if comparable(result, 100000):
            count -= 1
            yield {"variables": texts_of(context), "cases": [{"source": changed, **result}]}


def answer(environment, request):
    if request["op"] == "render":
        return render(environment, request["source"], request["context"], request.get("now", NOW))
    if request["op"] == "parse":
        return parse(environment, request["source"])
    make = {"sources": random_sources, "templates": random_templates, "mutants": mutants}[request.pop("op")]
    return list(make(make_environment(), **request))


def main():
    environment = make_environment()
    for line in sys.stdin:
        print(json.dumps(answer(environment, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
