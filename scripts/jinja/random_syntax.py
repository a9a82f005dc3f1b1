"""Random template sources for the parser: most are well formed, many are nearly so, none has a meaning."""

NAMES = (
    "a b c x y messages message loop ns namespace caller kwargs varargs self true false none True False None not in is "
    "if else and or for elif endif recursive set import with context _x __proto__ l\u00e9 \u540d x1 upper e1 _1 e"
).split()
FILTERS = "upper trim tojson default join length replace a.b no.such.filter items map".split()
TESTS = "defined none string mapping in eq divisibleby sameas iterable not true false a.b".split()
NUMBERS = (
    "0 1 2 42 1_000 0x1F 0XfF 0b101 0o17 00 0_0 1.5 1e5 1E-3 2.5e+10 0.1 1_0.0_1 1e1_0 01 1__2 1_ 0x 0b2 1.e5 1. .5 "
    "12345678901234567890 1e999 0x_f 1.5.5 1e 1_000_000.5 \u0661 1\u0662 0x\u0663 1.\u0663 9007199254740993 00.5 09e1"
).split()
STRINGS = (
    (r"'' 'a' '\n' '\'' '\\' '\x41' '\u00e9' '\U0001f600' '\101' '\q' '\é' '\x4' '\u12' '\U00110000' 'a\
b' '}}' '%}' '{{' '#}' '😀' '\0' '\8' '\400' '\a\b\f\r\t\v' '\\\'' '\é'").split(" ")
    + [
        "'a b'",
        '"it\'s"',
        '"\\""',
        "'\n'",
        "'a",
        '"',
        "'\t\\\n'",
        '"{% raw %}"',
        "'\\u4f60\\u597d'",
        "'\\😀'",
        "'\\\u0301'",
    ]
)
BINARY = "+ - * / // % ** ~ == != < <= > >= in and or".split() + ["not in"]
TEXTS = [
    "a",
    " ",
    "  ",
    "\n",
    "\n\n",
    " \n ",
    "\t",
    "x\n  ",
    "\r\n",
    "\r",
    "{",
    "}",
    "%",
    "#",
    "{ {",
    "}}",
    "%}",
    "#}",
] + [
    "\u00a0",
    "\x0b",
    "\x1c",
    "\u2028",
    "\ufeff",
    "\x85",
    "<|im_start|>",
    "\u540d",
    "\U0001f600",
    "\x00",
    "\x0c\n",
    "{{}",
    "-",
]


