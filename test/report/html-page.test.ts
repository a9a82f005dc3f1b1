import { expect, it } from 'vitest'
import { escapeHtml, htmlPage, visibleText } from '../../src/report/html-page.js'

it('escapes what is markup', () => {
  expect(escapeHtml(`<a href="x" title='y'>&\ud800`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;\ufffd',
  )
})

it('shows what cannot be seen', () => {
  expect(visibleText('a\n\r\tb')).toBe('a↵␍⇥b')
  expect(visibleText('\0\x1b[31m')).toBe('⟨0000⟩⟨001B⟩[31m')
  expect(visibleText('\u202eevil\u202c\ufeff')).toBe('⟨202E⟩evil⟨202C⟩⟨FEFF⟩')
  expect(visibleText('👩‍👧')).toBe('👩‍👧')
  expect(visibleText('\u200d')).toBe('⟨200D⟩')
  expect(visibleText('\u0301')).toBe('◌\u0301')
  expect(visibleText('你好 é')).toBe('你好 é')
})

it('allows its own script and no other', () => {
  const page = htmlPage({ title: '<t>', style: '', body: '<p>x</p>', script: 'let a = 1' })
  expect(page).toContain('<title>&lt;t&gt;</title>')
  expect(page).toMatch(/script-src 'sha256-[A-Za-z0-9+/=]{44}'/)
  expect(htmlPage({ title: 't', style: '', body: '' })).toContain("script-src 'none'")
})
