#!/usr/bin/env python3
"""Writes test/conformance/golden/sentencepiece-offsets.json.gz: where SentencePiece's pieces come from.

Run from anywhere with PyPI sentencepiece 0.2.3: python3 scripts/golden-sentencepiece-offsets.py
It reads the models and texts of sentencepiece-flags.json.gz and sentencepiece-models.json.gz, which other scripts
write. For each model of the one (`flags`) and of the other (`models`) the file holds a list for each text (the shared
ones first): begin and end of each piece, in bytes; null where SentencePiece fails.
"""

import base64
import gzip
import json
import sys
from pathlib import Path

import sentencepiece as spm

GOLDEN = Path(__file__).resolve().parent.parent / "test" / "conformance" / "golden"


def varint(value):
    return bytes([value & 0x7F | 0x80]) + varint(value >> 7) if value > 0x7F else bytes([value])


def with_charsmap(file, charsmap):
    """Two normalizer_specs in one file are one."""
    if not charsmap:
        return file
    field = b"\x12" + varint(len(charsmap)) + charsmap
    return file + b"\x1a" + varint(len(field)) + field


def offsets_of(golden):
    charsmaps = golden.get("charsmaps", {"none": ""})
    for model in golden["models"]:
        charsmap = base64.b64decode(charsmaps[model.get("charsmap", "none")])
        file = with_charsmap(base64.b64decode(model["model"]), charsmap)
        processor = spm.SentencePieceProcessor(model_proto=file)
        rows = []
        for text, ids in zip(golden["texts"] + model["texts"], model["ids"], strict=True):
            if ids is None:
                rows.append(None)
                continue
            mapping = processor.encode(text, return_type="offset_mapping", return_bytes=True)
            assert list(mapping["ids"]) == ids, (model["name"], text)
            rows.append([at for pair in mapping["offsets"] for at in pair])
        yield rows


def main():
    if spm.__version__ != "0.2.3":
        sys.exit("expected sentencepiece 0.2.3, the version that the library follows")
    read = lambda name: json.loads(gzip.decompress((GOLDEN / f"sentencepiece-{name}.json.gz").read_bytes()))
    flags, models = (list(offsets_of(read(name))) for name in ("flags", "models"))
    golden = {"sentencepiece": spm.__version__, "flags": flags, "models": models}
    out = GOLDEN / "sentencepiece-offsets.json.gz"
    text = json.dumps(golden, separators=(",", ":"))
    out.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(flags) + len(models)} models, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
