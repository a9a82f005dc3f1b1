/** A node of the automaton: how far into some pattern the text has got. */
interface Node {
  readonly next: Map<number, Node>
  /** The longest proper end of this beginning that is a beginning too. */
  fall: Node | undefined
  readonly depth: number
  /** The longest pattern that ends here, by its index. */
  pattern: number
}

/** A piece of text between matches, or a match. */
export type Matched = { readonly text: string } | { readonly pattern: number }

/**
 * Finds fixed strings in text that comes in pieces. What may yet be the beginning of one is held back, never more than
 * the longest string. Which one is found does not depend on how the text is cut: the one that is complete first, of
 * several that are complete at the same character the longest. Time is linear in the text.
 */
export class TextMatcher {
  readonly #root: Node = { next: new Map(), fall: undefined, depth: 0, pattern: -1 }
  readonly #lengths: readonly number[]
  /** Characters with which a pattern begins: where none is, text passes at once. */
  readonly #firsts: RegExp | undefined
  #at: Node
  #held = ''

  /** @param patterns none of them empty */
  constructor(patterns: readonly string[]) {
    this.#lengths = patterns.map(({ length }) => length)
    patterns.forEach((pattern, index) => {
      this.#add(pattern, index)
    })
    this.#link()
    this.#at = this.#root
    const firsts = [...this.#root.next.keys()].map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    if (firsts.length > 0) this.#firsts = new RegExp(`[${firsts.join('')}]`, 'g')
  }

  /** Takes a piece, and gives what is settled, in order. */
  push(piece: string): Matched[] {
    if (this.#firsts === undefined) return piece === '' ? [] : [{ text: piece }]
    const found: Matched[] = []
    const all = this.#held + piece
    let begin = 0
    let i = this.#held.length
    while (i < all.length) {
      if (this.#at === this.#root) {
        this.#firsts.lastIndex = i
        const first = this.#firsts.exec(all)
        if (first === null) break
        i = first.index
      }
      this.#step(all.charCodeAt(i++))
      const { pattern } = this.#at
      if (pattern < 0) continue
      const end = i - (this.#lengths[pattern] as number)
      if (end > begin) found.push({ text: all.slice(begin, end) })
      found.push({ pattern })
      begin = i
      this.#at = this.#root
    }
    const settled = all.length - this.#at.depth
    if (settled > begin) found.push({ text: all.slice(begin, settled) })
    this.#held = all.slice(settled)
    return found
  }

  /** Gives what was held back. The matcher is then as new. */
  end(): string {
    const rest = this.#held
    this.#held = ''
    this.#at = this.#root
    return rest
  }

  #add(pattern: string, index: number): void {
    let node = this.#root
    for (let i = 0; i < pattern.length; i++) {
      const unit = pattern.charCodeAt(i)
      let next = node.next.get(unit)
      if (next === undefined) {
        next = { next: new Map(), fall: undefined, depth: node.depth + 1, pattern: -1 }
        node.next.set(unit, next)
      }
      node = next
    }
    if (node.pattern < 0) node.pattern = index
  }

  /** Breadth first, so that what is shorter is linked before what falls back to it. */
  #link(): void {
    const queue: Node[] = [this.#root]
    for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
      for (const [unit, child] of node.next) {
        let fall = node.fall
        while (fall !== undefined && !fall.next.has(unit)) fall = fall.fall
        child.fall = fall?.next.get(unit) ?? this.#root
        if (child.pattern < 0) child.pattern = child.fall.pattern
        queue.push(child)
      }
    }
  }

  #step(unit: number): void {
    let node: Node | undefined = this.#at
    while (node !== undefined && !node.next.has(unit)) node = node.fall
    this.#at = node?.next.get(unit) ?? this.#root
  }
}
