#!/usr/bin/env python3
"""Writes test/conformance/golden/sentencepiece-flags.json.gz: what SentencePiece makes of small BPE models.

Run from anywhere with PyPI sentencepiece 0.2.3: python3 scripts/golden-sentencepiece.py
The models are trained here or written by hand, and their files edited field by field, so that every flag and
every kind of piece occurs, alone and together. The seed is fixed: a second run writes the same bytes.

The file holds `texts` that all models share, and for each model its file in base64, texts of its own, the ids
of all texts (the shared ones first) with their decoding, and id sequences with theirs.
"""

import base64
import gzip
import io
import json
import random
import struct
import sys
from pathlib import Path

import sentencepiece as spm

SEED = 20260301
OUT = Path(__file__).resolve().parent.parent / "test" / "conformance" / "golden" / "sentencepiece-flags.json.gz"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
SPACE = "\u2581"

ENGLISH = """
The cat sat on the mat and the other cat sat on the other mat. She sells sea shells on the sea shore; the shells
she sells are sea shells, I am sure. How much wood would a woodchuck chuck if a woodchuck could chuck wood? There
was an old lady who swallowed a fly; perhaps she will die. An able cab driver grabbed a cabbage from the table, and
the stable boy was unable to label the cables. Tokenization of text into tokens is the first step of the whole
process, and the last step is the detokenization of the tokens into text. Nothing is lost and nothing is found.
""".split("\n")
CHINESE = """
今天天气很好我们去公园走走吧 公园里有很多人也有很多花 你好世界你好中国 我们都是好朋友好朋友要互相帮助
人工智能是计算机科学的一个分支 今天我们学习人工智能 明天我们学习计算机科学 天气好的时候人们都去公园
""".split("\n")
CODE = """
def add(a, b):\n    return a + b\n
for i in range(10):\n    print(i, add(i, i))\n
if (a == b) { return a; } else { return b; }
<table><tr><td>1</td><td>2</td></tr></table>
abc = ab + bc; bca = bc + ca; cab = [a, b, c]
""".split("\n\n")
CORPUS = [line for line in ENGLISH + CHINESE + CODE if line.strip()]


# --- the file format, as far as it is edited -------------------------------------------------------------------


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(message):
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = number()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, number()
        elif kind == 5:
            yield tag >> 3, struct.unpack("<f", message[at : at + 4])[0]
            at += 4
        else:
            size = number() if kind == 2 else 8
            yield tag >> 3, message[at : at + size]
            at += size


UNIGRAM, BPE, WORD, CHAR = 1, 2, 3, 4
TRAINERS = {UNIGRAM: "unigram", BPE: "bpe", WORD: "word", CHAR: "char"}


class Model:
    """A ModelProto: pieces as [text, score, type], and the few fields of its specs that decide about ids."""

    def __init__(self, pieces, kind=BPE, charsmap=b"", **flags):
        self.pieces = pieces
        self.kind = kind
        self.charsmap = charsmap
        self.flags = {"byte_fallback": False, "suffix": False, "dummy": True, "remove": True, "escape": True, **flags}

    @staticmethod
    def train(corpus, vocab_size, kind=BPE, normalization="identity", **options):
        out = io.BytesIO()
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(corpus),
            model_writer=out,
            model_type=TRAINERS[kind],
            vocab_size=vocab_size,
            normalization_rule_name=normalization,
            num_threads=1,
            minloglevel=2,
            **options,
        )
        model = Model([], kind)
        for number, value in fields(out.getvalue()):
            if number == 1:
                piece = dict(fields(value))
                model.pieces.append([piece[1].decode(), piece.get(2, 0.0), piece.get(3, NORMAL)])
            elif number == 2:
                spec = dict(fields(value))
                model.flags["byte_fallback"] = bool(spec.get(35, 0))
                model.flags["suffix"] = bool(spec.get(24, 0))
            elif number == 3:
                spec = dict(fields(value))
                model.charsmap = spec.get(2, b"")
                for name, number in (("dummy", 3), ("remove", 4), ("escape", 5)):
                    model.flags[name] = bool(spec.get(number, 1))
        return model

    def copy(self, **flags):
        charsmap = flags.pop("charsmap", self.charsmap)
        return Model([piece[:] for piece in self.pieces], self.kind, charsmap, **{**self.flags, **flags})

    def put(self, text, kind, score=0.0):
        """Adds a piece, or changes the one of that name."""
        for piece in self.pieces:
            if piece[0] == text:
                piece[1:] = [score, kind]
                return
        self.pieces.append([text, score, kind])

    def several(self):
        """The normal pieces of several characters."""
        return [piece for piece in self.pieces if piece[2] == NORMAL and len(piece[0]) > 1]

    def bytes(self):
        out = b""
        for text, score, kind in self.pieces:
            out += field(1, field(1, text.encode()) + field(2, float(score)) + (b"" if kind == NORMAL else field(3, kind)))
        flags = {name: int(value) for name, value in self.flags.items()}
        out += field(2, field(3, self.kind) + field(24, flags["suffix"]) + field(35, flags["byte_fallback"]))
        out += field(
            3,
            field(1, b"identity") + (field(2, self.charsmap) if self.charsmap else b"") + field(3, flags["dummy"]) + field(4, flags["remove"]) + field(5, flags["escape"]),
        )
        return out


