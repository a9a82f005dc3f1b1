"""Small changes to real chat templates and to the conversations they render, so that most of a render stays real."""

import copy
import re

from conversations import conversations
from random_templates import Templates

TAG = re.compile(r"(\{[%{#].*?[%}#]\})", re.S)
TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\w+|\s+|[=!<>]=|//|\*\*|.""", re.S)
FILTERS = "trim upper lower title string length list tojson safe first last join e reverse int default(1) indent sort unique items map('trim')".split()


def kind(token):
    """What a token can be replaced by."""
    if token[0] in "'\"":
        return "string"
    if token.isdigit():
        return "number"
    if token.isidentifier():
        return "word" if token in {"and", "or", "not", "in", "is", "if", "else", "elif"} else "name"
    return "space" if token.isspace() else "operator"


class Mutants:
    """Changed templates and contexts from one random.Random."""

    def __init__(self, rng):
        self.rng = rng
        self.values = Templates(rng)
        self.contexts = list(conversations().values())

    def source(self, source):
        rng = self.rng
        parts = TAG.split(source)
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            at = rng.randrange(len(parts))
            if at % 2 == 0:
                parts[at] = rng.choice(
                    [parts[at] + " ", "\n" + parts[at], parts[at].strip(), parts[at] * 2, " \n" + parts[at] + "\n "]
                )
            elif rng.random() < 0.25:
                parts[at] = self.signs(parts[at])
            else:
                parts[at] = self.tokens(parts[at], parts)
        return "".join(parts)

    def signs(self, tag):
        sign = lambda: self.rng.choice(["", "-", "+"])
        inner = tag[2:-2].strip("-+")
        return tag[:2] + sign() + inner + (sign() if tag[0:2] != "{{" else sign().replace("+", "")) + tag[-2:]

    def tokens(self, tag, parts):
        rng = self.rng
        tokens = TOKEN.findall(tag[2:-2])
        if not tokens:
            return tag
        at = rng.randrange(len(tokens))
        change = rng.random()
        if change < 0.15:
            del tokens[at]
        elif change < 0.25:
            tokens.insert(at, tokens[at])
        elif change < 0.4 and kind(tokens[at]) in ("name", "string"):
            tokens[at] += " | " + rng.choice(FILTERS)
        else:
            others = [
                other for part in parts[1::2] for other in TOKEN.findall(part[2:-2]) if kind(other) == kind(tokens[at])
            ]
            tokens[at] = rng.choice(others or tokens)
        return tag[:2] + "".join(tokens) + tag[-2:]

    def context(self):
        rng = self.rng
        context = copy.deepcopy(rng.choice(self.contexts))
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            self.change(context)
        return context

    def change(self, container):
        """Puts another value at some place, however deep."""
        rng = self.rng
        keys = list(container) if isinstance(container, dict) else list(range(len(container)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(container[key], (dict, list)) and rng.random() < 0.8:
            self.change(container[key])
        else:
            container[key] = self.values.value(2) if rng.random() < 0.5 else self.values.text()
