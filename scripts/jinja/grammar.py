"""The expressions of random templates: for each type, one production a line.

`<str>` is an expression of that type, or an entry of that pool. `«a¦b¦»` is one of the choices, which may be empty and
may hold `<...>`, but no further choices. A line that begins with `~` is taken rarely.
"""

EXPRESSIONS = {
    "any": """
        <str>
        <int>
        <num>
        <bool>
        <list>
        <dict>
        <strs>
        <dicts>
        (<str> if <bool> else <any>)
        (<any> if <bool> else <any>)
        (<any> if <bool>)
        (<any> and <any>)
        (<any> or <any>)
        <dict>.<key>
        <dict>['<key>']
        <dict>[«<str>¦1¦none¦[]¦<any>»]
        <dict>.get('<key>'«¦, <any>»)
        <list>[<int>]
        <list>.«0¦1¦2»
        (<list> | «first¦last¦min¦max¦sum¦length»)
        (<dicts> | «first¦last»)
        (<any> | default(<any>«¦, true¦, boolean=true»))
        (<any> | attr('«<key>¦upper¦__len__»'))
        (<dicts> | «min¦max»(attribute='<attribute>'))
        (<dicts> | sum(attribute='a'«¦, start=10»))
        <global>
        ~ <global>
        (<any> | «string¦tojson¦list¦pprint¦safe¦e¦int¦float¦abs¦items¦length¦reverse¦first¦count»)
        (<any> if true else 1 | nofilter)
        <dict>.__class__
        <str>.«nosuch¦__class__»
        (<any> | «select¦reject¦map»)
        ~ (<any> | «tojson | safe¦list | join¦string | list»)
    """,
    "str": """
        (<str> + <str>)
        (<str> + <str>)
        (<str> ~ <any> ~ <str>)
        (<str> * <int>)
        ('<percent>' % «<any>¦<num>¦(<str>, <int>)¦<int>¦<dict>¦(<any>,)»)
        ('<percent>' | format(«<any>¦<num>¦<str>, <int>¦a=1, b=n»))
        <str>[<int>]
        <str>[«<int>¦»:«<int>¦»]
        <str>[«<int>¦»:«<int>¦»:«-1¦2¦-2¦<int>»]
        <str>.«upper¦lower¦title¦capitalize¦swapcase¦casefold¦strip¦lstrip¦rstrip»()
        <str>.«strip¦lstrip¦rstrip¦removeprefix¦removesuffix»(«<word>¦<word>¦none»)
        <str>.replace(<word>, <word>«¦¦, <int>»)
        <str>.«split¦rsplit»(«<word>¦none¦<word>, <int>¦none, <int>¦maxsplit=1¦sep=<word>¦»)[«0¦-1¦<int>»]
        <str>.split(<word>)[-1]
        <str>.«partition¦rpartition»(<word>)[«0¦1¦2¦-1»]
        <word>.join(«<strs>¦<strs>¦<list>¦<str>¦<dict>»)
        <str>.«center¦ljust¦rjust»(«10¦5¦<int>»«¦, '*'¦, <str>»)
        <str>.«zfill(8)¦expandtabs()¦expandtabs(4)¦expandtabs(0)»
        '{<field>}'.format(«<num>¦<str>¦<any>¦<int>»«¦, a=<any>¦, <any>»)
        '{<field>:<spec>}{}'.format(«<num>¦<str>¦<any>¦<int>»«¦, a=<any>¦, <any>»)
        '{:<spec>} {{x}}'.format(«<num>¦<str>¦<any>¦<int>»)
        (<str> | «upper¦lower¦title¦capitalize¦trim¦string¦e¦escape¦forceescape¦safe¦striptags¦urlencode¦reverse»)
        (<str> | «indent¦wordwrap(7)¦urlize¦first¦last»)
        (<str> | trim(«<word>¦chars=<word>»))
        (<str> | replace(<word>, <word>«¦, <int>¦, count=1»))
        (<str> | truncate(«5¦9¦3¦255»«¦, true¦, false, '..'¦, true, ''¦, leeway=0¦, true, '#', 2»))
        (<str> | indent(«2¦0¦'> '¦width=3»«¦, true¦, true, true¦, blank=true¦, first=true»))
        (<str> | wordwrap(«3¦5¦10¦1»«¦, false¦, true, '/'¦, break_long_words=false¦, break_on_hyphens=false»))
        (<str> | center(«9¦20¦0»))
        («<list>¦<strs>¦<any>» | join(«<word>¦<word>¦»))
        (<dicts> | join(<word>, attribute='<attribute>'))
        (<any> | «string¦string¦tojson¦pprint¦e¦safe»)
        («<any>¦<list>¦<dict>¦<dicts>» | tojson(«indent=2¦indent=4¦ensure_ascii=true¦sort_keys=true¦indent=0»))
        («<any>¦<list>¦<dict>¦<dicts>» | tojson(separators=(',', ':')«¦, indent=1»))
        (<any> | tojson(«true¦indent='--'¦true, 1¦indent=2, sort_keys=true¦indent=none»))
        (<num> | filesizeformat«¦(true)»)
        (<dict> | xmlattr«¦(false)»)
        (<dict> | urlencode)
        (<str> | safe «+¦~¦%» <any>)
        (<str> + (<str> | safe))
        (<str> | safe).«upper¦strip¦title¦unescape¦striptags¦splitlines¦__html__¦split»()
        (<str> | safe).«replace('a', s)¦join([s, t])¦format(s)¦partition('<')¦ljust(9, '<')¦strip(s)¦split(s)»
        (<str> | safe)[«0¦1:¦::-1¦<int>»]
        (<str> | safe | «upper¦tojson¦replace('a', s)¦e¦length¦join(',')¦trim¦title¦indent¦capitalize¦list¦string»)
        (<str> | safe | «first¦reverse¦truncate(4)¦wordwrap(4)¦center(12)¦urlencode¦default(1)¦striptags»)
        (<str> | safe | «forceescape¦format(s)¦urlize¦last¦lower¦wordcount¦pprint»)
        (<strs> | map('safe') | join(<word>))
        ([<str>, <str> | safe] | join(<word>))
        <macro>(<any>«¦, <any>¦, n=3¦, zz=1»)
        ((<list> ~ '') | «length¦upper¦string»)
        <str>.splitlines(«true¦») | join('+')
        ~ <str>.«translate({97: 'b'})¦maketrans('a', 'b')¦format_map(d)¦nosuch()»
    """,
    "int": """
        (<int> «+¦-¦//¦%» <int>)
        (-<int>)
        («<str>¦<list>¦<dict>¦<strs>¦<any>» | «length¦count»)
        <str>.«find¦rfind¦index¦rindex¦count»(<str>«¦¦, <int>¦, <int>, <int>»)
        <list>.«index¦count»(<any>)
        (<int> | abs)
        (<str> | wordcount)
        ('«12¦ 7 ¦-3¦0x1f¦1_0¦x¦¦1.9¦٣¦010¦0b11¦+5¦0o7¦1e3»' | int(«¦9¦0, 16¦default=2, base=2¦1, 0¦3, 8»))
        («<int>¦<bool>¦<str>» | int(«¦9»))
        <loopint>
    """,
    "num": """
        («<num>¦<int>» «+¦-¦*¦/¦//¦%» «<num>¦<int>»)
        (<num> «+¦-¦*¦/¦//¦%» <num>)
        (<num> ** «2¦3¦0¦-1¦-2»)
        ((<num> | abs) ** 0.5)
        («2¦-2¦10¦-1.5¦0» ** n)
        («-¦+¦--»<num>)
        (<num> | round(«¦1¦2¦-1¦0, 'floor'¦1, 'ceil'¦method='ceil'¦0, 'x'»))
        (<str> | float(«¦1.5»))
        ('«1.5¦ 2 ¦nan¦inf¦1e3¦x¦1_0.5¦٣¦-Infinity¦1__0»' | float(«¦1.5¦default=none¦2»))
        («<num>¦<int>» | «abs¦int¦float¦string¦round | int»)
        (<list> | sum)
        (k | «sum¦max¦min¦sum(start=0.5)»)
    """,
    "bool": """
        (not <any>)
        (<bool> «and¦or» <bool>)
        (<num> «==¦!=¦<¦>¦<=¦>=» <num>)
        (<str> «==¦!=¦<¦>¦<=¦>=» <str>)
        (<any> «==¦!=» <any>)
        (<int> < <int> <= <num>)
        (<list> «<¦==¦>=» <list>)
        (<str> «in¦not in» «<str>¦<strs>¦<dict>¦<any>»)
        (<any> in <list>)
        <str>.<predicate>()
        <str>.«startswith¦endswith»(«<str>¦(<str>, 'a')¦<str>, <int>»)
        (<any> is «defined¦undefined¦none¦string¦number¦integer¦float¦boolean¦mapping¦sequence¦iterable¦callable»)
        (<any> is not «defined¦undefined¦none¦string¦number¦integer¦float¦boolean¦mapping¦sequence¦iterable»)
        (<any> is «true¦false¦escaped¦not true»)
        (<int> is «odd¦even¦divisibleby 2¦divisibleby(3)¦divisibleby(0)»)
        (<str> is «upper¦lower»)
        (<any> is «eq¦equalto¦ne¦sameas¦in»(<any>))
        (<num> is «lt¦gt¦le¦ge¦lessthan¦greaterthan»(<num>))
        ('«upper¦none¦nofilter¦divisibleby»' is «filter¦test»)
        (<any> is sameas «none¦true¦false¦s»)
        (<str> | safe is escaped)
        <bool>
    """,
    "list": """
        [<any>]
        [<any>, <any>]
        [<any>, <str>, <num>]
        (<any>, <any>)
        (<list> + <list>)
        (<list> * <int>)
        <list>[«<int>¦»:«<int>¦»«¦:-1¦:2¦:<int>»]
        («<list>¦<strs>¦k¦q» | sort(«¦reverse=true¦true¦case_sensitive=true¦reverse=true, case_sensitive=true»))
        (<dicts> | sort(attribute=«'<attribute>'¦'a,name'¦'name'»«¦, reverse=true»))
        («<list>¦<strs>» | unique(«¦true¦case_sensitive=true») | list)
        (<dicts> | unique(attribute='<attribute>') | list)
        («<list>¦<str>¦<dict>» | «list¦reverse | list¦reverse¦unique»)
        (<dicts> | map(attribute='<attribute>'«¦, default=<any>») | list)
        («<list>¦<strs>» | map('«upper¦length¦string¦tojson¦default¦trim¦int¦first¦nosuch¦list¦e¦title»') | list)
        («<list>¦<strs>» | map('«replace', 'a', 'b¦default', 'x¦join', '-¦round', 1, 'ceil¦indent', '  ¦truncate', 3, true, '»') | list)
        («<list>¦<strs>¦k» | «select¦reject»(<filtertest>) | list)
        («<list>¦<strs>» | «select¦reject» | list)
        (<dicts> | «selectattr¦rejectattr»('<attribute>'«¦, <filtertest>») | list)
        (<list> | batch(«2¦3¦1¦<int>»«¦, none¦, 0») | list)
        (<list> | slice(«2¦3¦<int>»«¦, 0») | list)
        (<dicts> | groupby('<attribute>'«¦, default=0¦, default=''¦, case_sensitive=true») | list)
        (<dict> | dictsort(«¦true¦by='value'¦false, 'value'¦reverse=true¦by='x'»))
        (<dict> | items | list)
        (<dict>.«keys¦values¦items»() | list)
        (range(<int>«¦, <int>») | list)
        <str>.«split¦rsplit»(«<str>¦none, 1¦' '¦none¦'a', 2¦»)
        <str>.splitlines(«true¦»)
        <list>.copy()
        ~ <list>.«append¦extend¦remove¦insert¦pop¦reverse¦sort»(<any>)
        (<list> | «first¦last» | list)
        (<list> | batch(2) | map('join', '+') | list)
        (<dicts> | groupby('a') | map('last') | list)
    """,
    "strs": """
        [<str>, <str>]
        [<str>]
        <str>.split()
        <str>.splitlines()
        (<strs> + <strs>)
        (<strs> | «sort¦unique | list¦map('upper') | list¦reverse | list¦select | list¦map('trim')¦sort(reverse=true)»)
        <strs>[«1:¦:-1¦::-1¦::2»]
        (<dicts> | map(attribute='«name¦role»') | list)
        (<str> | list)
    """,
    "dict": """
        {'<key>': <any>}
        {'<key>': <any>, '<key>': <str>, <str>: <num>}
        {«<int>¦<any>¦<str>¦<num>»: <any>}
        dict(«<dict>¦a=<any>¦<dict>, a=<any>¦b=1, c=<str>»)
        (<dicts> | «first¦last»)
        <dicts>[«0¦-1»]
        <dict>.copy()
        ~ <dict>.«update¦pop¦setdefault»(<any>)
        ~ <dict>.«clear¦popitem»()
        d
    """,
    "dicts": """
        [<dict>]
        [<dict>, <dict>]
        (<dicts> | selectattr('<attribute>') | list)
        (<dicts> | selectattr('role', 'equalto', 'user') | list)
        <dicts>[«1:¦:-1¦::-1»]
        (<dicts> | rejectattr('name', 'in', q) | list)
        (<dicts> + <dicts>)
        messages
        r
    """,
}

