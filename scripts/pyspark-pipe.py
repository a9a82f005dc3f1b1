"""One run of `safetokens encode --jsonl` as a stage of Spark, compared with a run without Spark. Needs pyspark and Java.

    python scripts/pyspark-pipe.py MODEL TEXTS.jsonl

TEXTS.jsonl holds {"id": ..., "text": ...} a line. Four partitions on two cores, a process for each partition.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent


def main():
    model, texts = (Path(argument).resolve() for argument in sys.argv[1:])
    command = ["node", str(ROOT / "dist/cli.mjs"), "encode", "--model", str(model), "--jsonl", "--threads", "0"]
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    lines = spark.read.text(str(texts)).rdd.map(lambda row: row.value).repartition(4)
    start = time.time()
    answers = lines.pipe(" ".join(command), checkCode=True).map(json.loads)
    piped = answers.map(lambda answer: (answer["id"], answer["ids"])).collectAsMap()
    seconds = time.time() - start

    alone = subprocess.run(command, stdin=texts.open(), capture_output=True, check=True).stdout
    expected = {answer["id"]: answer["ids"] for answer in map(json.loads, alone.splitlines())}
    tokens = sum(map(len, piped.values()))
    print(f"Spark {spark.version}: {len(piped)} lines, {tokens} tokens, {seconds:.1f} s in 4 partitions")
    if piped != expected:
        sys.exit("the ids differ from a run without Spark")
    print("the same ids as a run without Spark")


main()
