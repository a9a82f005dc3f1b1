// Chromium through playwright-core, where both are there: `npm run test:browser` installs the package, the browser is
// the system's (Debian: apt install chromium), or the one that SAFETOKENS_CHROMIUM names.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** What is used of playwright's pages. */
export interface Page {
  goto(url: string): Promise<unknown>
  evaluate<T>(script: string): Promise<T>
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>
  emulateMedia(options: { colorScheme: 'light' | 'dark' }): Promise<void>
  on(
    event: 'request' | 'dialog' | 'pageerror',
    listener: (thing: { url?(): string; message?: unknown }) => void,
  ): void
  focus(selector: string): Promise<void>
  hover(selector: string): Promise<void>
  readonly keyboard: { press(key: string): Promise<void> }
  textContent(selector: string): Promise<string | null>
  getAttribute(selector: string, name: string): Promise<string | null>
}

export interface Browser {
  newPage(options: { viewport: { width: number; height: number } }): Promise<Page>
  close(): Promise<void>
}

const require = createRequire(import.meta.url)
const EXECUTABLES = [
  process.env.SAFETOKENS_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Why there is no browser, or undefined. */
export function missingBrowser(): string | undefined {
  if (executable() === undefined) return 'there is no Chromium: SAFETOKENS_CHROMIUM names one'
  try {
    require.resolve('playwright-core')
    require.resolve('axe-core')
    return undefined
  } catch {
    return 'playwright-core and axe-core are not installed: "npm run test:browser" does it'
  }
}

export function launch(): Promise<Browser> {
  const { chromium } = require('playwright-core') as {
    chromium: { launch(options: object): Promise<Browser> }
  }
  return chromium.launch({ executablePath: executable(), args: ['--no-sandbox', '--disable-gpu'] })
}

/** The source of axe-core, to be evaluated in a page. */
export function axeSource(): string {
  return readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
}

function executable(): string | undefined {
  return EXECUTABLES.find((file) => file !== undefined && existsSync(file))
}
