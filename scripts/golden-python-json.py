#!/usr/bin/env python3
"""Writes test/chat/golden/python-json.json: what CPython's json.dumps makes of random JSON texts.

Run from anywhere with CPython 3.11: python3 scripts/golden-python-json.py
The seed is fixed, so that a second run writes the same bytes. `styles` holds the options
as TypeScript names them; each case is a text and its dumps, loaded and written in every style.
"""

import json
import math
import random
import re
import struct
import sys
from pathlib import Path

SEED = 20240607
CASES = 420
FLOATS = 400
OUT = Path(__file__).resolve().parent.parent / "test" / "chat" / "golden" / "python-json.json"

STYLES = {
    "indent4": {"indent": 4},
    "line": {},
    "indent4Ascii": {"indent": 4, "ensureAscii": True},
    "lineAscii": {"ensureAscii": True},
    "sorted": {"sortKeys": True},
}

NUMBERS = (
    "0 -0 1 -1 7 42 -273 9007199254740993 123456789012345678901234567890 -18446744073709551616 "
    "0.0 -0.0 1.0 1e5 1E5 1e+5 1E16 1e15 1e16 9999999999999998.0 1e-4 1e-5 0.0001 0.00001 1e400 -1e400 1e-400 -1e-400 "
    "1.50 0.1 0.30000000000000004 3.141592653589793238462643 1e22 1e23 5e-324 2.2250738585072014e-308 "
    "1.7976931348623157e308 1.7976931348623159e308 9007199254740993.0 100000000000000000000.5 1e00005 -1.25E-07"
).split()
PIECES = (
    ["a", "b", "Z", " ", "/", "'", "<|user|>", "天气", "é", "ß", "\u2028", "\u00a0", "\x7f", "\x80", "\ufeff", "\uffff"]
    + ["\U0001f600", "\U00010000", "\U0010ffff", "\ue000", "\ud7ff", "e\u0301"]
    + [r"\"", r"\\", r"\/", r"\b", r"\f", r"\n", r"\r", r"\t", r"\u0000", r"\u001F", r"\u0041", r"\u00e9", r"\u2028"]
    + [r"\ud83d\ude00", r"\uD800\uDC00", r"\\u0041", r"\u007f"]
)
LONE = [r"\ud800", r"\udfff", r"\ude00\ud83d", r"\ud800\u0041"]
KEYS = "a b c name type 0 1 2 10 -1 01 4294967295 __proto__ constructor toJSON length \ue000 \U0001f600 \uffff \U00010000 é \\u0061".split()


class Texts:
    """Random JSON texts, with white space, spellings and repeated keys that a dump would never write."""

    def __init__(self, rng):
        self.rng = rng

    def space(self):
        return self.rng.choice(["", "", "", "", "", " ", "\n", "\t", "\r\n "])

    def string(self, pieces):
        return '"' + "".join(self.rng.choice(pieces) for _ in range(self.rng.randrange(5))) + '"'

    def number(self):
        rng = self.rng
        if rng.random() < 0.6:
            return rng.choice(NUMBERS)
        digits = str(rng.randrange(10 ** rng.randrange(1, 25)))
        fraction = "." + str(rng.randrange(10 ** rng.randrange(1, 12))).zfill(rng.randrange(1, 12))
        exponent = rng.choice("eE") + rng.choice(["", "+", "-"]) + str(rng.randrange(330)).zfill(rng.choice([1, 3]))
        return rng.choice(["", "-"]) + digits + rng.choice(["", fraction]) + rng.choice(["", "", exponent])

    def key(self):
        return f'"{self.rng.choice(KEYS)}"' if self.rng.random() < 0.8 else self.string(PIECES)

    def value(self, depth):
        rng = self.rng
        kind = rng.random()
        if depth == 0 or kind < 0.4:
            scalar = rng.random()
            if scalar < 0.45:
                return self.number()
            return self.string(PIECES + LONE) if scalar < 0.85 else rng.choice(["null", "true", "false"])
        items = [self.value(depth - 1) for _ in range(rng.choice([0, 1, 2, 2, 3]))]
        if kind < 0.6:
            return self.wrap("[]", items)
        return self.wrap("{}", [f"{self.key()}{self.space()}:{self.space()}{item}" for item in items])

    def wrap(self, marks, items):
        return marks[0] + self.space() + ",".join(self.space() + item + self.space() for item in items) + marks[1]

    def document(self):
        return self.space() + self.value(self.rng.choice([0, 1, 2, 2, 3])) + self.space()


def well_formed(value):
    """Lone surrogates as U+FFFD, which is what the library does; keys never hold any here."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    return {key: well_formed(item) for key, item in value.items()} if isinstance(value, dict) else value


def dumps(value, style):
    return json.dumps(
        value,
        indent=style.get("indent"),
        ensure_ascii=style.get("ensureAscii", False),
        sort_keys=style.get("sortKeys", False),
    )


def floats(rng):
    """Doubles as the hex digits of their big-endian bytes: random bits, powers, edges of the notations."""
    found = [0.0, -0.0, 1e16, 1e15, 1e-4, 1e-5, 1e22, 1e23, 5e-324, sys.float_info.max, sys.float_info.min]
    found += [math.nextafter(edge, to) for edge in (1e16, 1e-4, 1.0, 1e22) for to in (0.0, math.inf)]
    found += [2.0 ** rng.randrange(-1074, 1024) for _ in range(60)]
    found += [float(f"1e{rng.randrange(-323, 309)}") for _ in range(40)]
    found += [rng.randrange(10**6) / 10 ** rng.randrange(12) for _ in range(60)]
    found += [float(rng.randrange(10**18)) for _ in range(40)]
    while len(found) < FLOATS:
        x = struct.unpack(">d", rng.randbytes(8))[0]
        if math.isfinite(x):
            found.append(x)
    return {struct.pack(">d", x).hex(): repr(x) for x in found}


def main():
    if sys.implementation.name != "cpython" or sys.version_info[:2] != (3, 11):
        sys.exit("expected CPython 3.11, the version that the library follows")
    rng = random.Random(SEED)
    texts = Texts(rng)
    cases = []
    for _ in range(CASES):
        text = texts.document()
        value = well_formed(json.loads(text))
        cases.append({"text": text, "dumps": {name: dumps(value, style) for name, style in STYLES.items()}})
    golden = {"python": sys.version.split()[0], "seed": SEED, "styles": STYLES, "cases": cases, "floats": floats(rng)}
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(golden, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
