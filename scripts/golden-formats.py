#!/usr/bin/env python3
"""Writes test/chat/formats/golden/templates.json: chats as the models' own templates render them.

Run from anywhere: python3 scripts/golden-formats.py
Needs Jinja2 3.1.6 and the templates of ../shared/data/templates. The environment is that of transformers 5
(utils/chat_template_utils.py): sandboxed, trim_blocks, lstrip_blocks, loop controls, tojson as plain json.dumps.
Each case is a format's name, a conversation with its options, and the text, or null where the template raises.
The test runs the built-in formats on the same conversations.
"""

import json
from datetime import datetime
from pathlib import Path

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT.parent / "shared" / "data" / "templates"
OUT = ROOT / "test" / "chat" / "formats" / "golden" / "templates.json"
CLOCK = datetime(2025, 3, 7)

LLAMA3_TOKENS = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"}
LLAMA2_TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
GEMMA_TOKENS = {"bos_token": "<bos>", "eos_token": "<eos>"}
PHI_TOKENS = {"bos_token": "<s>", "eos_token": "<|endoftext|>"}
DEEPSEEK_TOKENS = {"bos_token": "<｜begin▁of▁sentence｜>", "eos_token": "<｜end▁of▁sentence｜>"}
FORMATS = {
    "smollm2": ("hfjs-ollama-utils/library_smollm2_135m.jinja", {}),
    "qwen3": ("hfjs-ollama-utils/library_qwen3_0.6b.jinja", {}),
    "llama2": ("hfjs-ollama-utils/library_llama2_7b.jinja", LLAMA2_TOKENS),
    "llama3": ("hfjs-ollama-utils/library_llama3_8b.jinja", LLAMA3_TOKENS),
    "llama3.1": ("hfjs-jinja-e2e/meta-llama_Llama-3.1-8B-Instruct.jinja", LLAMA3_TOKENS),
    "llama3.2": ("hfjs-ollama-utils/library_llama3.2_3b.jinja", LLAMA3_TOKENS),
    "gemma2": ("hfjs-ollama-utils/library_gemma2_2b.jinja", GEMMA_TOKENS),
    "gemma3": ("hfjs-ollama-utils/library_gemma3_1b.jinja", GEMMA_TOKENS),
    "phi3": ("hfjs-ollama-utils/library_phi3_3.8b.jinja", PHI_TOKENS),
    "phi4-mini": ("hfjs-ollama-utils/library_phi4-mini_3.8b.jinja", PHI_TOKENS),
    "deepseek-v3": ("hfjs-ollama-utils/library_deepseek-v3_671b.jinja", DEEPSEEK_TOKENS),
    "deepseek-r1": ("hfjs-ollama-utils/library_deepseek-r1_latest.jinja", DEEPSEEK_TOKENS),
    "glm4": ("hfjs-ollama-utils/library_glm4_9b.jinja", {}),
}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Weather of a city, \"now\" & later: 天气",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 1}},
                "required": ["city"],
            },
        },
    },
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}},
]


def user(content="What is 2 + 2?"):
    return {"role": "user", "content": content}


def assistant(content="It is 4.", **more):
    return {"role": "assistant", "content": content, **more}


def system(content="You are terse."):
    return {"role": "system", "content": content}


def call(name="get_weather", arguments=None, call_id="call00001"):
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments if arguments is not None else {"city": "São Paulo", "days": 2}},
    }


def text_call(**more):
    return call(arguments='{"city": "São Paulo", "days": 2}', **more)


def tool(content='{"temp": 22.5, "sky": "晴"}', call_id="call00001"):
    return {"role": "tool", "content": content, "tool_call_id": call_id, "name": "get_weather"}


CHATS = {
    "one turn": [user()],
    "system": [system(), user()],
    "several turns": [user("a"), assistant("b"), user("c"), assistant("d"), user("e")],
    "system and turns": [system(), user("a"), assistant("b"), user("c")],
    "ends with the assistant": [user(), assistant()],
    "white space": [system("  sys\n"), user("\n a \t"), assistant(" \n\nb\n "), user("\u00a0c\u3000\n")],
    "only white space": [system(" \n"), user(" \n "), assistant("\n\n"), user("x")],
    "empty": [system(""), user(""), assistant(""), user("")],
    "unicode": [user("你好 👩‍👩‍👧 e\u0301 ∑"), assistant("שלום"), user("ok")],
    "code": [user("```py\nif a < b:\n\tprint('x')\n```\n"), assistant("1234567890"), user("<b>&amp;</b>")],
    "two system turns": [system("a"), user("b"), system("c"), user("d")],
    "call": [user(), assistant("", tool_calls=[call()]), tool(), assistant("Sunny.")],
    "call with text": [user(), assistant("Let me see.", tool_calls=[call()]), tool(), user("thanks")],
    "call as text": [user(), assistant(None, tool_calls=[text_call()]), tool("plain"), assistant("Sunny."), user("ok")],
    "parallel calls": [
        system(),
        user(),
        assistant("", tool_calls=[call(), call("now", {}, "call00002")]),
        tool(),
        tool("12:00", "call00002"),
        assistant("Noon."),
        user("more"),
    ],
    "parallel calls as text": [
        user(),
        assistant(None, tool_calls=[text_call(), text_call(call_id="call00002")]),
        tool(),
        tool("12:00", "call00002"),
        assistant("Noon."),
    ],
    "waiting for a result": [user(), assistant("", tool_calls=[call()])],
    "result last": [user(), assistant("", tool_calls=[call()]), tool()],
    "reasoning": [
        user("a"),
        assistant("b", reasoning_content="\nthought 1\n"),
        user("c"),
        assistant("d", reasoning_content="thought 2"),
    ],
    "reasoning and call": [
        user("a"),
        assistant("", reasoning_content="hm", tool_calls=[call()]),
        tool(),
        assistant("\n\nd", reasoning_content="so"),
    ],
    "tools of a turn": [{**system(""), "tools": TOOLS}, user()],
    "tools of a turn with text": [{**system(), "tools": TOOLS}, user()],
    "metadata": [user("a"), assistant('{"city": "x"}', metadata="get_weather"), {"role": "observation", "content": "22"}],
}
OPTIONS = {
    "prompt": {"add_generation_prompt": True},
    "no prompt": {"add_generation_prompt": False},
    "no thinking": {"add_generation_prompt": True, "enable_thinking": False},
    "dated": {"add_generation_prompt": True, "date_string": "1 Jan 2030"},
    "tools": {"add_generation_prompt": True, "tools": TOOLS},
    "tools in system": {"add_generation_prompt": True, "tools": TOOLS, "tools_in_user_message": False},
}


def environment():
    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda format: CLOCK.strftime(format)
    return env


def rendered(template, messages, options, tokens):
    try:
        return template.render(messages=messages, **tokens, **{"tools": None, "documents": None, **options})
    except (jinja2.exceptions.TemplateError, TypeError):
        return None


def main():
    env = environment()
    cases = []
    for name, (path, tokens) in FORMATS.items():
        template = env.from_string((TEMPLATES / path).read_text(encoding="utf-8"))
        for chat, messages in CHATS.items():
            for option, options in OPTIONS.items():
                cases.append([name, chat, option, rendered(template, messages, options, tokens)])
    golden = {
        "clock": CLOCK.isoformat(),
        "sources": {name: path for name, (path, _) in FORMATS.items()},
        "chats": CHATS,
        "options": OPTIONS,
        "cases": cases,
    }
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(cases)} cases, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
