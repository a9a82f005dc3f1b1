"""What the parts of scripts/golden-chats.py share: conversations in, golden files out."""

import gzip
import hashlib
import importlib.metadata
import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "test" / "chat" / "golden" / "chats"
CLOCK = "2026-03-01T12:34:56"


class Missing(Exception):
    pass


def say(text):
    print(text, flush=True)


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def versions(*names):
    return {name: importlib.metadata.version(name) for name in names}


def need(module, package):
    if importlib.util.find_spec(module) is None:
        raise Missing(f"the Python package {package} is not installed")


def conversations():
    return json.loads((GOLDEN / "conversations.json").read_text(encoding="utf-8"))


def attempt(call):
    """What the call returns, or the error that it raises."""
    try:
        return call()
    except Exception as error:  # whatever the reference raises is its answer
        return {"error": f"{type(error).__name__}: {error}"[:300]}


class Output:
    """Writes golden files, or compares them with those that are here."""

    def __init__(self, check):
        self.check = check
        self.different = []

    def write(self, name, value):
        path = GOLDEN / f"{name}.json.gz"
        data = (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "surrogatepass")
        results = [result for chat in value["chats"].values() for result in chat.values()]
        refused = sum("error" in result for result in results)
        told = f"{name:<28}{len(results) - refused:>5} prompts {refused:>4} refused"
        if not self.check:
            path.write_bytes(gzip.compress(data, 9, mtime=0))
            say(f"wrote   {told} {path.stat().st_size:>7} bytes")
        elif path.exists() and gzip.decompress(path.read_bytes()) == data:
            say(f"same    {told}")
        else:
            self.different.append(name)
            say(f"DIFFERS {told}")


def continues(messages):
    """Whether the last turn is an answer that can be left open."""
    last = messages[-1]
    return last["role"] == "assistant" and bool(last.get("content")) and not last.get("tool_calls")
