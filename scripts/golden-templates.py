#!/usr/bin/env python3
"""Writes test/chat/template/golden/templates.json.gz and peer-cases.json.gz: what transformers renders.

Every template of ../shared/data/templates is rendered with every conversation of scripts/jinja/conversations.py by
transformers' own compiled templates; the cases of ../shared/data/peer-tests/jinja are rendered again with this Jinja2.
Templates are named with the SHA-256 of their source, not copied. Everything is rendered by scripts/jinja/oracle.py too,
and must come out the same, so that tests can ask that script, which needs no transformers.

Run with CPython 3.11 where these are installed: pip install jinja2==3.1.6 transformers==5.23.0
A second run writes the same bytes.
"""

import gzip
import hashlib
import json
import sys
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import jinja2

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
OUT = ROOT / "test" / "chat" / "template" / "golden"
sys.path.insert(0, str(ROOT / "scripts" / "jinja"))
sys.dont_write_bytecode = True

import oracle  # noqa: E402
from conversations import conversations  # noqa: E402
from transformers.utils.chat_template_utils import _cached_compile_jinja_template  # noqa: E402

EXPECTED = {"jinja2": "3.1.6", "transformers": "5.23.0"}
PEERS_NOW = "2025-07-10T12:00:00"


class Transformers:
    """A template as transformers compiles and renders it."""

    def __init__(self, source):
        self.error = None
        try:
            self.template = _cached_compile_jinja_template(source)
        except Exception as error:
            self.error = {"kind": "syntax", "type": type(error).__name__}

    def render(self, context, now=oracle.NOW):
        if self.error:
            return {"error": self.error}
        environment = self.template.environment
        environment.globals["strftime_now"] = datetime.fromisoformat(now).strftime
        pieces, found = [], []
        try:
            with environment.activate_tracker(pieces, found):
                for piece in self.template.generate(**json.loads(json.dumps(context))):
                    pieces.append(piece)
        except Exception as error:
            # Only raise_exception() raises the base class itself.
            raised = type(error) is jinja2.exceptions.TemplateError
            described = {"kind": "raised" if raised else "runtime", "type": type(error).__name__}
            return {"error": {**described, "message": str(error)} if raised else described}
        output = "".join(pieces)
        units = [[oracle.units(output[:end]) for end in stretch] for stretch in found]
        return {"output": output, "generations": units}


def compact(answer):
    """An answer in a few bytes: the output itself, or an object for errors and generation blocks."""
    if "error" in answer:
        return {"error": {name: value for name, value in answer["error"].items() if name != "type"}}
    return answer if answer["generations"] else answer["output"]


def check(name, theirs, ours):
    """Stops where the oracle of the tests does not do what transformers does."""
    if "error" in ours:
        kind, type_name = ours["error"]["kind"], ours["error"]["type"]
        ours = {"error": {"kind": kind, "type": "TemplateError" if kind == "raised" else type_name}}
        if kind == "raised":
            ours["error"]["message"] = theirs.get("error", {}).get("message")
    if theirs != ours:
        sys.exit(f"{name}: transformers gives {theirs}\nscripts/jinja/oracle.py gives {ours}")


def write(name, golden):
    data = json.dumps(golden, ensure_ascii=False, separators=(",", ":")).encode()
    path = OUT / name
    path.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


def golden_templates(environment):
    talks = conversations()
    templates = {}
    for path in sorted((SHARED / "templates").glob("*/*.jinja")):
        source = path.read_bytes().decode()
        digest = hashlib.sha256(source.encode()).hexdigest()
        name = str(path.relative_to(SHARED / "templates"))
        if digest in templates:
            templates[digest]["names"].append(name)
            continue
        template = Transformers(source)
        results = []
        for talk, context in talks.items():
            answer = template.render(context)
            check(f"{name}, {talk}", answer, oracle.render(environment, source, json.loads(json.dumps(context))))
            results.append(compact(answer))
        templates[digest] = {"names": [name], "sha256": digest, "results": results}
    outputs = [result for template in templates.values() for result in template["results"]]
    failed = sum(isinstance(result, dict) and "error" in result for result in outputs)
    print(f"{len(templates)} different templates x {len(talks)} conversations, {failed} of {len(outputs)} raise")
    variables = {talk: oracle.texts_of(context) for talk, context in talks.items()}
    return {"versions": EXPECTED, "now": oracle.NOW, "conversations": variables, "templates": list(templates.values())}


def golden_peers(environment):
    folder = SHARED / "peer-tests" / "jinja"
    chats = json.loads((folder / "chat-template-cases.json").read_text())
    units = json.loads((folder / "template-unit-cases.json").read_text())
    before = json.loads((folder / "jinja2-3.1.2-real-outputs.json").read_text())
    cases = {f"chat:{case['id']}": (case["chat_template"], case["data"]) for case in chats}
    cases |= {
        f"template:{case['name']}": (case["template"], case["context"]) for case in units if not case["usesFunction"]
    }
    results = {}
    for name, (source, context) in cases.items():
        answer = Transformers(source).render(context, PEERS_NOW)
        check(name, answer, oracle.render(environment, source, context, PEERS_NOW))
        results[name] = compact(answer)
        if answer.get("output") != before[name].get("output"):
            print(f"{name}: Jinja2 3.1.2 gave {before[name]}, 3.1.6 gives {answer}")
    print(f"{len(results)} peer cases")
    return {"versions": EXPECTED, "now": PEERS_NOW, "results": results}


def main():
    found = {name: version(name) for name in EXPECTED}
    if found != EXPECTED:
        sys.exit(f"expected {EXPECTED}, found {found}")
    OUT.mkdir(parents=True, exist_ok=True)
    environment = oracle.make_environment()
    write("templates.json.gz", golden_templates(environment))
    write("peer-cases.json.gz", golden_peers(environment))


if __name__ == "__main__":
    main()
