/**
 * A plugin for files whose functions are called as soon as they are there. V8 looks through each function that it meets
 * without compiling it, and reads it once more when it is called, but one in parentheses it compiles at once. So
 * declarations become constants, before all else, where declarations are known from.
 *
 * @param {RegExp} files their names, in the folder of the output
 */
export function eagerFunctions(files) {
  return {
    name: 'eager-functions',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === 'chunk' && files.test(chunk.fileName))
          chunk.code = withEager(chunk.code, this.parse(chunk.code))
      }
    },
  }
}

function withEager(code, { body }) {
  const declared = body.filter(({ type }) => type === 'FunctionDeclaration')
  const functions = declared.map(({ id, start, end }) => `const ${id.name} = (${code.slice(start, end)});\n`)
  const others = declared.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), code)
  const firstEnd = body.filter(({ directive }) => directive !== undefined).at(-1)?.end ?? 0
  return `${others.slice(0, firstEnd)}\n${functions.join('')}${others.slice(firstEnd)}`
}
