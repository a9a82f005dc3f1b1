"""Random templates with random contexts, for every construct, filter, test and method that chat templates can use.

Expressions are made by type (grammar.py), so that most of them mean something; now and then one of another type stands
in their place. Whole numbers that say how long something gets stay small.
"""

import re

from grammar import EXPRESSIONS, LITERALS, POOLS

CHARACTERS = list(
    "abcXYZ019 \t\n'\"\\<>&%{}[]().,:;-_/#|~+=*@\r\x0b\x1c\x85\xa0\u2028\u3000\ufeff\u200b\x00\x7f\xad"
) + list("éßİıŉǄǅǆﬁΣσς\u0345ẞªⅠⒶ²١½十Ａe\u0301你好한א\u0627😀👨\u200d👩𝕏𐐀𐐨𞤀\ue000\uffff\ufffd")
WORDS = (
    "the Hello world WORLD hello_world don't it's x-y a.b 12 -7 3.5 1e3 0x1f 010 inf nan True none name role user <think> "
    "</think> <b> &amp; &lt;p&gt; http://a.b/c?d=e&f=g www.example.org mail@example.org http://é.fr 你好 ΣΑΣ İstanbul "
    "straße ﬁn ǆx e\u0301te\u0301 😀 👨\u200d👩 1_000 ١٢ ' +5 ' 99999999999999999999 %s {0} {{ a\tb a\nb \r\n \n\n  --"
).split(" ")
FLOATS = [
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.75,
    0.1,
    1e-05,
    0.0001,
    1.5e-07,
    123456789.125,
    3.14159,
    5e-324,
    2.675,
    1.0,
    -0.0,
    1e16,
    1e22,
]
TYPES = list(EXPRESSIONS)
LOOPS = "index index0 revindex revindex0 first last length depth depth0 previtem nextitem".split()
LOOP_ENDS = [
    *("{{ loop.%s }}" % name for name in LOOPS), "{{ loop.cycle('a', 'b') }}", "{{ loop.changed(<any>) }}", "{{ loop }}",
    "{{ loop.previtem is defined }}", "{{ loop.nextitem | default('-') }}", "{{ loop.x }}", "{{ loop.previtem.role }}",
    "{{ loop.nextitem if not loop.last }}", "{{ loop.cycle() }}", "{{ loop | length }}", "{{ ', ' if not loop.last }}",
]  # fmt: skip
PAIRS = [
    "<dict>.items()", "<dict> | items", "<dict> | dictsort", "[(1, 2), [3, 4], 'ab']", "<dicts> | groupby('a')", "d.items() | list",
    "<any>", "[[1, 2, 3]]",
]  # fmt: skip
BLOCK_FILTERS = (
    "upper|trim|indent(3)|replace('e', 'X')|title|upper ¦ lower|e|wordwrap(5)|length|list|reverse|truncate(5)|capitalize|striptags"
).replace("|", "\n").replace("¦", "|").split("\n")  # fmt: skip
MACRO_ENDS = [
    "", "", "{{ varargs }}", "{{ kwargs }}", "{{ caller() }}", "{{ caller(1) if caller else '' }}", "{{ p }}", "{{ s }}",
    "{{ caller is defined }}", "{{ caller(2, x=3) }}", "{{ varargs | length }}",
]  # fmt: skip

PRODUCTIONS = {type: [line.strip() for line in text.strip().split("\n")] for type, text in EXPRESSIONS.items()}
COMMON = {type: [line for line in lines if line[0] != "~"] for type, lines in PRODUCTIONS.items()}


