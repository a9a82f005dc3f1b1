#!/usr/bin/env python3
"""Writes test/chat/template/golden/random-templates.json.gz and sources.json.gz: random templates and what Jinja2 makes of them.

For each source the SHA-256 of its syntax tree (the JSON of scripts/jinja/oracle.py without spaces), or null where Jinja2
refuses it; for each template its output, or the kind of its error.

Run with CPython 3.11 and Jinja2 3.1.6. A second run writes the same bytes.
"""

import gzip
import hashlib
import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "test" / "chat" / "template" / "golden"
sys.path.insert(0, str(ROOT / "scripts" / "jinja"))
sys.dont_write_bytecode = True

import oracle  # noqa: E402

SEED = 20261130
SOURCES = 4000
TEMPLATES = 4000


def compact_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def write(name, golden):
    path = OUT / name
    path.write_bytes(gzip.compress(compact_json(golden), 9, mtime=0))
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


def result(case):
    if "error" in case:
        kind, message = case["error"]["kind"], case["error"]["message"]
        return {"error": {"kind": kind, "message": message} if kind == "raised" else {"kind": kind}}
    return case["output"] if not case["generations"] else {"output": case["output"], "generations": case["generations"]}


def main():
    if version("jinja2") != "3.1.6":
        sys.exit(f"expected jinja2 3.1.6, found {version('jinja2')}")
    warnings.simplefilter("ignore")
    environment = oracle.make_environment()
    sources = [
        [case["source"], hashlib.sha256(compact_json(case["tree"])).hexdigest() if "tree" in case else None]
        for case in oracle.random_sources(environment, SEED, SOURCES)
    ]
    write("sources.json.gz", sources)
    groups = [
        {"variables": group["variables"], "cases": [[case["source"], result(case)] for case in group["cases"]]}
        for group in oracle.random_templates(environment, SEED, TEMPLATES)
    ]
    write("random-templates.json.gz", groups)


if __name__ == "__main__":
    main()
