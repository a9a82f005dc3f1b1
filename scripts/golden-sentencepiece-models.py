#!/usr/bin/env python3
"""Writes test/conformance/golden/sentencepiece-models.json.gz: what SentencePiece makes of small models that are
not BPE (Unigram, WORD, CHAR), and of all kinds with charsmaps.

Run it twice: with PyPI sentencepiece 0.2.3, which makes the models and their ids, and then with 0.2.1, which adds the
ids that are different there (Unigram only: its arithmetic changed with 0.2.2):
    python3 scripts/golden-sentencepiece-models.py
    PYTHONPATH=<a folder with 0.2.1> python3 scripts/golden-sentencepiece-models.py
The seed is fixed: a second run writes the same bytes.

The file holds `texts` that all models share, `charsmaps` by name, and for each model its file in base64 without its
charsmap, the charsmap's name, texts of its own, the ids of all texts (the shared ones first; null where SentencePiece
fails) with their decoding, where the pieces come from for every seventh text (in `offsets`, by index of the text), id
sequences with their text, and in `older` the ids of 0.2.1 by index of the text.
"""

import base64
import gzip
import importlib.util
import json
import random
import sys
import tempfile
from pathlib import Path

import sentencepiece as spm

spec = importlib.util.spec_from_file_location("golden", Path(__file__).with_name("golden-sentencepiece.py"))
golden = importlib.util.module_from_spec(spec)
spec.loader.exec_module(golden)
Model, by_hand, letters, make_unused, mixed = golden.Model, golden.by_hand, golden.letters, golden.make_unused, golden.mixed
UNIGRAM, BPE, WORD, CHAR = golden.UNIGRAM, golden.BPE, golden.WORD, golden.CHAR
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED = 1, 2, 3, 4, 5
SPACE, MARKS, TEXT_PIECES, CORPUS = golden.SPACE, golden.MARKS, golden.TEXT_PIECES, golden.CORPUS

OUT = golden.OUT.with_name("sentencepiece-models.json.gz")
NMT_SPACES = "\t\n\r\u1680\u200b\u200e\u2028\u2029\u2581\ufeff\ufffd\u00a0\u2003\u3000"
NMT_DELETED = "".join(map(chr, [*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F]))
NORMALIZED = (
    ["か\u3099", "ｶﾞ", "a\u0300\u0301\u0302", "ﬁ ﬂ", "Ａｂ１", "①½㍿", "\u1112\u1161\u11ab", "e\u0301e\u0301", "\u0344", "ﷺ", "ſt", "…"]
    + [f"a{c}b" for c in NMT_SPACES] + [f"{c}a{c}{c}b{c}" for c in NMT_SPACES] + [f" {c}" for c in NMT_SPACES]
    + [f"a{c}b" for c in NMT_DELETED] + ["\u0001", "\u0001 ", " \u0001", "a \u0001 b", "a\u0001\u0001 ", "\u0001a", "\u200b\u0001"]
    + ["---", "1_000", "looooooooong", "0,00", "aaaa", "----------"]
    # What the custom charsmap has rules for.
    + ["x", "xx", "xxx", "axb", "xyz", "xyxyz", "q", " q", "q ", "qq", "a q b", "aqb", "the q cat", "w", "ww", "<|im_xend|>", "abx", "xabc", "[RE", "x y", "ab c x"]
)
OFFSETS_EVERY = 7
SHARED = list(dict.fromkeys(golden.SHARED + NORMALIZED))
# Rules that meet each other, white space and user-defined pieces: deletion, growth, one rule in another.
CUSTOM = {"x": "", "xy": "ab", "xyz": " ", "q": " ", "qq": "  ", "w": " a ", "é": "e", "é é": "é", "bx": "b", "b ": " b", "ж": "xyz", "<|im_x": "<|im_", "[RE": "[", "今天": "明天", "\t": " "}


