// Builds of the addon in which something is wrong: one or two sources are changed copies, all else are the objects of
// the build that is there. The project's own sources hold no fault.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A change of one source: what it says, and what it says instead. */
export interface Fault {
  /** Below native/. */
  readonly source: string
  readonly right: string
  readonly wrong: string
}

interface CompileCommand {
  readonly directory: string
  readonly command: string
  readonly file: string
}

const ROOT = path.resolve(import.meta.dirname, '../..')
const COMMANDS = path.join(ROOT, 'build', 'compile_commands.json')
const LIBRARY = path.join(ROOT, 'build', 'libcore.a')

/** Why no addon can be built here; undefined where one can. */
export function noBuild(): string | undefined {
  if (process.env.SAFETOKENS_BINARY) return 'another addon than that of build/ is tested'
  if (process.platform === 'win32') return 'on Windows there are no commands of a shell to repeat'
  if (!existsSync(COMMANDS) || !existsSync(LIBRARY)) return 'there is no build by CMake in build/'
  const [compiler] = words(commands()[0]?.command ?? '')
  const found = compiler !== undefined && spawnSync(compiler, ['--version']).status === 0
  return found ? undefined : 'there is no compiler'
}

/** Addons in a folder of their own. */
export class BrokenAddons {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'safetokens-broken-'))
  readonly #objects = new Map<Fault, string>()
  #count = 0

  /**
   * @returns the path of the addon
   * @throws Error when a source does not say what is to be changed, or nothing can be built of it
   */
  build(faults: readonly Fault[]): string {
    const all = commands()
    const objects = faults.map((fault) => this.#object(fault, all))
    const binding = all.filter(({ file }) => file.includes('/native/binding/'))
    const others = binding.map(({ command, directory }) => {
      const flags = words(command)
      return path.resolve(directory, flags[flags.indexOf('-o') + 1] as string)
    })
    const addon = path.join(this.#folder, `${this.#count++}.node`)
    const [compiler] = words(all[0]?.command ?? '')
    const link = process.platform === 'darwin' ? ['-bundle', '-undefined', 'dynamic_lookup'] : ['-shared']
    // The changed objects come first: the library's own are then not asked for.
    run(compiler, [...link, '-o', addon, ...objects, ...others, LIBRARY], ROOT)
    return addon
  }

  /** The object of a source with a fault. */
  #object(fault: Fault, all: readonly CompileCommand[]): string {
    const known = this.#objects.get(fault)
    if (known !== undefined) return known
    const { source, right, wrong } = fault
    const file = path.join(ROOT, 'native', source)
    const command = all.find((each) => path.resolve(each.file) === file)
    const text = readFileSync(file, 'utf8')
    if (command === undefined || text.split(right).length !== 2) {
      throw new Error(`native/${source} does not say once: ${right}`)
    }
    const copy = path.join(this.#folder, `${this.#count++}.cpp`)
    const object = `${copy}.o`
    writeFileSync(
      copy,
      text.replace(right, () => wrong),
    )
    const [compiler, ...flags] = words(command.command).filter((word) => word !== command.file)
    // Optimizing costs more time than it saves here.
    run(compiler, [...flags.with(flags.indexOf('-o') + 1, object), copy, '-O0', '-w'], command.directory)
    this.#objects.set(fault, object)
    return object
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function commands(): CompileCommand[] {
  return JSON.parse(readFileSync(COMMANDS, 'utf8')) as CompileCommand[]
}

/** The words of a command as CMake writes it: parted by spaces, with backslashes in front of what is meant. */
function words(command: string): string[] {
  return (command.match(/(?:\\.|[^\\\s])+/g) ?? []).map((word) => word.replace(/\\(.)/g, '$1'))
}

function run(program: string | undefined, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program as string, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}
