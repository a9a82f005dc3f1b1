"""Encodes for the benchmark with native SentencePiece: a line of JSON comes in, a line of JSON goes out.

What a list of texts takes is measured here, so that nothing of it is the pipe's.
"""

import json
import sys
import time

import sentencepiece

if len(sys.argv) < 2:
    print(sentencepiece.__version__)
    sys.exit()

processor = sentencepiece.SentencePieceProcessor()
processor.Load(sys.argv[1])
for line in sys.stdin:
    request = json.loads(line)
    if "text" in request:
        answer = {"ids": processor.EncodeAsIds(request["text"])}
    else:
        texts = request["texts"]
        start = time.perf_counter()
        for text in texts:
            processor.EncodeAsIds(text)
        answer = {"ms": (time.perf_counter() - start) * 1000}
    print(json.dumps(answer), flush=True)
