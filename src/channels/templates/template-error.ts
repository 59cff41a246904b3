// What is wrong with a template, and where: one type for what is refused at save and what fails while rendering.

/** A place in a template's source. Lines and columns count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where a node of a syntax tree stands. */
export function placeOfNode({ loc }: Pick<hbs.AST.Node, 'loc'>): Place {
  return { line: loc.start.line, column: loc.start.column + 1 };
}

/** A template that cannot be saved or rendered (decisions: Broken template). */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** The field that holds the template, such as `config.headers[0].value`; '' until the field is known. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;

  constructor(message: string, place: Place, path = '') {
    super(message);
    this.path = path;
    this.line = place.line;
    this.column = place.column;
  }

  /** The same error, said of a field. */
  at(path: string): TemplateError {
    return new TemplateError(this.message, this, path);
  }
}

/**
 * What was rendered, in a sentence about it: whole or not at all. What is hidden is looked for in the sentence later, and
 * a piece of it would not be found (docs/decisions/0060).
 *
 * @param most the longest text that is quoted, in characters
 */
export function quoted(text: string, most: number): string {
  return text.length > most ? `a value of ${text.length} characters` : `"${text}"`;
}

/** Runs `work` and names the field in any TemplateError that comes out of it. */
export function inField<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof TemplateError ? error.at(path) : error;
  }
}
