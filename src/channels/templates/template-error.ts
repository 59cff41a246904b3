// A problem in a template and its place, found on save or while rendering.

/** A place in a template's source. Line and column start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function placeOfNode({ loc }: Pick<hbs.AST.Node, 'loc'>): Position {
  return { line: loc.start.line, column: loc.start.column + 1 };
}

/** A template that cannot be saved or rendered (decisions: Broken template). */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** Field of the template, such as `config.headers[0].value`; '' until known. */
  readonly path: string;
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1. */
  readonly column: number;

  constructor(message: string, place: Position, path = '') {
    super(message);
    this.path = path;
    this.line = place.line;
    this.column = place.column;
  }

  /** Returns the same error for a field. */
  at(path: string): TemplateError {
    return new TemplateError(this.message, this, path);
  }
}

/**
 * Quotes rendered text completely or not at all: masking would not recognize part of a value (docs/decisions/0060).
 *
 * @param most maximum length to quote, in characters
 */
export function quoted(text: string, max: number): string {
  return text.length > max ? `a value of ${text.length} characters` : `"${text}"`;
}

/** Runs `work` and adds the field to any TemplateError. */
export function inField<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof TemplateError ? error.at(path) : error;
  }
}
