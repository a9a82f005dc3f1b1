import { Printed, type Tree } from '../python-json.js'
import { OriginText } from '../template/origin-text.js'
import { quoted } from '../template/python-text.js'

/** Words that are no names of arguments. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A block of Python in Markdown. */
export function pythonFence(code: string): string {
  return `\`\`\`python\n${code}\n\`\`\``
}

/**
 * A call in Python with literal arguments, as `ast.unparse` writes it. Names that are no identifiers stand in `**{…}`.
 *
 * Source of behaviour: `format_function_call` in the fine-tuning scripts of THUDM/ChatGLM3@b0b4e8ac.
 *
 * @example pythonCallText('tool_call', tree)  // tool_call(city='Paris', days=[1, 2])
 */
export function pythonCallText(name: string, tree: Tree | undefined): string {
  const members = tree instanceof Map ? [...tree] : []
  const words = members.filter(([key]) => isName(key))
  const others = members.filter(([key]) => !isName(key))
  const keywords = words.map(([key, value]) => `${key}=${pythonRepr(value)}`)
  if (others.length > 0) keywords.push(`**${pythonRepr(new Map(others))}`)
  return `${name}(${keywords.join(', ')})`
}

function isName(key: string): boolean {
  return IDENTIFIER.test(key) && !KEYWORDS.has(key)
}

/** `repr(str)`. Only the text is wanted: it goes into the prompt as data. */
const pythonStringRepr = (text: string): string => quoted(OriginText.trusted(text)).text

/** `repr` of a value that JSON can say. */
function pythonRepr(tree: Tree): string {
  if (typeof tree === 'string') return pythonStringRepr(tree)
  if (tree instanceof Printed) return PYTHON_WORDS[tree.text] ?? tree.text
  if (Array.isArray(tree)) return `[${tree.map(pythonRepr).join(', ')}]`
  return `{${[...tree].map(([key, value]) => `${pythonStringRepr(key)}: ${pythonRepr(value)}`).join(', ')}}`
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' }
