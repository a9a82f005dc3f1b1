import type { Inspection, Section, TokenBox, TokenList } from './inspection.js'

/** What the terminal can do. Without colours, signs alone tell. */
export interface InspectionPaint {
  readonly colours: boolean
  /** Columns of a line. */
  readonly width: number
  /** Makes text harmless, on one line. */
  readonly printable: (text: string) => string
  readonly visibleWidth: (text: string) => number
}

/** More boxes of a list than this are counted, unless all are asked for. */
const MOST = 400
/** Backgrounds of places in the request, which colour-blind people can tell apart. */
const LOOKS = ['48;5;153', '48;5;223', '48;5;158', '48;5;225', '48;5;189', '48;5;229']
/** Signs of the places, where there are no colours. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** A prompt as lines of a terminal. Without colours each run begins with the letter of its place. */
export function terminalInspection(
  inspection: Inspection,
  title: string,
  paint: InspectionPaint,
  all: boolean,
): string {
  const { sections, counts, forged, paths, warnings } = inspection
  const screen = new Screen(paths, paint, all)
  const lines = [
    screen.bold(title),
    ...warnings.map((warning) => `warning: ${paint.printable(warning)}`),
    ...screen.legend(),
    ...sections.flatMap((section) => screen.section(section)),
    '',
    `${counts.ours} tokens through safetokens, ${counts.usual} on the usual path; ${forged} control tokens forged by text there`,
  ]
  return `${lines.join('\n')}\n`
}

class Screen {
  readonly #paths: readonly string[]
  readonly #paint: InspectionPaint
  readonly #all: boolean

  constructor(paths: readonly string[], paint: InspectionPaint, all: boolean) {
    this.#paths = paths
    this.#paint = paint
    this.#all = all
  }

  bold(text: string): string {
    return this.#style('1', this.#paint.printable(text))
  }

  legend(): string[] {
    const shown = this.#paths.slice(0, LETTERS.length)
    return [
      `${this.#control('control token', false)} placed by the format  ${this.#control('control token', true)} forged by text`,
      ...shown.map((path, i) => `${this.#data(`${LETTERS[i]}`, i)} ${this.#paint.printable(path)}`),
    ]
  }

  section({ title, ours, usual }: Section): string[] {
    const same = usual === undefined ? ', the same on the usual path' : ''
    return [
      '',
      `${this.bold(title)}: ${ours.count} tokens${same}`,
      ...this.#list(ours),
      ...(usual ? [`  on the usual path: ${usual.count} tokens`, ...this.#list(usual)] : []),
    ]
  }

  #list({ boxes }: TokenList): string[] {
    const shown = this.#all ? boxes : boxes.slice(0, MOST)
    const lines = this.#lines(this.#words(shown))
    const more = boxes.length - shown.length
    return more > 0 ? [...lines, `    … ${more} more (--all shows them)`] : lines
  }

  #words(boxes: readonly TokenBox[]): string[] {
    let last: string | undefined
    return boxes.map((box) => {
      const text = this.#paint.printable(box.text) + (box.ids.length > 1 ? `×${box.ids.length}` : '')
      if (box.kind === 'control') {
        last = undefined
        return this.#control(text, box.forged)
      }
      const place = box.kind === 'data' ? this.#paths.indexOf(box.path ?? '') : -1
      const key = `${box.kind}${place}`
      const begins = key !== last
      last = key
      return place < 0 ? this.#style('2', text) : this.#data(text, place, begins)
    })
  }

  #lines(words: readonly string[]): string[] {
    const lines: string[] = []
    let line = ''
    let used = 0
    for (const word of words) {
      const width = this.#paint.visibleWidth(word)
      if (used > 0 && used + 1 + width > this.#paint.width - 4) {
        lines.push(`    ${line}`)
        line = ''
        used = 0
      }
      line += used > 0 ? ` ${word}` : word
      used += width + (used > 0 ? 1 : 0)
    }
    return used > 0 ? [...lines, `    ${line}`] : lines
  }

  #control(text: string, forged: boolean): string {
    if (!this.#paint.colours) return forged ? `!⟦${text}⟧!` : `⟦${text}⟧`
    return forged ? this.#style('1;97;41', `!⟦${text}⟧!`) : this.#style('1;7', `⟦${text}⟧`)
  }

  #data(text: string, place: number, begins = true): string {
    if (this.#paint.colours) return this.#style(`30;${LOOKS[place % LOOKS.length]}`, text)
    return begins ? `${LETTERS[place % LETTERS.length]}:${text}` : text
  }

  #style(codes: string, text: string): string {
    return this.#paint.colours ? `\x1b[${codes}m${text}\x1b[0m` : text
  }
}
