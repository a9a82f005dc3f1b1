import { BYTES_METHODS } from './bytes-methods.js'
import {
  DICT_METHODS,
  LIST_METHODS,
  RANGE_METHODS,
  TUPLE_METHODS,
  UNSAFE_DICT_METHODS,
  UNSAFE_LIST_METHODS,
  VIEW_METHODS,
} from './container-methods.js'
import { ofContent, union } from './dependence.js'
import { dependent, itemAt, lookUp } from './look-up.js'
import { MARKUP_METHODS } from './markup-methods.js'
import { callMethod, type Method, type Methods } from './methods.js'
import { FLOAT_METHODS, INT_METHODS, numberAttribute } from './number-methods.js'
import { undefinedError } from './operators.js'
import { typeError } from './python-error.js'
import type { Rendering } from './rendering.js'
import { formatString } from './string-format.js'
import { STR_METHODS } from './string-methods.js'
import {
  Callable,
  type CallFunction,
  type Dict,
  Int,
  int,
  Str,
  trustedStr,
  typeName,
  Undefined,
  type Value,
} from './value.js'

/**
 * Attributes and items as Jinja2's immutable sandbox gives them: what starts with an underscore and whatever
 * changes a list or dict exists, but is undefined, and an error where it is used.
 *
 * @see Jinja2 3.1.6 `sandbox.py`
 */

/** Attributes that every Python object has, and those of a dict: they hide items of the same name. */
const DUNDERS = new Set(
  (
    '__class__ __delattr__ __dir__ __doc__ __eq__ __format__ __ge__ __getattribute__ __getstate__ __gt__ ' +
    '__hash__ __init__ __init_subclass__ __le__ __lt__ __ne__ __new__ __reduce__ __reduce_ex__ __repr__ ' +
    '__setattr__ __sizeof__ __str__ __subclasshook__'
  ).split(' '),
)
const DICT_DUNDERS = new Set(
  (
    '__class_getitem__ __contains__ __delitem__ __getitem__ __ior__ __iter__ __len__ __or__ __reversed__ ' +
    '__ror__ __setitem__'
  ).split(' '),
)

/** What else jinja2.Undefined has. */
const UNDEFINED_DUNDERS = new Set(
  (
    '__add__ __aiter__ __bool__ __call__ __complex__ __div__ __float__ __floordiv__ __getattr__ __getitem__ ' +
    '__int__ __iter__ __len__ __mod__ __module__ __mul__ __neg__ __pos__ __pow__ __radd__ __rdiv__ ' +
    '__rfloordiv__ __rmod__ __rmul__ __rpow__ __rsub__ __rtruediv__ __slots__ __sub__ __truediv__ ' +
    '_fail_with_undefined_error _undefined_exception _undefined_hint _undefined_message _undefined_name ' +
    '_undefined_obj'
  ).split(' '),
)

function isUndefinedAttribute(name: string): boolean {
  return DUNDERS.has(name) || UNDEFINED_DUNDERS.has(name)
}

/** Whether a dict has an attribute of this name, which wins over an item. */
export function isDictAttribute(name: string): boolean {
  return (
    DICT_METHODS.has(name) || UNSAFE_DICT_METHODS.has(name) || DUNDERS.has(name) || DICT_DUNDERS.has(name)
  )
}

/** `value.name`: the attribute, else the item, else undefined. */
export function getAttribute(rendering: Rendering, value: Value, name: string): Value {
  if (value.kind === 'undefined' && !isUndefinedAttribute(name)) undefinedError(value)
  const attribute = pythonAttribute(rendering, value, name)
  if (attribute !== undefined) return attribute
  return subscript(rendering, value, trustedStr(name)) ?? missing(value, trustedStr(name))
}

/** `value|attr(name)`: the attribute alone. */
export function getAttributeOnly(rendering: Rendering, value: Value, name: Str): Value {
  const isDunder = /^__.*__$/s.test(name.text.text)
  if (value.kind === 'undefined' && !isDunder && !isUndefinedAttribute(name.text.text)) undefinedError(value)
  return pythonAttribute(rendering, value, name.text.text) ?? missing(value, name)
}