LITERALS = {
    "int": "0|1|2|3|4|5|6|-1|-2|-3",
    "num": "0.5|-1.5|1e16|1.0|2.5|1e-05|12345678901234567890|100|0|-0.0|1_000.5|1e22|3|0x1F|2|-7|0.1|1e300|5e-324|123456789.125",
    "bool": "true|false|True|b",
    "list": "[]|[1, 2.5, 'a', none]|[3, 1, 2]|['b', 'A', 'a']|(1, 2)|['x', ['y', 'z']]|[[1, 'a'], [0, 'b']]|[true, 1, 1.0]|()|('a',)",
    "dict": "{}|{'a': 1, 'b': 'x'}|{1: 2, 'k': none}|{'b': 2, 'a': 1, 'C': 3}|{(1, 2): 3, none: 4, true: 5, 1.5: 6}|{'a': {'b': [1]}}",
    "strs": "['b', 'a', 'B']|['x']|'a b c'.split()|[s, t]|[' a', 'b ']|['é', 'e', 'É', 'E']|['10', '9', '']",
    "dicts": "[{'a': 1}, {'a': 2, 'name': 'x'}]|messages|r|[d, e]|[{'a': {'b': 1}}]|[]",
    "any": "none|u|z|undefined_name|n|s|None|v",
}

