import path from 'node:path'

/** What the bundler has for chunks, which does nothing by itself. */
const HELPERS = /^\.\/(lib\/)?rolldown-runtime\.cjs$/

/**
 * A plugin for CommonJS output: a chunk loads another, or a package, when it first uses something of it, and so does an
 * entry for the functions that it exports. Most programs use a small part of the library, and reading all of it would
 * take longer than loading a model. Each file stands in a literal `require`, so that bundlers find it.
 *
 * What a chunk exports is assigned where it never changes, as a getter for each takes longer to read and to make. Strings
 * are written in ASCII, as V8 reads that faster.
 *
 * @param {RegExp} lazy what may wait, as it is named in `require`
 */
export function lazyChunks(lazy) {
  return {
    name: 'lazy-chunks',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle)
        .filter(({ type, fileName }) => type === 'chunk' && fileName.endsWith('.cjs'))
        .map((chunk) => ({ chunk, body: this.parse(chunk.code).body }))
      const functions = new Map(chunks.map(({ chunk, body }) => [chunk.fileName, exportedFunctions(body)]))
      for (const { chunk, body } of chunks) chunk.code = withLazyRequires(body, chunk, lazy, functions)
      const helpers = chunks.find(({ chunk }) => HELPERS.test(`./${chunk.fileName}`))?.chunk.fileName
      const isUsed = chunks.some(({ chunk }) => chunk.code.includes(path.basename(helpers ?? '')))
      if (helpers !== undefined && !isUsed) delete bundle[helpers]
    },
  }
}

