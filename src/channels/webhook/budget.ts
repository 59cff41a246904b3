// What one rendering may cost, counted while it runs, so that every template ends (decisions: Limits).
import { TemplateError } from './template-error.ts';
import type { Place } from './template-error.ts';

/** Bounds on a template's source and on one rendering of it (decisions: Limits). Sizes are in characters. */
export const limits = {
  source: 32 * 1024,
  expressions: 500,
  depth: 24,
  pathParts: 16,
  steps: 10_000,
  output: 256 * 1024,
  /** Text that helpers may read and make in one rendering: keeps a step short. */
  work: 8 * 1024 * 1024,
  /** One value of a variable. */
  value: 64 * 1024,
  tags: 100,
} as const;

const start: Place = { line: 1, column: 1 };

/** Counts the steps, the output and the text handled by one rendering, and ends it when there is too much of any. */
export class Budget {
  #steps = 0;
  #work = 0;
  /** Characters that the rendering is known to print. */
  printed = 0;

  /** Takes `count` steps: every expression, helper call and iteration is one. */
  step(place: Place | undefined, count = 1): void {
    this.#steps += count;
    if (this.#steps > limits.steps) {
      throw new TemplateError(`rendering takes more than ${limits.steps} steps: loop over less`, place ?? start);
    }
  }

  /** Notes that `length` characters will be printed. */
  print(place: Place | undefined, length: number): void {
    this.printed += length;
    if (this.printed > limits.output) {
      throw new TemplateError(`the rendered text is longer than ${limits.output / 1024} kB`, place ?? start);
    }
  }

  /** Notes that a helper reads or makes `length` characters. Call it before making them. */
  handle(place: Place | undefined, length: number): void {
    this.#work += length;
    if (length > limits.output || this.#work > limits.work) {
      throw new TemplateError('the helpers of this template handle too much text', place ?? start);
    }
  }
}