POOLS = {
    "key": "name role content a b c x items keys get 0 __proto__ constructor é 😀 A B tool_calls type text".split(),
    "attribute": "a name b x a.b content role 0 content.0.text".split(),
    "word": ["<str>", "<str>", "' '", "'a'", "'\\n'", "''", "'l'", "', '", "'ab'", "'</think>'", "s"],
    "predicate": (
        "isalpha isalnum isdigit isdecimal isnumeric isspace isupper islower istitle isidentifier isascii isprintable".split()
    ),
    "percent": (
        "%s|%r|%a|%d|%i|%5d|%-5d.|%05d|%+d|% d|%x|%X|%#x|%o|%e|%E|%g|%G|%f|%.2f|%8.3f|%.0f|%10s.|%-10s.|%.2s|%c|%%|%5%|%(a)s"
        "|%(b)5d|%*d|%.*f|%u|%s %s|%z|%|%s %d|%#o|%.10g|%(a)r|%ld|%(a)|100%"
    ).split("|"),
    "field": " 0 a 0!r 0!s 0!a 0[a] 0.a 1 a[0] !r 0[0] a.b x".split(" "),
    "spec": (
        "> < ^ 10 >10 <10 ^10 *^9 05 +05d d 5d x X #x b #b o c e .2e f .3f g .3g % .1% n , _ ,d _d ,.2f s .2s 10s s>5 = =+8 05.1f "
        "+.2f #.3g z é>4 E G F #X #o {}"
    ).split(" ")
    + ["", " ", " d"],
    "filtertest": [
        *[
            "'defined'",
            "'string'",
            "'none'",
            "'number'",
            "'odd'",
            "'equalto', <any>",
            "'in', <list>",
            "'gt', 1",
            "'nosuch'",
        ],
        *[
            "'mapping'",
            "'divisibleby', 2",
            "'true'",
            "'ne', 'a'",
            "'upper'",
            "'sequence'",
            "'boolean'",
            "'undefined'",
            "'=='",
        ],
    ],
    "global": [
        *[
            "cycler('a', 'b', 1).next()",
            "cycler(1, 2).current",
            "joiner('|')()",
            "joiner()",
            "namespace(a=1).a",
            "namespace()",
        ],
        *[
            "range(5)",
            "range(1, n)",
            "range(5, n, -1)",
            "d.keys()",
            "d.values()",
            "d.items()",
            "dict(d, z=1)",
            "dict([('a', 1)])",
        ],
        *[
            "strftime_now('%Y-%m-%d %H:%M:%S %j %a %B %y')",
            "strftime_now('%d %b %I %p %A %-d %% %e')",
            "(1, 2, 3)[::-1]",
            "none",
        ],
        *["range(10)[2:8:3]", "dict.fromkeys('ab', 1)", "range(0)[0]", "'a' 'b'"],
        *[
            "range(3) | list",
            "range(n) | sum",
            "(s | list) == (s | list | reverse | list | reverse | list)",
            "namespace(d)",
            "cycler()",
        ],
        *[
            "namespace(_a=1)",
            "range(1, 2, 0)",
            "loop",
            "caller",
            "self",
            "varargs",
            "kwargs",
            "namespace(items=1).items",
        ],
        *[
            "dict(a=1).a",
            "dict(items=1).items",
            "{'items': 1}.items",
            "{'items': 1}['items']",
            "messages[0].content",
            "[[]][0]",
        ],
        *[
            "messages | map(attribute='role') | join(', ')",
            "messages | last",
            "messages[-1]['content']",
            "messages[::-1]",
        ],
    ],
}