class Sources:
    """Sources from one random.Random."""

    def __init__(self, rng):
        self.rng = rng

    def source(self):
        rng = self.rng
        text = self.body(rng.choice([0, 1, 2, 3]))
        if rng.random() < 0.35:
            for _ in range(rng.choice([1, 1, 1, 2, 4])):
                text = self.mutate(text)
        return text

    def mutate(self, text):
        rng = self.rng
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.choice([0, 1, 1, 2, 5]))
        piece = rng.choice(
            [
                "",
                "",
                " ",
                "(",
                ")",
                "[",
                "]",
                "{",
                "}",
                "-",
                "+",
                "%}",
                "{%",
                "{{",
                "}}",
                "'",
                "|",
                ".",
                ",",
                "=",
                ":",
                "is",
            ]
            + [
                "#}",
                "{#",
                "not ",
                " in ",
                "**",
                "*",
                "\\",
                "\n",
                "1",
                "@",
                "$",
                "`",
                ";",
                "!",
                "&",
                "\u00b2",
                "\u0301",
                "?",
            ]
            + [text[at:to] * 2, " if ", " else ", " endif ", "{% endif %}", "{% endraw %}", "-%}", "+%}", "{%-", "{{-"]
        )
        return text[:at] + piece + text[to:]

    # ---- text and tags

    def body(self, depth):
        return "".join(self.part(depth) for _ in range(self.rng.randrange(4)))

    def part(self, depth):
        rng = self.rng
        kind = rng.random()
        if kind < 0.3 or depth == 0 and kind < 0.6:
            return "".join(rng.choice(TEXTS) for _ in range(rng.randrange(1, 4)))
        if kind < 0.6:
            sign = rng.choice(["", "", "-", "+"])
            end = rng.choice(["", "", "-"])
            return "{{" + sign + self.space() + self.tuple(depth + 1) + self.space() + end + "}}"
        if kind < 0.66:
            return (
                "{#"
                + rng.choice(["", "-", "+"])
                + rng.choice(["", " c ", "\n", "{{ x }}", "-", "+", " # } "])
                + rng.choice(["", "-", "+"])
                + "#}"
            )
        if kind < 0.72:
            return (
                "{%"
                + self.sign()
                + rng.choice([" raw ", "raw", "\nraw\t"])
                + rng.choice(["", "", "-", "+"])
                + "%}"
                + rng.choice(["", " \n", "{{ x }}", "{% if %}", "\n {#", "a\n  "])
                + "{%"
                + self.sign()
                + " endraw "
                + self.sign()
                + "%}"
            )
        return self.statement(depth - 1)

    def sign(self):
        return self.rng.choice(["", "", "", "-", "+"])

    def space(self):
        return self.rng.choice([" ", " ", " ", "", "\n", "  ", "\t", "\u00a0", "\x1d"])

    def tag(self, content):
        return "{%" + self.sign() + self.space() + content + self.space() + self.sign() + "%}"

    def statement(self, depth):
        rng = self.rng
        depth = max(depth, 0)
        kind = rng.randrange(16)
        inner = self.body(depth)
        if kind <= 1:
            more = "".join(
                self.tag("elif " + self.condition(depth)) + self.body(depth) for _ in range(rng.choice([0, 0, 1, 2]))
            )
            last = self.tag("else") + self.body(depth) if rng.random() < 0.4 else ""
            return self.tag("if " + self.condition(depth)) + inner + more + last + self.tag("endif")
        if kind <= 3:
            head = "for " + self.target() + " in " + self.condition(depth)
            if rng.random() < 0.2:
                head += " if " + self.expression(depth)
            if rng.random() < 0.15:
                head += " recursive"
            last = self.tag("else") + self.body(depth) if rng.random() < 0.2 else ""
            return self.tag(head) + inner + last + self.tag("endfor")
        if kind <= 5:
            return self.tag("set " + self.target(True) + " = " + self.tuple(depth))
        if kind == 6:
            return self.tag("set " + self.target(True) + self.filters(depth, 0.3)) + inner + self.tag("endset")
        if kind == 7:
            return self.tag("macro " + self.name() + self.signature(depth)) + inner + self.tag("endmacro")
        if kind == 8:
            signature = self.signature(depth) if rng.random() < 0.5 else ""
            return (
                self.tag("call" + signature + " " + self.name() + self.arguments(depth)) + inner + self.tag("endcall")
            )
        if kind == 9:
            return self.tag("filter " + self.filter(depth) + self.filters(depth, 0.3)) + inner + self.tag("endfilter")
        if kind == 10:
            pairs = ", ".join(self.target() + " = " + self.expression(depth) for _ in range(rng.randrange(3)))
            return self.tag("with " + pairs) + inner + self.tag("endwith")
        if kind == 11:
            return self.tag("generation") + inner + self.tag("endgeneration")
        if kind == 12:
            return self.tag(
                rng.choice(["break", "continue", "break x", "do x", "endif", "else", "elif x", "foo", "debug", ""])
            )
        if kind == 13:
            return self.tag("print " + ", ".join(self.expression(depth) for _ in range(rng.randrange(3))))
        if kind == 14:
            return self.tag("if " + self.expression(depth) + rng.choice([" :", ":"])) + inner + self.tag("endif")
        return self.tag(
            rng.choice(
                ["include 'x'", "include x ignore missing", "import 'x' as y", "from 'x' import a, b as c with context"]
            )
            + rng.choice(["", " with context", " without context"])
        )

    # ---- expressions

    def name(self):
        return self.rng.choice(NAMES)

    def target(self, namespaced=False):
        rng = self.rng
        one = lambda: self.name() + ("." + self.name() if namespaced and rng.random() < 0.2 else "")
        return rng.choice(
            [
                one,
                one,
                one,
                lambda: one() + ", " + one(),
                lambda: f"({one()}, {one()})",
                lambda: one() + ",",
                lambda: f"{one()}, ({one()}, {one()})",
            ]
            + [lambda: self.expression(1)] * (rng.random() < 0.1)
        )()

    def signature(self, depth):
        rng = self.rng
        return (
            "("
            + ", ".join(
                self.name() + (rng.choice([" = ", "="]) + self.expression(depth) if rng.random() < 0.4 else "")
                for _ in range(rng.randrange(4))
            )
            + ")"
        )

    def arguments(self, depth):
        rng = self.rng
        given = [self.expression(depth) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
        given += [self.name() + "=" + self.expression(depth) for _ in range(rng.choice([0, 0, 0, 1, 2]))]
        if rng.random() < 0.08:
            given.append("*" + self.expression(depth))
        if rng.random() < 0.08:
            given.append("**" + self.expression(depth))
        if rng.random() < 0.05:
            rng.shuffle(given)
        return "(" + ", ".join(given) + ("," if given and rng.random() < 0.1 else "") + ")"

    def filter(self, depth):
        return self.rng.choice(FILTERS) + (self.arguments(depth) if self.rng.random() < 0.4 else "")

    def filters(self, depth, chance):
        text = ""
        while self.rng.random() < chance:
            text += self.rng.choice(["|", " | "]) + self.filter(depth)
        return text

    def tuple(self, depth):
        rng = self.rng
        if rng.random() < 0.85:
            return self.expression(depth)
        return ", ".join(self.expression(depth) for _ in range(rng.choice([1, 2, 3]))) + rng.choice(["", ","])

    def condition(self, depth):
        return self.expression(depth) if self.rng.random() < 0.2 else self.operation(depth)

    def expression(self, depth):
        rng = self.rng
        if rng.random() < 0.12 and depth > 0:
            text = self.operation(depth - 1) + " if " + self.operation(depth - 1)
            return text + (" else " + self.expression(depth - 1) if rng.random() < 0.8 else "")
        return self.operation(depth)

    def operation(self, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.4:
            return self.unary(depth)
        space = rng.choice([" ", " ", "\n", ""])
        operator = rng.choice(BINARY)
        if operator[0].isalpha():
            space = " "
        return self.operation(depth - 1) + space + operator + space + self.operation(depth - 1)

    def unary(self, depth):
        rng = self.rng
        text = rng.choice(["", "", "", "", "-", "+", "not ", "not not ", "- -"]) + self.primary(depth)
        while rng.random() < 0.3:
            text += self.postfix(depth)
        text += self.filters(depth, 0.15)
        if rng.random() < 0.12:
            text += (
                " is "
                + rng.choice(["", "not "])
                + rng.choice(TESTS)
                + rng.choice(["", " " + self.unary(0), self.arguments(depth)])
            )
        return text

    def postfix(self, depth):
        rng = self.rng
        return rng.choice(
            [
                lambda: "." + self.name(),
                lambda: "." + rng.choice(["0", "1", "1.5", "0x1"]),
                lambda: "[" + self.expression(depth - 1) + "]",
                lambda: "["
                + ":".join(rng.choice(["", self.expression(0)]) for _ in range(rng.choice([2, 2, 3])))
                + "]",
                lambda: "[" + self.expression(0) + ", " + self.expression(0) + "]",
                lambda: self.arguments(depth - 1),
                lambda: rng.choice(["[]", "[:]", "[::]", "[:, 1]", "[1,]", "[1:2:3:4]"]),
            ]
        )()

    def primary(self, depth):
        rng = self.rng
        kind = rng.random()
        if depth <= 0 or kind < 0.4:
            return rng.choice([self.name, self.name, lambda: rng.choice(NUMBERS), lambda: rng.choice(STRINGS)])()
        if kind < 0.55:
            return (
                "("
                + rng.choice([self.tuple(depth - 1), self.tuple(depth - 1), "", self.expression(depth - 1) + ","])
                + ")"
            )
        if kind < 0.7:
            return (
                "["
                + ", ".join(self.expression(depth - 1) for _ in range(rng.randrange(4)))
                + rng.choice(["", "", ","])
                + "]"
            )
        if kind < 0.85:
            pairs = (
                self.expression(depth - 1) + rng.choice([": ", ":"]) + self.expression(depth - 1)
                for _ in range(rng.randrange(3))
            )
            return "{" + ", ".join(pairs) + "}"
        if kind < 0.95:
            return rng.choice(STRINGS) + rng.choice([" ", ""]) + rng.choice(STRINGS)
        return rng.choice(NUMBERS)
