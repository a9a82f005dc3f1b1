import { defineConfig } from 'tsdown'

const common = {
  platform: 'node',
  target: 'node20',
  fixedExtension: true,
  deps: { neverBundle: [/binding\.cjs$/] },
} as const

// The command line is a program, so it needs no CommonJS form and no types. Tools for tests and audits are modules only.
export default defineConfig([
  {
    ...common,
    format: 'esm',
    entry: {
      index: 'src/index.ts',
      audit: 'src/audit/index.ts',
      vitest: 'src/vitest/index.ts',
      cli: 'src/cli/bin.ts',
    },
    dts: { entry: ['src/index.ts', 'src/audit/index.ts', 'src/vitest/index.ts'] },
  },
  {
    ...common,
    format: 'cjs',
    entry: { index: 'src/index.ts' },
    dts: true,
    clean: false,
    // It can only be imported, so CommonJS gets it bundled.
    deps: { ...common.deps, alwaysBundle: [/^oniguruma-parser/] },
  },
])
