// Where the text comes from that filters, methods, operators and formatting make. That it is the right text is shown by
// the golden files.
import { describe, expect, it } from 'vitest'
import { shown } from './shown.js'

const context = {
  ...{ d: 'ab cd', e: '', n: 7, f: 2.5, t: true, no: null, l: ['x', 'y'], o: { k: 'v', n: 1 } },
  ...{ u: 'ǆß', html: '<b>', m: 'a\nb', num: '42', sep: ',', s: '  ' },
}

function table(cases: readonly (readonly [string, string])[]): void {
  it.each(cases)('%s', (source, expected) => {
    expect(shown(source, context)).toBe(expected)
  })
}

describe('operators', () => {
  table([
    ["{{ '<|' + d + '|>' }}", '<|[d:ab cd]|>'],
    ["{{ '<|' ~ n ~ f ~ t ~ no ~ '|>' }}", '<|[n:7][f:2.5][t:True][no:None]|>'],
    ["{{ d * 2 }}{{ '<' * 2 }}", '[d:ab cdab cd]<<'],
    ["{{ '%s|%d|%5.1f' % (d, n, f) }}", '[d:ab cd]|[n:7]|  [f:2.5]'],
    ["{{ '%(k)s%%' % o }}{{ d % () }}", '[o.k:v]%[d:ab cd]'],
    ['{{ d[1:3] }}|{{ d[::-1] }}|{{ d[0] }}|{{ d[9:] }}|', '[d:b ]|[d:dc ba]|[d:a]|[d:]|'],
    ["{{ (d ~ '|>')[3:] }}", '[d:cd]|>'],
    ['{{ n }}{{ 1 + 1 }}{{ n + 1 }}{{ 2 * 3 }}{{ -n }}', '[n:7]2[n:8]6[n:-7]'],
    ["{{ 'x' in d }},{{ d == 'x' }},{{ n > 3 }},{{ 1 > 0 }}", '[d:False],[d:False],[n:True],True'],
    ["{{ d == '' }}{{ d is string }}{{ not t }}", 'FalseTrueFalse'],
    ["{{ ['<', d][1] }}{{ ('<', d)[0] }}{{ {'a': d}.a }}", '[d:ab cd]<[d:ab cd]'],
  ])
})

describe('empty data is a barrier', () => {
  table([
    ["{{ '<|' + e + '|>' }}", '<|[e:]|>'],
    ["{{ '<|' ~ e|trim ~ '|>' }}", '<|[e:]|>'],
    ["{{ '<|' ~ s|trim ~ '|>' }}", '<|[s:]|>'],
    ["{{ ('<|' ~ s)|trim ~ '|>' }}", '<|[s:]|>'],
    ["{{ '<|' ~ d[9:] ~ '|>' }}", '<|[d:]|>'],
    ["{{ '<|' ~ d|replace(d, '') ~ '|>' }}", '<|[d:]|>'],
    ["{{ ('<|' ~ d ~ '|>')|replace(d, '') }}", '<|[d:]|>'],
    ["{{ ('<|' ~ d ~ '|>').split(d)|join }}", '<|[d:]|>'],
    ["{{ ('<|' ~ d ~ '|>')[:2] ~ '|>' }}", '<|[d:]|>'],
    ["{{ ('<|' ~ d ~ '|>').partition(d)[0] ~ '|>' }}", '<|[d:]|>'],
    ["{{ ('<|' ~ html ~ '|>')|replace('|', '')|striptags }}", '[html:]>'],
    ["{{ '<|' ~ 'a'.join([e]) ~ '|>' }}", '<|[e:]|>'],
    ["{{ '<|' ~ '%s' % e ~ '|>' }}", '<|[e:]|>'],
    ["{{ '<|' ~ '{}'.format(e) ~ '|>' }}", '<|[e:]|>'],
    ["{% set x %}{{ e }}{% endset %}{{ '<|' ~ x ~ '|>' }}", '<|[e:]|>'],
    ['<|{{ e }}|>', '<|[e:]|>'],
    ["{{ '<|' ~ zz ~ '|>' }}", '<||>'],
  ])
})

describe('methods of str', () => {
  table([
    ['{{ d.split() }}', "[d:['ab', 'cd']]"],
    ["{{ d.split(' ')[-1] ~ '<' }}", '[d:cd]<'],
    ["{{ ('x' ~ d).partition(' ')|join('/') }}", 'x[d:ab]/[d: ]/[d:cd]'],
    ["{{ '<|'.join(l) }}", '[l[0]:x]<|[l[1]:y]'],
    ["{{ d.strip('a') }}{{ d.removeprefix('a') }}", '[d:b cdb cd]'],
    ['{{ d.rjust(7, sep) }}{{ d.zfill(8) }}', '[sep:,,][d:ab cd]000[d:ab cd]'],
    ["{{ '{0}|{1:>4}|{2!r}'.format(d, n, d) }}", "[d:ab cd]|   [n:7]|[d:'ab cd']"],
    ["{{ (d ~ '{}').format('<|') }}{{ '{k}'.format_map(o) }}", '[d:ab cd]<|[o.k:v]'],
    ["{{ d.translate({97: '<|', 98: none}) }}{{ d.translate({97: 60}) }}", '<|[d: cd<b cd]'],
    ["{{ ('x\t' ~ d).expandtabs(4) }}", 'x   [d:ab cd]'],
    ['{{ d.encode() }}{{ d.encode().decode() }}', "[d:b'ab cd'ab cd]"],
    ['{{ (d|safe).upper }}', "<bound method Markup.upper of [d:Markup('ab cd')]>"],
    ['{{ d.find("c") }}{{ d.count("a") }}', '[d:31]'],
  ])
})

