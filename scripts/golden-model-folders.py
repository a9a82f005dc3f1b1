#!/usr/bin/env python3
"""Writes test/load/golden/model-folders.json: what transformers makes of small model folders.

Run from anywhere with PyPI transformers 5.23.0 and tokenizers 0.23.3: python3 scripts/golden-model-folders.py
The seed is fixed: a second run writes the same bytes. For a longer check: RANDOM_FOLDERS=3000.

The file holds `base`, a tokenizer.json, and folders. Each has the fields of tokenizer.json that differ from the base,
its other files (strings are texts, all else JSON), and what `TokenizersBackend` gives: added tokens with their flags
(S single_word, L lstrip, R rstrip, N normalized, s special), special tokens by name, chat templates, ids of texts, and
what its decoding makes of spaces. `error` stands for all of it where loading fails.
"""

import json
import os
import random
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "critical"

import tokenizers  # noqa: E402
import transformers  # noqa: E402
from transformers import GenerationConfig  # noqa: E402
from transformers.tokenization_utils_tokenizers import TokenizersBackend  # noqa: E402

SEED = 20261130
RANDOM_FOLDERS = int(os.environ.get("RANDOM_FOLDERS", "150"))
OUT = Path(__file__).resolve().parent.parent / "test" / "load" / "golden" / "model-folders.json"
FLAGS = {"S": "single_word", "L": "lstrip", "R": "rstrip", "N": "normalized", "s": "special"}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
SPACED = "a . b ? c ! d , e ' f n't g 'm h 's i 've j 're k"


def byte_characters():
    other = 0x100
    for byte in range(256):
        if 0x21 <= byte <= 0x7E or byte >= 0xA1 and byte != 0xAD:
            yield chr(byte)
        else:
            yield chr(other)
            other += 1


VOCAB = {character: byte for byte, character in enumerate(byte_characters())}
for merge in ("ab", "Ġa", "abc"):
    VOCAB[merge] = len(VOCAB)
BASE = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": BYTE_LEVEL,
    "post_processor": None,
    "decoder": BYTE_LEVEL,
    "model": {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": VOCAB,
        "merges": [["a", "b"], ["Ġ", "a"], ["ab", "c"]],
    },
}


def token(content, flags="s", **more):
    return {"content": content, **{name: flag in flags for flag, name in FLAGS.items()}, **more}


def in_file(*tokens):
    """added_tokens of tokenizer.json: strings, or pairs of content and flags."""
    added = []
    for item in tokens:
        content, flags = (item, "s") if isinstance(item, str) else item
        behind = sum(1 for other in added if other["content"] not in VOCAB)
        added.append({"id": VOCAB.get(content, len(VOCAB) + behind), **token(content, flags)})
    return added


def template(*names):
    single = [{"SpecialToken": {"id": name, "type_id": 0}} for name in names] + [{"Sequence": {"id": "A", "type_id": 0}}]
    pair = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}]
    ids = {name: {"id": name, "ids": [len(VOCAB)], "tokens": [name]} for name in names}
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": ids}


USUAL = in_file("<s>", "</s>")
BOS = {"added_tokens": USUAL, "post_processor": template("<s>")}
MARKED = {"__type": "AddedToken"}


def folder(name, config=None, *, json=None, texts=(), **files):
    renamed = {key.replace("__", "/").replace("_jinja", ".jinja"): value for key, value in files.items()}
    return {
        "name": name,
        "tokenizer.json": {"added_tokens": USUAL} if json is None else json,
        "files": {**({} if config is None else {"tokenizer_config.json": config}), **renamed},
        "texts": list(texts),
    }


