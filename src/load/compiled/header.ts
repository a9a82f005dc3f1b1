// The header of a compiled model, which is read before it.

/**
 * A compiled model as a file: a header, a directory, one block of JSON, and tables of numbers. All numbers are
 * little-endian, all tables begin at multiples of 64 bytes.
 *
 * | bytes | what |
 * | --- | --- |
 * | 0 to 7 | {@link MAGIC}: a byte that is no UTF-8, `STK`, and line ends that careless transfers change |
 * | 8 to 23 | checksum of what is behind it, up to where the last part begins |
 * | 24 to 27 | {@link FORMAT_VERSION} |
 * | 28 to 31 | how many tables there are |
 * | 32 to 39 | size of the file |
 * | 40 to 55 | where the JSON begins, and its length |
 * | 56 to 63 | byte order of the tables: 1 for little-endian, and a zero |
 * | 64 to 71 | where the last part begins: tables that are rarely needed, and read then |
 * | 72 to 87 | checksum of the last part |
 * | 88 to 95 | zeros |
 * | then | for each table its kind, a zero, where it begins, and its length in elements: 4, 4, 8 and 8 bytes |
 */
export const MAGIC: Uint8Array = Uint8Array.of(0x89, 0x53, 0x54, 0x4b, 0x0d, 0x0a, 0x1a, 0x0a)
/** Another version is refused: a compiled model is made anew from its files. */
export const FORMAT_VERSION = 5
export const HEADER = 96
export const ENTRY = 24
export const CHECKSUM_AT = 8
export const VERSION_AT = 24
export const COUNT_AT = 28
export const SIZE_AT = 32
export const JSON_AT = 40
export const BYTE_ORDER_AT = 56
export const LAST_AT = 64
export const LAST_CHECKSUM_AT = 72

/** Whether bytes begin as a compiled model does. */
export function isCompiled(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.every((byte, i) => bytes[i] === byte)
}

/** How much of a compiled model of so many bytes is to be read at once, as its header says. */
export function firstLength(header: Uint8Array, size: number): number {
  if (header.length < HEADER || size < HEADER) return size
  const lastAt = new DataView(header.buffer, header.byteOffset, HEADER).getBigUint64(LAST_AT, true)
  return lastAt >= HEADER && lastAt <= size ? Number(lastAt) : size
}
