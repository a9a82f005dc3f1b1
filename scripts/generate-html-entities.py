#!/usr/bin/env python3
"""Writes src/chat/template/html-entities.ts: the names of characters in HTML 5, as CPython's html.unescape knows them.

Run from anywhere with CPython 3.11: python3 scripts/generate-html-entities.py [--check]
--check writes nothing, and fails when the file differs.
"""

import sys
from html.entities import html5
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src" / "chat" / "template" / "html-entities.ts"
WIDTH = 100


def main():
    words = []
    for name in sorted(name for name in html5 if name.endswith(";")):
        bare = name[:-1]
        codes = "+".join(f"{ord(character):x}" for character in html5[name])
        words.append(f"{bare}{'!' if bare in html5 else ''}={codes}")
    assert all(name + ";" in html5 for name in html5 if not name.endswith(";"))
    lines, line = [], ""
    for word in words:
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = ""
        line += word + " "
    lines.append(line.rstrip())
    body = " +\n".join(f"  '{text}'" for text in lines)
    source = (
        "// Written by scripts/generate-html-entities.py from CPython 3.11, html.entities.html5.\n\n"
        "/** Names and code points in hexadecimal; `!` marks names that need no semicolon. */\n"
        f"export const HTML_ENTITIES: string =\n{body}\n"
    )
    if "--check" in sys.argv:
        sys.exit(OUT.read_text(encoding="utf-8") != source)
    OUT.write_text(source, encoding="utf-8")


main()
