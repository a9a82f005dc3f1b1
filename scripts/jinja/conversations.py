"""What the templates are rendered with: conversations of every shape that a chat template can meet, as JSON."""

TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": 'The city, e.g. "Paris"'},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
            },
            "required": ["city"],
        },
    },
}
BOOKING = {
    "type": "function",
    "function": {
        "name": "book_table",
        "description": "Books a table.\nSecond line with 'quotes', <tags> & an emoji \U0001f37d.",
        "strict": True,
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "guests": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"], "minimum": 0}},
                    },
                },
                "when": {
                    "anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}],
                    "description": "\u4f55\u6642",
                },
                "budget": {"type": "number", "minimum": 0.5, "maximum": 1e21, "default": 1e-07},
                "smoking": {"type": "boolean", "default": False},
                "nothing": {"type": "object", "properties": {}},
                "any": {},
            },
            "required": ["guests", "when"],
        },
        "returns": {"type": "string"},
    },
}
BARE = {"name": "ping", "description": "", "parameters": {"type": "object", "properties": {}}}


def user(content, **more):
    return {"role": "user", "content": content, **more}


def system(content, **more):
    return {"role": "system", "content": content, **more}


def assistant(content, **more):
    return {"role": "assistant", "content": content, **more}


def tool(content, **more):
    return {"role": "tool", "content": content, **more}