def config_folders():
    yield folder("tokenizer.json alone", texts=["<s>a </s>"])
    yield folder("names in the config", {"bos_token": "<s>", "pad_token": "<pad>", "image_token": "<img>", "unk_token": None})
    yield folder("names as objects", {"bos_token": token("<s>", "L", **MARKED), "pad_token": token("<pad>", "L", **MARKED), "x_token": token("<x>", "R", **MARKED)}, texts=[" <s> <pad> <x> a"])
    yield folder("a name with the wrong type", {"bos_token": 7})
    yield folder("an empty name", {"pad_token": "", "cls_token": "ab"}, texts=["abc"])
    yield folder("one token with two names", {"bos_token": "<|x|>", "eos_token": "<|x|>"})
    decoder = {"259": token("<s>", "LN"), "260": token("</s>"), "270": token("<new>", ""), "265": token("<new2>", "R")}
    yield folder("added_tokens_decoder changes flags", {"added_tokens_decoder": decoder}, texts=["a <s> </s><new><new2> a"])
    yield folder("added_tokens_decoder and another token of an id", {"added_tokens_decoder": {"259": token("<other>")}})
    yield folder("added_tokens_decoder and tokens of the vocabulary", {"added_tokens_decoder": {"256": token("ab", ""), "999": token("b", "S")}}, texts=["ab b cab b_b"])
    yield folder("added_tokens_decoder with fields that are missing", {"added_tokens_decoder": {"7": {"content": "xy"}, "8": {"content": "xz", "special": True}}})
    yield folder("added_tokens_decoder with unknown fields", {"added_tokens_decoder": {"7": {"content": "xy", "id": 7, "more": 1}}})
    yield folder("added_tokens_decoder with one content twice", {"added_tokens_decoder": {"8": token("<q>"), "7": token("<q>", "LN")}})
    yield folder("added_tokens_decoder with an empty token", {"added_tokens_decoder": {"7": token(""), "8": token("<q>")}})
    yield folder("a named token is special", {"pad_token": "<pad>", "added_tokens_decoder": {"300": token("<pad>", "N")}})
    yield folder("a special token stays special", {"added_tokens_decoder": {"259": token("<s>", "")}}, texts=["<s>"])
    for bad in (None, [], {"a": token("x")}, {"-1": token("x")}, {"1": "x"}):
        if bad != {"-1": token("x")}:
            yield folder(f"added_tokens_decoder {json.dumps(bad)}", {"added_tokens_decoder": bad})
    yield folder("extra tokens", {"additional_special_tokens": ["</s>", "<u>", token("<v>", "R", **MARKED)]}, texts=["<u><v>  x"])
    yield folder("extra tokens that are in the file as text", {"extra_special_tokens": ["<t>"]}, json={"added_tokens": in_file(("<t>", "N"))})
    yield folder("both names of extra tokens", {"additional_special_tokens": ["<a>"], "extra_special_tokens": ["<b>"]})
    yield folder("an empty list and the old name", {"additional_special_tokens": ["<a>"], "extra_special_tokens": []})
    yield folder("extra tokens with names", {"bos_token": "<s>", "extra_special_tokens": {"image_token": "<img>", "bos_token": "<B>"}}, texts=["<img><B><s>"])
    yield folder("extra tokens as a string", {"extra_special_tokens": "<a>"})
    yield folder("extra tokens null", {"extra_special_tokens": None, "additional_special_tokens": None})


def legacy_folders():
    special = {"eos_token": "</s>", "pad_token": token("<pad>", "L"), "image_token": token("<i>", ""), "additional_special_tokens": ["<x>"]}
    yield folder("special_tokens_map.json overrides", {"bos_token": "<s>", "eos_token": "<s>"}, **{"special_tokens_map.json": special}, texts=["<x> <pad></s>"])
    yield folder("special_tokens_map.json and added_tokens_decoder", {"bos_token": "<s>", "added_tokens_decoder": {}}, **{"special_tokens_map.json": special, "added_tokens.json": {"<q>": 261}})
    yield folder("special_tokens_map.json alone", **{"special_tokens_map.json": special, "added_tokens.json": {"<q>": 300}})
    yield folder("special_tokens_map.json takes a name away", {"bos_token": "<s>"}, **{"special_tokens_map.json": {"bos_token": None}})
    yield folder("extra tokens in both", {"extra_special_tokens": ["<w>"]}, **{"special_tokens_map.json": {"extra_special_tokens": [{"content": "<x>", "lstrip": True}, "<y>", "<w>"]}})
    yield folder("extra tokens under two names", {"extra_special_tokens": ["<w>"]}, **{"special_tokens_map.json": {"additional_special_tokens": ["<x>"]}})
    yield folder("extra tokens, an empty list first", {"extra_special_tokens": []}, **{"special_tokens_map.json": {"additional_special_tokens": ["<x>"]}})
    yield folder("extra tokens with names in the map", {"extra_special_tokens": ["<w>"]}, **{"special_tokens_map.json": {"extra_special_tokens": {"image_token": "<img>"}}})
    yield folder("added_tokens.json", {"bos_token": "<s>", "eos_token": "<e>"}, **{"added_tokens.json": {"<q>": 300, "<e>": 261, "</s>": 260, "<z>": 259}}, texts=["<q><e><z> <q>"])
    yield folder("added_tokens.json with extra tokens", {"extra_special_tokens": ["<e>"], "image_token": "<f>"}, **{"added_tokens.json": {"<e>": 290, "<f>": 280}})