def custom_charsmap():
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as rules:
        for source, target in CUSTOM.items():
            rules.write("%s\t%s\n" % tuple(" ".join(f"{ord(c):X}" for c in text) for text in (source, target)))
        rules.flush()
        return train(CORPUS, 200, CHAR, normalization="", normalization_rule_tsv=rules.name).charsmap


def train(corpus, size, kind, **options):
    return Model.train(corpus, size, kind, hard_vocab_limit=False, **options)


def add_pieces(model, pieces=MARKS + TEXT_PIECES):
    for piece in pieces:
        model.put(piece, USER_DEFINED)
    return model


def hand_unigram(rng, alphabet, longest, share, score, **flags):
    model = by_hand(rng, alphabet, longest, share, **flags)
    model.kind = UNIGRAM
    for piece in model.pieces:
        if piece[2] == NORMAL:
            piece[1] = score(piece[0])
    return model


def unigrams(rng, charsmaps, prose):
    bases = {}
    for byte_fallback in (False, True):
        for suffix in (False, True):
            bases[byte_fallback, suffix] = train(
                CORPUS, 460 if byte_fallback else 220, UNIGRAM, byte_fallback=byte_fallback,
                treat_whitespace_as_suffix=suffix, remove_extra_whitespaces=False, character_coverage=0.98,
            )  # fmt: skip
    # Every combination of the flags and charsmaps, with and without user-defined pieces in turn.
    turn = 0
    for (byte_fallback, suffix), base in bases.items():
        for dummy in (False, True):
            for remove in (False, True):
                for escape in (False, True):
                    for charsmap in charsmaps:
                        flags = {"dummy": dummy, "remove": remove, "escape": escape}
                        name = " ".join(
                            ("+" if on else "-") + flag
                            for flag, on in {"bytes": byte_fallback, "suffix": suffix, **flags}.items()
                        )
                        model = base.copy(charsmap=charsmaps[charsmap], **flags)
                        if not escape:  # spaces stay spaces, and half of the pieces would never occur
                            for piece in model.pieces[::2]:
                                if piece[2] == NORMAL and piece[0].replace(SPACE, " ") not in {p[0] for p in model.pieces}:
                                    piece[0] = piece[0].replace(SPACE, " ")
                        turn += 1
                        if turn % 2 == 0:
                            yield f"unigram flags {name} {charsmap}", model, mixed(rng, 20, prose)
                            continue
                        add_pieces(model, MARKS + TEXT_PIECES + [" "] * remove)
                        own = rng.sample(golden.MARKED, 24) + rng.sample(golden.USER_DEFINED_TEXTS, 30)
                        yield f"unigram user-defined {name} {charsmap}", model, own + mixed(rng, 20, prose + (MARKS + TEXT_PIECES) * 4)

    # As the trainer makes them.
    yield "unigram trained with nmt_nfkc", train(CORPUS, 260, UNIGRAM, normalization="nmt_nfkc"), mixed(rng, 60, prose)
    trained = train(CORPUS, 260, UNIGRAM, user_defined_symbols=["<|im_end|>", "[REF]", "ab", "abc", "<table>", SPACE + "the"])
    yield "unigram trained with user-defined symbols", trained, golden.MARKED + golden.USER_DEFINED_TEXTS
    for name, options in {
        "white-space pieces": {"allow_whitespace_only_pieces": True},
        "pieces over white space": {"split_by_whitespace": False},
        "both, as suffix": {"allow_whitespace_only_pieces": True, "treat_whitespace_as_suffix": True, "split_by_whitespace": False},
        "white-space pieces, as suffix": {"allow_whitespace_only_pieces": True, "treat_whitespace_as_suffix": True},
    }.items():
        spaced = [line.replace(" ", "  ") + " " for line in CORPUS] + CORPUS
        yield f"unigram trained with {name}", train(spaced, 260, UNIGRAM, remove_extra_whitespaces=False, **options), mixed(rng, 80, prose + [" ", "  ", "   "])

    # Pieces that text may not become.
    for share in (0.3, 0.9):
        yield f"unigram unused {share}", make_unused(rng, bases[share > 0.5, False].copy(), share), mixed(rng, 60, prose)
    single = bases[False, False].copy()
    for text in ("a", "t", SPACE):
        single.put(text, UNUSED, -3.0)
    yield "unigram unused: single characters", single, mixed(rng, 60, prose)
    for byte_fallback in (False, True):
        control = bases[byte_fallback, False].copy()
        for name in ("a", "t", "今", "the", SPACE + "cat", "\n", "好朋友"):
            control.put(name, CONTROL)
        yield f"unigram control pieces with ordinary names{', bytes' if byte_fallback else ''}", control, mixed(rng, 60, prose)

    # Scores that meet each other: ties, and sums that rounding makes equal.
    third = [-1 / 3, -2 / 3, -1.0, -0.1, -0.2, -0.3]
    for i, score in enumerate(
        [
            lambda text: -1.0,
            lambda text: -float(len(text)),
            lambda text: rng.choice(third) * len(text),
            lambda text: -0.1 * len(text) - rng.choice([0, 1e-7, 1e-6]),
            lambda text: rng.uniform(-20, -1),
            lambda text: rng.uniform(-5, 5),
            lambda text: -rng.uniform(3000, 9000),  # sums soon fall below -100,000
            lambda text: -1e5 - rng.choice([0.0, 0.25]) * len(text),
            lambda text: rng.choice([1.0, 1e-45, 1.0000001, -3e37, 3e37]),
            lambda text: 0.0 if len(text) > 1 else -0.0,
        ]
    ):
        for alphabet, longest, share in (("ab", 6, 0.5), ("abc", 4, 0.6), ("a", 9, 0.8)):
            model = hand_unigram(rng, alphabet, longest, share, score, byte_fallback=i % 2 == 0)
            if i % 3 == 1:
                add_pieces(model, ["ab", "bab", "aaa"])
            own = letters(rng, 50, alphabet, 60) + letters(rng, 15, alphabet + "zé ", 60) + letters(rng, 3, alphabet, 3000)
            yield f"unigram scores {i} of {alphabet}", model, own
    for count in (1, 0):  # without a normal piece the lowest score is that of none
        model = Model([["<unk>", 0.0, UNKNOWN], *[["a", -2.0, NORMAL]] * count, ["ab", 0.0, USER_DEFINED]], UNIGRAM, dummy=False)
        yield f"unigram with {count} normal pieces", model, letters(rng, 30, "abz ")
    yield "unigram: long text", bases[True, False], [" ".join(rng.choice(prose) for _ in range(4000)) for _ in range(2)]


