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

/** Runs `work` and names the field in any TemplateError that comes out of it. */
export function inField<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof TemplateError ? error.at(path) : error;
  }
}
