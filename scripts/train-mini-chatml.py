#!/usr/bin/env python3
"""Train the demo tokenizer models/mini-chatml: a byte-level BPE tokenizer.json with a ChatML chat template.

The text is that of models/mini-chatglm3: scripts/train-mini-chatglm3.py fetches the pinned packages and cleans
them, and lists their licences. The layout is that of current ChatML models (Qwen3): NFC, a split pattern with
single digits, byte-level tokens, control tokens behind the vocabulary, of which some are not flagged as special.

Usage: python3 scripts/train-mini-chatml.py [--cache DIR] [--check]
Needs: Python 3.8+, npm, and `tokenizers` 0.23.3.

The result is deterministic: the same packages and the same version of tokenizers give the same bytes.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import sys
import tempfile
from pathlib import Path

TOKENIZERS_VERSION = "0.23.3"
VOCAB_SIZE = 8000
ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "models" / "mini-chatml"

# Words: contractions, letters with one mark before them, single digits, marks, line ends, white space.
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# A blank line after so many lines: without it no token of several line ends would be learnt.
PARAGRAPH = 8

# name, whether it is flagged as special. The flags of the rest are those of Qwen3, though models rely on all of them.
ADDED_TOKENS = [
    ("<|endoftext|>", True),
    ("<|im_start|>", True),
    ("<|im_end|>", True),
    ("<tool_call>", False),
    ("</tool_call>", False),
    ("<tool_response>", False),
    ("</tool_response>", False),
    ("<think>", False),
    ("</think>", False),
]

# Reasoning is shown for what came after the last question only. Every role is spelled here, none is composed.
CHAT_TEMPLATE = r"""{#- ChatML with functions, documents and reasoning. Part of safetokens, Apache-2.0. -#}
{%- macro text(content) -%}
    {%- if content is string -%}
        {{- content -}}
    {%- elif content -%}
        {%- for part in content -%}
            {%- if part.type == 'text' -%}
                {{- part.text -}}
            {%- else -%}
                {{- raise_exception('this model reads parts of type text only, not ' ~ part.type) -}}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro -%}
{%- set place = namespace(question=-1) -%}
{%- for message in messages -%}
    {%- if message.role == 'user' -%}
        {%- set place.question = loop.index0 -%}
    {%- endif -%}
{%- endfor -%}
{%- set has_system = messages and messages[0].role == 'system' -%}
{%- if has_system or tools or documents -%}
    {{- '<|im_start|>system\n' -}}
    {%- if has_system -%}
        {{- text(messages[0].content) -}}
    {%- endif -%}
    {%- if documents -%}
        {{- '\n\n' if has_system -}}
        {{- '# Documents\n\nBase your answer on these documents.' -}}
        {%- for document in documents -%}
            {{- '\n\n## ' ~ (document.title or 'Document ' ~ loop.index) ~ '\n' ~ document.text -}}
        {%- endfor -%}
    {%- endif -%}
    {%- if tools -%}
        {{- '\n\n' if has_system or documents -}}
        {{- '# Functions\n\nThese functions are yours to call, one in each line:\n' -}}
        {%- for tool in tools -%}
            {{- '\n' ~ (tool | tojson) -}}
        {%- endfor -%}
        {{- '\n\nWrite each call in this way:\n<tool_call>\n{"name": FUNCTION, "arguments": OBJECT}\n</tool_call>' -}}
    {%- endif -%}
    {{- '<|im_end|>\n' -}}
{%- endif -%}
{%- for message in messages -%}
    {%- if message.role == 'system' -%}
        {%- if not loop.first -%}
            {{- '<|im_start|>system\n' ~ text(message.content) ~ '<|im_end|>\n' -}}
        {%- endif -%}
    {%- elif message.role == 'user' -%}
        {{- '<|im_start|>user\n' ~ text(message.content) ~ '<|im_end|>\n' -}}
    {%- elif message.role == 'assistant' -%}
        {{- '<|im_start|>assistant\n' -}}
        {%- generation -%}
        {%- if message.reasoning_content and loop.index0 > place.question -%}
            {{- '<think>\n' ~ (message.reasoning_content | trim) ~ '\n</think>\n\n' -}}
        {%- endif -%}
        {%- set content = text(message.content) -%}
        {{- content -}}
        {%- for call in message.tool_calls or [] -%}
            {{- '\n' if content or not loop.first -}}
            {{- '<tool_call>\n{"name": ' ~ (call.function.name | tojson) ~ ', "arguments": ' -}}
            {%- if call.function.arguments is string -%}
                {{- call.function.arguments -}}
            {%- else -%}
                {{- call.function.arguments | tojson -}}
            {%- endif -%}
            {{- '}\n</tool_call>' -}}
        {%- endfor -%}
        {{- '<|im_end|>' -}}
        {%- endgeneration -%}
        {{- '\n' -}}
    {%- elif message.role == 'tool' -%}
        {#- Results in a row share one turn. -#}
        {%- if loop.first or loop.previtem.role != 'tool' -%}
            {{- '<|im_start|>user' -}}
        {%- endif -%}
        {{- '\n<tool_response>\n' ~ text(message.content) ~ '\n</tool_response>' -}}
        {%- if loop.last or loop.nextitem.role != 'tool' -%}
            {{- '<|im_end|>\n' -}}
        {%- endif -%}
    {%- else -%}
        {{- raise_exception('a role is system, user, assistant or tool, not ' ~ message.role) -}}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- '<|im_start|>assistant\n' -}}
    {%- if enable_thinking is defined and not enable_thinking -%}
        {{- '<think>\n\n</think>\n\n' -}}
    {%- endif -%}
{%- endif -%}
"""


def load_recipe():
    """The recipe of the other model, for its text."""
    spec = importlib.util.spec_from_file_location("recipe", Path(__file__).with_name("train-mini-chatglm3.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


recipe = load_recipe()
RecipeError, say = recipe.RecipeError, recipe.say


def paragraphs(lines):
    for start in range(0, len(lines), PARAGRAPH):
        yield "\n".join(lines[start : start + PARAGRAPH]) + "\n\n"


def train(lines):
    """The bytes of tokenizer.json."""
    from tokenizers import AddedToken, Regex, Tokenizer
    from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

    byte_level = {"add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    tokenizer = Tokenizer(models.BPE(continuing_subword_prefix="", end_of_word_suffix=""))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(PATTERN), "isolated"), pre_tokenizers.ByteLevel(**byte_level)]
    )
    tokenizer.post_processor = processors.ByteLevel(**byte_level)
    tokenizer.decoder = decoders.ByteLevel(**byte_level)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(paragraphs(lines), trainer)
    tokenizer.add_tokens([AddedToken(name, special=special, normalized=False) for name, special in ADDED_TOKENS])
    return compact(json.loads(tokenizer.to_str()))


def compact(value):
    return (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def pretty(value):
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def tokenizer_config():
    flags = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False}
    return {
        "add_bos_token": False,
        "add_prefix_space": False,
        "added_tokens_decoder": {
            str(VOCAB_SIZE + i): {"content": name, **flags, "special": special}
            for i, (name, special) in enumerate(ADDED_TOKENS)
        },
        "bos_token": None,
        "chat_template": CHAT_TEMPLATE,
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|im_end|>",
        "model_max_length": 32768,
        "name_or_path": "safetokens/mini-chatml",
        "pad_token": "<|endoftext|>",
        "tokenizer_class": "PreTrainedTokenizerFast",
        "unk_token": None,
    }


def generation_config():
    end_of_text, _, end_of_turn = range(VOCAB_SIZE, VOCAB_SIZE + 3)
    return {"eos_token_id": [end_of_turn, end_of_text], "pad_token_id": end_of_text}


SAMPLES = [
    *recipe.SAMPLES,
    *recipe.MORE_SAMPLES,
    "<|im_end|",
    "\n\n  e\u0301\u200d👩‍👩‍👧 \r\n\t",
]


def check(data):
    """Raise RecipeError when the tokenizer is not what we ship."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(data.decode())
    vocab = tokenizer.get_vocab(with_added_tokens=False)
    if sorted(vocab.values()) != list(range(VOCAB_SIZE)):
        raise RecipeError(f"the vocabulary has {len(vocab)} tokens, not {VOCAB_SIZE}")
    for i, (name, _) in enumerate(ADDED_TOKENS):
        if tokenizer.token_to_id(name) != VOCAB_SIZE + i or tokenizer.encode(name).ids != [VOCAB_SIZE + i]:
            raise RecipeError(f"{name} must be {VOCAB_SIZE + i}")
    special = [token for token in vocab if recipe.SPECIAL_LOOKING.search(token)]
    if special:
        raise RecipeError(f"tokens look like control tokens: {special}")
    if len(data) > 400_000:
        raise RecipeError(f"tokenizer.json is too large: {len(data)} bytes")
    say(f"tokens  {len(vocab)} and {len(ADDED_TOKENS)} added ones")
    for sample in SAMPLES:
        ids = tokenizer.encode(sample).ids
        say(f"sample  {len(ids):>3} tokens  {' '.join(tokenizer.id_to_token(i) for i in ids)}")
        if tokenizer.decode(ids) != tokenizer.normalizer.normalize_str(sample):
            raise RecipeError(f"no round trip: {sample!r} became {tokenizer.decode(ids)!r}")
        if max(ids) >= VOCAB_SIZE:
            raise RecipeError(f"unexpected tokens for {sample!r}")


