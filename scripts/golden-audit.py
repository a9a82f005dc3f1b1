"""Tries the witnesses of audits under split_special_tokens on Hugging Face's tokenizers itself.

    safetokens audit MODEL --json > reports/NAME.json      for each model
    python scripts/golden-audit.py REPORTS MODELS > test/audit/golden/split-special-tokens.json

REPORTS holds NAME.json; MODELS holds the folders NAME with their tokenizer.json. A witness that does not reach its token,
and a token whose name reaches it although the audit says that nothing does, are errors: then nothing is written.
"""

import json
import sys
from pathlib import Path

import tokenizers


def tried(report, tokenizer):
    reached, unreached, wrong = {}, [], []
    for token in report["reserved"]:
        name, wanted = token["name"], token["id"]
        witnesses = [witness["text"] for witness in token["split"] or []]
        for text in witnesses:
            if wanted not in tokenizer.encode(text, add_special_tokens=False).ids:
                wrong.append(f"{text!r} does not reach {name}")
        if witnesses:
            reached[name] = witnesses[0]
        else:
            unreached.append(name)
            for text in (name, f" {name} ", f"a{name}b"):
                if wanted in tokenizer.encode(text, add_special_tokens=False).ids:
                    wrong.append(f"{text!r} reaches {name}")
    return {"reached": reached, "unreached": unreached}, wrong


def main():
    reports, models = map(Path, sys.argv[1:])
    golden, errors = {}, []
    for file in sorted(reports.glob("*.json")):
        tokenizer = tokenizers.Tokenizer.from_file(str(models / file.stem / "tokenizer.json"))
        tokenizer.encode_special_tokens = True
        golden[file.stem], wrong = tried(json.loads(file.read_text()), tokenizer)
        errors += [f"{file.stem}: {message}" for message in wrong]
    if errors:
        sys.exit("\n".join(errors))
    json.dump({"tokenizers": tokenizers.__version__, "models": golden}, sys.stdout, ensure_ascii=False, indent=1)
    print()


main()
