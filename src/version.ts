/** The version of this package, as package.json has it, which no bundler has to find then; a test compares the two. */
export const VERSION: string = '0.1.0'