def others(rng, charsmaps, prose):
    bpe = Model.train(CORPUS, 320, remove_extra_whitespaces=False, character_coverage=0.98)
    turn = 0
    for dummy in (False, True):
        for remove in (False, True):
            for charsmap in charsmaps:
                if charsmap == "none":
                    continue
                turn += 1
                model = bpe.copy(charsmap=charsmaps[charsmap], dummy=dummy, remove=remove, suffix=turn % 3 == 0)
                if turn % 2:
                    add_pieces(model, MARKS + TEXT_PIECES + [" "] * remove)
                own = rng.sample(golden.MARKED, 24) + rng.sample(golden.USER_DEFINED_TEXTS, 30)
                yield f"bpe {'+' if dummy else '-'}dummy {'+' if remove else '-'}remove {charsmap}", model, own + mixed(rng, 20, prose)
    for kind, name in ((WORD, "word"), (CHAR, "char")):
        turn = 0
        base = train(CORPUS, 60, kind, remove_extra_whitespaces=False, character_coverage=0.98)
        for suffix in (False, True):
            for dummy in (False, True):
                for remove in (False, True):
                    for escape in (False, True):
                        turn += 1
                        charsmap = list(charsmaps)[turn % 3]
                        model = base.copy(suffix=suffix, dummy=dummy, remove=remove, escape=escape, charsmap=charsmaps[charsmap])
                        if turn % 2:
                            add_pieces(model)
                        if turn % 4 == 0:
                            model.flags["byte_fallback"] = True
                            model.pieces += golden.byte_pieces()
                        own = rng.sample(golden.MARKED, 12) + rng.sample(golden.USER_DEFINED_TEXTS, 12)
                        yield f"{name} {turn} {charsmap}", model, own + mixed(rng, 20, prose)
        special = base.copy()
        for text in ("a", SPACE + "the", "the", "e", "今"):
            special.put(text, CONTROL)
        for text in ("b", SPACE + "cat", "t"):
            special.put(text, UNUSED)
        yield f"{name} with control and unused pieces that text spells", special, mixed(rng, 40, prose)


