export declare function precompiledCharsmap(
  rules: Iterable<readonly [from: string, to: string]>,
): Uint8Array<ArrayBuffer>
