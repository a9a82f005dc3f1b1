import { afterAll, describe, expect, it } from 'vitest'
import { InvalidArgumentError, Tokenizer } from '../../src/index.js'
import { padBatch, unpadded } from '../../src/tokenizer/padding.js'
import { ModelFolders } from '../fixtures/model-folder.js'
import { byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'

const ROWS = [Uint32Array.of(1, 2, 3), Uint32Array.of(), Uint32Array.of(4)]
const plain = ({ ids, attentionMask }: ReturnType<typeof unpadded>) => [
  ids.map((row) => [...row]),
  attentionMask.map((row) => [...row]),
]

describe('a batch', () => {
  it('stays as it is, with masks', () => {
    expect(plain(unpadded(ROWS))).toEqual([
      [[1, 2, 3], [], [4]],
      [[1, 1, 1], [], [1]],
    ])
  })

  it.each([
    [
      'right',
      [
        [1, 2, 3],
        [9, 9, 9],
        [4, 9, 9],
      ],
      [
        [1, 1, 1],
        [0, 0, 0],
        [1, 0, 0],
      ],
    ],
    [
      'left',
      [
        [1, 2, 3],
        [9, 9, 9],
        [9, 9, 4],
      ],
      [
        [1, 1, 1],
        [0, 0, 0],
        [0, 0, 1],
      ],
    ],
  ] as const)('is padded on the %s', (side, ids, mask) => {
    expect(plain(padBatch(ROWS, { side }, 9))).toEqual([ids, mask])
  })

  it('is as long as it is told to be', () => {
    const columns = (padding: object) => padBatch(ROWS, padding, 0).ids.map(({ length }) => length)
    expect(columns({})).toEqual([3, 3, 3])
    expect(columns({ length: 5 })).toEqual([5, 5, 5])
    expect(columns({ padToMultipleOf: 4 })).toEqual([4, 4, 4])
    expect(columns({ length: 5, padToMultipleOf: 4 })).toEqual([8, 8, 8])
    expect(plain(padBatch([], {}, 0))).toEqual([[], []])
    expect(plain(padBatch([Uint32Array.of()], {}, 0))).toEqual([[[]], [[]]])
  })

  it.each<[string, object, number?]>([
    ['padding.padId: an id was expected, since', {}],
    ['padding.padId: a token id', { padId: -1 }],
    ['padding.padId: a token id', { padId: '1' }],
    ['padding.side', { side: 'top' }, 0],
    ['length must be', { length: 0 }, 0],
    ['padToMultipleOf must be', { padToMultipleOf: 1.5 }, 0],
    ['a row of 3 tokens is longer than 2', { length: 2 }, 0],
  ])('is an error: %s', (message, padding, padToken) => {
    const run = () => padBatch(ROWS, padding, padToken)
    expect(run).toThrow(InvalidArgumentError)
    expect(run).toThrow(message)
  })
})

describe('encodeBatch', () => {
  const folders = new ModelFolders()
  afterAll(() => folders.remove())
  const json = jsonBytes(byteLevelJson({ merges: [], added: ['<pad>'] }))

  it('encodes texts and pairs', () => {
    const tokenizer = Tokenizer.from(json)
    const { ids, attentionMask } = tokenizer.encodeBatch(['ab', ['c', '']], { pairs: ['x', 'yz'] })
    expect(ids).toEqual([tokenizer.encode('abx'), tokenizer.encode('cyz')])
    expect(attentionMask.map((row) => [...row])).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ])
    const padding = { padId: 0, length: 4 }
    const cut = tokenizer.encodeBatch(['abcdef', 'a'], { truncation: { maxLength: 2 }, padding })
    expect(cut.ids.map((row) => [...row])).toEqual([
      [...tokenizer.encode('ab'), 0, 0],
      [...tokenizer.encode('a'), 0, 0, 0],
    ])
  })

  it("pads with the folder's pad_token", async () => {
    const place = folders.make({ 'tokenizer.json': json, 'tokenizer_config.json': { pad_token: '<pad>' } })
    const tokenizer = await Tokenizer.load(place)
    const { ids } = tokenizer.encodeBatch(['ab', 'a'], { padding: {} })
    expect(ids[1]?.[1]).toBe(tokenizer.getCommand('<pad>'))
  })

  it('is an error without lists of the same length', () => {
    const tokenizer = Tokenizer.from(json)
    expect(() => tokenizer.encodeBatch('ab' as never)).toThrow(InvalidArgumentError)
    expect(() => tokenizer.encodeBatch(['a', 'b'], { pairs: ['a'] })).toThrow(InvalidArgumentError)
    expect(tokenizer.encodeBatch([])).toEqual({ ids: [], attentionMask: [] })
  })
})
