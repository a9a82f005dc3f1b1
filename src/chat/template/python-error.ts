/**
 * What Python, Jinja2 or MarkupSafe would raise, or a refusal of ours; `template.ts` turns it into a
 * `TemplateError` with the place.
 */
export class PythonError extends Error {
  /** @param type the name of the Python class, such as `TypeError` */
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message)
  }
}

/** `raise_exception()` of a template. */
export class RaisedError extends PythonError {
  /** @param paths whose content led to it */
  constructor(
    message: string,
    readonly paths: readonly string[],
  ) {
    super('TemplateError', message)
  }
}

/** The render was stopped, however long it would have gone on. */
export class LimitError extends PythonError {
  constructor(message: string) {
    super('limit', message)
  }
}

/** A decision depends on data, and the caller refuses that. */
export class DependenceError extends PythonError {
  constructor(
    message: string,
    readonly paths: readonly string[],
  ) {
    super('data-dependence', message)
  }
}

/** Something that the reference does and this renderer does not. */
export class UnsupportedError extends PythonError {
  constructor(message: string) {
    super('unsupported', message)
  }
}

export function typeError(message: string): PythonError {
  return new PythonError('TypeError', message)
}

export function valueError(message: string): PythonError {
  return new PythonError('ValueError', message)
}
