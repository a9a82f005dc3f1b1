#!/usr/bin/env python3
"""Writes src/chat/template/python-unicode-tables.ts: what CPython's `str` knows of Unicode and JavaScript does not.

Run from anywhere with CPython 3.11 (Unicode 14): python3 scripts/generate-python-unicode.py [--check]
--check writes nothing, and fails when the file differs.
"""

import sys
import unicodedata
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src" / "chat" / "template" / "python-unicode-tables.ts"
ALL = [chr(c) for c in range(0x110000)]
WIDTH = 106


def ranges(predicate):
    """Runs of characters as pairs of base 36: the gap before the run, and how many more characters it has."""
    found, start = [], None
    for c, character in enumerate(ALL + [None]):
        inside = character is not None and predicate(character)
        if inside and start is None:
            start = c
        elif not inside and start is not None:
            found.append((start, c - 1))
            start = None
    end, words = 0, []
    for first, last in found:
        words.append(base36(first - end) + ("," + base36(last - first) if last > first else ""))
        end = last + 1
    return words


def mapping(function, usual):
    """Characters that a function maps in another way than usual: character and result in hexadecimal."""
    words = []
    for character in ALL:
        if function(character) != usual(character):
            result = "+".join(f"{ord(c):x}" for c in function(character))
            words.append(f"{ord(character):x}={result}")
    return words


def base36(number):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return digits[number] if number < 36 else base36(number // 36) + digits[number % 36]


def constant(name, comment, words):
    lines, line = [], ""
    for word in words:
        if len(line) + 1 + len(word) > WIDTH - 6:
            lines.append(line)
            line = ""
        line += word + " "
    lines.append(line.rstrip())
    body = " +\n".join(f"  '{text}'" for text in lines)
    return f"/** {comment} */\nexport const {name}: string =\n{body}\n"


def main():
    assert sys.version_info[:2] == (3, 11) and unicodedata.unidata_version == "14.0.0", "CPython 3.11 is the reference"
    numeric = lambda c: c.isnumeric() and not c.isdigit() and unicodedata.category(c) not in ("Nl", "No")
    source = "\n".join(
        [
            "// Written by scripts/generate-python-unicode.py from CPython 3.11, Unicode 14.\n",
            constant(
                "UNASSIGNED",
                "Code points without a character. Runs: gap and further length, in base 36.",
                ranges(lambda c: unicodedata.category(c) == "Cn"),
            ),
            constant(
                "DIGITS",
                "`isdigit()` and not `isdecimal()`. Runs as above.",
                ranges(lambda c: c.isdigit() and not c.isdecimal()),
            ),
            constant(
                "NUMERIC_LETTERS",
                "`isnumeric()` outside the number categories. Runs as above.",
                ranges(numeric),
            ),
            constant(
                "TITLE_CASE",
                "Where `title()` is not `upper()`: code points in hexadecimal.",
                mapping(str.title, str.upper),
            ),
            constant(
                "CASE_FOLD",
                "Where `casefold()` is not `lower()`: code points in hexadecimal.",
                mapping(str.casefold, str.lower),
            ),
        ]
    )
    if "--check" in sys.argv:
        sys.exit(OUT.read_text(encoding="utf-8") != source)
    OUT.write_text(source, encoding="utf-8")


main()