describe('filters on text', () => {
  table([
    ["{{ l|join('<|') }}{{ l|join(sep) }}", '[l[0]:x]<|[l[1]:y][l[0]:x][sep:,][l[1]:y]'],
    ["{{ d|replace('b', '<|') }}", '[d:a]<|[d: cd]'],
    ["{{ '<|a|>'|replace('a', d) }}", '<|[d:ab cd]|>'],
    ["{{ d|upper }}{{ u|upper }}{{ ('ß' ~ u)|title }}", '[d:AB CD][u:ǄSS]SS[u:ǆß]'],
    ["{{ (' ' ~ d ~ ' ')|trim }}", '[d:ab cd]'],
    ['{{ m|indent(2, true) }}', '  [m:a\n]  [m:b]'],
    ['{{ d|center(9) }}', '  [d:ab cd]  '],
    ["{{ d|truncate(4, true, '..', 0) }}", '[d:ab]..'],
    ['{{ d|wordwrap(3) }}', '[d:ab]\n[d:cd]'],
    ['{{ d|pprint }}{{ n|filesizeformat }}', "[d:'ab cd'][n:7 Bytes]"],
    ["{{ html|e }}{{ (html|safe) + '<' }}", '[html:&lt;b&gt;<b>]&lt;'],
    ["{{ ('<'|safe) + html }}", '<[html:&lt;b&gt;]'],
    ["{{ d|urlencode }}{{ {'a': d}|urlencode }}", '[d:ab%20cd]a=[d:ab+cd]'],
    ["{{ {'a': d, 'b': 1}|xmlattr }}", ' a="[d:ab cd]" b="1"'],
    [
      "{{ (d ~ ' http://a.org')|urlize }}",
      '[d:ab cd] <a href="http://a.org" rel="noopener">http://a.org</a>',
    ],
    ["{{ d|default('<|') }}{{ zz|default(d) }}{{ e or 'x' }}", '[d:ab cdab cd]x'],
  ])
})

describe('tojson and repr', () => {
  table([
    ['{{ d|tojson }}{{ e|tojson }}', '[d:"ab cd"][e:""]'],
    ['{{ o|tojson }}', '[o:{][o{k}:"k"][o:: ][o.k:"v"][o:, ][o{n}:"n"][o:: ][o.n:1][o:}]'],
    ["{{ {'k': d, 'n': n}|tojson }}", '{"k": [d:"ab cd"], "n": [n:7]}'],
    ['{{ [d, 1]|tojson(indent=1) }}', '[\n [d:"ab cd"],\n 1\n]'],
    [
      "{{ [1]|tojson(indent=sep) }}{{ l|tojson(separators=('<', ':')) }}",
      '[\n[sep:,]1\n][l:[][l[0]:"x"][l:<][l[1]:"y"][l:]]',
    ],
    ['{{ o|string }}', "[o:{][o{k}:'k'][o:: ][o.k:'v'][o:, ][o{n}:'n'][o:: ][o.n:1][o:}]"],
    ["{{ [d, 'x'] }}{{ (d,) }}{{ {'a': d} }}", "[[d:'ab cd'], 'x']([d:'ab cd'],){'a': [d:'ab cd']}"],
    ['{{ dict(a=d) }}', "{'a': [d:'ab cd']}"],
    ['{{ o.values()|list }}', "[o:[][o.k:'v'][o:, ][o.n:1][o:]]"],
  ])
})

describe('filters on numbers and sequences', () => {
  table([
    ['{{ d|length }}{{ l|length }}', '[d:5]2'],
    [
      "{{ num|int + 1 }},{{ num|float }},{{ 'x'|int }},{{ n|abs }},{{ f|round }}",
      '[num:43],[num:42.0],0,[n:7],[f:2.0]',
    ],
    ['{{ l|first }}{{ l|last }}{{ d|first }}{{ d|last }}', '[l[0]:x][l[1]:y][d:ad]'],
    ['{{ d|reverse }}{{ d|list }}', "[d:dc ba['a', 'b', ' ', 'c', 'd']]"],
    ["{{ l|map('upper')|join }}{{ l|sort(reverse=true)|join }}", '[l[0]:X][l[1]:Yy][l[0]:x]'],
    ["{{ [o]|map(attribute='k')|join('-') }}", '[o.k:v]'],
    [
      "{{ l|select('equalto', 'x')|join }}{{ [o]|selectattr('k')|map(attribute='n')|first }}",
      '[l[0]:x][o.n:1]',
    ],
    ['{{ range(n) }}{{ range(2)|list }}', '[n:range(0, 7)][0, 1]'],
    ['{{ o|dictsort|first|first }}{{ o|items|map("first")|join }}', '[o{k}:kk][o{n}:n]'],
  ])
})