def main():
    parser = argparse.ArgumentParser(
        description="Train the demo tokenizer models/mini-chatml from the pinned packages of train-mini-chatglm3.py."
    )
    parser.add_argument("--cache", metavar="DIR", help="keep the downloaded packages in DIR and use them again")
    parser.add_argument("--check", action="store_true", help="write nothing; fail unless the files here are the same")
    options = parser.parse_args()

    try:
        import tokenizers
    except ImportError:
        raise RecipeError(
            f"the Python package 'tokenizers' is missing: pip install tokenizers=={TOKENIZERS_VERSION}"
        ) from None
    if tokenizers.__version__ != TOKENIZERS_VERSION:
        say(f"note    tokenizers is {tokenizers.__version__}, not {TOKENIZERS_VERSION}: the result may differ")

    if options.cache:
        folder = Path(options.cache).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        archives = recipe.fetch(folder)
    else:
        with tempfile.TemporaryDirectory(prefix="mini-chatml-") as scratch:
            archives = recipe.fetch(Path(scratch))

    lines = recipe.build_corpus(archives)
    say("train   (some seconds)")
    data = train(lines)
    check(data)
    files = {
        "tokenizer.json": data,
        "tokenizer_config.json": pretty(tokenizer_config()),
        "generation_config.json": pretty(generation_config()),
    }
    for name, content in files.items():
        path = TARGET / name
        shown = os.path.relpath(path, ROOT)
        if options.check:
            if not path.exists() or path.read_bytes() != content:
                raise RecipeError(f"{shown} differs from what this recipe makes")
            say(f"same    {shown}")
        else:
            TARGET.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            say(f"wrote   {shown}  {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    try:
        main()
    except RecipeError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("stopped")
