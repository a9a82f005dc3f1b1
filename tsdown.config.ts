import { defineConfig } from 'tsdown'

const common = {
  platform: 'node',
  target: 'node20',
  fixedExtension: true,
  deps: { neverBundle: [/binding\.cjs$/] },
  // No comments that name the files of this machine.
  inputOptions: { experimental: { attachDebugInfo: 'none' } },
} as const

/** What users import: the library, and adapters for libraries that they have themselves. */
const library = {
  index: 'src/index.ts',
  langchain: 'src/langchain/index.ts',
  'ai-sdk': 'src/ai-sdk/index.ts',
}

/** Tools for tests and audits are modules only. */
const tools = { audit: 'src/audit/index.ts', vitest: 'src/vitest/index.ts' }

// The command line is a program, so it needs no CommonJS form and no types.
export default defineConfig([
  {
    ...common,
    format: 'esm',
    entry: { ...library, ...tools, cli: 'src/cli/bin.ts', 'line-worker': 'src/cli/line-worker.ts' },
    dts: { entry: Object.values({ ...library, ...tools }) },
  },
  {
    ...common,
    format: 'cjs',
    entry: library,
    dts: true,
    clean: false,
    // What the entries share stands in a file of its own; else it becomes part of index.cjs, whose exports grow.
    outputOptions: {
      advancedChunks: {
        groups: [
          {
            name: 'core',
            // Types are bundled as modules too, and part by themselves.
            test: (id: string) => !/[\\/]src[\\/](langchain|ai-sdk)[\\/]|\.d\.[cm]?ts$/.test(id),
          },
        ],
      },
    },
    // It can only be imported, so CommonJS gets it bundled.
    deps: { ...common.deps, alwaysBundle: [/^oniguruma-parser/] },
  },
])
