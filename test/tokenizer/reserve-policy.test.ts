import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../../src/errors.js'
import { isBracketedMark } from '../../src/load/bracketed-mark.js'
import { PieceType } from '../../src/load/tokenizer-spec.js'
import type { ReservePolicy } from '../../src/tokenizer/reserve-policy.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { modelBytes } from '../fixtures/model-bytes.js'

describe('bracketed marks', () => {
  it.each([
    '<|im_start|>',
    '<|/x|>',
    '<｜User｜>',
    '<｜begin▁of▁sentence｜>',
    '[INST]',
    '[/INST]',
    '[gMASK]',
    '[REFERENCE_DOC_3]',
    '<think>',
    '</think>',
    '<mask>',
    '<s>',
    '<audio>',
    '<code>',
    '<extra_id_0>',
    '<@user>',
    '<0x0A>',
  ])('%s is one', (name) => {
    expect(isBracketedMark(name)).toBe(true)
  })

  it.each([
    '<table>',
    '</td>',
    '<H1>',
    '<strong>',
    '\n\n',
    '▁▁',
    '<>',
    '[]',
    '<|',
    '(',
    'À',
    '<a b>',
    '[a b]',
    '<<SYS>>',
    'sop',
  ])('%j is text', (name) => {
    expect(isBracketedMark(name)).toBe(false)
  })
})

describe('the policy', () => {
  const bytes = modelBytes([
    ['<unk>', 0, PieceType.UNKNOWN],
    ['<s>', 0, PieceType.CONTROL],
    ['[IMG]', 0, PieceType.USER_DEFINED],
    ['<table>', 0, PieceType.USER_DEFINED],
    ['a', -1],
    ['b', -2],
    ['ab', -0.5],
    ...[...'[]IMG<>tle'].map((c, i) => [c, -10 - i] as const),
  ])
  const load = (reserve?: ReservePolicy) => Tokenizer.from(bytes, { reserve })
  const reservedIds = (reserve?: ReservePolicy) => load(reserve).reserved.map(({ id }) => id)

  it('reserves control pieces and bracketed marks, or more, or less', () => {
    expect(reservedIds()).toEqual([1, 2])
    expect(reservedIds('special')).toEqual([1])
    expect(reservedIds('all-added')).toEqual([1, 2, 3])
    expect(reservedIds(['ab', 5])).toEqual([1, 5, 6])
  })

  it('decides what data can reach', () => {
    expect([...load('special').encode('[IMG]<table>')]).toEqual([2, 3])
    expect([...load().encode('[IMG]<table>')]).not.toContain(2)
    expect([...load().encode('[IMG]<table>')]).toContain(3)
    expect([...load('all-added').encode('<table>')]).not.toContain(3)
  })

  it('splits a listed piece, which may still be a step of a merge', () => {
    expect([...load().encode('ab')]).toEqual([6])
    expect([...load(['ab']).encode('ab')]).toEqual([4, 5])
    expect([...load(['a']).encode('a')]).toEqual([0])
  })

  it('refuses a list that cannot be kept', () => {
    expect(() => load(['nothing'])).toThrow(InvalidArgumentError)
    expect(() => load([99])).toThrow('99 is not a piece')
    expect(() => load(['<unk>'])).toThrow('cannot be reserved')
  })
})
