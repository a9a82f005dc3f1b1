import path from 'node:path'
import { defineConfig, type UserConfig } from 'tsdown'
import { eagerFunctions } from './scripts/eager-functions.mjs'
import { lazyChunks } from './scripts/lazy-chunks.mjs'

const common = {
  platform: 'node',
  target: 'node20',
  fixedExtension: true,
  deps: { neverBundle: [/binding\.cjs$/] },
  // No comments that name the files of this machine.
  inputOptions: { experimental: { attachDebugInfo: 'none' } },
} as const satisfies UserConfig

/** What users import: the library, and adapters for libraries that they have themselves. */
const library = {
  index: 'src/index.ts',
  langchain: 'src/langchain/index.ts',
  'ai-sdk': 'src/ai-sdk/index.ts',
}

/** Tools for tests and audits are modules only. */
const tools = { audit: 'src/audit/index.ts', vitest: 'src/vitest/index.ts' }

/** Folders of sources that use the library. All others are the library. */
const USERS = /^(adapters|ai-sdk|audit|cli|inspect|langchain|report|vitest)\/|^package-files\./

/**
 * Files of the library, by the sources that are in them, the first that takes one: what loading one tokenizer does not
 * need stands apart, and is not read before it is used.
 */
const FILES: readonly (readonly [name: string, sources: RegExp])[] = [
  ['chat-template', /^chat\/(template\/|template-)/],
  ['chat-formats', /^chat\/formats\/(?!registry\.)/],
  ['chats', /^chat\/(?!chat\.|formats\/(?!registry))/],
  ['replies', /^output\/(?!protocols\/registry\.)/],
  ['engines', /^engine\//],
  ['budgets', /^budget\//],
  ['tools', /^tools\/(?!code-interpreter|truncate-result)/],
  ['padding', /^tokenizer\/(async-rows|padding|truncate-text|truncation)\./],
  ['streams', /^tokenizer\/(clean-up|decode-stream)\./],
  ['gguf', /^load\/gguf\//],
  ['compiling', /^load\/compiled\/(write|mapped)-|^tokenizer\/(cached-model|compile-files|compile-model)\./],
  ['warnings', /^tokenizer\/warnings\./],
  ['overlaps', /^tokenizer\/overlaps\./],
  ['pattern-programs', /^load\/split-pattern\/program\./],
  ['split-patterns', /^load\/split-pattern\/(?!known|program|scanned)|oniguruma-parser/],
  ['sentencepiece', /^load\/sentencepiece-model|^tokenizer\/sentencepiece/],
  ['ranks', /^load\/(encodings|tekken|tiktoken|rank-pipeline)/],
  ['tokenizer-json', /^load\/tokenizer-json/],
  // What every model needs, compiled or not. While it is read, a file is read too, so what opens files is not in it.
  [
    'loading',
    /^load\/(compiled\/(?!header)|late-merges|split-pattern\/scanned\.|bracketed|token-(columns|table)\.|tokenizer-spec)|^tokenizer\/(compile-input|native-model|pipeline-|reserve-policy)/,
  ],
  // For models that are not compiled.
  ['model-files', /^load\/(?!compiled|eos-tokens|file-kinds|model-files?\.|quoted)/],
  ['core', /^(?!(index|internal)\.)/],
]

const sources = path.resolve(import.meta.dirname, 'src')

/** A source's path in `src`, with slashes; others as they are. */
function sourceName(file: string): string {
  const relative = path.relative(sources, file)
  return relative.startsWith('..') ? file : relative.replaceAll('\\', '/')
}

/** Declarations are bundled as modules too, and part by themselves. */
const DECLARATION = /\.d\.[cm]?ts$/

/** Modules import the one library that there is, which is CommonJS. */
const importsLibrary = {
  name: 'imports-library',
  resolveId(id: string, importer: string | undefined) {
    if (importer === undefined || !id.startsWith('.') || DECLARATION.test(importer)) return undefined
    const from = sourceName(importer)
    if (USERS.test(sourceName(path.resolve(path.dirname(importer), id)))) return undefined
    return { id: from === 'index.ts' ? './index.cjs' : './internal.cjs', external: true }
  },
}

/**
 * The module that programs import loads the library by `require`: Node takes milliseconds to read through CommonJS for the
 * names that it exports. Bundlers cannot follow that, and take the module as it was, by the condition `module`.
 */
const requiresLibrary = {
  name: 'requires-library',
  generateBundle(
    this: { emitFile(file: { type: 'asset'; fileName: string; source: string }): void },
    _: unknown,
    bundle: Record<string, { code?: string }>,
  ) {
    const index = bundle['index.mjs']
    const names = /^import \{(.+)\} from "(\.\/index\.cjs)";\nexport \{\1\};\n?$/.exec(index?.code ?? '')
    if (index === undefined) return
    if (names === null) throw new Error('index.mjs is not what was expected')
    this.emitFile({ type: 'asset', fileName: 'bundled.mjs', source: names[0] })
    index.code =
      'import { createRequire } from "node:module";\n' +
      'const require = createRequire(import.meta.url);\n' +
      `const {${names[1]}} = require("${names[2]}");\nexport {${names[1]}};\n`
  },
}

export default defineConfig([
  {
    ...common,
    format: 'cjs',
    dts: { entry: Object.values(library) },
    entry: { ...library, internal: 'src/internal.ts' },
    outputOptions: {
      chunkFileNames: 'lib/[name].cjs',
      // Without comments there is less to read; declarations have them.
      comments: false,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: FILES.map(([name, taken], i) => ({
          name,
          priority: FILES.length - i,
          test: (id: string) =>
            !DECLARATION.test(id) && !USERS.test(sourceName(id)) && taken.test(sourceName(id)),
        })),
      },
    },
    inputOptions: { ...common.inputOptions, preserveEntrySignatures: 'allow-extension' },
    plugins: [
      lazyChunks(/^(\.\/lib\/|\.\/[\w-]+\.cjs$|node:|@bufbuild)/),
      eagerFunctions(/^lib\/loading\.cjs$/),
    ],
    // It can only be imported, so CommonJS gets it bundled.
    deps: { ...common.deps, alwaysBundle: [/^oniguruma-parser/] },
  },
  // The command line is a program, so it needs no CommonJS form and no types.
  {
    ...common,
    format: 'esm',
    dts: { entry: Object.values({ ...library, ...tools }) },
    clean: false,
    entry: { ...library, ...tools, cli: 'src/cli/bin.ts', 'line-worker': 'src/cli/line-worker.ts' },
    plugins: [importsLibrary, requiresLibrary],
  },
])
