import { SafetokensError } from '../errors.js'
import { type Input, readLines } from './input.js'
import { isObject, parseJson, rawMembers } from './json.js'
import { print } from './output.js'
import type { OutputStream } from './terminal.js'

/** Answers the value of a line with an object, or with the JSON text of one. */
export type LineAnswer = (value: unknown, text: string) => object | string

/** Written at least this often, in characters, however many lines a chunk of the input holds. */
const FLUSH = 2 ** 16

/**
 * Answers each JSON value of an input, one a line, with one line of JSON, in order and at once: what the lines of a
 * chunk give is written before the next chunk is read. The `id` of an object is passed on as it was spelled. A bad
 * line is answered by an error; lines without anything but white space are skipped.
 *
 * @param answer gets the value and its text; gives an object, or the JSON text of one
 * @param block where the input is a part of a longer one: the number of its first line
 * @returns the exit code: 1 when a line was bad
 * @throws SafetokensError when the input cannot be read or the output closes
 */
export async function answerLines(
  input: Input,
  stdout: OutputStream,
  answer: LineAnswer,
  block: { readonly firstLine: number } = { firstLine: 1 },
): Promise<number> {
  let number = block.firstLine - 1
  let code = 0
  for await (const lines of readLines(input, undefined, number === 0 ? 'drop' : 'keep')) {
    let out = ''
    for (const line of lines) {
      number++
      if (line?.trim() === '') continue
      const [json, ok] = answerLine(line, number, answer)
      out += `${json}\n`
      if (!ok) code = 1
      if (out.length >= FLUSH) {
        await print(stdout, out)
        out = ''
      }
    }
    if (out !== '') await print(stdout, out)
  }
  return code
}

/** Answers one line, or what stands for one that is too long. */
export function answerLine(
  line: string | undefined,
  number: number,
  answer: LineAnswer,
): [json: string, ok: boolean] {
  let id: string | undefined
  try {
    if (line === undefined) throw new SafetokensError('LINE_TOO_LONG', 'the line is too long')
    const value = parseJson(line)
    if (isObject(value) && Object.hasOwn(value, 'id')) id = rawMembers(line).get('id')
    return [withId(id, answer(value, line)), true]
  } catch (error) {
    if (!(error instanceof SafetokensError)) throw error
    const { code, message } = error
    return [withId(id, { error: { code, message, line: number } }), false]
  }
}

function withId(id: string | undefined, answer: object | string): string {
  const json = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return id === undefined ? json : `{"id":${id},${json.slice(1)}`
}
