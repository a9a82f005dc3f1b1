#!/usr/bin/env python3
"""Writes test/conformance/golden/sentencepiece-offsets.json.gz: where SentencePiece's pieces come from.

Run from anywhere with PyPI sentencepiece 0.2.3: python3 scripts/golden-sentencepiece-offsets.py
It reads the models and texts of sentencepiece-flags.json.gz, which golden-sentencepiece.py writes. For each model
the file holds a list for each text (the shared ones first): begin and end of each piece, in bytes.
"""

import base64
import gzip
import json
import sys
from pathlib import Path

import sentencepiece as spm

GOLDEN = Path(__file__).resolve().parent.parent / "test" / "conformance" / "golden"


def main():
    if spm.__version__ != "0.2.3":
        sys.exit("expected sentencepiece 0.2.3, the version that the library follows")
    flags = json.loads(gzip.decompress((GOLDEN / "sentencepiece-flags.json.gz").read_bytes()))
    offsets = []
    for model in flags["models"]:
        processor = spm.SentencePieceProcessor(model_proto=base64.b64decode(model["model"]))
        texts = flags["texts"] + model["texts"]
        mappings = processor.encode(texts, return_type="offset_mapping", return_bytes=True)
        assert [list(mapping["ids"]) for mapping in mappings] == model["ids"], model["name"]
        offsets.append([[at for pair in mapping["offsets"] for at in pair] for mapping in mappings])
    golden = {"sentencepiece": spm.__version__, "offsets": offsets}
    out = GOLDEN / "sentencepiece-offsets.json.gz"
    text = json.dumps(golden, separators=(",", ":"))
    out.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(offsets)} models, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