def other_folders():
    for more in ({}, {"add_bos_token": False}, {"add_bos_token": True, "add_eos_token": True}):
        config = {"bos_token": "<s>", "eos_token": "</s>", **more}
        yield folder(f"a post-processor and {json.dumps(more)}", config, json=BOS, texts=["a"])
        yield folder(f"no post-processor and {json.dumps(more)}", config, texts=["a"])
    for value in (2048, 2048.0, None, 1e30, 0):
        yield folder(f"model_max_length {value}", {"model_max_length": value})
    yield folder("max_len", {"max_len": 77})
    yield folder("max_len behind model_max_length", {"model_max_length": 1e30, "max_len": 77})
    yield folder("clean-up for BPE", {"clean_up_tokenization_spaces": True})
    yield folder("clean-up for BPE all the same", {"clean_up_tokenization_spaces": True, "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output": True})
    yield folder("clean-up not, though for BPE too", {"clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output": True})
    yield folder("truncation and padding in the file", {"pad_token": "<s>"}, json={"added_tokens": USUAL, "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}, "padding": {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 259, "pad_type_id": 0, "pad_token": "<s>"}}, texts=["a b c d"])
    yield folder("a config that is no object", [])
    yield folder("a config that Python alone reads", '{"model_max_length": Infinity, "a": NaN, "b": [-Infinity]}')
    yield folder("a config that is not JSON", '{"a": 1,}')
    listed = {"tokenizer.3.json": {}, "tokenizer.5.1.json": {}, "tokenizer.5.99.json": {}}
    newer = {**BASE, "added_tokens": in_file("<newer>")}
    yield folder("versions of tokenizer.json", {"fast_tokenizer_files": ["tokenizer.5.99.json", "tokenizer.json", "tokenizer.5.1.json", "tokenizer.3.json"]}, **{**listed, "tokenizer.5.1.json": newer}, texts=["<newer>"])


def template_folders():
    several = [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "T"}, {"name": "default", "template": "D2"}]
    for value in ("A\r\nB", "", several, [], {"default": "D", "rag": "R"}, None, [{"name": "x"}]):
        yield folder(f"chat_template {json.dumps(value)}", {"chat_template": value})
    yield folder("chat_template.jinja", {"chat_template": several}, chat_template_jinja="\ufeffJ\r\nK\rL\n")
    yield folder("an empty chat_template.jinja", {"chat_template": "D"}, chat_template_jinja="")
    yield folder("an additional template", {"chat_template": "D"}, additional_chat_templates__rag_jinja="R")
    yield folder("an additional default", {"chat_template": "D"}, additional_chat_templates__default_jinja="X")
    yield folder(
        "many templates",
        chat_template_jinja="J",
        **{f"additional_chat_templates/{name}": name for name in ("rag.jinja", "default.jinja", ".h.jinja", ".jinja", "y.JINJA", "sub/z.jinja")},
    )


def eos_folders():
    text = {"text_config": {"eos_token_id": [5, 6]}}
    for generation in (None, {}, {"eos_token_id": None}, {"eos_token_id": 3}, {"eos_token_id": [3, 4, 3]}):
        for config in (None, {"eos_token_id": 7}, {"eos_token_id": [7, 8], **text}, text):
            files = {"generation_config.json": generation, "config.json": config}
            files = {name: value for name, value in files.items() if value is not None}
            yield folder(f"eos: {json.dumps(files)}", **files)


def random_folders():
    rng = random.Random(SEED)
    contents = ["<s>", "</s>", "<a>", "<b>", "ab", "b", "Ġa", "x y", "", "<|im|>", "é", "\n"]

    names = [content for content in contents if content not in VOCAB]

    def flags(content):
        # White space that both sides absorb is a matter of encoding, and masking one of special tokens of the vocabulary
        possible = "SRN" if content == "\n" else FLAGS if content in names else "SLRN"
        return "".join(flag for flag in possible if rng.random() < 0.35)

    def some(count, of=contents):
        return rng.sample(of, rng.randrange(count))

    for i in range(RANDOM_FOLDERS):
        added = in_file(*((content, flags(content)) for content in some(5) if content))
        config, files = {}, {}
        if rng.random() < 0.5:
            config["added_tokens_decoder"] = {str(rng.randrange(400)): token(content, flags(content)) for content in some(6)}
        for source in (config, files.setdefault("special_tokens_map.json", {})):
            for name in ("bos_token", "eos_token", "pad_token", "image_token", "sep_token"):
                if rng.random() < 0.25:
                    content = rng.choice(names)
                    source[name] = content if rng.random() < 0.5 else token(content, flags(content), **MARKED)
            if rng.random() < 0.3:
                extra = [content if rng.random() < 0.5 else token(content, flags(content), **MARKED) for content in some(4, names)]
                source[rng.choice(["additional_special_tokens", "extra_special_tokens"])] = extra
        if rng.random() < 0.5:
            files["added_tokens.json"] = {content: rng.randrange(255, 300) for content in some(4)}
        for value in files["special_tokens_map.json"].values():
            for item in value if isinstance(value, list) else [value]:
                # transformers fails on objects with __type there, on others in additional_special_tokens, and on the
                # flag special in extra_special_tokens
                if isinstance(item, dict) and "additional_special_tokens" not in files["special_tokens_map.json"]:
                    item.pop("__type")
                    item.pop("special")
        if rng.random() < 0.3:
            del files["special_tokens_map.json"]
        pieces = [*contents, " ", "a", "b", "_"]
        texts = ["".join(rng.choice(pieces) for _ in range(8)) for _ in range(3)]
        yield folder(f"random {i}", config, json={"added_tokens": added}, texts=texts, **files)


def write(root, case):
    files = {"tokenizer.json": {**BASE, **case["tokenizer.json"]}, **case["files"]}
    for name, content in files.items():
        path = Path(root, name)
        path.parent.mkdir(exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        path.write_bytes(text.encode())


def eos_of(root):
    try:
        config = GenerationConfig.from_pretrained(root)
    except OSError:
        path = Path(root, "config.json")
        config = GenerationConfig.from_model_config(json.loads(path.read_text())) if path.exists() else None
    eos = config and config.eos_token_id
    return [eos] if isinstance(eos, int) else eos or []


def outcome(case):
    with tempfile.TemporaryDirectory() as root:
        write(root, case)
        try:
            tokenizer = TokenizersBackend.from_pretrained(root)
        except Exception as error:
            return {"error": type(error).__name__}
        eos = eos_of(root)
    added = tokenizer.added_tokens_decoder
    letters = {i: "".join(letter for letter, name in FLAGS.items() if getattr(t, name)) for i, t in added.items()}
    templates = tokenizer.chat_template
    limit = tokenizer.model_max_length
    return {
        "added": [[i, added[i].content, letters[i]] for i in sorted(added)],
        "named": tokenizer.special_tokens_map,
        "extra": tokenizer.extra_special_tokens,
        "templates": {"default": templates} if isinstance(templates, str) else templates or {},
        "limit": limit if 0 < limit <= 1e20 else None,
        "decoded": tokenizer.decode(tokenizer.encode(SPACED, add_special_tokens=False)),
        "skipped": tokenizer.decode(sorted(added), skip_special_tokens=True),
        "ids": [[tokenizer.encode(text, add_special_tokens=False), tokenizer.encode(text)] for text in case["texts"]],
        "eos": eos,
    }


def main():
    if (transformers.__version__, tokenizers.__version__) != ("5.23.0", "0.23.3"):
        sys.exit("transformers 5.23.0 and tokenizers 0.23.3 were expected")
    makers = (config_folders, legacy_folders, other_folders, template_folders, eos_folders, random_folders)
    cases = [{**case, **outcome(case)} for maker in makers for case in maker()]
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    source = f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}"
    head = json.dumps({"source": source, "spaced": SPACED, "base": BASE}, ensure_ascii=False)
    OUT.write_text(f'{head[:-1]},\n"folders": [\n{lines}\n]}}\n', encoding="utf-8")
    errors = sum("error" in case for case in cases)
    print(f"{len(cases)} folders, {errors} of which fail to load, in {OUT.name}")


if __name__ == "__main__":
    main()