/** `value[key]`: the item, else the attribute, else undefined. */
export function getItem(rendering: Rendering, value: Value, key: Value): Value {
  const item = subscript(rendering, value, key)
  if (item !== undefined) return item
  if (key.kind === 'str') {
    const attribute = pythonAttribute(rendering, value, key.text.text)
    if (attribute !== undefined) return dependent(attribute, ofContent(key))
  }
  return missing(value, key)
}

/** The entry of a dict under a name, or undefined; for names that are no attributes of dicts. */
export function getEntry(dict: Dict, name: string): Value {
  const entry = dict.entries.get(name)
  if (entry === undefined) return new Undefined(() => noAttribute(dict, name), dict.depends)
  return dict.depends === null ? entry.value : dependent(entry.value, dict.depends)
}

function missing(value: Value, key: Value): Undefined {
  const name = (): string =>
    key.kind === 'str'
      ? noAttribute(value, key.text.text)
      : `${objectTypeRepr(value)} has no element ${key.kind === 'int' ? key.value : `of type ${typeName(key)}`}`
  return new Undefined(name, union(value.depends, ofContent(key)))
}

function noAttribute(value: Value, name: string): string {
  return `'${objectTypeRepr(value)}' has no attribute '${name}'`
}

const MODULES: Readonly<Record<string, string>> = {
  Markup: 'markupsafe.',
  Macro: 'jinja2.runtime.',
  Namespace: 'jinja2.utils.',
}

function objectTypeRepr(value: Value): string {
  if (value.kind === 'none') return 'None'
  if (value.kind === 'instance') return `${value.className} object`
  const name = typeName(value)
  return `${MODULES[name] ?? ''}${name} object`
}

/** Python's `value[key]`; undefined where that raises TypeError or LookupError. */
function subscript(rendering: Rendering, value: Value, key: Value): Value | undefined {
  switch (value.kind) {
    case 'dict': {
      if (key.kind === 'list' || key.kind === 'dict') return undefined
      let found = true
      const item = lookUp(rendering, value, key, () => {
        found = false
        return missing(value, key)
      })
      return found ? item : undefined
    }
    case 'list':
    case 'tuple':
      if (key.kind !== 'int' && key.kind !== 'bool') return undefined
      return itemAt(rendering, value, key, Number(key.value))
    case 'str': {
      if (key.kind !== 'int' && key.kind !== 'bool') return undefined
      const { text } = value
      rendering.seek(text)
      const index = Number(key.value)
      const at = index < 0 ? index + text.length : index
      if (!(at >= 0 && at < text.length)) return undefined
      const start = text.offsetOf(at)
      const end = start + (text.isFlat ? 1 : text.offsetOf(at + 1) - start)
      rendering.cut(text.slice(0, start))
      rendering.cut(text.slice(end, text.text.length))
      return new Str(text.slice(start, end), union(ofContent(value), ofContent(key)), value.markup)
    }
    case 'bytes': {
      if (key.kind !== 'int' && key.kind !== 'bool') return undefined
      const byte = value.data.at(Number(key.value))
      return byte === undefined ? undefined : int(byte, value.origin, union(ofContent(value), ofContent(key)))
    }
    case 'range': {
      if (key.kind !== 'int' && key.kind !== 'bool') return undefined
      const index = Number(key.value)
      const at = index < 0 ? index + value.length : index
      return at >= 0 && at < value.length ? dependent(value.at(at), ofContent(key)) : undefined
    }
    case 'undefined':
      return undefinedError(value)
    default:
      return undefined
  }
}