def ids_of(processor, text):
    try:
        return processor.EncodeAsIds(text)
    except RuntimeError:
        return None


def offsets_of(processor, text):
    """Begin and end of each piece in bytes."""
    pairs = processor.encode(text, return_type="offset_mapping", return_bytes=True)["offsets"]
    return [at for pair in pairs for at in pair]


def make():
    rng = random.Random(golden.SEED)
    charsmaps = {"none": b"", "nmt_nfkc": train(CORPUS, 200, CHAR, normalization="nmt_nfkc").charsmap, "custom": custom_charsmap()}
    names = {charsmap: name for name, charsmap in charsmaps.items()}
    words = sorted({word for line in CORPUS for word in line.replace("\n", " ").split(" ") if word})
    prose = [" ", "  ", "\n", SPACE, "é", "\U0001f600", "か\u3099", "x", "q", "\u200b", *words]
    made = {
        "sentencepiece": spm.__version__, "older": "0.2.1", "seed": golden.SEED, "texts": SHARED,
        "charsmaps": {name: base64.b64encode(charsmap).decode() for name, charsmap in charsmaps.items()}, "models": [],
    }  # fmt: skip
    for name, model, own in [*unigrams(rng, charsmaps, prose), *others(rng, charsmaps, prose)]:
        processor = spm.SentencePieceProcessor(model_proto=model.bytes())
        own = list(dict.fromkeys(own))
        ids = [ids_of(processor, text) for text in SHARED + own]
        first = len(made["models"]) % OFFSETS_EVERY
        located = [i for i in range(first, len(ids), OFFSETS_EVERY) if ids[i] is not None]
        runs = list(golden.sequences(rng, model))[:20]
        made["models"].append(
            {
                "name": name,
                "model": base64.b64encode(model.copy(charsmap=b"").bytes()).decode(),
                "charsmap": names[model.charsmap],
                "texts": own,
                "ids": ids,
                "offsets": {i: offsets_of(processor, (SHARED + own)[i]) for i in located},
                "decoded": [None if run is None else processor.decode(run) for run in ids],
                "runs": [[run, processor.decode(run)] for run in runs],
            }
        )
    return made


def with_charsmap(file, charsmap):
    """Two normalizer_specs in one file are one."""
    return file + (golden.field(3, golden.field(2, charsmap)) if charsmap else b"")


def add_older(made):
    for model in made["models"]:
        file = with_charsmap(base64.b64decode(model["model"]), base64.b64decode(made["charsmaps"][model["charsmap"]]))
        processor = spm.SentencePieceProcessor(model_proto=file)
        model["older"] = {}
        for i, (text, ids) in enumerate(zip(made["texts"] + model["texts"], model["ids"])):
            older = ids_of(processor, text)
            if older != ids and model["name"].startswith("unigram"):
                model["older"][i] = older
    return made


def main():
    if spm.__version__ == "0.2.3":
        made = make()
    elif spm.__version__ == "0.2.1":
        made = add_older(json.loads(gzip.decompress(OUT.read_bytes())))
    else:
        sys.exit("expected sentencepiece 0.2.3, and then 0.2.1")
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    OUT.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    models = made["models"]
    print(f"{len(models)} models, {sum(len(m['ids']) for m in models)} texts, {OUT.stat().st_size} bytes")
    print(f"{sum(len(m.get('older', {})) for m in models)} texts differ in 0.2.1")


if __name__ == "__main__":
    main()