/** `const a = require('b')` becomes a function that requires it once, and each use of `a` a call of that. */
function withLazyRequires(body, { code, fileName }, lazy, functions) {
  const required = new Map()
  for (const statement of body) {
    const { id, init } = statement.type === 'VariableDeclaration' ? statement.declarations[0] : {}
    const isRequire = init?.type === 'CallExpression' && init.callee.name === 'require'
    if (isRequire) required.set(id.name, { statement, id, init })
  }
  const edits = []
  // What CommonJS has for its default export is the module itself, as Node has it.
  const defaults = new Map()
  for (const statement of body) {
    const { expression } = statement
    if (isDefaultImport(expression)) {
      defaults.set(expression.left.name, statement)
      edits.push([statement.start, statement.end, ''])
    } else if (expression?.type === 'AssignmentExpression') required.delete(expression.left.name)
  }
  const others = body.filter((statement) => defaults.get(statement.expression?.left?.name) !== statement)
  const used = new Set()
  visit(others, undefined, (node) => {
    if (node.type === 'Identifier' && required.get(node.name)?.id !== node) used.add(node.name)
  })
  for (const [name, { statement, init }] of required) {
    if (!lazy.test(init.arguments[0].value)) continue
    if (!used.has(name)) {
      edits.push([statement.start, statement.end, ''])
      continue
    }
    const [call, load] = [code.slice(init.start, init.end), loader(name)]
    if (code.includes(load)) throw new Error(`${fileName} has a name ${load} already`)
    edits.push([statement.start, statement.end, `let ${load}_;\nconst ${load} = () => ${load}_ ??= ${call};`])
  }
  visit(others, undefined, (node, parent) => {
    if (node.type !== 'Identifier' || !required.has(node.name) || required.get(node.name).id === node) return
    const isLazy = lazy.test(required.get(node.name).init.arguments[0].value)
    if (parent.type === 'MemberExpression' && parent.object === node) {
      const isDefault = defaults.has(node.name) && parent.property.name === 'default'
      // With brackets, since `new a().B()` would construct `a`.
      const text = isLazy ? `(${loader(node.name)}())` : node.name
      edits.push([node.start, isDefault ? parent.end : node.end, text])
    }
    // A name of a property is another's.
    else if (isLazy && (parent.type !== 'MemberExpression' || parent.computed)) {
      throw new Error(`${fileName}: ${node.name} is used as a value, so it cannot be loaded later`)
    }
  })
  const again = body.map(({ expression }) => exportedAgain(expression)).filter((each) => each !== undefined)
  const isFunction = ({ from, imported }) =>
    functions.get(required.get(from)?.init.arguments[0].value.replace(/^\.\//, ''))?.has(imported)
  // A chunk that is loaded at once, for a class or a table, gives its functions as they are.
  const loaded = new Set(again.filter((each) => !isFunction(each)).map(({ from }) => from))
  for (const { name, start, end } of again.filter((each) => !loaded.has(each.from))) {
    edits.push([end, end, '.apply(this, arguments);\n}'], [start, start, `function ${name}() {\n\treturn `])
  }
  const helpers = body.filter(({ expression }) => isRequireOf(expression, HELPERS))
  edits.push(...helpers.map(({ start, end }) => [start, end, '']))
  edits.push(...plainExports(body), ...inAscii(body, code))
  edits.sort(([a], [b]) => b - a)
  return edits.reduce((text, [start, end, by]) => text.slice(0, start) + by + text.slice(end), code)
}

function isRequireOf(expression, file) {
  return (
    expression?.type === 'CallExpression' &&
    expression.callee.name === 'require' &&
    file.test(expression.arguments[0].value)
  )
}

/** Getters of `exports` become values, for names that are given one value where they are declared. */
function plainExports(body) {
  const changing = new Set()
  visit(body, undefined, ({ type, left, argument }) => {
    if (type === 'AssignmentExpression') visit(left, undefined, ({ name }) => changing.add(name))
    if (type === 'UpdateExpression') changing.add(argument.name)
  })
  return body.flatMap((statement) => {
    const { key, name } = exportedGetter(statement) ?? {}
    if (name === undefined || changing.has(name)) return []
    return [[statement.start, statement.end, `exports.${key} = ${name};`]]
  })
}

/** What stands in strings beyond ASCII, as escapes. */
function inAscii(body, code) {
  const edits = []
  visit(body, undefined, (node, parent) => {
    const isString = node.type === 'Literal' && typeof node.value === 'string'
    const isTemplate = node.type === 'TemplateLiteral' && parent.type !== 'TaggedTemplateExpression'
    for (const { start, end } of isString ? [node] : isTemplate ? node.quasis : []) {
      const text = code.slice(start, end)
      const ascii = text.replace(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
      if (ascii !== text) edits.push([start, end, ascii])
    }
  })
  return edits
}

/** The name of `Object.defineProperty(exports, 'key', { enumerable: true, get: function() { return name } })`. */
function exportedGetter({ expression }) {
  if (expression?.type !== 'CallExpression' || expression.arguments[0]?.name !== 'exports') return undefined
  const [, { value: key }, { properties }] = expression.arguments
  const getter = properties?.find(({ key }) => key.name === 'get')?.value
  return { key, name: getter?.body.body[0]?.argument?.name }
}

/** Not the name that there was: bundlers of programs may choose the same one. */
function loader(name) {
  return `load_${name.replace(/^_*(require_)?/, '')}`
}

/** `name = runtime.__toESM(name, 1)`, which bundlers write for a module whose default export is used. */
function isDefaultImport(expression) {
  if (expression?.type !== 'AssignmentExpression' || expression.right.type !== 'CallExpression') return false
  const {
    callee,
    arguments: [name, mode],
  } = expression.right
  return callee.property?.name === '__toESM' && name.name === expression.left.name && mode?.value === 1
}

/** What `exports.name = from.imported` says, and where its right side stands. */
function exportedAgain(expression) {
  const { left, right } = expression?.type === 'AssignmentExpression' ? expression : {}
  if (left?.object?.name !== 'exports' || right.type !== 'MemberExpression') return undefined
  const { object, property, start, end } = right
  return { name: left.property.name, from: object.name, imported: property.name, start, end }
}

/** The names under which a chunk exports functions, but for those whose getters are no plain names. */
function exportedFunctions(body) {
  const declared = new Set(body.flatMap(({ type, id }) => (type === 'FunctionDeclaration' ? [id.name] : [])))
  const exported = body.flatMap((statement) => {
    const { key, name } = exportedGetter(statement) ?? {}
    return declared.has(name) ? [key] : []
  })
  return new Set(exported)
}

function visit(node, parent, seen) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, parent, seen)
  } else if (typeof node?.type === 'string') {
    seen(node, parent)
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === 'object' && key !== 'parent') visit(value, node, seen)
    }
  }
}