/** Python's `getattr(value, name)`, in the sandbox; undefined where there is no such attribute. */
function pythonAttribute(rendering: Rendering, value: Value, name: string): Value | undefined {
  if (name.startsWith('_')) {
    const exists =
      DUNDERS.has(name) ||
      (value.kind === 'dict' && DICT_DUNDERS.has(name)) ||
      (value.kind === 'undefined' && UNDEFINED_DUNDERS.has(name))
    if (exists) return unsafe(value, name)
    if (value.kind !== 'namespace') return undefined
    return value.attributes.has(name) ? unsafe(value, name) : undefined
  }
  switch (value.kind) {
    case 'str':
      return stringAttribute(value, name)
    case 'bytes':
      return bound(BYTES_METHODS, value, name)
    case 'list':
      return UNSAFE_LIST_METHODS.has(name) ? unsafe(value, name) : bound(LIST_METHODS, value, name)
    case 'tuple': {
      const index = value.names?.indexOf(name) ?? -1
      return index < 0 ? bound(TUPLE_METHODS, value, name) : value.items[index]
    }
    case 'dict':
      return UNSAFE_DICT_METHODS.has(name) ? unsafe(value, name) : bound(DICT_METHODS, value, name)
    case 'int':
      return bound(INT_METHODS, value, name) ?? numberAttribute(value, name)
    case 'bool': {
      const number = new Int(Number(value.value), value.origin, value.depends)
      return bound(INT_METHODS, number, name) ?? numberAttribute(number, name)
    }
    case 'float':
      return bound(FLOAT_METHODS, value, name) ?? numberAttribute(value, name)
    case 'view':
      return bound(VIEW_METHODS, value, name)
    case 'range':
      if (name === 'start' || name === 'stop' || name === 'step') {
        return int(value[name], value.depends?.[0] ?? null, value.depends)
      }
      return bound(RANGE_METHODS, value, name)
    case 'namespace':
      return value.attributes.get(name)?.value
    case 'callable':
      return value.attributes.get(name)
    case 'instance':
      return value.attribute(name, rendering)
    default:
      return undefined
  }
}

function unsafe(value: Value, name: string): Undefined {
  return new Undefined(
    () => `access to attribute '${name}' of '${typeName(value)}' object is unsafe.`,
    null,
    'SecurityError',
  )
}

function bound<Self extends Value>(methods: Methods<Self>, self: Self, name: string): Value | undefined {
  const method = methods.get(name)
  return (
    method &&
    boundMethod(self, name, (rendering, args, kwargs) => callMethod(rendering, method, self, args, kwargs))
  )
}

function boundMethod(self: Value, name: string, call: CallFunction): Callable {
  if (self.kind === 'str' && self.markup && !INHERITED_METHODS.has(name)) {
    return new Callable('method', `<bound method Markup.${name}`, call, undefined, self)
  }
  return new Callable(
    'builtin_function_or_method',
    `<built-in method ${name} of ${typeName(self)} object>`,
    call,
    undefined,
    self,
  )
}

/** What Markup has from str as it is. */
const INHERITED_METHODS = new Set(
  (
    'count encode endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier islower ' +
    'isnumeric isprintable isspace istitle isupper maketrans rfind rindex startswith'
  ).split(' '),
)

function stringAttribute(value: Str, name: string): Value | undefined {
  const format =
    name === 'format' ? formatCall(value) : name === 'format_map' ? formatMapCall(value) : undefined
  if (format !== undefined) return new Callable('function', `<function str.${name}>`, format)
  return (value.markup ? bound(MARKUP_METHODS, value, name) : undefined) ?? bound(STR_METHODS, value, name)
}

/** The method of a str that a call needs, without a bound method in between. */
export function stringMethod(name: string): Method<Str> | undefined {
  return STR_METHODS.get(name)
}

export function dictMethod(name: string): Method<Dict> | undefined {
  return DICT_METHODS.get(name)
}

const LOOKUP = { attribute: getAttribute, item: getItem }

function formatCall(template: Str): CallFunction {
  return (rendering, args, kwargs) => formatString(rendering, template, { args, kwargs }, LOOKUP)
}

function formatMapCall(template: Str): CallFunction {
  return (rendering, args, kwargs) => {
    const [mapping] = args
    if ((kwargs?.size ?? 0) > 0) throw typeError('format_map() takes no keyword arguments')
    if (args.length !== 1) {
      throw typeError(`format_map() takes exactly one argument (${args.length} given)`)
    }
    if (mapping?.kind !== 'dict')
      throw typeError(`'${typeName(mapping as Value)}' object is not subscriptable`)
    return formatString(rendering, template, { args: [], kwargs: new Map(mapping.entries) }, LOOKUP)
  }
}