class Templates:
    """Templates and contexts from one random.Random."""

    def __init__(self, rng):
        self.rng = rng

    def context(self):
        rng = self.rng
        return {
            "s": self.text(), "t": self.text(), "w": rng.choice(WORDS), "n": rng.randrange(-3, 8), "m": rng.randrange(-3, 8),
            "f": rng.choice(FLOATS), "b": rng.random() < 0.5, "l": self.value_list(2), "d": self.value_dict(2), "e": self.value_dict(1),
            "k": [rng.randrange(-5, 9) for _ in range(rng.randrange(6))], "q": [self.text() for _ in range(rng.randrange(5))],
            "messages": [self.message() for _ in range(rng.randrange(4))], "r": [self.row() for _ in range(rng.randrange(6))],
            "z": None, "v": self.value(2),
        }  # fmt: skip

    def source(self):
        self.names = {
            "str": ["s", "t", "w"], "int": ["n", "m"], "num": ["f", "n"], "bool": ["b"], "list": ["l", "k"], "dict": ["d", "e"],
            "strs": ["q"], "dicts": ["messages", "r"], "any": ["z", "u", "v"],
        }  # fmt: skip
        self.macros = []
        self.loops = self.spaces = self.counter = 0
        self.budget = self.rng.choice([3, 6, 12, 20])
        return self.output(0) if self.rng.random() < 0.4 else self.body(self.rng.choice([1, 2, 3]))

    # ---- values

    def text(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.1:
            return ""
        if kind < 0.5:
            return "".join(rng.choice(CHARACTERS) for _ in range(rng.choice([1, 2, 3, 5, 9])))
        return rng.choice([" ", " ", "  ", "", "\n", ", "]).join(
            rng.choice(WORDS) for _ in range(rng.choice([1, 1, 2, 3, 5, 8]))
        )

    def value(self, depth):
        rng = self.rng
        kind = rng.randrange(8 if depth else 6)
        if kind <= 1:
            return self.text()
        if kind == 2:
            return rng.choice([0, 1, -1, 7, 42, 1000000, 9007199254740991, -12])
        if kind == 3:
            return rng.choice(FLOATS)
        if kind == 4:
            return rng.random() < 0.5
        if kind == 5:
            return None
        return self.value_list(depth - 1) if kind == 6 else self.value_dict(depth - 1)

    def value_list(self, depth):
        rng = self.rng
        if rng.random() < 0.3:
            return [self.text() for _ in range(rng.randrange(5))]
        return [self.value(depth) for _ in range(rng.randrange(5))]

    def value_dict(self, depth):
        return {self.rng.choice(POOLS["key"]): self.value(depth) for _ in range(self.rng.randrange(5))}

    def message(self):
        rng = self.rng
        contents = [self.text, self.text, lambda: None, lambda: [{"type": "text", "text": self.text()}]]
        return {"role": rng.choice(["user", "assistant", "system", "tool"]), "content": rng.choice(contents)()}

    def row(self):
        rng = self.rng
        row = {
            "name": rng.choice(["b", "a", "B", "A", "é", "10", "9", ""]),
            "a": rng.randrange(3),
            "b": rng.choice([True, False, None, 2, "x"]),
        }
        if rng.random() < 0.15:
            del row[rng.choice(list(row))]
        return row

    # ---- expressions

    def of(self, type, depth=2):
        """An expression of a type, in brackets where it needs them."""
        rng = self.rng
        if rng.random() < 0.04:
            type = rng.choice(TYPES)
        if depth <= 0 or rng.random() < 0.25:
            return self.simple(type)
        lines = PRODUCTIONS if rng.random() < 0.15 else COMMON
        return self.expand(rng.choice(lines[type]).lstrip("~ "), depth - 1)

    def expand(self, production, depth):
        rng = self.rng
        chosen = re.sub("«(.*?)»", lambda match: rng.choice(match[1].split("¦")), production)
        return re.sub("<([a-z]+)>", lambda match: self.fill(match, depth), chosen)

    def fill(self, match, depth):
        rng = self.rng
        name = match[1]
        if name in EXPRESSIONS:
            return self.of(name, depth)
        if name in POOLS:
            return self.expand(rng.choice(POOLS[name]), depth)
        if name == "macro":
            return rng.choice(self.macros)[0] if self.macros else "s.join"
        if name == "loopint":
            return rng.choice(["loop.index", "loop.index0", "n"]) if self.loops else "m"
        return match[0]

    def simple(self, type):
        rng = self.rng
        if type == "any":
            type = rng.choice(TYPES)
        if rng.random() < 0.55:
            return rng.choice(self.names[type])
        return self.quoted(self.text()) if type == "str" else rng.choice(LITERALS[type].split("|"))

    def quoted(self, text):
        quote = self.rng.choice("'\"")
        text = text.replace("\\", "\\\\").replace(quote, "\\" + quote).replace("\r", "\\r")
        return quote + text.replace("\n", self.rng.choice(["\\n", "\n"])) + quote

    # ---- statements

    def body(self, depth):
        parts = []
        for _ in range(self.rng.choice([1, 2, 3, 4])):
            self.budget -= 1
            if self.budget >= 0:
                parts.append(self.statement(depth))
        return "".join(parts)

    def inner(self, depth):
        """A body whose new names are unknown behind it, though now and then they are used there."""
        saved = {kind: list(names) for kind, names in self.names.items()}
        result = self.body(depth - 1)
        if self.rng.random() < 0.8:
            self.names = saved
        return result

    def tag(self, content):
        rng = self.rng
        signs = ["", "", "", "-", "+"]
        return "{%" + rng.choice(signs) + " " + content + " " + rng.choice(signs) + "%}"

    def block(self, head, inner, tag):
        return self.tag(head) + inner + self.tag("end" + tag)

    def fresh(self, kind, name=None):
        """A name for a variable of this type, sometimes one that exists."""
        if name is None:
            if self.rng.random() < 0.3:
                return self.rng.choice(self.names[kind])
            self.counter += 1
            name = f"x{self.counter}"
        self.names[kind].append(name)
        return name

    def statement(self, depth):
        rng = self.rng
        if depth <= 0:
            return self.output(depth)
        kinds = [self.output] * 10 + [self.plain] * 2 + [self.condition] * 3 + [self.loop] * 4 + [self.assignment] * 3
        kinds += [
            self.set_block,
            self.macro,
            self.call,
            self.filter_block,
            self.scope,
            self.generation,
            self.space,
            self.leave,
        ]
        return rng.choice(kinds)(depth)

    def output(self, _depth):
        rng = self.rng
        if rng.random() < 0.01:
            return "{{ s " + rng.choice(["| nosuchfilter", "is nosuchtest"]) + " }}"
        if rng.random() < 0.06:
            return self.tag(f"print {self.of('any')}, {self.of('any')}")
        expression = self.of(rng.choice(["any", *TYPES]), 3)
        return (
            "{{"
            + rng.choice(["", "", "-"])
            + f" {expression} "
            + rng.choice(["", "", "-"])
            + "}}"
            + rng.choice(["", "|", " ", "\n"])
        )

    def plain(self, _depth):
        texts = [
            "text",
            " ",
            "\n",
            "\n  ",
            "<|im_start|>",
            "\t\n",
            "你\n\n",
            "{# c #}",
            "{#- c -#}\n",
            "{% raw %}{{ x }}{% endraw %}\n",
        ]
        return self.rng.choice(texts)

    def condition(self, depth):
        rng = self.rng
        parts = [self.tag("if " + self.of(rng.choice(["bool", "bool", "any"]))), self.inner(depth)]
        if rng.random() < 0.3:
            parts += [self.tag("elif " + self.of("bool")), self.inner(depth)]
        if rng.random() < 0.5:
            parts += [self.tag("else"), self.inner(depth)]
        return "".join(parts) + self.tag("endif")

    def loop(self, depth):
        rng = self.rng
        saved = {kind: list(names) for kind, names in self.names.items()}
        kind = rng.random()
        if kind < 0.1:
            name = self.fresh("any")
            inner = f"{{{{ {name} if {name} is string else loop({name}) if {name} is sequence else loop.depth }}}}"
            inner += rng.choice(["", "{{ loop.index }}", "{{ loop.depth0 }}/{{ loop.length }}"])
            last = rng.choice(["", self.tag("else") + "-"])
            return self.block(f"for {name} in {self.of('list')} recursive", inner + last, "for")
        if kind < 0.3:
            head = self.expand(rng.choice(PAIRS), 2)
            head = f"for {self.fresh('str', rng.choice(['key', 'x', 'i']))}, {self.fresh('any')} in {head}"
        else:
            pairs = [
                ("list", "any"),
                ("strs", "str"),
                ("dicts", "dict"),
                ("str", "str"),
                ("dict", "str"),
                ("list", "any"),
                ("any", "any"),
            ]
            type, items = rng.choice(pairs)
            source = f"range({self.of('int')})" if rng.random() < 0.15 else self.of(type)
            head = f"for {self.fresh(items)} in {source}"
        if rng.random() < 0.15:
            head += " if " + self.of("bool")
        self.loops += 1
        inner = self.body(depth - 1)
        if rng.random() < 0.5:
            inner += self.expand(rng.choice(LOOP_ENDS), 2)
        self.loops -= 1
        if rng.random() < 0.2:
            inner += self.tag("else") + self.body(depth - 1)
        if rng.random() < 0.8:
            self.names = saved
        return self.block(head, inner, "for")

    def assignment(self, _depth):
        rng = self.rng
        type = rng.choice(TYPES)
        value = self.of(type)
        if rng.random() < 0.1:
            return self.tag(f"set {self.fresh(type)}, {self.fresh('any')} = {value}, {self.of('any')}")
        return self.tag(f"set {self.fresh(type)} = {value}")

    def set_block(self, depth):
        filters = self.rng.choice(["", "", "", " | upper", " | trim | length", " | replace('a', 'b')", " | indent(2)"])
        inner = self.inner(depth)
        return self.block(f"set {self.fresh('str')}{filters}", inner, "set")

    def macro(self, depth):
        rng = self.rng
        name = f"m{len(self.macros)}"
        parameters = rng.choice(
            [[], ["p"], ["p", "s"], ["p", "n=2"], ["p='x'"], ["p", "s=p", "t=3"], ["p", "caller=none"]]
        )
        self.names["any"].append("p")
        loops, self.loops = self.loops, 0
        inner = self.inner(depth) + rng.choice(MACRO_ENDS)
        self.loops = loops
        self.macros.append((name, len(parameters)))
        return self.block(f"macro {name}({', '.join(parameters)})", inner, "macro")

    def call(self, depth):
        rng = self.rng
        if not self.macros:
            return self.macro(depth)
        name, count = rng.choice(self.macros)
        arguments = ", ".join(self.of("any") for _ in range(count))
        inner = self.inner(depth) if rng.random() < 0.7 else "{{ x }}"
        return self.block(f"call{rng.choice(['', '', '(x)', '(x=1)'])} {name}({arguments})", inner, "call")

    def filter_block(self, depth):
        return self.block("filter " + self.rng.choice(BLOCK_FILTERS), self.inner(depth), "filter")

    def scope(self, depth):
        head = f"with {self.fresh('str')} = {self.of('str')}"
        if self.rng.random() < 0.4:
            head += f", n = {self.of('int')}"
        return self.block(head, self.inner(depth), "with")

    def generation(self, depth):
        return self.block("generation", self.inner(depth), "generation")

    def space(self, _depth):
        """A namespace that a loop changes."""
        rng = self.rng
        self.spaces += 1
        name = f"ns{self.spaces}"
        start = rng.choice(["c=0", "c=1, x=2", "d", "[['c', 0]]", "x=s"])
        value = rng.choice(
            [f"{name}.c + 1", f"{name}.c + loop.index", f"{name}.c ~ loop.index", self.of("int"), self.of("any")]
        )
        loop = self.block(f"for {self.fresh('any')} in {self.of('list')}", self.tag(f"set {name}.c = {value}"), "for")
        return self.tag(f"set {name} = namespace({start})") + loop + f"{{{{ {name}.c }}}}{{{{ {name}.x }}}}"

    def leave(self, _depth):
        rng = self.rng
        if self.loops and rng.random() < 0.8:
            inner = self.tag(rng.choice(["break", "continue"]))
        else:
            inner = "{{ raise_exception(" + self.of("str") + ") }}"
        return self.block("if " + self.of("bool"), inner, "if")