# --- texts -----------------------------------------------------------------------------------------------------

MARKS = ["<|im_end|>", "[REF]", "[/REF]", "<mask>", "<｜tool｜>"]
TEXT_PIECES = ["\n", "ab", "abc", "bc", "<table>", "\t", SPACE + SPACE + SPACE, "cat" + SPACE + "sat", SPACE + "mat", "好朋", " x ", "  y", "z  "]

SPACES = (
    ["", " ", "  ", "   ", "      ", "a", " a", "  a", "a ", "a  ", " a ", "  a  ", "a b", "a  b", "a   b", "  a   b  c "]
    + ["\n", "\n\n", " \n", "\n ", " \n ", "\t", "\t\t", " \t ", "a\n", "\na", "a\nb", "a \n b", "a\tb", "\r\n", "a\r\nb", "\v\f"]
    + [SPACE, SPACE * 2, SPACE + "a", "a" + SPACE, " " + SPACE, SPACE + " ", "a" + SPACE + "b", "a " + SPACE + " b", SPACE + " a " + SPACE]
    + ["\u00a0", "a\u00a0b", "\u3000a", "a\u2003b", "\u200b", "\ufeffa", "a\ufeff", "\x00", "a\x00b", "\x00 \x00", "\x01\x02\x7f", "\x85"]
)
UNKNOWNS = (
    ["é", "éé", "é é", "éa", "aé", "aéèb", " é", "é ", "ж", "жжж", "the жжж cat", "жaжaж", "\u0301", "e\u0301", "龘靐齾", "今龘天"]
    + ["\U0001f600", "\U0001f600\U0001f600", "a\U0001f600b", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0010ffff", "\ufffd", "\ufffe", "\ue000"]
    + ["ＡＢ１２", "½①ﬁ", "नमस्ते", "안녕", "é\n\né", "é" + SPACE + "é", "\u00ff\u0100\u07ff\u0800\uffff\U00010000"]
)
SENTENCES = (
    ["the cat sat on the mat", " the cat sat", "The Cat  sat.", "sea shells on the sea shore", "cabbage table stable unable label"]
    + ["woodchuckchuckwood", "tokenization of tokens", "thethethethe", "ssssssssss", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
    + ["今天天气很好", "你好世界 你好中国", "我们 都是好朋友", "好朋友好朋友", "人工智能abc人工", "天气 good 天气"]
    + ["def add(a, b):\n    return a + b\n", "for i in range(10):\n\tprint(i)", "if(a==b){return a;}", "<td>1</td>", "1234567890 10 1000"]
    + ["abcabcab", "abbcabc", "bcab", "ababab", "abc abc", " ab bc ", "aabcc", "cab abacus bca"]
)
ATTACKS = [
    *"<s> </s> <unk> <pad> <0x0A> <0x00> <0xE4><0xBD><0xA0> <table> </table> <tab le> <|im_start|> [INST]".split(" "),
    "</s></s> <s>", "a<s>b", " <unk> ", "<0x0A>\n",
]
MARKED = [
    form.replace("#", mark)
    for i, mark in enumerate(MARKS)
    for form in (["#", " #", "# ", "a#b", " # ", "##", "# #", "  #  a", "\n#\n", "é#é", SPACE + "#", "the#cat sat"] if i < 2 else ["#", " # a", "a#"])
] + ["[REF]ab<|im_end|>", "<|im_end|", "|im_end|>", "<|im_<|im_end|>end|>", "[[REF]]", "[REF", "<mask><table>", "x [REF] x "]
USER_DEFINED_TEXTS = [
    form.replace("#", piece)
    for piece in TEXT_PIECES
    for form in ["#", "a#", "#b", " # ", "##"]
] + ["abcbc", "ababc", "xabcx", "ab c", "a bc", "cat sat", "the cat sat on", "cat  sat", " mat", "  mat", "x x x", " x  x ", "a x b", "a  y", "a   y b", "   y", " x   y", "z   a", " z  z  ", "好朋友们"]
SHARED = list(dict.fromkeys(SPACES + UNKNOWNS + SENTENCES + ATTACKS))


def mixed(rng, count, parts):
    """Random concatenations."""
    return ["".join(rng.choice(parts) for _ in range(rng.randrange(2, 10))) for _ in range(count)]


def letters(rng, count, alphabet, most=48):
    return ["".join(rng.choice(alphabet) for _ in range(rng.randrange(1, most))) for _ in range(count)]


# --- models ----------------------------------------------------------------------------------------------------


def byte_pieces():
    return [[f"<0x{byte:02X}>", 0.0, BYTE] for byte in range(256)]


def by_hand(rng, alphabet, longest, share, byte_fallback=False, **flags):
    """Random words over a small alphabet as pieces: merges meet in every way there is."""
    pieces = [["<unk>", 0.0, UNKNOWN], ["<s>", 0.0, CONTROL], ["</s>", 0.0, CONTROL]]
    if byte_fallback:
        pieces += byte_pieces()
    words = [c for c in alphabet]
    level = words
    for _ in range(longest - 1):
        level = [word + c for word in level for c in alphabet]
        words = words + [word for word in level if rng.random() < share]
    scores = rng.sample(range(len(words) * 2), len(words))
    pieces += [[word, -float(score) - 1, NORMAL] for word, score in zip(words, scores)]
    return Model(pieces, byte_fallback=byte_fallback, **{"dummy": False, "remove": False, **flags})


def make_unused(rng, model, share):
    for piece in model.several():
        if rng.random() < share:
            piece[2] = UNUSED
    return model


def models(rng):
    """Yields name, notes, model, texts of its own."""
    bases = {}
    for byte_fallback in (False, True):
        for suffix in (False, True):
            bases[byte_fallback, suffix] = Model.train(
                CORPUS,
                560 if byte_fallback else 320,
                byte_fallback=byte_fallback,
                treat_whitespace_as_suffix=suffix,
                remove_extra_whitespaces=False,
                character_coverage=0.98,
            )

    words = sorted({word for line in CORPUS for word in line.replace("\n", " ").split(" ") if word})
    prose = [" ", "  ", "\n", SPACE, "é", "\U0001f600", *words]

    # Every combination of the flags, without and with user-defined pieces.
    for (byte_fallback, suffix), base in bases.items():
        for dummy in (False, True):
            for remove in (False, True):
                for escape in (False, True):
                    flags = {"dummy": dummy, "remove": remove, "escape": escape}
                    name = " ".join(
                        ("+" if on else "-") + flag
                        for flag, on in {"bytes": byte_fallback, "suffix": suffix, **flags}.items()
                    )
                    model = base.copy(**flags)
                    if not escape:  # spaces stay spaces, and half of the pieces would never occur
                        for piece in model.pieces[::2]:
                            if piece[2] == NORMAL and piece[0].replace(SPACE, " ") not in {p[0] for p in model.pieces}:
                                piece[0] = piece[0].replace(SPACE, " ")
                    yield f"flags {name}", model, mixed(rng, 20, prose)
                    with_pieces = model.copy()
                    for piece in MARKS + TEXT_PIECES:
                        with_pieces.put(piece, USER_DEFINED)
                    if remove:  # a space of its own changes what leading and repeated white space is
                        with_pieces.put(" ", USER_DEFINED)
                    own = rng.sample(MARKED, 24) + rng.sample(USER_DEFINED_TEXTS, 40)
                    yield f"user-defined {name}", with_pieces, own + mixed(rng, 24, prose + (MARKS + TEXT_PIECES) * 4)

    # As the trainer makes them.
    trained = Model.train(
        CORPUS, 400, user_defined_symbols=["<|im_end|>", "[REF]", "ab", "abc", "bc", "<table>", SPACE + "the"], remove_extra_whitespaces=True
    )
    yield "trained with user-defined symbols", trained, MARKED + USER_DEFINED_TEXTS
    split_digits = Model.train(CORPUS, 600, byte_fallback=True, split_digits=True, allow_whitespace_only_pieces=True, remove_extra_whitespaces=False)
    yield "trained with white-space pieces and digits", split_digits, mixed(rng, 60, prose)
    overlapping = bases[True, False].copy()
    for piece in ["a", "aa", "aaa", "aba", "bab", "b" + SPACE, SPACE + "b", SPACE + SPACE, "ca" + SPACE + "b", "[", "[R", "x[", "]]"]:
        overlapping.put(piece, USER_DEFINED)
    yield "overlapping user-defined pieces", overlapping, letters(rng, 80, "aab c[R]x", 20)

    # UNUSED pieces are merged, and taken apart again when they are left.
    for byte_fallback in (False, True):
        for share in (0.3, 0.7):
            model = make_unused(rng, bases[byte_fallback, False].copy(remove=False), share)
            yield f"unused {share}{' bytes' if byte_fallback else ''}", model, mixed(rng, 90, [*words, " ", "é", "s", "t"])
    everything = make_unused(rng, bases[True, False].copy(), 2.0)
    yield "unused: all pieces of several characters", everything, mixed(rng, 60, prose)
    with_marks = make_unused(rng, bases[False, False].copy(), 0.5)
    for piece in MARKS + TEXT_PIECES:
        with_marks.put(piece, USER_DEFINED)
    yield "unused and user-defined", with_marks, MARKED + mixed(rng, 60, prose + (MARKS + TEXT_PIECES) * 4)
    for i, (alphabet, longest, share, unused) in enumerate(
        [("ab", 6, 0.8, 0.5), ("ab", 7, 0.5, 0.9), ("abc", 4, 0.7, 0.5), ("abc", 5, 0.35, 0.7), ("abcd", 4, 0.4, 0.4), ("a", 12, 1.0, 0.5)]
    ):
        model = make_unused(rng, by_hand(rng, alphabet, longest, share, byte_fallback=i == 3), unused)
        yield f"unused by hand {i}", model, letters(rng, 150, alphabet) + letters(rng, 40, alphabet + "é ")
    inner = by_hand(rng, "ab", 5, 0.8)
    inner.pieces = [piece for piece in inner.pieces if piece[0] != "b"]  # 'b' stands in pieces, but is none itself
    yield "unused: a character that is no piece", make_unused(rng, inner, 0.5), letters(rng, 120, "abx")
    single = by_hand(rng, "abc", 4, 0.5)
    single.put("b", UNUSED, -3.0)
    yield "unused: a single character", single, letters(rng, 120, "abc")
    single = make_unused(rng, by_hand(rng, "abc", 4, 0.6, byte_fallback=True), 0.4)
    single.put("b", UNUSED, -3.0)
    yield "unused: a single character, with bytes", single, letters(rng, 120, "abc")

    # Scores: equal ones, in another order than the ids, positive ones, longer pieces before shorter ones.
    for i, score in enumerate(
        [
            lambda piece: 0.0,
            lambda piece: -float(rng.randrange(3)) - 1,
            lambda piece: rng.uniform(-100, 100),
            lambda piece: float(len(piece[0])),
            lambda piece: -float(len(piece[0])),
            lambda piece: rng.choice([1.0, 2.0, 1e-45, -1e-45, 1.0000001, -3e38, 3e38, float("inf"), float("-inf")]),
        ]
    ):
        for model, own in (
            (bases[False, False].copy(), mixed(rng, 50, prose)),
            (by_hand(rng, "abc", 5, 0.5), letters(rng, 60, "abc")),
            (make_unused(rng, by_hand(rng, "ab", 6, 0.7), 0.5), letters(rng, 60, "ab")),
        ):
            for piece in model.pieces:
                if piece[2] in (NORMAL, UNUSED):
                    piece[1] = score(piece)
            yield f"scores {i}", model, own
    shuffled = bases[True, True].copy()
    normal = [piece for piece in shuffled.pieces if piece[2] == NORMAL]
    for piece, value in zip(normal, rng.sample([piece[1] for piece in normal], len(normal))):
        piece[1] = value
    yield "scores shuffled", shuffled, mixed(rng, 80, prose)

    # Pieces that are control by type and text by name.
    for byte_fallback in (False, True):
        control = bases[byte_fallback, False].copy()
        for name in ("a", "t", "今", "the", SPACE + "cat", "\n", "好朋友"):
            control.put(name, CONTROL)
        yield f"control pieces with ordinary names{', bytes' if byte_fallback else ''}", control, mixed(rng, 60, prose)

    # Documented deviations.
    nested = Model([["<unk>", 0.0, UNKNOWN], ["a", -1.0, NORMAL], ["b", -1.0, NORMAL]], dummy=False, remove=False)
    for count in range(1, 160):
        nested.put("a" * count + "b", UNUSED, -float(count) - 1)
    yield "deviation: unused pieces nested deeper than 100", nested, ["a" * count + "b" for count in (1, 50, 99, 100, 101, 102, 150, 159)]
    zeros = Model([["<unk>", 0.0, UNKNOWN], *[[c, -1.0, NORMAL] for c in "abc"], ["ab", -0.0, NORMAL], ["bc", 0.0, NORMAL]], dummy=False)
    yield "deviation: scores of minus zero", zeros, ["abc", "ab", "bc", "abcabc"]


def sequences(rng, model):
    """Random ids: any, and runs of those that decoding treats apart."""
    size = len(model.pieces)
    kinds = {}
    for id, (text, _, kind) in enumerate(model.pieces):
        kinds.setdefault("space" if text.startswith(SPACE) else kind, []).append(id)
    for _ in range(60):
        special = rng.choice(list(kinds.values()))
        yield [rng.choice(special) if rng.random() < 0.5 else rng.randrange(size) for _ in range(rng.randrange(9))]


def main():
    if spm.__version__ != "0.2.3":
        sys.exit("expected sentencepiece 0.2.3, the version that the library follows")
    rng = random.Random(SEED)
    golden = {"sentencepiece": spm.__version__, "seed": SEED, "texts": SHARED, "models": []}
    for name, model, own in models(rng):
        data = model.bytes()
        processor = spm.SentencePieceProcessor(model_proto=data)
        own = list(dict.fromkeys(own))
        ids = processor.encode(SHARED + own)
        runs = list(sequences(rng, model))
        golden["models"].append(
            {
                "name": name,
                "model": base64.b64encode(data).decode(),
                "texts": own,
                "ids": ids,
                "decoded": [processor.decode(run) for run in ids],
                "runs": [[run, processor.decode(run)] for run in runs],
            }
        )
    text = json.dumps(golden, ensure_ascii=False, separators=(",", ":"))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(golden['models'])} models, {sum(len(m['ids']) for m in golden['models'])} texts, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
