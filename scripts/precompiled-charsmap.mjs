/**
 * Makes a SentencePiece `precompiled_charsmap`: a double array in Darts-clone's format and the replacements. Each node
 * that has children has a block of 256 units for them, which is simple, not small.
 *
 * @param {Iterable<readonly [from: string, to: string]>} rules
 * @returns {Uint8Array}
 */
export function precompiledCharsmap(rules) {
  const utf8 = new TextEncoder()
  const root = { children: new Map(), value: undefined }
  const replacements = []
  for (const [from, to] of rules) {
    let node = root
    for (const byte of utf8.encode(from)) {
      if (!node.children.has(byte)) node.children.set(byte, { children: new Map(), value: undefined })
      node = node.children.get(byte)
    }
    node.value = replacements.length
    replacements.push(...utf8.encode(to), 0)
  }
  const units = new Map()
  const nodes = [{ node: root, at: 0, label: 0 }]
  const leaves = []
  let size = 256
  const place = ({ node, at, label }, base) => {
    const offset = at ^ base
    if (offset >= 2 ** 21) throw new Error('too many rules for a charsmap')
    const isEnd = node.value !== undefined
    units.set(at, offset * 2 ** 10 + (isEnd ? 256 : 0) + label)
    if (isEnd) units.set(base, 2 ** 31 + node.value)
  }
  for (const parent of nodes) {
    const base = size
    size += 256
    place(parent, base)
    for (const [label, node] of parent.node.children) {
      const child = { node, at: base ^ label, label }
      if (node.children.size > 0) nodes.push(child)
      else leaves.push(child)
    }
  }
  for (const leaf of leaves) place(leaf, size++)
  size = Math.ceil(size / 256) * 256
  const blob = new Uint8Array(4 + 4 * size + replacements.length)
  const view = new DataView(blob.buffer)
  view.setUint32(0, 4 * size, true)
  for (const [at, unit] of units) view.setUint32(4 + 4 * at, unit, true)
  blob.set(replacements, 4 + 4 * size)
  return blob
}
