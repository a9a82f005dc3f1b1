import { ofContent, union } from './dependence.js'
import { characterOf } from './format-spec.js'
import { hashKey } from './operators.js'
import { type OriginText, TextBuilder } from './origin-text.js'
import { typeError, valueError } from './python-error.js'
import type { Rendering } from './rendering.js'
import { Dict, type Entry, type HashKey, int, NONE, originOf, Str, type Value } from './value.js'

/** `str.maketrans` and `str.translate`. */

export function characterTable(
  _rendering: Rendering,
  _self: Str,
  args: readonly (Value | undefined)[],
): Dict {
  const [x, y, z] = args
  const entries = new Map<HashKey, Entry>()
  const add = (code: number | bigint, value: Value): void => {
    entries.set(hashKey(int(code)), { key: int(code), value })
  }
  if (y === undefined) {
    if (x?.kind !== 'dict') throw typeError('if you give only one argument to maketrans it must be a dict')
    for (const { key, value } of x.entries.values()) {
      if (key.kind === 'str') {
        if (key.text.length !== 1) throw valueError('string keys in translate table must be of length 1')
        add(key.text.text.codePointAt(0) ?? 0, value)
      } else if (key.kind === 'int') {
        add(key.value, value)
      } else {
        throw typeError('keys in translate table must be strings or integers')
      }
    }
    return new Dict(entries)
  }
  if (x?.kind !== 'str' || y.kind !== 'str') throw typeError('maketrans() arguments must be str')
  if (x.text.length !== y.text.length) {
    throw valueError('the first two maketrans arguments must have equal length')
  }
  const targets = y.text.characters()
  x.text.characters().forEach((character, i) => {
    const target = targets[i] as OriginText
    add(character.text.codePointAt(0) ?? 0, int(target.text.codePointAt(0) ?? 0, target.firstOrigin))
  })
  if (z !== undefined) {
    if (z.kind !== 'str') throw typeError('maketrans() argument 3 must be str')
    for (const character of z.text.text) add(character.codePointAt(0) ?? 0, NONE)
  }
  return new Dict(entries)
}

/** A character that the table gives a number for becomes data where either of them is. */
export function translate(rendering: Rendering, self: Str, [table]: readonly (Value | undefined)[]): Str {
  if (table?.kind !== 'dict') throw typeError('translate() argument must be a dict')
  rendering.rewrite(self.text)
  rendering.meter.step(self.text.text.length)
  const builder = new TextBuilder()
  let replaced = 0
  for (const character of self.text.characters()) {
    const target = table.entries.get(character.text.codePointAt(0) ?? 0)?.value
    if (target === undefined) {
      builder.appendText(character)
      continue
    }
    replaced++
    if (target.kind === 'str') builder.appendText(target.text)
    else if (target.kind === 'int') {
      const code = characterOf(target.value, 'character mapping must be in range(0x110000)')
      builder.append(code, originOf(target) ?? character.firstOrigin)
    } else if (target.kind === 'none') {
      rendering.cut(character)
      builder.appendGap(character)
    } else throw typeError('character mapping must return integer, None or str')
    rendering.meter.fits(builder.length)
  }
  const depends = ofContent(self)
  rendering.split(depends, replaced)
  return new Str(builder.build(), union(self.depends, depends), self.markup)
}