def call(name, arguments, id="call00001"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


HELLO = [user("Hello, how are you?"), assistant("I'm doing great."), user("Tell me a joke.")]
CALLED = [
    user("What is the weather in Paris?"),
    assistant("", tool_calls=[call("get_weather", {"city": "Paris", "unit": "celsius"})]),
    tool('{"temp": 21.5}', name="get_weather", tool_call_id="call00001"),
    assistant("It is 21.5 degrees."),
    user("Thanks! And Rome?"),
]
NESTED = {
    "text": "a \"quoted\" 'text' with <b>tags</b> & \\ \n new line \u2028 \u4f60\u597d \U0001f600",
    "float": 0.1,
    "small": 1e-07,
    "large": 1.5e300,
    "negative": -3.25,
    "whole": 1.0,
    "long": 12345678901234567890,
    "e16": 1e16,
    "int": 42,
    "zero": 0,
    "big": 9007199254740991,
    "true": True,
    "false": False,
    "null": None,
    "list": [1, "two", 3.5, None, [True, {}], []],
    "empty": "",
    "dict": {"b": 1, "a": {"": [{"x": None}]}, "__proto__": "p", "constructor": "c", "10": 10, "9": 9},
    "none": {},
}
PARTS = [
    {"type": "text", "text": "Look: "},
    {"type": "image", "image": "x.png"},
    {"type": "text", "text": " what is it?\n"},
]
COMBINED = "e\u0301 \u1e9b\u0323 \ud55c\uae00 \u05e9\u05dc\u05d5\u05dd \U0001f469\u200d\U0001f467 \U0001d54f \ufeff\u200b x\u0301\u0302"


def conversations():
    """Name to context; what transformers passes as None is None here."""
    made = {}

    def add(name, messages, tokens=TOKENS, tools=None, documents=None, prompt=True, **more):
        made[name] = {
            "messages": messages,
            "tools": tools,
            "documents": documents,
            "add_generation_prompt": prompt,
            **tokens,
            **more,
        }

    add("plain", HELLO)
    add("no generation prompt", HELLO, prompt=False)
    add("one question", [user("Hi")])
    add("system", [system("You are a pirate."), *HELLO])
    add("system only", [system("You are a pirate.")])
    add("ends with assistant", [system("S"), user("Write a poem."), assistant("Roses are red,")], prompt=False)
    add("ends with assistant, prompt", [user("Write a poem."), assistant("Roses are red,")])
    add("no messages", [])
    add("no tokens", HELLO, tokens={})
    made["messages alone"] = {"messages": HELLO}
    made["nothing"] = {}
    add("tools unused", HELLO, tools=[WEATHER])
    add("tools and system", [system("Use tools."), *HELLO], tools=[WEATHER, BOOKING])
    add("no tools in a list", HELLO, tools=[])
    add("tool without the wrapper", HELLO, tools=[BARE])
    add("tool call", CALLED, tools=[WEATHER])
    add("tool call without tools", CALLED)
    add(
        "tool call, arguments as text",
        [
            user("Weather?"),
            assistant("", tool_calls=[call("get_weather", '{"city": "Paris"}')]),
            tool("21", name="get_weather", tool_call_id="call00001"),
        ],
        tools=[WEATHER],
    )
    add(
        "tool call, content null",
        [
            user("Weather?"),
            assistant(None, tool_calls=[call("get_weather", {"city": "\u6771\u4eac"})]),
            tool("21", name="get_weather", tool_call_id="call00001"),
        ],
        tools=[WEATHER],
    )
    add(
        "tool call, no content",
        [
            user("Weather?"),
            {"role": "assistant", "tool_calls": [call("get_weather", {})]},
            tool("", tool_call_id="call00001"),
        ],
        tools=[WEATHER],
    )
    add(
        "tool call and content",
        [
            user("Weather?"),
            assistant("Let me look.", tool_calls=[call("get_weather", {"city": "Rome"})]),
            tool({"temp": 20.5, "ok": True}, name="get_weather", tool_call_id="call00001"),
        ],
        tools=[WEATHER],
    )
    add(
        "parallel tool calls",
        [
            system("S"),
            user("Both?"),
            assistant(
                "",
                tool_calls=[
                    call("get_weather", {"city": "Paris"}, "call00001"),
                    call("get_weather", {"city": "Rome"}, "call00002"),
                ],
            ),
            tool("21", name="get_weather", tool_call_id="call00001"),
            tool("25", name="get_weather", tool_call_id="call00002"),
            assistant("21 and 25."),
        ],
        tools=[WEATHER, BOOKING],
    )
    add(
        "nested arguments",
        [
            user("Book"),
            assistant("", tool_calls=[call("book_table", NESTED)]),
            tool("done", name="book_table", tool_call_id="call00001"),
        ],
        tools=[BOOKING],
    )
    add(
        "tool call without id",
        [
            user("Weather?"),
            assistant(
                "",
                tool_calls=[{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}],
            ),
            tool("21", name="get_weather"),
        ],
        tools=[WEATHER],
    )
    add(
        "tool call without the wrapper",
        [
            user("Weather?"),
            assistant("", tool_calls=[{"name": "get_weather", "arguments": {"city": "Paris"}}]),
            tool("21", name="get_weather"),
        ],
        tools=[WEATHER],
    )
    add(
        "function_call",
        [
            user("Weather?"),
            assistant("", function_call={"name": "get_weather", "arguments": '{"city": "Paris"}'}),
            {"role": "function", "name": "get_weather", "content": "21"},
        ],
        tools=[WEATHER],
    )
    add(
        "reasoning",
        [
            user("2+2?"),
            assistant("4", reasoning_content="Let me add.\nIt is 4.", thinking="Let me add.\nIt is 4."),
            user("Sure?"),
        ],
    )
    add("reasoning in the text", [user("2+2?"), assistant("<think>\nLet me add.\n</think>\n\n4"), user("Sure?")])
    add(
        "reasoning and tool calls",
        [
            user("Weather?"),
            assistant(
                "Looking.",
                reasoning_content="I need a tool.",
                thinking="I need a tool.",
                tool_calls=[call("get_weather", {"city": "Paris"})],
            ),
            tool("21", name="get_weather", tool_call_id="call00001"),
        ],
        tools=[WEATHER],
    )
    add("thinking on", [system("S"), *HELLO], enable_thinking=True, thinking=True, reasoning_effort="high")
    add("thinking off", [system("S /no_think"), *HELLO], enable_thinking=False, thinking=False, reasoning_effort="low")
    add(
        "content parts",
        [
            system("S"),
            user(PARTS),
            assistant([{"type": "text", "text": "A cat."}]),
            user([{"type": "text", "text": "Sure?"}]),
        ],
    )
    add("system in parts", [system([{"type": "text", "text": "S"}]), user([{"type": "text", "text": "Q"}])])
    add(
        "images",
        [
            user(
                [
                    {"type": "image"},
                    {"type": "image_url", "image_url": {"url": "https://x"}},
                    {"type": "video"},
                    {"type": "audio", "audio": "a.wav"},
                    {"type": "text", "text": "?"},
                ]
            )
        ],
        add_vision_id=True,
    )
    add(
        "documents",
        HELLO,
        documents=[
            {"title": "T\u00eftle", "text": 'Some "text".'},
            {"doc_id": 7, "title": "Two", "text": "", "contents": "c"},
        ],
    )
    add("empty strings", [system(""), user(""), assistant(""), user("")])
    add("white space", [system("  \n S \t"), user("\n\n Q  \n"), assistant(" \u00a0A\u3000\n"), user("\x1cx\x85")])
    add(
        "unicode",
        [
            system(COMBINED),
            user("\u4f60\u597d \U0001f600\U0001f468\u200d\U0001f469"),
            assistant(COMBINED),
            user("\u0130\u00df\ufb01 \u03a3\u03c3\u03c2 \U00010400"),
        ],
    )
    add(
        "markup",
        [
            system("<S> & \"x\" 'y'"),
            user("<|im_end|>\n<|im_start|>system\n&lt;b&gt;"),
            assistant('</think> <tool_call>{"a": 1}</tool_call> [INST]'),
            user("{{ x }} {% raw %} %s {0}"),
        ],
    )
    add(
        "roles",
        [
            {"role": "developer", "content": "D"},
            user("Q"),
            {"role": "model", "content": "A"},
            {"role": "ipython", "content": "R"},
            {"role": "observation", "content": "O", "metadata": "m"},
        ],
    )
    add("unknown role", [user("Q"), {"role": "pirate<|x|>", "content": "Arr"}])
    add("no role", [{"content": "Q"}])
    add("two users", [user("a"), user("b")])
    add("assistant first", [assistant("Hi!"), user("Hello")])
    add("system late", [user("a"), system("S"), user("b")])
    add("content null", [user(None)])
    add("content number", [user(42), assistant(0.5), user(True)])
    add("names", [user("Hi", name="Ann"), assistant("Hi Ann", name="bot", weight=0), user("Bye", name="")])
    add(
        "settings",
        [system("S"), *HELLO],
        tools=[WEATHER],
        tools_in_user_message=False,
        date_string="30 Nov 2026",
        builtin_tools=["brave_search", "code_interpreter"],
        xml_tools=[WEATHER],
        python_tools=[],
        custom_tools=[BARE],
        model_identity="You are X.",
        keep_past_thinking=True,
        truncate_history_thinking=False,
        safety_mode="STRICT",
        citation_mode="fast",
        controls={"length": "AUTO"},
        tool_choice="auto",
        image_token="<img>",
    )
    add(
        "long",
        [
            system("S"),
            *[message for i in range(12) for message in (user(f"q{i} " * 7), assistant(f"a{i}\n" * 3))],
            user("end"),
        ],
    )
    return made
